"""What would make a drain possible: the smallest things first, each tried by draining again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain, islice, product
from operator import add

from kplan.cluster.owners import returns
from kplan.course.drain import DrainRun, Gone, run_drain
from kplan.course.trying import Fix, ask_after
from kplan.pipeline import Planner
from kplan.scenario import Verb, parse_step
from kplan.scenario.drain import DrainOptions
from kplan.wording.owners import owner_text
from kplan.words import count, listed

MOST = 5
NO_HELP_SHOWN = 3
_NODES_TRIED = 3
_PODS_TRIED = 4
_BUDGETS_TRIED = 3
_WAYS_TRIED = 2
"""Ways to lift each thing that is in the way, where several are tried together."""
_TOGETHER_TRIED = 8


@dataclass
class Tried:
    """All that was tried.

    Attributes:
        fixes: what helps.
        no_help: what does not, in words.
    """

    fixes: list[Fix] = field(default_factory=list)
    no_help: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One thing to try.

    Attributes:
        text: what it is.
        options: which pods go then.
        flags: what-ifs before the drain.
        needless: texts of smaller things: where one of them helps, this is not tried.
    """

    text: str
    options: DrainOptions
    flags: tuple[str, ...] = ()
    needless: tuple[str, ...] = ()

    def __add__(self, other: _Candidate) -> _Candidate:
        """Both at once."""
        options = replace(other.options, force=self.options.force or other.options.force)
        smaller = [f"{text} + {other.text}" for text in self.needless]
        smaller += [f"{self.text} + {text}" for text in other.needless]
        return _Candidate(f"{self.text} + {other.text}", options, (*self.flags, *other.flags), tuple(smaller))


def find_fixes(
    planner: Planner,
    nodes: Sequence[str],
    options: DrainOptions,
    run: DrainRun,
    *,
    rolling: bool = False,
    together: bool = False,
) -> Tried:
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

    def left(wanted: DrainOptions, planner: Planner) -> int:
        """Count what a drain leaves."""
        return len(run_drain(planner, nodes, wanted, rolling=rolling, together=together, told=False).left)

    tried = Tried()
    ways = [way for way in _ways(planner, nodes, options, run) if way]
    _try(planner, options, left, chain.from_iterable(ways), tried)
    if not tried.fixes and len(ways) > 1:
        both = (reduce(add, some) for some in product(*(way[:_WAYS_TRIED] for way in ways)))
        _try(planner, options, left, islice(both, _TOGETHER_TRIED), tried)
    return tried


def _try(
    planner: Planner,
    options: DrainOptions,
    ask: Callable[[DrainOptions, Planner], int],
    candidates: Iterable[_Candidate],
    tried: Tried,
) -> None:
    for one in candidates:
        if len(tried.fixes) >= MOST:
            break
        if any(fix.text in one.needless for fix in tried.fixes):
            continue
        left = ask_after(planner, map(_verb, one.flags), partial(ask, one.options))
        if left == 0:
            force = ["--force"] if one.options.force and not options.force else []
            tried.fixes.append(Fix(one.text, " ".join([*force, *one.flags]), "all placed"))
        elif left is not None and len(tried.no_help) < NO_HELP_SHOWN:
            tried.no_help.append(f"{one.text} ({count(left, 'pod')} left)")


def _verb(flag: str) -> Verb:
    name, _, text = flag.removeprefix("--").partition(" ")
    return parse_step(name, text)


def _ways(planner: Planner, nodes: Sequence[str], options: DrainOptions, run: DrainRun) -> Iterator[list[_Candidate]]:
    """What may lift each thing that is in the way: pods that nothing makes again, each budget, room."""
    left = run.left
    stuck = [gone for gone in left if not gone.number]
    refused = [gone.pod.key for gone in stuck if gone.what.fate == "refused"]
    if refused:
        yield [_Candidate(f"--force: {listed(refused, most=2)} GONE", replace(options, force=True))]
    budgets = {f"{one.pod.namespace}/{one.permission.budget}": one for one in reversed(stuck) if one.permission}
    for key, gone in [*reversed(budgets.items())][:_BUDGETS_TRIED]:
        yield list(_budget(planner, options, key, gone))
    homeless = [gone for gone in left if gone.number]
    names = dict.fromkeys(gone.node for gone in homeless)
    more = [_Candidate(f"one more node like {name}", options, (f"--add-node like={name}",)) for name in names]
    one_more = tuple(one.text for one in more)
    more += _room(planner, nodes, options, homeless)
    if len(homeless) > 1:
        like = homeless[0].node
        flags = (f"--add-node like={like},count=2",)
        more.append(_Candidate(f"2 more nodes like {like}", options, flags, one_more))
    yield more


def _budget(planner: Planner, options: DrainOptions, key: str, gone: Gone) -> Iterator[_Candidate]:
    """What may lift a budget: one more replica of the owner of a pod that it holds, or that it asks for one less."""
    item = planner.cluster.objects.table("pod_disruption_budgets").get(key)
    if item is None:
        return
    owner = owner_text(gone.pod, planner.cluster)
    if owner.partition("/")[0] in ("deploy", "sts", "rs"):
        replicas = sum(owner_text(pod, planner.cluster) == owner and not pod.gone for pod in planner.cluster.pods)
        yield _Candidate(f"one more replica of {owner}", options, (f"--scale {owner}={replicas + 1}",))
    least = item.spec.min_available
    if isinstance(least, int) and least > 0:
        text = f"{item.name} minAvailable {least - 1} (now {least})"
        yield _Candidate(text, options, (f"--set-pdb {key}:minAvailable={least - 1}",))
    else:
        most = item.spec.max_unavailable
        number = most + 1 if isinstance(most, int) else 1
        text = f"{item.name} maxUnavailable {number} (now {most if most is not None else least})"
        yield _Candidate(text, options, (f"--set-pdb {key}:maxUnavailable={number}",))


def _room(
    planner: Planner, nodes: Sequence[str], options: DrainOptions, homeless: Sequence[Gone]
) -> Iterator[_Candidate]:
    """Move one pod away from a node that lacks only amounts, and keep it away while it finds its place."""
    cluster = planner.cluster
    for gone in homeless[:1]:
        failure = gone.landing.failure if gone.landing is not None else None
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
                flags = (f"--cordon {node.name}", f"--evict {pod.key}", f"--uncordon {node.name}")
                yield _Candidate(f"make room on {node.name}: {' '.join(flags)}", options, flags)
            for pod in enough[:1]:
                yield _Candidate(f"evicting {pod.key} alone", options, (f"--evict {pod.key}",))
