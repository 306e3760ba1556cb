"""Which pods a ReplicaSet's controller removes first, and which a Job's."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cmp_to_key
from math import log2
from typing import TypeVar

from msgspec import Struct

from kplan.admission.raw import dig, dig_text
from kplan.objects.models import Pod
from kplan.objects.whole_numbers import natural, parse_int
from kplan.sources import ManifestObject

_PHASES = {"Pending": 0, "Unknown": 1}
_COST = "controller.kubernetes.io/pod-deletion-cost"
_INDEX = "batch.kubernetes.io/job-completion-index"
_HOUR = 3600
_NANO = 1_000_000_000
_Ordered = TypeVar("_Ordered", int, float, str, tuple[int, ...])


class Standing(Struct, frozen=True):
    """A pod as the controller ranks it.

    Attributes:
        pod: the object.
        node: where it is; empty for nowhere.
        ready: whether it is ready.
        uid: of the pod.
    """

    pod: Pod
    node: str
    ready: bool
    uid: str


def leaving_order(
    pods: Sequence[Standing], related: Iterable[Standing], now: str = "", *, later: int = 0
) -> list[Standing]:
    """Sort pods by who leaves first.

    Args:
        pods: of one ReplicaSet.
        related: pods of all ReplicaSets of the same owner, these among them.
        now: RFC 3339; empty where it is unknown: ages are then compared as they are, the newest first.
        later: seconds from then on.

    Source: ActivePodsWithRanks.Less in pkg/controller/controller_utils.go, getPodsRankedByRelatedPodsOnSameNode in
    pkg/controller/replicaset/replica_set.go.
    """
    return sorted(pods, key=cmp_to_key(_compared(related, now, later)))


def _compared(related: Iterable[Standing], now: str, later: int = 0) -> Callable[[Standing, Standing], int]:
    on_node = Counter(standing.node for standing in related)
    at = _time(now) + later if now else 0.0

    def compare(one: Standing, other: Standing) -> int:
        order = _less(_ranks(one, on_node), _ranks(other, on_node))
        if order:
            return order
        since = _ready_since(one), _ready_since(other)
        for mine, theirs in map(_times, (since, (_created(one), _created(other)))):
            if mine != theirs:
                return _younger_first(mine, theirs, at) or _less(one.uid, other.uid)
            order = _less(_restarts(other), _restarts(one))
            if order:
                return order
        return 0

    return compare


def undecided(pods: Sequence[Standing], related: Sequence[Standing], number: int, now: str) -> list[Standing]:
    """Find pods of which it is not certain whether they leave: nothing tells them apart, or only when it is.

    Args:
        pods: of one ReplicaSet.
        related: pods of all ReplicaSets of the same owner, these among them.
        number: how many leave.
        now: RFC 3339; empty where it is unknown.
    """
    order = leaving_order(pods, related, now)
    if not 0 < number < len(order):
        return []
    last, next_one, compare = order[number - 1], order[number], _compared(related, now)
    if compare(last, next_one) == 0:  # the controller's order of these is that of a map
        return [standing for standing in order if compare(last, standing) == 0]
    if now:
        first = {standing.uid for standing in order[:number]}
        later = {standing.uid for standing in leaving_order(pods, related, now, later=_HOUR)[:number]}
        return [standing for standing in order if standing.uid in first ^ later]
    on_node = Counter(standing.node for standing in related)
    known = [(_ranks(standing, on_node), _restarts(standing)) for standing in order]
    return [standing for standing, key in zip(order, known, strict=True) if key == known[number] == known[number - 1]]


def job_leaving_order(pods: Sequence[Standing], *, indexes: int = 0) -> list[Standing]:
    """Sort the active pods of a Job by who leaves first.

    Args:
        pods: not ended, and not on their way out.
        indexes: completions of an indexed Job, of which a pod with another index, or with one that is taken, goes
            before all others; 0 for a Job that is not indexed.

    Source: activePodsForRemoval in pkg/controller/job/job_controller.go, appendDuplicatedIndexPodsForRemoval in
    indexed_job_utils.go, ActivePods.Less in pkg/controller/controller_utils.go.
    """

    def compare(standing: Standing, other: Standing) -> int:
        order = _less(_stage(standing), _stage(other))
        since = _ready_since(standing), _ready_since(other)
        for mine, theirs in map(_times, (since, (_created(standing), _created(other)))) if not order else ():
            if mine != theirs:
                return _younger_first(mine, theirs, 0)
            order = _less(_restarts(other), _restarts(standing))
            if order:
                return order
        return order

    ranked = sorted(pods, key=cmp_to_key(compare))
    if not indexes:
        return ranked
    keeps: dict[str, Standing] = {}
    for running in ranked:  # of several with one index the last stays
        index = running.pod.annotations.get(_INDEX, "")
        if (number := natural(index)) is not None and number < indexes:
            keeps[index] = running
    stay = {keep.uid for keep in keeps.values()}
    return sorted(ranked, key=lambda running: running.uid in stay)


def _stage(standing: Standing) -> tuple[int, ...]:
    return (
        bool(standing.node),
        _PHASES.get(standing.pod.status.phase or "Running", 2) if not standing.ready else 2,
        standing.ready,
    )


def _ranks(standing: Standing, on_node: Counter[str]) -> tuple[int, ...]:
    return (
        *_stage(standing),
        _cost(standing.pod.annotations.get(_COST, "0")),
        -on_node[standing.node],
    )


def _cost(text: str) -> int:
    """Read a deletion cost; what the controllers cannot read counts as none.

    Source: GetDeletionCostFromPodAnnotations, validFirstDigit in v1.37.2 pkg/apis/core/helper/helpers.go.
    """
    if text == "0" or text[:1] in (*"-123456789",):
        return parse_int(text, 32) or 0
    return 0


def _ready_since(standing: Standing) -> str:
    times = (
        c.last_transition_time for c in standing.pod.status.conditions or () if c.type == "Ready" and standing.ready
    )
    return next(times, None) or ""


def _created(standing: Standing) -> str:
    return standing.pod.metadata.creation_timestamp or ""


def _time(text: str) -> float:
    """Seconds since the epoch; 0 for none."""
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else 0.0
    except ValueError:
        return 0.0


def _times(texts: tuple[str, str]) -> tuple[float, float]:
    return _time(texts[0]), _time(texts[1])


def _restarts(standing: Standing) -> tuple[int, ...]:
    """Most restarts of one container, then of one sidecar: who restarted more goes first.

    Source: compareMaxContainerRestarts in pkg/controller/controller_utils.go.
    """
    status = standing.pod.status
    sidecars = {c.name for c in standing.pod.spec.init_containers or () if c.restart_policy == "Always"}
    of_all = (c.restart_count or 0 for c in status.container_statuses or ())
    of_sidecars = (c.restart_count or 0 for c in status.init_container_statuses or () if c.name in sidecars)
    return max(of_all, default=0), max(of_sidecars, default=0)


def _younger_first(one: float, other: float, now: float) -> int:
    """Compare two different times, by powers of two of their age where the time of day is known; 0 for equal ages.

    Source: logarithmicRankDiff, afterOrZero in pkg/controller/controller_utils.go.
    """
    if not one or not other:
        return -1 if not one else 1
    if not now:
        return -1 if one > other else 1
    return _less(_power(now - one), _power(now - other))


def _power(age: float) -> int:
    return int(log2(age * _NANO)) if age > 0 else -1


def _less(one: _Ordered, other: _Ordered) -> int:
    if one == other:
        return 0
    return -1 if one < other else 1


def ordinal(name: str) -> int:
    """Ordinal of a pod of a StatefulSet by its name; -1 for a name without one."""
    number = natural(name.rpartition("-")[2])
    return -1 if number is None else number


def claims_that_go(manifest: ManifestObject, fewer: int) -> tuple[str, ...]:
    """Say that claims are deleted with the pods that a StatefulSet has too many; nothing where they are kept.

    Source: UpdatePodClaimForRetentionPolicy in pkg/controller/statefulset/stateful_pod_control.go.
    """
    scaled = dig_text(manifest.raw, "spec.persistentVolumeClaimRetentionPolicy.whenScaled")
    templates = dig(manifest.raw, "spec.volumeClaimTemplates")
    if manifest.kind != "StatefulSet" or fewer <= 0 or scaled != "Delete" or not templates:
        return ()
    return ("LOSES DATA: the claims of the pods that leave are deleted with them (whenScaled Delete)",)
