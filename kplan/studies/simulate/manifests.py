"""Manifests planned: they land, the queue and then their pods are tried; and all that again with something changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster.changes import Remove
from kplan.cluster.work import EXPANDED, Work
from kplan.errors import KplanError
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.walk import Walk
from kplan.remedies.candidate import Candidate
from kplan.remedies.made_again import without
from kplan.result.document_base import Origin
from kplan.result.document_plan import SimulationPlan
from kplan.scenario.together import together
from kplan.sources import Manifests
from kplan.studies.as_a_whole import Played
from kplan.studies.simulate import SimulateOptions, simulate_pods
from kplan.studies.simulate.landing import Landed, land_objects, with_objects
from kplan.studies.simulate.left_by_steps import NO_STEPS, LeftBySteps, waiting_in
from kplan.studies.simulate.named_nodes import with_named_nodes
from kplan.studies.simulate.runs import many_runs


class ManifestPlan(Struct, frozen=True):
    """A plan of manifests, as often as it is wanted; each begins with the state as it is.

    Attributes:
        state: the cluster before they land.
        manifests: what lands; may be empty.
        rules: how requests are counted.
        planner_of: makes a planner over a state.
        origin: where the state is from.
        options: of each plan; what manifests come to is filled in.
        own: whether the cluster's own waiting pods are tried first.
        templates: dotted path of the pod template by kind, for kinds that kplan does not know.
        seed: of the run of a live scheduler that is played; None for all nodes and the first of a tie.
        together: sets of pods that are to be placed whole or not at all; see ``scenario.together``.
        namespace: of what names none there.
        before: the cluster before what-ifs; that before the manifests if None.
        end: where the pods are that what-ifs moved.
        works: the work of the first plan, which those that are made again for what would help go on with.
    """

    state: ClusterState
    manifests: Manifests
    rules: RequestRules
    planner_of: Callable[[ClusterState], Planner]
    origin: Origin
    options: SimulateOptions = SimulateOptions()
    own: bool = True
    templates: Mapping[str, str] | None = None
    seed: int | None = None
    together: tuple[str, ...] = ()
    namespace: str = ""
    before: ClusterState | None = None
    end: LeftBySteps = NO_STEPS
    works: list[Work] = field(default_factory=list)

    def first(self) -> Played:
        """Make the plan, and try what would help as the options ask for."""
        landed = land_objects(self.state, self.manifests, self.rules, self.templates)
        planner = self.planner_of(landed.state)
        planner.cluster.work.again += EXPANDED * len(self.manifests.objects)
        self.works[:] = [planner.cluster.work]
        return self._play(landed, planner, replace(self.options, again=self))

    def with_runs(self, plan: SimulationPlan, runs: int, seed: int) -> SimulationPlan:
        """Add to a plan what becomes of it over many runs.

        Args:
            plan: the plan.
            runs: how many, at least 1.
            seed: of the first.
        """

        def run(number: int) -> SimulationPlan:
            again = replace(self, seed=number, options=replace(self.options, attempts=False))
            return again.first().plan

        return msgspec.structs.replace(plan, runs=many_runs(run, runs, seed))

    def play(self, manifests: Manifests, candidate: Candidate | None = None) -> Played | None:
        """Plan other manifests, on a changed cluster; see Again."""
        if self.works and self.works[0].refuses():
            return None
        state = self.state
        if candidate is not None:
            state = without(with_objects(state, candidate.brought), candidate.deleted)
        landed = land_objects(state, manifests, self.rules, self.templates)
        planner = self.planner_of(landed.state)
        if self.works and self.works[0].bounded:
            planner.cluster.work = self.works[0].built_again()
        try:
            for changes in candidate.changes(planner.cluster) if candidate is not None else ():
                planner.apply(changes)
        except KplanError:
            return None
        return self._play(landed, planner, replace(self.options, attempts=False))

    def _play(self, landed: Landed, planner: Planner, options: SimulateOptions) -> Played:
        planner.walk = Walk(self.seed) if self.seed is not None else None
        cluster = planner.cluster
        planner.together = together(cluster, self.together, self.namespace)
        brought = frozenset(landed.pods)
        mine = [pod for pod in planner.waiting() if pod.key not in brought] if self.own else []
        theirs = [cluster.pods[cluster.pod_index[key]] for key in landed.pods]
        tried = [pod for pod in sorted(theirs, key=lambda pod: -pod.priority) if planner.queue.responsible(pod)]
        features = next(iter(planner.pipelines.values())).features
        named = with_named_nodes(landed.change, cluster, theirs, features)
        planner.apply([Remove(pod.row) for pod in named.refused if not pod.gone])
        options = replace(
            options,
            doubts=(*options.doubts, *landed.doubts),
            notes=landed.notes,
            change=named.change,
            landed=len(tried),
            waited=waiting_in(self.before or self.state),
            end=self.end,
            before=self.before or self.state,
            fleets=landed.fleets,
            ledger=landed.ledger,
            silent=landed.silent,
            definitions=len(landed.definitions),
        )
        plan = simulate_pods(planner, [*mine, *tried], self.origin, options)
        return Played(plan, planner, landed.told, landed.definitions, landed.trusted)
