"""The net itself: the same call twice gives the same bytes, and a changed byte is found."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.record import compare

ROOT = Path(__file__).parents[2]
TWO = "^examples/demo/(explain_pod_-A|drain_infra-1)$"


def recorded(to: Path, *more: str) -> Path:
    """Record two calls in a process of its own, as the recorder stops the clock."""
    argv = [sys.executable, "-m", "tests.record", str(to), "--only", TWO, *more]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 calls of 1 groups recorded")
    return to


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("record") / "a")


def test_a_record_says_how_the_call_ended_and_all_that_it_wrote(record: Path) -> None:
    text = (record / "examples" / "demo" / "drain_infra-1.txt").read_text()
    lines = text.splitlines()
    assert lines[:3] == [
        "$ kplan drain infra-1 -o text -o json=out/answer.json --snapshot demo.yaml",
        "exit 0",
        "--- stdout",
    ]
    assert lines[3].startswith("FITS ")
    assert lines[lines.index("--- out/answer.json") + 1 :][:3] == [
        "{",
        '  "apiVersion": "kplan.dev/v1",',
        '  "kind": "DrainPlan",',
    ]


def test_two_records_are_equal_whatever_the_seed_of_hashes(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = recorded(tmp_path / "b", "--hash-seed", "7", "-j", "2")
    assert compare.main([str(record), str(again)]) == 0
    assert capsys.readouterr().out == "2 calls: 0 differ\n"


def made(folder: Path, **texts: str) -> str:
    """A record by hand."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return str(folder)


def test_calls_that_differ_alike_are_told_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = made(tmp_path / "a", one="x\nold\n", two="y\nold\n", three="z\n", gone="")
    b = made(tmp_path / "b", one="x\nnew\n", two="y\nnew\n", three="z\n")
    assert compare.main([a, b]) == 1
    assert capsys.readouterr().out == (
        "1. 2 calls differ alike:\n   one.txt\n   two.txt\n"
        "--- A/one.txt\n+++ B/one.txt\n@@ -1,2 +1,2 @@\n x\n-old\n+new\n\n"
        "2. one call differs:\n   gone.txt\nonly in A\n\n"
        "3 calls: 3 differ\n"
    )
    assert compare.main([a, b, "--part", "-n", "0"]) == 1
    assert "2 differ" in capsys.readouterr().out


def test_one_byte_is_found_also_at_the_end_of_a_line(tmp_path: Path) -> None:
    a = made(tmp_path / "a", one="x \n")
    b = made(tmp_path / "b", one="x\n")
    c = made(tmp_path / "c", one="x")
    assert compare.main([a, b]) == 1
    assert compare.main([b, c]) == 1
    assert compare.main([a, a]) == 0


def test_a_line_is_one_wherever_it_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = made(tmp_path / "a", one="Doubt    one two\n         three\n", two="Pods     1\n         2\n")
    b = made(tmp_path / "b", one="Doubt    one new two\n         three\n", two="Pods     1 2\n")
    assert compare.main([a, b]) == 1
    assert "\n-Doubt    one two three\n+Doubt    one new two three\n" in (told := capsys.readouterr().out)
    assert "\n-Pods     1\n-         2\n+Pods     1 2\n" in told


def test_what_is_meant_is_no_difference_and_all_else_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = made(tmp_path / "a", one="x\nold\n", two="old\nmore\n")
    b = made(tmp_path / "b", one="x\nnew\n", two="new\nless\n")
    allow = tmp_path / "differences.md"
    allow.write_text("# Meant\n\n- `: -old$`: it was wrong\n- `^one.txt: [+]new$`: this is right\n")
    assert compare.main([a, b, "--allow", str(allow)]) == 1
    assert capsys.readouterr().out.endswith("2 calls: 1 differ, 1 more as is meant\n")
    allow.write_text(allow.read_text() + "- `^two.txt`: all of it\n")
    assert compare.main([a, b, "--allow", str(allow)]) == 0


def test_no_rule_for_words_lets_a_verdict_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = 'exit 0\nFITS     one\n  "result": "placed",\n'
    a = made(tmp_path / "a", flips=before, words=before, more=before)
    b = made(
        tmp_path / "b",
        flips='exit 1\nPENDING  none\n  "result": "pending",\n',
        words='exit 0\nFITS     the one\n  "result": "placed",\n',
        more=before + '  "result": "gated",\n',
    )
    allow = tmp_path / "differences.md"
    allow.write_text("# Meant\n\n- `: [+-]`: words\n")
    assert compare.main([a, b, "--allow", str(allow)]) == 1
    assert capsys.readouterr().out.endswith("3 calls: 1 differ, 2 more as is meant\n")
    flip = r"^flips.txt: -FITS -exit 0 -result placed \+PENDING \+exit 1 \+result pending \| .*\+PENDING  none"
    allow.write_text(f"# Meant\n\n## Verdicts\n\n- `{flip}`: it never fitted\n\n## Words\n\n- `: [+-]`: words\n")
    assert compare.main([a, b, "--allow", str(allow)]) == 0


def test_a_doubt_beside_a_verdict_is_another_verdict(tmp_path: Path) -> None:
    a = made(tmp_path / "a", one="### kplan: FAILS?, x\n", two="BLOCKED  x\n")
    b = made(tmp_path / "b", one="### kplan: IN DOUBT, else FAILS: x\n", two="BLOCKED? x\n")
    told = {each.path: each.verdict for each in compare.differences(Path(a), Path(b))}
    assert told == {"one.txt": "", "two.txt": "-BLOCKED +BLOCKED?"}
