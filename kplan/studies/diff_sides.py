"""One side of a comparison: its plan carried out, where every pod is in the end, and what was seen on the way.

A side is planned twice where pods are elsewhere on the other one: the second time the cycles of those pods are
watched, with both nodes in view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from kplan.cluster import AddPods, Change, Cluster, PodInfo, Remove
from kplan.cluster.owners import controller
from kplan.pipeline import Pipeline, Planner
from kplan.result import Event, Outcome
from kplan.result.document import Doubt, Origin
from kplan.studies.because import because
from kplan.studies.groups import Asked, Found, find_groups
from kplan.studies.owners import owner_text
from kplan.studies.returning import copy_of
from kplan.studies.simulate import SimulateOptions, simulate_pods
from kplan.studies.tell import tell

_BOUND_BY_NATURE = ("DaemonSet", "Node")


@dataclass(frozen=True)
class Side:
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


@dataclass(frozen=True)
class Place:
    """Where a pod is in the end.

    Attributes:
        node: empty for nowhere.
        owner: its controller, in words.
        row: its row.
        tried: whether the plan placed it or failed to; else it ran from the start.
        gated: whether it is kept out of the queue.
    """

    node: str
    owner: str
    row: int
    tried: bool = False
    gated: bool = False


@dataclass(frozen=True)
class Seen:
    """The cycle of one pod, as far as two nodes are concerned; or why it fits none.

    Attributes:
        choice: where it goes; empty for nowhere.
        tied: nodes that share the highest total.
        scores: by node, weighted scores by plugin.
        refused: by node, code, plugin and words of why it is refused.
        nowhere: code, plugin and words of why it fits no node; empty where it fits one.
        other: where it would go by the rules of the other side, on the state of this one; None if not asked.
    """

    choice: str
    tied: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    refused: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    nowhere: tuple[str, str, str] = ("", "", "")
    other: str | None = None


@dataclass
class Ran:
    """A side after its plan.

    Attributes:
        side: the side.
        planner: with the cluster as it is in the end.
        places: every pod by key.
        order: keys of the pods that were tried, in order.
        evicted: keys of pods that left, and for which pod.
        notes: what the plan had to say.
        seen: cycles of the pods that were watched, by key.
    """

    side: Side
    planner: Planner
    places: dict[str, Place]
    order: tuple[str, ...]
    evicted: dict[str, str]
    notes: tuple[str, ...] = ()
    seen: dict[str, Seen] = field(default_factory=dict)

    @property
    def cluster(self) -> Cluster:
        """The cluster as it is in the end."""
        return self.planner.cluster


@dataclass
class _Watcher(Planner):
    """A planner that looks at two nodes whenever one of some pods is tried.

    Attributes:
        watched: nodes by key of the pod.
        rules: planner with the rules of the other side, over the same cluster; None where these are the same.
        seen: what was seen.
    """

    watched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rules: Planner | None = None
    seen: dict[str, Seen] = field(default_factory=dict)

    def step(self, pod: PodInfo) -> Event:
        """Look at a watched pod before it is placed."""
        if pod.key in self.watched:
            self.seen[pod.key] = look(self, pod, self.watched[pod.key], self.rules)
        return super().step(pod)


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
    options = replace(side.options, landed=len(theirs))
    plan = simulate_pods(planner, [*mine, *theirs], side.origin, options)
    places: dict[str, Place] = {}
    tried = {step.pod: step.result == "gated" for step in plan.steps}
    for pod in cluster.pods:
        if pod.gone:
            continue
        row = int(cluster.pod_node[pod.row])
        node = cluster.node_name(row) if row >= 0 else (pod.pod.spec.node_name or "") if pod.bound else ""
        known = pod.key in tried
        places[pod.key] = Place(node, owner_text(pod, cluster), pod.row, known, tried.get(pod.key, False))
    evicted = {victim: step.pod for step in plan.steps for victim in step.evicts}
    seen = planner.seen if isinstance(planner, _Watcher) else {}
    return Ran(side, planner, places, tuple(step.pod for step in plan.steps), evicted, plan.notes, seen)


def _release(planner: Planner) -> None:
    """Take every pod that a scheduler chose the node of off it, to be placed afresh; its name stays."""
    cluster = planner.cluster
    running = [
        pod
        for pod in cluster.pods
        if pod.bound
        and not pod.gone
        and not pod.terminating
        and planner.queue.responsible(pod)
        and controller(pod)[0] not in _BOUND_BY_NATURE
    ]
    copies = tuple(msgspec.structs.replace(copy_of(pod, pod.name), metadata=pod.pod.metadata) for pod in running)
    changes: list[Change] = [Remove(pod.row) for pod in running]
    planner.apply([*changes, AddPods(copies)])


def look(planner: Planner, pod: PodInfo, nodes: Sequence[str], rules: Planner | None = None) -> Seen:
    """Run a pod's cycle and keep what it says of some nodes; nothing changes.

    Args:
        planner: planner over the cluster as the pod meets it.
        pod: the pod, waiting.
        nodes: names of nodes; those that are not there are passed over.
        rules: planner with other rules, over the same cluster.
    """
    cluster = planner.cluster
    everything, planner.everything = planner.everything, True
    try:
        cycle = planner.cycle(pod)
        asked = Asked(cluster, pod, cycle, cycle.explain(preempt=False))
    finally:
        planner.everything = everything
    outcome = asked.outcome
    rows = [cluster.node_index[name] for name in nodes if name in cluster.node_index]
    tied = outcome.scores.best if outcome.scores is not None else ()
    return Seen(
        choice=cluster.node_name(outcome.choice) if outcome.choice >= 0 else "",
        tied=tuple(cluster.node_name(row) for row in tied) if len(tied) > 1 else (),
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
    scores = outcome.scores
    found: dict[str, dict[str, int]] = {}
    for row in rows if scores is not None else ():
        at = np.flatnonzero(scores.rows == row)  # type: ignore[union-attr]
        if len(at):
            found[cluster.node_name(row)] = {
                plugin: int(values[at[0]])
                for plugin, values in scores.weighted.items()  # type: ignore[union-attr]
            }
    return found


def _refused(asked: Asked, rows: Sequence[int]) -> dict[str, tuple[str, str, str]]:
    """Code, plugin and words of why nodes are refused."""
    found: dict[str, tuple[str, str, str]] = {}
    feasible = set(asked.outcome.feasible.tolist())
    rows = [row for row in rows if row not in feasible]
    groups = find_groups(asked) if rows else []
    for row in rows:
        group = next((group for group in groups if row in group.rows), None)
        if group is None:
            continue
        here = Found(group.atoms, np.array([row], dtype=np.intp), group.text)
        told = tell(asked, here, names=False).group
        detail = told.nodes[0].text if told.nodes else ""
        text = f"{told.text}: {detail}" if detail and detail not in told.text else told.text
        reason = told.reasons[0]
        found[asked.cluster.node_name(row)] = (reason.code, reason.plugin, text)
    return found


def _nowhere(asked: Asked) -> tuple[str, str, str]:
    """Code, plugin and words of why a pod fits no node; empty where it fits one."""
    outcome = asked.outcome
    if outcome.choice >= 0 and not outcome.gated:
        return "", "", ""
    if outcome.gated:
        return "scheduling-gates", "SchedulingGates", "it is gated"
    if outcome.error:
        return "cycle-error", "", outcome.error
    groups = find_groups(asked)
    if not groups:
        return "unknown", "", outcome.fit_error
    told = tell(asked, groups[0], names=False)
    cause = because(told.view, told.phrases, groups[1:])
    return cause.code, told.group.reasons[0].plugin, cause.text
