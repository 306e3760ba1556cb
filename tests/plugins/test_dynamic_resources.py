"""DynamicResources: the texts of PostFilter, as kube-scheduler prints them."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from kplan.config.versions import features
from kplan.framework.codes import Code
from kplan.framework.preemption import PostFilterResult, PreemptionHandle
from kplan.objects.models import Object, Pod
from kplan.plugins.dynamic_resources import DynamicResources
from tests.builders import make, node, pod
from tests.plugins.ask import cluster_of, rejected, scores

CLAIMING = pod("new", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu-1"}])
HANDLE = cast("PreemptionHandle", None)


def claim(name: str, owner: str = "", **metadata: Any) -> Object:
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": owner, "controller": True}] if owner else []
    return make("ResourceClaim", name, namespace="default", metadata={"ownerReferences": owners, **metadata})


TEXTS: dict[str, tuple[str, Pod, str]] = {
    "1.34 says that a pod without claims has none to free": ("1.34", pod("new"), "no new claims to deallocate"),
    "so does 1.36": ("1.36", pod("new"), "no new claims to deallocate"),
    "1.37 says nothing": ("1.37", pod("new"), ""),
    "1.34 says that claims do not help": ("1.34", CLAIMING, "still not schedulable"),
    "so does 1.36 of claims": ("1.36", CLAIMING, "still not schedulable"),
    "1.37 says nothing of claims": ("1.37", CLAIMING, ""),
}


@pytest.mark.parametrize(("version", "new", "text"), TEXTS.values(), ids=TEXTS)
def test_post_filter(version: str, new: Pod, text: str) -> None:
    plugin = DynamicResources(None, features(version).features)
    cluster = cluster_of(new, [claim("gpu-1")])
    state = cast("Any", plugin.pre_filter(cluster.pods[0], cluster)).state
    assert plugin.post_filter(
        cluster.pods[0], state, cast("PreemptionHandle", SimpleNamespace(cluster=cluster))
    ) == PostFilterResult(Code.UNSCHEDULABLE, text)


@pytest.mark.parametrize("version", ["1.34", "1.37"])
def test_without_its_pre_filter_no_state_is_found(version: str) -> None:
    plugin = DynamicResources(None, features(version).features)
    info = cluster_of(pod("new"), ()).pods[0]
    assert plugin.post_filter(info, None, HANDLE) == PostFilterResult(Code.ERROR, "not found")


@pytest.mark.parametrize("new", [pod("new"), CLAIMING], ids=["without claims", "with claims"])
def test_every_node_passes_and_scores_nothing(new: Any) -> None:
    plugin = DynamicResources(None, features("1.37").features)
    assert rejected(plugin, new, node("a"), node("b")) == {}
    assert scores(plugin, new, node("a"), node("b"), normalized=True) == {"a": 0, "b": 0}


OF_TEMPLATE: dict[str, Any] = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}
MADE = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "new-gpu-x"}]}


LACKS: dict[str, tuple[str, Pod, list[Object], str]] = {
    "none is made of its template yet": (
        "1.37", pod("new", **OF_TEMPLATE), [], 'pod "default/new": ResourceClaim not created yet',
    ),
    "it was not needed": (
        "1.37", pod("new", status={"resourceClaimStatuses": [{"name": "gpu"}]}, **OF_TEMPLATE), [claim("a")], "",
    ),
    "it is there": ("1.37", CLAIMING, [claim("gpu-1")], ""),
    "it is not": ("1.37", CLAIMING, [claim("gpu-2")], 'could not find ResourceClaim "default/gpu-1"'),
    "the source holds no claims at all": ("1.37", CLAIMING, [], ""),
    "it is being deleted": (
        "1.34", CLAIMING, [claim("gpu-1", deletionTimestamp="2026-01-01T00:00:00Z")],
        'resourceclaim "gpu-1" is being deleted',
    ),
    "it is another pod's": (
        "1.37", pod("new", status=MADE, **OF_TEMPLATE), [claim("new-gpu-x", owner="other")],
        "ResourceClaim default/new-gpu-x was not created for Pod default/new (Pod is not owner)",
    ),
    "1.35 writes pod small": (
        "1.35", pod("new", status=MADE, **OF_TEMPLATE), [claim("new-gpu-x", owner="other")],
        "ResourceClaim default/new-gpu-x was not created for pod default/new (pod is not owner)",
    ),
    "it is its own": (
        "1.37", pod("new", status=MADE, metadata={"uid": "u"}, **OF_TEMPLATE), [claim("new-gpu-x", owner="u")], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("version", "new", "objects", "text"), LACKS.values(), ids=LACKS)
def test_a_pod_waits_for_its_claims(version: str, new: Pod, objects: list[Object], text: str) -> None:
    plugin = DynamicResources(None, features(version).features)
    cluster = cluster_of(new, objects)
    said = plugin.pre_enqueue(cluster.pods[0], cluster)
    assert (said.reasons if said is not None else ()) == ((text,) if text else ())
    assert rejected(plugin, new, *objects, node("a")) == ([text] if text else {})
