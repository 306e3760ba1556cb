"""A workload that is made again after ``kubectl delete --cascade=orphan`` takes over what is there.

Expected values are those of the controllers: tests/live/test_rollouts.py lets the real ones carry out the same.
"""

from typing import Any

import pytest

from kplan.objects.models import Object
from tests.admission.manifests import expand_text
from tests.builders import make, node, pod

LABELS = {"app": "web"}
STAMP = {"StatefulSet": "web-1", "DaemonSet": "1"}
NODES = ["n1", "n2"]
OF_DAEMONS = [
    {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": effect}
    for what, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
]
"""Tolerations that the controller of DaemonSets gives their pods."""


def template(image: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"labels": {**LABELS, **labels}}, "spec": {"containers": [{"name": "main", "image": image}]}}


def manifest(kind: str, image: str, more: str = "") -> str:
    replicas = "" if kind == "DaemonSet" else "replicas: 2, "
    return (
        f"{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: web}}, spec: {{{replicas}{more}"
        "selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: "
        f"[{{name: main, image: {image}}}]}}}}}}}}"
    )


def orphans(kind: str, image: str = "x:1", stamp: str | None = None) -> list[Object]:
    """Two pods that a set left behind, one on each node."""
    label = {"controller-revision-hash": STAMP[kind] if stamp is None else stamp}
    spec = {**template(image)["spec"], **({"tolerations": OF_DAEMONS} if kind == "DaemonSet" else {})}
    names = ["web-0", "web-1"] if kind == "StatefulSet" else ["web-aaaaa", "web-bbbbb"]
    return [
        pod(name, node=at, labels={**LABELS, **(label if stamp != "" else {})}, **spec)
        for name, at in zip(names, NODES, strict=True)
    ]


def revision(image: str) -> Object:
    """The revision that it left behind with them."""
    return make(
        "ControllerRevision", "web-1", namespace="default", metadata={"labels": {"controller-revision-hash": "1"}},
        data={"spec": {"template": template(image)}}, revision=1,
    )  # fmt: skip


SETS = pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
ALL = {
    "StatefulSet": (["web-0", "web-1"], ["default/web-0", "default/web-1"]),
    "DaemonSet": (["n1", "n2"], ["default/web-aaaaa", "default/web-bbbbb"]),
}
"""Names, or nodes, of the pods that are made, and those that leave, where all are replaced."""


def asked(text: str, *there: Object) -> tuple[list[str], list[str], str]:
    """Pods that are made, those that leave, and what is done to the workload."""
    found = expand_text(text, *(node(name) for name in NODES), *there)
    assert not found.refused
    (change,) = found.changes
    made = [one.pod for one in found.pods]
    return sorted(_node_of(one) or one.name for one in made), list(change.leaving), change.verdict


def _node_of(one: Any) -> str:
    affinity = one.spec.affinity
    return affinity.node_affinity.required.node_selector_terms[0].match_fields[0].values[0] if affinity else ""


@SETS
def test_pods_of_its_template_stay(kind: str) -> None:
    there = orphans(kind)
    assert asked(manifest(kind, "x:1"), *there) == ([], [], "new")
    assert asked(manifest(kind, "x:1"), *there, revision("x:1")) == ([], [], "new")


@SETS
def test_pods_of_another_template_are_replaced(kind: str) -> None:
    there = orphans(kind)
    assert asked(manifest(kind, "x:2"), *there) == (*ALL[kind], "changed")
    assert asked(manifest(kind, "x:2"), *there, revision("x:1")) == (*ALL[kind], "changed")


@SETS
def test_the_revision_tells_what_pods_are_of_whatever_they_look_like(kind: str) -> None:
    looks_new = orphans(kind, "x:2")
    assert asked(manifest(kind, "x:2"), *looks_new, revision("x:1")) == (*ALL[kind], "changed")


@SETS
def test_pods_without_the_label_of_a_revision_are_replaced(kind: str) -> None:
    assert asked(manifest(kind, "x:1"), *orphans(kind, stamp="")) == (*ALL[kind], "changed")


@SETS
def test_nothing_is_replaced_on_delete(kind: str) -> None:
    text = manifest(kind, "x:2", "updateStrategy: {type: OnDelete}, ")
    assert asked(text, *orphans(kind)) == ([], [], "new")
    missing = {"StatefulSet": "web-1", "DaemonSet": "n2"}[kind]
    assert asked(text, orphans(kind)[0]) == ([missing], [], "new"), "what is missing is made"


def of_generation(number: str) -> list[Object]:
    there = orphans("DaemonSet")
    for one in there:
        one.metadata.labels["pod-template-generation"] = number
    return there


@pytest.mark.parametrize(
    ("written", "label", "stays"), [("", "1", True), ("", "2", False), ("2", "2", True), ("2", "1", False)]
)
def test_daemon_pods_of_the_generation_that_a_daemon_set_begins_with_stay(
    written: str, label: str, *, stays: bool
) -> None:
    text = manifest("DaemonSet", "x:2")
    if written:
        text = text.replace(
            "name: web", f"name: web, annotations: {{deprecated.daemonset.template.generation: '{written}'}}", 1
        )
    assert asked(text, *of_generation(label))[:2] == (([], []) if stays else ALL["DaemonSet"])


def test_what_a_set_has_no_place_for_leaves() -> None:
    third = pod("web-2", node="n1", labels={**LABELS, "controller-revision-hash": "web-1"}, **template("x:1")["spec"])
    assert asked(manifest("StatefulSet", "x:1"), *orphans("StatefulSet"), third) == ([], ["default/web-2"], "new")
    assert asked(manifest("StatefulSet", "x:2"), *orphans("StatefulSet"), third)[1] == [
        "default/web-0",
        "default/web-1",
        "default/web-2",
    ]


def replica_set(name: str, image: str, replicas: int, **annotations: str) -> list[Object]:
    """A ReplicaSet that a Deployment left behind, and its pods."""
    stamp = {"pod-template-hash": name.removeprefix("web-")}
    item = make(
        "ReplicaSet", name, namespace="default",
        metadata={
            "uid": name, "labels": {**LABELS, **stamp},
            "annotations": {f"deployment.kubernetes.io/{key}": value for key, value in annotations.items()},
        },
        spec={"replicas": replicas, "selector": {"matchLabels": {**LABELS, **stamp}}, "template": template(
            image, **{"pod-template-hash": name.removeprefix("web-")}
        )},
    )  # fmt: skip
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name, "controller": True}]
    pods = [
        pod(f"{name}-{n}", node="n1", labels={**LABELS, **stamp}, metadata={"ownerReferences": owner},
            **template(image)["spec"])
        for n in range(replicas)
    ]  # fmt: skip
    return [item, *pods]


@pytest.mark.parametrize(
    ("image", "replicas", "made", "leaving", "verdict"),
    [
        pytest.param("x:2", 2, 0, [], "unchanged", id="of the newest set"),
        pytest.param("x:2", 3, 1, [], "scaled", id="more of the newest set"),
        pytest.param("x:1", 2, 2, ["default/web-new-0", "default/web-new-1"], "changed", id="back to an older set"),
        pytest.param("x:3", 2, 2, ["default/web-new-0", "default/web-new-1"], "changed", id="of a new template"),
    ],
)
def test_a_deployment_goes_on_with_the_replica_sets_that_it_adopts(
    image: str, replicas: int, made: int, leaving: list[str], verdict: str
) -> None:
    there = [
        *replica_set("web-new", "x:2", 2, **{"revision": "2", "desired-replicas": "2"}),
        *replica_set("web-old", "x:1", 0, **{"revision": "1"}),
    ]
    text = manifest("Deployment", image).replace("replicas: 2", f"replicas: {replicas}")
    found = expand_text(text, *there, make("Deployment", "other", namespace="default"))
    (change,) = found.changes
    assert (len(found.pods), list(change.leaving), change.verdict, change.unsure) == (made, leaving, verdict, "")
    assert "deploy/default/web adopts 2 ReplicaSets without an owner: web-new, web-old" in found.notes
