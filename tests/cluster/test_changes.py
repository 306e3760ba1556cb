"""Changes: columns stay what a fresh build of the resulting objects would give, and undo restores them exactly."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import (
    AddPods,
    Assume,
    Change,
    Cluster,
    CountAhead,
    Nominate,
    PodClass,
    Put,
    PutNode,
    Remove,
    RemoveNodes,
    Terminate,
    Undo,
    build,
    to_state,
)
from kplan.cluster.schema import COLUMNS, check
from kplan.objects.models import Node, Object, Pod
from kplan.objects.selectors import Requirement
from kplan.objects.state import ClusterState, KnownScheduler
from tests.builders import make, node, pod

NODES = ("a", "b", "c")
NODE_OBJECTS = [
    node("b", taints=["gpu=yes:NoSchedule"], allocatable={"example.com/gpu": "2"}),
    node("a", unschedulable=True),
    node("c", taints=["gpu=yes:NoSchedule"], declaredFeatures=["x"]),
]
REQUESTS: tuple[dict[str, str], ...] = (
    {},
    {"cpu": "250m", "memory": "64Mi"},
    {"cpu": "1"},
    {"example.com/gpu": "1"},
    {"example.com/unheard-of": "3", "hugepages-2Mi": "4Mi"},
)
COUNTERS: dict[str, Callable[[PodClass], int]] = {
    "app=x": lambda pods: int(pods.labels.get("app") == "x"),
    "namespace": lambda pods: len(pods.namespace),
    "terminating": lambda pods: int(pods.terminating),
    "ports": lambda pods: len(pods.host_ports),
}


def random_pod(random: random.Random, name: str) -> Pod:
    where = random.choice((*NODES, "unheard-of", "", "", ""))
    nominated = random.choice(("", "a", "unheard-of")) if not where else ""
    port = random.choice((None, 80, 443))
    container = {"name": "main", "resources": {"requests": random.choice(REQUESTS)}}
    if port:
        container["ports"] = [{"hostPort": port, "containerPort": port}]
    return pod(
        name,
        namespace=random.choice(("one", "three")),
        node=where,
        labels={"app": random.choice("xyz")},
        containers=[container],
        priority=random.choice((0, 5, -3)),
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"} if random.random() < 0.2 else {},
        status={
            "phase": random.choice(("Running", "Pending", "Succeeded", "Failed")),
            **({"startTime": "2026-01-02T03:04:05Z"} if random.random() < 0.5 else {}),
            **({"nominatedNodeName": nominated} if nominated else {}),
        },
    )


@dataclass
class Model:
    """The same changes made to objects: what a fresh build is made of."""

    pods: dict[str, Pod]
    tables: dict[tuple[str, str], Object] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=lambda: {one.name: one for one in NODE_OBJECTS})

    def build(self) -> Cluster:
        return build(ClusterState.of([*self.nodes.values(), *self.pods.values(), *self.tables.values()]))

    def changed(self, cluster: Cluster, change: Change) -> "Model":
        pods, tables, nodes = dict(self.pods), dict(self.tables), dict(self.nodes)
        match change:
            case Assume(row, at):
                key = cluster.pods[row].key
                pods[key] = edited(pods[key], "spec", node_name=cluster.node_name(at))
            case Nominate(row, at):
                key = cluster.pods[row].key
                pods[key] = edited(pods[key], "status", nominated_node_name=cluster.node_name(at) if at >= 0 else None)
            case Remove(row):
                del pods[cluster.pods[row].key]
            case Terminate(row):
                key = cluster.pods[row].key
                pods[key] = edited(pods[key], "metadata", deletion_timestamp="1970-01-01T00:00:00Z")
            case AddPods(added):
                pods |= {one.key: one for one in added}
            case Put(_, key, None):
                del tables["PriorityClass", key]
            case Put(_, key, item):
                assert item is not None
                tables["PriorityClass", key] = item
            case RemoveNodes(names):
                model = self
                for name in names:
                    model = model.changed(cluster, PutNode(name, None))
                return model
            case PutNode(name, item):
                if item is None or name not in nodes:  # nominations to a node that was or is not there are dropped
                    for key, one in pods.items():
                        if one.status.nominated_node_name == name and not one.spec.node_name:
                            pods[key] = edited(one, "status", nominated_node_name=None)
                nodes.pop(name, None)
                if item is not None:
                    nodes[name] = item
        return Model(pods, tables, nodes)


def random_node(random: random.Random) -> Node:
    return node(
        random.choice(("a", "aa", "b", "c", "unheard-of")),
        labels={"zone": random.choice(("east", "west"))},
        unschedulable=random.random() < 0.3,
        taints=random.choice(([], ["gpu=yes:NoSchedule"], ["new=one:NoExecute"])),
        allocatable=random.choice(({}, {"cpu": "7"}, {"example.com/new": "2"}, {"example.com/gpu": "5"})),
        declaredFeatures=random.choice(([], ["x"], ["y"])),
    )


def edited(pod: Pod, part: str, **fields: Any) -> Pod:
    return msgspec.structs.replace(pod, **{part: msgspec.structs.replace(getattr(pod, part), **fields)})


def random_change(random: random.Random, cluster: Cluster, model: Model, step: int) -> Change:
    here = [info.row for info in cluster.pods if not info.gone]
    waiting = [row for row in here if not cluster.pods[row].bound]
    nodes = len(cluster.nodes)
    empty = [cluster.node_name(row) for row in range(nodes) if not cluster.pods_on(row)]
    name = f"class-{random.randrange(3)}"

    def put_node() -> Change:
        drawn = random_node(random)
        return PutNode(drawn.name, drawn)

    # only what is chosen draws the rest of it: draws are what such a test mostly does
    choices: list[Callable[[], Change]] = [
        lambda: AddPods(tuple(random_pod(random, f"new-{step}-{i}") for i in range(random.randrange(3)))),
        lambda: Put("priority_classes", name, make("PriorityClass", name, value=random.randrange(9))),
        *[put_node] * 2,
        *[lambda: PutNode(random.choice(empty), None)] * len(empty),
    ]
    if ("PriorityClass", name) in model.tables:
        choices.append(lambda: Put("priority_classes", name, None))
    if here:
        choices += [lambda: Remove(random.choice(here))] * 2
        choices.append(lambda: Terminate(random.choice(here)))
    if waiting:
        if nodes:
            choices += [lambda: Assume(random.choice(waiting), random.randrange(nodes))] * 2
        choices.append(lambda: Nominate(random.choice(waiting), random.randrange(-1, nodes)))
    if empty:
        choices += [lambda: RemoveNodes(tuple(random.sample(empty, random.randint(1, len(empty)))))] * 2
    return random.choice(choices)()


def photograph(cluster: Cluster) -> dict[str, Any]:
    """Everything an undo has to restore, as bytes."""
    return {
        **{c.name: (getattr(cluster, c.name).shape, getattr(cluster, c.name).tobytes()) for c in COLUMNS},
        "resources": dict(cluster.resources),
        "pods": [(info.key, info.bound, info.gone, id(info)) for info in cluster.pods],
        "pod_index": dict(cluster.pod_index),
        "nodes": [id(one) for one in cluster.nodes],
        "node_index": dict(cluster.node_index),
        "zone": cluster.labels.column("zone").codes.tolist(),
        "taint_sets": list(cluster.taint_sets),
        "feature_sets": list(cluster.feature_sets),
        "priority_classes": dict(cluster.objects.table("priority_classes")),
    }


def described(cluster: Cluster) -> dict[str, Any]:
    """A cluster by names: the same for the same objects, however they came to be."""
    names = [name for name in cluster.resources if cluster.allocatable[cluster.resources[name]].any()]
    requested = {name: cluster.requested[row].tolist() for name, row in cluster.resources.items()}
    return {
        "nodes": [one.name for one in cluster.nodes],
        "allocatable": {name: cluster.allocatable[cluster.resources[name]].tolist() for name in names},
        "requested": {name: amounts for name, amounts in requested.items() if any(amounts)},
        "others": [
            getattr(cluster, name).tolist()
            for name in ("non_zero_requested", "pod_count", "allowed_pods", "unschedulable")
        ],
        "taints": [cluster.taint_sets[i] for i in cluster.taint_set],
        "zone": cluster.labels.requirement(Requirement("zone", "In", ("east",))).tolist(),
        "features": [cluster.feature_sets[i] for i in cluster.feature_set],
        "pods": {info.key: pod_described(cluster, info.row) for info in cluster.pods if not info.gone},
        "counters": {
            key: (
                cluster.counters.get(key, weigh).nodes.tolist(),
                {p.key: int(cluster.counters.get(key, weigh).pods[p.row]) for p in cluster.pods if not p.gone},
            )
            for key, weigh in COUNTERS.items()
        },
        "priority_classes": dict(cluster.objects.table("priority_classes")),
    }


def pod_described(cluster: Cluster, row: int) -> dict[str, Any]:
    info = cluster.pods[row]
    kind = cluster.pod_classes[cluster.pod_class[row]]
    return {
        **{
            name: int(getattr(cluster, name)[row])
            for name in ("pod_node", "pod_nominated", "pod_priority", "pod_start")
        },
        "requests": {
            name: int(cluster.pod_request[i, row])
            for name, i in cluster.resources.items()
            if cluster.pod_request[i, row]
        },
        "non_zero": cluster.pod_non_zero[:, row].tolist(),
        "class": (kind.namespace, kind.labels, kind.terminating, kind.host_ports, kind is info.pod_class),
        "bound": info.bound,
    }


@settings(derandomize=True, deadline=None, max_examples=170)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_any_series_of_changes_equals_a_fresh_build_and_undo_is_exact(random: random.Random, steps: int) -> None:
    model = Model({one.key: one for one in (random_pod(random, f"old-{i}") for i in range(random.randrange(8)))})
    cluster = model.build()
    check(cluster)
    stack: list[tuple[Undo, dict[str, Any], Model]] = []
    for step in range(steps):
        if step == steps // 2:
            # counters that are first asked for midway count what is there
            described(cluster)
        if stack and random.random() < 0.35:
            undo, before, model = stack.pop()
            cluster.undo(undo)
            assert photograph(cluster) == before
        else:
            before, former = photograph(cluster), model
            change = random_change(random, cluster, model, step)
            undo = cluster.apply([change])
            model = model.changed(cluster, change)
            stack.append((undo, before, former))
        check(cluster)
        assert described(cluster) == described(model.build()) == described(build(to_state(cluster)))
    while stack:
        undo, before, model = stack.pop()
        cluster.undo(undo)
        check(cluster)
        assert photograph(cluster) == before
    assert described(cluster) == described(model.build())


def two_waiting() -> Cluster:
    waiting = (pod("p", requests={"cpu": "1"}), pod("q", requests={"cpu": "2"}))
    return build(ClusterState.of([node("a"), node("b"), *waiting]))


def test_changes_applied_together_are_undone_together_in_reverse() -> None:
    cluster = two_waiting()
    before = photograph(cluster)
    undo = cluster.apply([Nominate(0, 1), Assume(0, 0), Remove(0), AddPods((pod("p", node="b"),)), Assume(1, 0)])
    assert cluster.requested[0].tolist() == [2000, 0]
    assert (cluster.pods[0].gone, cluster.pod_index["default/p"], cluster.pod_count.tolist()) == (True, 2, [1, 1])
    cluster.undo(undo)
    assert photograph(cluster) == before


def test_pods_that_are_counted_ahead_are_on_no_node() -> None:
    cluster = two_waiting()
    cluster.counters.get("each", lambda pods: 1)
    before = photograph(cluster)
    undo = cluster.apply([CountAhead(1, np.array([0, 1]), np.array([3, 1]))])
    assert cluster.requested[0].tolist() == [6000, 2000]
    assert (cluster.pod_count.tolist(), cluster.pods_on(0)) == ([3, 1], [])
    assert cluster.counters.get("each", lambda pods: 1).nodes.tolist() == [3, 1]
    cluster.undo(undo)
    assert photograph(cluster) == before


def test_assume_uses_a_nomination_up() -> None:
    cluster = two_waiting()
    cluster.apply([Nominate(0, 1)])
    undo = cluster.apply([Assume(0, 0)])
    assert (cluster.pod_nominated[0], cluster.nominated_on(1), cluster.pods_on(0)) == (-1, [], [0])
    cluster.undo(undo)
    assert (cluster.pod_nominated[0], cluster.nominated_on(1), cluster.pods_on(0)) == (1, [0], [])


def test_remove_takes_a_waiting_pod_out_of_the_queue() -> None:
    cluster = two_waiting()
    undo = cluster.apply([Nominate(1, 0), Remove(1)])
    assert (cluster.pods[1].waiting, cluster.nominated_on(0)) == (False, [])
    cluster.undo(undo)
    assert (cluster.pods[1].waiting, cluster.nominated_on(0)) == (True, [])


@pytest.mark.parametrize("change", [Assume(0, 0), Remove(0)])
def test_a_pod_that_is_gone_takes_no_part(change: Change) -> None:
    cluster = two_waiting()
    cluster.apply([Remove(0)])
    with pytest.raises(AssertionError, match="default/p is"):
        cluster.apply([change])


def test_a_new_resource_widens_columns_and_undo_narrows_them() -> None:
    cluster = two_waiting()
    undo = cluster.apply([AddPods((pod("gpu", node="b", requests={"example.com/gpu": "3"}),))])
    assert cluster.resource("example.com/gpu") == 3
    assert (cluster.requested[3].tolist(), cluster.allocatable[3].tolist()) == ([0, 3], [0, 0])
    cluster.undo(undo)
    assert (cluster.resource("example.com/gpu"), cluster.requested.shape) == (None, (3, 2))


def test_an_object_put_and_taken_back_leaves_the_table_in_order_of_keys() -> None:
    budgets = [make("PodDisruptionBudget", name, namespace="default") for name in "abc"]
    cluster = build(ClusterState.of(budgets))
    table = cluster.objects.table("pod_disruption_budgets")
    undo = cluster.apply([Put("pod_disruption_budgets", "default/a", None)])
    assert list(table) == ["default/b", "default/c"]
    cluster.undo(undo)
    assert list(table) == ["default/a", "default/b", "default/c"]


def test_a_derived_index_is_made_again_after_a_put_and_after_its_undo() -> None:
    cluster = build(ClusterState.of([make("Namespace", "one", metadata={"labels": {"team": "x"}})]))
    seen: list[int] = []

    def count() -> int:
        return cluster.objects.derived(
            "count", ("namespaces",), lambda: seen.append(1) or len(cluster.objects.namespaces)
        )

    assert (count(), count(), len(seen)) == (1, 1, 1)
    undo = cluster.apply([Put("namespaces", "two", make("Namespace", "two"))])
    assert (count(), len(seen)) == (2, 2)
    cluster.undo(undo)
    assert (count(), len(seen)) == (1, 3)


def test_a_node_that_appears_takes_in_the_pods_that_say_they_run_there() -> None:
    cluster = build(ClusterState.of([node("b"), pod("p", node="a", requests={"cpu": "1"})]))
    undo = cluster.apply([PutNode("a", node("a"))])
    assert ([one.name for one in cluster.nodes], cluster.pods_on(0), cluster.requested[0].tolist()) == (
        ["a", "b"],
        [0],
        [1000, 0],
    )
    cluster.undo(undo)
    assert (cluster.pod_node.tolist(), cluster.requested[0].tolist()) == ([-1], [0])


def test_a_counter_first_asked_for_while_a_node_is_away_counts_right_when_it_is_back() -> None:
    cluster = build(ClusterState.of([node("a"), node("b"), pod("p", node="b")]))
    undo = cluster.apply([PutNode("a", None)])
    counter = cluster.counters.get("all", lambda _: 1)
    assert counter.nodes.tolist() == [1]
    cluster.undo(undo)
    assert cluster.counters.get("all", lambda _: 1).nodes.tolist() == [0, 1]


def test_what_a_source_says_of_its_scheduler_stays_when_the_cluster_is_written_back() -> None:
    about = {
        "source": "made-up.json",
        "server_version": "v1.37.2",
        "taken": "2026-01-05T03:00:00Z",
        "scheduler": KnownScheduler(
            {"profiles": []}, {"GangScheduling": True}, "ConfigMap kube-system/kube-scheduler", "nobody knows"
        ),
    }
    cluster = build(ClusterState.of([node("a")], **about))
    cluster.apply([PutNode("b", node("b"))])
    written = to_state(cluster)
    assert [item.name for item in written.nodes] == ["a", "b"]
    assert {name: getattr(written, name) for name in about} == about


def test_a_node_that_comes_looks_at_pods_that_name_one_alone() -> None:
    named = pod("named", node="n-later")
    objects = [node("n-0"), named, *(pod(f"waits-{number}") for number in range(5))]
    cluster = build(ClusterState.of(objects))
    first = cluster.naming
    assert [cluster.pods[row].name for row in first.tolist()] == ["named"]
    for name in ("n-1", "n-later", "n-2"):
        cluster.apply([PutNode(name, node(name))])
    assert cluster.naming is first  # pods are looked through once
    assert cluster.home_of(int(first[0])) == "n-later"
