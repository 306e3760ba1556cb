"""What is shown of what-ifs: the steps as they were taken, and what each of them moved."""

from __future__ import annotations

from kplan.result.document_base import Cause, Part


class Move(Part, frozen=True, kw_only=True):
    """What became of one pod in a step.

    Attributes:
        pod: ``namespace/name`` of the pod that was tried; one made in place of another has a name of its own.
        result: ``placed``, ``pending``, ``gated`` or ``failed``.
        instead_of: the pod it stands for; empty for one that is new.
        owner: its controller.
        was: node the other ran on; empty for none.
        node: where it is now; empty for nowhere.
        evicts: pods that left for it.
        because: why it is nowhere.
        back: whether it went back to the node it was evicted from.
    """

    pod: str
    result: str
    instead_of: str = ""
    owner: str = ""
    was: str = ""
    node: str = ""
    evicts: tuple[str, ...] = ()
    because: Cause | None = None
    back: bool = False


class RefusedPods(Part, frozen=True, kw_only=True):
    """An object of a step that the API server refuses, or pods of one that it takes.

    Attributes:
        object: ``deploy/shop/web``.
        pods: how many of its pods are refused; absent where the object itself is.
        text: why, in the server's words.
    """

    object: str
    pods: int = 0
    text: str


class HeldPods(Part, frozen=True, kw_only=True):
    """What a controller leaves undone of a step until a pod that is in its way is ready, or gone.

    Attributes:
        object: ``sts/shop/db``.
        pod: ``namespace/name`` of the pod in the way.
        because: why it is in the way.
    """

    object: str
    pod: str
    because: Cause


class WhatIfStep(Part, frozen=True, kw_only=True):
    """One step, on the state that the former left.

    Attributes:
        step: the flag as typed.
        text: what it did.
        moves: pods that were placed or tried again because of it, in order.
        evicted: pods that left their nodes for it, to be made again.
        lost: pods that left for good.
        notes: what else to say.
        refused: objects, or pods of objects, that the API server refuses.
        held: what controllers leave undone of it.
        expected: what the scenario expects of it, in words.
        unmet: which of these does not hold, and what is so instead.
        name: as the scenario calls it.
        wakes: waiting pods that the scheduler tries again because of it, refused as the cluster was before.
        asked: whether it is the change that is asked about, so that the verdict tells of its pods.
    """

    step: str
    text: str
    moves: tuple[Move, ...] = ()
    evicted: int = 0
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refused: tuple[RefusedPods, ...] = ()
    held: tuple[HeldPods, ...] = ()
    expected: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    name: str = ""
    wakes: tuple[str, ...] = ()
    asked: bool = False
