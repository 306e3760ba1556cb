"""Showing: which pods would be bound where, what is written beside, and whether anything stands against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from kplan.bind.digest import node_fields, pod_fields
from kplan.bind.flags import Flags
from kplan.bind.leases import DEFAULT_NAME, Responsible
from kplan.cluster import PodInfo
from kplan.framework.codes import Point
from kplan.pipeline import Pipeline, Planner
from kplan.plugins.shared.claims import claim_uses
from kplan.result import EventKind, Outcome
from kplan.result.document import API_VERSION, Cause, Doubt, Origin
from kplan.result.document_bind import (
    BindClaim,
    BindGuard,
    BindPlan,
    BindPod,
    BindTarget,
    BindTotals,
    BindVictim,
)
from kplan.studies.context import Context
from kplan.studies.doubts import pod_doubts
from kplan.studies.explain import explain_pod
from kplan.studies.preempting import budgets_of
from kplan.studies.words import count, listed

CONFIG_DOUBT = "scheduler-config-assumed"


@dataclass(frozen=True)
class Asked:
    """What is to be shown.

    Attributes:
        pods: pods in question, in the order in which they are tried.
        create: pods of manifests that are not there, as they are created, by ``namespace/name``.
        named: whether the user named each pod, instead of a namespace or labels.
        responsible: who answers for each schedulerName; empty for a snapshot, where that cannot be known.
        permit: profiles with Permit plugins that kplan does not model, and their names.
        doubts: about version and configuration.
        origin: where the state is from.
        cluster: the cluster.
        command: the command so far, for what to run next.
    """

    pods: Sequence[PodInfo]
    origin: Origin
    cluster: BindTarget
    create: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    named: bool = True
    responsible: Mapping[str, Responsible] = field(default_factory=dict)
    permit: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = "kplan bind"


def with_profiles(pipelines: Mapping[str, Pipeline], names: Iterable[str]) -> dict[str, Pipeline]:
    """Give schedulerNames without a profile the rules of the default one: kplan is their scheduler."""
    made = dict(pipelines)
    base = made.get(DEFAULT_NAME) or next(iter(made.values()))
    for name in sorted(set(names) - set(made)):
        made[name] = replace(base, profile=replace(base.profile, scheduler_name=name))
    return made


def show(planner: Planner, asked: Asked, flags: Flags, guards: Sequence[BindGuard] = ()) -> BindPlan:
    """Plan the pods and hold the plan against what the flags allow.

    Args:
        planner: planner over the cluster, which is changed.
        asked: what is to be shown.
        flags: what may be done.
        guards: what else was looked at.
    """
    shown = list(_pods(planner, asked, flags))
    left = [pod for pod in asked.pods if _left_alone(pod, asked, flags)]
    notes = [*asked.notes]
    if left:
        notes.append(
            f"{count(len(left), 'pod')} left to the live scheduler (--take-over): {listed([p.key for p in left])}"
        )
    cut = len(asked.pods) - len(left) - len(shown)
    if cut:
        notes.append(f"{count(cut, 'more pod')} beyond --max-pods {flags.max_pods}: not looked at")
    return document(shown, asked, flags, guards, notes)


def _left_alone(pod: PodInfo, asked: Asked, flags: Flags) -> bool:
    """Whether a pod that was not named is a live scheduler's."""
    found = asked.responsible.get(pod.scheduler_name)
    return not asked.named and found is not None and found.live and not flags.take_over


def _pods(planner: Planner, asked: Asked, flags: Flags) -> Iterator[BindPod]:
    told: dict[str, Cause] = {}
    bound = 0
    for pod in asked.pods:
        if _left_alone(pod, asked, flags):
            continue
        if flags.max_pods and bound >= flags.max_pods:
            return
        shown = _pod(planner, pod, asked, told)
        bound += shown.result == "bind"
        yield shown


def _pod(planner: Planner, pod: PodInfo, asked: Asked, told: dict[str, Cause]) -> BindPod:
    refused = _refused(planner, pod, asked)
    about = BindPod(
        pod=pod.key,
        result="refused",
        uid="" if pod.key in asked.create else pod.pod.metadata.uid or "",
        resource_version=pod.pod.metadata.resource_version or "",
        scheduler=pod.scheduler_name,
        because=refused,
    )
    if refused is not None:
        return about
    fields = pod_fields(pod.pod) if pod.key not in asked.create else {}
    event = planner.step(pod)
    outcome = event.outcome
    last = outcome.preempted.then if outcome.preempted is not None else outcome
    if last.placement is None:
        cause = _cause(planner, pod, outcome, last, told)
        result = {EventKind.GATED: "gated", EventKind.FAILED: "failed"}.get(event.kind, "pending")
        return msgspec.structs.replace(about, result=result, because=cause, message=last.fit_error or last.error)
    if last.permit is not None:
        text = f"plugin {last.permit.plugin} holds it at Permit: {', '.join(last.permit.reasons)}"
        return msgspec.structs.replace(about, because=Cause(code="permit", text=text))
    cluster = planner.cluster
    node = cluster.nodes[last.placement.node]
    verdict = "PREEMPTS" if outcome.preempted is not None else "FITS"
    tie = len(last.scores.best) if last.scores is not None and last.nominated_first < 0 else 0
    return msgspec.structs.replace(
        about,
        result="bind",
        node=node.name,
        node_uid=node.metadata.uid or "",
        fields=fields,
        node_fields=node_fields(node),
        claims=tuple(_claims(planner, pod, last.placement.volumes)),
        evicts=tuple(_victims(planner, outcome)),
        clears=tuple(cluster.pods[row].key for row in outcome.preempted.cleared) if outcome.preempted else (),
        tie=tie if tie > 1 else 0,
        doubts=tuple(pod_doubts(pod, cluster.state.completeness, verdict, frozenset())),
        create=asked.create.get(pod.key),
    )


def _refused(planner: Planner, pod: PodInfo, asked: Asked) -> Cause | None:
    """Why kplan does not bind a pod, whatever the flags."""
    spec = pod.pod.spec
    if pod.pod.status.phase in ("Succeeded", "Failed"):
        return Cause(code="ended", text=f"it has ended ({pod.pod.status.phase})")
    if pod.bound:
        return Cause(code="bound-already", text=f"it is bound to {spec.node_name} already")
    if pod.terminating:
        return Cause(code="pod-deleted", text="it is being deleted")
    if spec.resource_claims:
        return Cause(code="devices-not-modelled", text="it has resource claims, and devices are not modelled yet")
    if spec.scheduling_group is not None or spec.workload_ref is not None:
        return Cause(
            code="pod-group-not-modelled", text="it belongs to a pod group: Permit would hold it for the others"
        )
    names = asked.permit.get(pod.scheduler_name, ())
    known = [plugin.name for plugin in planner.pipelines[pod.scheduler_name].at(Point.PERMIT)]
    names = (*names, *(name for name in known if name != "GangScheduling"))
    if names:
        text = f"its profile {pod.scheduler_name} has Permit plugins, which kplan does not run: {', '.join(names)}"
        return Cause(code="permit", text=text)
    return None


def _cause(planner: Planner, pod: PodInfo, outcome: Outcome, last: Outcome, told: dict[str, Cause]) -> Cause:
    """Tell why a pod is not bound; pods with the same message are told once."""
    found = last.preemption
    if found is not None and found.picks and not outcome.preempted:
        victims = [planner.cluster.pods[row].key for row in found.candidates[found.picks[0]].pods]
        node = planner.cluster.node_name(found.picks[0])
        text = f"it fits {node} only after evicting {count(len(victims), 'pod')} ({listed(victims)}): --preempt"
        return Cause(code="needs-preemption", text=text)
    key = last.fit_error or last.error or str(last.pre_enqueue)
    if key not in told:
        everything, planner.everything = planner.everything, True
        try:
            answer = explain_pod(Context(planner, _NOWHERE, brief=True), pod)
        finally:
            planner.everything = everything
        told[key] = answer.because or Cause(code="unknown", text=key)
    return told[key]


_NOWHERE = Origin(source="", nodes=0, pods=0, k8s_version="", how="", rules="")


def _claims(planner: Planner, pod: PodInfo, volumes: Mapping[str, str]) -> Iterator[BindClaim]:
    """Claims that are written to, static ones first; as they were read."""
    state = planner.cluster.state
    claims = {claim.key: claim for claim in state.persistent_volume_claims}
    there = {volume.name: volume for volume in state.persistent_volumes}
    keys = dict.fromkeys(use.key for use in claim_uses(pod.pod))
    for key in sorted(keys, key=lambda key: not volumes.get(key.partition("/")[2])):
        name = key.partition("/")[2]
        if name not in volumes or key not in claims:
            continue
        meta = claims[key].metadata
        volume = there.get(volumes[name])
        yield BindClaim(
            claim=key,
            uid=meta.uid or "",
            resource_version=meta.resource_version or "",
            volume=volumes[name],
            volume_uid=(volume.metadata.uid or "") if volume is not None else "",
        )


def _victims(planner: Planner, outcome: Outcome) -> Iterator[BindVictim]:
    if outcome.preempted is None:
        return
    for row in outcome.preempted.victims:
        pod = planner.cluster.pods[row]
        budgets = [one.name for one in budgets_of(planner.cluster, pod) if not one.status.disruptions_allowed]
        budget = budgets[0] if budgets else ""
        yield BindVictim(pod=pod.key, uid=pod.pod.metadata.uid or "", priority=pod.priority, budget=budget)


def document(
    shown: Sequence[BindPod], asked: Asked, flags: Flags, guards: Sequence[BindGuard], notes: Sequence[str] = ()
) -> BindPlan:
    """Make the document of a plan."""
    bound = [pod for pod in shown if pod.result == "bind"]
    doubts = _doubts(bound, asked)
    looked = (*_scheduler_guard(bound, asked, flags), *guards, *_own_guards(bound, doubts, flags))
    order = ("age", "scheduler", "doubts", "creates", "rights", "dry run", "evicts")
    looked = tuple(sorted(looked, key=lambda guard: order.index(guard.name)))
    against = [guard for guard in looked if guard.state in ("needs", "no")]
    verdict = "NOTHING" if not bound else "REFUSED" if against else "READY"
    first = next((pod for pod in shown if pod.result != "bind"), None)
    because = None
    if verdict == "REFUSED":
        needs = [f"{guard.flag}: {guard.text}" if guard.flag else guard.text for guard in against]
        because = Cause(code="flags-needed" if all(g.flag for g in against) else "refused", text="; ".join(needs))
    elif first is not None and first.because is not None:
        because = Cause(code=first.because.code, text=_about(first))
    return BindPlan(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=_sentence(len(bound), len(shown), verdict),
        totals=totals(shown),
        pods=tuple(shown),
        guards=looked,
        cluster=asked.cluster,
        origin=asked.origin,
        because=because,
        attempt=_attempt(verdict, asked.command, against),
        doubts=doubts,
        notes=tuple(notes),
    )


def _about(pod: BindPod) -> str:
    text = pod.because.text if pod.because is not None else pod.message
    return f"{pod.pod}: {text}"


def _sentence(bound: int, pods: int, verdict: str) -> str:
    if not pods:
        return "no pod waits there; nothing was written"
    of = f"{bound:,} of {count(pods, 'pod')}"
    if verdict == "REFUSED":
        return f"{of} would be bound, but not with these flags; nothing was written"
    return f"{of} would be bound; nothing was written"


def _attempt(verdict: str, command: str, against: Sequence[BindGuard]) -> str:
    if verdict == "NOTHING" or any(not guard.flag for guard in against):
        return ""
    flags = "".join(f" {guard.flag}" for guard in against)
    return f"{command}{flags} --apply"


def totals(shown: Sequence[BindPod]) -> BindTotals:
    """Count the writes of a plan."""
    bound = [pod for pod in shown if pod.result == "bind"]
    claims = [claim for pod in bound for claim in pod.claims]
    return BindTotals(
        pods=len(shown),
        bindings=len(bound),
        claims=sum(1 for claim in claims if not claim.volume),
        volumes=sum(1 for claim in claims if claim.volume),
        evictions=sum(len(pod.evicts) for pod in bound),
        creations=sum(1 for pod in bound if pod.create is not None),
    )


def _doubts(bound: Sequence[BindPod], asked: Asked) -> tuple[Doubt, ...]:
    """Doubts that touch a pod that is bound; how the cluster's own scheduler is configured touches only its pods."""
    own = any(_is_own(pod.scheduler, asked) for pod in bound)
    general = [doubt for doubt in asked.doubts if doubt.code != CONFIG_DOUBT or own]
    found = [*(general if bound else []), *(doubt for pod in bound for doubt in pod.doubts)]
    return tuple(dict.fromkeys(found))


def _is_own(name: str, asked: Asked) -> bool:
    return name == DEFAULT_NAME or (name in asked.responsible and asked.responsible[name].live)


def _scheduler_guard(bound: Sequence[BindPod], asked: Asked, flags: Flags) -> Iterator[BindGuard]:
    for name in dict.fromkeys(pod.scheduler for pod in bound):
        found = asked.responsible.get(name)
        who = f"schedulerName {name}"
        if found is None:
            yield BindGuard(name="scheduler", state="--", text=f"{who}: not looked for in a snapshot")
        elif not found.live:
            yield BindGuard(name="scheduler", state="ok", text=f"{who}; {found.text}")
        elif flags.take_over:
            yield BindGuard(name="scheduler", state="ok", text=f"{who} is taken over; {found.text}")
        else:
            text = f"a live scheduler answers for {who}: {found.text}"
            yield BindGuard(name="scheduler", state="needs", text=text, flag="--take-over")


def _own_guards(bound: Sequence[BindPod], doubts: Sequence[Doubt], flags: Flags) -> Iterator[BindGuard]:
    for doubt in doubts:
        accepted = flags.accepts(doubt.code)
        state, flag = ("ok", "") if accepted else ("needs", f"--accept-doubt {doubt.code}")
        yield BindGuard(name="doubts", state=state, text=f"{doubt.text}{' (accepted)' if accepted else ''}", flag=flag)
    made = [pod.pod for pod in bound if pod.create is not None]
    if made:
        text = f"{count(len(made), 'pod')} of manifests not there: {listed(made)}"
        state, flag = ("ok", "") if flags.create else ("needs", "--create")
        yield BindGuard(name="creates", state=state, text=text, flag=flag)
    victims = [victim.pod for pod in bound for victim in pod.evicts]
    if not victims:
        yield BindGuard(name="evicts", state="ok", text="nothing")
    else:
        state, flag = ("ok", "") if flags.preempt else ("needs", "--preempt")
        yield BindGuard(name="evicts", state=state, text=f"{count(len(victims), 'pod')}: {listed(victims)}", flag=flag)
