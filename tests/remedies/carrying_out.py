"""Carry remedies out on a cluster built anew from objects: nothing of the search is used but the change."""

from __future__ import annotations

import dataclasses

import msgspec

from kplan.cluster import AddPods, Cluster, Remove, build, to_state
from kplan.cluster.schema import COLUMNS
from kplan.pipeline import Planner
from kplan.remedies.candidate import Remedy
from kplan.result import Outcome
from kplan.scenario import Verb, parse_step
from kplan.wording.remedies import text_of


def outcome_with(planner: Planner, pod: str, remedy: Remedy) -> Outcome:
    """What becomes of a pod once a remedy is carried out, by a cluster that is built from the changed objects.

    Args:
        planner: planner over the cluster as it is; it is changed and put back.
        pod: ``namespace/name``.
        remedy: the remedy.
    """
    cluster = planner.cluster
    info = cluster.pods[cluster.pod_index[pod]]
    undos = []
    if remedy.candidate.edits:
        changed = msgspec.structs.replace(info.pod, spec=remedy.candidate.edited(info.pod.spec))
        undos.append(cluster.apply([Remove(info.row), AddPods((changed,))]))
    try:
        for changes in remedy.candidate.changes(cluster):
            undos.append(cluster.apply(changes))
        state = to_state(cluster)
    finally:
        for undo in reversed(undos):
            cluster.undo(undo)
    fresh = dataclasses.replace(planner, cluster=build(state, cluster.rules))
    return fresh.explain(fresh.cluster.pods[fresh.cluster.pod_index[pod]])


def helps(planner: Planner, pod: str, remedy: Remedy) -> str:
    """Say what is wrong with a remedy; empty if the pod is scheduled with it as was promised."""
    then = outcome_with(planner, pod, remedy)
    if remedy.effect.evicted:
        found = then.preemption
        good = then.choice < 0 and found is not None and bool(found.picks)
    elif remedy.effect.first:
        return "" if then.choice >= 0 else "fits nowhere"
    else:
        good = len(then.feasible) == len(remedy.effect.nodes) > 0 and not then.error
    return "" if good else f"{text_of(remedy.candidate)}: {len(then.feasible)} nodes, {then.error or then.fit_error}"


def unlike(remedy: Remedy) -> list[str]:
    """Flags of a remedy that mean another what-if than the one that was tried."""
    verbs = [step for step in remedy.candidate.steps if isinstance(step, Verb)]
    return [verb.flag for verb in verbs if parse_step(*verb.flag.removeprefix("--").split(" ", 1)) != verb]


def picture(cluster: Cluster, counters: int) -> tuple[object, ...]:
    """Everything that changes may touch, to be compared before and after.

    Args:
        cluster: the cluster.
        counters: how many counters there are: looking at a pod may make more, and takes none away.
    """
    arrays = tuple(getattr(cluster, column.name).tobytes() for column in COLUMNS)
    counts = cluster.counters.counts[:counters].tobytes()
    return (
        arrays,
        counts,
        [node.name for node in cluster.nodes],
        [id(node) for node in cluster.nodes],
        [(pod.key, pod.bound, pod.gone) for pod in cluster.pods],
        dict(cluster.pod_index),
        dict(cluster.node_index),
        dict(cluster.resources),
        msgspec.json.encode(list(to_state(cluster).objects())),
    )
