"""The examples of the README and of docs/ print what is said there.

    python -m tests.test_readme        # run them again and write down what they print

An example is a fenced block of kind ``console``: lines that start with ``$ `` are commands, run in order from the top
of the project on a terminal of 80 columns, and what follows is their output; ``$ echo $?`` shows the exit code of the
one before. Blocks of another kind are not run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.exit_codes import ExitCode
from kplan.cli.whatif import FLAGS
from tests.conformance.corpus import GAPS, VERSIONS, cases, themes

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
EXAMPLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = 'kplan() { "$PYTHON" -m kplan "$@"; }\n'


def documents() -> list[Path]:
    """The README, and what stands in docs/."""
    return [README, *sorted((ROOT / "docs").glob("*.md"))]


def examples() -> list[str]:
    """The blocks of all documents."""
    return [block for document in documents() for block in EXAMPLE.findall(document.read_text(encoding="utf-8"))]


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def run(block: str, home: Path) -> str:
    """Run the commands of a block and write it anew, with what they print."""
    lines = []
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    code = 0
    for command in commands(block):
        shown = SHELL + f"(exit {code})\n" + command
        done = subprocess.run(
            ["bash", "-c", shown],
            cwd=ROOT,
            env={**environment, "PYTHON": sys.executable},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        code = done.returncode
        lines += [f"$ {command}", *done.stdout.splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("block", examples(), ids=[commands(block)[0] for block in examples()])
def test_the_example_prints_what_is_said(block: str, tmp_path: Path) -> None:
    assert run(block, tmp_path) == block


def test_there_are_examples() -> None:
    assert len(examples()) >= 3
    assert all(commands(block)[0].startswith("kplan ") for block in examples())


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(code, {})
    [told] = re.findall(r"  # (.*)", code)
    assert capsys.readouterr().out == f"{told}\n"


def test_the_exit_codes_are_those_there_are_in_their_order() -> None:
    table = [int(code) for code in re.findall(r"^\| (\d+) \|", README.read_text(encoding="utf-8"), re.MULTILINE)]
    assert table == [code for code in ExitCode if code is not ExitCode.INTERRUPTED]


def test_the_scenario_of_the_documentation_is_the_one_that_is_run() -> None:
    text = (ROOT / "docs" / "what-if.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    run_there = (ROOT / "fixtures" / "examples" / "replace-node-b.yaml").read_text(encoding="utf-8")
    assert run_there.partition("\n")[2] == shown


def test_every_what_if_is_documented() -> None:
    text = (ROOT / "docs" / "what-if.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`--([a-z-]+) ", "".join(row for row in text.splitlines() if row.startswith("|")))) == set(
        FLAGS
    )


def test_the_sizes_of_the_corpus_are_those_it_has() -> None:
    rows = [row for version in VERSIONS for theme in themes(version) for row in cases(version, theme)]
    covered = [row for row in rows if not set(row["uses"]) & set(GAPS)]
    sizes = {f"{n:,} {of}" for some in (rows, covered) for n, of in [(len(some), "cases"), (pods_of(some), "pods")]}
    for document in ("README.md", "CHANGELOG.md", "docs/conformance.md"):
        text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
        assert set(re.findall(r"\d+,\d+ (?:cases|pods)", text)) <= sizes, document
        assert f"{len(covered):,} cases" in text, document


def pods_of(rows: list[dict[str, Any]]) -> int:
    return sum(len(row["expected"].get("pods") or []) for row in rows)


def update() -> None:
    """Write down what the examples print now."""
    home = Path(os.environ.get("TMPDIR", "/tmp"))
    for document in documents():
        text = document.read_text(encoding="utf-8")
        document.write_text(EXAMPLE.sub(lambda found: f"```console\n{run(found[1], home)}```", text), encoding="utf-8")


if __name__ == "__main__":
    update()
