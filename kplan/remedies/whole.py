"""Remedies of what manifests bring, as a whole: each is planned again from the start, and what lands then is told.

A pod of a rollout that fits somewhere says little of the rollout: the pods before it change too, and there are more
after it. So the manifest is changed, or the cluster, and all of it lands once more, the cluster's own queue first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import msgspec

from kplan.cluster import Change, Cluster, Nominate, PodInfo, Remove
from kplan.pipeline import Planner
from kplan.reasons.groups import Asked, find_groups
from kplan.remedies import requests
from kplan.remedies.candidate import Candidate, Case, Cost, Edit, Remedies
from kplan.remedies.each_domain import Domains, adds_a_node, domains_of
from kplan.remedies.fields import edited
from kplan.remedies.together import MOST_NODES, NODE_COST, OPTIONS, more_nodes, more_nodes_text, options, search
from kplan.result.document_plan import FieldChange, SimulationPlan
from kplan.sources import ManifestObject, Manifests
from kplan.studies.by_object import REPLICATED, Mine, by_object
from kplan.studies.context import Context
from kplan.words import count

ROUNDS = 3
"""How often a request is lowered further, for the pod that fits nowhere with the lower one."""
PLANS_COST = 16_000_000
"""What all plans that are made again may cost: nodes looked at, and ``LANDING`` for each pod and node that is there."""
LANDING = 20
CLOSE = 8
"""Of how many added nodes one may be too many."""
_ABOUT_EACH_OTHER = ("anti-affinity-", "prefer-pod-anti-affinity", "spread-")
"""Beginnings of the codes of changes to rules that pods of one template have about each other."""
Changes = Callable[[Cluster], Sequence[Change] | None]
"""Makes changes of a cluster; None where they cannot be made there."""


@dataclass(frozen=True)
class Played:
    """Manifests that were planned.

    Attributes:
        plan: what became of their pods, and of the queue.
        planner: planner over the cluster as the plan left it.
    """

    plan: SimulationPlan
    planner: Planner


class Again(Protocol):
    """Manifests that can be planned again with something changed."""

    @property
    def manifests(self) -> Manifests:
        """The manifests as they are."""

    def play(self, manifests: Manifests, changes: Changes) -> Played | None:
        """Land manifests on the cluster as it was in the beginning, after changes; None where these cannot be made."""


@dataclass(frozen=True)
class Attempt:
    """What was found to help.

    Attributes:
        text: the change, and what becomes of the whole; empty if nothing helps.
        edits: fields of the manifest that change.
    """

    text: str = ""
    edits: tuple[FieldChange, ...] = ()


@dataclass(frozen=True)
class _Trial:
    """A change that was planned.

    Attributes:
        played: the plan.
        item: what became of the object.
        text: the change.
        edits: fields of its manifest that it is about.
        edit: what it does to the spec of a pod; None for a change of the cluster.
    """

    played: Played
    item: Mine
    text: str
    edits: tuple[FieldChange, ...] = ()
    edit: Edit | None = None

    @property
    def done(self) -> bool:
        """Whether all of the object lands."""
        stalled = self.item.rollout is not None and bool(self.item.rollout.stalled)
        return self.item.landed >= self.item.wanted and not stalled


@dataclass
class Whole:
    """Tries remedies on a plan of manifests as a whole.

    Attributes:
        again: makes the plan again.
        first: the plan as it is.
        left: what further plans may cost.
    """

    again: Again
    first: SimulationPlan
    left: int = PLANS_COST

    def attempt(self, context: Context, item: Mine, waiting: Sequence[PodInfo], *, named: bool = False) -> Attempt:
        """Say what would let the most pods of an object land.

        Args:
            context: planner over the cluster as the plan left it, and what else answers are made with.
            item: the object.
            waiting: pods of it that fit nowhere, in the order in which they are tried.
            named: whether the object is to be named, as where others are told of with it.
        """
        best: _Trial | None = None
        worth = (item.landed, 0)
        found = search(context, waiting[0])
        for candidate in [*(one.candidate for one in options(found, waiting[0])), *_of_all_alike(found)]:
            trial = self._try(context, item, waiting[0], candidate)
            if trial is None or (candidate.cost >= Cost.LEAVE_OUT and not trial.done):
                continue  # what gives up a part of the pod is worth it for the whole alone
            mine = (trial.item.landed, -len(list(self._harm(trial))))
            if trial.item.landed > item.landed and mine > worth:
                best, worth = trial, mine
                if trial.done and not mine[1]:
                    break
        if best is None:
            return Attempt()
        told = "; ".join([f"{best.text} -> {_lands(best, named=named)}", *self._harm(best)])
        return Attempt(told, best.edits)

    def _try(self, context: Context, item: Mine, pod: PodInfo, candidate: Candidate) -> _Trial | None:
        if candidate.edit is None:
            return self._on_cluster(context.planner.cluster, item, pod, candidate)
        manifest = next((one for one in self.again.manifests.objects if _place(one) == item.change.place), None)
        if manifest is None or candidate.changes:
            return None
        trial = self._edited(manifest, item, pod, candidate.edit, candidate.short or candidate.text)
        for _ in range(ROUNDS if candidate.code == "lower-request" else 0):
            if trial is None or trial.done or trial.edit is None:
                break
            further = _lower_further(trial)
            if further is None:
                break
            rules = context.planner.cluster.rules
            text = requests.lowered_text(pod.pod.spec, further(pod.pod.spec), rules)
            better = self._edited(manifest, item, pod, further, text) if text else None
            if better is None or better.item.landed <= trial.item.landed:
                break
            trial = better
        return trial

    def _edited(self, manifest: ManifestObject, item: Mine, pod: PodInfo, edit: Edit, text: str) -> _Trial | None:
        """Plan the manifests with one of them changed."""
        try:
            found = edited(manifest, pod.pod.spec, edit)
        except msgspec.ValidationError:
            return None
        if found is None:
            return None
        changed, edits = found
        objects = [changed if one is manifest else one for one in self.again.manifests.objects]
        played = self._play(replace(self.again.manifests, objects=objects), _always(()))
        return _trial(played, item, text, edits, edit)

    def _on_cluster(self, after: Cluster, item: Mine, pod: PodInfo, candidate: Candidate) -> _Trial | None:
        """Plan the manifests on a changed cluster; of a node that is added so many that all land, if that is so."""
        manifests = self.again.manifests
        harm = f"  {candidate.harm}" if candidate.harm else ""
        one = self._play(manifests, lambda cluster: _in_the_beginning(candidate.changes, after, cluster))
        best = _trial(one, item, f"{candidate.short or candidate.text}{harm}")
        if best is None or best.done or not candidate.new_node:
            return best
        missing, gained = item.wanted - item.landed, best.item.landed - item.landed
        # the cluster's own queue may take the first ones: none gained says little of as many as there are pods
        number = -(-missing // gained) if gained > 0 else max(missing, 2)
        best = self._more(after, item, candidate, best, number)
        domains = domains_of(after, pod) if adds_a_node(candidate) else None
        if best.done or domains is None:
            return best
        across = self._more(after, item, candidate, best, 1, domains)
        return across if across.item.landed > best.item.landed else best

    def _more(
        self,
        after: Cluster,
        item: Mine,
        candidate: Candidate,
        best: _Trial,
        number: int,
        domains: Domains | None = None,
    ) -> _Trial:
        """Add a node several times: twice as many until all land, then about the least number with which they do.

        Args:
            after: the cluster as the plan left it.
            item: the object.
            candidate: adds one node.
            best: what came of it.
            number: how many are tried first.
            domains: in each of which so many are added; None for nodes that are all alike.
        """
        size, labels = (len(domains.values), domains.labels()) if domains is not None else (1, ({},))
        few, most = 0 if domains is not None else 1, 0
        landed = best.item.landed if domains is None else item.landed
        while few < number <= MOST_NODES // size:
            changes = _always(more_nodes(after, candidate, number * size, labels))
            told = domains.text(candidate, number) if domains is not None else more_nodes_text(candidate, number)
            more = _trial(self._play(self.again.manifests, changes, number * size), item, told)
            if more is None:
                break
            if more.done:
                best, most = more, number
            elif most:
                few = number
            elif more.item.landed > landed:
                best, few, landed = more, number, more.item.landed
            else:
                break
            if most - few <= max(1, most // CLOSE) and most:
                break
            number = (few + most) // 2 if most else 2 * number
        return best

    def _play(self, manifests: Manifests, changes: Changes, added: int = 0) -> Played | None:
        """Make the plan again, within the bound; one is always made."""
        nodes, tried = self.first.origin.nodes, len(self.first.steps)
        cost = nodes * (tried + NODE_COST * added) + LANDING * (nodes + self.first.origin.pods)
        if cost > self.left < PLANS_COST:
            return None
        self.left -= cost
        return self.again.play(manifests, changes)

    def _harm(self, trial: _Trial) -> Iterator[str]:
        """What is worse with a change than without: other objects, pods that waited, evictions."""
        now, plan = {item.name: item for item in by_object(trial.played.plan)}, trial.played.plan
        for other in by_object(self.first):
            then = now.get(other.name)
            if other.name != trial.item.name and then is not None and then.landed < other.landed:
                yield f"of {other.name.partition('/')[2]} {then.landed:,} of {then.wanted:,}, not {other.landed:,}"
        theirs = {step.pod for item in by_object(self.first) for step in item.steps}
        placed = {step.pod for step in plan.steps if step.node}
        pushed = sum(bool(step.node) and step.pod not in theirs | placed for step in self.first.steps)
        if pushed:
            yield f"{count(pushed, 'pod')} that waited before {'finds' if pushed == 1 else 'find'} no node then"
        evicted = plan.totals.evicted - self.first.totals.evicted
        if evicted > 0:
            yield f"evicts {count(evicted, 'pod')}"


def _of_all_alike(found: Remedies) -> list[Candidate]:
    """Changes that do not help one pod as long as those of its template that run have the rule still."""
    return [candidate for candidate in found.alone if candidate.code.startswith(_ABOUT_EACH_OTHER)][:OPTIONS]


def _trial(
    played: Played | None, item: Mine, text: str, edits: tuple[FieldChange, ...] = (), edit: Edit | None = None
) -> _Trial | None:
    now = next((one for one in by_object(played.plan) if one.name == item.name), None) if played is not None else None
    return _Trial(played, now, text, edits, edit) if played is not None and now is not None else None


def _lands(trial: _Trial, *, named: bool) -> str:
    """``all 12 replicas land``, ``9 of 12 replicas land``."""
    item, kind = trial.item, trial.item.name.partition("/")[0]
    noun = "replica" if kind in REPLICATED else "pod"
    noun = f"new {noun}" if item.change.verdict == "scaled" else noun
    of = f" of {item.name.partition('/')[2]}" if named else ""
    if not trial.done:
        verb = "lands" if item.landed == 1 else "land"
        return f"{item.landed:,} of {count(item.wanted, noun)}{of} {verb}"
    return f"its {noun}{of} lands" if item.wanted == 1 else f"all {count(item.wanted, noun)}{of} land"


def _lower_further(trial: _Trial) -> Edit | None:
    """Lower a request again, for the first pod that fits nowhere with what it was lowered to."""
    planner = replace(trial.played.planner, everything=True)
    cluster = planner.cluster
    rows = [cluster.pod_index[step.pod] for step in trial.item.failed if step.pod in cluster.pod_index]
    pod = next((cluster.pods[row] for row in rows if cluster.pods[row].waiting), None)
    if pod is None or trial.edit is None:
        return None
    cycle = planner.cycle(pod)
    asked = Asked(cluster, pod, cycle, cycle.explain(preempt=False))
    groups = tuple(group for group in find_groups(asked) if not group.text)
    found = next(requests.propose(Case(planner, asked, groups)), None) if groups else None
    first, then = trial.edit, found.edit if found is not None else None
    return None if then is None else lambda spec: then(first(spec))


def _in_the_beginning(changes: Sequence[Change], after: Cluster, cluster: Cluster) -> Sequence[Change] | None:
    """The same changes where rows of pods are those of another cluster; None where a pod is not there yet."""
    made: list[Change] = []
    for change in changes:
        if isinstance(change, Remove | Nominate):
            row = cluster.pod_index.get(after.pods[change.pod].key)
            if row is None:
                return None
            change = replace(change, pod=row)
        made.append(change)
    return made


def _always(changes: Sequence[Change]) -> Changes:
    return lambda cluster: changes


def _place(manifest: ManifestObject) -> str:
    return f"{manifest.file}:{manifest.line}"
