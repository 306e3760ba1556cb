"""Command lines in the indented blocks of the documents: each is run, or says that it needs a cluster.

Blocks of kind ``console`` are run by tests/test_readme.py with what they print; these are told without their
output, so they are run in a folder that has the files they name, over the demo's cluster and some pods of their own.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write
from tests.cli.test_examples import APP
from tests.test_docs import ROOT, told

CONFIG = "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\n"
BATCH = "profiles: [{schedulerName: batch-scheduler}]\n"

NEEDS_A_CLUSTER = {
    "kplan snapshot cluster.json.gz": "reads one",
    "kplan snapshot ci/cluster.json.gz": "reads one",
    "kplan snapshot cluster.json.gz --follow": "watches one",
    "kplan snapshot --every 1h --keep 48 /var/lib/kplan": "reads one, every hour",
    "kplan snapshot away.json.gz --redact --redact-map home.json": "reads one",
    "kplan bind --plan plan.json --apply": "writes to one",
    "kplan bind --resume kplan-bind-20260102-031402-1f0c9a7e.jsonl": "goes on with a run on one",
}
"""What cannot be run here, and why; tests/live and tests/cli/test_snapshot_command.py run such lines on servers."""
NEEDS_MORE = {"kplan sweep --fail-each node --dask ADDRESS --snapshot cluster.json.gz --results r.jsonl": "a scheduler"}
"""ADDRESS stands for a Dask scheduler's: tests/sweep_dask runs the same line on one."""

ALSO = {
    "kplan bind": ["--snapshot", "cluster.json.gz"],  # a snapshot has to be named to it, as it writes to clusters
    "kplan config batch-scheduler": ["--config", "sched.yaml"],  # the cluster of the text has the profile
    "kplan explain pod web-0 --call-extenders": ["--as-scheduler", "batch-scheduler"],
}
"""What a line is given besides: here, too, it reads a file where it is told for a cluster."""

LINES = list(dict.fromkeys(line for _, line in told()))
RUN = [line for line in LINES if line not in {**NEEDS_A_CLUSTER, **NEEDS_MORE}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the lines name."""
    for name in ("deploy", "ci"):
        (tmp_path / name).mkdir()
    for name in ("deploy/app.yaml", "old.yaml", "new.yaml"):
        (tmp_path / name).write_text(APP)
    (tmp_path / "sched.yaml").write_text(CONFIG.format("v1") + BATCH)
    (tmp_path / "ci" / "policy.yaml").write_text("headroom: 1%\n")
    (tmp_path / "cluster").mkdir()
    shutil.copy(ROOT / "kplan" / "data" / "demo.yaml", tmp_path / "cluster" / "demo.yaml")
    small = pod("small", "500m", "ml", on="ml-1")  # has to move, or the trainer fits nowhere
    pods = [pod("trainer-0", "4", "ml"), pod("web-0", "1"), pod("load", "1", "batch"), small]
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("batch", "ml")]
    write(tmp_path / "cluster", node("ml-1"), *(owned(one, "ReplicaSet", "s") for one in pods), *spaces)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    for name in ("cluster.json.gz", "ci/cluster.json.gz"):
        assert main(["snapshot", name, "--snapshot", "cluster"]) == 0
    return tmp_path


def given(line: str) -> tuple[list[str], str]:
    """The words of a line after ``kplan``, and the file that its output goes to; empty for none."""
    command, _, file = line.partition(" > ")
    also = next((words for start, words in ALSO.items() if line.startswith(start) and line in RUN), [])
    return [*command.split()[1:], *also], file.strip()


@pytest.mark.parametrize("line", RUN)
def test_a_line_of_the_documents_can_be_run(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KPLAN_SNAPSHOT", "cluster.json.gz")
    if line.startswith("kplan config migrate"):
        (folder / "old.yaml").write_text(CONFIG.format("v1beta3"))
    for before in [other for other in RUN if re.search(rf"(-o json=|--save )({wanted(line)})$", other)]:
        main(given(before)[0])  # a line further up writes the file that this one reads
    capsys.readouterr()
    words, file = given(line)
    code = main(words)
    out, err = capsys.readouterr()
    assert code in (0, 1, 3, 4), err
    assert "kplan: error" not in err
    assert out or any((folder / name).exists() for name in re.findall(r"[\w./-]+\.json", line))
    if file.endswith(".yaml"):
        assert out.startswith(("#", "apiVersion:"))


def wanted(line: str) -> str:
    """Files that a line reads and another writes, as alternatives of a pattern."""
    names = re.findall(r"--(?:baseline|scenario) (\S+)", line)
    return "|".join(map(re.escape, names)) or "(?!)"


@pytest.mark.parametrize("line", NEEDS_A_CLUSTER)
def test_a_line_that_needs_a_cluster_says_so(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert line in LINES
    if "--plan" in line:
        make_plan(folder)
    if "--resume" in line:
        start = {"at": "", "kind": "start", "version": 1, "run": "r", "plan": make_plan(folder), "options": {}}
        Path(line.split()[-1]).write_text(json.dumps(start) + "\n")
    capsys.readouterr()
    words, _ = given(line)
    assert main([*words, "--kubeconfig", str(folder / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err.splitlines()[0]


def make_plan(folder: Path) -> object:
    assert main(["bind", "-n", "batch", "--save-plan", "plan.json", "--snapshot", "cluster.json.gz"]) in (0, 1, 4)
    return json.loads((folder / "plan.json").read_text())


def test_nothing_is_excused_that_is_not_told() -> None:
    assert set(NEEDS_MORE) <= set(LINES)
    assert len(RUN) >= 15
