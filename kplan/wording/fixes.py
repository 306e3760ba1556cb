"""Remedies in words: the change, what fits then, how many more like it, and what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import returns
from kplan.course.readiness.serving import without
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies.about import Moves
from kplan.remedies.candidate import Remedies, Remedy
from kplan.result.document import Fix, NoHelp
from kplan.scenario.pods import Evict
from kplan.wording.attempts import down_text
from kplan.wording.commands import commands_of
from kplan.wording.how_to import how_to
from kplan.wording.phrases import phrase
from kplan.wording.remedies import failed_of, harm_of, lower_amount, words_of
from kplan.wording.view import View
from kplan.words import count, joined, listed

CLAIMS = "claims of devices"
"""What is never tried: they are not modelled."""
NAMES = 3
KEPT = 24
"""Most remedies in a document."""


def fixes(remedies: Remedies, pod: PodInfo, cluster: Cluster, *, evicts: bool) -> tuple[Fix, ...]:
    """Put remedies in words, in their order.

    Args:
        remedies: what helps.
        pod: the pod.
        cluster: the cluster as it is.
        evicts: whether the pod would evict others as things are, so that it matters who does not.
    """
    return tuple(
        _fix(number, remedy, pod, cluster, evicts=evicts) for number, remedy in enumerate(remedies.found[:KEPT], 1)
    )


def no_help(remedies: Remedies, asked: RunCycle) -> NoHelp | None:
    """What would be tried first and does not help; None where there is nothing to say.

    Args:
        remedies: what helps, and what does not.
        asked: the pod's cycle, run.
    """
    if not (remedies.failed or remedies.nearest or remedies.claims):
        return None
    return NoHelp(
        tried=tuple(map(failed_of, remedies.failed)),
        nothing=_what_it_takes(remedies, asked),
        untried=(CLAIMS,) if remedies.claims else (),
    )


def _what_it_takes(remedies: Remedies, asked: RunCycle) -> str:
    """What is wrong with the nearest node, all of it."""
    if remedies.nearest is None:
        return ""
    row = int(remedies.nearest.rows[0])
    view = View(asked, remedies.nearest, (row,), asked.facts(remedies.nearest.rows[:1]))
    reasons = [phrase(view, atom).brief for atom in remedies.nearest.atoms]
    if len(reasons) == 1:
        return f"no single change and no pair of changes helps; nearest is {view.name(row)}: {reasons[0]}"
    return f"nothing short of all of these together helps, on {view.name(row)}: {joined(reasons)}"


def _fix(number: int, remedy: Remedy, pod: PodInfo, cluster: Cluster, *, evicts: bool) -> Fix:
    candidate, effect = remedy.candidate, remedy.effect
    words, harm = words_of(candidate), harm_of(candidate)
    then = _then(remedy, words.note, cluster, evicts=evicts) + _unserved(remedy, cluster)
    fits = then if effect.evicted or effect.first or words.note else _fits(remedy, len(cluster.nodes), evicts=evicts)
    return Fix(
        number=number,
        code=candidate.code,
        cost=candidate.cost.name.lower().replace("_", "-"),
        text=words.text,
        then=then,
        nodes=effect.nodes[:10],
        fits=len(effect.nodes),
        evicts=effect.evicted,
        next_ones=_next_ones(remedy),
        harm=harm,
        again=remedy.again,
        summary=f"{words.short or words.text} -> {fits}{f' ({harm})' if harm else ''}",
        commands=commands_of(candidate, pod, cluster),
        how_to=how_to(candidate, 0 if effect.first else len(effect.nodes), spec=pod.pod.spec),
    )


def _next_ones(remedy: Remedy) -> str:
    effect = remedy.effect
    if effect.next < 0:
        return ""
    if effect.next >= effect.asked > 0:
        return "fit too" if effect.asked > 1 else "fits too"
    return f"{effect.next} more" if effect.next else "none"


def _then(remedy: Remedy, note: str, cluster: Cluster, *, evicts: bool) -> str:
    effect = remedy.effect
    if effect.evicted:
        return _evicting(remedy, cluster)
    text = _nodes(remedy, len(cluster.nodes))
    if effect.first:
        text += f", once {_first(effect.first, effect.new)}"
    if evicts:
        text += ", evicts nobody"
    return text + _more(remedy) + (f"; {note}" if note else "")


def _fits(remedy: Remedy, total: int, *, evicts: bool) -> str:
    """What fits then, as a clause."""
    effect = remedy.effect
    nobody = ", nobody is evicted" if evicts else ""
    if effect.nodes == (effect.new,):
        return f"it fits there{nobody}"
    verb = "fits" if len(effect.nodes) == 1 else "fit"
    return f"{_nodes(remedy, total)} {verb}{nobody}{_more(remedy)}"


def _unserved(remedy: Remedy, cluster: Cluster) -> str:
    """Whose only ready pods a remedy evicts."""
    steps = [step.pods.removeprefix("pod/") for step in remedy.candidate.steps if isinstance(step, Evict)]
    down = without(cluster, _named((*remedy.effect.evicted, *steps), cluster))
    if isinstance(remedy.candidate.about, Moves):  # one after the other, each once the one before has landed
        moved = _named([move.pod for move in remedy.candidate.about.journey.moves], cluster)
        down = tuple(dict.fromkeys(owner for pod in moved for owner in without(cluster, [pod])))
    text = down_text(unserved=down)
    return f"; {text}" if text else ""


def _named(keys: Iterable[str], cluster: Cluster) -> list[PodInfo]:
    """Pods of some names, those that are there."""
    return [cluster.pods[cluster.pod_index[key]] for key in dict.fromkeys(keys) if key in cluster.pod_index]


def _more(remedy: Remedy) -> str:
    """A lower amount at which more nodes fit."""
    if remedy.more is None:
        return ""
    request, nodes = remedy.more
    return f" ({lower_amount(request)}: {nodes:,} nodes)"


def _nodes(remedy: Remedy, total: int) -> str:
    """The nodes that fit, the new one first."""
    effect = remedy.effect
    names, new = effect.nodes, effect.new
    if len(names) == total + bool(new) and len(names) > NAMES:
        return f"all {len(names):,} nodes"
    told = [*(["the new node"] if new in names else []), *(name for name in names if name != new)]
    if len(told) == 2 and effect.first:
        return " or ".join(told)
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
