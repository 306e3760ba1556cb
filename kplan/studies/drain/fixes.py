"""What would make a drain possible: the smallest things first, each tried by draining again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kplan.cluster.owners import returns
from kplan.errors import KplanError
from kplan.pipeline import Planner
from kplan.scenario import Verb, parse_step
from kplan.scenario.drain import DrainOptions
from kplan.studies.drain.run import DrainRun, Gone, run_drain
from kplan.studies.owners import owner_text
from kplan.studies.whatif import WhatIf
from kplan.studies.words import count

MOST = 5
_NODES_TRIED = 3
_PODS_TRIED = 4


@dataclass(frozen=True)
class Fix:
    """One thing that was tried.

    Attributes:
        text: what it is.
        flags: as what-ifs of the command.
        effect: what comes of it.
    """

    text: str
    flags: str
    effect: str


@dataclass
class Tried:
    """All that was tried."""

    fixes: list[Fix] = field(default_factory=list)
    no_help: list[str] = field(default_factory=list)


def find_fixes(planner: Planner, nodes: Sequence[str], options: DrainOptions, run: DrainRun) -> Tried:
    """Try what may help, smallest first; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        nodes: nodes that are drained.
        options: which pods go.
        run: the drain that is stuck.
    """
    tried = Tried()
    for text, flags, other in _candidates(planner, nodes, options, run):
        if len(tried.fixes) >= MOST:
            break
        left = _left_after(planner, nodes, other, flags)
        if left is None:
            continue
        if not left:
            tried.fixes.append(Fix(text, " ".join(flags), "all placed"))
        elif len(tried.no_help) < 3:
            tried.no_help.append(f"{text} ({count(left, 'pod')} left)")
    return tried


def _left_after(planner: Planner, nodes: Sequence[str], options: DrainOptions, flags: Sequence[str]) -> int | None:
    """Count what is left of a drain after some what-ifs; None if one cannot be taken."""
    mark = planner.mark
    try:
        what_if = WhatIf.of(planner)
        for flag in flags:
            what_if.take(_verb(flag))
        return len(run_drain(planner, nodes, options).left)
    except KplanError:
        return None
    finally:
        planner.rewind(mark)


def _verb(flag: str) -> Verb:
    name, _, text = flag.removeprefix("--").partition(" ")
    return parse_step(name, text)


Candidate = tuple[str, tuple[str, ...], DrainOptions]


def _candidates(planner: Planner, nodes: Sequence[str], options: DrainOptions, run: DrainRun) -> Iterator[Candidate]:
    left = run.left
    stuck = [gone for gone in left if not gone.number]
    if any(gone.what.fate == "refused" for gone in stuck):
        gone = [one.pod.key for one in stuck if one.what.fate == "refused"]
        yield f"--force: {', '.join(gone[:2])} GONE", (), replace(options, force=True)
    yield from _budgets(planner, options, [one for one in stuck if one.what.fate == "evict"])
    homeless = [gone for gone in left if gone.number]
    for name in dict.fromkeys(gone.node for gone in homeless):
        yield f"one more node like {name}", (f"--add-node like={name}",), options
    yield from _room(planner, nodes, options, homeless)
    if len(homeless) > 1:
        yield f"2 more nodes like {homeless[0].node}", (f"--add-node like={homeless[0].node},count=2",), options


def _budgets(planner: Planner, options: DrainOptions, stuck: Sequence[Gone]) -> Iterator[Candidate]:
    for gone in stuck:
        budget = gone.permission.budget if gone.permission is not None else ""
        item = planner.cluster.objects.table("pod_disruption_budgets").get(f"{gone.pod.namespace}/{budget}")
        if item is None:
            continue
        owner = owner_text(gone.pod, planner.cluster)
        if owner.partition("/")[0] in ("deploy", "sts", "rs"):
            replicas = sum(owner_text(pod, planner.cluster) == owner and not pod.gone for pod in planner.cluster.pods)
            yield f"one more replica of {owner}", (f"--scale {owner}={replicas + 1}",), options
        least = item.spec.min_available
        if isinstance(least, int) and least > 0:
            text = f"{budget} minAvailable {least - 1} (now {least})"
            yield text, (f"--set-pdb {item.key}:minAvailable={least - 1}",), options
        else:
            most = item.spec.max_unavailable
            number = most + 1 if isinstance(most, int) else 1
            text = f"{budget} maxUnavailable {number} (now {most if most is not None else least})"
            yield text, (f"--set-pdb {item.key}:maxUnavailable={number}",), options
        return


def _room(
    planner: Planner, nodes: Sequence[str], options: DrainOptions, homeless: Sequence[Gone]
) -> Iterator[Candidate]:
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
                yield f"make room on {node.name}: {' '.join(flags)}", flags, options
            for pod in enough[:1]:
                yield f"evicting {pod.key} alone", (f"--evict {pod.key}",), options
