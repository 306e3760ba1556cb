"""Remedies of many pods at once: the cheapest change, and how many of the pods fit with it, one after another."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import AddPods, Assume, PodInfo, Remove
from kplan.cluster.owners import controller, top_owner
from kplan.course.readiness.serving import OwnerOfPods
from kplan.errors import KplanError
from kplan.objects.models import PodSpec
from kplan.pipeline import Planner, Trial
from kplan.remedies.about import Lower
from kplan.remedies.candidate import Candidate, Remedies, RemedyCost
from kplan.remedies.engine import Fits, Measure, Tried, best
from kplan.remedies.more_nodes import SpreadDomains, added, domains_of, least, several
from kplan.remedies.requests import lowered_of
from kplan.remedies.search import remedies
from kplan.scenario.add_node import AddNode

OPTIONS = 4
"""Remedies of the first pod that are tried for all."""
MOST_PODS, FEWEST_PODS = 100, 12
POD_NODES = 100_000
"""Pods times nodes of one trial: of large clusters fewer pods are tried."""
MOST_NODES = 64
NODE_CYCLES = 2_000_000
"""Nodes looked at over all pods and trials, which bounds the time of large clusters."""
NODE_COST = 6
"""What adding a node costs, against placing a pod: rows are numbered anew."""


class _Bench(Struct):
    """What is asked of a candidate for many pods: how many of them fit, within a bound.

    Attributes:
        planner: planner over the cluster.
        pods: the pods.
        untried: see Fits.
        rivals: pods that wait, too, and are tried in their turn: they may take what a change makes free.
        groups: by row of such a pod that stands for its group, which is tried as a whole, the name of that.
        left: nodes that may be looked at still.
    """

    planner: Planner
    pods: Sequence[PodInfo]
    untried: int
    rivals: Sequence[PodInfo] = ()
    groups: Mapping[int, str] = field(default_factory=dict)
    left: int = NODE_CYCLES

    def of(self, candidate: Candidate) -> Tried[Fits]:
        """Try a candidate on all pods; of a node that is added so many that all fit, if that is so."""
        total, fits = len(self.pods), self._count(candidate)
        if not candidate.adds_nodes or fits == total:
            return self._tried(candidate, fits)
        more = self._more(candidate, fits)
        domains = domains_of(self.planner.cluster, self.pods[0]) if added(candidate) else None
        if more.found.fits == total or domains is None:
            return more
        across = self._in_each(candidate, domains)
        return across if across.found.fits > more.found.fits else more

    def _tried(self, candidate: Candidate, fits: int, few: tuple[int, int] | None = None, most: int = 0) -> Tried[Fits]:
        return Tried(candidate, Fits(fits, len(self.pods), few, most, self.untried))

    def _count(self, candidate: Candidate) -> int:
        """Carry a change out, place the pods one after another, count them, take all back.

        Returns:
            How many fit; 0 where the bound does not allow the trial, or it cannot be carried out.
        """
        nodes = sum(step.count for step in candidate.steps if isinstance(step, AddNode))
        cost = len(self.planner.cluster.nodes) * (len(self.pods) + len(self.rivals) + NODE_COST * nodes)
        if cost > self.left:
            return 0
        self.left -= cost
        mine = {pod.row for pod in self.pods}
        return sum(row in mine for row in self._turns(candidate, mine))

    def _turns(self, candidate: Candidate | None, mine: Collection[int]) -> list[int]:
        """Carry a change out, if there is one, place all in their turn, and give the rows of those that fit."""
        with self.planner.trial() as trial:
            try:
                for changes in candidate.changes(trial.cluster) if candidate is not None else ():
                    trial.apply(changes)
            except KplanError:
                return []
            turns = self.planner.queue.sort((*self.pods, *self.rivals)) if self.rivals else self.pods
            return [pod.row for pod in turns if self._goes(trial, candidate if pod.row in mine else None, pod)]

    def _goes(self, trial: Trial, candidate: Candidate | None, pod: PodInfo) -> bool:
        if pod.row not in self.groups:
            return _placed(trial, candidate, pod)
        with trial.trial(everything=False, scored=False) as whole:
            whole.preempt = False
            then = whole.step(pod).outcome.group
            if then is not None and then.last.placed:
                whole.keep()
            return then is not None and then.last.placed

    def first(self, candidate: Candidate) -> tuple[str, ...]:
        """Names of the others that a change lets take room."""
        if not self.rivals:
            return ()
        mine = {pod.row for pod in self.pods}
        before = {*mine, *self._turns(None, mine)}
        names = {pod.row: self.groups.get(pod.row, pod.key) for pod in self.rivals}
        return tuple(names[row] for row in self._turns(candidate, mine) if row not in before)

    def _more(self, candidate: Candidate, fits: int) -> Tried[Fits]:
        """Add nodes until all fit: how many that takes, and what a quarter of them does."""
        total = len(self.pods)
        known = {1: fits}
        number = min(MOST_NODES, -(-total // fits)) if fits else 2
        while number <= MOST_NODES:
            known[number] = self._count(several(candidate, number))
            if known[number] in (0, total):
                break
            number *= 2
        number = max(known, key=lambda tried: (known[tried], -tried))
        if known[number] < total:
            return self._no_more(candidate, known, number)
        number = self._least(candidate, max((tried for tried in known if tried < number), default=0), number, total)
        few = number // 4
        if few > 1:
            known[few] = self._count(several(candidate, few))
        return self._tried(several(candidate, number), total, (few, known[few]) if known.get(few) else None)

    def _no_more(self, candidate: Candidate, known: dict[int, int], number: int) -> Tried[Fits]:
        """Find the least number that does as much as any, where no number of nodes lets all pods fit."""
        fits = known[number]
        most = max((tried for tried, fit in known.items() if fit == fits), default=number)
        few = max((tried for tried, fit in known.items() if tried < number and fit < fits), default=0)
        number = self._least(candidate, few, number, fits)
        return self._tried(several(candidate, number), fits, most=most if most > number else 0)

    def _least(self, candidate: Candidate, few: int, most: int, fits: int) -> int:
        """Find the least number of nodes that lets so many pods fit, between one that is too few and one that does."""

        def enough(tried: int) -> bool | None:
            fitting = self._count(several(candidate, tried))
            return fitting >= fits if fitting else None

        return least(few, most, enough)

    def _in_each(self, candidate: Candidate, domains: SpreadDomains) -> Tried[Fits]:
        """Add a node in each domain, and again, until all pods fit or no more of them do; the least number for that."""
        total, size = len(self.pods), len(domains.values)

        def fits(rounds: int) -> int:
            return self._count(several(candidate, rounds, domains))

        most, fitting, few = 1, fits(1), 0
        while 0 < fitting < total and 2 * most * size <= MOST_NODES:
            more = fits(2 * most)
            if more <= fitting:
                break
            few, most, fitting = most, 2 * most, more

        def enough(rounds: int) -> bool | None:
            tried = fits(rounds)
            return tried >= fitting if tried else None

        return self._tried(several(candidate, least(few, most, enough), domains), fitting)


def _placed(trial: Trial, candidate: Candidate | None, pod: PodInfo) -> bool:
    """Place a pod, edited if there is a candidate for it, where it fits without evictions; whether it does."""
    if candidate is not None and candidate.edits:
        changed = msgspec.structs.replace(pod.pod, spec=candidate.edited(pod.pod.spec))
        trial.apply([Remove(pod.row), AddPods((changed,))])
        pod = trial.cluster.pods[-1]
    cycle = trial.cycle(pod)
    outcome = cycle.explain(preempt=False)
    if outcome.choice < 0 or outcome.error or outcome.gated:
        return False
    return trial.place(cycle, outcome.choice).refused is None


def attempt(
    planner: Planner,
    pods: Sequence[PodInfo],
    assignments: Mapping[int, int] | None = None,
    blocked: PodInfo | None = None,
    rivals: Sequence[PodInfo] = (),
    groups: Mapping[int, str] | None = None,
) -> Tried[Fits] | None:
    """Find what would let the most of some waiting pods fit that wait for one cause; None if nothing does.

    Args:
        planner: planner over the cluster.
        pods: waiting pods, in the order in which they are tried.
        assignments: node row by pod row, of those that fit; what may help is looked for once they are there.
        blocked: the pod that may be helped then; the first if None.
        rivals: pods that wait for other causes and are tried in their turn; of many the first.
        groups: by row of such a pod that stands for its group, the name of that.
    """
    most = max(FEWEST_PODS, min(MOST_PODS, POD_NODES // max(1, len(planner.cluster.nodes))))
    some = pods[:most]
    bench = _Bench(
        dataclasses.replace(planner, everything=False), some, len(pods) - len(some), rivals[:most], groups or {}
    )
    measure = Measure(bench.of, lambda fits: fits.fits == fits.total)
    first = blocked if blocked is not None else pods[0]
    with planner.trial() as trial:
        trial.apply(Assume(row, node) for row, node in (assignments or {}).items())
        candidates = options(remedies(trial, first, brief=True), first)
    found = best(candidates, measure, lambda fits: (fits.fits,), (len(assignments or ()),))
    if found is None:
        return None
    found = replace(found, found=replace(found.found, first=bench.first(found.candidate)))
    return _of_all(found, planner, some) if found.candidate.edits else found


def _of_all(found: Tried[Fits], planner: Planner, pods: Sequence[PodInfo]) -> Tried[Fits]:
    """Tell a change of one pod as the change of all of them that it was tried as: whose, and from which amounts."""
    candidate, cluster = found.candidate, planner.cluster
    changed: dict[OwnerOfPods, PodSpec] = {}
    for pod in pods:
        if candidate.edited(pod.pod.spec) != pod.pod.spec:
            kind, name = top_owner(pod, cluster)
            changed.setdefault(OwnerOfPods(kind or "Pod", pod.namespace, name or pod.name), pod.pod.spec)
    if isinstance(candidate.about, Lower):
        about = lowered_of(pods, candidate.about, candidate.edited, cluster.rules)
        candidate = replace(candidate, about=about)
    several = tuple(changed.items()) if len(changed) > 1 else ()
    return Tried(candidate, replace(found.found, changed=several))


def options(of_each: Remedies, pod: PodInfo) -> list[Candidate]:
    """Choose of what helps one waiting pod what may help others like it, cheapest first: nothing that evicts."""
    chosen = [
        remedy.candidate for remedy in of_each.found if remedy.candidate.cost < RemedyCost.EVICT and not remedy.again
    ][:OPTIONS]
    if controller(pod)[0] == "DaemonSet":
        return [candidate for candidate in chosen if not candidate.adds_nodes]
    return chosen
