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
    """

    result: str
    count: int
    because: Cause
    owners: dict[str, int]
    pod: str
    group: Group | None = None
    groups: int = 0


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
    """

    object: str
    verdict: str = ""
    pods: int = 0
    place: str = ""
    note: str = ""
    refused: bool = False
    expanded: bool = True


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
    kind.__name__: kind for kind in (PodExplanation, PodExplanations, SimulationPlan, PluginReference)
}
"""Every kind of document by name: what a JSON Schema is made of."""
