"""The story of one node in words: what it refuses and why, what fits it and goes elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.framework.reason_codes import ReasonCode
from kplan.result.document import Group, Shortage
from kplan.result.document_base import Cause
from kplan.result.document_nodes import NodeLoss, NodeRace, NodeRefusal, NodeRow
from kplan.wording.amounts import made_of
from kplan.wording.groups import ToldGroup, with_numbers
from kplan.wording.view import Phrase
from kplan.words import amounts, count, every, listed

_NUMBERED: frozenset[str] = frozenset(
    {
        ReasonCode.TOO_MANY_PODS,
        ReasonCode.SPREAD_SKEW,
        ReasonCode.VOLUME_LIMIT,
        ReasonCode.INSUFFICIENT_RESOURCE,
    }
)
"""Reasons whose words hold the numbers of one pod."""


class PodsOfRefusal(Struct, frozen=True):
    """Pods that a node refuses for the same reasons.

    Attributes:
        refusal: as the document has it.
        heads: of each reason its code, and its words as they hold for other pods, too.
    """

    refusal: NodeRefusal
    heads: tuple[tuple[str, str], ...]


def heads_of(told: ToldGroup) -> tuple[tuple[str, str], ...]:
    """Of each reason its public code, and its words without the numbers of one pod."""
    atoms = told.view.group.atoms
    return tuple(
        (atom.public_code, words.short if atom.code in _NUMBERED else words.text)
        for atom, words in zip(atoms, told.phrases, strict=True)
    )


def refusal_text(first: Group, every: Sequence[Sequence[Phrase]]) -> str:
    """The reasons with the numbers of this node; of several kinds of pods, what they need as a range.

    Args:
        first: the node as it is told of for the first kind.
        every: the reasons in words, for each kind.
    """
    if len(every) == 1:
        return with_numbers(first)
    return "; ".join(_of_kinds(words) for words in zip(*every, strict=True))


def _of_kinds(words: Sequence[Phrase]) -> str:
    """One reason in words that are true of several kinds of pods."""
    short = [shortage for phrase in words for shortage in phrase.shortages.values()]
    if not short:
        return words[0].text if len({phrase.text for phrase in words}) == 1 else words[0].short
    first = short[0]
    if first.resource == "pods":
        return f"pod limit reached: {first.capacity - first.free} pods"
    low, high = min(item.needs for item in short), max(item.needs for item in short)
    least, most, there = amounts(first.resource, low, high, first.free)
    wants = least if low == high else f"{least} to {most}"
    return f"{first.resource}: needs {wants}, free {there}{' (over-committed)' if first.free < 0 else ''}"


def nearest_text(pod: str, shortages: Sequence[Shortage]) -> str:
    """``shop/web lacks 500m cpu``."""
    lacks = [f"{amounts(item.resource, item.lacks)[0]} {item.resource}" for item in shortages]
    return f"{pod} lacks {', '.join(lacks)}"


_RESULTS = {
    "lands": ("goes there", "go there"),
    "ties": ("ties with others for it", "tie with others for it"),
    "elsewhere": ("fits but goes elsewhere", "fit but go elsewhere"),
    "refused": ("does not fit", "do not fit"),
    "failed": ("fails in the scheduling cycle", "fail in the scheduling cycle"),
    "not_tried": ("is not tried", "are not tried"),
}


def node_sentence(node: str, numbers: Mapping[str, int], gated: int, *, running: bool) -> str:
    """What becomes of the pods asked about, on one node.

    Args:
        node: its name.
        numbers: of pods that land there, tie, go elsewhere, are refused, whose cycle failed, or that are not tried.
        gated: of pods that wait at a scheduling gate.
        running: whether the pods asked about run elsewhere.
    """
    what = "running pod" if running else "waiting pod"
    rest = f"; {gated:,} gated" if gated else ""
    told = [(result, number) for result in _RESULTS if (number := numbers.get(result, 0))]
    total = sum(number for _, number in told)
    if not total:
        return f"{node}: no {what} to ask about, and the scheduler never moves one that runs{rest}"
    if numbers.get("refused", 0) == total:
        return f"{node}: {f'the {what} does not fit' if total == 1 else f'none of {count(total, what)} fits'}{rest}"
    if total == 1:
        return f"{node}: the {what} {_RESULTS[told[0][0]][0]}{rest}"
    parts = ", ".join(f"{number:,} {_RESULTS[result][number > 1]}" for result, number in told)
    return f"{node}: of {count(total, what)}, each tried alone, {parts}{rest}"


def node_cause(usage: NodeRow, refusing: Sequence[PodsOfRefusal], lost: Sequence[NodeLoss]) -> Cause | None:
    """The one cause: the reason that refuses most pods, or what lets another node win over most."""
    loses = [item for item in lost if item.result == "loses"]
    away = sum(refused.refusal.count for refused in refusing)
    if refusing and away >= sum(item.count for item in loses):
        return _refusing(refusing, away)
    if loses:
        return Cause(code="lower-score", text=max(loses, key=lambda item: item.count).text)
    if lost:
        return Cause(code="highest-score", text=lost[0].text)
    if usage.closed:
        return Cause(code="node-closed", text=f"it would take none: {', '.join(usage.closed)}")
    return None


def _refusing(refusing: Sequence[PodsOfRefusal], away: int) -> Cause:
    """The reason that holds for most of the refused pods, alone or among others."""
    held: Counter[tuple[str, str]] = Counter()
    for refused in refusing:
        for head in refused.heads:
            held[head] += refused.refusal.count
    first = refusing[0].refusal
    if not held:
        return Cause(code="unknown", text=first.text)
    (code, reason), number = held.most_common(1)[0]
    if first.count == number and len(first.codes) == 1:
        reason = first.text
    if number == away:
        return Cause(code=code, text=reason if away == 1 else f"{reason}: in the way of {every(away)}")
    return Cause(code=code, text=f"{reason}: in the way of {number:,} of {away:,}")


def losses_text(result: str, decisive: str, leads: Sequence[int], winners: Sequence[str]) -> str:
    """What becomes of several kinds of pods that fit the node."""
    where = listed(winners)
    if result == "loses":
        by = f"{leads[0]}" if min(leads) == max(leads) else f"{min(leads)} to {max(leads)}"
        return f"{decisive} decides: {where} {'wins' if len(winners) == 1 else 'win'} by {by}"
    if result == "nominated":
        return f"go to their nominated nodes, whatever the scores: {where}"
    if result == "ties":
        return "tie with others for the highest score: the scheduler draws"
    return "go here: it scores highest, or alone fits"


def race_text(race: NodeRace, result: str, *, nominated: bool, tied: Sequence[str] = (), ties: int = 0) -> str:
    """What becomes of one pod that fits the node.

    Args:
        race: its scores.
        result: lands, nominated, ties or loses.
        nominated: whether it has a nominated node, which is tried first and alone.
        tied: the first of the other nodes of a tie.
        ties: how many those are.
    """
    if nominated:
        other = f"goes to {race.winner}, its nominated node, whatever the scores"
        return "is nominated here" if result == "lands" else other
    if result == "ties":
        return f"ties at {race.total} with {listed(tied, ties)}: the scheduler draws"
    return "goes here: it fits no other node" if race.feasible == 1 else f"goes here with a score of {race.total}"


def loses_text(race: NodeRace, there: int, here: int) -> str:
    """``node-f wins by 54, 373 to 319: NodeResourcesFit 73 there, 19 here``.

    Args:
        race: the scores of a pod that another node wins.
        there: weighted score of the deciding plugin on the winner.
        here: the same on this node.
    """
    plugin = next(iter(race.gaps))
    text = f"{race.winner} wins by {race.winner_total - race.total}, {race.winner_total} to {race.total}"
    text += f": {plugin} {there} there, {here} here"
    rest = [f"{name} {gap:+d}" for name, gap in race.gaps.items() if name != plugin]
    text += f" ({', '.join(rest[:2])})" if rest else ""
    return f"{text}; this is place {race.rank:,} of {race.feasible:,}"


def asked_notes(asked: int, waiting: int, *, running: bool) -> Iterator[str]:
    """Which pods were asked about, and which were not."""
    if running:
        yield "pods that run elsewhere, one of each template asked as if it were new; none of them moves by itself"
    elif waiting > asked:
        yield f"{count(waiting - asked, 'more waiting pod')} not asked about"
    elif not waiting:
        yield "--running asks about the pods that run elsewhere, each as if it were new"


def pod_notes(cluster: Cluster, pod: PodInfo) -> Iterator[str]:
    """What there is to know of a pod on the node: that it goes, that it is tied to it, what its request is made of."""
    if pod.terminating:
        yield "being deleted, counts until it is gone"
    kind = controller(pod)[0]
    if kind in ("DaemonSet", "Node"):
        yield "static" if kind == "Node" else "DaemonSet"
    spec = pod.pod.spec
    if spec.overhead or spec.resources is not None or spec.init_containers:
        for name in ("cpu", "memory"):
            if pod.requests.get(name):
                text = made_of(pod.pod, name, cluster)
                if text:
                    yield f"{name} {text}"
