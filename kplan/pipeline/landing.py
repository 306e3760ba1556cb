"""How often each node is taken by a pod whose cycle has been run, over all places where the scheduler's walk may start.

The cycle knows the answers about all nodes. A live scheduler stops once enough of them fit, scores these alone, and
draws among the best. Windows of nodes whose scores are normalised alike are scored at one time.
Differs from kube-scheduler: nodes that PreFilter named are walked in a random order, which is taken to be as likely as
any other; of those the scores are taken as among all that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster.work import COMPARED
from kplan.config import is_interested
from kplan.framework.args import DefaultPreemptionArgs
from kplan.framework.codes import Compares, Point
from kplan.framework.comparing import Compared
from kplan.framework.findings import Ready, Skip
from kplan.framework.worlds import Rows
from kplan.objects.models import Pod
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.extending import label
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.reach import Scored
from kplan.pipeline.sampling import AT_ONCE, Windows, alike, nodes_to_find, scheduler_order
from kplan.pipeline.scoring import CycleError, Scoring
from kplan.plugins.default_preemption import DefaultPreemption
from kplan.plugins.shared.picking import ranked
from kplan.result import Outcome
from kplan.result.landing import LandingShares, landing

Int = NDArray[np.int64]
Float = NDArray[np.float64]


def pod_landing(cycle: Cycle, outcome: Outcome) -> LandingShares | None:
    """How often a pod goes to each node; nothing may have changed since its cycle was run.

    Returns:
        None where it fits nowhere, tries its nominated node alone, or where extenders are asked about fewer nodes than
        there are (``asked_about_some``): what they say of those alone is not known.
    """
    diagnosis, scores = outcome.diagnosis, outcome.scores
    if diagnosis is None or scores is None or outcome.nominated_first >= 0:
        return None
    rows = scores.rows
    nodes = len(cycle.cluster.nodes)
    enough = nodes_to_find(cycle.pipeline.profile.percentage_of_nodes_to_score, len(diagnosis.rows))
    if asked_about_some(cycle.pipeline, cycle.pod.pod, len(diagnosis.rows)):
        return None
    if not cycle.pipeline.at(Point.SCORE):
        enough = 1
    if enough >= len(rows):
        return landing(enough, rows, _alike(scores.total))
    if len(diagnosis.rows) < nodes:
        return landing(enough, rows, drawn(np.unique(-scores.total, return_inverse=True)[1], enough))
    fits = np.zeros(nodes, dtype=np.bool_)
    fits[rows] = True
    walked, windows = Windows.of(scheduler_order(cycle.cluster), fits, enough)
    if cycle.scored is None:
        return None
    try:
        shares = _Walk(cycle, walked, windows, cycle.scored).shares()
    except CycleError:
        return None
    return landing(enough, walked, shares)


def asked_about_some(pipeline: Pipeline, pod: Pod, nodes: int) -> bool:
    """Whether extenders are asked about a pod, and in a live scheduler about those nodes alone that it has looked at.

    Source: v1.37.2 pkg/scheduler/schedule_one.go findNodesThatFitPod: extenders filter what the walk has found.
    """
    if not any(is_interested(caller.config, pod) for caller in pipeline.callers):
        return False
    return nodes_to_find(pipeline.profile.percentage_of_nodes_to_score, nodes) < nodes


def eviction_landing(cycle: Cycle, outcome: Outcome) -> LandingShares | None:
    """How often each node is chosen to evict on; arguments as of ``pod_landing``.

    None too where extenders are asked about fewer nodes than there are (``evicting_asked_about_some``).

    Source: v1.37.2 default_preemption.go GetOffsetAndNumCandidates, preemption.go DryRunPreemption;
    framework/interface.go NodesForStatusCode, which walks a map: nodes come in a random order, but where a PreFilter
    refused all of them.
    """
    preemption = outcome.preemption
    if preemption is None or not preemption.candidates or evicting_asked_about_some(cycle, outcome):
        return None
    enough = candidates_to_find(cycle, len(preemption.potential))
    rows, place = ranked(cycle.cluster, preemption.candidates)
    breaks = np.array([preemption.candidates[row].pdb_violations > 0 for row in rows.tolist()], dtype=np.bool_)
    if enough >= len(rows):
        return landing(enough, rows, _alike(-place))
    if outcome.diagnosis is not None and outcome.diagnosis.pre_filter is not None:
        order = scheduler_order(cycle.cluster)
        return landing(enough, *_from_offsets(order, rows, place, breaks, enough))
    return landing(enough, rows, drawn(place, enough, breaks))


def evicting_asked_about_some(cycle: Cycle, outcome: Outcome) -> bool:
    """Whether a live scheduler asks extenders about fewer nodes than were asked about, for a pod that evicts others.

    It asks those that filter about the nodes that it has found to fit, and those that have a say in evictions about the
    candidates that it has found.

    Source: v1.37.2 schedule_one.go findNodesThatFitPod; framework/preemption/preemption.go Preempt, callExtenders.
    """
    diagnosis, preemption = outcome.diagnosis, outcome.preemption
    asked = [caller.config for caller in cycle.pipeline.callers if is_interested(caller.config, cycle.pod.pod)]
    if not asked or diagnosis is None or preemption is None:
        return False
    names = frozenset(map(label, cycle.pipeline.callers))
    refused = sum(len(findings.positions) for findings in diagnosis.failing if findings.plugin in names)
    enough = nodes_to_find(cycle.pipeline.profile.percentage_of_nodes_to_score, len(diagnosis.rows))
    if refused + int(np.count_nonzero(diagnosis.feasible)) > enough:
        return True
    candidates = len(preemption.potential) - len(preemption.statuses)
    found_first = candidates_to_find(cycle, len(preemption.potential))
    return found_first < candidates and any(config.preempt_verb for config in asked)


def candidates_to_find(cycle: Cycle, potential: int) -> int:
    """How many candidates for preemption are enough.

    Source: v1.37.2 default_preemption.go calculateNumCandidates.
    """
    plugin = cycle.pipeline.plugins.get(DefaultPreemption.name)
    args = (plugin.args if plugin is not None else None) or DefaultPreemptionArgs()
    asked = potential * args.min_candidate_nodes_percentage // 100
    return min(potential, max(asked, args.min_candidate_nodes_absolute))


def drawn(place: Int, enough: int, breaks: NDArray[np.bool_] | None = None) -> Float:
    """float64[F], how often each of F is the best of K that come first in a random order, drawn among equals.

    Args:
        place: int64[F], 0 for the best, the same for equals.
        enough: K, less than F.
        breaks: bool[F], those of which K are not enough as long as another kind may follow: worse than all others.
    """
    count = len(place)
    i = np.arange(count)
    # none of the best b is among the first K
    missed = np.concatenate(([1.0], np.cumprod(np.maximum(count - enough - i, 0) / (count - i))))
    sizes = np.bincount(place)
    better = np.cumsum(sizes) - sizes
    shares: Float = ((missed[better] - missed[better + sizes]) / sizes)[place]
    if breaks is not None and not breaks.all():
        # where the first K all break budgets, the walk goes on to the first that breaks none
        mild = int(np.count_nonzero(~breaks))
        shares = np.where(breaks, 0.0, shares + missed[mild] / mild)
    return shares


def _alike(total: Int) -> Float:
    """float64[F], the same share for each of the best."""
    best = total == total.max()
    shares: Float = best / np.count_nonzero(best)
    return shares


def _from_offsets(order: Rows, rows: Rows, place: Int, breaks: NDArray[np.bool_], enough: int) -> tuple[Rows, Float]:
    """Rows as walked, and how often each is chosen, over the offsets at which the walk may start.

    Args:
        order: intp[N], nodes as walked.
        rows: intp[C], candidates, ascending.
        place: int64[C], 0 for the best.
        breaks: bool[C], those that break budgets.
        enough: how many are enough.
    """
    candidate = np.zeros(len(order), dtype=np.bool_)
    candidate[rows] = True
    walked, windows = Windows.of(order, candidate, enough)
    at = np.searchsorted(rows, walked)
    mild = ~breaks[at]
    settled = (windows.count(mild) > 0) | ~mild.any()
    shares = windows.shares_of_groups(-place[at][np.newaxis], np.where(settled, 0, -1))
    for window in np.flatnonzero(~settled).tolist():
        following = (window + np.arange(len(windows))) % len(windows)
        shares[following[mild[following]][0]] += windows.weight[window]
    return walked, shares


class _Scaled(Struct, frozen=True):
    """A Score plugin whose scores may differ from window to window.

    Attributes:
        plugin: the plugin.
        states: what it normalises with, by kind of set; one for all of them where that is the same.
        weight: its weight.
        raw: int64[S, F], by kind of set.
        number: intp[W], kind of each window.
        counts: bool[F], nodes that are compared; None for all.
    """

    plugin: Any
    states: Sequence[Any]
    weight: int
    raw: Int
    number: Rows
    counts: NDArray[np.bool_] | None

    def compared(self) -> Int:
        """int64[2 * S, F], raw scores, and behind them what is the highest where they are lowest."""
        both = np.concatenate((self.raw, -self.raw))
        return both if self.counts is None else np.where(self.counts, both, both.min())


class _Walk(Struct, frozen=True):
    """The windows of one walk, and the scores in them.

    Attributes:
        cycle: that was run.
        rows: intp[F], nodes that fit, as walked.
        windows: theirs.
        scored: scores of all of them.
    """

    cycle: Cycle
    rows: Rows
    windows: Windows
    scored: Scored

    def shares(self) -> Float:
        """float64[F], how often each node is taken.

        Raises:
            CycleError: scoring fails in some window.
        """
        plugins = list(self._scoring())
        if any(not _tells(plugin) for plugin in plugins):
            return self._one_by_one()
        at = np.searchsorted(self.scored.rows, self.rows)
        fixed = self.scored.total[at]
        scaled: list[_Scaled] = []
        for plugin in plugins:
            part = self._scaled(plugin, at)
            if part is not None:
                scaled.append(part)
                fixed -= self.scored.weighted[plugin.name][at]
        if not scaled:
            return self.windows.shares(fixed)
        keys = self._keys(scaled)
        group, first = alike([key for each in keys for key in each])
        shares = np.zeros(len(self.rows))
        most = max(AT_ONCE // len(self.rows), 1)
        for start in range(0, len(first), most):
            totals = fixed + sum(
                self._weighted(part, *(key[first[start : start + most]] for key in each))
                for part, each in zip(scaled, keys, strict=True)
            )
            shares += self.windows.shares_of_groups(totals, group - start)
        return shares

    def _scoring(self) -> Iterable[Any]:
        return (plugin for plugin in self.cycle.pipeline.at(Point.SCORE) if plugin.name in self.scored.raw)

    def _keys(self, scaled: Sequence[_Scaled]) -> list[tuple[Int, Int, Int]]:
        """Of each plugin what its scores in a window depend on: kind of set, highest and lowest raw score, int64[W]."""
        windows = np.arange(len(self.windows))
        ends = self.windows.highest(np.concatenate([part.compared() for part in scaled]))
        keys, start = [], 0
        for part in scaled:
            kinds = len(part.raw)
            at = start + part.number
            keys.append((part.number, ends[at, windows], -ends[at + kinds, windows]))
            start += 2 * kinds
        return keys

    def _weighted(self, scaled: _Scaled, number: Int, highest: Int, lowest: Int) -> Int:
        """int64[G, F], what a plugin adds in windows of some kinds, int64[G]; nothing that counts outside of them."""
        # a window has nodes of either end, so that others, which are in none, may stand at an end without being seen
        scores = np.minimum(np.maximum(scaled.raw[number], lowest[:, np.newaxis]), highest[:, np.newaxis])
        if hasattr(scaled.plugin, "normalize"):
            pod, cluster = self.cycle.pod, self.cycle.cluster
            if len(scaled.states) == 1:
                scores = scaled.plugin.normalize(pod, scaled.states[0], cluster, self.rows, scores)
            else:
                for row, kind in enumerate(number.tolist()):
                    scores[row] = scaled.plugin.normalize(pod, scaled.states[kind], cluster, self.rows, scores[row])
        weighted: Int = scores * scaled.weight
        return weighted

    def _scaled(self, plugin: Any, at: Rows) -> _Scaled | None:
        """What one plugin's scores depend on in each window; None where they are the same in all as among all nodes.

        Args:
            plugin: who scores.
            at: intp[F], positions of the nodes, as walked, in what was scored.
        """
        if plugin.compares is Compares.NOTHING:
            return None
        cycle, windows = self.cycle, self.windows
        state = self.scored.states.get(plugin.name) if hasattr(plugin, "pre_score") else self._filtered(plugin.name)
        weight = cycle.pipeline.profile.weights.get(plugin.name, 1)
        if plugin.compares is not Compares.SET:
            raw = self.scored.raw[plugin.name][at]
            if (raw == raw[0]).all():
                return None
            return _Scaled(plugin, (state,), weight, raw[np.newaxis], np.zeros(len(windows), dtype=np.intp), None)
        compared: Compared = plugin.compared(cycle.pod, self._filtered(plugin.name), cycle.cluster, self.rows, windows)
        cycle.cluster.work.charge(COMPARED * compared.keys.shape[1])
        number, first = alike(list(compared.keys.T))
        states, raws = self._of_sets(plugin, compared, first)
        return _Scaled(plugin, states, weight, raws, number, None if compared.counts.all() else compared.counts)

    def _of_sets(self, plugin: Any, compared: Compared, first: Rows) -> tuple[Sequence[Any], Int]:
        """States, and raw scores of each kind of set, of which ``first`` are windows: all at one time, if it can."""
        if hasattr(plugin, "score_sets"):
            state = self.scored.states[plugin.name]
            raws: Int = plugin.score_sets(self.cycle.pod, state, self.cycle.cluster, self.rows, compared.keys[first])
            return (state,), raws
        states = [self._state(plugin, int(window)) for window in first]
        return states, np.stack([self._raw(plugin, state) for state in states])

    def _filtered(self, plugin: str) -> Any:
        state = self.cycle.states.get(plugin)
        return None if isinstance(state, Skip) else state

    def _state(self, plugin: Any, window: int) -> Any:
        """What PreScore makes of the nodes of a window."""
        rows = np.sort(self.rows[self.windows.at(window)])
        answer = plugin.pre_score(self.cycle.pod, self._filtered(plugin.name), self.cycle.cluster, rows)
        if not isinstance(answer, Ready):
            raise CycleError(f"{plugin.name} scores some of the nodes alone")
        return answer.state

    def _raw(self, plugin: Any, state: Any) -> Int:
        choice = self.cycle.choices.get(plugin.name)
        raw: Int = plugin.score(self.cycle.pod, state, self.cycle.cluster, self.rows, choice)
        return raw

    def _one_by_one(self) -> Float:
        """Score every window by itself: a plugin does not tell what its scores depend on."""
        cycle = self.cycle
        filtered: Mapping[str, Any] = {name: self._filtered(name) for name in cycle.states}
        scoring = Scoring(cycle.cluster, cycle.pipeline, cycle.pod, filtered, cycle.choices, None)
        shares = np.zeros(len(self.rows))
        for window in range(len(self.windows)):
            at = self.windows.at(window)
            at = at[np.argsort(self.rows[at])]
            shares[at] += _alike(scoring.score(self.rows[at]).total) * self.windows.weight[window]
        return shares


def _tells(plugin: Any) -> bool:
    """Whether a plugin tells what the score of a node depends on."""
    compares = getattr(plugin, "compares", Compares.SET)
    return compares is not Compares.SET or hasattr(plugin, "compared")
