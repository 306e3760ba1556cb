"""What would make a drain possible: the smallest things first, each tried by draining again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice, product

from kplan.cluster import Cluster
from kplan.cluster.owners import returns, top_owner
from kplan.course.drain import DrainRun, Gone, run_drain
from kplan.course.trying import ask_after
from kplan.objects.kind_words import kind_word
from kplan.pipeline import Planner
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Cost, both
from kplan.remedies.engine import Measure, Sifted, Tried, sift, tried
from kplan.remedies.more_nodes import one_more, several
from kplan.scenario import Effect
from kplan.scenario.budgets import SetBudget
from kplan.scenario.drain import DrainOptions
from kplan.scenario.manifests import Scale
from kplan.scenario.nodes import Cordon
from kplan.scenario.pods import Evict
from kplan.wording.failing import Failure

MOST = 5
_NODES_TRIED = 3
_PODS_TRIED = 4
_BUDGETS_TRIED = 3
_WAYS_TRIED = 2
"""Ways to lift each thing that is in the way, where several are tried together."""
_TOGETHER_TRIED = 8


@dataclass(frozen=True, slots=True)
class Force:
    """The step that lets pods go which nothing makes again."""

    @property
    def flag(self) -> str:
        """See Verb."""
        return "--force"

    def effect(self, cluster: Cluster) -> Effect:
        """See Step: what it does is done by the drain."""
        return Effect(())


def find_fixes(
    planner: Planner,
    nodes: Sequence[str],
    options: DrainOptions,
    run: DrainRun[Failure],
    *,
    rolling: bool = False,
    together: bool = False,
) -> Sifted[int]:
    """Try what may help, smallest first; the cluster is as before afterwards.

    Where several things are in the way and nothing helps alone, what may lift each is tried together.

    Args:
        planner: planner over the cluster.
        nodes: nodes that are drained.
        options: which pods go.
        run: the drain that is stuck.
        rolling: as the drain was carried out.
        together: the same.
    """

    def left(candidate: Candidate) -> Tried[int] | None:
        forced = any(isinstance(step, Force) for step in candidate.steps)
        chosen = replace(options, force=options.force or forced)

        def ask(trial: Planner) -> int:
            again: DrainRun[None] = run_drain(trial, nodes, chosen, rolling=rolling, together=together)
            return len(again.left)

        steps = [step for step in candidate.steps if not isinstance(step, Force)]
        return tried(candidate, ask_after(planner, steps, ask))

    measure = Measure(left, lambda number: not number)
    ways = [way for way in _ways(planner.cluster, nodes, run) if way]
    found = sift(chain.from_iterable(ways), measure, most=MOST)
    if found.helps or len(ways) < 2:
        return found
    some = (reduce(both, one) for one in product(*(way[:_WAYS_TRIED] for way in ways)))
    more = sift(islice(some, _TOGETHER_TRIED), measure, most=MOST)
    return Sifted(more.helps, [*found.fails, *more.fails], [*found.found, *more.found])


def _ways(cluster: Cluster, nodes: Sequence[str], run: DrainRun[Failure]) -> Iterator[list[Candidate]]:
    """What may lift each thing that is in the way: pods that nothing makes again, each budget, room."""
    left = run.left
    stuck = [gone for gone in left if not gone.number]
    refused = tuple(gone.pod.key for gone in stuck if gone.what.fate == "refused")
    if refused:
        yield [Candidate("force", Cost.LOSS, about.Named(names=refused), steps=(Force(),))]
    budgets = {f"{one.pod.namespace}/{one.permission.budget}": one for one in reversed(stuck) if one.permission}
    for key, gone in [*reversed(budgets.items())][:_BUDGETS_TRIED]:
        yield list(_budget(cluster, key, gone))
    homeless = [gone for gone in left if gone.number]
    more = [one_more(about.NewNode(name)) for name in dict.fromkeys(gone.node for gone in homeless)]
    more += _room(cluster, nodes, homeless)
    if len(homeless) > 1:
        two = several(one_more(about.NewNode(homeless[0].node)), 2)
        more.append(replace(two, code="more-nodes", unless=("one-more-node",)))
    yield more


def _budget(cluster: Cluster, key: str, gone: Gone[Failure]) -> Iterator[Candidate]:
    """What may lift a budget: one more replica of the owner of a pod that it holds, or that it asks for one less."""
    item = cluster.objects.table("pod_disruption_budgets").get(key)
    if item is None:
        return
    kind, name = owner = top_owner(gone.pod, cluster)
    if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        space, word = gone.pod.namespace, f"{kind_word(kind)}/{gone.pod.namespace}/{name}"
        mine = (pod for pod in cluster.pods if not pod.gone and pod.namespace == space)
        replicas = sum(top_owner(pod, cluster) == owner for pod in mine)
        yield Candidate("one-more-replica", Cost.REQUEST, about.Named(name=word), steps=(Scale(word, replicas + 1),))
    least, most = item.spec.min_available, item.spec.max_unavailable
    if isinstance(least, int) and least > 0:
        what = about.Named(name=item.name, key="minAvailable", new=least - 1, old=least)
    else:
        number = most + 1 if isinstance(most, int) else 1
        what = about.Named(name=item.name, key="maxUnavailable", new=number, old=most if most is not None else least)
    yield Candidate("set-budget", Cost.EVICT, what, steps=(SetBudget(key, what.key, str(what.new)),))


def _room(cluster: Cluster, nodes: Sequence[str], homeless: Sequence[Gone[Failure]]) -> Iterator[Candidate]:
    """Move one pod away from a node that lacks only amounts, and keep it away while it finds its place."""
    for gone in homeless[:1]:
        failure = gone.landing.why if gone.landing is not None else None
        if failure is None or failure.group is None:
            continue
        near = [node for node in failure.group.nodes if node.shortages and node.name not in nodes]
        for node in near[:_NODES_TRIED]:
            short = {one.resource: one.lacks for one in node.shortages}
            pods = [
                cluster.pods[row]
                for row in cluster.pods_on(cluster.node_index[node.name])
                if returns(cluster.pods[row]) and not cluster.pods[row].terminating
            ]
            enough = [pod for pod in pods if all(pod.requests.get(name, 0) >= lacks for name, lacks in short.items())]
            enough.sort(key=lambda pod: (pod.priority, sum(pod.requests.values()), pod.key))
            for pod in enough[:_PODS_TRIED]:
                steps = (Cordon(node.name), Evict(pod.key), Cordon(node.name, on=False))
                yield Candidate("make-room", Cost.EVICT, about.Named(node=node.name, names=(pod.key,)), steps=steps)
            for pod in enough[:1]:
                alone = about.Named("alone", node=node.name, names=(pod.key,))
                yield Candidate("evict-pod", Cost.EVICT, alone, steps=(Evict(pod.key),))
