"""What a what-if is: how it is written, what it does to a cluster, who is evicted by that, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from msgspec import Struct

from kplan.admission.expansion import LeftOut
from kplan.cluster import Change, Cluster, PodInfo
from kplan.cluster.owners import controller, owner_without_control
from kplan.errors import UsageError
from kplan.words import listed


class LeftUndone(Struct, frozen=True):
    """What a controller leaves undone until a pod that is in its way is ready, or gone.

    Attributes:
        pod: ``namespace/name`` of that pod.
        node: where it is; empty for nowhere.
        owner: kind and name of the controller.
        silent: whether it stays Terminating as its node is silent; else it is not ready.
    """

    pod: str
    node: str
    owner: tuple[str, str]
    silent: bool = False


class Effect(Struct, frozen=True):
    """What a verb does.

    Attributes:
        changes: to be applied in this order. Rows of nodes in them hold as long as no PutNode before adds or drops one.
        evicted: rows of pods that ``changes`` remove and whose controllers make others, as an eviction does.
        lost: rows of pods that ``changes`` remove for good; what goes with a node because it is that node's (a pod of a
            DaemonSet, a static pod) is not missed, and not among them.
        text: what it comes to, in words ("node-b cordoned").
        notes: what else to say of it.
        refused: objects, or pods of them, that the API server refuses, a quota for one.
        held: what controllers leave undone of it.
        asked_about: rows of pods that ``changes`` put back under their names and that go on to wait as they did, if no
            step before made them wait: they are what the command is asked about.
    """

    changes: tuple[Change, ...]
    evicted: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    text: str = ""
    notes: tuple[str, ...] = ()
    asked_about: tuple[int, ...] = ()
    refused: tuple[LeftOut, ...] = ()
    held: tuple[LeftUndone, ...] = ()


def gone_notes(pods: Iterable[PodInfo]) -> Iterator[str]:
    """Tell of pods that no controller makes again, those apart that have another kind of owner."""
    pods = tuple(pods)
    last = [pod.key for pod in pods if controller(pod)[0] == "Job"]
    bare = [pod.key for pod in pods if not owner_without_control(pod) and pod.key not in last]
    others = [pod.key for pod in pods if owner_without_control(pod)]
    if bare:
        yield f"GONE, nothing owns it: {listed(bare)}"
    if last:
        yield f"GONE, its Job fails with it (backoffLimit): {listed(last)}"
    if others:
        yield f"may be GONE, no controller owns it: {listed(others)}"


class Step(Protocol):
    """One change of a cluster: frozen, and the same whatever cluster it is asked of."""

    def effect(self, cluster: Cluster) -> Effect:
        """Work out what it does to the cluster as it is now; nothing is changed.

        Raises:
            UsageError: it names what is not there.
        """


@runtime_checkable
class Verb(Step, Protocol):
    """One what-if: a step made from what a user wrote."""

    @property
    def flag(self) -> str:
        """The verb as a flag, as it would be typed: ``--cordon node-b``."""


_GRAMMAR = {
    "--add-node": "--add-node like=NODE,count=2, or cpu=16,memory=64Gi,zone=a, file=n.yaml, template=GROUP",
    "--pool": "--pool like=NODE, or cpu=16,memory=64Gi,zone=a, file=n.yaml, template=GROUP",
    "--label": "--label NODE:KEY=VALUE, or NODE:KEY- to take it away",
    "--taint": "--taint NODE:KEY=VALUE:EFFECT, or NODE:KEY:EFFECT- to take it away",
    "--priority": "--priority NAMESPACE/POD=1000, or deploy/x=1000",
    "--scale": "--scale deploy/shop/web=5",
    "--set-pdb": "--set-pdb shop/web-pdb:minAvailable=1, or maxUnavailable=25%",
}


def bad_step(step: str, problem: str, hint: str = "") -> UsageError:
    """Make the error for a step that cannot be taken as written.

    Args:
        step: the flag as typed, ``--scale deploy/web=many``.
        problem: what is wrong with it.
        hint: what to do; the grammar of the flag if empty, of which a file's step has none.
    """
    return UsageError(f"{step}: {problem}", code="bad-step", hint=hint or _GRAMMAR.get(step.partition(" ")[0], ""))
