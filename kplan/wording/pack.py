"""Packing in words: how many nodes are enough, what keeps the others, and how it is carried out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kplan.course.moving.emptying import Stuck
from kplan.course.moving.journey import Moved, cordons_of
from kplan.course.moving.movable import Stays
from kplan.course.moving.packing import KeptNode, Packed
from kplan.framework.reason_codes import ReasonCode
from kplan.result.document_base import Cause
from kplan.result.document_pack import PackedNode
from kplan.wording.drain import budget_refuses, flags_lose, kubectl_drain, stays_because
from kplan.words import count, every, listed


class NodeDrain(Struct, frozen=True):
    """A node that is emptied, as ``kubectl drain`` would do it.

    Attributes:
        node: its name.
        pods: those that a flag is needed for, each with its flags.
    """

    node: str
    pods: tuple[tuple[str, tuple[str, ...]], ...] = ()


STAYS = {
    Stays.BARE: "nothing recreates it",
    Stays.OTHER_SCHEDULER: "another scheduler places it",
    Stays.ASKED_TO_STAY: "an annotation tells autoscalers to leave it alone",
    Stays.SPARED: "it is not to be moved",
    Stays.LOCAL_DATA: "it would lose local data",
    Stays.NAMED_NODE: "its template names a node (spec.nodeName): no scheduler is asked where it is made again",
    Stays.LAST_TRY: "its Job fails with it (backoffLimit): nothing makes another",
    Stays.ONLY_HERE: "it asks for this node alone (node selector or affinity)",
    Stays.SILENT: "its node is silent: evicted, it stays there, Terminating",
}
WHOLE = {
    "control-plane": "it runs the cluster itself",
    "not-asked": "it was not asked about",
    "keep-free": "too little would be free then",
    "survive": "a loss would not be survived then",
}


def sentence(nodes: int, packed: Packed, saves: float | None) -> str:
    """Write the sentence after the verdict."""
    going, moves = len(packed.emptied.nodes), len(packed.emptied.moves)
    left = nodes - going
    least = f"${packed.bound:,.0f} a month is the bound" if saves is not None else f"{packed.bound:,.0f} is the bound"
    proof = "no more can go" if packed.proved else least
    if not going:
        stays = "the one node stays" if nodes == 1 else f"{every(nodes, 'node')} stay"
        return f"{stays}; {proof}"
    worth = f", ${saves:,.0f} a month" if saves is not None else ""
    enough = f"{left:,} of {count(nodes, 'node')} {'is' if left == 1 else 'are'} enough"
    return f"{enough}: {going:,} could go{worth}, {count(moves, 'move')}; {proof}"


def attempt(names: Sequence[str], moves: int) -> str:
    """What to do, in a line."""
    if not names:
        return ""
    order = " in this order" if len(names) > 1 else ""
    return f"drain {listed(list(names))}{order}" + (f", {count(moves, 'pod')} in all" if moves else "")


def stays(node: KeptNode, causes: Mapping[str, Cause]) -> Cause | None:
    """Why a node stays; None where that was not looked into."""
    if node.why:
        return Cause(code=node.why, text=WHOLE[node.why])
    if not node.stuck:
        return None
    first = node.stuck[0]
    more = f" (and {count(len(node.stuck) - 1, 'more pod')})" if len(node.stuck) > 1 else ""
    cause = _pod(first, causes)
    return Cause(code=cause.code, text=f"{first.pod.key}: {cause.text}{more}")


def nothing_goes(nodes: Sequence[PackedNode]) -> Cause | None:
    """Why no node goes, by one that stays: where there are others, by none that was not to go at all."""
    told = [node for node in nodes if node.because is not None]
    first = min(told, key=lambda node: node.because is not None and node.because.code in WHOLE, default=None)
    if first is None or first.because is None:
        return None
    return Cause(code=first.because.code, text=stays_because(first.node, first.because.text))


def _pod(stuck: Stuck, causes: Mapping[str, Cause]) -> Cause:
    if stuck.stays is None:
        cause = causes.get(stuck.pod.key)
        if cause is not None and cause.code in (ReasonCode.NODE_CORDONED, "no-other-node"):
            # the plan cordons what goes: named as a cause, it would send the reader to uncordon it
            return Cause(code="no-room", text="no place is left for it but on nodes that go or are cordoned")
        return causes.get(stuck.pod.key) or Cause(code="no-room", text="it finds no other place")
    if stuck.permission is not None:
        return Cause(code="budget", text=budget_refuses(stuck.permission))
    return Cause(code=str(stuck.stays), text=STAYS[stuck.stays])


def notes(packed: Packed, unpriced: Sequence[str], keep_free: float, survive: str) -> Iterator[str]:
    """Say what else there is to say."""
    if packed.bound_alone < packed.bound:
        yield f"by resources alone, whatever is in the way, the bound is {packed.bound_alone:,.0f}"
    if packed.cut:
        yield "not all orders to empty nodes in were tried, as so many pods move: more might go"
    if unpriced:
        yield f"no price for {count(len(unpriced), 'node')}, taken as 0: {listed(list(unpriced))}"
    if keep_free:
        yield f"{keep_free:.0%} of what is left stays free, of each resource"
    if survive:
        yield f"what is left survives the loss of any one {survive}"


def commands(drains: Sequence[NodeDrain], moves: Sequence[Moved]) -> tuple[str, ...]:
    """List the commands: the nodes that go are cordoned first, so that no pod moves twice.

    Each drain has the flags that its pods take and no others, and beside them what they lose for good.
    """
    names = [drain.node for drain in drains]
    if not names:
        return ()
    going = frozenset(names)
    steered = any(not going.issuperset(cordoned) for cordoned in cordons_of(moves))
    lines = [_drain(drain) for drain in drains]
    if steered:
        lines = ["# some pods have to be steered, see the steps: --save FILE", *lines]
    return (f"kubectl cordon {' '.join(names)}", *lines)


def _drain(drain: NodeDrain) -> str:
    flags = {flag for _, needed in drain.pods for flag in needed}
    loss = flags_lose(drain.pods)
    command = kubectl_drain({drain.node: flags}, "", rolling=False)
    return f"{command}  # {loss}" if loss else command
