"""Doubts: what of a source or of the pod kplan cannot model, as far as it can change this verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TypeVar

import msgspec
import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.pods import DEFAULT_SCHEDULER
from kplan.config import extender_doubt, is_interested
from kplan.framework.args import Extender
from kplan.framework.doubt import Doubt
from kplan.objects.kinds import KINDS
from kplan.objects.models import Pod
from kplan.objects.state import BrokenObject, Completeness
from kplan.pipeline import Planner
from kplan.pipeline.landing import asked_about_some
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_moves import MovesPlan
from kplan.result.document_pack import PackPlan
from kplan.result.document_sweep import SweepReport
from kplan.sources import table
from kplan.sources.completeness import KindRow
from kplan.sources.schedulers import DOUBT as ASSUMED
from kplan.wording import doubts as words
from kplan.wording.not_tried import unfinished_doubt

_STORAGE = frozenset({"PersistentVolume", "PersistentVolumeClaim", "StorageClass"})
_REFUSING = {
    "claim-missing": "PersistentVolumeClaim",
    "claim-unbound": "StorageClass",  # of one that waits for the first consumer it would not be refused
    "volume-missing": "PersistentVolume",
    "no-volume-to-bind": "PersistentVolume",
    "storage-class-missing": "StorageClass",
    "no-storage-capacity": "CSIStorageCapacity",
    "device-claim-not-created": "ResourceClaimTemplate",
}
_WITHOUT_DEVICES = frozenset(
    {
        "device-claim-not-created",
        "device-claim-missing",
        "device-claim-being-deleted",
        "device-claim-not-owned",
    }
)
"""Codes of reasons by which a pod waits for its claims, whatever devices there are."""
_LENIENT = frozenset({"CSINode", "CSIDriver", "VolumeAttachment"})
KINDS_BY_NAME = {kind.name: kind for kind in KINDS}


def pod_doubts(
    pod: PodInfo, planner: Planner, verdict: str, codes: frozenset[str], run: RunCycle | None = None
) -> Iterator[Doubt]:
    """Doubts about the verdict of one pod.

    Args:
        pod: the pod.
        planner: planner over the cluster: what its source holds and lacks, and the extenders of its scheduler.
        verdict: FITS, PREEMPTS or PENDING.
        codes: codes of the reasons it was refused for.
        run: its cycle, while the cluster is as it was then; None if it is not at hand.
    """
    spec, state = pod.pod.spec, planner.cluster.state.completeness
    yield from _extender_doubts(extenders_of(planner), (pod.pod,))
    yield from _asked_about_all(pod, planner, verdict, run)
    if in_group(pod.pod) and not groups_modelled(planner):
        yield Doubt(code="pod-group-not-modelled", text=words.GROUP)
    if spec.resource_claims and not state.has("ResourceSlice") and not codes & _WITHOUT_DEVICES:
        yield Doubt(code="devices-not-modelled", text=words.DEVICES)
    lacking = _lacks(state, nodes=bool(planner.cluster.nodes))
    for kind in _lacking(pod.pod, lacking.keys(), verdict, codes):
        yield _lack(lacking[kind], state)
    yield from broken_doubts(state.broken, storage=_has_claims(pod.pod))


def _asked_about_all(pod: PodInfo, planner: Planner, verdict: str, run: RunCycle | None) -> Iterator[Doubt]:
    """Doubt that arises where a live scheduler asks extenders about fewer nodes than were asked about."""
    if verdict == "PREEMPTS" and run is not None:
        some, text = run.evicting_asked_about_some, words.EXTENDERS_OF_SOME_EVICTIONS
    else:
        pipeline = planner.pipelines.get(pod.scheduler_name)
        some = pipeline is not None and asked_about_some(pipeline, pod.pod, len(planner.cluster.nodes))
        some, text = some and verdict != "PENDING", words.EXTENDERS_OF_SOME
    if some:
        yield Doubt(code="extenders-asked-about-all-nodes", text=text)


def in_group(pod: Pod) -> bool:
    """Whether a pod names a group that it is of."""
    return pod.spec.scheduling_group is not None or pod.spec.workload_ref is not None


def groups_modelled(planner: Planner) -> bool:
    """Whether groups of pods are tried as the scheduler tries them: from 1.36 on, where their gate is on."""
    features = next((pipeline.features for pipeline in planner.pipelines.values()), None)
    return features is not None and features.since(36) and features.enabled("GenericWorkload")


def missing_nodes(cluster: Cluster) -> Iterator[Doubt]:
    """Doubt that arises where pods run on nodes that the source does not hold: of these nothing is known.

    Where a list of all nodes was taken at a known moment, such a node was deleted, and its pods are on their way out.
    """
    if "Node" in cluster.state.completeness.versions:
        return
    nowhere = np.flatnonzero(cluster.pod_node[: cluster.pods_read] < 0).tolist()
    on = [cluster.pods[row].pod.spec.node_name for row in nowhere]
    missing = [name for name in on if name and name not in cluster.node_index]
    if missing:
        yield Doubt(code="nodes-missing", text=words.missing_nodes(len(missing), sorted(set(missing))))


def extenders_of(planner: Planner) -> tuple[Extender, ...]:
    """Extenders of the scheduler, which all profiles share."""
    return next((pipeline.extenders for pipeline in planner.pipelines.values()), ())


def caller_doubts(planner: Planner, pods: Sequence[Pod]) -> Iterator[Doubt]:
    """Doubts that arise where a plan asks extenders: they know of none of its pods, and are asked about all nodes.

    Args:
        planner: the planner.
        pods: those that the plan places one after another.
    """
    if not any(pipeline.callers for pipeline in planner.pipelines.values()):
        return
    if len(pods) > 1:
        yield Doubt(code="extenders-do-not-know-the-plan", text=words.EXTENDERS_IN_A_PLAN)
    nodes = len(planner.cluster.nodes)
    asked = ((planner.pipelines.get(pod.spec.scheduler_name or DEFAULT_SCHEDULER), pod) for pod in pods)
    if any(pipeline is not None and asked_about_some(pipeline, pod, nodes) for pipeline, pod in asked):
        yield Doubt(code="extenders-asked-about-all-nodes", text=words.EXTENDERS_OF_SOME_IN_A_PLAN)


def _extender_doubts(extenders: Iterable[Extender], pods: Sequence[Pod]) -> Iterator[Doubt]:
    """Doubts about extenders that are asked about some pods alone; of the others the configuration tells."""
    for extender in extenders:
        doubt = extender_doubt(extender) if extender.managed_resources else None
        if doubt is not None and any(is_interested(extender, pod) for pod in pods):
            yield doubt


def plan_doubts(
    state: Completeness,
    tried: Iterable[tuple[Pod, str, str]],
    always: Set[str] = frozenset(),
    extenders: Iterable[Extender] = (),
    *,
    nodes: bool = False,
    groups: bool = False,
) -> Iterator[Doubt]:
    """Doubts about a plan of many pods, each told once.

    Args:
        state: what the source holds and lacks.
        tried: pods, each with its verdict (FITS, PREEMPTS or PENDING) and the code of why it does not fit.
        always: kinds that the plan depends on whatever its pods are.
        extenders: of the scheduler.
        nodes: whether there are nodes, whatever the source holds: what-ifs add some.
        groups: whether groups of pods are tried as the scheduler tries them.
    """
    tried = list(tried)
    yield from _extender_doubts(extenders, [pod for pod, _, _ in tried])
    lacking = _lacks(state, nodes=nodes)
    counts: dict[str, int] = {}
    kinds: dict[str, None] = {kind: None for kind in KINDS_BY_NAME if kind in always and kind in lacking}
    storage = False
    seen: dict[tuple[object, ...], tuple[str, ...]] = {}
    for pod, verdict, code in tried:
        spec = pod.spec
        if in_group(pod) and not groups:
            counts["pod-group-not-modelled"] = counts.get("pod-group-not-modelled", 0) + 1
        if spec.resource_claims and not state.has("ResourceSlice") and code not in _WITHOUT_DEVICES:
            counts["devices-not-modelled"] = counts.get("devices-not-modelled", 0) + 1
        claims = _has_claims(pod)
        storage = storage or claims
        key = (verdict, code, claims, bool(spec.resource_claims), _selects_namespaces(pod))
        if key not in seen:
            seen[key] = tuple(_lacking(pod, lacking.keys(), verdict, frozenset((code,))))
            kinds.update(dict.fromkeys(seen[key]))
    for code, number in counts.items():
        yield Doubt(code=code, text=words.of_some(code, number))
    yield from (_lack(lacking[kind], state) for kind in kinds)
    yield from broken_doubts(state.broken, storage=storage)


def _lacks(state: Completeness, *, nodes: bool) -> dict[str, KindRow]:
    """Kinds that a source lacks, or holds only in part; nodes are not lacking where a what-if has added some."""
    return {
        row.kind: row
        for row in table(state)
        if row.presence == "partial" or (row.presence == "absent" and not (nodes and row.kind == "Node"))
    }


def _lack(row: KindRow, state: Completeness) -> Doubt:
    told = row.kind in state.absences or row.presence == "partial"
    return Doubt(
        code=row.code,
        text=row.meaning if told else words.lacks(KINDS_BY_NAME[row.kind].plural, row.meaning),
    )


def _lacking(pod: Pod, kinds: Set[str], verdict: str, codes: frozenset[str]) -> Iterator[str]:
    """Which of the kinds that a source lacks, or holds only in part, this verdict depends on."""
    if "Node" in kinds:
        yield "Node"
    if "Pod" in kinds and verdict != "PENDING":
        yield "Pod"
    if verdict == "PENDING" and (_has_claims(pod) or pod.spec.resource_claims):
        yield from sorted(kinds & {_REFUSING[code] for code in codes if code in _REFUSING})
    elif _has_claims(pod):
        yield from sorted(kinds & _LENIENT)
    if "PodDisruptionBudget" in kinds and verdict == "PREEMPTS":
        yield "PodDisruptionBudget"
    if "Namespace" in kinds and _selects_namespaces(pod):
        yield "Namespace"


def broken_doubts(broken: Iterable[BrokenObject], *, storage: bool) -> Iterator[Doubt]:
    """Doubts that objects left out raise."""
    by_kind: dict[str, list[BrokenObject]] = {}
    for item in broken:
        by_kind.setdefault(item.kind, []).append(item)
    touched = {"Node", "Pod", "", *(_STORAGE if storage else ())}
    for kind, items in sorted(by_kind.items()):
        if kind in touched:
            text = words.broken(kind, len(items), items[0].key or items[0].place)
            yield Doubt(code=f"broken-{(kind or 'object').lower()}", text=text)


def _has_claims(pod: Pod) -> bool:
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in pod.spec.volumes or ())


def _selects_namespaces(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    sides = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity is not None else ()
    return any(
        term.namespace_selector is not None for side in sides if side is not None for term in side.required or ()
    )


def pods_on(cluster: Cluster, nodes: Sequence[str] | None) -> Iterator[Pod]:
    """Yield the pods that run on nodes; on all of them for None."""
    rows = range(len(cluster.nodes)) if nodes is None else [cluster.node_index[name] for name in nodes]
    return (cluster.pods[row].pod for node in rows for row in cluster.pods_on(node))


def _places_nothing(drain: DrainPlan) -> bool:
    """Whether a drain evicts no pod, so that no scheduler has anything to do with it."""
    return not drain.found and not any(pod.fate == "evicted" for pod in drain.pods)


Doubted = TypeVar("Doubted", bound=CapacityReport | DrainPlan | FailReport | MovesPlan | PackPlan | SweepReport)


def with_plan_doubts(
    document: Doubted, planner: Planner, pods: Iterable[Pod], always: Set[str] = frozenset({"Pod"})
) -> Doubted:
    """Add the doubts of a plan in which pods find a place; where none does, only nodes that are not known could help.

    Args:
        document: what was planned.
        planner: planner over the cluster.
        pods: that are to find a place.
        always: kinds that the plan depends on whatever its pods are.
    """
    doubts = [*document.doubts, *missing_nodes(planner.cluster)]
    if isinstance(document, DrainPlan) and _places_nothing(document):
        doubts = [doubt for doubt in doubts if doubt.code != ASSUMED]
    if document.verdict != "BLOCKED":
        pods = tuple(pods)
        doubts += caller_doubts(planner, pods)
        fitting = ((pod, "FITS", "") for pod in pods)
        cluster = planner.cluster
        doubts += plan_doubts(
            cluster.state.completeness, fitting, always, extenders_of(planner), nodes=bool(cluster.nodes)
        )
    doubts += _of_refusal(document, planner)
    if planner.cluster.work.left:
        doubts.append(unfinished_doubt(planner.cluster.work.left))
    return msgspec.structs.replace(document, doubts=tuple(dict.fromkeys(doubts)))


def _of_refusal(document: Doubted, planner: Planner) -> Iterator[Doubt]:
    """Doubt a refusal that rests on objects of a kind which the source lacks."""
    if isinstance(document, DrainPlan | FailReport | CapacityReport) and document.because is not None:
        lacking = _lacks(planner.cluster.state.completeness, nodes=bool(planner.cluster.nodes))
        kind = _REFUSING.get(document.because.code, "")
        if kind in lacking:
            yield _lack(lacking[kind], planner.cluster.state.completeness)


def left_alone(planner: Planner) -> Iterator[str]:
    """Name waiting pods that no profile is responsible for, and those that are being deleted."""
    for name, keys in planner.other_schedulers().items():
        yield words.other_profile(len(keys), name)
    terminating = planner.terminating()
    if terminating:
        yield words.terminating(len(terminating))
