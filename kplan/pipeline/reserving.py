"""Assume and reserve: what placing a pod on a node takes, in the one place that takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from kplan.cluster import Assume, Change
from kplan.framework.codes import Point
from kplan.framework.findings import Failed, Refused
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.topology_labels import labels_of_binding


class ReserveRefusal(Struct, frozen=True):
    """A Reserve plugin did not let the pod be placed.

    Attributes:
        plugin: its name.
        text: what it says.
    """

    plugin: str
    text: str


class Taken(Struct):
    """What placing a pod took.

    Attributes:
        volumes: claim name to the volume bound to it, empty where one is provisioned.
        claims: names of the ResourceClaims that devices were allocated to.
        alone: whether it took nothing but room on the node.
        refused: by whom and why it was not placed in the end; None if it was.
    """

    volumes: dict[str, str] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    alone: bool = True
    refused: ReserveRefusal | None = None


def reserve(cycle: Cycle, row: int, apply: Callable[[Sequence[Change]], object], *, bind: bool = True) -> Taken:
    """Assume a pod on a node and let its Reserve plugins take what it needs there.

    Args:
        cycle: of the pod, after its filters were asked; the cluster is as it was then.
        row: row of the node.
        apply: carries changes out; who calls takes them back where a plugin refuses.
        bind: let PreBind plugins change what they do before the pod is bound.
    """
    taken = Taken()
    apply((Assume(cycle.pod.row, row),))
    for plugin in cycle.pipeline.at(Point.RESERVE):
        choice = (cycle.choices.get(plugin.name) or {}).get(row)
        answer = plugin.reserve(cycle.pod, cycle.states.get(plugin.name), cycle.cluster, row, choice)
        if isinstance(answer, Failed | Refused):
            text = answer.message if isinstance(answer, Failed) else ", ".join(answer.reasons)
            taken.refused = ReserveRefusal(plugin.name, text)
            return taken
        if answer.changes:
            apply(answer.changes)
            taken.alone = False
        taken.volumes.update(answer.volumes)
        taken.claims += answer.claims
    if bind and settle(cycle, row, apply):
        taken.alone = False
    return taken


def settle(cycle: Cycle, row: int, apply: Callable[[Sequence[Change]], object]) -> bool:
    """Let what PreBind plugins do before a pod is bound be done; tell whether that is anything.

    Args:
        cycle: of the pod, which is reserved on the node.
        row: row of the node.
        apply: carries changes out.
    """
    changed = False
    for plugin in cycle.pipeline.at(Point.PRE_BIND):
        if hasattr(plugin, "settle"):
            choice = (cycle.choices.get(plugin.name) or {}).get(row)
            written = plugin.settle(cycle.pod, cycle.states.get(plugin.name), cycle.cluster, row, choice)
            if written:
                apply(written)
                changed = True
    relabelled = labels_of_binding(cycle.cluster, cycle.pod, row, cycle.pipeline.features)
    if relabelled:
        apply(relabelled)
    return changed or bool(relabelled)
