"""What is shown of a simulation: pod by pod, the causes, rollouts, quotas."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document import Group
from kplan.result.document_base import BrokenBudget, Cause, Origin, Part, VerdictDocument
from kplan.result.document_group import GroupPlan
from kplan.result.document_how_to import FieldChange, HowTo
from kplan.result.document_runs import Runs
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import WhatIfStep


class PlanStep(Part, frozen=True, kw_only=True):
    """What happened to one pod of the plan.

    Attributes:
        pod: ``namespace/name``.
        result: ``placed``, ``preempted`` (placed after evictions), ``pending``, ``gated`` or ``failed``.
        node: where it was placed; empty if nowhere.
        owner: its controller.
        evicts: pods that left for it.
        gone: those of them that nothing recreates.
        breaks: budgets that this breaks.
        cause: code of the cause, for what was not placed.
        message: the scheduler's exact text, for what was not placed.
        tie: number of nodes that tied; the first by name was taken.
        returned: whether it stands for a pod that was evicted in this plan.
        permit: which plugin holds it back at Permit on that node, and why; empty for none.
        devices: that its claims get, ``pool/device``; none for a pod that leaves later in the plan.
    """

    pod: str
    result: str
    node: str = ""
    owner: str = ""
    evicts: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    breaks: tuple[BrokenBudget, ...] = ()
    cause: str = ""
    message: str = ""
    tie: int = 0
    returned: bool = False
    permit: str = ""
    devices: tuple[str, ...] = ()


class PlanCause(Part, frozen=True, kw_only=True):
    """Pods that were not placed for the same cause, told for the first of them as it was tried.

    Attributes:
        result: ``pending``, ``gated`` or ``failed``.
        count: pods.
        because: the cause, in words that are true of all these pods.
        owners: pods by owner, most first.
        pod: the one told about.
        group: the nodes nearest to fitting it.
        groups: how many groups of nodes there are.
        more_groups: the others, nearest first, as far as they are told.
        preempt: what evictions could do for it; empty where that was not asked.
        attempt: the cheapest change that helps, and how many of the pods fit then; shown as Try. For pods of a manifest
            all of it was planned again, and it says what becomes of the whole.
        edits: fields of the manifest that the change is about.
        how_to: how it is carried out.
        other: another change that helps as well, of another kind; empty for none.
        other_how_to: how that is carried out.
        alone: the cause of ``pod`` alone, where others of these pods want another amount, or met less room.
        waiting: how many of the pods are not asked about; see PlanTotals.
    """

    result: str
    count: int
    because: Cause
    owners: dict[str, int]
    pod: str
    group: Group | None = None
    groups: int = 0
    more_groups: tuple[Group, ...] = ()
    preempt: str = ""
    attempt: str = ""
    edits: tuple[FieldChange, ...] = ()
    how_to: HowTo | None = None
    other: str = ""
    other_how_to: HowTo | None = None
    alone: str = ""
    waiting: int = 0


class PlanOwner(Part, frozen=True, kw_only=True):
    """Where the pods of one owner went."""

    owner: str
    placed: int
    not_placed: int
    gated: int
    on: dict[str, int]


class PlanTotals(Part, frozen=True, kw_only=True):
    """Counts of pods; ``placed + not_placed + gated == pods``.

    Of those not placed, ``waiting`` are not asked about: they waited before the manifests landed, or left for one that
    did, and neither are of the manifests nor left for them. The verdict is about the others, and about
    ``placed_before``: pods that what-ifs placed, and that are not tried again, where others of them find no node.
    """

    pods: int
    placed: int
    not_placed: int
    gated: int
    after_eviction: int = 0
    evicted: int = 0
    returned: int = 0
    waiting: int = 0
    placed_before: int = 0


class FieldRefusal(Part, frozen=True, kw_only=True):
    """One field that the API server would refuse.

    Attributes:
        path: of the field, as the server writes it.
        text: what is wrong with it, in the server's words.
        line: 1-based line of the field in its file; 0 if it cannot be told.
        column: 1-based column likewise.
        hint: what to write instead; empty for nothing known.
    """

    path: str
    text: str
    line: int = 0
    column: int = 0
    hint: str = ""


class Expanded(Part, frozen=True, kw_only=True):
    """What one object of a manifest came to.

    Attributes:
        object: ``deploy/shop/web``, or what was not expanded or is refused, in words.
        verdict: ``new``, ``changed``, ``scaled`` or ``unchanged`` against the cluster; empty for others.
        pods: pods it brings.
        place: ``file:line``.
        note: what defaults and admission added; of what is refused or not expanded why, and what to write instead.
        refused: whether the API server would refuse it, or pods of it.
        refused_pods: how many of its pods would be refused where the server takes the object itself; else 0.
        refused_by: ``quota`` where a quota refuses it, or its pods; ``kubelet`` where pods name a node that does; empty
            for anything else.
        unmade: kind of what its controller makes before any pod, where that is refused: no pod is tried then.
        workload: ``deploy/shop/web``, of which pods are refused; empty where the object itself is, or nothing.
        expanded: whether kplan knows what pods it brings.
        file: manifest it is from; empty if it cannot be told.
        line: 1-based line of it: of the field that is refused, else where it begins; 0 if it cannot be told.
        column: 1-based column likewise.
        problems: the fields that are refused.
        careful: what the manifest does not do though it seems to.
        named: how many of its pods name their node themselves: no scheduler is asked about them.
        attempt: what would let in the pods that are refused, tried, and how many land then; empty if nothing.
        edits: the fields of the manifest that it changes.
        how_to: how it is carried out.
        bare: whether its pods request neither cpu nor memory; the first of ``careful`` says so then.
    """

    object: str
    verdict: str = ""
    pods: int = 0
    place: str = ""
    note: str = ""
    refused: bool = False
    refused_pods: int = 0
    refused_by: str = ""
    unmade: str = ""
    workload: str = ""
    expanded: bool = True
    file: str = ""
    line: int = 0
    column: int = 0
    problems: tuple[FieldRefusal, ...] = ()
    careful: tuple[str, ...] = ()
    named: int = 0
    attempt: str = ""
    edits: tuple[FieldChange, ...] = ()
    how_to: HowTo | None = None
    bare: bool = False


class Leaving(Part, frozen=True, kw_only=True):
    """A pod that its controller removes."""

    pod: str
    node: str = ""


class RolloutPlanStep(Part, frozen=True, kw_only=True):
    """One new pod of a rollout, and what its controller removes once it is ready; the first may be of no pod.

    Attributes:
        pod: the new pod; empty for what leaves before any is made.
        result: ``placed``, ``preempted``, ``pending``, ``gated`` or ``failed``; empty for no pod.
        node: where it was placed.
        starts: whether it becomes ready; not where its node is silent, or another one holds its volume.
        leaves: pods that leave then.
        there: pods that are there then, those that stay Terminating left out.
        ready: pods that are ready then, old and new.
        old: those of them that are old.
        new: those of them that are new.
        since_least: seconds from the beginning until it is made, as far as specs tell, at least.
        since_most: the same at most: where it waits until all that left have used their grace period.
        at_least: the same until it is available.
        at_most: likewise at most.
    """

    pod: str = ""
    result: str = ""
    node: str = ""
    starts: bool = False
    leaves: tuple[Leaving, ...] = ()
    there: int = 0
    ready: int = 0
    old: int = 0
    new: int = 0
    since_least: int = 0
    since_most: int = 0
    at_least: int = 0
    at_most: int = 0


class RolloutPlan(Part, frozen=True, kw_only=True):
    """How a controller makes, replaces or removes the pods of one workload, step by step.

    Attributes:
        workload: ``deploy/shop/web``.
        place: ``file:line`` of the manifest.
        strategy: ``RollingUpdate``, ``Recreate`` or ``OnDelete``; empty where no pod is replaced.
        replicas: pods wanted.
        before: pods before.
        wanted: new pods wanted, those among them that have the wanted template already.
        done: those that are ready in the end.
        kept: pods that had the wanted template before.
        max_surge: pods allowed above ``replicas``.
        max_unavailable: pods that may be missing.
        partition: lowest ordinal that is replaced.
        waited: pods that a quota refused at first, and let in once others had left.
        peak: most pods at one time, terminating ones not counted.
        serving: fewest ready pods at one time.
        stalled: why it does not go on; empty if it does.
        stalled_by: code of that: ``pod`` (one that has no node), ``quota``, ``not-ready``, ``terminating`` (a pod that
            was deleted stays), ``volume`` (another node holds it) or ``no-step``.
        stalled_at: ``namespace/name`` of the pod that this is about; empty for none.
        because: why it stalls, where no cause of a pod without a node tells it.
        attempt: the cheapest change that lets more of its pods land, where no cause has it.
        edits: fields of its manifest that this is about.
        how_to: how it is carried out.
        other: another change that helps as well, of another kind; empty for none.
        other_how_to: how that is carried out.
        uneven: what of its own spread is broken in the end; empty for nothing.
        old: old pods in the end.
        takes_least: seconds until the last pod is available, as far as specs tell (probes' initialDelaySeconds,
            minReadySeconds), at least; images and containers take theirs beside.
        takes_most: the same where each pod waits until all that left have used their grace period.
        clock: that in words; empty where specs say nothing of it.
        deadline: seconds without progress after which a Deployment says ProgressDeadlineExceeded; 0 for never.
        deadline_told: what comes of that; empty where it is not reached.
        steps: in order.
    """

    workload: str
    place: str = ""
    strategy: str = ""
    replicas: int = 0
    before: int = 0
    wanted: int = 0
    done: int = 0
    kept: int = 0
    max_surge: int = 0
    max_unavailable: int = 0
    partition: int = 0
    waited: int = 0
    peak: int = 0
    serving: int = 0
    stalled: str = ""
    stalled_by: str = ""
    stalled_at: str = ""
    because: Cause | None = None
    attempt: str = ""
    edits: tuple[FieldChange, ...] = ()
    how_to: HowTo | None = None
    other: str = ""
    other_how_to: HowTo | None = None
    uneven: str = ""
    old: int = 0
    takes_least: int = 0
    takes_most: int = 0
    clock: str = ""
    deadline: int = 0
    deadline_told: str = ""
    steps: tuple[RolloutPlanStep, ...] = ()


class QuotaRow(Part, frozen=True, kw_only=True):
    """What one resource of a ResourceQuota comes to, in canonical quantities.

    Attributes:
        quota: ``namespace/name``.
        resource: name as in the quota.
        used: before.
        then: in the end.
        peak: at most, at any time.
        hard: the limit.
        refused: how many pods the quota refuses; for a resource of claims how many of those.
        message: its first refusal, in the API server's words.
    """

    quota: str
    resource: str
    used: str
    then: str
    peak: str
    hard: str
    refused: int = 0
    message: str = ""


class SimulationPlan(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan simulate``."""

    totals: PlanTotals
    steps: tuple[PlanStep, ...]
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()
    causes: tuple[PlanCause, ...] = ()
    owners: tuple[PlanOwner, ...] = ()
    rollouts: tuple[RolloutPlan, ...] = ()
    quotas: tuple[QuotaRow, ...] = ()
    careful: tuple[str, ...] = ()
    runs: Runs | None = None
    what_if: tuple[WhatIfStep, ...] = ()
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
    groups: tuple[GroupPlan, ...] = ()
