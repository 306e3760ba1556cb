"""Showing: which pods would be bound where, what is written beside, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct, field

from kplan.bind.flags import Flags
from kplan.bind.plan.devices import device_claims
from kplan.bind.plan.fields import node_fields, planned_fields, pod_fields
from kplan.bind.plan.groups import evicting, not_bound_as_one, of_group, whole, with_nodes
from kplan.bind.plan.manifests import Planned
from kplan.bind.plan.profiles import held
from kplan.bind.wire.leases import Responsible
from kplan.cluster import PodInfo
from kplan.course.readiness.serving import Serving
from kplan.course.trial.alike import template_likeness
from kplan.framework.args import Extender
from kplan.pipeline import Planner
from kplan.plugins.shared.budgets import budgets_of
from kplan.plugins.shared.claims import claim_uses
from kplan.result import EventKind, Outcome
from kplan.result.document_base import Cause, Origin
from kplan.result.document_bind import BindClaim, BindPod, BindVictim
from kplan.scenario.budgets import healthy
from kplan.studies.context import Context
from kplan.studies.doubts import pod_doubts
from kplan.studies.explain import explain_pod
from kplan.studies.racing import told_races
from kplan.wording.attempts import workload_text
from kplan.wording.not_tried import AGAIN, not_tried_doubt
from kplan.words import count, listed

_with = msgspec.structs.replace


class Asked(Struct, frozen=True):
    """Which pods are planned, and what is known of them.

    Attributes:
        pods: pods in question, in the order in which they are tried.
        planned: how those come about that are not there yet, by ``namespace/name``.
        named: whether the user named each pod, instead of a namespace or labels.
        responsible: who answers for each schedulerName; empty for a snapshot, where that cannot be known.
        permit: profiles with Permit plugins that kplan does not model, and their names.
        extenders: of the scheduler's configuration.
    """

    pods: Sequence[PodInfo]
    planned: Mapping[str, Planned] = field(default_factory=dict)
    named: bool = True
    responsible: Mapping[str, Responsible] = field(default_factory=dict)
    permit: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extenders: tuple[Extender, ...] = ()
    spent: Counter[str] = field(default_factory=Counter)
    """Evictions of the plan so far that each budget has to allow."""


def show(planner: Planner, asked: Asked, flags: Flags) -> tuple[list[BindPod], list[str]]:
    """Plan pods one after another; returns what would become of each, and notes about those that are left out.

    Args:
        planner: planner over the cluster, which is changed.
        asked: which pods.
        flags: what may be done.
    """
    before = with_nodes(planner.cluster)
    shown = whole(planner, _pods(planner, asked, flags), before)
    left = [pod.key for pod in asked.pods if _left_alone(pod, asked, flags)]
    rest = planner.cluster.work.left and len(asked.pods) - len(left) - len(shown)
    notes = [not_tried_doubt(rest, len(shown), ask=AGAIN).text] if rest else []
    if left:
        notes.append(f"{count(len(left), 'pod')} left to the live scheduler (--take-over): {listed(left)}")
    cut = len(asked.pods) - len(left) - len(shown) - rest
    if cut:
        notes.append(f"{count(cut, 'more pod')} beyond --max-pods {flags.max_pods}: not looked at")
    cluster = planner.cluster
    notes += told_races(planner, ((cluster.pods[cluster.pod_index[pod.pod]], pod.node) for pod in shown if pod.node))
    return shown, notes


def _left_alone(pod: PodInfo, asked: Asked, flags: Flags) -> bool:
    """Whether a pod that was not named is a live scheduler's."""
    verdict = asked.responsible.get(pod.scheduler_name)
    return not asked.named and verdict is not None and verdict.live and not flags.take_over


def _pods(planner: Planner, asked: Asked, flags: Flags) -> Iterator[BindPod]:
    told: dict[object, Cause] = {}
    bound: set[str] = set()
    for pod in asked.pods:
        if _left_alone(pod, asked, flags):
            continue
        if flags.max_pods and len(bound) >= flags.max_pods:
            return
        planned = asked.planned.get(pod.key)
        if planned is not None and planned.after and planned.after not in bound:
            text = f"{planned.owner} makes it only once {planned.after} is ready"
            yield _with(_about(pod, planned), result="pending", because=Cause(code="made-later", text=text))
            continue
        shown = _pod(planner, pod, asked, told)
        if planner.cluster.work.left:  # what is behind it may want what it would have taken
            return
        if shown.result == "bind":
            bound.add(pod.key)
        yield shown


def _about(pod: PodInfo, planned: Planned | None) -> BindPod:
    """What is told of a pod whatever becomes of it."""
    about = BindPod(pod=pod.key, result="refused", scheduler=pod.scheduler_name)
    if planned is None:
        meta = pod.pod.metadata
        return _with(about, uid=meta.uid or "", resource_version=meta.resource_version or "")
    return _with(about, create=planned.create, owner=planned.owner, slot=planned.slot, after=planned.after)


def _pod(planner: Planner, pod: PodInfo, asked: Asked, told: dict[object, Cause]) -> BindPod:
    planned = asked.planned.get(pod.key)
    about = _with(_about(pod, planned), because=_refused(planner, pod, asked))
    if about.because is not None:
        return about
    fields = pod_fields(pod.pod) if planned is None else planned_fields(pod.pod)
    before = dict(planner.cluster.objects.table("resource_claims"))
    if planner.preempt and of_group(pod):
        about = _with(about, because=evicting(planner, pod))
        if about.because is not None:
            return about
    event = planner.step(pod)
    outcome = event.outcome
    last = outcome.preempted.then if outcome.preempted is not None else outcome
    if last.placement is None:
        cause = _cause(planner, pod, outcome, last, told)
        result = {EventKind.GATED: "gated", EventKind.FAILED: "failed"}.get(event.kind, "pending")
        return _with(about, result=result, because=cause, message=last.fit_error or last.error)
    devices = tuple(device_claims(planner.cluster, pod, before, planned=planned is not None))
    group = outcome.group
    if last.permit is not None and group is None:
        text = f"plugin {last.permit.plugin} holds it at Permit: {', '.join(last.permit.reasons)}"
        return _with(about, because=Cause(code="permit", text=text))
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
        devices=devices,
        node_amounts=tuple(map(msgspec.to_builtins, pod.pod.status.node_allocatable_resource_claim_statuses or ())),
        evicts=tuple(_victims(planner, outcome, asked.spent)),
        clears=tuple(cluster.pods[row].key for row in outcome.preempted.cleared) if outcome.preempted else (),
        tie=tie if tie > 1 else 0,
        doubts=tuple(pod_doubts(pod, planner, verdict, frozenset())),
        group=group.group if group is not None else "",
    )


def _refused(planner: Planner, pod: PodInfo, asked: Asked) -> Cause | None:
    """Why kplan does not bind a pod, whatever the flags."""
    spec = pod.pod.spec
    if pod.pod.ended:
        return Cause(code="ended", text=f"it has ended ({pod.pod.status.phase})")
    if spec.node_name:  # those of its group may be placed with one before
        return Cause(code="bound-already", text=f"it is bound to {spec.node_name} already")
    if pod.terminating:
        return Cause(code="pod-deleted", text="it is being deleted")
    if spec.resource_claims and not planner.cluster.state.completeness.has("ResourceSlice"):
        return Cause(code="devices-not-modelled", text="it has resource claims, and no ResourceSlices were read")
    apart = not_bound_as_one(planner, pod)
    if apart is not None:
        return apart
    if pod.scheduler_name not in planner.pipelines:
        text = f"no profile here has the schedulerName {pod.scheduler_name} (--config)"
        return Cause(code="other-scheduler", text=text)
    names = asked.permit.get(pod.scheduler_name, ())
    return held(planner.pipelines[pod.scheduler_name], names, asked.extenders, pod.pod)


def _cause(planner: Planner, pod: PodInfo, outcome: Outcome, last: Outcome, told: dict[object, Cause]) -> Cause:
    """Tell why a pod is not bound; pods of one template with the same message are told once."""
    preemption = last.preemption
    if preemption is not None and preemption.picks and not outcome.preempted:
        victims = [planner.cluster.pods[row].key for row in preemption.candidates[preemption.picks[0]].pods]
        node = planner.cluster.node_name(preemption.picks[0])
        text = f"it fits {node} only after evicting {count(len(victims), 'pod')} ({listed(victims)}): --preempt"
        return Cause(code="needs-preemption", text=text)
    message = last.fit_error or last.error or str(last.pre_enqueue)
    key = (template_likeness(pod), message)
    if key not in told:
        with planner.trial(everything=True) as trial:
            answer = explain_pod(Context(trial, _NOWHERE, brief=True), pod)
        told[key] = answer.because or Cause(code="unknown", text=message)
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


def _victims(planner: Planner, outcome: Outcome, spent: Counter[str]) -> Iterator[BindVictim]:
    """Yield who leaves, each with the first budget that has nothing left for it by then."""
    if outcome.preempted is None:
        return
    serving = Serving(planner.cluster)
    serving.counted_with([planner.cluster.pods[row] for row in outcome.preempted.victims])
    for row in outcome.preempted.victims:
        pod = planner.cluster.pods[row]
        before = len(serving.down)
        serving.left(pod, served=healthy(pod))
        unserved = workload_text([*serving.down][-1]) if len(serving.down) > before else ""
        broken = ""
        for budget in budgets_of(planner.cluster, pod):
            spent[budget.key] += 1
            if spent[budget.key] > (budget.status.disruptions_allowed or 0):
                broken = broken or budget.name
        uid = pod.pod.metadata.uid or ""
        yield BindVictim(pod=pod.key, uid=uid, priority=pod.priority, budget=broken, unserved=unserved)
