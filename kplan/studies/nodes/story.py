"""The story of one node: which waiting pods it refuses and why, which fit but go elsewhere, and what is on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import nullcontext

import numpy as np
from msgspec import Struct, field

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import TOLD
from kplan.course.trial.alike import likeness
from kplan.course.trial.as_new import as_new, movable
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.groups import NodeGroup, find_groups, narrowed
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Group, Shortage
from kplan.result.document_base import API_VERSION
from kplan.result.document_nodes import NodeExplanation, NodeLoss, NodeRefusal
from kplan.studies.context import Context
from kplan.studies.doubts import broken_doubts, left_alone
from kplan.studies.nodes.races import Race, losses, race
from kplan.studies.nodes.rows import Usage, about, conditions, runs
from kplan.wording.groups import ToldGroup, tell
from kplan.wording.node_story import (
    PodsOfRefusal,
    asked_notes,
    heads_of,
    nearest_text,
    node_cause,
    node_sentence,
    refusal_text,
)
from kplan.wording.not_tried import FEWER_ASKED, not_tried_doubt
from kplan.wording.owners import by_number, owner_text
from kplan.wording.view import Phrase


class _InWords(Struct, frozen=True):
    """What keeps pods of one kind off the node, in words; the cycle that told it is let go."""

    phrases: tuple[Phrase, ...]
    group: Group
    heads: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, told: ToldGroup) -> _InWords:
        """Those of a group of this node alone."""
        return cls(told.phrases, told.group, heads_of(told))


class _RefusedKind(Struct, frozen=True):
    """Pods that are alike and that the node refuses: in their own words, and in words true of all of its spec."""

    pods: tuple[PodInfo, ...]
    fits_elsewhere: bool
    named: _InWords
    alike: _InWords


class _Refused(Struct):
    """Kinds of pods with the same reasons on the node."""

    evictable: bool
    kinds: list[_RefusedKind] = field(default_factory=list)

    @property
    def pods(self) -> list[PodInfo]:
        """All of them."""
        return [pod for kind in self.kinds for pod in kind.pods]

    @property
    def told(self) -> list[_InWords]:
        """The reasons in words, by kind: where there are several pods, in such that name no claim of one alone."""
        alone = len(self.kinds) == len(self.kinds[0].pods) == 1
        return [kind.named if alone else kind.alike for kind in self.kinds]


class _Sorted(Struct):
    """Waiting pods by what becomes of them on the node."""

    refused: dict[Hashable, _Refused] = field(default_factory=dict)
    fits: list[Race] = field(default_factory=list)
    gated: int = 0
    failed: int = 0
    not_tried: int = 0
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
    kinds = _sort(context, row, pods)
    refusing = _refusals(context, kinds)
    lost = losses(cluster, kinds.fits)
    total = sum(refused.refusal.count for refused in refusing)
    lands = any(item.result in ("lands", "ties") for item in lost)
    doubts = [*context.doubts, *broken_doubts(cluster.state.completeness.broken, storage=True)]
    if kinds.not_tried:
        tried = len(pods) - kinds.not_tried
        doubts.append(not_tried_doubt(kinds.not_tried, tried, ask=FEWER_ASKED, running=running))
    usage = Usage.of(cluster).row(row)
    verdict = "TAKES" if lands else "LOSES" if lost else "REFUSES" if total or kinds.failed else "IDLE"
    return NodeExplanation(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=node_sentence(node, _numbers(lost, total, kinds), kinds.gated, running=running),
        because=node_cause(usage, refusing, lost),
        doubts=tuple(dict.fromkeys(doubts)),
        node=usage,
        labels=dict(cluster.nodes[row].labels),
        about=about(cluster, row),
        conditions=tuple(conditions(cluster, row)),
        refused=tuple(refused.refusal for refused in refusing),
        lost=lost,
        gated=kinds.gated,
        failed=kinds.failed,
        not_tried=kinds.not_tried,
        evicting=tuple(kinds.evicting),
        runs=runs(cluster, row),
        notes=(
            *asked_notes(len(pods), len(context.planner.waiting()), running=running),
            *(() if running else left_alone(context.planner)),
        ),
        origin=context.origin,
    )


def _sort(context: Context, row: int, pods: Sequence[PodInfo]) -> _Sorted:
    """Run one cycle for each kind of pod and sort the kinds by what becomes of them on the node."""
    kinds = _Sorted()
    cluster = context.planner.cluster
    for alike in _kinds(cluster, pods):
        if cluster.work.refuses():
            kinds.not_tried += len(alike)
            continue
        first = alike[0]
        with as_new(context.planner, first) if first.bound else nullcontext(first) as waiting:
            _file(kinds, context, row, alike, waiting)
    return kinds


def _file(files: _Sorted, context: Context, row: int, alike: tuple[PodInfo, ...], first: PodInfo) -> None:
    """Run the cycle of one kind and file it."""
    cluster = context.planner.cluster
    cluster.work.charge(TOLD)
    asked = RunCycle.as_set(context.planner, first)
    outcome = asked.outcome
    if outcome.not_tried:
        files.not_tried += len(alike)
    elif outcome.gated:
        files.gated += len(alike)
    elif outcome.error:
        files.failed += len(alike)
    elif row in outcome.feasible:
        files.fits.append(race(cluster, row, alike, outcome))
    else:
        if outcome.preemption is not None and row in outcome.preemption.picks:
            files.evicting.extend(pod.key for pod in alike)
        _refuse(files, alike, asked, row)


def _refuse(files: _Sorted, alike: tuple[PodInfo, ...], asked: RunCycle, row: int) -> None:
    """File a kind under the reasons the node has against it."""
    here = narrowed(find_groups(asked), row) or NodeGroup((), np.array([row], dtype=np.intp))
    own = own_claims(asked.pod.pod)
    named = _InWords.of(tell(asked, here, names=False))
    of_all = _InWords.of(tell(asked, here, names=False, own=own)) if own else named
    reasons = tuple((atom.same(own), atom.kept) for atom in here.atoms)
    evictable = all(atom.evictable for atom in here.atoms) and bool(here.atoms)
    entry = files.refused.setdefault(reasons, _Refused(evictable))
    entry.kinds.append(_RefusedKind(alike, asked.outcome.choice >= 0, named, of_all))


def _kinds(cluster: Cluster, pods: Iterable[PodInfo]) -> Iterator[tuple[PodInfo, ...]]:
    """Put pods together that are alike in all the scheduler reads; nominated pods each for itself."""
    alike: dict[object, list[PodInfo]] = {}
    for pod in pods:
        nominated = cluster.pod_nominated[pod.row] >= 0
        alike.setdefault(pod.key if nominated else likeness(pod), []).append(pod)
    return (tuple(same) for same in alike.values())


def _refusals(context: Context, files: _Sorted) -> list[PodsOfRefusal]:
    cluster = context.planner.cluster
    made = []
    for entry in files.refused.values():
        pods, told = entry.pods, entry.told
        first = told[0].group
        refusal = NodeRefusal(
            count=len(pods),
            codes=tuple(reason.code for reason in first.reasons),
            text=refusal_text(first, [kind.phrases for kind in told]),
            reasons=tuple(reason.text for reason in first.reasons),
            messages=tuple(reason.message for reason in first.reasons),
            owners=by_number(owner_text(pod, cluster) for pod in pods),
            pods=tuple(pod.key for pod in pods),
            nearest=_nearest(entry),
            evictable=entry.evictable,
            elsewhere=sum(len(kind.pods) for kind in entry.kinds if kind.fits_elsewhere),
        )
        made.append(PodsOfRefusal(refusal, told[0].heads))
    return sorted(
        made, key=lambda refusing: (-refusing.refusal.count, len(refusing.refusal.codes), refusing.refusal.pods[0])
    )


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
    return nearest_text(best[1], best[2]) if best is not None else ""


def _numbers(lost: Sequence[NodeLoss], refused: int, kinds: _Sorted) -> dict[str, int]:
    """Pods by what becomes of them on the node."""
    by = Counter[str]()
    for item in lost:
        by[item.result] += item.count
    elsewhere = by["loses"] + by["nominated"]
    return {
        "lands": by["lands"],
        "ties": by["ties"],
        "elsewhere": elsewhere,
        "refused": refused,
        "failed": kinds.failed,
        "not_tried": kinds.not_tried,
    }


def elsewhere(context: Context, node: str) -> list[PodInfo]:
    """Pods that run on other nodes and that a scheduler chose the node of; in order of namespaces and names."""
    cluster = context.planner.cluster
    row = cluster.node_index[node]
    pods = [pod for pod in movable(context.planner) if cluster.pod_node[pod.row] not in (-1, row)]
    return sorted(pods, key=lambda pod: (pod.namespace, pod.name))
