"""One side of a comparison: its plan carried out, where every pod is in the end, and what was seen on the way.

A side is planned twice where pods are elsewhere on the other one: the second time the cycles of those pods are
watched, with both nodes in view.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo, arrive, leave
from kplan.course.evictions.returning import copy_of
from kplan.course.trial.as_new import movable
from kplan.framework.doubt import Doubt
from kplan.pipeline import Pipeline, Planner
from kplan.pipeline.entity import Entity
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.groups import find_groups, narrowed
from kplan.reasons.run_cycle import RunCycle
from kplan.result import Outcome, PlanEvent
from kplan.result.document_base import Origin
from kplan.studies.simulate import SimulateOptions, simulate_pods
from kplan.wording.because import because
from kplan.wording.diff import GATED
from kplan.wording.groups import tell, with_numbers
from kplan.wording.not_tried import NOT_TRIED
from kplan.wording.owners import owner_text

_PARTS, _FEW = 5, 4
"""Parts of the work: a plan of each side, one of each with the pods watched that are elsewhere on the other, and what
comparing takes; without those two plans where building their columns would take most of it."""


class Side(Struct, frozen=True):
    """What is compared.

    Attributes:
        name: A or B.
        label: what it is, in a few words.
        planner: makes a planner over a fresh cluster.
        pipelines: its rules, by scheduler name.
        origin: where the state is from.
        config: configuration file; empty for that of the source.
        manifests: names of what lands.
        landed: keys of the pods that land, in order.
        options: how the plan is made.
        doubts: about its state and rules.
        notes: what else to say.
    """

    name: str
    label: str
    planner: Callable[[], Planner]
    pipelines: Mapping[str, Pipeline]
    origin: Origin
    config: str = ""
    manifests: tuple[str, ...] = ()
    landed: tuple[str, ...] = ()
    options: SimulateOptions = field(default_factory=SimulateOptions)
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()


class PlacedAt(Struct, frozen=True):
    """Where a pod is in the end.

    Attributes:
        node: empty for nowhere.
        owner: its controller, in words.
        row: its row.
        tried: whether the plan placed it or failed to; else it ran from the start.
    """

    node: str
    owner: str
    row: int
    tried: bool = False


class RefusedPod(Struct, frozen=True):
    """Why a node, or every node, refuses a pod.

    Attributes:
        plugin: the plugin that does; empty where none does.
        text: in words.
    """

    plugin: str
    text: str


class SeenSide(Struct, frozen=True):
    """The cycle of one pod, as far as two nodes are concerned; or why it fits none.

    Attributes:
        choice: where it goes; empty for nowhere.
        scores: by node, weighted scores by plugin.
        refused: why nodes are refused, by node.
        nowhere: why it fits no node; None where it fits one.
        other: where it would go by the rules of the other side, on the state of this one; None if not asked.
    """

    choice: str
    scores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    refused: Mapping[str, RefusedPod] = field(default_factory=dict)
    nowhere: RefusedPod | None = None
    other: str | None = None


class Ran(Struct):
    """A side after its plan.

    Attributes:
        side: the side.
        planner: with the cluster as it is in the end.
        places: every pod by key.
        order: keys of the pods that were tried, in order.
        evicted: keys of pods that left, and for which pod.
        notes: what the plan had to say.
        seen: cycles of the pods that were watched, by key.
        left_out: the doubt about pods that were not tried.
        again: whether there is work for one more plan, with pods watched.
    """

    side: Side
    planner: Planner
    places: dict[str, PlacedAt]
    order: tuple[str, ...]
    evicted: dict[str, str]
    notes: tuple[str, ...] = ()
    seen: dict[str, SeenSide] = field(default_factory=dict)
    left_out: tuple[Doubt, ...] = ()
    again: bool = True

    @property
    def cluster(self) -> Cluster:
        """The cluster as it is in the end."""
        return self.planner.cluster


@dataclasses.dataclass
class _Watcher(Planner):
    """A planner that looks at two nodes whenever one of some pods is tried.

    Attributes:
        watched: nodes by key of the pod.
        rules: planner with the rules of the other side, over the same cluster; None where these are the same.
        seen: what was seen.
    """

    watched: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    rules: Planner | None = None
    seen: dict[str, SeenSide] = dataclasses.field(default_factory=dict)

    def step(self, entity: PodInfo | Entity) -> PlanEvent:
        """Look at a watched pod before it is placed."""
        if isinstance(entity, PodInfo) and entity.key in self.watched:
            self.seen[entity.key] = look(self, entity, self.watched[entity.key], self.rules)
        return super().step(entity)


def run_side(
    side: Side,
    *,
    every: bool,
    watched: Mapping[str, tuple[str, ...]] | None = None,
    other: Side | None = None,
) -> Ran:
    """Plan a side from the start.

    Args:
        side: the side.
        every: place pods that run afresh too.
        watched: nodes to look at by key of the pod.
        other: the side whose rules watched pods are asked by as well.
    """
    planner = side.planner()
    if watched:
        rules = Planner(planner.cluster, dict(other.pipelines)) if other is not None else None
        planner = _Watcher(planner.cluster, planner.pipelines, everything=False, watched=watched, rules=rules)
    cluster = planner.cluster
    if every:
        _release(planner)
    landed = frozenset(side.landed)
    mine = [pod for pod in planner.waiting() if pod.key not in landed]
    theirs = [cluster.pods[cluster.pod_index[key]] for key in side.landed]
    theirs = [pod for pod in sorted(theirs, key=lambda pod: -pod.priority) if planner.queue.responsible(pod)]
    again = cluster.work.builds(_PARTS - 1)
    options = replace(side.options, landed=len(theirs), plans=_PARTS if again else _FEW)
    plan = simulate_pods(planner, [*mine, *theirs], side.origin, options)
    tried = {step.pod for step in plan.steps}
    places = {
        pod.key: PlacedAt(_node(cluster, pod), owner_text(pod, cluster), pod.row, pod.key in tried)
        for pod in cluster.pods
        if not pod.gone
    }
    evicted = {victim: step.pod for step in plan.steps for victim in step.evicts}
    seen = planner.seen if isinstance(planner, _Watcher) else {}
    left_out = tuple(doubt for doubt in plan.doubts if doubt.code == NOT_TRIED)
    order = tuple(step.pod for step in plan.steps)
    return Ran(side, planner, places, order, evicted, plan.notes, seen, left_out, again)


def _node(cluster: Cluster, pod: PodInfo) -> str:
    """Node of a pod, one that is not there too; empty for none."""
    return cluster.home_of(pod.row) or (pod.bound and pod.pod.spec.node_name) or ""


def _release(planner: Planner) -> None:
    """Take every pod that a scheduler chose the node of off it, to be placed afresh; its name stays."""
    running = movable(planner)
    copies = tuple(msgspec.structs.replace(copy_of(pod, pod.name), metadata=pod.pod.metadata) for pod in running)
    planner.apply(leave(planner.cluster, (pod.row for pod in running)))
    planner.apply(arrive(planner.cluster, copies))


def look(planner: Planner, pod: PodInfo, nodes: Sequence[str], rules: Planner | None = None) -> SeenSide:
    """Run a pod's cycle and keep what it says of some nodes; nothing changes.

    Args:
        planner: planner over the cluster as the pod meets it.
        pod: the pod, waiting.
        nodes: names of nodes; those that are not there are passed over.
        rules: planner with other rules, over the same cluster.
    """
    cluster = planner.cluster
    asked = RunCycle.of(planner, pod)
    outcome = asked.outcome
    rows = [cluster.node_index[name] for name in nodes if name in cluster.node_index]
    return SeenSide(
        choice=cluster.node_name(outcome.choice) if outcome.choice >= 0 else "",
        scores=_scores(cluster, outcome, rows),
        refused=_refused(asked, rows),
        nowhere=_nowhere(asked),
        other=_other(rules, pod) if rules is not None else None,
    )


def _other(rules: Planner, pod: PodInfo) -> str:
    if pod.scheduler_name not in rules.pipelines:
        return ""
    outcome = rules.cycle(pod).explain(preempt=False)
    return rules.cluster.node_name(outcome.choice) if outcome.choice >= 0 else ""


def _scores(cluster: Cluster, outcome: Outcome, rows: Sequence[int]) -> dict[str, dict[str, int]]:
    """Weighted scores by plugin, by name of the node; of nodes that were scored."""
    scores = outcome.scores
    if scores is None:
        return {}
    position = {row: at for at, row in enumerate(scores.rows.tolist())}
    return {
        cluster.node_name(row): {plugin: int(values[position[row]]) for plugin, values in scores.weighted.items()}
        for row in rows
        if row in position
    }


def _refused(asked: RunCycle, rows: Sequence[int]) -> dict[str, RefusedPod]:
    """Why nodes are refused, by name of the node."""
    refusals: dict[str, RefusedPod] = {}
    feasible = set(asked.outcome.feasible.tolist())
    rows = [row for row in rows if row not in feasible]
    groups = find_groups(asked) if rows else []
    for row in rows:
        here = narrowed(groups, row)
        if here is not None:
            told = tell(asked, here, names=False).group
            refusals[asked.cluster.node_name(row)] = RefusedPod(told.reasons[0].plugin, with_numbers(told))
    return refusals


def _nowhere(asked: RunCycle) -> RefusedPod | None:
    """Why a pod fits no node; None where it fits one."""
    outcome = asked.outcome
    if outcome.gated:
        return RefusedPod("SchedulingGates", GATED)
    if outcome.choice >= 0:
        return None
    if outcome.error:
        return RefusedPod("", outcome.error)
    groups = find_groups(asked)
    if not groups:
        return RefusedPod("", outcome.fit_error)
    told = tell(asked, groups[0], names=False, own=own_claims(asked.pod.pod))
    cause = because(told, groups[1:])
    return RefusedPod(told.group.reasons[0].plugin, cause.text)
