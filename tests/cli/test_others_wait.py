"""``kplan simulate`` of manifests answers for these: pods that waited before are told, and do not make the verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write


def plan(capsys: pytest.CaptureFixture[str], folder: Path, manifest: list[dict[str, Any]], *flags: str) -> Any:
    path = folder / "new.yaml"
    for item in manifest:
        for container in item["spec"].get("containers", ()):
            container["image"] = "example.invalid/m:1"
    path.write_text(yaml.safe_dump_all(manifest))
    source = folder / "made-up.json"
    code = main(["simulate", str(path), "--snapshot", str(source), "-o", "json", *flags])
    answer = json.loads(capsys.readouterr().out)
    totals, because = answer["totals"], answer.get("because", {})
    return code, answer["verdict"], answer["sentence"], totals.get("waiting", 0), because.get("code")


def test_a_pod_that_is_placed_fits_though_others_wait(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path, node("a", cpu="4"), pod("too-big", cpu="9"), pod("larger", cpu="10"))
    sentence = "the pod is placed; 2 other pods find no node"
    assert plan(capsys, tmp_path, [pod("mine")]) == (0, "FITS", sentence, 2, None)


def test_what_is_missing_is_counted_for_the_manifests_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path, node("a", cpu="4"), pod("too-big", cpu="9"), pod("small"))
    mine = [pod("mine"), pod("greedy", cpu="3")]
    sentence = "1 of 2 pods is placed, 1 not, for 1 cause; 1 other pod finds no node"
    assert plan(capsys, tmp_path, mine) == (1, "PARTLY", sentence, 1, "insufficient-cpu")


def test_a_pod_that_left_for_the_manifests_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    low = owned(pod("low", cpu="3", on="a"), "StatefulSet", "low")
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    write(tmp_path, node("a", cpu="4"), low, pod("too-big", cpu="9"), high)
    code, verdict, sentence, waiting, _ = plan(capsys, tmp_path, [pod("mine", cpu="4", priorityClassName="high")])
    assert (code, verdict, waiting) == (1, "PARTLY", 1)
    assert sentence.endswith("; 1 other pod finds no node")


def test_a_pod_that_left_for_one_that_waited_does_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    low = owned(pod("low", cpu="3", on="a"), "StatefulSet", "low")
    write(tmp_path, node("a", cpu="4"), low, pod("urgent", cpu="3", priority=9))
    sentence = "the pod is placed; 1 other pod finds no node"
    assert plan(capsys, tmp_path, [pod("mine")]) == (0, "FITS", sentence, 1, None)


def test_a_what_if_answers_for_the_pods_that_it_makes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    web = owned(pod("web", cpu="3", on="a"), "ReplicaSet", "web")
    write(tmp_path, node("a", cpu="4"), node("b", cpu="2"), web, pod("too-big", cpu="9"))
    code, verdict, _, waiting, _ = plan(capsys, tmp_path, [pod("mine")], "--drain", "a")
    assert (code, verdict, waiting) == (1, "PARTLY", 1)


def test_where_manifests_bring_no_pods_those_that_wait_are_asked_about(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path, node("a", cpu="4"), pod("too-big", cpu="9"))
    code, verdict, _, waiting, _ = plan(capsys, tmp_path, [node("b", cpu="8")])
    assert (code, verdict, waiting) == (1, "BLOCKED", 0)


def test_what_others_would_need_is_not_the_first_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path, node("a", cpu="4"), pod("too-big", cpu="9"))
    plan(capsys, tmp_path, [pod("mine")])
    assert main(["simulate", str(tmp_path / "new.yaml"), "--snapshot", str(tmp_path / "made-up.json"), "-q"]) == 0
    assert capsys.readouterr().out == "FITS     the pod is placed; 1 other pod finds no node\n"


@pytest.mark.parametrize(
    ("step", "code", "verdict", "sentence"),
    [
        ("rs/web=2", 0, "FITS", "the new pod of rs/default/web is placed"),
        ("rs/web=3", 0, "FITS", "both new pods of rs/default/web are placed"),
        (
            "rs/web=6",
            1,
            "PARTLY",
            "3 of 5 new pods of rs/default/web are placed, 2 not, for 1 cause",
        ),
    ],
)
def test_scaling_is_answered_with_the_verdict(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, step: str, code: int, verdict: str, sentence: str
) -> None:
    source = write(tmp_path, node("a", cpu="4"), owned(pod("web-1", cpu="1", on="a"), "ReplicaSet", "web"))
    assert main(["simulate", "--scale", step, "--snapshot", source, "-o", "json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["sentence"]) == (verdict, sentence)
    assert main(["simulate", "--scale", step, "--snapshot", source]) == code
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith(("If", "Scaled"))).startswith(
        f"Scaled   {step.partition('=')[0]} scaled from 1 to {step[-1]}; "
    )


def test_scaling_before_another_what_if_is_one_of_the_steps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = write(tmp_path, node("a", cpu="4"), owned(pod("web-1", cpu="1", on="a"), "ReplicaSet", "web"))
    assert main(["simulate", "--scale", "rs/web=2", "--cordon", "a", "--snapshot", source]) == 0
    out = capsys.readouterr().out
    assert out.startswith("FITS     no pod stays Pending after 2 steps\n")
    assert "\nIf       1  --scale rs/web=2\n" in out


QUESTIONS = {
    "a manifest that fits": (["mine.yaml"], 0, "FITS", "the pod is placed"),
    "a manifest that does not": (["greedy.yaml"], 1, "BLOCKED", "the pod is not placed"),
    "two, one of which fits": (["mine.yaml", "greedy.yaml"], 1, "PARTLY", "1 of 2 pods is placed, 1 not, for 1 cause"),
    "a manifest alone": (["mine.yaml", "--queue", "manifests"], 0, "FITS", "the pod is placed"),
    "a manifest, evictions counted": (["mine.yaml", "--exit-code"], 0, "FITS", "the pod is placed"),
    "a manifest under two versions": (["mine.yaml", "--k8s-version", "1.36,1.37"], 0, "FITS", "the pod is placed"),
    "a manifest on a cluster with one more node": (
        ["greedy.yaml", "--add-node", "cpu=8,memory=8Gi"],
        0,
        "FITS",
        "the pod is placed",
    ),
    "a manifest that is applied": (["--add-manifest", "mine.yaml"], 0, "FITS", "no pod stays Pending after 1 step"),
    "one that is applied and does not fit": (
        ["--add-manifest", "greedy.yaml"],
        1,
        "BLOCKED",
        "the pod is not placed",
    ),
    "scaling that fits": (["--scale", "rs/web=2"], 0, "FITS", "the new pod of rs/default/web is placed"),
    "scaling that does not": (
        ["--scale", "rs/web=9"],
        1,
        "PARTLY",
        "3 of 8 new pods of rs/default/web are placed, 5 not, for 1 cause",
    ),
    "scaling of a full cluster": (
        ["--add-manifest", "full.yaml", "--scale", "rs/web=2"],
        1,
        "BLOCKED",
        "the new pod of rs/default/web is not placed",
    ),
    "scaling alone": (
        ["--scale", "rs/web=9", "--queue", "manifests"],
        1,
        "PARTLY",
        "3 of 8 new pods of rs/default/web are placed, 5 not",
    ),
    "scaling, evictions counted": (
        ["--scale", "rs/web=2", "--exit-code"],
        0,
        "FITS",
        "the new pod of rs/default/web is placed",
    ),
    "scaling under two versions": (
        ["--scale", "rs/web=2", "--k8s-version", "1.36,1.37"],
        0,
        "FITS",
        "the new pod of rs/default/web is placed",
    ),
    "scaling after another step": (
        ["--cordon", "b", "--scale", "rs/web=2"],
        0,
        "FITS",
        "the new pod of rs/default/web is placed",
    ),
    "scaling before another step": (
        ["--scale", "rs/web=2", "--cordon", "b"],
        0,
        "FITS",
        "no pod stays Pending after 2 steps",
    ),
    "scaling that is taken back": (
        ["--scale", "rs/web=2", "--delete", "rs/web"],
        0,
        "FITS",
        "no pod stays Pending after 2 steps",
    ),
    "scaling and a manifest": (["mine.yaml", "--scale", "rs/web=2"], 0, "FITS", "the pod is placed"),
    "scaling that does not fit, and a manifest": (
        ["mine.yaml", "--scale", "rs/web=9"],
        1,
        "PARTLY",
        "4 of 9 pods are placed, 5 not, for 1 cause",
    ),
    "a drain that leaves pods behind, and scaling": (
        ["--drain", "a", "--scale", "rs/web=2"],
        1,
        "BLOCKED",
        "the new pod of rs/default/web is not placed; 1 evicted pod stays Pending",
    ),
}


@pytest.mark.parametrize("others", [0, 1, 2])
@pytest.mark.parametrize(("words", "code", "verdict", "sentence"), QUESTIONS.values(), ids=QUESTIONS)
def test_pods_that_waited_before_make_no_exit_code(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    code: int,
    verdict: str,
    sentence: str,
    others: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    web = owned(pod("web-1", cpu="1", on="a"), "ReplicaSet", "web")
    waiting = [pod(f"too-big-{number}", cpu="99") for number in range(others)]
    source = write(tmp_path, node("a", cpu="4"), node("b", cpu="500m"), web, *waiting)
    for name, cpu in (("mine", "100m"), ("greedy", "6"), ("full", "3")):
        asked = pod(name, cpu=cpu)
        asked["spec"]["containers"][0]["image"] = "example.invalid/m:1"
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(asked))
    assert main(["simulate", *words, "--snapshot", source, "-o", "json"]) == code
    answer = json.loads(capsys.readouterr().out)
    told = {0: "", 1: "; 1 other pod finds no node", 2: "; 2 other pods find no node"}
    tail = "" if "manifests" in words else told[others]
    assert (answer["verdict"], answer["sentence"]) == (verdict, sentence + tail)


def template(app: str) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}


@pytest.mark.parametrize(
    "words", [["--cordon", "b"], ["--add-node", "cpu=1,memory=1Gi"], ["--scale", "rs/web=0"], ["--drain", "b"], []]
)
def test_where_nothing_new_is_asked_about_the_pods_that_wait_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]
) -> None:
    web = owned(pod("web-1", cpu="1", on="a"), "ReplicaSet", "web")
    log = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "log", "namespace": "default", "uid": "d"},
    }
    log["spec"] = {"selector": {"matchLabels": {"app": "log"}}, "template": template("log")}
    source = write(tmp_path, node("a", cpu="4"), node("b", cpu="500m"), web, pod("too-big", cpu="99"), log)
    assert main(["simulate", *words, "-q", "--snapshot", source]) == 1
    assert capsys.readouterr().out.startswith("BLOCKED  the pod is not placed\n")


COUNTED = {
    "an autoscaler at its maximum": (["--hpa", "max"], "4 of 8 new pods of deploy/default/web are placed, 4 not", 4, 4),
    "the same by hand": (
        ["--scale", "deploy/web=12"], "4 of 8 new pods of deploy/default/web are placed, 4 not", 4, 4,
    ),
    "and a step after it": (["--hpa", "max", "--cordon", "a"], "4 of 8 pods are placed, 4 not", 4, 4),
    "and a node for half of them": (
        ["--scale", "deploy/web=12", "--add-node", "like=a,count=1,cpu=2"], "6 of 8 pods are placed, 2 not", 6, 2,
    ),
    "a node before": (
        ["--add-node", "like=a,count=1,cpu=2", "--hpa", "max"],
        "6 of 8 new pods of deploy/default/web are placed, 2 not", 6, 2,
    ),
    "a manifest that is applied before": (["--add-manifest", "ten.yaml"], "4 of 10 pods are placed, 6 not", 4, 6),
    "a manifest that is asked about, too": (["mine.yaml", "--hpa", "max"], "4 of 9 pods are placed, 5 not", 4, 5),
    "drains that leave one place": (
        ["--uncordon", "c", "--drain", "a", "--drain", "b"], "1 of 4 pods is placed, 3 not", 1, 3,
    ),
    "what is scaled fits, what is drained then does not": (
        ["--scale", "deploy/web=8", "--drain", "d"], "4 of 5 pods are placed, 1 not", 4, 1,
    ),
    "of what is drained some find a place": (
        ["--scale", "deploy/web=6", "--drain", "a"], "2 of 4 pods are placed, 2 not", 2, 2,
    ),
    "what has left again is not counted": (
        ["--scale", "deploy/web=12", "--scale", "deploy/web=9"],
        "4 of 5 new pods of deploy/default/web are placed, 1 not", 4, 1,
    ),
    "what is lost with its node is": (["--hpa", "max", "--remove-node", "a"], "2 of 10 pods are placed, 8 not", 2, 8),
}  # fmt: skip


@pytest.mark.parametrize(("words", "sentence", "before", "left"), COUNTED.values(), ids=COUNTED)
def test_pods_that_what_ifs_placed_count_beside_those_that_wait(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    sentence: str,
    before: int,
    left: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    nodes = (node("a", cpu="4"), node("b", cpu="4"), node("c", cpu="1", unschedulable=True))
    alone = (node("d", cpu="1", unschedulable=True), owned(pod("alone-1", on="d"), "ReplicaSet", "alone"))
    source = write(tmp_path, *nodes, *alone, *web_of_four())
    ten = {**web_of_four()[0], "metadata": {"name": "ten", "namespace": "default"}}
    ten["spec"] = {**ten["spec"], "replicas": 10}
    for name, item in (("ten", ten), ("mine", {**pod("mine"), "spec": web_of_four()[0]["spec"]["template"]["spec"]})):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(item))
    assert main(["simulate", *words, "--snapshot", source, "-o", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["sentence"]) == ("PARTLY", f"{sentence}, for 1 cause")
    assert (answer["totals"]["placedBefore"], answer["totals"]["notPlaced"]) == (before, left)
    assert main(["simulate", *words, "--snapshot", source]) == 1
    out = capsys.readouterr().out
    assert f"\nPods     0 placed + {left} not placed + 0 gated = {left}; what-ifs placed {before} before\n" in out


def web_of_four() -> list[dict[str, Any]]:
    """A Deployment, its ReplicaSet, its four pods on two nodes, and its autoscaler of at most twelve."""
    containers = [{"name": "main", "image": "example.invalid/m:1", "resources": {"requests": {"cpu": "1"}}}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    spec = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    named = {"namespace": "default", "labels": {"app": "web"}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "web", **named}}
    replicas = owned(
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "uid": "web-1", **named}},
        "Deployment",
        "web",
    )
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"minReplicas": 2, "maxReplicas": 12, "scaleTargetRef": target},
    }
    pods = []
    for number, on in enumerate("aabb"):
        one = owned(pod(f"web-1-{number}", on=on), "ReplicaSet", "web-1")
        one["metadata"]["labels"] = {"app": "web"}
        one["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        pods.append(one)
    return [{**deployment, "spec": spec}, {**replicas, "spec": spec}, scaler, *pods]
