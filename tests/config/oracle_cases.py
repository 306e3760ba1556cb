"""Configurations and what the real kube-scheduler makes of them (``fixtures/config``).

python -m tests.config.oracle_cases     # ask the oracles again; they have to be built (make oracle)
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "config"
ORACLE = Path(__file__).parents[1] / "oracle"
THEMES = {"profiles": (60, "kporacle"), "invalid": (100, "kporacle"), "older": (60, "v125/kpconvert")}
"""How many cases of each theme are asked for, and who answers."""


def read(theme: str) -> list[tuple[Any, dict[str, Any]]]:
    """(configuration, answer) of each case; answers of 1.37.2, of ``older`` those of 1.25.16."""
    with gzip.open(FIXTURES / f"{theme}.jsonl.gz", "rt") as lines:
        return [(case["config"], case["answer"]) for case in map(json.loads, lines)]


def ask(theme: str) -> Iterator[dict[str, Any]]:
    count, program = THEMES[theme]
    made = subprocess.run(
        [sys.executable, ORACLE / "config_cases.py", theme, str(count)], check=True, capture_output=True
    ).stdout
    answers = subprocess.run([ORACLE / program], input=made, check=True, capture_output=True).stdout
    for case, answer in zip(map(json.loads, made.splitlines()), map(json.loads, answers.splitlines()), strict=True):
        answer.pop("name", None)
        answer.pop("pods", None)
        yield {"config": case.get("config", case), "answer": answer}


if __name__ == "__main__":
    for theme in THEMES:
        lines = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in ask(theme))
        (FIXTURES / f"{theme}.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
