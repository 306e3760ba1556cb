"""Bounds: how many nodes, or how much of what they cost, has to stay whatever moves where.

Of the scheduler's rules only those are kept that look at a node itself (its labels, taints, name), and that what pods
ask for has to fit; not even that a pod is in one piece. So no plan goes below, and a plan that meets it is the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.course.moving.solver import Row, minimise
from kplan.course.trial.alike import likeness
from kplan.framework.codes import Point, Reads
from kplan.framework.worlds import plain
from kplan.pipeline import Planner
from kplan.plugins.node_resources_fit import NodeResourcesFit
from kplan.plugins.shared.resources import delegated_to_devices

Float = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Demand(Struct, frozen=True):
    """What pods ask for that fit only on some nodes.

    Attributes:
        nodes: bool[N], the nodes.
        amounts: float64[R + 1], what they ask for; the last is their number.
    """

    nodes: Mask
    amounts: Float


class Offer(Struct, frozen=True):
    """What nodes offer to pods that are not theirs.

    Attributes:
        offered: float64[R + 1, N]; the last is a number of pods.
        worth: float64[N], what each costs.
        stays: bool[N], nodes that stay whatever is asked.
    """

    offered: Float
    worth: Float
    stays: Mask


def demands(planner: Planner, pods: Sequence[PodInfo]) -> list[Demand]:
    """Sum what pods ask for by the nodes on which they may be at all, nested sets of nodes included.

    Args:
        planner: planner over the cluster.
        pods: pods that have to be somewhere.
    """
    cluster = planner.cluster
    alike: dict[object, list[PodInfo]] = {}
    for pod in pods:
        alike.setdefault(likeness(pod), []).append(pod)
    by_nodes: dict[bytes, tuple[Mask, Float]] = {}
    for some in alike.values():
        mask = eligible(planner, some[0])
        amounts = np.zeros(len(cluster.resources) + 1)
        for pod in some:
            amounts[:-1] += cluster.pod_request[:, pod.row]
        amounts[-1] = len(some)
        amounts[~checked(planner, some[0])] = 0
        known = by_nodes.get(mask.tobytes())
        by_nodes[mask.tobytes()] = (mask, amounts if known is None else known[1] + amounts)
    masks = [mask for mask, _ in by_nodes.values()]
    masks.append(np.ones(len(cluster.nodes), dtype=np.bool_))
    wanted = []
    for mask in {nodes.tobytes(): nodes for nodes in masks}.values():
        inside = [amounts for other, amounts in by_nodes.values() if not (other & ~mask).any()]
        wanted.append(Demand(mask, np.sum(inside, axis=0) if inside else np.zeros(len(cluster.resources) + 1)))
    return wanted


def eligible(planner: Planner, pod: PodInfo) -> Mask:
    """bool[N], the nodes that no rule refuses to a pod which looks at nothing but the node."""
    cluster = planner.cluster
    allowed = np.ones(len(cluster.nodes), dtype=np.bool_)
    pipeline = planner.pipelines[pod.scheduler_name]
    every = plain(cluster.all_rows)
    for plugin in pipeline.at(Point.FILTER):
        if plugin.reads(Point.FILTER, pod) != Reads.NODE or not hasattr(plugin, "filter"):
            continue
        state = None
        if hasattr(plugin, "pre_filter"):
            answer = plugin.pre_filter(pod, cluster)
            state = getattr(answer, "state", None)
            if state is None:
                continue
        allowed &= ~plugin.filter(pod, state, cluster, every).failed
    return allowed


def checked(planner: Planner, pod: PodInfo) -> Mask:
    """bool[R + 1], the resources of which a node has to have as much as a pod asks for; the last is a number of pods.

    Not those that the profile ignores, and none that devices may stand for.
    """
    cluster, pipeline = planner.cluster, planner.pipelines[pod.scheduler_name]
    mask = np.zeros(len(cluster.resources) + 1, dtype=np.bool_)
    fit = next((plugin for plugin in pipeline.at(Point.FILTER) if isinstance(plugin, NodeResourcesFit)), None)
    if fit is None:
        return mask
    mask[-1] = True
    for name, _ in fit.pre_filter(pod, cluster).state:
        resource = cluster.resource(name)
        if resource is not None:
            mask[resource] = delegated_to_devices(name, cluster, pipeline.features) is None
    return mask


def bound(supply: Offer, wanted: Sequence[Demand]) -> float:
    """What at least has to stay, in the units of ``supply.worth``: by linear programming where a solver is there.

    Args:
        supply: the nodes.
        wanted: what has to fit on them.
    """
    counted = _by_counting(supply, wanted)
    solved = _by_solver(supply, wanted)
    return counted if solved is None else max(counted, solved)


def _by_counting(supply: Offer, wanted: Sequence[Demand]) -> float:
    """The largest bound of any one demand and resource, or of several that have no node in common."""
    fixed = float(supply.worth[supply.stays].sum())
    best = fixed
    for resource in range(len(supply.offered)):
        apart, taken = fixed, np.zeros(len(supply.worth), dtype=np.bool_)
        for demand in sorted(wanted, key=lambda pod: int(pod.nodes.sum())):
            cost = _more(supply, demand, resource)
            best = max(best, fixed + cost)
            if not (demand.nodes & taken).any():
                apart += cost
                taken |= demand.nodes
        best = max(best, apart)
    return best


def _more(supply: Offer, demand: Demand, resource: int) -> float:
    """What it takes beside the nodes that stay to offer what is asked for of one resource."""
    offered = supply.offered[resource]
    left = float(demand.amounts[resource]) - float(offered[demand.nodes & supply.stays].sum())
    free = np.flatnonzero(demand.nodes & ~supply.stays & (offered > 0))
    return _fewest(left, offered[free], supply.worth[free]) if left > 0 else 0.0


def _fewest(amount: float, offered: Float, worth: Float) -> float:
    """What it takes to offer an amount: where all cost the same whole nodes, else parts of the last one."""
    order = np.argsort(worth / offered, kind="stable")
    total, cost = 0.0, 0.0
    whole = len(set(worth.tolist())) <= 1
    for at in order.tolist():
        if total >= amount:
            break
        part = 1.0 if whole else min(1.0, (amount - total) / float(offered[at]))
        total += float(offered[at])
        cost += part * float(worth[at])
    return cost


def _by_solver(supply: Offer, wanted: Sequence[Demand]) -> float | None:
    """The same of all demands together; None without a solver."""
    rows = [
        Row(np.where(demand.nodes, supply.offered[resource], 0.0), amount)
        for demand in wanted
        for resource, amount in enumerate(demand.amounts.tolist())
        if amount > 0
    ]
    most = np.ones(len(supply.worth))
    solution = minimise(supply.worth, supply.stays.astype(np.float64), most, rows)
    # a part of a millionth is what such a solver may be wrong by
    return solution.bound * (1 - 1e-6) if solution is not None else None


def offered(cluster: Cluster, own: Mapping[int, Sequence[int]]) -> Float:
    """float64[R + 1, N], what each node offers beside its own pods (of DaemonSets, static ones); and to how many.

    Args:
        cluster: the cluster.
        own: rows of those pods by row of the node.
    """
    amounts = np.vstack([cluster.allocatable, cluster.allowed_pods]).astype(np.float64)
    for node, rows in own.items():
        for row in rows:
            amounts[:-1, node] -= cluster.pod_request[:, row]
            amounts[-1, node] -= 1
    return np.maximum(amounts, 0.0)
