"""How a controller replaces pods: the steps of a rollout as data, for a study to carry out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kplan.admission.raw import dig, dig_int, dig_text
from kplan.objects.int_or_percent import scaled

_QUARTER = "25%"
_MOST_STEPS = 1000
"""Steps that are written out; a longer rollout repeats its last ones."""


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """What a controller does before it waits for new pods to become ready.

    Attributes:
        remove: old pods that it removes.
        create: new pods that it makes.
        old: old pods then, those that stay among them.
        new: new pods then, those not yet ready among them.
        make_old: pods of the old template that it makes first, because the manifest asks for more of them too.
    """

    remove: int
    create: int
    old: int
    new: int
    make_old: int = 0


@dataclass(frozen=True, slots=True)
class RolloutSteps:
    """The rollout of one workload.

    Attributes:
        strategy: ``RollingUpdate``, ``Recreate`` or ``OnDelete``.
        old: pods before.
        replicas: pods wanted.
        max_surge: pods allowed above ``replicas``.
        max_unavailable: pods that may be missing of ``replicas``.
        peak: most pods there are at one time, terminating ones not counted.
        surge: whether new pods need room beside the old ones.
        steps: each taken once all pods of the one before are ready.
        least: fewest ready pods there are at one time.
    """

    strategy: str
    old: int
    replicas: int
    max_surge: int
    max_unavailable: int
    peak: int
    surge: bool
    steps: tuple[RolloutStep, ...]
    least: int


def fenceposts(max_surge: object, max_unavailable: object, replicas: int) -> tuple[int, int]:
    """Work out how many pods may be too many and too few; both zero allows one to be missing.

    Source: ResolveFenceposts in pkg/controller/deployment/util/deployment_util.go.
    """
    surge = scaled(max_surge, replicas, up=True)
    unavailable = scaled(max_unavailable, replicas, up=False)
    return surge, unavailable if surge or unavailable else 1


def deployment_rollout(spec: object, old: int) -> RolloutSteps:
    """Plan the rollout of a Deployment whose template changes.

    Args:
        spec: as written in the manifest.
        old: pods of the old template, all of them ready.

    Source: rolloutRolling, reconcileOldReplicaSets in pkg/controller/deployment/rolling.go; NewRSNewReplicas,
    MaxUnavailable in util/deployment_util.go; rolloutRecreate in recreate.go.
    """
    replicas = dig_int(spec, "replicas", 1)
    if dig_text(spec, "strategy.type", "RollingUpdate") == "Recreate":
        step = RolloutStep(old, replicas, 0, replicas)
        return RolloutSteps("Recreate", old, replicas, 0, replicas, max(old, replicas), False, (step,), 0)
    rolling = dig(spec, "strategy.rollingUpdate")
    given = rolling if isinstance(rolling, dict) else {}
    surge, unavailable = fenceposts(given.get("maxSurge", _QUARTER), given.get("maxUnavailable", _QUARTER), replicas)
    unavailable = min(unavailable, replicas)
    steps, peak, least = _rolling(old, replicas, surge, unavailable)
    return RolloutSteps("RollingUpdate", old, replicas, surge, unavailable, peak, peak > old, steps, least)


def _rolling(old: int, replicas: int, surge: int, unavailable: int) -> tuple[tuple[RolloutStep, ...], int, int]:
    """Alternate making and removing until nothing moves, then let all pods become ready; return steps, peak and least.

    Source: isScalingEvent, scale in pkg/controller/deployment/sync.go: a changed number of replicas goes to the old
    pods first; cleanupUnhealthyReplicas in rolling.go: of the old pods, those that are not ready leave first.
    """
    steps: list[RolloutStep] = []
    new, peak, least, serving = 0, old, old, old
    change = replicas - old if old else 0
    old += change
    peak = max(peak, old)
    while (old or new < replicas or change) and len(steps) < _MOST_STEPS:
        ready, made, removed = new, 0, 0
        while True:
            create = max(0, min(replicas + surge - old - new, replicas - new))
            new, made = new + create, made + create
            peak = max(peak, old + new)
            remove = min(old, max(0, old + ready - (replicas - unavailable)))
            old, removed = old - remove, removed + remove
            if not create and not remove:
                break
        if not made and not removed and not change:
            break
        steps.append(RolloutStep(removed + max(0, -change), made, old, new, max(0, change)))
        least = min(least, min(serving, old) + ready)
        change, serving = 0, old
    return tuple(steps), peak, least


def stateful_rollout(spec: object, old: int) -> RolloutSteps:
    """Plan the rollout of a StatefulSet: from the highest ordinal down, each pod removed before it is made again.

    What is too many leaves first, and what is missing is made first. An ordered set makes one pod at a time.

    Args:
        spec: as written in the manifest.
        old: pods of the old template, all of them ready.

    Source: updateStatefulSet, updateStatefulSetAfterInvariantEstablished in
    pkg/controller/statefulset/stateful_set_control.go; getStatefulSetMaxUnavailable in stateful_set_utils.go: it rounds
    down, to one at least; without the gate MaxUnavailableStatefulSet (on since 1.37) it is one.
    """
    replicas = dig_int(spec, "replicas", 1)
    strategy = dig_text(spec, "updateStrategy.type", "RollingUpdate")
    if strategy != "RollingUpdate":
        return RolloutSteps(strategy, old, replicas, 0, 0, max(old, replicas), False, (), min(old, replicas))
    at_once = max(1, scaled(dig(spec, "updateStrategy.rollingUpdate.maxUnavailable"), replicas, up=False))
    partition = dig_int(spec, "updateStrategy.rollingUpdate.partition", 0)
    ordered = dig_text(spec, "podManagementPolicy", "OrderedReady") == "OrderedReady"
    missing = [ordinal >= partition for ordinal in range(old, replicas)]
    changed = max(0, min(old, replicas) - partition)
    moves = _ordered(missing, changed, at_once) if ordered else _parallel(missing, changed, at_once)
    steps = _steps(old, max(0, old - replicas), moves)
    peak, least = _extremes(old, steps)
    return RolloutSteps(strategy, old, replicas, 0, at_once, peak, False, steps, least)


def _ordered(missing: list[bool], changed: int, at_once: int) -> Iterator[tuple[int, int, int]]:
    """Yield pods removed, new ones made, old ones made: one is made at a time, the lowest ordinal first."""
    for is_new in missing:
        yield 0, int(is_new), int(not is_new)
    for done in range(0, changed, at_once):
        now = min(at_once, changed - done)
        yield now, 1, 0
        for _ in range(now - 1):
            yield 0, 1, 0


def _parallel(missing: list[bool], changed: int, at_once: int) -> Iterator[tuple[int, int, int]]:
    """Yield pods removed, new ones made, old ones made: what is missing counts as unavailable."""
    now = min(changed, max(0, at_once - len(missing)) if missing else 0)
    if missing:
        yield now, now + sum(missing), len(missing) - sum(missing)
    for done in range(now, changed, at_once):
        now = min(at_once, changed - done)
        yield now, now, 0


def daemon_rollout(spec: object, old: int) -> RolloutSteps:
    """Plan the rollout of a DaemonSet: node by node, beside the old pod where maxSurge allows.

    Args:
        spec: as written in the manifest.
        old: pods of the old template, all of them ready.

    Source: rollingUpdate in pkg/controller/daemon/update.go; SurgeCount, UnavailableCount round up.
    """
    strategy = dig_text(spec, "updateStrategy.type", "RollingUpdate")
    if strategy != "RollingUpdate":
        return RolloutSteps(strategy, old, old, 0, 0, old, False, (), old)
    given = dig(spec, "updateStrategy.rollingUpdate")
    rolling = given if isinstance(given, dict) else {}
    surge = scaled(rolling.get("maxSurge", 0), old, up=True)
    unavailable = scaled(rolling.get("maxUnavailable", 0 if surge else 1), old, up=True)
    if not surge:
        unavailable = max(1, unavailable)
    at_once = surge or unavailable
    sizes = [min(at_once, old - done) for done in range(0, old, at_once)]
    if surge:
        # an old pod leaves once the new one on its node is ready
        moves = [(remove, create, 0) for remove, create in zip([0, *sizes], [*sizes, 0], strict=True)] if old else []
    else:
        moves = [(size, size, 0) for size in sizes]
    steps = _steps(old, 0, moves)
    peak, least = _extremes(old, steps)
    return RolloutSteps(strategy, old, old, surge, unavailable, peak, surge > 0, steps, least)


def _steps(old: int, surplus: int, moves: Iterable[tuple[int, int, int]]) -> tuple[RolloutStep, ...]:
    """Count pods from move to move; what is too many leaves with the first."""
    new = 0
    steps = []
    for remove, create, make_old in moves:
        old, new = old - surplus - remove + make_old, new + create
        steps.append(RolloutStep(surplus + remove, create, old, new, make_old))
        surplus = 0
    if surplus:
        steps.append(RolloutStep(surplus, 0, old - surplus, new))
    return tuple(steps)


def _extremes(old: int, steps: tuple[RolloutStep, ...]) -> tuple[int, int]:
    """Most pods at one time, and fewest that are ready: those of earlier steps."""
    peak = max([old, *(step.old + step.new for step in steps)])
    least = min([old, *(step.old + step.new - step.create - step.make_old for step in steps)])
    return peak, least
