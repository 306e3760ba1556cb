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
            "3 of 5 new pods of rs/default/web are placed; of all that wait then, 0 of 2 pods are placed, 2 not, for 1 "
            "cause",
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
