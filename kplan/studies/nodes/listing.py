"""Nodes: what is requested, allocatable and free on each by the scheduler's own counting, as a document."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.cluster import CPU, MEMORY
from kplan.errors import UsageError
from kplan.objects.selectors import Selector
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_nodes import NodeList, PieceOfNode, Pool, ResourceTotal
from kplan.scenario.names import find_nodes, label_in_full
from kplan.studies.nodes.packing import closed_by, measure, open_nodes, reserved, within_nodes, workload
from kplan.studies.nodes.rows import Usage, count_doubts, counted
from kplan.studies.usage import INSTANCE_TYPES, POOLS
from kplan.wording import nodes as words

Int = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


class NodesAsked(Struct, frozen=True):
    """Which nodes, and in which order.

    Attributes:
        names: nodes by name, or by a label selector; all if empty.
        selector: by labels.
        sort_by: ``name``, ``full``, ``pods``, a resource (the fullest first) or ``free:RESOURCE`` (the most first);
            empty for by name.
        by: label key that pools are made by; found if empty.
    """

    names: tuple[str, ...] = ()
    selector: Selector | None = None
    sort_by: str = ""
    by: str = ""


def list_nodes(cluster: Cluster, asked: NodesAsked, origin: Origin) -> NodeList:
    """Tell the use of nodes.

    Args:
        cluster: the cluster.
        asked: which nodes, in which order.
        origin: where the state is from.

    Raises:
        UsageError: there is no such node or nothing to sort by.
    """
    rows = _chosen(cluster, asked)
    order, rows = _ordered(cluster, rows, asked.sort_by)
    among = np.zeros(len(cluster.nodes), dtype=np.bool_)
    among[rows] = True
    measured = measure(cluster, workload([cluster]), among)
    totals = _totals(cluster, measured, among)
    key, pools = _pools(cluster, among, asked.by)
    usage = Usage.of(cluster)
    return NodeList(
        api_version=API_VERSION,
        sentence=_sentence(cluster, among),
        because=_scarcest(cluster, totals, among),
        order=order,
        totals=totals,
        slot=_slot(cluster, among),
        pool_label=key,
        by=key if asked.by else "",
        pools=pools,
        nodes=tuple(usage.row(int(row), key) for row in rows),
        counted=tuple(counted(cluster, among)),
        doubts=count_doubts(cluster),
        balance=within_nodes(cluster, among),
        origin=origin,
    )


def _chosen(cluster: Cluster, asked: NodesAsked) -> Rows:
    rows = np.arange(len(cluster.nodes), dtype=np.intp)
    if asked.names:
        named = {name for text in asked.names for name in find_nodes(cluster, text)}
        rows = np.array(sorted(cluster.node_index[name] for name in named), dtype=np.intp)
    selector = asked.selector
    if selector is None:
        return rows
    return np.array([row for row in rows.tolist() if selector.matches(cluster.nodes[row].labels)], dtype=np.intp)


def _ordered(cluster: Cluster, rows: Rows, sort_by: str) -> tuple[str, Rows]:
    """Sort rows; equal ones by name. Returns the order in words, and the rows."""
    if sort_by in ("", "name"):
        return words.BY_NAME, rows
    kind, _, resource = sort_by.rpartition(":")
    known = [*cluster.resources, "pods"]
    if (kind and kind != "free") or (resource not in known and sort_by != "full"):
        raise UsageError(
            f"--sort-by {sort_by}: nothing to sort by",
            code="bad-sort",
            hint=f"name, full, free:RESOURCE or RESOURCE: one of {', '.join(known)}",
        )
    if kind == "free":
        there, used = _columns(cluster, resource)
        return words.free_first(resource), rows[np.argsort(-(there - used)[rows], kind="stable")]
    names = known if sort_by == "full" else [resource]
    share = np.zeros(len(cluster.nodes))
    for name in names:
        there, used = _columns(cluster, name)
        # where there is none, any use is more than full
        part = np.where(there > 0, used / np.maximum(there, 1), np.where(used > 0, np.inf, -1.0))
        share = np.maximum(share, part) if sort_by == "full" else part
    return words.fullest_first("" if sort_by == "full" else resource), rows[np.argsort(-share[rows], kind="stable")]


def _columns(cluster: Cluster, resource: str) -> tuple[Int, Int]:
    if resource == "pods":
        return cluster.allowed_pods, cluster.pod_count
    row = cluster.resources[resource]
    return cluster.allocatable[row], cluster.requested[row]


def _totals(cluster: Cluster, measured: dict[str, ResourceTotal], among: Mask) -> dict[str, ResourceTotal]:
    """Totals of each resource that one of these nodes has or counts, then of pods."""
    here = open_nodes(cluster) & among
    totals = {name: total for name, total in measured.items() if total.allocatable or total.requested}
    free = (cluster.allowed_pods - cluster.pod_count).clip(min=0) * here
    largest = int(free.max(initial=0))
    totals["pods"] = ResourceTotal(
        requested=int(cluster.pod_count[among].sum()),
        allocatable=int(cluster.allowed_pods[among].sum()),
        free=int(free.sum()),
        closed=int((cluster.allowed_pods - cluster.pod_count).clip(min=0)[among & ~here].sum()),
        largest=largest,
        largest_node=cluster.node_name(int(free.argmax())) if largest else "",
    )
    return totals


def _slot(cluster: Cluster, among: Mask) -> PieceOfNode | None:
    """Find the open node with the most room for one pod; one that is reserved by a taint only where all are.

    That is the greatest lesser of its free cpu and memory, each as a part of the most that any of these nodes has.
    """
    there = open_nodes(cluster) & among
    here = np.flatnonzero(there & ~reserved(cluster))
    here = here if len(here) else np.flatnonzero(there)
    if not len(here):
        return None
    free = (cluster.allocatable - cluster.requested).clip(min=0)
    shares = [free[row, here] / max(int(cluster.allocatable[row, among].max()), 1) for row in (CPU, MEMORY)]
    best = int(here[int(np.minimum(*shares).argmax())])
    names = {name: row for name, row in cluster.resources.items() if cluster.allocatable[row, best] > 0}
    return PieceOfNode(
        node=cluster.node_name(best),
        amounts={name: int(free[row, best]) for name, row in names.items()},
    )


def _pools(cluster: Cluster, among: Mask, by: str) -> tuple[str, tuple[Pool, ...]]:
    """Nodes by the label that tells their pool; the largest first."""
    key = label_in_full(cluster, by) if by else pool_label(cluster, among)
    if not key:
        return "", ()
    column = cluster.labels.column(key)
    if by and not column.present.any():
        raise UsageError(f"--by {by}: no node has that label", code="no-such-label", hint="its whole key, or zone")
    here = open_nodes(cluster)
    free = (cluster.allocatable - cluster.requested).clip(min=0)
    made = []
    for code in sorted(set(column.codes[among].tolist())):
        mask = among & (column.codes == code)
        names = [name for name, row in cluster.resources.items() if cluster.allocatable[row, mask].any()]
        rows = [cluster.resources[name] for name in names]
        made.append(
            Pool(
                name=column.values[code] if code >= 0 else "",
                nodes=int(mask.sum()),
                open=int((mask & here).sum()),
                full={
                    name: round(
                        100 * float(cluster.requested[row, mask].sum() / cluster.allocatable[row, mask].sum()), 1
                    )
                    for name, row in zip(names, rows, strict=True)
                },
                largest={
                    name: int(free[row, mask & here].max(initial=0)) for name, row in zip(names, rows, strict=True)
                },
            )
        )
    return key, tuple(sorted(made, key=lambda pool: (-pool.nodes, pool.name)))


def pool_label(cluster: Cluster, among: Mask) -> str:
    """Find the label key that tells pools apart; empty where none has two values or more on most of the nodes."""
    total = int(among.sum())
    for key in (*POOLS, *INSTANCE_TYPES):
        codes = cluster.labels.column(key).codes[among]
        there = codes[codes >= 0]
        if len(there) * 2 >= total and 2 <= len(set(there.tolist())) <= max(total // 2, 2):
            return key
    return ""


def _sentence(cluster: Cluster, among: Mask) -> str:
    closed = {name: int((mask & among).sum()) for name, mask in closed_by(cluster).items()}
    takes = open_nodes(cluster) & among
    kept = int((takes & reserved(cluster)).sum())
    return words.sentence(int(among.sum()), int(takes.sum()), int(cluster.pod_count[among].sum()), closed, kept)


def _scarcest(cluster: Cluster, totals: dict[str, ResourceTotal], among: Mask) -> Cause | None:
    """The resource with the greatest part requested over the open nodes, and in which pieces the rest lies."""
    shares = {
        name: total.fullness for name, total in totals.items() if total.fullness is not None and total.allocatable
    }
    if not shares:
        return words.all_closed() if among.any() else words.no_node(at_all=not cluster.nodes)
    name = max(shares, key=lambda key: shares[key])
    row = cluster.node_index.get(totals[name].largest_node)
    return words.scarcest(name, totals[name], tainted=row is not None and bool(reserved(cluster)[row]))
