"""Why a drain is stuck, in words: a pod that nothing recreates, a budget that allows none, a pod without a place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kplan.course.drains.clock import DrainClock
from kplan.course.drains.drain import DrainRun, Gone
from kplan.course.evictions.budgets import BudgetHeld, Permission
from kplan.course.trial.attempts import TriedPod
from kplan.result.document_base import Cause
from kplan.wording.fail import landing_cause
from kplan.wording.failing import Failure
from kplan.wording.preempting import breaking_budgets
from kplan.wording.rollouts import span_text
from kplan.wording.what_if import held_because
from kplan.words import count, listed


def cause_of(gone: Gone[Failure], *, named: bool = True) -> Cause | None:
    """Why a drain is stuck at a pod; None if nothing is known.

    Args:
        gone: what became of it.
        named: begin with the pod also where what it was evicted for finds no place.
    """
    pod, landing = gone.pod.key, gone.landing
    if gone.back:
        return Cause(code="made-there-again", text=f"{pod}: {back_again(landing.node if landing else gone.node)}")
    if gone.held is not None and landing is None:
        held = held_because(gone.held)
        return Cause(code=held.code, text=f"{pod}: {held.text}" if gone.held.pod != pod else held.text)
    why = landing_cause(landing) if landing is not None else None
    if why is not None:
        return Cause(code=why.code, text=f"{pod}: {why.text}") if named else why
    if gone.what.fate == "refused":
        return Cause(code="drain-refused", text=f"{pod}: {gone.what.why}")
    if gone.permission is not None and not gone.permission.allowed:
        return Cause(code="budget", text=f"{pod}: {budget_refuses(gone.permission)}")
    return None


def ends_unseen(silent: Sequence[Gone[Failure]]) -> str:
    """Say that pods of a silent node stay Terminating, and that kubectl waits for them.

    Args:
        silent: those pods, at least one.
    """
    nodes, one = list(dict.fromkeys(gone.node for gone in silent)), len(silent) == 1
    who, are = listed([gone.pod.key for gone in silent], most=2), "is" if len(nodes) == 1 else "are"
    stay, have, them = ("stays", "it has", "it") if one else ("stay", "they have", "them")
    text = (
        f"{listed(nodes)} {are} silent: {who} {stay} Terminating, as no kubelet says that {have} ended, and kubectl "
        f"waits for {them} until --timeout or --skip-wait-for-delete-timeout"
    )
    return text


def lands_back(again: Sequence[Gone[Failure]]) -> str:
    """Say that pods tolerate the cordon, and land on the node that they were evicted from.

    Args:
        again: those pods, at least one.
    """
    nodes = list(dict.fromkeys(gone.node for gone in again))
    verb = "tolerates" if len(again) == 1 else "tolerate"
    return (
        f"{listed([gone.pod.key for gone in again], most=2)} {verb} the cordon: what is made again may land on "
        f"{listed(nodes)}, which is not empty then"
    )


def awaits(run: DrainRun[Any], nodes: Sequence[str]) -> Iterator[str]:
    """Note which pods have no place as long as a node is cordoned, from which turn on.

    Args:
        run: the drain.
        nodes: in the order of their turns.
    """
    waiting = run.awaiting
    if waiting:
        told = [
            f"{gone.pod.key} waits from turn {nodes.index(gone.node) + 1} until {gone.awaits} is back"
            for gone in waiting
        ]
        yield f"no other node takes {'it' if len(waiting) == 1 else 'them'}: {listed(told, most=3)}"


def took_room(run: DrainRun[Any]) -> Iterator[str]:
    """Note which pods that waited before take room on nodes that are back."""
    if run.rivals:
        told = [f"{rival.pod.key} on {rival.node}" for rival in run.rivals]
        yield f"pods that wait already take room that is back: {listed(told, most=3)}"


def back_again(node: str) -> str:
    """Say that what is made for an evicted pod is on the node that is drained."""
    return f"its template names {node} (spec.nodeName): what is made again is there at once, no scheduler is asked"


def causes_of(left: Sequence[Gone[Failure]]) -> Cause | None:
    """One cause of each kind that a drain is stuck at, as each has to be lifted; the code is that of the first.

    Args:
        left: pods it is stuck at.
    """
    kinds: dict[str, Gone[Failure]] = {}
    for gone in left:
        kind = "back" if gone.back else "unmade" if gone.unmade else "homeless" if gone.number else gone.what.fate
        kinds.setdefault(kind, gone)
    told = []
    for gone in kinds.values():
        cause = cause_of(gone, named=len(kinds) > 1)
        if cause is not None:
            flag = f" ({gone.what.flags[-1]})" if gone.what.fate == "refused" else ""
            told.append(Cause(code=cause.code, text=cause.text + flag))
    return Cause(code=told[0].code, text="; ".join(cause.text for cause in told)) if told else None


def budget_says(asked: Permission) -> str:
    """What a budget allows when it is asked: ``web 1 of 2``, ``web allows 0``."""
    most = max(asked.at_first, asked.allows)  # more than at first once others are ready
    return f"{asked.budget} {asked.allows} of {most}" if most else f"{asked.budget} allows 0"


def budget_refuses(asked: Permission) -> str:
    """Say why a budget lets a pod not go."""
    if asked.several:
        return f"{len(asked.several)} budgets cover it ({', '.join(asked.several)}): no eviction works"
    if asked.without_scale:
        return f"budget {asked.budget} allows none (SyncFailed): a {asked.without_scale} has no scale to count by"
    return f"budget {asked.budget}: {asked.healthy} ready, {asked.desired} must stay"


def scale_of_budget(budget: str, kind: str) -> str:
    """Doubt a budget that counts by the scale of a kind that somebody brought."""
    return (
        f"budget {budget} counts by the scale of {kind} objects and has no status that says there is one: without, it "
        "allows no eviction (SyncFailed)"
    )


def held_back(back: BudgetHeld) -> str:
    """Note that the status of a budget allows less than its pods do."""
    return f"budget {back.budget} allows {back.recorded} by its status, {back.found} by the pods it covers"


def drain_sentence(nodes: Sequence[str], run: DrainRun[Failure], *, deleted: bool = False) -> str:
    """Write the sentence after the verdict.

    Args:
        nodes: in order.
        run: the drain.
        deleted: whether the nodes are deleted then.
    """
    left = run.left
    who = listed(list(nodes))
    if not left:
        can = "can be drained" if run.evicted else "holds nothing that a drain evicts"
        if not run.evicted:
            return f"{who} {can}"
        placed = sum(gone.landing is not None and bool(gone.landing.node) for gone in run.pods)
        then = " and deleted" if deleted else ""
        late = len(run.awaiting)
        only = f"{late:,} of them only once a node is back" if late < placed or late > 1 else "once a node is back"
        then += f": {count(run.evicted, 'pod')} evicted, {placed:,} placed again" + (f", {only}" if late else "")
        lost = [
            gone.pod.key for gone in run.pods if gone.number and (gone.what.last_try or "--force" in gone.what.flags)
        ]
        then += f", {listed(lost, most=2)} GONE" if lost else ""
        return f"{who} can be drained{then}{displaced(run.cascade)}{_broken_by(run)}"
    total = sum(gone.what.fate != "stays" for gone in run.pods)
    homeless = [gone for gone in left if gone.number and not gone.back and not gone.unmade]
    unmade = [gone for gone in left if gone.unmade]
    back = [gone for gone in left if gone.back]
    stuck = [gone for gone in left if not gone.number]
    whose = "its" if len(nodes) == 1 else "their"
    parts = []
    if homeless:
        parts.append(
            f"{len(homeless):,} of {whose} {count(total, 'pod')} would have nowhere to go, {homeless[0].pod.key}"
        )
    if unmade:
        are = "is" if len(unmade) == 1 else "are"
        parts.append(f"{len(unmade):,} of {whose} {count(total, 'pod')} {are} not made again, {unmade[0].pod.key}")
    if back:
        were = "is made there again" if len(back) == 1 else "are made there again"
        parts.append(f"{len(back):,} of {whose} {count(total, 'pod')} {were}, {back[0].pod.key}")
    if stuck:
        parts.append(f"{len(stuck):,} of {whose} {count(total, 'pod')} cannot be evicted, {stuck[0].pod.key}")
    return f"{who}: {'; '.join(parts)}{_broken_by(run)}"


def _broken_by(run: DrainRun[Any]) -> str:
    return breaking_budgets([*(gone.landing for gone in run.pods), *run.cascade])


def displaced(cascade: Sequence[TriedPod[Any]]) -> str:
    """Name pods that leave for those of the drain and find no other place: ``; shop/web-0 evicted and Pending``."""
    names = [landing.began_as for landing in cascade if not landing.node and not landing.elsewhere]
    return f"; {listed(names, most=2)} evicted and Pending" if names else ""


def kubectl_drain(nodes: Mapping[str, Collection[str]], selector: str, *, rolling: bool, delete: bool = False) -> str:
    """Write the command that drains nodes.

    Args:
        nodes: in order, each with the flags that its pods take.
        selector: of the pods; empty for all.
        rolling: each node is back before the next is drained.
        delete: the nodes are deleted; each before the next is drained if rolling.
    """
    then = "delete node" if delete else "uncordon"
    if rolling and len({frozenset(flags) for flags in nodes.values()}) > 1:
        turns = (kubectl_drain({node: flags}, selector, rolling=False) for node, flags in nodes.items())
        return " && ".join(f"{turn} && kubectl {then} {node}" for turn, node in zip(turns, nodes, strict=True))
    told = sorted(set().union(*nodes.values()), key=_FLAG_ORDER.index)
    if selector:
        told.append(f"--pod-selector '{selector}'")
    if rolling and len(nodes) == 1:
        return " ".join(["kubectl drain", *nodes, *told, f"&& kubectl {then}", *nodes])
    if rolling:
        # kubectl cordons all that it is given before it drains the first
        command = " ".join(["kubectl drain NODE", *told, f"&& kubectl {then} NODE"])
        return f"{command}, for {', then '.join(nodes)}"
    after = ["&& kubectl delete node", *nodes] if delete else []
    return " ".join(["kubectl drain", *nodes, *told, *after])


def kubectl_does(run: DrainRun[Any], command: str) -> str:
    """Say what kubectl does with a drain that does not go through.

    Args:
        run: the drain.
        command: as it would be typed after ``kubectl``.
    """
    refused = [gone for gone in run.left if gone.what.fate == "refused"]
    if refused:
        more = f", +{len(refused) - 1:,}" if refused[1:] else ""
        return f"{command} stops before the first eviction: {refused[0].pod.key}{more} ({refused[0].what.why})"
    stuck = [gone for gone in run.left if not gone.number]
    if stuck:
        before = f"evicts {count(run.evicted, 'pod')}, and " if run.evicted else ""
        return f"{command} {before}asks for {stuck[0].pod.key} again every 5 s, until --timeout"
    waits = [gone.pod.key for gone in run.pods if gone.silent]
    if waits:
        it = "it has" if len(waits) == 1 else "they have"
        return (
            f"{command} evicts {count(run.evicted, 'pod')}, and waits for {listed(waits, most=2)}, as no kubelet says "
            f"that {it} ended, until --timeout or --skip-wait-for-delete-timeout"
        )
    homeless = [gone.pod.key for gone in run.left if not gone.back and not gone.unmade]
    unmade = [gone.pod.key for gone in run.left if gone.unmade]
    back = [gone.pod.key for gone in run.left if gone.back]
    told = [f"{listed(homeless, most=2)} {'has' if len(homeless) == 1 else 'have'} no node"] if homeless else []
    told += [f"what is made for {listed(back, most=2)} runs there, cordoned or not"] if back else []
    told += [f"{listed(unmade, most=2)} {'is' if len(unmade) == 1 else 'are'} not made again"] if unmade else []
    return f"{command} ends: all are evicted, and {'; '.join(told)}"


def kubectl_loses(run: DrainRun[Any], broken: Sequence[str] = ()) -> str:
    """Say what a drain that goes through loses for good; empty for nothing.

    Args:
        run: the drain.
        broken: budgets that fall below what has to stay, as they are not asked.
    """
    lost = flags_lose([(gone.pod.key, gone.what.flags) for gone in run.pods if gone.number])
    unasked = f"--disable-eviction: {listed(list(broken), most=2)} BROKEN, no budget is asked" if broken else ""
    return "; ".join(filter(None, (lost, unasked)))


def flags_lose(going: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Say what destructive flags of a drain lose for good; empty for nothing.

    Args:
        going: pods that leave, each with the flags that it takes.
    """
    gone_for_good = [pod for pod, flags in going if "--force" in flags]
    data = [pod for pod, flags in going if "--delete-emptydir-data" in flags]
    it = "it" if len(gone_for_good) == 1 else "them"
    lose = "loses what is in its" if len(data) == 1 else "lose what is in their"
    told = [f"--force: {listed(gone_for_good, most=2)} GONE, nothing recreates {it}"] if gone_for_good else []
    told += [f"--delete-emptydir-data: {listed(data, most=2)} {lose} emptyDirs"] if data else []
    return "; ".join(told)


SKIP_WAITING = "--skip-wait-for-delete-timeout=1"
"""Flag without which kubectl waits for ever for pods of a silent node."""
_FLAG_ORDER = [
    "--ignore-daemonsets",
    "--delete-emptydir-data",
    "--force",
    "--disable-eviction",
    "--grace-period=0",
    SKIP_WAITING,
]

GREEDY = "the set is found greedily, the emptiest node first: a larger one may exist"


def cut_short(done: int, total: int) -> str:
    """Note that the search was interrupted."""
    return f"cut short: {done:,} of {count(total, 'node')} {'was' if done == 1 else 'were'} tried"


def going_sentence(going: Sequence[str], total: int, pods: int) -> str:
    """Say which of so many nodes could go, and that none of their pods has to move where that is so."""
    if not going:
        return "the one node cannot go" if total == 1 else f"none of {total:,} nodes can go"
    alone = "" if len(going) == 1 else " together"
    which = f"{len(going):,} of {count(total, 'node')} could go{alone}: {listed(list(going))}"
    return which if pods else f"{which}; no pod on {'it' if len(going) == 1 else 'them'} has to move"


def none_is_left(waiting: int) -> str:
    """Note that all nodes of a cluster could go, and what that means for the pods that wait."""
    them = f": {count(waiting, 'pod')} that wait{'s' if waiting == 1 else ''} could run nowhere" if waiting else ""
    return f"no node would be left{them}"


def stays_because(node: str, why: str) -> str:
    """Say why a node stays."""
    return f"{node} stays: {why}"


def drain_clock_text(clock: DrainClock) -> str:
    """Say how long a drain takes, as far as specs tell; empty where they tell nothing of their own."""
    waits = clock.waves > 1 and clock.ready > 0
    of = listed(list(clock.attached), most=2)
    volumes = f"until volumes of {of} are detached and attached again is not known" if clock.attached else ""
    if not (clock.written or waits):
        return f"how long it takes {volumes}" if volumes else ""
    parts = [f"pods have up to {clock.grace:,} s to end"]
    if clock.waves > 1:
        after = f", {clock.ready:,} s after they start" if clock.ready else ""
        parts.append(
            f"budget {clock.budget} lets them go in {clock.waves:,} turns, each once those before are ready{after}"
        )
    if volumes:
        parts.append(f"how long it takes {volumes}")
    return f"it takes {span_text(clock.span)}: {'; '.join(parts)}"
