"""Remedies of what manifests bring, as a whole: each is planned again from the start, and what lands then is told.

A pod of a rollout that fits somewhere says little of the rollout: the pods before it change too, and there are more
after it. So the manifest is changed, or the cluster, and all of it lands once more, the cluster's own queue first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import PodInfo
from kplan.course.rollout import StalledBy
from kplan.objects.models import PodSpec
from kplan.pipeline import Planner
from kplan.reasons.groups import find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies import requests
from kplan.remedies.candidate import Candidate, Case, Remedies, RemedyCost
from kplan.remedies.engine import Lands, Measure, Tried, best
from kplan.remedies.fields import edited, with_fields
from kplan.remedies.made_again import made_again
from kplan.remedies.many import MOST_NODES, NODE_COST, OPTIONS, options
from kplan.remedies.more_nodes import SpreadDomains, added, domains_of, of_an_empty_pool, several
from kplan.remedies.refused import ways_in
from kplan.remedies.rollouts import rollout_ways, silent_ways
from kplan.remedies.search import remedies
from kplan.result.document_how_to import FieldChange, HowTo
from kplan.result.document_plan import SimulationPlan
from kplan.scenario.add_node import AddNode
from kplan.sources import Manifests
from kplan.studies.by_object import REPLICATED, Mine, by_object, waiting_among
from kplan.studies.enough_quota import enough_quota
from kplan.studies.manifest_of import manifest_of, name_of, refused_template
from kplan.studies.worsening import worse
from kplan.wording.how_to import how_to

ROUNDS = 3
"""How often a request is lowered further, for the pod that fits nowhere with the lower one."""
PLANS_COST = 16_000_000
"""What all plans that are made again may cost: nodes looked at, and ``LANDING`` for each pod and node that is there."""
LANDING = 20
POD_COST = 1_000
"""What a pod costs that is tried, besides the nodes looked at."""
MOST_TRIED = 5_000
"""Pods of a plan that is made again: of more, it is made once."""
CLOSE = 8
"""Of how many added nodes one may be too many."""
_COUNTS_LESS = frozenset({"spread-affinity-policy", "spread-one-revision", "spread-taints-policy"})
"""Codes of changes by which a spread leaves out nodes that take no such pod, and pods of another template."""
_ABOUT_EACH_OTHER = frozenset(
    {
        "anti-affinity-by-node",
        "prefer-pod-anti-affinity",
        "spread-affinity-policy",
        "spread-anyway",
        "spread-max-skew",
        "spread-min-domains",
        "spread-one-revision",
        "spread-taints-policy",
    }
)
"""Codes of changes to rules that pods of one template have about each other."""


class Played(Struct, frozen=True):
    """Manifests that were planned.

    Attributes:
        plan: what became of their pods, and of the queue.
        planner: planner over the cluster as the plan left it.
        told: what changes of each object, in phrases, by its name and place.
        definitions: names of the objects that only define a kind.
        trusted: those of kinds of other projects that are taken to make no pods, with what they are about.
    """

    plan: SimulationPlan
    planner: Planner
    told: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    definitions: frozenset[str] = frozenset()
    trusted: tuple[tuple[str, str], ...] = ()


class Again(Protocol):
    """Manifests that can be planned again with something changed."""

    @property
    def manifests(self) -> Manifests:
        """The manifests as they are."""

    def play(self, manifests: Manifests, candidate: Candidate | None = None) -> Played | None:
        """Land manifests on the cluster as it was in the beginning, changed; None where it cannot be changed so."""


class Replayed(Struct, frozen=True):
    """What came of a plan that was made again.

    Attributes:
        played: the plan.
        item: what became of the object.
        lands: how many pods of it land.
        let_in: whether it was refused itself, and is not any more.
        edits: fields of its manifest that change.
    """

    played: Played
    item: Mine
    lands: Lands
    let_in: bool = False
    edits: tuple[FieldChange, ...] = ()


Attempt = Tried[Replayed]


class Whole(Struct):
    """Tries remedies on a plan of manifests as a whole.

    Attributes:
        again: makes the plan again.
        first: the plan as it is.
        left: what further plans may cost.
    """

    again: Again
    first: SimulationPlan
    left: int = PLANS_COST

    def attempt(self, planner: Planner, item: Mine, waiting: Sequence[PodInfo]) -> Attempt | None:
        """Find what would let the most pods of an object land; None where nothing lets more of them.

        Args:
            planner: planner over the cluster as the plan left it.
            item: the object.
            waiting: pods of it that fit nowhere, in the order in which they are tried; none where its rollout stalls at
                something else.
        """
        attempts = self.attempts(planner, item, waiting)
        return attempts[0] if attempts else None

    def attempts(self, planner: Planner, item: Mine, waiting: Sequence[PodInfo]) -> list[Attempt]:
        """Find the same, what is best first: one change of how its pods are replaced, and one of the pods or nodes."""
        landing = _Landing(self, planner, item, waiting[0] if waiting else None)
        kinds = [list(self._of_rollout(planner, item))]
        if item.refused:
            kinds.append(list(self._larger_quotas(planner)) if item.by_quota else [])
            if not item.refused_pods and not item.by_quota:
                kinds.append(list(self._made_again(planner, item)))
            template = refused_template(self.again.manifests, item)
            if template is not None:
                ways = ways_in(planner.cluster, template, template.namespace, max(1, item.refused_pods))
                kinds.append(list(ways))
                landing = replace(landing, spec=template.spec)
        if item.rollout is not None and item.rollout.stalled:
            kinds.append(list(silent_ways(planner.cluster, item.rollout)))
        if waiting:
            answer = remedies(planner, waiting[0], brief=True)
            proposed = sorted(options(answer, waiting[0]), key=_gives_up)
            kinds.append([*proposed, *_of_all_alike(answer)])
            if proposed and not of_an_empty_pool(proposed[0]):
                kinds.append(list(filter(of_an_empty_pool, proposed)))
        measure = Measure(
            landing.of,
            lambda replayed: replayed.lands.done and not replayed.lands.worse and not replayed.lands.together,
        )
        tried = [best(candidates, measure, _worth, (False, item.landed, 0)) for candidates in kinds]
        return sorted(
            (attempt for attempt in tried if attempt is not None),
            key=lambda attempt: _worth(attempt.found),
            reverse=True,
        )

    def _of_rollout(self, planner: Planner, item: Mine) -> Iterator[Candidate]:
        """What may let the rollout of an object go on."""
        rollout = item.rollout
        if rollout is None or not rollout.stalled:
            return
        yield from rollout_ways(planner.cluster, rollout)
        if rollout.stalled_by == StalledBy.QUOTA:
            yield from self._larger_quotas(planner)

    def _larger_quotas(self, planner: Planner) -> Iterator[Candidate]:
        def play(candidate: Candidate) -> SimulationPlan | None:
            played = self.play(self.again.manifests, candidate)
            return played.plan if played is not None else None

        yield from enough_quota(planner.cluster, self.first.quotas, play)

    def _made_again(self, planner: Planner, item: Mine) -> Iterator[Candidate]:
        manifest = manifest_of(self.again.manifests, item.name, item.change.place)
        if manifest is not None:
            yield from made_again(manifest, self.again.manifests.namespace, planner.cluster.state)

    def play(self, manifests: Manifests, candidate: Candidate | None = None) -> Played | None:
        """Make the plan again, within the bound; one is always made, but of the very largest."""
        nodes, tried = self.first.origin.nodes, len(self.first.steps)
        steps = candidate.steps if candidate is not None else ()
        added = sum(step.count for step in steps if isinstance(step, AddNode))
        per_pod = POD_COST + nodes
        cost = per_pod * tried + nodes * NODE_COST * (added if added > 1 else 0)
        cost += LANDING * (nodes + self.first.origin.pods)
        if tried > MOST_TRIED or cost > self.left < PLANS_COST:
            return None
        self.left -= cost
        return self.again.play(manifests, candidate)


class _Landing(Struct, frozen=True):
    """What is asked of a candidate for an object: how many of its pods land."""

    whole: Whole
    planner: Planner
    item: Mine
    pod: PodInfo | None
    spec: PodSpec | None = None

    def of(self, candidate: Candidate) -> Attempt | None:
        """Plan again with a candidate; see Measure."""
        if candidate.fields:
            tried = self._with(candidate)
        else:
            tried = self._on_cluster(candidate) if not candidate.edits else self._edited(candidate)
        if tried is None or (candidate.cost >= RemedyCost.LEAVE_OUT and not tried.found.lands.done):
            return None  # what gives up a part of the pod is worth it for the whole alone
        let_in = tried.found.let_in and tried.found.lands.done
        return tried if let_in or tried.found.lands.landed > self.item.landed else None

    def _edited(self, candidate: Candidate) -> Attempt | None:
        """Plan the manifests with one of them changed; a request is lowered further, where that lets more land."""
        tried = self._with(candidate) if not candidate.steps else None
        for _ in range(ROUNDS if candidate.code == "lower-request" else 0):
            further = _lower_further(tried) if tried is not None and not tried.found.lands.done else None
            lower = self._lower(further) if further is not None else None
            better = self._with(lower) if lower is not None else None
            if tried is None or better is None or better.found.lands.landed <= tried.found.lands.landed:
                break
            tried = better
        return tried

    def _lower(self, further: Candidate) -> Candidate | None:
        """A request that is lowered further, told of as one change; None where it comes to too much."""
        assert self.pod is not None
        spec = self.pod.pod.spec
        what = requests.lowered(spec, further.edited(spec), self.planner.cluster.rules)
        return replace(further, about=what) if what is not None else None

    def _with(self, candidate: Candidate) -> Attempt | None:
        manifests = self.whole.again.manifests
        manifest = manifest_of(manifests, self.item.name, self.item.change.place)
        if manifest is None:
            return None
        rewritten = None
        try:
            if candidate.fields:
                rewritten = with_fields(manifest, candidate.fields)
            else:
                spec = self.pod.pod.spec if self.pod is not None else self.spec
                rewritten = edited(manifest, spec, candidate.edited) if spec is not None else None
        except msgspec.ValidationError:
            return None
        if rewritten is None:
            return None
        changed, edits = rewritten
        objects = [changed if manifest_object is manifest else manifest_object for manifest_object in manifests.objects]
        return self._tried(candidate, self.whole.play(dataclasses.replace(manifests, objects=objects)), edits)

    def _on_cluster(self, candidate: Candidate) -> Attempt | None:
        """Plan the manifests on a changed cluster; of a node that is added so many that all land, if that is so."""
        attempt = self._played(candidate)
        if attempt is None or attempt.found.lands.done or not candidate.adds_nodes:
            return attempt
        missing, gained = self.item.wanted - self.item.landed, attempt.found.lands.landed - self.item.landed
        # the cluster's own queue may take the first ones: none gained says little of as many as there are pods
        number = -(-missing // gained) if gained > 0 else max(missing, 2)
        attempt = self._more(candidate, attempt, number)
        domains = domains_of(self.planner.cluster, self.pod) if added(candidate) and self.pod is not None else None
        if attempt.found.lands.done or domains is None:
            return attempt
        across = self._more(candidate, attempt, 1, domains)
        return across if across.found.lands.landed > attempt.found.lands.landed else attempt

    def _more(self, candidate: Candidate, tried: Attempt, number: int, domains: SpreadDomains | None = None) -> Attempt:
        """Add a node several times: twice as many until all land, then about the least number with which they do.

        Args:
            candidate: adds one node.
            tried: what came of it.
            number: how many are tried first.
            domains: in each of which so many are added; None for nodes that are all alike.
        """
        size = len(domains.values) if domains is not None else 1
        few, most = 0 if domains is not None else 1, 0
        landed = tried.found.lands.landed if domains is None else self.item.landed
        while few < number <= MOST_NODES // size:
            more = self._played(several(candidate, number, domains))
            if more is None:
                break
            if more.found.lands.done:
                tried, most = more, number
            elif most:
                few = number
            elif more.found.lands.landed > landed:
                tried, few, landed = more, number, more.found.lands.landed
            else:
                break
            if most - few <= max(1, most // CLOSE) and most:
                break
            number = (few + most) // 2 if most else 2 * number
        return tried

    def _played(self, candidate: Candidate) -> Attempt | None:
        return self._tried(candidate, self.whole.play(self.whole.again.manifests, candidate))

    def _tried(
        self, candidate: Candidate, played: Played | None, edits: tuple[FieldChange, ...] = ()
    ) -> Attempt | None:
        if played is None:
            return None
        items, name = by_object(played.plan), name_of(self.whole.again.manifests, self.item)
        item = next((mine for mine in items if mine.name == name), None)
        if item is None:
            return None
        stalled = item.rollout is not None and bool(item.rollout.stalled)
        wanted = item.wanted + item.refused_pods
        lands = Lands(
            name,
            item.landed,
            wanted,
            done=item.landed >= wanted and not stalled,
            replicas=item.name.partition("/")[0] in REPLICATED,
            scaled=item.change.verdict == "scaled",
            worse=worse(self.whole.first, played.plan, item.name),
            together=_together(played, item),
            serving=_serving(candidate, item),
        )
        let_in = self.item.change.refused and not self.item.refused_pods and not item.change.refused
        return Tried(candidate, Replayed(played, item, lands, let_in, edits))


def landing_how_to(attempt: Attempt) -> HowTo:
    """How an attempt is carried out, and how many pods of its object land then."""
    lands = attempt.found.lands
    return how_to(attempt.candidate, lands.landed, lands.wanted, edits=attempt.found.edits)


def _worth(replayed: Replayed) -> tuple[bool, int, int]:
    """How good a plan is: it is let in, more pods land, less is worse, and they are not all in one place."""
    return replayed.let_in, replayed.lands.landed, -len(replayed.lands.worse) - bool(replayed.lands.together)


def _together(played: Played, item: Mine) -> str:
    """The node that all pods of an object end on, where there are several of both and its pods are to be spread."""
    cluster = played.planner.cluster
    rows = [cluster.pod_index[step.pod] for step in item.placed if step.pod in cluster.pod_index]
    homes = {cluster.home_of(row) for row in rows}
    spread = any(cluster.pods[row].pod.spec.topology_spread_constraints for row in rows[:1])
    return homes.pop() if len(rows) > 1 and len(homes) == 1 and len(cluster.nodes) > 1 and spread else ""


def _serving(candidate: Candidate, item: Mine) -> tuple[int, int] | None:
    """How many pods serve at least, and of how many, where a change is about the rules of a rollout."""
    if not candidate.fields or item.rollout is None:
        return None
    return item.rollout.serving, item.rollout.replicas


def _gives_up(candidate: Candidate) -> bool:
    """Whether a change gives anything up: one by which a rule counts only what can be meant does not."""
    return candidate.code not in _COUNTS_LESS


def _of_all_alike(tried: Remedies) -> list[Candidate]:
    """Changes that do not help one pod as long as those of its template that run have the rule still."""
    return [candidate for candidate in tried.alone if candidate.code in _ABOUT_EACH_OTHER][:OPTIONS]


def _lower_further(tried: Attempt) -> Candidate | None:
    """Lower a request again, for the first pod that fits nowhere with what it was lowered to."""
    planner = dataclasses.replace(tried.found.played.planner, everything=True)
    waiting = waiting_among(planner.cluster, (step.pod for step in tried.found.item.failed))
    if not waiting:
        return None
    asked = RunCycle.as_set(planner, waiting[0], preempt=False)
    groups = tuple(group for group in find_groups(asked) if not group.left_out)
    lowering = next(requests.propose(Case(planner, asked, groups)), None) if groups else None
    return None if lowering is None else replace(tried.candidate, edits=(*tried.candidate.edits, *lowering.edits))
