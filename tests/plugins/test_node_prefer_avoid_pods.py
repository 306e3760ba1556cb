"""NodePreferAvoidPods: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

import json
from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Node, Pod
from kplan.plugins.node_prefer_avoid_pods import ANNOTATION, NodePreferAvoidPods
from tests.builders import node, pod
from tests.plugins.ask import scores


def avoiding(name: str, text: str) -> Node:
    made = node(name)
    made.metadata.annotations = {ANNOTATION: text}
    return made


def names(*controllers: Any) -> str:
    return json.dumps({"preferAvoidPods": [{"podSignature": {"podController": one}} for one in controllers]})


def owned(kind: str, uid: str, controller: bool = True) -> Pod:
    owner = {"apiVersion": "v1", "kind": kind, "name": "o", "uid": uid, "controller": controller}
    return pod("new", metadata={"ownerReferences": [owner]})


WANTS = names({"kind": "ReplicaSet", "uid": "7", "apiVersion": "apps/v1", "controller": True})

SCORES = {
    "the pod's controller is to be avoided": (owned("ReplicaSet", "7"), WANTS, 0),
    "another uid": (owned("ReplicaSet", "8"), WANTS, 100),
    "another kind": (owned("ReplicationController", "7"), WANTS, 100),
    "kinds other than these two are never avoided": (
        owned("StatefulSet", "7"),
        names({"kind": "StatefulSet", "uid": "7"}),
        100,
    ),
    "an owner that does not control": (owned("ReplicaSet", "7", controller=False), WANTS, 100),
    "a pod without owner": (pod("new"), WANTS, 100),
    "the second of two": (
        owned("ReplicaSet", "7"),
        names({"kind": "ReplicaSet", "uid": "1"}, {"kind": "ReplicaSet", "uid": "7"}),
        0,
    ),
    "an annotation that is no JSON": (owned("ReplicaSet", "7"), "{", 100),
    "an entry without controller": (owned("ReplicaSet", "7"), names(None), 100),
    "an empty annotation": (owned("ReplicaSet", "7"), "", 100),
}


@pytest.mark.parametrize(("new", "annotation", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(new: Pod, annotation: str, wanted: int) -> None:
    plugin = NodePreferAvoidPods(None, features("1.37").features)
    assert scores(plugin, new, node("free"), avoiding("shy", annotation)) == {"free": 100, "shy": wanted}
