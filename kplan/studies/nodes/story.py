"""The story of one node: which waiting pods it refuses and why, which fit but go elsewhere, and what is on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.course.alike import likeness
from kplan.course.as_new import as_new, movable
from kplan.plugins.shared.own_claims import own_claims
from kplan.reasons.groups import Asked, Atom, Found, find_groups, narrowed
from kplan.result.document import Shortage
from kplan.result.document_base import API_VERSION, Cause
from kplan.result.document_nodes import NodeExplanation, NodeLoss, NodeRefusal, NodeRow
from kplan.studies.context import Context
from kplan.studies.doubts import broken_doubts
from kplan.studies.nodes.about import about, conditions, runs
from kplan.studies.nodes.races import Kind, losses
from kplan.studies.nodes.rows import Usage
from kplan.studies.notes import left_alone
from kplan.wording.groups import Told, tell, with_numbers
from kplan.wording.owners import by_number, owner_text
from kplan.words import amounts, count

_AN_AMOUNT = "insufficient-"
_NUMBERED = frozenset({"too-many-pods", "spread-skew", "volume-limit"})
"""Reasons whose words hold the numbers of one pod."""


@dataclass
class _Refused:
    """Kinds of pods with the same reasons on the node: each in its own words, and in words true of all of its spec."""

    kinds: list[Kind] = field(default_factory=list)
    named: list[Told] = field(default_factory=list)
    alike: list[Told] = field(default_factory=list)
    atoms: tuple[Atom, ...] = ()

    @property
    def pods(self) -> list[PodInfo]:
        """All of them."""
        return [pod for kind in self.kinds for pod in kind.pods]

    @property
    def told(self) -> list[Told]:
        """The reasons in words, by kind: where there are several pods, in such that name no claim of one alone."""
        return self.named if len(self.pods) == 1 else self.alike


@dataclass
class _Sorted:
    """Waiting pods by what becomes of them on the node."""

    refused: dict[Hashable, _Refused] = field(default_factory=dict)
    fits: list[Kind] = field(default_factory=list)
    gated: int = 0
    failed: int = 0
    evicting: list[str] = field(default_factory=list)


def explain_node(context: Context, node: str, pods: Sequence[PodInfo], *, running: bool = False) -> NodeExplanation:
    """Tell why pods do or do not land on a node; nothing changes.

    Args:
        context: planner and origin; the node is one of its cluster.
        node: name of the node.
        pods: the pods that are asked about; one that runs is taken out first and put back.
        running: whether they run.
    """
    cluster = context.planner.cluster
    row = cluster.node_index[node]
    found = _sort(context, row, pods)
    refused = _refusals(context, row, found)
    lost = losses(cluster, row, found.fits)
    total = sum(item.count for item in refused)
    lands = any(item.result in ("lands", "ties") for item in lost)
    usage = Usage.of(cluster).row(row)
    verdict = "TAKES" if lands else "LOSES" if lost else "REFUSES" if total or found.failed else "IDLE"
    return NodeExplanation(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=_sentence(node, "running pod" if running else "waiting pod", lost, total, found),
        because=_because(usage, refused, lost),
        doubts=tuple(dict.fromkeys((*context.doubts, *broken_doubts(cluster.state.completeness.broken, storage=True)))),
        node=usage,
        labels=dict(cluster.nodes[row].labels),
        about=about(cluster, row),
        conditions=tuple(conditions(cluster, row)),
        refused=refused,
        lost=lost,
        gated=found.gated,
        failed=found.failed,
        evicting=tuple(found.evicting),
        runs=runs(cluster, row),
        notes=tuple(_notes(context, pods, running=running)),
        origin=context.origin,
    )


def _sort(context: Context, row: int, pods: Sequence[PodInfo]) -> _Sorted:
    """Run one cycle for each kind of pod and sort the kinds by what becomes of them on the node."""
    found = _Sorted()
    cluster = context.planner.cluster
    for alike in _kinds(cluster, pods):
        first = alike[0]
        with as_new(context.planner, first) if first.bound else nullcontext(first) as waiting:
            _file(found, context, row, alike, waiting)
    return found


def _file(found: _Sorted, context: Context, row: int, alike: tuple[PodInfo, ...], first: PodInfo) -> None:
    """Run the cycle of one kind and file it."""
    cycle = context.planner.cycle(first)
    kind = Kind(alike, Asked(context.planner.cluster, first, cycle, cycle.explain()))
    outcome = kind.outcome
    if outcome.gated:
        found.gated += len(alike)
    elif outcome.error:
        found.failed += len(alike)
    elif row in outcome.feasible:
        found.fits.append(kind)
    else:
        if outcome.preemption is not None and row in outcome.preemption.picks:
            found.evicting.extend(pod.key for pod in alike)
        _refuse(found, kind, row)


def _refuse(found: _Sorted, kind: Kind, row: int) -> None:
    """File a kind under the reasons the node has against it."""
    here = narrowed(find_groups(kind.asked), row) or Found((), np.array([row], dtype=np.intp))
    own = own_claims(kind.asked.pod.pod)
    entry = found.refused.setdefault(tuple((atom.same(own), atom.kept) for atom in here.atoms), _Refused())
    entry.kinds.append(kind)
    entry.named.append(tell(kind.asked, here, names=False))
    entry.alike.append(tell(kind.asked, here, names=False, own=own) if own else entry.named[-1])
    entry.atoms = here.atoms


def _kinds(cluster: Cluster, pods: Iterable[PodInfo]) -> Iterator[tuple[PodInfo, ...]]:
    """Put pods together that are alike in all the scheduler reads; nominated pods each for itself."""
    alike: dict[object, list[PodInfo]] = {}
    for pod in pods:
        nominated = cluster.pod_nominated[pod.row] >= 0
        alike.setdefault(pod.key if nominated else likeness(pod), []).append(pod)
    return (tuple(same) for same in alike.values())


def _refusals(context: Context, row: int, found: _Sorted) -> tuple[NodeRefusal, ...]:
    cluster = context.planner.cluster
    made = []
    for entry in found.refused.values():
        pods, first = entry.pods, entry.told[0].group
        made.append(
            NodeRefusal(
                count=len(pods),
                codes=tuple(reason.code for reason in first.reasons),
                text=_refusal_text(entry),
                reasons=tuple(reason.text for reason in first.reasons),
                messages=tuple(reason.message for reason in first.reasons),
                owners=by_number(owner_text(pod, cluster) for pod in pods),
                pods=tuple(pod.key for pod in pods),
                nearest=_nearest(entry),
                evictable=all(atom.evictable for atom in entry.atoms) and bool(entry.atoms),
                elsewhere=sum(len(kind.pods) for kind in entry.kinds if kind.outcome.choice >= 0),
            )
        )
    return tuple(sorted(made, key=lambda item: (-item.count, len(item.codes), item.pods[0])))


def _refusal_text(entry: _Refused) -> str:
    """The reasons with the numbers of this node; of several kinds of pods, what they need as a range."""
    if len(entry.told) == 1:
        return with_numbers(entry.told[0].group)
    parts = []
    for words in zip(*(told.phrases for told in entry.told), strict=True):
        amounts_short = [short for phrase in words for short in phrase.shortages.values()]
        if not amounts_short:
            parts.append(words[0].text if len({phrase.text for phrase in words}) == 1 else words[0].short)
            continue
        name = amounts_short[0].resource
        if name == "pods":
            parts.append(f"pod limit reached: {amounts_short[0].capacity - amounts_short[0].free} pods")
            continue
        low, high = min(item.needs for item in amounts_short), max(item.needs for item in amounts_short)
        free = amounts_short[0].free
        least, most, there = amounts(name, low, high, free)
        wants = least if low == high else f"{least} to {most}"
        parts.append(f"{name}: needs {wants}, free {there}{' (over-committed)' if free < 0 else ''}")
    return "; ".join(parts)


def _nearest(entry: _Refused) -> str:
    """The pod that lacks least, for pods that lack nothing but amounts."""
    best: tuple[float, str, tuple[Shortage, ...]] | None = None
    for kind, told in zip(entry.kinds, entry.told, strict=True):
        shortages = tuple(short for phrase in told.phrases for short in phrase.shortages.values())
        if len(shortages) != len(told.phrases) or not shortages:
            return ""
        worst = max(item.lacks / max(item.needs, 1) for item in shortages)
        if best is None or worst < best[0]:
            best = worst, kind.pods[0].key, shortages
    if best is None:
        return ""
    lacks = [f"{amounts(item.resource, item.lacks)[0]} {item.resource}" for item in best[2]]
    return f"{best[1]} lacks {', '.join(lacks)}"


def _sentence(node: str, what: str, lost: Sequence[NodeLoss], refused: int, found: _Sorted) -> str:
    by = Counter[str]()
    for item in lost:
        by[item.result] += item.count
    others = by["loses"] + by["nominated"]
    total = sum(by.values()) + refused + found.failed
    gated = f"; {found.gated:,} gated" if found.gated else ""
    if not total:
        return f"{node}: no {what} to ask about, and the scheduler never moves one that runs{gated}"
    if refused == total:
        return f"{node}: {f'the {what} does not fit' if total == 1 else f'none of {count(total, what)} fits'}{gated}"
    parts = [
        f"{by['lands']:,} {'goes' if by['lands'] == 1 else 'go'} there" if by["lands"] else "",
        f"{by['ties']:,} {'ties' if by['ties'] == 1 else 'tie'} with others for it" if by["ties"] else "",
        f"{others:,} {'fits but goes' if others == 1 else 'fit but go'} elsewhere" if others else "",
        f"{refused:,} {'does' if refused == 1 else 'do'} not fit" if refused else "",
        f"{found.failed:,} {'fails' if found.failed == 1 else 'fail'} in the scheduling cycle" if found.failed else "",
    ]
    told = ", ".join(part for part in parts if part)
    if total == 1:
        return f"{node}: the {what} {told.partition(' ')[2]}{gated}"
    return f"{node}: of {count(total, what)}, each looked at alone, {told}{gated}"


def _because(usage: NodeRow, refused: tuple[NodeRefusal, ...], lost: tuple[NodeLoss, ...]) -> Cause | None:
    """The one cause: the reason that refuses most pods, or what lets another node win over most."""
    loses = [item for item in lost if item.result == "loses"]
    away = sum(item.count for item in refused)
    if refused and away >= sum(item.count for item in loses):
        return _refusing(refused, away)
    if loses:
        return Cause(code="lower-score", text=max(loses, key=lambda item: item.count).text)
    if lost:
        return Cause(code="highest-score", text=lost[0].text)
    if usage.closed:
        return Cause(code="node-closed", text=f"it would take none: {', '.join(usage.closed)}")
    return None


def _refusing(refused: tuple[NodeRefusal, ...], away: int) -> Cause:
    """The reason that holds for most of the refused pods, alone or among others."""
    held: Counter[tuple[str, str]] = Counter()
    for item in refused:
        for code, reason in zip(item.codes, item.reasons, strict=True):
            held[code, reason.partition(":")[0] if code in _NUMBERED or code.startswith(_AN_AMOUNT) else reason] += (
                item.count
            )
    if not held:
        return Cause(code="unknown", text=refused[0].text)
    (code, reason), number = held.most_common(1)[0]
    first = refused[0]
    if first.count == number and len(first.codes) == 1:
        reason = first.text
    if number == away:
        return Cause(code=code, text=reason if away == 1 else f"{reason}: in the way of all {away:,}")
    return Cause(code=code, text=f"{reason}: in the way of {number:,} of {away:,}")


def _notes(context: Context, pods: Sequence[PodInfo], *, running: bool) -> Iterator[str]:
    if running:
        yield "pods that run elsewhere, one of each template asked as if it were new; none of them moves by itself"
        return
    waiting = len(context.planner.waiting())
    if waiting > len(pods):
        yield f"{count(waiting - len(pods), 'more waiting pod')} not asked about"
    elif not waiting:
        yield "--running asks about the pods that run elsewhere, each as if it were new"
    yield from left_alone(context.planner)


def elsewhere(context: Context, node: str) -> list[PodInfo]:
    """Pods that run on other nodes and that a scheduler chose the node of; in order of namespaces and names."""
    cluster = context.planner.cluster
    row = cluster.node_index[node]
    found = [pod for pod in movable(context.planner) if cluster.pod_node[pod.row] not in (-1, row)]
    return sorted(found, key=lambda pod: (pod.namespace, pod.name))
