"""From objects to columns: once per cluster, and for pods that appear later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kplan.cluster.cluster import FIXED_RESOURCES, Cluster, Revert
from kplan.cluster.copies import same_by_parts
from kplan.cluster.counters import Counters
from kplan.cluster.pods import DEFAULT_SCHEDULER, NO_TIME, NOBODY, PodClass, PodInfo, seconds
from kplan.cluster.schema import COLUMNS, PER_POD, PER_RESOURCE, sizes_of
from kplan.cluster.spread_labels import labels_spread_by
from kplan.cluster.work import Work
from kplan.objects.models import Node, Pod
from kplan.objects.models.meta import OwnerReference
from kplan.objects.quantity import value
from kplan.objects.request_sums import all_containers, all_statuses, is_resize_infeasible
from kplan.objects.requests import (
    RequestRules,
    non_zero_requests,
    pod_requests,
    scheduler_units,
)
from kplan.objects.state import ClusterState

_encode = msgspec.json.Encoder().encode

Array = NDArray[Any]
Named = tuple[str, str]


class PodAmounts(NamedTuple):
    """What a pod asks for and what it counts on its node, in the scheduler's units.

    Attributes:
        requests: what it asks for, by resource.
        non_zero: (cpu millicores, memory bytes) of the same with defaults.
        on_node: what it counts once placed: with the status of a resize that is under way.
        non_zero_on_node: the same with defaults.
    """

    requests: Mapping[str, int]
    non_zero: tuple[int, int]
    on_node: Mapping[str, int]
    non_zero_on_node: tuple[int, int]


def build(state: ClusterState, rules: RequestRules | None = None, as_scheduler: str = "") -> Cluster:
    """Build the columns of a state.

    Args:
        state: the objects; pods that ended are left out, a pod on a node the state lacks counts on none.
        rules: how requests are counted in this version; those of the newest if None.
        as_scheduler: schedulerName that every pod is taken to have; empty for its own.
    """
    cluster = Cluster(state, rules or RequestRules())
    cluster.as_scheduler = as_scheduler
    _build_nodes(cluster)
    cluster.counters = Counters(cluster)
    append_pods(cluster, state.pods)
    cluster.pods_read = len(cluster.pods)
    cluster.work = Work.of(state.text, len(cluster.pods), state.of_yaml, state.worked)
    return cluster


def _build_nodes(cluster: Cluster) -> None:
    nodes = cluster.nodes
    scalars = sorted({name for node in nodes for name in allocatable_of(node) if name not in FIXED_RESOURCES})
    cluster.resources = {name: row for row, name in enumerate((*FIXED_RESOURCES, *scalars))}
    sizes = sizes_of(cluster)
    for column in COLUMNS:
        setattr(cluster, column.name, column.blanks(sizes))
    for row, node in enumerate(nodes):
        fill_node(cluster, row, node)


def fill_node(cluster: Cluster, row: int, node: Node) -> None:
    """Write what a node is (not what runs on it) into its row; its resources have rows already."""
    cluster.allocatable[:, row] = 0
    for name, amount in allocatable_of(node).items():
        cluster.allocatable[cluster.resources[name], row] = amount
    cluster.allowed_pods[row] = value((node.status.allocatable or {}).get("pods", 0))
    cluster.unschedulable[row] = bool(node.spec.unschedulable)
    taints = tuple(node.spec.taints or ())
    key = tuple((taint.key, taint.value or "", taint.effect) for taint in taints)
    cluster.taint_set[row] = cluster.distinct_taints.number(key, taints)
    declared = frozenset(node.status.declared_features or ())
    cluster.feature_set[row] = cluster.distinct_features.number(declared, declared)


def allocatable_of(node: Node) -> dict[str, int]:
    """Read ``status.allocatable`` of a node in the scheduler's units, without pods.

    Source: v1.37.2 pkg/scheduler/framework/types.go Resource.Add.
    """
    amounts = scheduler_units(node.status.allocatable)
    amounts.pop("pods", None)
    return amounts


def append_pods(cluster: Cluster, pods: Sequence[Pod], made_of: PodInfo | None = None) -> Revert:
    """Add rows for pods that have not ended; return what takes exactly them away again.

    Args:
        cluster: the cluster.
        pods: the pods.
        made_of: the pod that a single one was copied from: what it has from that need not be worked out again.
    """
    before = len(cluster.pods)
    resources = cluster.resources
    running = [pod for pod in pods if not pod.ended]
    cluster.spread_by |= labels_spread_by(running)
    known: dict[bytes, PodAmounts] = cluster.objects.derived("what pods count", (), dict)
    if made_of is not None and len(running) == 1 and same_by_parts(made_of, running[0]):
        counted = [PodAmounts(made_of.requests, made_of.non_zero, made_of.requests, made_of.non_zero)]
        infos = [_info(cluster, running[0], before, counted[0], made_of.pod_class)]
    else:
        counted = [_counted(cluster, pod, known) for pod in running]
        infos = [
            _info(cluster, pod, before + i, counts)
            for i, (pod, counts) in enumerate(zip(running, counted, strict=True))
        ]
    widen(cluster, sorted({name for counts in counted for name in counts.on_node} - set(cluster.resources)))

    shadowed = {info.key: cluster.pod_index.get(info.key) for info in infos}
    cluster.pod_index.update({info.key: info.row for info in infos})
    cluster.pods.extend(infos)
    cluster.pod_generation += 1
    if len(infos) != 1 or not _put_row(cluster, infos[0], counted[0]):
        for name, values in _pod_columns(cluster, infos, counted).items():
            setattr(cluster, name, _lengthened(cluster, name, values))
    cluster.counters.extend()
    bound = any(info.bound for info in infos)
    placed = before + np.flatnonzero(cluster.pod_node[before:] >= 0) if bound else np.zeros(0, dtype=np.intp)
    _count(cluster, placed, 1)
    cluster.nominations |= any(info.pod.status.nominated_node_name for info in infos)

    def revert() -> None:
        _count(cluster, placed, -1)
        for key, row in shadowed.items():
            if row is None:
                del cluster.pod_index[key]
            else:
                cluster.pod_index[key] = row
        del cluster.pods[before:]
        cluster.pod_generation += 1
        for column in PER_POD:
            setattr(cluster, column.name, getattr(cluster, column.name)[..., :before])
        narrow(cluster, resources)

    return revert


def _pod_columns(cluster: Cluster, infos: Sequence[PodInfo], counted: Sequence[PodAmounts]) -> dict[str, Array]:
    """Lay pods out as columns, by name."""
    sizes = {**sizes_of(cluster), "P": len(infos)}
    columns = {column.name: column.blanks(sizes) for column in PER_POD}
    columns["pod_class"][:] = [info.pod_class.index for info in infos]
    columns["pod_priority"][:] = [info.priority for info in infos]
    rows, where = cluster.node_index, columns["pod_node"]
    where[:] = [rows.get(info.pod.spec.node_name or "", -1) if info.bound else -1 for info in infos]
    nominated, start = columns["pod_nominated"], columns["pod_start"]
    for i, info in enumerate(infos):
        status = info.pod.status
        if status.nominated_node_name and not info.bound:
            nominated[i] = rows.get(status.nominated_node_name, -1)
        if status.start_time:
            start[i] = seconds(status.start_time)
    distinct: dict[int, int] = {}
    number = [distinct.setdefault(id(counts), len(distinct)) for counts in counted]
    each = {id(counts): counts for counts in counted}
    request = np.zeros((len(cluster.resources), len(distinct)), dtype=np.int64)
    non_zero = np.zeros((2, len(distinct)), dtype=np.int64)
    for identity, at in distinct.items():
        for name, amount in each[identity].on_node.items():
            request[cluster.resources[name], at] = amount
        non_zero[:, at] = each[identity].non_zero_on_node
    columns["pod_request"][:] = request[:, number]
    columns["pod_non_zero"][:] = non_zero[:, number]
    return columns


def _put_row(cluster: Cluster, info: PodInfo, counts: PodAmounts) -> bool:
    """Write one pod behind the columns, in the room that is there; False where there is none."""
    row, rooms = info.row, []
    for column in PER_POD:
        room = _room_of(cluster, column.name, row + 1)
        if room is None:
            return False
        rooms.append((column.name, room))
    status, nodes = info.pod.status, cluster.node_index
    values = {
        "pod_node": nodes.get(info.pod.spec.node_name or "", -1) if info.bound else -1,
        "pod_nominated": nodes.get(status.nominated_node_name or "", -1) if not info.bound else -1,
        "pod_class": info.pod_class.index,
        "pod_priority": info.priority,
        "pod_start": seconds(status.start_time) if status.start_time else NO_TIME,
        "pod_request": 0,
        "pod_non_zero": counts.non_zero_on_node,
    }
    for name, room in rooms:
        room[..., row] = values[name]
        setattr(cluster, name, room[..., : row + 1])
    for name, amount in counts.on_node.items():
        cluster.pod_request[cluster.resources[name], row] = amount
    return True


def _room_of(cluster: Cluster, name: str, need: int) -> Array | None:
    """The spare room that an earlier call left behind a column; None where that is not enough."""
    column, room = getattr(cluster, name), cluster.rooms.get(name)
    if room is None or column.base is not room or room.shape[-1] < need or room.shape[:-1] != column.shape[:-1]:
        return None
    return room


def _lengthened(cluster: Cluster, name: str, values: Array) -> Array:
    """Put values behind a column, in the spare room that an earlier call left; a view of what is in use.

    What-ifs add pods one at a time and take them back: neither may cost a copy of all columns.
    """
    column: Array = getattr(cluster, name)
    have, need = column.shape[-1], column.shape[-1] + values.shape[-1]
    room = _room_of(cluster, name, need)
    if room is None:
        room = np.zeros((*column.shape[:-1], need + need // 4 + 16), dtype=column.dtype)
        room[..., :have] = column
        cluster.rooms[name] = room
    room[..., have:need] = values
    return room[..., :need]


def _info(cluster: Cluster, pod: Pod, row: int, counts: PodAmounts, pod_class: PodClass | None = None) -> PodInfo:
    spec, metadata = pod.spec, pod.metadata
    name, namespace = metadata.name or "", metadata.namespace or ""
    key = f"{namespace}/{name}" if namespace else name
    return PodInfo(
        row,
        pod,
        key,
        namespace,
        name,
        metadata.uid or key,
        spec.priority or 0,
        cluster.as_scheduler or spec.scheduler_name or DEFAULT_SCHEDULER,
        pod_class or cluster.classes.of(pod),
        counts.requests,
        counts.non_zero,
        bool(spec.node_name),
        controlled_by=_controller(metadata.owner_references, cluster.controllers),
        annotated=bool(metadata.annotations),
    )


def _controller(owners: Sequence[OwnerReference] | None, known: dict[Named, Named]) -> Named:
    """Kind and name of the owner that controls; pods of one owner share them."""
    for owner in owners or ():
        if owner.controller:
            named = owner.kind or "", owner.name or ""
            return known.setdefault(named, named)
    return NOBODY


def _counted(cluster: Cluster, pod: Pod, known: dict[bytes, PodAmounts]) -> PodAmounts:
    """Work out what a pod counts; pods of one template are alike in all that decides it, so that is done once."""
    key = _what_counts(pod)
    counts = known.get(key)
    if counts is None:
        counts = known[key] = PodAmounts(
            pod_requests(pod, cluster.rules, use_status=False),
            non_zero_requests(pod, cluster.rules, use_status=False),
            pod_requests(pod, cluster.rules, use_status=True),
            non_zero_requests(pod, cluster.rules, use_status=True),
        )
    return counts


def _what_counts(pod: Pod) -> bytes:
    """All of a pod that decides what it counts, as a key; what its status repeats is left out where it says nothing."""
    spec, status = pod.spec, pod.status
    plain = (
        [container.resources for container in spec.containers or ()],
        [(c.resources, c.restart_policy) for c in spec.init_containers] if spec.init_containers else (),
        spec.overhead,
        spec.resources,
        status.node_allocatable_resource_claim_statuses,
    )
    infeasible = is_resize_infeasible(pod)
    statuses = all_statuses(pod)
    told = [c for c in statuses if c.resources is not None or c.allocated_resources is not None]
    if not told and not infeasible and status.resources is None and status.allocated_resources is None:
        return _encode(plain)
    return _encode(
        (
            plain,
            [container.name for container in all_containers(pod)],
            [(c.name, c.resources, c.allocated_resources) for c in statuses],
            status.resources,
            status.allocated_resources,
            infeasible,
        )
    )


def recount(cluster: Cluster, info: PodInfo, pod: Pod) -> Revert:
    """Put another object in the place of a pod that differs in what it counts on its node; return what undoes it."""
    former, resources, row = info.pod, cluster.resources, info.row
    counts = _counted(cluster, pod, cluster.objects.derived("what pods count", (), dict))
    before = cluster.pod_request[:, row].copy(), cluster.pod_non_zero[:, row].copy()
    node = int(cluster.pod_node[row])
    if node >= 0:
        cluster.move(row, node, -1)
    widen(cluster, sorted(set(counts.on_node) - set(cluster.resources)))
    cluster.pod_request[:, row] = 0
    for name, amount in counts.on_node.items():
        cluster.pod_request[cluster.resources[name], row] = amount
    cluster.pod_non_zero[:, row] = counts.non_zero_on_node
    info.pod = pod
    if node >= 0:
        cluster.move(row, node, 1)

    def revert() -> None:
        if node >= 0:
            cluster.move(row, node, -1)
        narrow(cluster, resources)
        cluster.pod_request[:, row], cluster.pod_non_zero[:, row] = before
        info.pod = former
        if node >= 0:
            cluster.move(row, node, 1)

    return revert


def widen(cluster: Cluster, names: Sequence[str]) -> None:
    """Give resources that only pods know a row of their own: allocatable 0 everywhere."""
    if not names:
        return
    cluster.resources = {**cluster.resources, **{n: len(cluster.resources) + i for i, n in enumerate(names)}}
    cluster.touched.everything()
    for column in PER_RESOURCE:
        array = getattr(cluster, column.name)
        more = column.blanks({"R": len(names), column.axes[1]: array.shape[1]})
        setattr(cluster, column.name, np.concatenate((array, more)))


def narrow(cluster: Cluster, resources: dict[str, int]) -> None:
    """Take the rows of resources that appeared since away again; nothing counts in them any more."""
    if cluster.resources is resources:
        return
    cluster.resources = resources
    cluster.touched.everything()
    for column in PER_RESOURCE:
        array = getattr(cluster, column.name)
        if len(array) > len(resources):
            setattr(cluster, column.name, np.ascontiguousarray(array[: len(resources)]))


def _count(cluster: Cluster, rows: NDArray[np.intp], sign: int) -> None:
    """Count many placed pods in or out at once."""
    if not len(rows):
        return
    nodes = cluster.pod_node[rows]
    if cluster.touched.followed:
        cluster.touched.pods(nodes.tolist())
    for resource in range(len(cluster.resources)):
        np.add.at(cluster.requested[resource], nodes, sign * cluster.pod_request[resource, rows])
    for i in range(2):
        np.add.at(cluster.non_zero_requested[i], nodes, sign * cluster.pod_non_zero[i, rows])
    np.add.at(cluster.pod_count, nodes, sign)
    for counter in range(len(cluster.counters)):
        weights = cluster.counters.weights[counter, cluster.pod_class[rows]]
        np.add.at(cluster.counters.counts[counter], nodes, sign * weights)
