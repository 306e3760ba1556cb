"""What would make a drain possible: the smallest things first, each tried by draining again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from itertools import chain, islice, product

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.cluster.owners import returns
from kplan.cluster.silence import OUT_OF_SERVICE
from kplan.course.drains.drain import DrainRun, Gone, run_drain
from kplan.course.readiness.serving import OwnerOfPods, without
from kplan.course.trial.trying import Trying
from kplan.framework.reason_codes import ReasonCode
from kplan.pipeline import Planner
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, RemedyCost, both
from kplan.remedies.drains import budget_ways, without_budget, without_named_node
from kplan.remedies.engine import Measure, Sifted, Tried, by_steps, sift, tried
from kplan.remedies.keepers import put_back
from kplan.remedies.more_nodes import RIVALS, one_more, up_to
from kplan.scenario import Effect, Step
from kplan.scenario.drain import DrainOptions
from kplan.scenario.nodes import Cordon, SetTaint
from kplan.scenario.pods import Evict
from kplan.wording.failing import Failure

MOST = 5
_NODES_TRIED = 3
_PODS_TRIED = 4
_BUDGETS_TRIED = 3
_WAYS_TRIED = 2
"""Ways to lift each thing that is in the way, where several are tried together."""
_TOGETHER_TRIED = 8
_DELETE = "delete-drained"
_SPREAD = "spread-skew"
"""Code of the reason that a spread constraint gives."""
_WRONG_NODES = frozenset(
    {
        ReasonCode.NODE_SELECTOR,
        ReasonCode.NODE_AFFINITY,
        ReasonCode.VOLUME_OUT_OF_REACH,
        ReasonCode.VOLUME_ZONE,
        ReasonCode.POD_ANTI_AFFINITY,
        ReasonCode.OTHERS_ANTI_AFFINITY,
        ReasonCode.SPREAD_SKEW,
    }
)
"""Reasons that hold whatever room there is: a node's labels, and the pods that stay where they are."""


class OfTheDrain(Struct, frozen=True):
    """A step that the drain itself takes, as one of its flags.

    Attributes:
        flag: see Verb.
    """

    flag: str

    def effect(self, cluster: Cluster) -> Effect:
        """See Step: what it does is done by the drain."""
        return Effect(())


FORCE = OfTheDrain("--force")
"""Pods go which nothing makes again."""
ROLLING = OfTheDrain("--rolling")
"""Each node is back before the next is drained."""
DELETE = OfTheDrain("--then-delete")
"""Nodes are deleted once they are drained, so that they count no more."""


AT_ONCE = OfTheDrain("--grace-period 0")
"""Pods are gone from the API at once, whether or not they have ended."""


class Drained(Struct, frozen=True):
    """What comes of a drain that was tried again.

    Attributes:
        left: pods that it is stuck at.
        awaiting: pods in whose place others run only once a node is back.
        gone: pods that leave and that nothing makes again.
        down: budgets of which no pod is ready at one time, though one was.
        unserved: workloads of which that is so and no budget tells it.
    """

    left: int
    awaiting: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    unserved: tuple[OwnerOfPods, ...] = ()


def find_fixes(
    planner: Planner,
    nodes: Sequence[str],
    options: DrainOptions,
    run: DrainRun[Failure],
    *,
    rolling: bool = False,
    together: bool = False,
    delete: bool = False,
) -> Sifted[Drained]:
    """Try what may help, smallest first; the cluster is as before afterwards.

    Where several things are in the way and nothing helps alone, what may lift each is tried together.

    Args:
        planner: planner over the cluster.
        nodes: nodes that are drained.
        options: which pods go.
        run: the drain that is stuck.
        rolling: as the drain was carried out.
        together: the same.
        delete: the same.
    """
    trying = Trying(planner)

    def left(candidate: Candidate) -> Tried[Drained] | None:
        forced = FORCE in candidate.steps
        at_once = options.at_once or AT_ONCE in candidate.steps
        chosen = replace(options, force=options.force or forced, at_once=at_once)
        deleted = delete or DELETE in candidate.steps
        by_turns = rolling or ROLLING in candidate.steps

        def ask(trial: Planner) -> Drained:
            again: DrainRun[None] = run_drain(
                trial, nodes, chosen, rolling=by_turns, together=together and not by_turns, delete=deleted
            )
            waits = tuple(gone.pod.key for gone in again.awaiting)
            lost = tuple(gone.pod.key for gone in again.pods if gone.number and "--force" in gone.what.flags)
            lost = () if forced else lost  # the flag says so itself
            return Drained(len(again.left), waits, lost, again.budgets.down, (*before, *again.unserved))

        steps = [step for step in candidate.steps if not isinstance(step, OfTheDrain)]
        before = _evicting(planner.cluster, steps)
        return tried(candidate, trying.ask_after(steps, ask))

    measure = by_steps(Measure(left, lambda drained: not drained.left, planner.cluster.work.refuses))
    ways = [
        way
        for way in _ways(planner.cluster, nodes, run, turns=not rolling, together=together, delete=not delete)
        if way
    ]
    alone = sift(chain.from_iterable(ways), measure, most=MOST)
    lasting = any(_lasts(helped) for helped in alone.helps)
    # with what lets no pod wait for a node first, and behind what lasts what somebody puts back
    alone.helps.sort(key=lambda helped: (bool(helped.found.awaiting), lasting and put_back(helped.candidate)))
    if alone.helps or len(ways) < 2:
        return alone
    pairs = ([candidate for candidate in way if candidate.code != _DELETE][:_WAYS_TRIED] for way in ways)
    some = (reduce(both, chosen) for chosen in product(*pairs))
    more = sift(islice(some, _TOGETHER_TRIED), measure, most=MOST)
    return Sifted(more.helps, [*alone.fails, *more.fails], [*alone.found, *more.found])


def _lasts(helped: Tried[Drained]) -> bool:
    """Whether nobody puts a change back, and nothing is lost by it."""
    candidate = helped.candidate
    return not put_back(candidate) and candidate.cost <= RemedyCost.EVICT and not helped.found.gone


def _evicting(cluster: Cluster, steps: Sequence[Step]) -> tuple[OwnerOfPods, ...]:
    """Workloads whose only ready pods are evicted before the drain begins."""
    keys = [step.pods.removeprefix("pod/") for step in steps if isinstance(step, Evict)]
    return without(cluster, [cluster.pods[cluster.pod_index[key]] for key in keys if key in cluster.pod_index])


def _ways(
    cluster: Cluster, nodes: Sequence[str], run: DrainRun[Failure], *, turns: bool, together: bool, delete: bool
) -> Iterator[list[Candidate]]:
    """What may lift each thing that is in the way: pods that nothing recreates, each budget, room."""
    left = run.left
    stuck = [gone for gone in left if not gone.number]
    refused = tuple(gone.pod.key for gone in stuck if gone.what.fate == "refused")
    if refused:
        yield [Candidate("force", RemedyCost.LOSS, about.Named(names=refused), steps=(FORCE,))]
    budgets = {
        f"{evicted.pod.namespace}/{evicted.permission.budget}": evicted
        for evicted in reversed(stuck)
        if evicted.permission
    }
    for key, gone in [*reversed(budgets.items())][:_BUDGETS_TRIED]:
        asked = gone.permission
        if asked is not None and asked.several:
            yield list(without_budget(cluster, [f"{gone.pod.namespace}/{name}" for name in asked.several]))
        else:
            yield list(budget_ways(cluster, key, gone.pod, nodes))
    unmade = [gone for gone in left if gone.unmade]
    if unmade:
        yield list(_off(unmade, {gone.pod.key for gone in run.pods if gone.number}, delete=delete))
    named = [gone for gone in left if gone.landing is not None and gone.landing.named]
    if named:
        yield list(without_named_node(cluster, [gone.pod for gone in named]))
    homeless = [gone for gone in left if gone.number and gone not in named and gone not in unmade]
    if (named or unmade) and not homeless:
        return
    turns = turns and (len(nodes) > 1 or any(_only_there(gone) for gone in homeless))
    more = list(_open(cluster, nodes, turns=turns, together=together)) if homeless else []
    if delete and any(_counts_nodes(gone) for gone in homeless):
        more.append(Candidate(_DELETE, RemedyCost.UNCORDON, about.Named(), steps=(DELETE,)))
    # pods that wait come first
    most = len(homeless) + min(sum(pod.waiting for pod in cluster.pods), RIVALS)
    more += [up_to(one_more(about.NewNode(name)), most) for name in dict.fromkeys(gone.node for gone in homeless)]
    more += _room(cluster, nodes, homeless)
    yield more


def _off(unmade: Sequence[Gone[Failure]], going: Collection[str], *, delete: bool) -> Iterator[Candidate]:
    """Say that silent nodes are off, or that the pods there are gone whether or not they have ended.

    A lower pod that is not ready is made anew first, unless it is the drain that keeps it from being ready.
    """
    nodes = tuple(dict.fromkeys(gone.node for gone in unmade if gone.held is not None and gone.held.silent))
    names = tuple(gone.pod.key for gone in unmade if gone.held is not None and gone.held.silent)
    if nodes:
        what = about.Named("" if len(nodes) == 1 else "several", names=nodes)
        steps = tuple(SetTaint(name, OUT_OF_SERVICE, "nodeshutdown", "NoExecute") for name in nodes)
        yield Candidate("out-of-service", RemedyCost.UNCORDON, what, steps=steps)
        if delete:
            yield Candidate(
                _DELETE,
                RemedyCost.NODE,
                about.Named("silent-nodes" if len(nodes) > 1 else "silent", names=nodes),
                steps=(DELETE,),
            )
        risk = about.Named("" if len(names) == 1 else "several", names=names, node=", ".join(nodes))
        yield Candidate("without-grace", RemedyCost.LOSS, risk, steps=(AT_ONCE,))
    for held in dict.fromkeys(gone.held for gone in unmade if gone.held is not None and not gone.held.silent):
        if held.pod in going:
            continue
        lower = about.Named(names=(held.pod,), node=held.node)
        yield Candidate("evict-unready", RemedyCost.REQUEST, lower, steps=(Evict(held.pod),))


def _counts_nodes(gone: Gone[Failure]) -> bool:
    """Whether a spread constraint keeps a pod off its nodes, which counts nodes that were drained as empty ones."""
    failure = gone.landing.why if gone.landing is not None else None
    return failure is not None and failure.because.code == _SPREAD


def _only_there(gone: Gone[Failure]) -> bool:
    """Whether the nodes that stay are wrong for a pod, whatever room they have: its volume, its rules, pods there."""
    failure = gone.landing.why if gone.landing is not None else None
    return failure is not None and failure.because.code in _WRONG_NODES


def _open(cluster: Cluster, nodes: Sequence[str], *, turns: bool, together: bool) -> Iterator[Candidate]:
    """Open nodes that take no pods: the ones drained before, once they are back; others that are cordoned."""
    if turns:
        variant = "instead" if together else "alone" if len(nodes) == 1 else ""
        yield Candidate("rolling", RemedyCost.UNCORDON, about.Named(variant, node=nodes[0]), steps=(ROLLING,))
    cordoned = [node.name for node in cluster.nodes if node.spec.unschedulable and node.name not in nodes]
    for name in cordoned[:_NODES_TRIED]:
        yield Candidate("uncordon", RemedyCost.UNCORDON, about.Named(node=name), steps=(Cordon(name, on=False),))


def _room(cluster: Cluster, nodes: Sequence[str], homeless: Sequence[Gone[Failure]]) -> Iterator[Candidate]:
    """Move one pod away from a node that lacks only amounts, and keep it away while it finds its place."""
    for gone in homeless[:1]:
        failure = gone.landing.why if gone.landing is not None else None
        if failure is None or failure.group is None:
            continue
        near = [node for node in failure.group.nodes if node.shortages and node.name not in nodes]
        for node in near[:_NODES_TRIED]:
            short = {shortage.resource: shortage.lacks for shortage in node.shortages}
            pods = [
                cluster.pods[row]
                for row in cluster.pods_on(cluster.node_index[node.name])
                if returns(cluster.pods[row]) and not cluster.pods[row].terminating
            ]
            enough = [pod for pod in pods if all(pod.requests.get(name, 0) >= lacks for name, lacks in short.items())]
            enough.sort(key=lambda pod: (pod.priority, sum(pod.requests.values()), pod.key))
            for pod in enough[:_PODS_TRIED]:
                steps = (Cordon(node.name), Evict(pod.key), Cordon(node.name, on=False))
                yield Candidate(
                    "make-room", RemedyCost.EVICT, about.Named(node=node.name, names=(pod.key,)), steps=steps
                )
            for pod in enough[:1]:
                alone = about.Named("alone", node=node.name, names=(pod.key,))
                yield Candidate("evict-pod", RemedyCost.EVICT, alone, steps=(Evict(pod.key),))
