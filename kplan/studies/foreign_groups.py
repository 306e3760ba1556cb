"""Groups that kube-scheduler does not know, as a what-if: whether all of one fit at once, had it its turn now."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from kplan.admission.controllers.gangs import Decider, Gang, gang_of, least_of
from kplan.cluster import PodInfo
from kplan.cluster.pods import DEFAULT_SCHEDULER
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.remedies.many import attempt
from kplan.result.document_group import GroupPlan
from kplan.studies.fitting import fits_at_once
from kplan.wording.attempts import fits_text
from kplan.wording.how_to import fitting_how_to
from kplan.wording.pod_groups import elsewhere_doubt, lent_doubt, what_if_text

MOST = 12
"""Groups that are asked about."""


def foreign_groups(planner: Planner) -> tuple[GroupPlan, ...]:
    """Ask about each group of which pods wait, against the cluster as it is; the cluster is as before.

    Pods of schedulers that kplan has no rules of are tried by those of the default scheduler.
    """
    waits: dict[Gang, list[PodInfo]] = {}
    for pod in planner.cluster.pods:
        gang = _gang(planner, pod) if pod.waiting else None
        if gang is not None and planner.cluster.nodes:
            waits.setdefault(gang, []).append(pod)
    if not waits:
        return ()
    runs = Counter(_gang(planner, pod) for pod in planner.cluster.pods if pod.bound)
    asked = [(gang, pods) for gang, pods in waits.items() if len(pods) + runs[gang] > 1]
    return tuple(_plan(planner, gang, pods, runs[gang]) for gang, pods in asked[:MOST])


def lent(planner: Planner, pods: Sequence[PodInfo]) -> Planner:
    """A planner that asks the default scheduler's rules about pods of groups whose scheduler kplan has no rules of.

    Args:
        planner: the planner.
        pods: those that are asked about; of one that is in no such group nothing is lent.
    """
    default = planner.pipelines.get(DEFAULT_SCHEDULER) or next(iter(planner.pipelines.values()))
    strangers = [pod for pod in pods if pod.scheduler_name not in planner.pipelines and _gang(planner, pod) is not None]
    if not strangers:
        return planner
    names = {pod.scheduler_name: default for pod in strangers}
    return dataclasses.replace(planner, pipelines={**planner.pipelines, **names})


def lent_rules(planner: Planner, pod: PodInfo) -> Iterator[Doubt]:
    """Doubt that a pod is judged by the rules of another scheduler than its own."""
    profile = planner.pipelines[pod.scheduler_name].profile.scheduler_name
    if profile != pod.scheduler_name:
        yield Doubt(code="other-scheduler", text=lent_doubt(pod.scheduler_name, profile))


def foreign_group(planner: Planner, pod: PodInfo) -> GroupPlan | None:
    """Ask about the group of one waiting pod; None where there is no other pod of one."""
    gang = _gang(planner, pod)
    if gang is None or not planner.cluster.nodes:
        return None
    others = [other for other in planner.cluster.pods if _gang(planner, other) == gang]
    waits, runs = [other for other in others if other.waiting], sum(other.bound for other in others)
    return _plan(planner, gang, waits, runs) if len(waits) + runs > 1 else None


def _gang(planner: Planner, pod: PodInfo) -> Gang | None:
    return gang_of(pod.pod, planner.cluster.objects.table("jobs"))


def _plan(planner: Planner, gang: Gang, pods: Sequence[PodInfo], runs: int) -> GroupPlan:
    cluster = planner.cluster
    default = planner.pipelines.get(DEFAULT_SCHEDULER) or next(iter(planner.pipelines.values()))
    known = {pod.scheduler_name: default for pod in pods} | dict(planner.pipelines)
    trying = dataclasses.replace(planner, pipelines=known, everything=False, together=None)
    blocked = fits_at_once(trying, pods)
    on: dict[str, int] = {}
    for node in blocked.on.values():
        on[cluster.node_name(node)] = on.get(cluster.node_name(node), 0) + 1
    who = blocked.pod.key if blocked.pod is not None else ""
    there = [pod for pod in cluster.pods if pod.bound and not pod.gone and _gang(planner, pod) == gang]
    least = least_of((pod.pod for pod in pods), gang, cluster.objects.table)
    starting = [pod.pod for pod in (*(cluster.pods[row] for row in blocked.on), *there)]
    enough = min(least.pods, len(pods) + runs)
    will_do = bool(least.pods) and least.met(starting)
    tried = attempt(trying, pods, blocked.on, blocked.pod) if blocked.pod is not None else None
    return GroupPlan(
        group=gang.name,
        result="does-not-fit" if (who and not will_do) or least.pods > len(pods) + runs else "fits",
        text=what_if_text(
            len(pods),
            runs,
            on,
            blocked.fits,
            who,
            gang.decider.value,
            least=least.pods,
            tasks=least.tasks,
            enough=will_do,
        ),
        pods=len(pods),
        wanted=max(enough - runs, 0) if least.pods else len(pods),
        fits=blocked.fits,
        blocked_by=who,
        because=blocked.cause,
        holds=on,
        attempt=fits_text(tried),
        how_to=fitting_how_to(tried, blocked.pod),
        decided_by=gang.decider.value,
    )


def elsewhere(plans: Sequence[GroupPlan]) -> Iterator[Doubt]:
    """Doubts that others decide about groups."""
    for decider in (Decider.VOLCANO, Decider.KUEUE, Decider.COSCHEDULING):
        names = [plan.group for plan in plans if plan.decided_by == decider.value]
        if names:
            yield Doubt(code="group-elsewhere", text=elsewhere_doubt(names, decider.value))
