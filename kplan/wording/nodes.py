"""Words of a list of nodes: how many take pods, what is scarcest, their order, and what is special in the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kplan.result.document_base import Cause
from kplan.result.document_nodes import ResourceTotal
from kplan.words import amounts, count, joined, listed, short_amount

POD_LIMIT = "pod limit"
"""What closes a node that runs as many pods as it may."""
CONTROL_PLANE = "control plane"
"""What closes a node that is kept for the cluster's own servers."""
_CLOSED = {POD_LIMIT: "at the pod limit"}
BY_NAME = "by name"


def free_first(resource: str) -> str:
    """The order of nodes with the most of a resource first."""
    return f"most {resource} free first"


def fullest_first(resource: str = "") -> str:
    """The order of the fullest nodes first: by any resource, or by one."""
    return f"fullest first, by {resource}" if resource else "fullest first"


def sentence(nodes: int, takes: int, pods: int, closed: Mapping[str, int], tainted: int = 0) -> str:
    """Say how many nodes take pods, and why others do not.

    Args:
        nodes: how many there are.
        takes: how many of them take pods.
        pods: how many run there.
        closed: nodes by what closes them; one may be closed by several.
        tainted: how many of those that take pods take those alone that tolerate a taint of people's own.
    """
    whole = count(nodes, "node")
    if not nodes:
        return whole
    there = f"{count(pods, 'pod')} on {'it' if nodes == 1 else 'them'}"
    told = [
        f"{number:,} {_CLOSED.get(name, name)}" for name, number in (*closed.items(), ("tainted", tainted)) if number
    ]
    pod, takes = ("any pod" if tainted else "pods"), takes - tainted
    if not told:
        return f"{whole}, {'it takes' if nodes == 1 else 'all take'} pods; {there}"
    return f"{whole}, {takes:,} {'takes' if takes == 1 else 'take'} {pod} ({', '.join(told)}); {there}"


def no_node(*, at_all: bool) -> Cause:
    """Say that no node was asked about."""
    return Cause(code="no-nodes", text="there is no node at all" if at_all else "no node is like that")


def all_closed() -> Cause:
    """Say that no node takes pods."""
    return Cause(code="all-closed", text="no node takes pods")


def scarcest(name: str, total: ResourceTotal, *, tainted: bool = False) -> Cause:
    """Say of the scarcest resource how much is free, and in which pieces; the node of the largest may be tainted."""
    if not total.requested:
        return Cause(code="unused", text="nothing is requested of these nodes")
    if not total.free:
        return Cause(code="scarcest", text=f"{name} is scarcest: none is free on the nodes that take pods")
    free, largest = short_amount(name, total.free), short_amount(name, total.largest)
    node = f"{total.largest_node}, tainted" if tainted else total.largest_node
    where = f"all on {node}"
    if total.free != total.largest:
        where = f"at most {largest} in one piece ({node})"
    return Cause(code="scarcest", text=f"{name} is scarcest: {free} free, {where}")


# --- what is special in the numbers


def leaving(pods: int, sums: Mapping[str, int]) -> str:
    """Say that pods are being deleted, and what they count until then.

    Args:
        pods: how many.
        sums: what they request, by resource.
    """
    told = joined(
        f"{amounts(name, amount)[0]}{' cpu' if name == 'cpu' else '' if name == 'memory' else f' {name}'}"
        for name, amount in sums.items()
        if amount
    )
    single = pods == 1
    verb = (
        "is being deleted and counts until it is gone" if single else "are being deleted and count until they are gone"
    )
    return f"{count(pods, 'pod')} {verb}{f': {told}' if told else ''}"


def waiting(pods: int, nominated: int, nodes: Sequence[str]) -> str:
    """Say that pods wait, and of how many of them room is kept where."""
    text = f"not counted: {count(pods, 'waiting pod')}"
    return f"{text}; {nominated:,} nominated, with room kept on {listed(nodes)}" if nominated else text


def nowhere(pods: int, nodes: Sequence[str]) -> str:
    """Say that pods run on nodes that the source lacks."""
    runs = "runs" if pods == 1 else "run"
    return f"not counted: {count(pods, 'pod')} that {runs} on nodes missing from the dump: {listed(nodes)}"


def more_than_containers(sidecars: int, overhead: int, pod_level: int) -> str:
    """Say that what pods request is more than that of their containers, by the pods that this is so of."""
    kinds = {"sidecars": sidecars, "overhead": overhead, "pod-level requests": pod_level}
    told = [f"{name} of {count(number, 'pod')}" for name, number in kinds.items() if number]
    return f"{joined(told)} {'is' if overhead and len(told) == 1 else 'are'} counted in"
