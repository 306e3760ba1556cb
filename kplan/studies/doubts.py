"""Doubts: what of a source or of the pod kplan cannot model, as far as it can change this verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from kplan.cluster import PodInfo
from kplan.objects.kinds import KINDS
from kplan.objects.models import Pod
from kplan.objects.state import BrokenObject, Completeness
from kplan.result.document import Doubt
from kplan.sources import table
from kplan.studies.words import count

_STORAGE = frozenset({"PersistentVolume", "PersistentVolumeClaim", "StorageClass"})
_REFUSING = {
    "claim-missing": "PersistentVolumeClaim",
    "volume-missing": "PersistentVolume",
    "no-volume-to-bind": "PersistentVolume",
    "storage-class-missing": "StorageClass",
    "no-storage-capacity": "CSIStorageCapacity",
}
_LENIENT = frozenset({"CSINode", "CSIDriver", "VolumeAttachment"})
_BY_KIND = {kind.name: kind for kind in KINDS}


def pod_doubts(pod: PodInfo, state: Completeness, verdict: str, codes: frozenset[str]) -> Iterator[Doubt]:
    """Doubts about the verdict of one pod.

    Args:
        pod: the pod.
        state: what the source holds and lacks.
        verdict: FITS, PREEMPTS or PENDING.
        codes: codes of the reasons it was refused for.
    """
    spec = pod.pod.spec
    if spec.scheduling_group is not None or spec.workload_ref is not None:
        yield Doubt(
            code="pod-group-not-modelled",
            text="its pod group is not modelled: the scheduler may hold it back for others",
        )
    if spec.resource_claims:
        yield Doubt(code="devices-not-modelled", text="its resource claims are not modelled: devices count as there")
    lacking = {row.kind: row for row in table(state) if row.presence in ("absent", "partial")}
    for kind in _lacking(pod.pod, lacking.keys(), verdict, codes):
        row = lacking[kind]
        told = kind in state.absences or row.presence == "partial"
        yield Doubt(
            code=row.code, text=row.meaning if told else f"the source holds no {_BY_KIND[kind].plural}: {row.meaning}"
        )
    yield from broken_doubts(state.broken, storage=_has_claims(pod.pod))


def _lacking(pod: Pod, kinds: Set[str], verdict: str, codes: frozenset[str]) -> Iterator[str]:
    """Which of the kinds that a source lacks, or holds only in part, this verdict depends on."""
    if "Node" in kinds:
        yield "Node"
    if "Pod" in kinds and verdict != "PENDING":
        yield "Pod"
    if _has_claims(pod):
        if verdict == "PENDING":
            yield from sorted(kinds & {_REFUSING[code] for code in codes if code in _REFUSING})
        else:
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
    meaning = {"Node": "nothing can be placed there", "Pod": "its room counts as free", "": "it may be anything"}
    for kind in _STORAGE if storage else ():
        meaning[kind] = "volumes may be judged wrongly"
    for kind, items in sorted(by_kind.items()):
        if kind in meaning:
            first = items[0]
            what = count(len(items), kind or "object", f"{kind or 'object'}s")
            name = first.key or first.place
            text = (
                f"{what} could not be read and {'is' if len(items) == 1 else 'are'} left out ({name}): {meaning[kind]}"
            )
            yield Doubt(code=f"broken-{(kind or 'object').lower()}", text=text)


def _has_claims(pod: Pod) -> bool:
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in pod.spec.volumes or ())


def _selects_namespaces(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    sides = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity is not None else ()
    return any(
        term.namespace_selector is not None for side in sides if side is not None for term in side.required or ()
    )
