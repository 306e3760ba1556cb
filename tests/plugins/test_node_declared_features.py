"""NodeDeclaredFeatures: expected values are those of kube-scheduler 1.37.2 unless a test names another version."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.framework.worlds import plain
from kplan.objects.models import Pod
from kplan.plugins.node_declared_features import FeatureGroup, NodeDeclaredFeatures, NodeDeclaredFeaturesFacts
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected
from tests.plugins.telling import facts

RESTART, USERNS, BIND = (
    "RestartAllContainersOnContainerExits",
    "UserNamespacesHostNetworkSupport",
    "VolumeBindMountOptions",
)
REASON = "node(s) didn't match Pod's required features"
NODES = (
    node("all", declaredFeatures=[RESTART, USERNS, BIND]),
    node("bare"),
    node("restart", declaredFeatures=["Other", RESTART]),
)

RULES = {"name": "c", "restartPolicyRules": [{"action": "Restart"}, {"action": "RestartAllContainers"}]}
MOUNTS = {"name": "c", "volumeMounts": [{"name": "v"}, {"name": "w", "bindMountOptions": ["noexec"]}]}
restarting = pod("new", containers=[RULES])
mounting = pod("new", containers=[MOUNTS])
sharing = pod("new", hostNetwork=True, hostUsers=False)

REJECTED: dict[str, tuple[str, Pod, Any]] = {
    "a pod that needs nothing is skipped": ("1.37", pod("new"), "skip"),
    "a rule that restarts all containers needs its feature": ("1.37", restarting, {"bare": [REASON]}),
    "so does that of an init container": ("1.37", pod("new", initContainers=[RULES]), {"bare": [REASON]}),
    "a rule with another action needs none": (
        "1.37",
        pod("new", containers=[{"name": "c", "restartPolicyRules": [{"action": "Restart"}]}]),
        "skip",
    ),
    "the host's network with users of its own needs a feature": (
        "1.37",
        sharing,
        {"bare": [REASON], "restart": [REASON]},
    ),
    "hostUsers left out is not false": ("1.37", pod("new", hostNetwork=True), "skip"),
    "users of its own without the host's network need none": ("1.37", pod("new", hostUsers=False), "skip"),
    "options of a bind mount need a feature": ("1.37", mounting, {"bare": [REASON], "restart": [REASON]}),
    "so do those of an init container": (
        "1.37",
        pod("new", initContainers=[MOUNTS]),
        {"bare": [REASON], "restart": [REASON]},
    ),
    "1.36 knows nothing of bind mounts": ("1.36", mounting, "skip"),
    "1.36 knows the host's network": ("1.36", sharing, {"bare": [REASON], "restart": [REASON]}),
    "in 1.35 the gate is off": ("1.35", restarting, "skip"),
}


@pytest.mark.parametrize(("version", "new", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(version: str, new: Pod, wanted: Any) -> None:
    assert rejected(NodeDeclaredFeatures(None, features(version).features), new, *NODES) == wanted


def test_1_35_names_what_is_missing_and_knows_one_feature() -> None:
    plugin = NodeDeclaredFeatures(None, features("1.35", {"NodeDeclaredFeatures": True}).features)
    text = f"node declared features check failed - unsatisfied requirements: {RESTART}"
    assert rejected(plugin, restarting, *NODES) == {"bare": [text]}
    assert rejected(plugin, sharing, *NODES) == "skip"


def test_refusals_cannot_be_resolved_by_evictions() -> None:
    cluster = cluster_of(restarting, NODES)
    plugin = NodeDeclaredFeatures(None, features("1.37").features)
    findings = plugin.filter(cluster.pods[0], frozenset({RESTART}), cluster, plain(cluster.all_rows))
    assert findings.unresolvable.all()


def test_without_pre_filter_it_fails_as_the_scheduler_does_or_passes_with_the_gate_off() -> None:
    cluster = cluster_of(restarting, NODES)
    worlds = plain(cluster.all_rows)
    on = NodeDeclaredFeatures(None, features("1.37").features).filter(cluster.pods[0], None, cluster, worlds)
    assert on.error(0) == 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found'
    off = NodeDeclaredFeatures(None, features("1.35").features).filter(cluster.pods[0], None, cluster, worlds)
    assert not off.failed.any()


def test_facts_group_nodes_by_what_they_lack() -> None:
    plugin = NodeDeclaredFeatures(None, features("1.37").features)
    new = pod("new", containers=[RULES, MOUNTS])
    assert facts(plugin, new, *NODES, node("x")) == NodeDeclaredFeaturesFacts(
        (RESTART, BIND),
        (FeatureGroup((RESTART, BIND), ("bare", "x")), FeatureGroup((BIND,), ("restart",))),
    )
