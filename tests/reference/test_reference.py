"""The columns against a scalar reading of the same objects, on random clusters."""

from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import Cluster
from kplan.framework.codes import Code
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.result import Outcome
from tests.builders import node, pod
from tests.reference import scalar
from tests.reference.clusters import random_budget, random_cluster, random_pod, some

SCHEDULER = kplan.Scheduler.of("1.37")
# a seed is one draw: a whole cluster drawn by hypothesis would take a hundred times as long
randoms = st.integers(0, 2**40).map(Random)
bounded = settings(
    derandomize=True, deadline=None, max_examples=400, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def explained(objects: list[Object], asked: Pod) -> tuple[Outcome, Cluster]:
    planner = SCHEDULER.planner(ClusterState.of([*objects, asked]))
    return planner.explain(planner.cluster.pods[planner.cluster.pod_index[asked.key]]), planner.cluster


def refusals(outcome: Outcome, cluster: Cluster) -> dict[str, dict[str, tuple[str, list[str]]]]:
    """(code, reasons) by plugin and node, of every plugin that refuses."""
    assert outcome.diagnosis is not None
    found: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for failing in outcome.diagnosis.failing:
        for i, position in enumerate(failing.positions.tolist()):
            reasons = list(failing.findings.reasons(i))
            if reasons:
                name = cluster.node_name(int(outcome.diagnosis.rows[position]))
                code = scalar.UNRESOLVABLE if failing.findings.unresolvable[i] else scalar.UNSCHEDULABLE
                found.setdefault(failing.plugin, {})[name] = (code, sorted(reasons))
    return found


def scalar_refusals(pod: Pod, nodes: list[str], world: scalar.World) -> dict[str, dict[str, tuple[str, list[str]]]]:
    found: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for plugin, rule in scalar.FILTERS.items():
        for name in nodes:
            refusal = rule(pod, world.nodes[name], world)
            if refusal is not None:
                found.setdefault(plugin, {})[name] = (refusal[0], sorted(refusal[1]))
    return found


def compare_filters(objects: list[Object], pod: Pod) -> None:
    outcome, cluster = explained(objects, pod)
    assert (outcome.error, outcome.diagnosis is None) == ("", False)
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.pre_filter is None
    world = scalar.world_of(objects)
    nodes = [cluster.node_name(int(row)) for row in outcome.diagnosis.rows]
    assert refusals(outcome, cluster) == scalar_refusals(pod, nodes, world)
    for i, name in enumerate(nodes):
        status = outcome.diagnosis.status.get(i)
        told = status and (status.plugin, status.code.value, sorted(status.reasons))
        first = scalar.verdict(pod, name, world)
        assert told == (first and (first[0], first[1], sorted(first[2])))
    # a node that PreFilter leaves out by name is one that a filter would refuse
    assert all(scalar.verdict(pod, name, world) is not None for name in world.nodes if name not in nodes)


@bounded
@given(randoms)
def test_every_plugin_refuses_the_same_nodes(random: Random) -> None:
    objects = random_cluster(random)
    compare_filters(objects, random_pod(random, "new"))


@bounded
@given(randoms)
def test_every_plugin_refuses_the_same_nodes_where_pods_have_volumes(random: Random) -> None:
    objects = random_cluster(random, volumes=True)
    compare_filters(objects, random_pod(random, "new", claims=some(random, ("v1", "v2", "v3"), 3)))


@bounded
@given(randoms)
def test_feasible_nodes_have_the_same_raw_scores(random: Random) -> None:
    objects = random_cluster(random)
    pod = random_pod(random, "new")
    outcome, cluster = explained(objects, pod)
    if outcome.scores is None:
        return
    world = scalar.world_of(objects)
    names = [cluster.node_name(int(row)) for row in outcome.scores.rows]
    for plugin, rule in scalar.SCORES.items():
        if plugin in outcome.scores.raw:
            want = [rule(pod, world.nodes[name], world) for name in names]
            assert (plugin, outcome.scores.raw[plugin].tolist()) == (plugin, want)


@bounded
@given(randoms)
def test_preemption_finds_the_same_victims(random: Random) -> None:
    objects = [
        *random_cluster(random, priorities=(0, 0, 1, 1, 5, 20)),
        *(random_budget(random, f"b{i}") for i in range(random.randint(0, 3))),
    ]
    pod = random_pod(random, "new", priority=random.choice((3, 10)))
    outcome, cluster = explained(objects, pod)
    if outcome.preemption is None:
        return
    world = scalar.world_of(objects)
    verdicts = {name: scalar.verdict(pod, name, world) for name in world.nodes}
    potential = [name for name, told in verdicts.items() if told and told[1] == scalar.UNSCHEDULABLE]
    assert outcome.diagnosis is not None
    asked = {cluster.node_name(int(row)) for row in outcome.diagnosis.rows}
    potential = [name for name in potential if name in asked]
    assert [cluster.node_name(row) for row in outcome.preemption.potential] == potential
    want: dict[str, Any] = {name: scalar.victims(pod, name, world) for name in potential}
    found = {
        cluster.node_name(row): ([cluster.pods[p].key for p in victims.pods], victims.pdb_violations)
        for row, victims in outcome.preemption.candidates.items()
    }
    assert found == {name: told for name, told in want.items() if told and told[0]}
    errors = {cluster.node_name(r) for r, s in outcome.preemption.statuses.items() if s.code is Code.ERROR}
    assert errors == {name for name, told in want.items() if told and not told[0]}


def test_a_port_that_two_victims_hold_is_free_only_when_both_are_gone() -> None:
    def holding(name: str, priority: int, node: str = "") -> Pod:
        port = {"containerPort": 1, "hostPort": 80}
        return pod(name, node=node, priority=priority, containers=[{"name": "main", "ports": [port]}])

    new = holding("new", 10)
    objects: list[Object] = [node("a"), holding("low", 1, "a"), holding("mid", 5, "a")]
    outcome, cluster = explained([*objects], new)
    assert outcome.preemption is not None
    victims = outcome.preemption.candidates[0].pods
    # as the real scheduler says
    assert [cluster.pods[p].key for p in victims] == ["default/mid", "default/low"]
    assert scalar.victims(new, "a", scalar.world_of(objects)) == (["default/mid", "default/low"], 0)
