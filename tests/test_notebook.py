"""Questions from Python answer as the commands do; every block of the documentation is run."""

import contextlib
import html
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kplan
from kplan.cli.main import main
from kplan.errors import SourceError, UsageError

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")


def test_every_block_of_the_page_prints_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for code, printed in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(code, names)
        assert said.getvalue() == printed


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    [code] = re.findall(r'```python title="test_manifests.py"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "test_manifests.py").write_text(code.replace('"fixtures', f'"{ROOT}/fixtures'))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--kplan-snapshot", DEMO, str(tmp_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, ".."), done.stdout + done.stderr


def test_modules_of_kplan_are_imported_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import kplan.words\ndef test_it(): assert 0, type(kplan.words.__loader__)\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert "_frozen_importlib_external.SourceFileLoader" in ran.stdout


def test_a_test_without_a_snapshot_says_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KPLAN_SNAPSHOT", raising=False)
    (tmp_path / "test_it.py").write_text("def test_it(kplan_plan):\n    kplan_plan('x.yaml')\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "no snapshot: --kplan-snapshot PATH" in done.stdout


def test_an_answer_prints_as_the_command_does(capsys: pytest.CaptureFixture[str]) -> None:
    answer = kplan.State(DEMO).drain("node-b")
    assert main(["drain", "node-b", "--snapshot", DEMO]) == answer.exit_code == 1
    assert f"{answer}\n" == capsys.readouterr().out


def test_a_notebook_shows_the_page() -> None:
    shown = kplan.State(DEMO).explain("shop/db-2")._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ')
    assert 'srcdoc="&lt;!doctype html&gt;' in shown
    assert shown.count("<") == 2


def test_a_notebook_shows_the_picture_of_the_command() -> None:
    shown = html.unescape(kplan.State(DEMO).drain("node-b")._repr_html_())
    assert '<figure class="picture"><svg class="wide"' in shown
    assert shown.index("Because") < shown.index("<figure") < shown.index("From</dt>")
    assert ">Pods along the evictions</text>" in shown


def test_options_are_those_of_the_command() -> None:
    state = kplan.State(DEMO)
    assert state.explain("shop/db-2", add_node="like=node-e,count=1").fits
    assert not state.explain("shop/db-2", cordon=None, strict=False).fits
    with pytest.raises(UsageError, match="no such option"):
        state.drain("node-b", no_such=True)


def test_no_pod_of_that_name_is_an_error_and_not_an_answer() -> None:
    with pytest.raises(UsageError, match="no pod"):
        kplan.State(DEMO).explain("shop/none")


@pytest.mark.parametrize(
    ("method", "words", "column"),
    [
        ("explain", ["shop/db-2"], "text"),
        ("explain", [], "pod"),
        ("explain_node", ["node-a"], "text"),
        ("simulate", [], "pod"),
        ("check", [str(ROOT / "fixtures" / "examples" / "checkout.yaml")], "object"),
        ("capacity", ["deploy/shop/web"], "workload"),
        ("drain", ["node-b"], "pod"),
        ("fail", ["node-b"], "pod"),
        ("moves", ["shop/db-2"], "pod"),
        ("pack", [], "node"),
        ("nodes", [], "node"),
    ],
)
def test_each_answer_is_a_table(method: str, words: list[str], column: str) -> None:
    rows = getattr(kplan.State(DEMO), method)(*words).table()
    assert rows
    assert all(row[column] for row in rows)


def test_another_list_of_a_document_is_a_table_by_its_name() -> None:
    answer = kplan.State(DEMO).pack()
    assert [row["pool"] for row in answer.table("pools")] == ["general", "infra"]
    with pytest.raises(UsageError, match="no list nothing"):
        answer.table("nothing")


def test_states_are_compared() -> None:
    state = kplan.State(DEMO)
    assert state.diff(state).verdict == "SAME"


def test_names_complete() -> None:
    assert {"State", "load", "explain"} <= set(dir(kplan))
    assert {"explain", "drain", "snapshot"} <= set(dir(kplan.State(DEMO)))


def test_a_file_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(SourceError, match=r"nope\.yaml: no such file or folder"):
        kplan.State("nope.yaml")


def test_an_option_of_one_letter_is_the_short_one() -> None:
    assert kplan.State(DEMO).explain("db-2", n="shop").verdict == "PENDING"
    assert not kplan.State(DEMO).explain("db-2", n=["shop"], q=True).fits


def test_what_is_read_and_answered_is_shown_in_a_line() -> None:
    state = kplan.load(DEMO)
    assert repr(state) == f"ClusterState(source={DEMO!r}, 6 nodes, 21 pods)"
    assert repr(kplan.explain(state, "shop/db-2")) == "(Outcome('shop/db-2', pending),)"
    told = [repr(outcome).partition(", ")[2] for outcome in kplan.explain(state)]
    assert told == ["preempts)", "fits)", "pending)", "pending)", "gated)"]
