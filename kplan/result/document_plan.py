"""What is shown of a simulation and of a plugin: further documents beside those of ``document``."""

from __future__ import annotations

import msgspec

from kplan.result.document import (
    ApiVersion,
    Cause,
    Doubt,
    Group,
    Origin,
    Part,
    PodExplanation,
    PodExplanations,
)
from kplan.result.document_diff import ClusterDiff
from kplan.result.document_nodes import NodeExplanation, NodeList
from kplan.result.document_whatif import WhatIfStep


class PlanStep(Part, frozen=True, kw_only=True):
    """What happened to one pod of the plan.

    Attributes:
        pod: ``namespace/name``.
        result: ``placed``, ``preempted`` (placed after evictions), ``pending``, ``gated`` or ``failed``.
        node: where it was placed; empty if nowhere.
        owner: its controller.
        evicts: pods that left for it.
        cause: code of the cause, for what was not placed.
        message: the scheduler's exact text, for what was not placed.
        tie: number of nodes that tied; the first by name was taken.
        returned: whether it stands for a pod that was evicted in this plan.
    """

    pod: str
    result: str
    node: str = ""
    owner: str = ""
    evicts: tuple[str, ...] = ()
    cause: str = ""
    message: str = ""
    tie: int = 0
    returned: bool = False


class PlanCause(Part, frozen=True, kw_only=True):
    """Pods that were not placed for the same cause, told for the first of them as it was tried.

    Attributes:
        result: ``pending``, ``gated`` or ``failed``.
        count: pods.
        because: the cause.
        owners: pods by owner, most first.
        pod: the one told about.
        group: the nodes nearest to fitting it.
        groups: how many groups of nodes there are.
        preempt: what evictions could do for it; empty where that was not asked.
        attempt: the cheapest change that helps, and how many of the pods fit then; shown as Try.
    """

    result: str
    count: int
    because: Cause
    owners: dict[str, int]
    pod: str
    group: Group | None = None
    groups: int = 0
    preempt: str = ""
    attempt: str = ""


class PlanOwner(Part, frozen=True, kw_only=True):
    """Where the pods of one owner went."""

    owner: str
    placed: int
    not_placed: int
    gated: int
    on: dict[str, int]


class PlanTotals(Part, frozen=True, kw_only=True):
    """Counts of pods; ``placed + not_placed + gated == pods``."""

    pods: int
    placed: int
    not_placed: int
    gated: int
    after_eviction: int = 0
    evicted: int = 0
    returned: int = 0


class FieldRefusal(Part, frozen=True, kw_only=True):
    """One field that the API server would refuse.

    Attributes:
        path: of the field, as the server writes it.
        text: what is wrong with it, in the server's words.
        line: 1-based line of the field in its file; 0 if it cannot be told.
        column: 1-based column likewise.
    """

    path: str
    text: str
    line: int = 0
    column: int = 0


class Expanded(Part, frozen=True, kw_only=True):
    """What one object of a manifest came to.

    Attributes:
        object: ``deploy/shop/web``, or what was not expanded or is refused, in words.
        verdict: ``new``, ``changed``, ``scaled`` or ``unchanged`` against the cluster; empty for others.
        pods: pods it brings.
        place: ``file:line``.
        note: what defaults and admission added.
        refused: whether the API server would refuse it.
        expanded: whether kplan knows what pods it brings.
        file: manifest it is from; empty if it cannot be told.
        line: 1-based line of it: of the field that is refused, else where it begins; 0 if it cannot be told.
        column: 1-based column likewise.
        problems: the fields that are refused.
        careful: what the manifest does not do though it seems to.
    """

    object: str
    verdict: str = ""
    pods: int = 0
    place: str = ""
    note: str = ""
    refused: bool = False
    expanded: bool = True
    file: str = ""
    line: int = 0
    column: int = 0
    problems: tuple[FieldRefusal, ...] = ()
    careful: tuple[str, ...] = ()


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
        leaves: pods that leave then.
        ready: pods that are ready then, old and new.
        old: those of them that are old.
        new: those of them that are new.
    """

    pod: str = ""
    result: str = ""
    node: str = ""
    leaves: tuple[Leaving, ...] = ()
    ready: int = 0
    old: int = 0
    new: int = 0


class RolloutPlan(Part, frozen=True, kw_only=True):
    """How a controller makes, replaces or removes the pods of one workload, step by step.

    Attributes:
        workload: ``deploy/shop/web``.
        place: ``file:line`` of the manifest.
        strategy: ``RollingUpdate``, ``Recreate`` or ``OnDelete``; empty where no pod is replaced.
        replicas: pods wanted.
        before: pods before.
        wanted: new pods wanted.
        done: new pods that are ready in the end.
        max_surge: pods allowed above ``replicas``.
        max_unavailable: pods that may be missing.
        partition: lowest ordinal that is replaced.
        peak: most pods at one time, terminating ones not counted.
        serving: fewest ready pods at one time.
        stalled: why it does not go on; empty if it does.
        old: old pods in the end.
        steps: in order.
    """

    workload: str
    place: str = ""
    strategy: str = ""
    replicas: int = 0
    before: int = 0
    wanted: int = 0
    done: int = 0
    max_surge: int = 0
    max_unavailable: int = 0
    partition: int = 0
    peak: int = 0
    serving: int = 0
    stalled: str = ""
    old: int = 0
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
        refused: how many objects the quota refuses.
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


class SimulationPlan(Part, frozen=True, kw_only=True, tag_field="kind", tag="SimulationPlan"):
    """Document of ``kplan simulate``."""

    api_version: ApiVersion
    verdict: str
    sentence: str
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
    what_if: tuple[WhatIfStep, ...] = ()
    timings: dict[str, float] | None = None


class PluginText(Part, frozen=True, kw_only=True):
    """The four headings of a plugin."""

    name: str
    summary: str
    checks: str
    rejects: str
    not_modelled: str
    source: str
    points: tuple[str, ...]


class PluginReference(Part, frozen=True, kw_only=True, tag_field="kind", tag="PluginReference"):
    """Document of ``kplan plugins``."""

    api_version: ApiVersion
    plugins: tuple[PluginText, ...]


DOCUMENTS: dict[str, type[Part]] = {
    kind.__name__: kind
    for kind in (
        PodExplanation,
        PodExplanations,
        SimulationPlan,
        PluginReference,
        NodeList,
        NodeExplanation,
        ClusterDiff,
    )
}
"""Every kind of document by name: what a JSON Schema is made of."""
