"""What the HTML report draws beside a document: how full nodes are, with their pods, and what they say to pods."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from kplan.result.document_base import Part


class PodUsage(Part, frozen=True, kw_only=True):
    """A pod that counts on a node.

    Attributes:
        pod: ``namespace/name``.
        amounts: what it counts there, in the scheduler's units.
        priority: its priority.
        change: ``lands`` or ``leaves`` where that is what the changes did; empty for a pod that stays.
    """

    pod: str
    amounts: dict[str, int]
    priority: int = 0
    change: str = ""


class NodeUsage(Part, frozen=True, kw_only=True):
    """One node as the scheduler counts it, before and after what was planned.

    Attributes:
        name: its name.
        allocatable: what it offers, in the scheduler's units; ``pods`` is the number of pods it takes.
        requested: sum of the requests of its pods, after; ``pods`` is their number.
        before: the same before; None where nothing changed. Empty for a node that was not there.
        zone: value of its zone label.
        pool: value of the label that names its pool, node group or the like.
        instance_type: value of its instance type label.
        labels: all its labels.
        taints: as they are typed, ``key=value:Effect``.
        unschedulable: whether it is cordoned.
        change: ``appears`` or ``leaves``; empty for a node that stays.
        pods: the pods on it, and those that left it, by name.
    """

    name: str
    allocatable: dict[str, int]
    requested: dict[str, int]
    before: dict[str, int] | None = None
    zone: str = ""
    pool: str = ""
    instance_type: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    taints: tuple[str, ...] = ()
    unschedulable: bool = False
    change: str = ""
    pods: tuple[PodUsage, ...] = ()


class NodeVerdicts(Part, frozen=True, kw_only=True):
    """What every node says to each of many pods: too much for their document, which names the nearest nodes alone.

    Attributes:
        nodes: names, in order.
        pods: place in ``letters`` by pod; pods that are refused alike share one.
        letters: a letter for each node: ``0`` where the pod fits, ``1`` to ``9`` and ``a`` to ``z`` for the group of
            the pod's answer that it is in, by its place; further groups from U+0100 + place; ``UNKNOWN``.
        left_out: pods for which it was too much.
    """

    UNKNOWN: ClassVar[str] = "."

    nodes: tuple[str, ...]
    pods: dict[str, int]
    letters: tuple[str, ...]
    left_out: int = 0


class Drawing(Part, frozen=True, kw_only=True):
    """What the HTML report draws beside a document.

    Attributes:
        nodes: how full the nodes are.
        verdicts: what each node says to each of many pods; None where the document tells it itself.
    """

    nodes: tuple[NodeUsage, ...] = ()
    verdicts: NodeVerdicts | None = None
