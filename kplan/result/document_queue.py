"""Documents: where a waiting pod stands in the scheduler's queue, and what wakes it."""

from __future__ import annotations

from kplan.result.document_base import Part


class Wake(Part, frozen=True, kw_only=True):
    """What a plugin that refused the pod asks to hear of.

    Attributes:
        plugin: its name.
        resource: what it happens to: ``Node``, ``AssignedPod``, ``TargetPod`` (the pod itself) ...
        actions: what happens to it, as ``Add`` or ``UpdateNodeTaint``.
        text: in words.
    """

    plugin: str
    resource: str
    actions: tuple[str, ...]
    text: str


class QueueState(Part, frozen=True, kw_only=True):
    """A waiting pod in the queue, as far as its status tells.

    Attributes:
        state: ``gated``, ``to-be-tried``, ``backing-off`` or ``unschedulable``.
        refused_by: plugins that refused it when it was last tried, or would now where that is not recorded.
        since: when it was first refused, RFC 3339; empty if unknown.
        until: until when it backs off, RFC 3339; empty if it does not, or that is not known.
        waits: whether it would fit now, and yet waits for something to happen.
        wakes: what does.
        text: in words.
    """

    state: str
    refused_by: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    waits: bool = False
    wakes: tuple[Wake, ...] = ()
    text: str = ""
