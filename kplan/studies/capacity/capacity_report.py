"""The report: what fits, where, what stops the next one, a quota sooner than room, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.admission import Quotas
from kplan.cluster import Cluster
from kplan.cluster.domains import zone_of
from kplan.course.capacity.counting import BOUND, CountedSets, count_sets
from kplan.course.capacity.supply import Supply
from kplan.errors import UsageError
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.remedies.engine import Tried
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_capacity import CapacityPlace, CapacityReport, CapacityWorkload, Growth, Refusing
from kplan.result.document_how_to import HowTo
from kplan.scenario.add_node import AddNode
from kplan.scenario.manifests import fresh_copy
from kplan.studies.capacity.growth import grow
from kplan.studies.capacity.ordered import going_on, held_set
from kplan.studies.capacity.shapes import shape_room
from kplan.wording.capacity import (
    capacity_sentence,
    cut_short,
    even_empty,
    evicts_nobody,
    goes_on_text,
    growth_how_to,
    growth_text,
    quota_lets_in,
    shapes_sentence,
    supply_notes,
)
from kplan.wording.failing import Failure, failure
from kplan.wording.how_to import how_to
from kplan.wording.rollouts import shares_volume
from kplan.wording.what_if import held_because
from kplan.words import count


class CapacityAsked(Struct, frozen=True):
    """What is asked.

    Attributes:
        supplies: workloads to multiply.
        ratio: pods of each in a set; 1 each if empty.
        replicas: pods of the first workload that are wanted in all; None for as many as fit.
        node: what a new node is like; None for the kind of this cluster that helps most.
        shapes: requests by the name of a shape.
        doubts: about version and configuration.
        limit: sets to stop at.
    """

    supplies: Sequence[Supply] = ()
    ratio: Sequence[int] = ()
    replicas: int | None = None
    node: AddNode | None = None
    shapes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    limit: int = BOUND


def capacity(
    planner: Planner,
    asked: CapacityAsked,
    origin: Origin,
    progress: Callable[[int, int], None] | None = None,
    known: Callable[[Callable[[], CapacityReport]], None] | None = None,
) -> CapacityReport:
    """Count what fits and tell what stops it.

    Args:
        planner: planner over the cluster, which is as before afterwards; it evicts nothing.
        asked: what is asked.
        origin: where the state is from.
        progress: told how many sets were placed, of 0, as nobody knows of how many.
        known: given what makes the report of those that were placed, at any time meanwhile.

    Raises:
        UsageError: the ratio does not fit the workloads.
    """
    shapes = tuple(shape_room(planner, name, requests) for name, requests in asked.shapes.items())
    if not asked.supplies:
        fits = sum(shape.fits > 0 for shape in shapes)
        verdict = "FITS" if fits == len(shapes) else "PARTLY" if fits else "BLOCKED"
        return CapacityReport(
            api_version=API_VERSION,
            verdict=verdict,
            sentence=shapes_sentence(fits, len(shapes)),
            sets=0,
            nodes=len(planner.cluster.nodes),
            origin=origin,
            doubts=asked.doubts,
            shapes=shapes,
        )
    ratio = list(asked.ratio) or [1] * len(asked.supplies)
    if len(ratio) != len(asked.supplies):
        names = ", ".join(supply.name for supply in asked.supplies)
        raise UsageError(
            f"--ratio of {len(ratio)} numbers for {count(len(asked.supplies), 'workload')}",
            code="bad-ratio",
            hint=names,
        )
    wanted = _wanted(asked, ratio)
    most = asked.limit if asked.replicas is None or wanted is None else min(asked.limit, wanted)

    def seen(counted: CountedSets[Failure]) -> None:
        if known is not None:
            known(lambda: _so_far(planner.cluster, asked, ratio, counted, wanted, origin))
        if progress is not None:
            progress(counted.sets, 0)

    counted = count_sets(planner, asked.supplies, ratio, most, why=failure, known=seen)
    missing = wanted if wanted is not None and (asked.replicas is not None or counted.sets < wanted) else None
    held = held_set(planner.cluster, asked.supplies, ratio)
    held = held if held is not None and held.sets < counted.sets else None
    growth = grow(planner, asked.supplies, ratio, counted, missing, asked.node) if held is None else None
    let_in = let_in_by_quotas(planner.cluster, asked.supplies, ratio, counted.sets)
    # more nodes let in no more pods
    helps = growth if let_in is None or not _stops_first(counted, let_in, wanted) else None
    several = len(asked.supplies) > 1
    fewest = counted.sets if let_in is None else let_in.sets
    goes_on = going_on(planner, asked.supplies, ratio, held, most) if held is not None else None
    if held is not None:
        fewest = min(fewest, held.sets)
    workloads = tuple(_workload(*pair, counted, wanted) for pair in zip(asked.supplies, ratio, strict=True))
    return CapacityReport(
        api_version=API_VERSION,
        verdict=_verdict(fewest, wanted),
        sentence=capacity_sentence(
            workloads,
            counted,
            wanted,
            asked.replicas,
            growth,
            let_in.sets if let_in is not None else None,
            held.sets if held is not None else None,
        ),
        sets=counted.sets,
        quota_lets_in=let_in.sets if let_in is not None else None,
        bounded=counted.bounded and asked.replicas is None,
        nodes=len(planner.cluster.nodes),
        origin=origin,
        made=held.sets if held is not None else None,
        because=held_because(held.held) if held is not None else _because(counted, growth, let_in, wanted),
        attempt=goes_on_text(goes_on) if goes_on is not None else growth_text(counted.sets, wanted, helps),
        how_to=_how_to(goes_on, counted, wanted, helps),
        doubts=(*asked.doubts, *_held(counted)),
        notes=(
            *(note for supply in asked.supplies for note in supply_notes(supply)),
            *([quota_lets_in(let_in.sets, counted.sets, let_in.why, several=several)] if let_in is not None else []),
            *_no_preemption(planner.cluster, asked.supplies, counted, wanted),
        ),
        workloads=workloads,
        places=tuple(_places(planner.cluster, asked.supplies, counted)),
        refusing=_refusing(counted.failure) if counted.failure is not None else (),
        next_pod=_next(asked, ratio, counted) if counted.failure is not None else None,
        group=counted.failure.group if counted.failure is not None else None,
        groups=counted.failure.groups if counted.failure is not None else 0,
        more_groups=counted.failure.further() if counted.failure is not None else (),
        nearest=counted.failure.nearest if counted.failure is not None else None,
        growth=growth,
        shapes=shapes,
    )


def _so_far(
    cluster: Cluster,
    asked: CapacityAsked,
    ratio: Sequence[int],
    counted: CountedSets[Failure],
    wanted: int | None,
    origin: Origin,
) -> CapacityReport:
    """Report what was placed when the count was cut short: there may be room for more, and nothing says why not."""
    at_least = replace(counted, bounded=True)
    workloads = tuple(_workload(*pair, counted, wanted) for pair in zip(asked.supplies, ratio, strict=True))
    return CapacityReport(
        api_version=API_VERSION,
        verdict=_verdict(counted.sets, wanted),
        sentence=capacity_sentence(workloads, at_least, wanted, asked.replicas, None),
        sets=counted.sets,
        bounded=True,
        nodes=len(cluster.nodes),
        origin=origin,
        doubts=asked.doubts,
        notes=(cut_short(counted.sets),),
        workloads=workloads,
        places=tuple(_places(cluster, asked.supplies, counted)),
    )


def _wanted(asked: CapacityAsked, ratio: Sequence[int]) -> int | None:
    """Sets that are missing to the number asked for, by a flag or else by the manifest of the one workload.

    A manifest whose replicas all run asks for nothing: it is asked how many more there could be.
    """
    running = len(asked.supplies[0].running)
    if asked.replicas is not None:
        return -(-max(0, asked.replicas - running) // max(1, ratio[0]))
    asks = asked.supplies[0].asks if len(asked.supplies) == 1 else None
    return asks - running if asks is not None and asks > running else None


def _how_to(
    goes_on: Tried[int] | None, counted: CountedSets[Failure], wanted: int | None, growth: Growth | None
) -> HowTo | None:
    """How what is proposed first is carried out; None for nothing."""
    if goes_on is None:
        return growth_how_to(counted.sets, wanted, growth)
    return how_to(goes_on.candidate, goes_on.found if wanted is None else min(goes_on.found, wanted), wanted or 0)


def _held(counted: CountedSets[Failure]) -> Iterator[Doubt]:
    """Doubt whether all are counted that run: those that share a volume run on the node that has it."""
    if counted.held is not None:
        yield Doubt(code="volume-attached", text=shares_volume(counted.held))


def _verdict(sets: int, wanted: int | None) -> str:
    """FITS, PARTLY or BLOCKED, by how many sets fit and are let in, and how many are wanted."""
    if wanted is not None and sets >= wanted:
        return "FITS"
    if not sets:
        return "BLOCKED"
    return "FITS" if wanted is None else "PARTLY"


def _stops_first(counted: CountedSets[Failure], let_in: LetIn, wanted: int | None) -> bool:
    """Whether a quota stops sooner than room does."""
    return let_in.sets < (counted.sets if wanted is None else min(counted.sets, wanted)) or not let_in.sets


def _because(
    counted: CountedSets[Failure], growth: Growth | None, let_in: LetIn | None, wanted: int | None
) -> Cause | None:
    if let_in is not None and _stops_first(counted, let_in, wanted):
        return Cause(code="quota", text=let_in.why)
    if counted.failure is None:
        return None
    if growth is not None and growth.none_helps is not None and not counted.sets:
        return even_empty(growth.none_helps)
    return counted.failure.because


def _no_preemption(
    cluster: Cluster, supplies: Sequence[Supply], counted: CountedSets[Failure], wanted: int | None
) -> tuple[str, ...]:
    """Say that nobody is evicted, where too few fit and the priority of the pods would let them evict others."""
    if wanted is None or counted.sets >= wanted:
        return ()
    spec = supplies[0].sample.spec
    priority = spec.priority or 0
    lowest = min((pod.priority for pod in cluster.pods if pod.bound and not pod.terminating), default=priority)
    return () if lowest >= priority or spec.preemption_policy == "Never" else (evicts_nobody(priority),)


def _workload(supply: Supply, times: int, counted: CountedSets[Failure], wanted: int | None) -> CapacityWorkload:
    return CapacityWorkload(
        workload=supply.name,
        ratio=times,
        running=len(supply.running),
        more=counted.sets * times,
        asked=None if wanted is None else wanted * times,
    )


def _places(cluster: Cluster, supplies: Sequence[Supply], counted: CountedSets[Failure]) -> list[CapacityPlace]:
    zones = {node.name: zone_of(cluster, row) for row, node in enumerate(cluster.nodes)}
    running: dict[str, int] = {}
    for supply in supplies:
        for row in supply.running:
            at = int(cluster.pod_node[row])
            if at >= 0:
                zone = zones[cluster.node_name(at)]
                running[zone] = running.get(zone, 0) + 1
    nodes: dict[str, dict[str, int]] = {}
    for on in counted.on:
        for name, number in on.items():
            mine = nodes.setdefault(zones.get(name, ""), {})
            mine[name] = mine.get(name, 0) + number
    return [
        CapacityPlace(
            place=zone,
            running=running.get(zone, 0),
            more=sum(nodes.get(zone, {}).values()),
            nodes=dict(sorted(nodes.get(zone, {}).items())),
        )
        for zone in sorted({*running, *nodes, *zones.values()})
    ]


def _refusing(failure: Failure) -> tuple[Refusing, ...]:
    """Plugins that refuse the next pod, each with its words on the nodes nearest to fitting and how many refuse."""
    by_plugin: dict[str, tuple[str, int]] = {}
    for group in failure.all_groups:
        for plugin in dict.fromkeys(reason.plugin for reason in group.reasons):
            text, nodes = by_plugin.get(plugin, ("", 0))
            words = next(reason.text for reason in group.reasons if reason.plugin == plugin)
            by_plugin[plugin] = (text or words, nodes + group.count)
    rows = [Refusing(plugin=plugin, text=text, nodes=nodes) for plugin, (text, nodes) in by_plugin.items()]
    return tuple(sorted(rows, key=lambda row: (-row.nodes, row.plugin)))


def _next(asked: CapacityAsked, ratio: Sequence[int], counted: CountedSets[Failure]) -> int:
    number = max(0, counted.failed)
    return len(asked.supplies[number].running) + counted.sets * ratio[number] + 1


class LetIn(Struct, frozen=True):
    """What a quota lets in of the sets that find a place.

    Attributes:
        sets: how many.
        why: what the quota says of the next one.
    """

    sets: int
    why: str


def let_in_by_quotas(cluster: Cluster, supplies: Sequence[Supply], ratio: Sequence[int], sets: int) -> LetIn | None:
    """Tell which quota lets fewer pods in than find a place; of pods that wait it has let in each already.

    Args:
        cluster: as it is before any pod is added.
        supplies: the workloads.
        ratio: pods of each in a set.
        sets: sets that find a place.

    Returns:
        None where quotas let all of them in.
    """
    spaces = {supply.sample.namespace for supply in supplies}
    mine = [quota for quota in cluster.state.resource_quotas if quota.namespace in spaces]
    if not mine:
        return None
    ledger = Quotas(mine, cluster.rules, (pod.pod for pod in cluster.pods if not pod.gone))
    made = [0] * len(supplies)
    for number in range(sets):
        for which, supply in enumerate(supplies):
            for _ in range(ratio[which]):
                made[which] += 1
                name = f"{supply.sample.name}-more-{made[which]}"
                why = made[which] > len(supply.waiting) and ledger.refuses_pod(fresh_copy(supply.sample, name))
                if why:
                    return LetIn(number if len(supplies) > 1 else made[which] - 1, why)
    return None
