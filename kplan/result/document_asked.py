"""What is shown of a pod where more was asked: of one node, and of the pod's turn in the queue."""

from __future__ import annotations

from kplan.result.document_base import Part


class AskedNode(Part, frozen=True, kw_only=True):
    """The one node that was asked about, where it does not refuse the pod.

    Attributes:
        node: its name.
        text: what it is to the pod: where it goes, or the place the node has by score.
        why: why the pod goes elsewhere; empty where it does not.
        place: by score, from 1; nodes that tie share one. 0 where nothing is scored.
        total: its score; None where nothing is scored.
        best: the highest score; None where nothing is scored.
    """

    node: str
    text: str
    why: str = ""
    place: int = 0
    total: int | None = None
    best: int | None = None


class Turn(Part, frozen=True, kw_only=True):
    """The pod's place in the queue, where those before it were placed first (``--with-queue``).

    Attributes:
        place: from 1.
        waiting: pods in the queue.
        placed: of those before it, how many found a node.
        alone: verdict if no other pod waited; empty where that is the same, or was not asked.
        alone_node: where it would go then.
        text: all of that in words.
    """

    place: int
    waiting: int
    placed: int
    alone: str = ""
    alone_node: str = ""
    text: str = ""
