"""One more node, and more of them: the change that a pod, a drain, a loss and a capacity question have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.objects.well_known import HOSTNAME
from kplan.remedies.about import NewNode
from kplan.remedies.candidate import Candidate, Further, RemedyCost
from kplan.scenario.add_node import AddNode
from kplan.words import short_key

MOST_DOMAINS = 16
"""Of more domains none is given a node: nobody adds so many at once."""
RIVALS = 16
"""Pods that wait for which nodes are tried beside those of the pods that are asked about: they take them first."""


def one_more(what: NewNode, verb: AddNode | None = None, *, named: bool = False) -> Candidate:
    """Add a node; pods of its DaemonSets run on it from the start.

    Args:
        what: what is told of it.
        verb: what adds it; a node like the one that is told, if not given.
        named: see Candidate.
    """
    verb = verb if verb is not None else AddNode(like=what.like)
    return Candidate("one-more-node", RemedyCost.ADD_NODE, what, steps=(verb,), named=named)


class SpreadDomains(Struct, frozen=True):
    """What some pods spread over.

    Attributes:
        key: label of nodes.
        values: its values on nodes that are there, in order.
    """

    key: str
    values: tuple[str, ...]


def domains_of(cluster: Cluster, pod: PodInfo) -> SpreadDomains | None:
    """What a pod has to spread over, if it is one kind of domain besides nodes, and there are several of it."""
    rules = pod.pod.spec.topology_spread_constraints or ()
    keys = {rule.topology_key for rule in rules if rule.when_unsatisfiable == "DoNotSchedule"} - {HOSTNAME}
    kinds = [
        SpreadDomains(key, tuple(sorted({node.labels[key] for node in cluster.nodes if key in node.labels})))
        for key in keys
    ]
    several = [domains for domains in kinds if len(domains.values) > 1]
    return several[0] if len(several) == 1 and len(several[0].values) <= MOST_DOMAINS else None


def added(candidate: Candidate) -> AddNode | None:
    """The node that a candidate adds, if that is all it does."""
    step = candidate.steps[0] if len(candidate.steps) == 1 and not candidate.edits else None
    return step if isinstance(step, AddNode) else None


def of_an_empty_pool(candidate: Candidate) -> bool:
    """Whether a node is added that has labels which none has that is there."""
    return isinstance(candidate.about, NewNode) and bool(candidate.about.labels)


def up_to(candidate: Candidate, most: int) -> Candidate:
    """Add more nodes in place of one, so many at the most, until that is enough."""
    return replace(candidate, further=Further(lambda number: several(candidate, number), most))


def several(candidate: Candidate, number: int, domains: SpreadDomains | None = None) -> Candidate:
    """Add more nodes in place of one.

    Args:
        candidate: adds one node.
        number: how many; in each domain, if there are domains.
        domains: in each of which so many are added.
    """
    steps = [
        dataclasses.replace(step, count=number, labels={**step.labels, **labels}) if isinstance(step, AddNode) else step
        for step in candidate.steps
        for labels in (({domains.key: value} for value in domains.values) if domains is not None else ({},))
    ]
    parts = tuple(several(part, number, domains) if part.adds_nodes else part for part in candidate.parts)
    what = candidate.about
    if isinstance(what, NewNode):
        what = dataclasses.replace(what, number=number)
        if domains is not None:
            short = short_key(domains.key)
            place = tuple((key, value) for key, value in what.place if key != short)
            what = dataclasses.replace(what, each=(short, len(domains.values)), place=place)
    return replace(candidate, steps=tuple(steps), parts=parts, about=what)


def least(few: int, most: int, enough: Callable[[int], bool | None]) -> int:
    """Find the least number that is enough, between one that is too few and one that is enough.

    Args:
        few: too few.
        most: enough.
        enough: asks of a number; None where no more may be tried.
    """
    while most - few > 1:
        middle = (few + most) // 2
        suffices = enough(middle)
        if suffices is None:
            break
        few, most = (few, middle) if suffices else (middle, most)
    return most
