"""Remedies in words: the change, what fits then, how many more like it, and what is lost."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import returns
from kplan.remedies.candidate import Remedies, Remedy
from kplan.remedies.commands import commands_of
from kplan.result.document import Fix, NoHelp
from kplan.words import count, listed

NAMES = 3
KEPT = 24
"""Most remedies in a document."""


def fixes(found: Remedies, pod: PodInfo, cluster: Cluster, *, evicts: bool) -> tuple[Fix, ...]:
    """Put remedies in words, in their order.

    Args:
        found: what helps.
        pod: the pod.
        cluster: the cluster as it is.
        evicts: whether the pod would evict others as things are, so that it matters who does not.
    """
    return tuple(
        _fix(number, remedy, pod, cluster, evicts=evicts) for number, remedy in enumerate(found.found[:KEPT], 1)
    )


def no_help(found: Remedies) -> NoHelp | None:
    """What would be tried first and does not help; None where there is nothing to say."""
    if not (found.failed or found.nothing or found.untried):
        return None
    return NoHelp(tried=found.failed, nothing=found.nothing, untried=found.untried)


def _fix(number: int, remedy: Remedy, pod: PodInfo, cluster: Cluster, *, evicts: bool) -> Fix:
    candidate, effect = remedy.candidate, remedy.effect
    then = _then(remedy, cluster, evicts=evicts)
    return Fix(
        number=number,
        code=candidate.code,
        cost=candidate.cost.name.lower().replace("_", "-"),
        text=candidate.text,
        then=then,
        nodes=effect.nodes[:10],
        fits=len(effect.nodes),
        evicts=effect.evicted,
        next_ones=_next_ones(remedy),
        harm=candidate.harm,
        again=remedy.again,
        summary=f"{candidate.short or candidate.text} -> {_fits(remedy, then, evicts=evicts)}{_harm(remedy)}",
        commands=commands_of(candidate, pod, cluster),
    )


def _harm(remedy: Remedy) -> str:
    return f" ({remedy.candidate.harm})" if remedy.candidate.harm else ""


def _next_ones(remedy: Remedy) -> str:
    effect = remedy.effect
    if effect.next < 0:
        return ""
    if effect.next >= effect.asked > 0:
        return "fit too" if effect.asked > 1 else "fits too"
    return f"{effect.next} more" if effect.next else "none"


def _then(remedy: Remedy, cluster: Cluster, *, evicts: bool) -> str:
    candidate, effect = remedy.candidate, remedy.effect
    if effect.evicted:
        return _evicting(remedy, cluster)
    text = _nodes(effect.nodes, candidate.new_node, len(cluster.nodes))
    if effect.first:
        text = text.replace(", ", " or ") if len(effect.nodes) == 2 else text
        text = f"{text}, once {_first(effect.first, candidate.new_node)}"
    if evicts:
        text += ", evicts nobody"
    if remedy.more:
        text += f" ({remedy.more})"
    if candidate.note:
        text += f"; {candidate.note}"
    return text


def _nodes(names: Sequence[str], new: str, total: int) -> str:
    if len(names) == total + bool(new) and len(names) > NAMES:
        return f"all {len(names):,} nodes"
    told = ["the new node" if name == new else name for name in names]
    if len(told) > 1 and "the new node" in told:
        told.remove("the new node")
        told.insert(0, "the new node")
    return listed(told, most=NAMES if len(told) <= NAMES else 2)


def _first(placed: Sequence[tuple[str, str]], new: str) -> str:
    pod, node = placed[0]
    where = "the new one" if node == new else node
    more = f" and {count(len(placed) - 1, 'more pod')}" if len(placed) > 1 else ""
    return f"{pod.partition('/')[2] or pod} is on {where}{more}"


def _evicting(remedy: Remedy, cluster: Cluster) -> str:
    effect = remedy.effect
    pods = [cluster.pods[cluster.pod_index[key]] for key in effect.evicted if key in cluster.pod_index]
    owned = all(returns(pod) for pod in pods)
    owner = "" if owned else " (no owner)" if len(pods) == 1 else " (not all have owners)"
    if effect.picks > 1:
        every = effect.picks == len(cluster.nodes)
        where = f"any of {effect.picks:,}" if every else f"{effect.picks:,} nodes tie"
        return f"{where}, evicts {len(effect.evicted)}{owner}"
    if len(pods) == 1:
        about = f"{pods[0].priority}" if owned else f"{pods[0].priority}, no owner"
        return f"{effect.goes}, evicts {pods[0].key} ({about})"
    return f"{effect.goes}, evicts {count(len(effect.evicted), 'pod')}{owner}"


def _fits(remedy: Remedy, then: str, *, evicts: bool) -> str:
    candidate, effect = remedy.candidate, remedy.effect
    if effect.evicted or effect.first or candidate.note:
        return then
    if effect.nodes == (candidate.new_node,):
        return "it fits there" + (", nobody is evicted" if evicts else "")
    head, comma, rest = then.partition(", evicts nobody")
    verb = "fits" if len(effect.nodes) == 1 else "fit"
    head, bracket, more = head.partition(" (")
    return f"{head} {verb}{bracket}{more}{', nobody is evicted' if comma else ''}{rest}"
