"""Pods that are alike but for claims made for each of them: every answer is about the pod it names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kplan.objects.models import Object
from kplan.render.text import Style, explanations
from kplan.result.document import PodExplanations
from kplan.studies.explain import explain_pods
from kplan.studies.nodes import explain_node
from kplan.studies.simulate import SimulateOptions, simulate_pods
from tests.builders import make, node, pod
from tests.studies.ask import context

SCRATCH = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
GPU = {"name": "gpu", "resourceClaimTemplateName": "one-gpu"}


def explained(objects: Iterable[Object]) -> PodExplanations:
    asked = context(objects)
    found = explain_pods(asked, [one for one in asked.planner.cluster.pods if one.waiting], fold=True)
    assert isinstance(found, PodExplanations)
    return found


def events(found: PodExplanations) -> dict[str, str]:
    return {answer.pod: answer.event.text for answer in found.answers if answer.event is not None}


def claim(name: str, **fields: Any) -> Object:
    """A claim of an ephemeral volume that binds at once and has no volume."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"default/{name}", "controller": True}
    return make(
        "PersistentVolumeClaim",
        f"{name}-scratch",
        namespace="default",
        metadata={"ownerReferences": [owner]},
        spec={"storageClassName": "standard"},
        **fields,
    )


NONE_MADE = "kubernetes.io/no-provisioner"
IMMEDIATE = make("StorageClass", "standard", provisioner="example.com/disk", volumeBindingMode="Immediate")
WAITS = make("StorageClass", "standard", provisioner=NONE_MADE, volumeBindingMode="WaitForFirstConsumer")


def test_each_pod_that_waits_for_its_ephemeral_volume_has_the_event_of_its_own_claim() -> None:
    found = explained([node("n"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])])
    text = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "{}-scratch"'
    assert events(found) == {
        f"default/{name}": f"0/1 nodes are available: {text.format(name)}. not found" for name in ("a", "b")
    }
    assert [answer.because.text for answer in found.answers if answer.because is not None] == [
        f"{text.format(name)}: no node was looked at" for name in ("a", "b")
    ]
    assert [answer.groups[0].reasons[0].message for answer in found.answers] == [text.format("a"), text.format("b")]


def test_they_are_told_together_without_the_name_of_one() -> None:
    found = explained([node("n"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])])
    assert [(fold.pods, fold.because.text) for fold in found.folds] == [
        (("default/a", "default/b"), "the claim of its volume scratch is yet to be made: no node was looked at")
    ]


def test_the_terminal_shows_the_event_of_each() -> None:
    found = explained([node("n"), pod("a", resourceClaims=[GPU]), pod("b", resourceClaims=[GPU])])
    lines = explanations(found, Style(event=True)).splitlines()
    told = [line.strip() for line in lines if "ResourceClaim not created yet." in line]
    assert [('pod "default/a"' in line, 'pod "default/b"' in line) for line in told] == [(True, False), (False, True)]


HELPLESS = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."


def test_each_pod_that_waits_for_its_device_claim_has_its_own_event() -> None:
    found = explained([node("n"), pod("a", resourceClaims=[GPU]), pod("b", resourceClaims=[GPU])])
    assert events(found) == {
        f"default/{name}": f'0/1 nodes are available: pod "default/{name}": ResourceClaim not created yet. {HELPLESS}'
        for name in ("a", "b")
    }
    assert len(found.folds) == 1


def test_the_claim_of_one_may_be_there_and_that_of_another_not() -> None:
    found = explained([node("n"), IMMEDIATE, pod("a", volumes=[SCRATCH]), claim("b"), pod("b", volumes=[SCRATCH])])
    assert [answer.because.code for answer in found.answers if answer.because is not None] == [
        "claim-being-made",
        "claim-unbound",
    ]


def test_a_claim_that_waits_is_named_as_that_of_the_pod_asked_about() -> None:
    objects = [node("n"), WAITS, claim("a"), claim("b"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])]
    found = explained(objects)
    assert [answer.groups[0].reasons[0].text for answer in found.answers] == [
        "no volume to bind for a-scratch: class standard",
        "no volume to bind for b-scratch: class standard",
    ]
    assert [fold.because.text for fold in found.folds] == [
        "claim of its volume scratch wants a volume of class standard: it has no volume at all"
    ]


def test_a_node_tells_of_them_together() -> None:
    asked = context([node("n"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])])
    found = explain_node(asked, "n", [one for one in asked.planner.cluster.pods if one.waiting])
    assert [(item.pods, item.text) for item in found.refused] == [
        (("default/a", "default/b"), "the claim of its volume scratch is yet to be made")
    ]


def test_a_node_tells_pods_apart_that_want_other_ports_of_it() -> None:
    def wanting(name: str, port: int, **more: Any) -> Object:
        ports = [{"hostPort": port, "containerPort": port}]
        return pod(name, containers=[{"name": "c", "ports": ports}], **more)

    holding = [wanting("x", 80, node="n"), wanting("y", 81, node="n")]
    asked = context([node("n"), *holding, wanting("a", 80), wanting("b", 81)])
    found = explain_node(asked, "n", [one for one in asked.planner.cluster.pods if one.waiting])
    assert [(item.pods, item.text) for item in found.refused] == [
        (("default/a",), "host port 80/TCP taken: held by default/x"),
        (("default/b",), "host port 81/TCP taken: held by default/y"),
    ]


def test_pods_with_other_gates_are_told_apart_and_those_with_the_same_name_no_node_of_one() -> None:
    gated = [pod(name, schedulingGates=[{"name": gate}]) for name, gate in (("a", "x"), ("b", "x"), ("c", "y"))]
    found = explained([node("n"), *gated])
    assert [(fold.pods, fold.because.text) for fold in found.folds] == [
        (("default/a", "default/b"), "gate x must be removed first; without it, it would go to n"),
        (("default/c",), "gate y must be removed first; without it, it would go to n"),
    ]


def test_room_kept_for_others_is_told_with_each_pod_in_its_own_place() -> None:
    nominated = pod("first", requests={"cpu": "3"}, priority=5, status={"nominatedNodeName": "n"})
    found = explained([node("n"), nominated, *(pod(name, requests={"cpu": "2"}) for name in ("a", "b"))])
    told = {answer.pod: [row.pod for row in answer.kept] for answer in found.answers if answer.kept}
    assert told == {
        "default/a": ["default/first", "default/a"],
        "default/b": ["default/first", "default/b"],
    }


def test_a_plan_tells_of_them_once_without_the_name_of_one() -> None:
    asked = context(
        [node("n"), WAITS, claim("a"), claim("b"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])]
    )
    found = simulate_pods(asked.planner, asked.planner.waiting(), asked.origin, SimulateOptions())
    assert [(cause.count, cause.because.text) for cause in found.causes] == [
        (2, "claim of its volume scratch wants a volume of class standard: it has no volume at all")
    ]


def test_a_plan_has_the_event_of_each() -> None:
    asked = context([node("n"), pod("a", volumes=[SCRATCH]), pod("b", volumes=[SCRATCH])])
    found = simulate_pods(asked.planner, asked.planner.waiting(), asked.origin, SimulateOptions())
    assert [f'"{name}-scratch"' in step.message for name, step in zip("ab", found.steps, strict=True)] == [True, True]
