"""What is shown of a group of pods that are to be placed together or not at all."""

from __future__ import annotations

import msgspec

from kplan.result.document_base import Cause, Part
from kplan.result.document_how_to import HowTo


class GroupPlan(Part, frozen=True, kw_only=True):
    """What becomes of a group.

    Attributes:
        group: ``namespace/name`` of the PodGroup, or what was asked to be one: ``deploy/x``.
        result: ``placed``, ``preempted`` (placed after evictions), ``pending``, ``gated`` or ``failed``.
        text: all of it in one sentence.
        pods: how many of its pods wait.
        wanted: how many have to have a node at one time; of a group of groups, how many of its groups have to have what
            they need.
        groups: how many groups are in a group of groups (CompositePodGroup); 0 for others.
        scheduled: how many had one before.
        fits: how many of those that wait fit at one time, one after another.
        blocked_by: the first pod that gets no node once those before it have theirs; empty for none.
        because: why that one gets none.
        holds: pods by node: what those that fit would hold meanwhile, if the group got what it can.
        evicts: pods that leave for it.
        waits_for: other groups whose pods are in the way: without these it fits.
        starves: those of them that wait for this one likewise: neither ever gets what it needs.
        attempt: the cheapest change that lets more of it fit, and how many fit then; empty for none that was found.
        how_to: how that is carried out.
        message: the scheduler's exact text for the group; empty where it knows none.
        asked: whether it is a group only because that was asked (``--all-or-nothing``).
        decided_by: ``volcano``, ``kueue``, ``coscheduling`` or ``nobody``, of a group kube-scheduler does not know:
            then it is a what-if, of the group alone: ``result`` is ``fits`` or ``does-not-fit``. Empty for others.
    """

    group: str
    result: str
    text: str
    pods: int
    wanted: int
    groups: int = 0
    scheduled: int = 0
    fits: int = 0
    blocked_by: str = ""
    because: Cause | None = None
    holds: dict[str, int] = msgspec.field(default_factory=dict)
    evicts: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    starves: tuple[str, ...] = ()
    attempt: str = ""
    how_to: HowTo | None = None
    message: str = ""
    asked: bool = False
    decided_by: str = ""
