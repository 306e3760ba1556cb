"""What would help many pods or an object as a whole, in words: the change, and how many of them fit or land then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kplan.course.readiness.serving import OwnerOfPods
from kplan.objects.kind_words import kind_word
from kplan.remedies.candidate import Candidate
from kplan.remedies.engine import Fits, Lands, Tried, Worse
from kplan.scenario.add_node import AddNode
from kplan.wording.remedies import harm_of, short_of, text_of, with_number
from kplan.words import count, every, joined, listed

ALL_PLACED = "all placed"
"""What comes of a change that leaves no pod without a node."""
WORKLOADS = 3
"""Workloads that are told by name where a change is one of the pods of several."""


def change_text(candidate: Candidate) -> str:
    """The change, those of a pair as flags are: ``one more replica of deploy/shop/web + one more node like a``."""
    return " + ".join(map(text_of, candidate.parts or (candidate,)))


def placed_text(
    down: Sequence[str],
    unserved: Sequence[OwnerOfPods] = (),
    note: str = "",
    awaited: Sequence[str] = (),
    gone: Sequence[str] = (),
) -> str:
    """What comes of a drain that goes through: ``all placed, 0 ready of web meanwhile``.

    Args:
        down: budgets of which no pod is ready at one time.
        unserved: other workloads of which none is.
        note: what else comes of the change.
        awaited: pods in whose place others run only once a node is back.
        gone: pods that nothing makes again.
    """
    placed = f"{ALL_PLACED} but {listed(gone, most=2)}, GONE" if gone else ALL_PLACED
    waits = f"{listed(awaited, most=2)} only once a node is back" if awaited else ""
    return "; ".join(filter(None, [", ".join(filter(None, [placed, waits, down_text(down, unserved)])), note]))


def down_text(down: Sequence[str] = (), unserved: Sequence[OwnerOfPods] = ()) -> str:
    """``0 ready of web, deploy/dns/resolver meanwhile``: budgets and workloads; empty for none."""
    names = [*down, *map(workload_text, unserved)]
    return f"0 ready of {listed(names)} meanwhile" if names else ""


def evicted_text(unserved: Sequence[OwnerOfPods]) -> str:
    """``0 ready of deploy/dns/resolver meanwhile: all that served are evicted``."""
    return f"{down_text(unserved=unserved)}: all that served are evicted"


def workload_text(owner: OwnerOfPods) -> str:
    """``deploy/shop/web``."""
    return f"{kind_word(owner.kind)}/{owner.namespace}/{owner.name}"


def left_text(candidate: Candidate, left: int) -> str:
    """A change that leaves pods without a node: ``one more node like a (1 pod left)``."""
    return f"{change_text(candidate)} ({count(left, 'pod')} left)"


def loss_text(left: Sequence[str], *, lost: bool) -> str:
    """What comes of a loss that is borne but for pods that no node helps.

    Args:
        left: those that wait for their volumes, or for a lower pod of their ordered set.
        lost: whether pods are gone that nothing recreates.
    """
    but = f" but {left[0]}" if left else ""
    more = f", +{len(left) - 1:,}" if left[1:] else ""
    return f"{ALL_PLACED}{but}{more}{', what is GONE stays GONE' if lost else ''}"


def survives_text(candidate: Candidate, borne: int, total: int) -> str:
    """A change with which more single losses are borne: ``one more node like a -> survives 3 of 4``."""
    return f"{text_of(candidate)} -> survives {borne:,} of {total:,}"


def fits_text(tried: Tried[Fits] | None) -> str:
    """``uncordon a -> 3 of 4 fit``, ``2 more nodes like a -> 8 of 30 fit; 8 -> all``; empty for nothing that helps."""
    if tried is None:
        return ""
    candidate, counts = tried.candidate, tried.found
    if counts.few is not None:
        number, fits = counts.few
        text = f"{text_of(with_number(candidate, number))} -> {fits} of {counts.total} fit; {_number(candidate)} -> all"
    else:
        names = [workload_text(owner) for owner, _ in counts.changed]
        whose = joined(names) if len(names) <= WORKLOADS else listed(names, most=WORKLOADS)
        change = f"{short_of(candidate)}{f' in {whose}' if whose else ''}"
        text = f"{change} -> {counts.fits} of {counts.total} fit{'s' if counts.total == 1 else ''}"
        text += f"; even {counts.most} help no more" if counts.most else ""
    if counts.first:
        text += f"; {listed(counts.first, most=2)} {'takes' if len(counts.first) == 1 else 'take'} room of it, too"
    return text + (f" (the first {counts.total} were tried)" if counts.untried else "")


def _number(candidate: Candidate) -> int:
    return max(step.count for step in candidate.steps if isinstance(step, AddNode))


def lands_text(candidate: Candidate, lands: Lands, *, named: bool = False) -> str:
    """``cpu request 1 (now 2) -> all 12 replicas land; evicts 1 pod``.

    Args:
        candidate: the change.
        lands: what comes of it.
        named: whether the object is to be named, as where others are told of with it.
    """
    where = f", ALL on {lands.together}" if lands.together else ""
    harm = list(filter(None, [harm_of(candidate)]))
    parts = [f"{short_of(candidate)} -> {_lands(lands, named=named)}{where}", *harm, *_worse(lands.worse)]
    if lands.serving is not None:
        least, total = lands.serving
        parts.append(
            f"{least:,} of {total:,} {'serves' if least == 1 else 'serve'} meanwhile"
            if least
            else "NONE serves meanwhile"
        )
    return "; ".join(parts)


def _lands(lands: Lands, *, named: bool) -> str:
    """``all 12 replicas land``, ``9 of 12 replicas land``."""
    noun = "replica" if lands.replicas else "pod"
    noun = f"new {noun}" if lands.scaled else noun
    of = f" of {lands.name.partition('/')[2]}" if named else ""
    if not lands.wanted:
        return "it is let in"
    if not lands.done:
        verb = "lands" if lands.landed == 1 else "land"
        return f"{lands.landed:,} of {count(lands.wanted, noun)}{of} {verb}"
    return f"its {noun}{of} lands" if lands.wanted == 1 else f"{every(lands.wanted, noun)}{of} land"


def _worse(worse: Worse) -> Iterator[str]:
    for name, landed, wanted, before in worse.objects:
        yield f"{name.partition('/')[2]}: {landed:,} of {wanted:,}, not {before:,}"
    if worse.pushed:
        finds = "finds" if worse.pushed == 1 else "find"
        yield f"{count(worse.pushed, 'pod')} that waited before {finds} no node then"
    if worse.evicted:
        yield f"evicts {count(worse.evicted, 'pod')}"
