"""``kplan bind`` from the command line, without a cluster: targets, sources, files and refusals."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kplan.bind.plan.file import load_plan, save_plan
from kplan.cli.main import main
from kplan.errors import UsageError
from kplan.render.data import json_schema
from tests.cli.snapshots import node, pod, write


@pytest.fixture(autouse=True)
def no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment names a source."""
    for name in ("KUBECONFIG", "KPLAN_SNAPSHOT", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    system: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "kube-system", "uid": "u-1"},
    }
    return write(tmp_path, node("n-1"), pod("a", schedulerName="kplan"), system)


REFUSED = {
    "no target": ([], "bind needs a target"),
    "two targets": (["a", "--plan", "p.json"], "bind takes one target"),
    "a snapshot cannot be written to": (["a", "--snapshot", "s", "--apply"], "a snapshot can be shown, not written to"),
    "a snapshot cannot be resumed": (["--resume", "j", "--snapshot", "s"], "a snapshot can be shown, not written to"),
    "a snapshot has no server to ask": (
        ["a", "--snapshot", "s", "--server-dry-run"], "--server-dry-run asks a server, and a snapshot has none",
    ),
    "labels of named pods": (["a", "-l", "app=web"], "-l chooses among the pods of namespaces, not among named ones"),
    "labels of manifests": (["-f", "x.yaml", "-l", "app=web"], "-l chooses among the pods of namespaces"),
    "a resumed run has its plan": (["--resume", "j", "--replan"], "--replan has no effect on a resumed run"),
    "and as many pods as that has": (["--resume", "j", "--max-pods", "1"], "--max-pods has no effect on a resumed run"),
    "a format that it has not": (["-A", "--apply", "-o", "name"], "-o name: bind has no such format"),
    "a file for which there is no folder": (
        ["-A", "--apply", "-o", "json=/none/x.json"], "/none/x.json: cannot be written: no folder to write to",
    ),
    "a file and a cluster": (
        ["a", "--snapshot", "s", "--context", "c"],
        "--snapshot names a file, and --context a cluster",
    ),
    "a choice that is none": (["a", "--pdb", "ignore"], "--pdb ignore: no such choice"),
    "a plan that is not there": (["--plan", "none.json"], "none.json: cannot be read: No such file or directory"),
    "a journal that is not there": (["--resume", "none"], "none: cannot be read: No such file or directory"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_with_words_and_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bind", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert " ".join(err.split()).startswith(f"kplan: error: {message}")


def test_the_variable_for_snapshots_does_not_count(
    snapshot: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KPLAN_SNAPSHOT", snapshot)
    assert main(["bind", "-A"]) == 2
    assert capsys.readouterr().err.startswith("kplan: error: no cluster to read")


def test_a_snapshot_that_is_spelled_out_is_shown_and_saved(
    snapshot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    assert main(["bind", "-A", "--snapshot", snapshot, "--save-plan", str(plan)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("READY    1 of 1 pod would be bound; nothing was written\nTry      kplan bind --plan")
    document = json.loads(plan.read_text())
    assert document["kind"] == "BindPlan"
    assert document["cluster"]["uid"] == "u-1"
    assert plan.stat().st_mode & 0o077 == 0


def test_what_is_saved_is_what_json_shows(snapshot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.json"
    assert main(["bind", "a", "--snapshot", snapshot, "--save-plan", str(plan), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(plan.read_text())


def test_a_plan_comes_back_from_its_file_and_keeps_to_its_schema(snapshot: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert main(["bind", "a", "--snapshot", snapshot, "--save-plan", str(plan), "-q"]) == 0
    loaded = load_plan(str(plan))
    assert [(one.pod, one.node, one.result) for one in loaded.pods] == [("default/a", "n-1", "bind")]
    save_plan(loaded, str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == plan.read_bytes()
    jsonschema.validate(json.loads(plan.read_text()), json.loads(json_schema("BindPlan")))


def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"kind": "List"}')
    assert main(["bind", "--plan", str(path)]) == 2
    assert "not a plan of kplan bind" in " ".join(capsys.readouterr().err.split())


def test_pods_that_do_not_fit_count_as_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1", cpu="1"), pod("a", cpu="2", schedulerName="kplan"))
    assert main(["bind", "-A", "--snapshot", path]) == 1
    assert capsys.readouterr().out.startswith(
        "NOTHING  0 of 1 pod would be bound; nothing was written\nBecause  default/a: "
    )


def test_a_namespace_that_is_mistyped_does_not_pass_for_an_empty_one(
    snapshot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bind", "-n", "defualt", "--snapshot", snapshot]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("NOTHING no pod waits there; nothing was written ")
    assert " Note there is no namespace defualt " in out
    assert main(["bind", "-n", "kube-system", "--snapshot", snapshot]) == 0
    assert "there is no namespace" not in " ".join(capsys.readouterr().out.split())


def test_rights_are_printed_without_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bind", "--print-rbac", "--preempt"]) == 0
    assert "resources: [pods/eviction]\n    verbs: [create]" in capsys.readouterr().out


def test_both_documents_have_their_schema(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("BindPlan", "BindResult"):
        assert main(["schema", kind]) == 0
        assert json.loads(capsys.readouterr().out)["$defs"][kind]["properties"]["kind"]


SECRETS = """
apiVersion: v1
kind: Secret
metadata: {name: s, annotations: {note: hidden-1}}
stringData: {password: hidden-2}
data: {key: aGlkZGVuLTM=}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec:
  schedulerName: kplan
  containers:
  - name: c
    image: i
    args: [hidden-4]
    env: [{name: TOKEN, value: hidden-5}]
    livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: a, value: hidden-6}]}}
"""


def test_no_secret_of_a_manifest_is_in_what_is_told_or_saved(
    tmp_path: Path, snapshot: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("app.yaml").write_text(SECRETS)
    words = ["bind", "-f", "app.yaml", "--create", "--snapshot", snapshot, "--save-plan", "plan.json"]
    words += [
        word for name in ("html", "json", "yaml", "markdown", "text", "wide") for word in ("-o", f"{name}=r.{name}")
    ]
    assert main([*words, "-o", "text"]) == 0
    out, err = capsys.readouterr()
    told = out + err + "".join(path.read_text() for path in (*tmp_path.glob("r.*"), tmp_path / "plan.json"))
    assert "default/bare" in told
    assert "hidden-" not in told
    assert "aGlkZGVu" not in told
    assert load_plan("plan.json").totals.objects == 1
    with pytest.raises(UsageError, match=r"r\.json: a plan to look at: the objects that it creates were left out"):
        load_plan("r.json")
