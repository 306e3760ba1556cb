"""What newcomers tripped over: a namespace that is not there, copies of YAML, misspelt amounts, nodes kept for some."""

import json
from pathlib import Path

import pytest

import kplan
from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write


def cluster(tmp_path: Path, *objects: dict[str, object]) -> str:
    return write(tmp_path, node("a"), pod("runs", "1", "shop", on="a"), *objects)


def namespace(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def test_a_namespace_that_is_not_there_fits_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = cluster(tmp_path, namespace("shop"), namespace("ops"))
    assert main(["explain", "pod", "-n", "shpo", "--exit-code", "--snapshot", source]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "kplan: error: no namespace shpo",
        "hint: did you mean shop?",
    ]


def test_where_nothing_waits_nothing_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = cluster(tmp_path, namespace("shop"))
    assert main(["explain", "pod", "-n", "shop", "-q", "--exit-code", "--snapshot", source]) == 0
    assert capsys.readouterr().out == "NOTHING  no pod waits\n"


def test_nodes_of_one_uid_are_nodes_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies = [{**node(name), "metadata": {"name": name, "uid": "copied"}} for name in ("b", "c")]
    assert main(["nodes", "-q", "--snapshot", cluster(tmp_path, *copies)]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == ("NODES    3 nodes, all take pods; 1 pod on them", "")


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        pytest.param("cpu=4,mem=64Gi", "mem is not a resource", "memory=64Gi", id="another word"),
        pytest.param("cpu=4,memroy=64Gi", "memroy is not a resource", "memory=64Gi", id="a slip"),
        pytest.param("cpu=4,memory=8Gi,gpu=2", "gpu is not a resource", "nvidia.com/gpu=2", id="an extended one"),
    ],
)
def test_an_amount_is_no_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str, hint: str
) -> None:
    assert main(["simulate", "--add-node", text, "--snapshot", cluster(tmp_path)]) == 2
    assert capsys.readouterr().err == f"kplan: error: --add-node {text}: {problem}\nhint: {hint}\n"


def test_a_control_plane_is_no_room_for_pods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    source = cluster(tmp_path, node("control", taints=[taint]))
    assert main(["nodes", "-q", "--snapshot", source]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "NODES    2 nodes, 1 takes pods (1 control plane); 1 pod on them"


def test_a_tainted_node_is_room_for_some_pods_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taint = {"key": "dedicated", "value": "infra", "effect": "NoSchedule"}
    source = cluster(tmp_path, node("infra", cpu="64", taints=[taint]))
    assert main(["nodes", "--snapshot", source]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "NODES    2 nodes, 1 takes any pod (1 tainted); 1 pod on them"
    assert lines[1].endswith("at most 64 in one piece (infra, tainted)")
    assert "Slot     most room for one pod: a, 3 cpu, 16Gi memory" in lines


@pytest.mark.parametrize(("share", "code"), [("20%", 0), ("30%", 1)])
def test_a_tainted_node_is_no_headroom_of_the_cluster(tmp_path: Path, share: str, code: int) -> None:
    taint = {"key": "dedicated", "value": "infra", "effect": "NoSchedule"}
    source = cluster(tmp_path, node("infra", cpu="64", taints=[taint]))
    new = pod("new", cpu="2")
    new["spec"]["containers"][0]["image"] = "example.invalid/new:1"
    (tmp_path / "new.json").write_text(json.dumps(new))
    assert main(["check", str(tmp_path / "new.json"), "--headroom", share, "--snapshot", source]) == code


def test_the_version_of_the_rules_is_not_said_to_be_the_recorded_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nodes", "--k8s-version", "v1.7.2", "--snapshot", cluster(tmp_path)]) == 0
    told = " ".join(capsys.readouterr().out.split("From")[1].split())
    assert told.endswith("rules of 1.34 (v1.7.2, as asked, is not modelled)")


@pytest.mark.parametrize(
    ("api", "kind"),
    [("external-secrets.io/v1", "ExternalSecret"), ("networking.istio.io/v1", "VirtualService")],
)
def test_a_custom_resource_that_makes_no_pods_is_no_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], api: str, kind: str
) -> None:
    (tmp_path / "custom.yaml").write_text(f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: x}}\n")
    assert main(["check", str(tmp_path / "custom.yaml"), "-q", "--snapshot", cluster(tmp_path)]) == 0
    assert capsys.readouterr().out == "PASSES   the manifests bring nothing that runs\n"


@pytest.mark.parametrize(
    ("api", "kind", "about"),
    [
        ("external-secrets.io/v1", "ExternalSecret", "secrets from elsewhere"),
        ("networking.istio.io/v1", "VirtualService", "routes for traffic"),
        ("monitoring.coreos.com/v1", "ServiceMonitor", "what is measured"),
    ],
)
def test_strict_kinds_trusts_no_custom_resource(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], api: str, kind: str, about: str
) -> None:
    (tmp_path / "custom.yaml").write_text(f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: x}}\n")
    words = ["check", str(tmp_path / "custom.yaml"), "--strict-kinds", "-o", "json", "--snapshot", cluster(tmp_path)]
    assert main(words) == 4
    text = f"{kind} default/x is assumed to make no pods: it is about {about} (--strict-kinds)"
    assert {"code": "not-expanded", "text": text} in json.loads(capsys.readouterr().out)["doubts"]


def test_what_is_not_known_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "custom.yaml").write_text("apiVersion: a.example/v1\nkind: Thing\nmetadata: {name: x}\n")
    assert main(["check", str(tmp_path / "custom.yaml"), "--snapshot", cluster(tmp_path)]) == 4
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("kplan does not know what a.example/v1 Thing makes") == 1
    assert "Thing default/x not expanded what it makes is unknown" in told


@pytest.mark.parametrize(
    ("amounts", "warned"),
    [
        (
            "requests: {memory: 512m}",
            ["memory 512m of container c is not a whole number of bytes: did you mean 512Mi?"],
        ),
        ("limits: {memory: '0.5'}", ["memory 500m of container c is not a whole number of bytes: did you mean 500Mi?"]),
        ("requests: {memory: 512000m}", []),
        ("requests: {cpu: 512m}", []),
    ],
)
def test_millibytes_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], amounts: str, warned: list[str]
) -> None:
    (tmp_path / "p.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
        f"spec: {{containers: [{{name: c, image: x, resources: {{{amounts}}}}}]}}\n"
    )
    assert main(["simulate", str(tmp_path / "p.yaml"), "-o", "json", "--snapshot", cluster(tmp_path)]) == 0
    careful = json.loads(capsys.readouterr().out).get("careful", [])
    assert [text for text in careful if "whole" in text] == [f"pod/default/p: {text}" for text in warned]


def test_a_manifest_with_a_node_is_multiplied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "both.yaml").write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: new}\n"
        "status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n"
        "spec: {replicas: 1, selector: {matchLabels: {a: w}}, template: {metadata: {labels: {a: w}},"
        " spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}}\n"
    )
    assert main(["capacity", str(tmp_path / "both.yaml"), "-q", "--snapshot", cluster(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("FITS     default/w: 7 more replicas fit")


@pytest.mark.parametrize(
    ("words", "usage"),
    [(["help"], "Usage: kplan [OPTIONS]"), (["help", "drain"], "Usage: kplan drain [OPTIONS]")],
)
def test_help_is_a_command(capsys: pytest.CaptureFixture[str], words: list[str], usage: str) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out.startswith(usage)


def test_python_explains_one_pod_by_its_name() -> None:
    state = kplan.load("kplan/data/demo.yaml")
    assert [outcome.pod for outcome in kplan.explain(state, "shop/db-2")] == ["shop/db-2"]


def test_python_tells_a_gated_pod_apart() -> None:
    state = kplan.load("kplan/data/demo.yaml")
    assert [outcome.pod for outcome in kplan.explain(state) if outcome.gated] == ["ops/audit-0"]


SEVEN = "".join(
    f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{number}}}\n"
    f"spec: {{selector: {{matchLabels: {{a: w{number}}}}}, template: {{metadata: {{labels: {{a: w{number}}}}},"
    " spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: x}]}}}\n---\n"
    f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    f"metadata: {{name: t{number}.a.example}}\n---\n"
    for number in range(7)
)


def test_one_cause_is_one_finding_with_seven_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seven.yaml").write_text(SEVEN)
    assert main(["check", "seven.yaml", "--snapshot", cluster(tmp_path)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    places = ", ".join(f"deploy/default/web{number} (line {9 * number + 4})" for number in range(1, 7))
    assert told.count("nodeSelector disk=ssd: no node has that") == 1
    assert f"no node has that (seven.yaml:4) likewise {places} Try" in told
    assert told.count("makes no pods") == 1
    assert "ok 7 CustomResourceDefinitions not a expanded CustomResourceDefinition makes no pods" in told


def test_one_cause_is_one_annotation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seven.yaml").write_text(SEVEN)
    assert main(["check", "seven.yaml", "-o", "github", "--snapshot", cluster(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert "%0Alikewise deploy/default/web1 (line 13), " in lines[0]


def test_folds_name_their_pods_and_how_long_they_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big = [pod(f"big-{number}", cpu="99") for number in range(5)]
    for number, item in enumerate(big):
        item["metadata"]["creationTimestamp"] = f"2026-01-0{number + 1}T00:00:00Z"
    path = tmp_path / "taken.json"
    listed = {"apiVersion": "v1", "kind": "List", "items": [node("a"), *big]}
    listed["metadata"] = {"annotations": {"kplan.dev/taken": "2026-01-03T04:00:00Z"}}
    path.write_text(json.dumps(listed))
    main(["explain", "pod", "-A", "--snapshot", str(path)])
    told = " ".join(capsys.readouterr().out.split())
    assert "default/big-0, default/big-1, default/big-2, +2 AGE 2d4h" in told


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gitlab", "hint: Gitlab reads -o codeclimate of kplan check (docs/ci.md)"),
        ("jenkins", "hint: Jenkins reads -o junit of kplan check (docs/ci.md)"),
    ],
)
def test_a_format_of_a_server_is_named(capsys: pytest.CaptureFixture[str], name: str, hint: str) -> None:
    assert main(["check", "x.yaml", "-o", name, "--snapshot", "kplan/data/demo.yaml"]) == 2
    assert capsys.readouterr().err.splitlines() == [f"kplan: error: -o {name}: no such format", hint]


def test_two_rules_are_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    container = {"name": "c", "image": "example.invalid/new:1", "resources": {"requests": {"cpu": "1500m"}}}
    template = {"metadata": {"labels": {"a": "w"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"a": "w"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": spec}
    (tmp_path / "new.json").write_text(json.dumps(deployment))
    words = ["check", str(tmp_path / "new.json"), "--headroom", "90%", "--survive", "node", "-q"]
    web = owned(pod("web-1", cpu="3", on="a"), "ReplicaSet", "web")
    assert main([*words, "--snapshot", write(tmp_path, node("a", cpu="6"), node("b", cpu="4"), web)]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "FAILS    1 object passes, but headroom and survive-node are broken"


def test_the_cause_is_that_of_the_manifests_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = pod("new", cpu="5")
    new["spec"]["containers"][0]["image"] = "example.invalid/new:1"
    (tmp_path / "new.json").write_text(json.dumps(new))
    source = cluster(tmp_path, pod("waits", cpu="9"))
    assert main(["simulate", str(tmp_path / "new.json"), "-o", "json", "--snapshot", source]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["because"]["text"] == "cpu: it wants 5, the largest node has 4 in all"
    assert [(cause["count"], cause.get("waiting", 0)) for cause in answer["causes"]] == [(1, 0), (1, 1)]


@pytest.mark.parametrize("name", ["kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch"])
def test_nodes_of_the_demo_have_the_labels_that_every_kubelet_sets(name: str) -> None:
    """Charts select by them: without ``kubernetes.io/os`` none of kube-prometheus' pods fits anywhere."""
    nodes = kplan.load("kplan/data/demo.yaml").nodes
    assert len(nodes) == 6
    assert all((node.metadata.labels or {}).get(name) for node in nodes)
