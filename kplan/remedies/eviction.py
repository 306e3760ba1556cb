"""Eviction: a pod leaves its node, and what becomes of it then; both ways round where the order matters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct, structs
from msgspec.structs import replace

from kplan.cluster import PodInfo, PutNode, arrive, leave
from kplan.cluster.owners import controller, returns
from kplan.course.evictions.returning import made_again
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.models import Pod
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.shared.budgets import budgets_of
from kplan.plugins.shared.claims import claim_uses
from kplan.reasons.groups import NodeGroup
from kplan.remedies.about import Named, ResourceAmount
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Deed, row_of
from kplan.remedies.lab import Lab
from kplan.scenario.nodes import cordoned
from kplan.scenario.pods import Delete, Evict

_DEVICES = frozenset({ReasonCode.DEVICES_IN_USE, ReasonCode.DEVICE_COUNTERS, ReasonCode.DEVICE_CAPACITY})
_LET_GO = frozenset({ReasonCode.CLAIM_IN_USE, ReasonCode.DISK_IN_USE, *_DEVICES})
"""Reasons that go with the pods that hold something, though the scheduler evicts nobody for them."""
GROUPS = 3
NODES = 2
PODS = 3
TOGETHER = 3
"""Most pods that leave one node at once."""


class Fate(Struct, frozen=True):
    """What becomes of an evicted pod.

    Attributes:
        lands: the node it goes to once the other is placed; empty for none.
        order_free: whether the other fits too if the evicted pod is tried first.
        chain: the node it goes to while the freed node is cordoned; empty for none.
        copy: the pod its owner makes, on the node it lands.
    """

    lands: str = ""
    order_free: bool = True
    chain: str = ""
    copy: Pod | None = None


def propose(case: Case, lab: Lab) -> Iterator[Candidate]:
    """Evict the smallest pod that is enough, on the nearest nodes that an eviction can help."""
    preemption = case.asked.outcome.preemption
    helped = [group for group in case.groups if all(atom.evictable or atom.code in _LET_GO for atom in group.atoms)]
    chosen: set[int] = set()
    if preemption is not None and preemption.picks:
        chosen = set(preemption.candidates[preemption.picks[0]].pods)
    seen: set[tuple[int, ...]] = set()
    for group in helped[:GROUPS]:
        for row in group.rows[:NODES].tolist():
            found_here = False
            for rows in _sets(case, lab, group, int(row)):
                found_here = True
                if rows and rows not in seen and not chosen & set(rows):
                    seen.add(rows)
                    yield from _candidates(case, lab, int(row), rows)
            if not found_here and group is helped[0]:
                yield from _in_vain(case, group, int(row))


def _in_vain(case: Case, group: NodeGroup, node: int) -> Iterator[Candidate]:
    """Name the largest pod of a node, where not even its leaving is enough."""
    resource = next((atom.resource for atom in group.atoms if atom.resource and atom.resource != "pods"), "")
    pods = _movable(case, group, node) if resource else []
    if pods and _highest_victim(case) is None:
        largest = max(pods, key=lambda pod: pod.requests.get(resource, 0))
        name = case.cluster.node_name(node)
        what = Named("in-vain" if returns(largest) else "lost", node=name, names=(largest.key,))
        yield Candidate("evict-pod", RemedyCost.EVICT, what, named=True)


def _sets(case: Case, lab: Lab, group: NodeGroup, node: int) -> Iterator[tuple[int, ...]]:
    """Sets of pods whose leaving is enough, the smallest first."""
    pods = _movable(case, group, node)
    limit = _highest_victim(case)
    if limit is not None:
        pods = [pod for pod in pods if pod.priority < limit]
    enough = 0
    for pod in pods[: 2 * PODS]:
        if lab.exhausted or enough == PODS - 1:
            return
        if _frees(case, group, node, [pod]) and _fits(lab, [pod.row], node):
            enough += 1
            yield (pod.row,)
    if enough or limit is not None:
        return
    together: list[PodInfo] = []
    for pod in pods[::-1][:TOGETHER]:
        together.append(pod)
        if len(together) > 1 and not lab.exhausted and _frees(case, group, node, together):
            rows = [pod_info.row for pod_info in together]
            if _fits(lab, rows, node):
                yield tuple(sorted(rows))
                return


def _highest_victim(case: Case) -> int | None:
    """Priority that other victims have to be below, where preemption works by itself."""
    preemption = case.asked.outcome.preemption
    if preemption is None or not preemption.picks:
        return None
    return max((case.cluster.pods[row].priority for row in preemption.candidates[preemption.picks[0]].pods), default=0)


def _movable(case: Case, group: NodeGroup, node: int) -> list[PodInfo]:
    """Pods that may be in the way, those that cost least first."""
    cluster = case.cluster
    codes = {atom.code for atom in group.atoms}
    rows = cluster.pods_on(node)
    if codes & {"pod-anti-affinity", "others-anti-affinity"}:
        rows = _in_conflict(case, node) or rows
    if codes & {"claim-in-use"}:
        rows = _users_of_claims(case)
    if codes & _DEVICES:
        rows = _users_of_devices(case, node)
    pods = [cluster.pods[row] for row in rows]
    pods = [pod for pod in pods if controller(pod)[0] not in ("DaemonSet", "Node") and not pod.terminating]
    if "port-taken" in codes:
        wanted = {port.port for port in case.pod.pod_class.host_ports}
        pods = [pod for pod in pods if wanted & {port.port for port in pod.pod_class.host_ports}]
    resource = next((atom.resource for atom in group.atoms if atom.resource and atom.resource != "pods"), "cpu")
    return sorted(
        pods,
        key=lambda pod: (
            bool(_broken(case, pod)),
            not returns(pod),
            pod.priority,
            pod.requests.get(resource, 0),
            pod.key,
        ),
    )


def _in_conflict(case: Case, node: int) -> list[int]:
    facts = case.facts_of(InterPodAffinityFacts, [node])
    names = [
        name
        for conflict in (facts.nodes if facts is not None else ())
        for term in conflict.terms
        for name in term.pods.shown
    ]
    index = case.cluster.pod_index
    return list(dict.fromkeys(index[name] for name in names if name in index))


def _users_of_devices(case: Case, node: int) -> list[int]:
    """Pods that have devices which would do, or what they share."""
    facts = case.facts_of(DynamicResourcesFacts, [node])
    names = [
        user
        for claims in (facts.nodes if facts is not None else ())
        for device in (claims.request.devices if claims.request is not None else ())
        for user in device.users
    ]
    index = case.cluster.pod_index
    rows = dict.fromkeys(index[name] for name in names if name in index)
    return [row for row in rows if case.cluster.pods[row].bound and not case.cluster.pods[row].gone]


def _users_of_claims(case: Case) -> list[int]:
    own = {use.key for use in claim_uses(case.pod.pod)}
    return [
        pod.row
        for pod in case.cluster.pods
        if pod.bound and not pod.gone and pod.pod.spec.volumes and own & {use.key for use in claim_uses(pod.pod)}
    ]


def _frees(case: Case, group: NodeGroup, node: int, pods: Sequence[PodInfo]) -> bool:
    """Whether pods that leave give back what is short of resources; the rest is for the trial."""
    for atom in group.atoms:
        if atom.resource and atom.resource != "pods":
            needs, free, _ = case.asked.amounts(atom.resource, kept=atom.kept)
            if sum(pod.requests.get(atom.resource, 0) for pod in pods) < needs - int(free[node]):
                return False
    return True


def _fits(lab: Lab, rows: list[int], node: int) -> bool:
    with lab.changed(leave(lab.planner.cluster, rows)) as pod:
        return pod is not None and node in lab.look(pod).feasible


def _broken(case: Case, pod: PodInfo) -> str:
    """Name of a budget that allows no eviction of the pod; empty for none."""
    for budget in budgets_of(case.cluster, pod):
        if not budget.status.disruptions_allowed:
            return budget.name
    return ""


def _candidates(case: Case, lab: Lab, node: int, rows: tuple[int, ...]) -> Iterator[Candidate]:
    cluster = case.cluster
    pods = [cluster.pods[row] for row in rows]
    keys = tuple(pod.key for pod in pods)
    broken = next((name for name in map(lambda pod: _broken(case, pod), pods) if name), "")
    lost = [pod for pod in pods if not returns(pod)]
    if lost or broken:
        yield Candidate(
            "delete-pod",
            RemedyCost.LOSS,
            Named(names=keys),
            steps=tuple(map(deleted, pods)),
            harm="breaks-budget" if broken else "gone" if len(pods) == 1 else "gone-some",
            budget=broken,
        )
        if lost and len(pods) == 1 and any(atom.resource for atom in case.groups[0].atoms):
            yield from _moving(case, lab, node, pods[0])
        return
    if len(pods) > 1:
        yield Candidate("evict-pods", RemedyCost.EVICT, Named(names=keys), steps=tuple(map(_evict, pods)))
        return
    yield from _evicted(case, lab, node, pods[0])


def deleted(pod: PodInfo) -> Delete:
    """Delete a pod for good."""
    return Delete(f"pod/{pod.key}")


def _evict(pod: PodInfo) -> Evict:
    return Evict(f"pod/{pod.key}")


def _moving(case: Case, lab: Lab, node: int, pod: PodInfo) -> Iterator[Candidate]:
    """Say that a pod has no other place, where one would try to move it."""
    fate = _fate(case, lab, node, pod)
    if not fate.lands and not fate.chain:
        what = Named("no-room", node=case.cluster.node_name(node), names=(pod.key,))
        yield Candidate("move-pod", RemedyCost.EVICT, what, named=True)


def _evicted(case: Case, lab: Lab, node: int, pod: PodInfo) -> Iterator[Candidate]:
    name = case.cluster.node_name(node)
    fate = _fate(case, lab, node, pod)
    leaves = Named(node=name, names=(pod.key,), size=_size(case, pod))
    moves = dataclasses.replace(leaves, variant="moves", to=fate.lands)
    evict = Candidate("evict-pod", RemedyCost.EVICT, moves, steps=(_evict(pod),))
    if fate.order_free and fate.lands:
        yield evict
    elif fate.order_free or pod.priority < case.pod.priority:
        waits = dataclasses.replace(leaves, variant="waits")
        yield replace(evict, about=waits, cost=RemedyCost.LOSS if not fate.order_free else RemedyCost.EVICT)
    elif fate.chain and fate.copy is not None:
        steps = (_moved(pod.key, fate.copy),)
        yield replace(evict, code="move-pod", about=dataclasses.replace(leaves, to=fate.chain), steps=steps)
        yield Candidate("evict-pod", RemedyCost.EVICT, dataclasses.replace(leaves, variant="back-alone"), named=True)
    else:
        yield Candidate("move-pod", RemedyCost.EVICT, dataclasses.replace(leaves, variant="back"), named=True)


def _moved(key: str, copy: Pod) -> Deed:
    """A pod leaves, and the one its owner makes runs on another node."""
    return Deed(lambda cluster: (*leave(cluster, (row_of(cluster, key),)), *arrive(cluster, (copy,))))


def _size(case: Case, pod: PodInfo) -> ResourceAmount | None:
    resource = next(
        (atom.resource for group in case.groups for atom in group.atoms if atom.resource and atom.resource != "pods"),
        "",
    )
    return ResourceAmount(resource, pod.requests.get(resource, 0)) if resource else None


def _fate(case: Case, lab: Lab, node: int, victim: PodInfo) -> Fate:
    """Try both orders: the pod first, then the copy its owner makes; and the other way round."""
    cluster, name = case.cluster, case.cluster.node_name
    again = made_again(victim, f"{victim.name}-again", cluster)
    with lab.changed(leave(cluster, (victim.row,))):
        lab.take(lab.pod, node)
        with _added(lab, again) as copy:
            lands = _landing(lab, copy)
    order_free = True
    with lab.changed(leave(cluster, (victim.row,))), _added(lab, again) as copy:
        choice = _landing(lab, copy)
        if choice >= 0:
            with lab.changed(()) as pod:
                lab.take(copy, choice)
                order_free = pod is not None and lab.look(pod).choice >= 0
    chain, moved = "", None
    if not order_free:
        cordon = PutNode(name(node), cordoned(cluster.nodes[node], on=True))
        with lab.changed([cordon, *leave(cluster, (victim.row,))]), _added(lab, again) as copy:
            other = _landing(lab, copy)
            if other >= 0 and other != node:
                chain = name(other)
                moved = _on(again, chain)
    return Fate(name(lands) if lands >= 0 else "", order_free, chain, moved)


@contextmanager
def _added(lab: Lab, pod: Pod) -> Iterator[PodInfo]:
    with lab.trial() as trial:
        trial.apply(arrive(trial.cluster, (pod,)))
        yield trial.cluster.pods[-1]


def _landing(lab: Lab, copy: PodInfo) -> int:
    """Row of the node a pod goes to; -1 for none, or where another scheduler places it."""
    if not lab.planner.queue.responsible(copy):
        return -1
    outcome = lab.look(copy, scored=True)
    return outcome.choice if not outcome.error and not outcome.gated else -1


def _on(pod: Pod, node: str) -> Pod:
    return structs.replace(pod, spec=structs.replace(pod.spec, node_name=node))
