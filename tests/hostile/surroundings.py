"""The same questions under other surroundings: what each Python, locale, time zone and hash seed writes of them.

    python -m tests.hostile.surroundings PYTHON PYTHON...    # interpreters that have kplan, as of two .venv

Exits with 1 where a byte differs, and says which question it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from kplan.cli.main import main
from kplan.cli.streams import settle

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")
MANIFEST = str(ROOT / "fixtures" / "examples" / "checkout.yaml")
READ = ["--snapshot", DEMO]
_MARK = "\x1e"
QUESTIONS: tuple[list[str], ...] = (
    ["explain", "pod", "-A", *READ, "-o", "wide"],
    ["explain", "node", "node-b", *READ],
    ["nodes", *READ, "-o", "csv"],
    ["simulate", MANIFEST, *READ, "-o", "json"],
    ["capacity", MANIFEST, *READ, "-o", "yaml"],
    ["drain", "node-b", *READ, "-o", "json"],
    ["fail", "--each", "node", *READ, "-o", "prometheus"],
    ["moves", "pod/billing-0", "-n", "ops", *READ, "-o", "json"],
    ["pack", *READ, "-o", "json"],
    ["sweep", "--fail-each", "zone", "-j", "2", *READ, "-o", "json"],
    ["check", MANIFEST, *READ, "-o", "sarif"],
    ["bind", "-A", *READ, "-o", "yaml"],
    ["snapshot", "-", "--redact", *READ],
    ["config", *READ],
)
AROUND: tuple[Mapping[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"},
    {"PYTHONHASHSEED": "4", "TZ": "America/St_Johns", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"},
)


def answers(python: str, around: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter writes of each question in one surrounding, by the question."""
    run = [python, "-m", "tests.hostile.surroundings", "--answer"]
    done = subprocess.run(run, capture_output=True, env={**os.environ, **around}, cwd=ROOT, check=True)
    parts = (done.stdout + done.stderr).decode().split(_MARK)[1:]
    return {question: text for question, _, text in (part.partition("\n") for part in parts)}


def differing(pythons: list[str], surroundings: tuple[Mapping[str, str], ...] = AROUND) -> list[str]:
    """Questions that are not answered by the same bytes everywhere."""
    told = [answers(python, around) for python in pythons for around in surroundings]
    return [question for question in told[0] if len({one[question] for one in told}) > 1]


def answer() -> None:
    """Ask everything of this interpreter, as ``python -m kplan`` would."""
    settle()
    for words in QUESTIONS:
        sys.stdout.write(f"{_MARK}kplan {' '.join(words)}\n")
        sys.stdout.flush()
        sys.stdout.write(f"exit code {main(words)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer()
    else:
        wrong = differing(sys.argv[1:] or [sys.executable])
        sys.stdout.write("".join(f"differs: {question}\n" for question in wrong))
        sys.stdout.write(f"{len(QUESTIONS)} questions, {len(wrong)} answered in more than one way\n")
        sys.exit(bool(wrong))
