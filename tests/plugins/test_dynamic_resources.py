"""DynamicResources: the texts of PostFilter, as kube-scheduler prints them."""

from typing import Any, cast

import pytest

from kplan.config.versions import features
from kplan.framework.codes import Code
from kplan.framework.preemption import PostFilterResult, PreemptionHandle
from kplan.objects.models import Pod
from kplan.plugins.dynamic_resources import DynamicResources
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected, scores

CLAIMING = pod("new", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu-1"}])
HANDLE = cast("PreemptionHandle", None)

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
    cluster = cluster_of(new, ())
    state = plugin.pre_filter(cluster.pods[0], cluster).state
    assert plugin.post_filter(cluster.pods[0], state, HANDLE) == PostFilterResult(Code.UNSCHEDULABLE, text)


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
