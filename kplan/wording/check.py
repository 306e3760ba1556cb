"""Words of a check: what is wrong with each object, how each rule fares, and what of the state is in doubt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from kplan.result.document_base import BrokenBudget
from kplan.result.document_check import CheckedObject, Finding
from kplan.result.document_plan import Expanded, QuotaRow, RolloutPlan
from kplan.result.document_whatif import WhatIfStep
from kplan.wording.preempting import breaks
from kplan.words import amounts, count, every, joined, listed

IN_BASELINE = "in the baseline already"
"""Why a finding that the baseline has does not count."""
NO_WORSE = "just as bad without the change"
"""Why a finding does not count that the cluster has without the manifests."""
OVER_AT_THE_PEAK = "a quota holds its rollout up"
EVICTIONS_UNMINDED = "preemption is allowed (--no-preemption forbids it)"
A_WARNING = "a warning"
CAREFUL = "advice only"
NOTHING_OWNS_IT = "nothing owns it, so it does not come back"
_CHANGES = 2
"""Fields of a changed object that are told."""
_DOMAINS = 3
"""Zones or nodes that are named."""


def percent(share: Fraction) -> str:
    """``20%``, ``12.5%``."""
    return f"{float(share * 100):g}%"


def over_at_the_peak(rollout: RolloutPlan) -> str:
    """Say that a rollout goes through, and a quota has no room for its surge."""
    wait = "waits" if rollout.waited == 1 else "wait"
    return f"{count(rollout.waited, 'pod')} of its rollout {wait} until a quota has room: the peak is over it"


def span(seconds: int) -> str:
    """Write a time in its largest unit that says enough: ``26 hours``, ``3 days``."""
    for unit, size, least in (("day", 86400, 2), ("hour", 3600, 1), ("minute", 60, 1)):
        if seconds >= size * least:
            return count(seconds // size, unit)
    return count(seconds, "second")


# --- what it came to


def sentence(objects: Sequence[CheckedObject], findings: Sequence[Finding]) -> str:
    """Write the sentence after the verdict."""
    failed = [item for item in objects if item.status == "fail"]
    counted = {finding.rule for finding in findings if finding.counted}
    same = sum(1 for finding in findings if not finding.counted and finding.on_main)
    what = count(len(objects), "object")
    if len(objects) == 1 and (failed or not counted):
        text = f"{objects[0].object} {'fails' if failed else 'passes'}"
    elif failed:
        verb = "fails" if len(failed) == 1 else "fail"
        text = f"{len(failed)} of {what} {verb}: {listed([item.object for item in failed])}"
    elif counted:
        are = "is" if len(counted) == 1 else "are"
        text = f"{what} {'passes' if len(objects) == 1 else 'pass'}, but {joined(sorted(counted))} {are} broken"
    elif not objects:
        text = "the manifests bring nothing that runs"
    elif unknown := sum(item.status == "unknown" for item in objects):
        known = len(objects) - unknown
        text = f"{known:,} of {what} pass{'es' * (known == 1)}, {unknown:,} unknown"
    else:
        text = f"{every(len(objects), 'object')} pass"
    return f"{text}; {count(same, 'old finding')}, not counted" if same and not counted else text


def change(item: Expanded, pods: int, told: Sequence[str]) -> str:
    """Say what the manifest changes of an object.

    Args:
        item: what the manifest came to.
        pods: how many it makes.
        told: what changes, in phrases.
    """
    if item.refused:
        return f"{count(item.refused_pods, 'pod')} refused" if item.refused_pods else "refused"
    if not item.expanded:
        return "not expanded"
    told = told if item.verdict in ("changed", "scaled") else ()
    short = ", ".join(told[:_CHANGES]) + (", ..." if len(told) > _CHANGES else "")
    if item.verdict == "changed" and short:
        return short
    made = count(pods, "pod") if pods else ""
    return ", ".join(part for part in (item.verdict or "new", short or made) if part)


def fate(nodes: Sequence[str], gated: int, *, unchanged: bool, idle: bool) -> Iterator[str]:
    """Say what becomes of the pods of an object that does not fail.

    Args:
        nodes: where they go.
        gated: how many are gated.
        unchanged: whether the manifest changes nothing.
        idle: whether no pod was to be placed.
    """
    if idle:
        yield "as it runs" if unchanged else "no pod to place"
        return
    if nodes:
        yield f"placed: {listed(nodes)}"
    if gated:
        yield f"{count(gated, 'pod')} gated"


# --- what is wrong with one object


def stalls(rollout: RolloutPlan) -> str:
    """Title of an object whose pods are not all made or replaced."""
    return f"{'rollout stalls' if rollout.strategy else 'stalls'} at {rollout.done} of {rollout.wanted}"


def do_not_fit(failed: int, pods: int) -> str:
    """Title of an object some or all of whose pods fit no node."""
    if pods == 1:
        return "its pod fits no node"
    if failed == pods:
        return f"none of {pods} pods fits"
    return f"{failed} of {pods} pods {'does' if failed == 1 else 'do'} not fit"


def refused_by(pods: int, who: str) -> str:
    """Title of an object, or of some of its pods, that are refused.

    Args:
        pods: how many of its pods; 0 for the object itself.
        who: as ``Expanded.refused_by``.
    """
    what = f"{count(pods, 'pod')} of it" if pods else "it"
    if who == "kubelet":
        return f"{what} {'does' if pods == 1 else 'do'} not run on the node {'it names' if pods == 1 else 'they name'}"
    return f"{'a quota' if who == 'quota' else 'the API server'} refuses {what}"


def left_pending(pods: int) -> str:
    """Title of pods that were evicted for an object and find no new place."""
    return f"{count(pods, 'evicted pod')} {'finds' if pods == 1 else 'find'} no new place"


def left_pending_text(names: Sequence[str], item: str, why: str) -> str:
    """Name such pods, and say why the first finds none."""
    return f"{listed(names)}, evicted for {item}: {why}"


def evicts(pods: int, allowed: int | None = None, broken: Sequence[BrokenBudget] = ()) -> str:
    """Title of an object that evicts pods, with the budgets that this breaks."""
    told = [f"{allowed} allowed"] if allowed is not None else []
    told += [against] if (against := breaks(broken)) else []
    return ", ".join([f"evicts {count(pods, 'pod')}", *told])


def placed_by_evicting(item: str, pods: Sequence[str], down: str, broken: Sequence[BrokenBudget] = ()) -> str:
    """Say which pods an object evicts, which budgets that breaks, and whom it leaves without a ready pod."""
    against = breaks(broken)
    placed = f"{item} is placed by evicting {listed(pods)}" + (f", which {against}" if against else "")
    return "; ".join(filter(None, (placed, down)))


def unexpected(number: int, step: WhatIfStep) -> tuple[str, str]:
    """Name a step that is not as a scenario expects, and give its title."""
    return f"{step.name or step.step}, step {number}", "not as expected"


# --- rules of the policy


def wanted(
    *,
    zones: int,
    preemption: bool,
    victims: int | None,
    headroom: Fraction | None,
    survive: Collection[str],
    quota: bool,
) -> Mapping[str, str]:
    """Say what each rule asks for, by the name of the rule.

    Args:
        zones: that replicas must be in; 0 if that is not asked.
        preemption: whether anything may be evicted.
        victims: how many pods may be; None if that is not asked.
        headroom: share that has to stay free; None if that is not asked.
        survive: kinds of domains whose loss must be survived.
        quota: whether quotas count.
    """
    asked: dict[str, str] = {}
    if zones:
        asked["require-zones"] = f"replicas in {count(zones, 'zone')} or more"
    if not preemption:
        asked["no-preemption"] = "nothing is evicted"
    if victims is not None:
        asked["max-victims"] = f"at most {count(victims, 'pod')} evicted"
    if headroom is not None:
        asked["headroom"] = f"{percent(headroom)} of cpu and memory stay free"
    for kind in survive:
        asked[f"survive-{kind}"] = f"survive the loss of any {kind}"
    if quota:
        asked["quota"] = "no quota refuses anything"
    return asked


def fares(counted: Sequence[str], same: Mapping[str, Sequence[str]]) -> str:
    """Name what breaks a rule, and by the reason what breaks it but does not count."""
    uncounted = (f"{why}: {listed(names)}" for why, names in same.items())
    return "; ".join(filter(None, (listed(counted), *uncounted)))


def quota_rows(quotas: Sequence[QuotaRow]) -> str:
    """Say how much of each quota is used at most."""
    return ", ".join(f"{row.quota} {row.resource} {row.peak} of {row.hard}" for row in quotas)


def too_many_evicted(total: int, allowed: int, worst: str) -> str:
    """Say that more pods are evicted than may be."""
    return f"{count(total, 'pod')} would be evicted, {allowed} may be; most for {worst}"


def zones_title(there: int, needs: int) -> str:
    """Title of an object whose pods are in too few zones."""
    return f"in {count(there, 'zone')}, {needs} required"


def in_too_few_zones(item: str, pods: int, there: Sequence[str], needs: int) -> str:
    """Say in which zones the pods of an object are, and in how many they must be."""
    where = f"only in {listed(there)}" if there else "in no zone that a label names"
    if pods > 1:
        return f"the {pods} pods of {item} must be in {count(needs, 'zone')} and are {where}"
    return f"the pod of {item} must be in a zone and is {where}"


def free_share(free: int, there: int) -> str:
    """Share that is free, to a tenth of a per cent."""
    return percent(Fraction(round(Fraction(free, there) * 1000), 1000)) if there else "0%"


def headroom_text(pool: str, resource: str, free: int, there: int, was: int, share: Fraction) -> str:
    """Say how much of a resource stays free, how much must, and how much was free before."""
    free_text, there_text, was_text = amounts(resource, free, there, was)
    return (
        f"{pool}: {free_text} of {there_text} {resource} stay free ({free_share(free, there)}), {percent(share)} must; "
        f"{was_text} without the manifests"
    )


def loss_title(domains: Sequence[str]) -> str:
    """Title of an object that does not survive a loss."""
    return f"does not survive the loss of {listed(domains, most=_DOMAINS)}"


def loss_text(domain: str, owner: str, pods: int, missing: int, cause: str) -> str:
    """Say how many pods of an owner find no place without a domain, and why."""
    if owner.startswith("pod/"):
        return f"without {domain}, {owner} is lost: {cause}"
    if pods == 1:
        who = f"the pod of {owner} there finds"
    else:
        whole = f"{missing} of the {pods}" if missing < pods else every(pods)
        who = f"{whole} pods of {owner} there {'finds' if missing == 1 else 'find'}"
    return f"without {domain}, {who} no place: {cause}"


# --- doubts


NO_ZONES = "no node has a zone label: rules about zones have nothing to go by"
NO_QUOTAS = "the source holds no resourcequotas: none refuses anything"
AGE_UNKNOWN = "the snapshot does not say when it was taken"


def too_old(age: int, most: int) -> str:
    """Say that a snapshot is older than it may be [seconds]."""
    return f"the snapshot is {span(age)} old, and the limit is {span(most)}: take a new one"


def other_scheduler(item: str) -> str:
    """Say that nobody here schedules the pods of an object."""
    return f"{item}: no profile here has the schedulerName of its pods"


UNKNOWN = "what it makes is unknown"
"""Result of an object of a kind that kplan does not know; the doubt says more."""


def taken_on_trust(item: str, about: str) -> str:
    """Doubt an object of another project's kind, that is passed over unless ``--strict-kinds`` is given."""
    return f"{item} is assumed to make no pods: it is about {about} (--strict-kinds)"


def no_value(*, bare: bool) -> str:
    """Say of a value of a rule that it is none; ``bare``: it is a number that lacks its unit."""
    return "needs a unit" if bare else "is not one of its values"


def no_such_doubt(code: str, close: Sequence[str]) -> str:
    """Say that no doubt has a code, and which may be meant."""
    if close:
        hint = f"did you mean {'one of: ' if len(close) > 1 else ''}{', '.join(close)}?"
    else:
        hint = "kplan check prints the code after each doubt, as in --allow-doubt no-pods"
    return f"no doubt has the code {code}: {hint}"
