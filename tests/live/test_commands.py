"""The commands on a real API server: the same answers as from files, and where they are from."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.objects.kinds import KINDS
from kplan.sources.live.lists import path_of
from tests.live.conftest import pod
from tests.live.controlplane import ControlPlane

DEFAULTS = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
WITHOUT_NODE_AFFINITY = f"{DEFAULTS}profiles: [{{plugins: {{multiPoint: {{disabled: [{{name: NodeAffinity}}]}}}}}}]\n"
REFUSED = f"{DEFAULTS}parallelism: -1\n"
CONFIG_MAPS = "/api/v1/namespaces/kube-system/configmaps"


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    code = main(words)
    out, err = capsys.readouterr()
    assert code == (1 if words[0] == "simulate" else 0), err
    return out


def lists(server: ControlPlane, folder: Path) -> Path:
    """Write what ``kubectl get KIND -A -o json`` writes, a file for each kind."""
    folder.mkdir()
    for kind in KINDS:
        status, listing = server.request("GET", path_of(kind))
        if status == 404:
            continue
        items = [{"apiVersion": listing["apiVersion"], "kind": kind.name, **item} for item in listing["items"]]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        (folder / f"{kind.plural}.json").write_text(text)
    return folder


def plan_of(text: str) -> dict[str, Any]:
    """What an answer says, apart from where the state is from."""
    document = json.loads(re.sub(r" --(kubeconfig|context)[ =][^\s\"\\]+", "", text))  # commands aim at the cluster
    assert document["from"].pop("source")
    for name in ("via", "taken", "age", "how"):
        document["from"].pop(name, None)
    for fold in document.get("folds", ()):
        fold.pop("waitsSeconds", None)  # a snapshot is read later than it was taken
    return document


ASKED = {
    "every pod that waits": ["explain", "pod", "-A"],
    "one pod": ["explain", "pod", "new-1", "--victims", "all", "--scores", "all"],
    "the queue": ["simulate"],
}


@pytest.mark.parametrize("case", ASKED)
def test_a_live_read_a_snapshot_and_lists_give_the_same_plan(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(DEFAULTS)
    rules = ["--config", str(config), "--k8s-version", "1.37.2", "-o", "json"]
    live = ["--kubeconfig", str(server.kubeconfig)]
    told(["snapshot", str(tmp_path / "s.json.gz"), *live], capsys)
    answers = [
        told([*ASKED[case], *source, *rules], capsys)
        for source in (
            live,
            ["--snapshot", str(tmp_path / "s.json.gz")],
            ["--snapshot", str(lists(server, tmp_path / "lists"))],
        )
    ]
    first, *others = [json.dumps(plan_of(answer), indent=1) for answer in answers]
    assert len(first) > 1000
    assert others == [first, first]


@pytest.mark.parametrize("case", ASKED)
def test_a_snapshot_carries_version_and_doubts_of_the_live_read(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    live = ["--kubeconfig", str(server.kubeconfig)]
    told(["snapshot", str(tmp_path / "s.json"), *live], capsys)
    first = plan_of(told([*ASKED[case], *live, "-o", "json"], capsys))
    assert first == plan_of(told([*ASKED[case], "--snapshot", str(tmp_path / "s.json"), "-o", "json"], capsys))
    doubts = [doubt["code"] for one in (first, *first.get("answers", ())) for doubt in one.get("doubts", ())]
    assert "scheduler-config-assumed" in doubts
    assert first["from"]["k8sVersion"] == "1.37.2"


def test_it_says_which_cluster_and_when_it_was_read(server: ControlPlane, capsys: pytest.CaptureFixture[str]) -> None:
    source = ["--kubeconfig", str(server.kubeconfig)]
    text = " ".join(told(["explain", "pod", "new-2", *source], capsys).split())
    found = re.search(r"From (.*)$", text)
    assert found
    assert re.fullmatch(
        r"admin \(current context\), read \d+ s ago, 6 nodes, 10 pods; rules of 1\.37\.2 \(as the server says\)",
        found[1],
    )
    named = " ".join(told(["explain", "pod", "new-2", *source, "--context", "admin"], capsys).split())
    assert re.search(r"From admin, read \d+ s ago, 6 nodes", named)


def test_nothing_is_said_on_standard_error_when_all_is_well(
    server: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "pod", "new-2", "--kubeconfig", str(server.kubeconfig)]) == 0
    assert capsys.readouterr().err == ""


@contextmanager
def config_map(server: ControlPlane, text: str) -> Iterator[None]:
    server.post(CONFIG_MAPS, {"metadata": {"name": "kube-scheduler-config"}, "data": {"config.yaml": text}})
    try:
        yield
    finally:
        server.delete(f"{CONFIG_MAPS}/kube-scheduler-config")


def test_the_configuration_of_the_live_scheduler_decides(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = ["--kubeconfig", str(server.kubeconfig)]
    ask = ["explain", "pod", "new-3", "-q"]
    assert told([*ask, *live], capsys).startswith("PENDING? default/new-3 fits 0 of 6 nodes\nDoubt ")
    with config_map(server, WITHOUT_NODE_AFFINITY):
        found = told([*ask, *live], capsys)
        assert re.match(r"FITS default/new-3 goes to .* \(5 of 6 nodes fit\)", " ".join(found.split()))
        told(["snapshot", str(tmp_path / "s.json"), *live], capsys)
        assert told([*ask, "--snapshot", str(tmp_path / "s.json")], capsys) == found
        default = tmp_path / "default.yaml"
        default.write_text(DEFAULTS)
        assert told([*ask, *live, "--config", str(default)], capsys).startswith("PENDING  default/new-3 fits 0 of 6")


def test_a_config_map_of_a_live_cluster_may_be_named(server: ControlPlane, capsys: pytest.CaptureFixture[str]) -> None:
    """One of another name than the usual ones, which is read for this command alone."""
    maps = "/api/v1/namespaces/default/configmaps"
    ask = ["explain", "pod", "new-3", "-o", "json", "--kubeconfig", str(server.kubeconfig)]
    server.post(maps, {"metadata": {"name": "nightly"}, "data": {"sched.yaml": WITHOUT_NODE_AFFINITY}})
    try:
        found = json.loads(told([*ask, "--config", "configmap/default/nightly"], capsys))
    finally:
        server.delete(f"{maps}/nightly")
    assert (found["verdict"], found["from"]["configuration"]) == ("FITS", "ConfigMap default/nightly")
    assert not found.get("doubts")
    assert main([*ask, "--config", "configmap/default/nightly"]) == 2
    assert "ConfigMap default/nightly with a scheduler's configuration: not found" in capsys.readouterr().err


def test_a_configuration_that_is_refused_is_a_doubt_and_no_failure(
    server: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    with config_map(server, REFUSED):
        text = told(["explain", "pod", "new-3", "-o", "json", "--kubeconfig", str(server.kubeconfig)], capsys)
    (doubt,) = json.loads(text)["doubts"]
    assert doubt["code"] == "scheduler-config-assumed"
    assert doubt["text"].startswith("what ConfigMap kube-system/kube-scheduler-config says of the scheduler is refused")
    assert doubt["text"].endswith("the defaults are assumed (--config FILE names it)")


@contextmanager
def static_pod(server: ControlPlane, *arguments: str) -> Iterator[None]:
    path = "/api/v1/namespaces/kube-system/pods"
    static = pod("kube-scheduler-node-0", nodeName="node-0")
    static["metadata"]["labels"] = {"component": "kube-scheduler"}
    static["spec"]["containers"][0]["command"] = ["kube-scheduler", *arguments]
    server.post(path, static)
    try:
        yield
    finally:
        server.delete(f"{path}/kube-scheduler-node-0", {"gracePeriodSeconds": 0})


@pytest.mark.parametrize(
    ("arguments", "doubt"),
    [
        pytest.param((), "", id="defaults are known to hold where the scheduler has no --config"),
        pytest.param(("--feature-gates=SchedulerAsyncPreemption=false",), "", id="its feature gates are taken"),
        pytest.param(
            ("--feature-gates=NoSuchGate=true",),
            "set feature gates that these rules do not know: NoSuchGate",
            id="a gate that nobody knows",
        ),
    ],
)
def test_the_arguments_of_the_live_scheduler_decide(
    server: ControlPlane, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], doubt: str
) -> None:
    ask = ["explain", "pod", "new-2", "-o", "json", "--kubeconfig", str(server.kubeconfig)]
    with static_pod(server, *arguments):
        doubts = json.loads(told(ask, capsys)).get("doubts", [])
        refused = main([*ask, "--feature-gates", "NoSuchGate=true"])
    assert [doubt in one["text"] for one in doubts] == ([True] if doubt else [])
    assert refused == 2


def test_a_file_beside_a_cluster_is_refused(
    server: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KPLAN_SNAPSHOT", str(tmp_path / "s.json"))
    for words in (["explain", "pod", "-A"], ["simulate"]):
        assert main([*words, "--context", "admin"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("kplan: error: KPLAN_SNAPSHOT names a file, and --context a cluster\nhint: ")


def test_who_may_not_read_volume_limits_is_told_where_it_matters(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.live.test_reading import Ungranted, shipped, without

    rights = Ungranted(server)
    rights.grant(without(shipped()[0], "csinodes"))
    source = ["--kubeconfig", str(server.kubeconfig), "--context", "viewer"]
    try:
        with_claim = json.loads(told(["explain", "pod", "new-2", *source, "-o", "json"], capsys))
        without_claim = json.loads(told(["explain", "pod", "new-3", *source, "-o", "json"], capsys))
        told(["snapshot", str(tmp_path / "s.json"), *source], capsys)
    finally:
        rights.take_away()
    codes = [doubt["code"] for doubt in with_claim["doubts"]]
    assert codes == ["scheduler-config-assumed", "no-csinodes"]
    assert with_claim["doubts"][1]["text"] == (
        "no access to csinodes: volume limits of nodes are unknown and count as none"
    )
    assert [doubt["code"] for doubt in without_claim["doubts"]] == ["scheduler-config-assumed"]
    again = json.loads(told(["explain", "pod", "new-2", "--snapshot", str(tmp_path / "s.json"), "-o", "json"], capsys))
    assert again["doubts"] == with_claim["doubts"]
