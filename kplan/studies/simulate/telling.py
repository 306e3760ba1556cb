"""Why pods of a plan are not placed: told as it happens, while the cluster is as the pod met it.

One for each cause, so that a large plan explains little more than it shows. Where pods of very many kinds are not
placed, those of the first are told in full, and the others by the scheduler's reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.cluster.work import TOLD
from kplan.course.trial.alike import template_likeness
from kplan.course.trial.attempts import Attempts
from kplan.framework.doubt import Doubt
from kplan.framework.findings import About
from kplan.pipeline import Planner
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.apart import told_apart
from kplan.reasons.groups import find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.result import Outcome, PlanEvent
from kplan.result.document import Group
from kplan.result.document_base import Cause
from kplan.studies.group_turns import GroupTelling
from kplan.wording.because import because_wanted
from kplan.wording.failing import plain_cause
from kplan.wording.groups import tell
from kplan.wording.node_story import heads_of
from kplan.wording.not_tried import CAUSE, FEWER, in_short, not_tried_doubt
from kplan.wording.preempting import preempt_part
from kplan.wording.wanted import Wanted

FURTHER = 8
"""Groups of nodes behind the nearest that are told of a cause: a plan has many causes."""

IN_FULL = 1_000
"""Kinds of pods that are told in full, where the work is bounded."""
_HALF, _MOST = 0.5, 0.85
"""What pods that wait may take of the work that is left, where others come behind them and where none do."""


class ToldCause(Struct):
    """A cause of failure, told for the first pod that met it.

    ``heads`` are the reasons without the numbers of one pod, ``wanted`` is what the cause says of amounts, ``apart``
    what tells it from others of these heads.
    """

    because: Cause
    pod: str
    group: Group | None = None
    groups: int = 0
    more_groups: tuple[Group, ...] = ()
    preempt: str = ""
    wanted: Wanted | None = None
    heads: tuple[tuple[str, str], ...] = ()
    apart: frozenset[str] = frozenset()


class Telling(Struct):
    """Observer of the attempts of a plan: gives the key of a cause, which is told once.

    Attributes:
        told: causes by key.
        groups: what became of groups of pods.
    """

    told: dict[object, ToldCause] = field(default_factory=dict)
    groups: GroupTelling = field(default_factory=GroupTelling)

    def __call__(self, planner: Planner, pod: PodInfo, event: PlanEvent) -> object:
        """Tell the cause of a failure unless one like it was told; return its key."""
        outcome = event.outcome.last
        if outcome.not_tried:
            self.told.setdefault(CAUSE, ToldCause(CAUSE, pod.key))
            return CAUSE
        plain = self.groups.cause(planner, pod, outcome) or plain_cause(planner.cluster, pod, outcome)
        if plain is not None:
            self.told.setdefault(plain, ToldCause(plain, pod.key))
            return plain
        reasons = _reasons(outcome, own_claims(pod.pod))
        key: object = (template_likeness(pod), reasons)
        if key not in self.told and len(self.told) >= IN_FULL and planner.cluster.work.bounded:
            key = reasons or outcome.fit_error
            if key not in self.told:
                self.told[key] = _in_short(pod, outcome)
        if key not in self.told:
            self.told[key] = _of_nodes(planner, pod, outcome)
        return key


def place_within(
    attempts: Attempts[object], pods: Sequence[PodInfo], made: Collection[str], *, plans: int, more: bool
) -> None:
    """Try pods that wait, and leave work for what comes behind them.

    Args:
        attempts: what has been tried.
        pods: the pods, in the order in which they are tried.
        made: pods, ``namespace/name``, that what-ifs made: others leave work for them.
        plans: how many plans the answer makes: each is so much less work.
        more: whether pods of manifests come behind them.
    """
    work = attempts.planner.cluster.work
    work.share(plans)
    attempts.ahead, attempts.bound = made, work.up_to(_HALF if more or made else _MOST)
    attempts.place(pods)
    attempts.bound = work.most


def left_out(attempts: Attempts[object]) -> tuple[Doubt, ...]:
    """Doubt a plan in which pods were not tried."""
    left = attempts.not_tried
    return (not_tried_doubt(left, len(attempts.landings) - left, ask=FEWER),) if left else ()


def _of_nodes(planner: Planner, pod: PodInfo, outcome: Outcome) -> ToldCause:
    """Tell why nodes refuse a pod; of one that is told by a group of them, without their names."""
    planner.cluster.work.charge(TOLD)
    asked = RunCycle.of(planner, pod)
    if asked.outcome.not_tried:
        return _in_short(pod, outcome)
    groups = find_groups(asked)
    if not groups:
        return ToldCause(Cause(code="unknown", text=outcome.fit_error), pod.key)
    first, *others = (tell(asked, group, names=False, own=own_claims(pod.pod)) for group in groups[: 1 + FURTHER])
    cause, wanted = because_wanted(first, groups[1:])
    part = preempt_part(outcome, planner.cluster, groups)
    text = part.text if part is not None else ""
    apart = told_apart(cause.code, groups, pod.pod)
    more = tuple(other.group for other in others)
    return ToldCause(cause, pod.key, first.group, len(groups), more, text, wanted, heads_of(first), apart)


def _in_short(pod: PodInfo, outcome: Outcome) -> ToldCause:
    """Tell why nodes refuse a pod by what the scheduler says."""
    codes: dict[str, str] = {}
    diagnosis = outcome.diagnosis
    if diagnosis is not None and diagnosis.pre_filter is not None:
        codes = {why.reason: why.code for why in diagnosis.pre_filter.whys}
    elif diagnosis is not None:
        for failing in diagnosis.failing:
            codes |= {item.reason: item.code for item in failing.findings.refusals if item.rows.any()}
    texts = sorted(codes)
    if not texts:
        return ToldCause(Cause(code="unknown", text=outcome.fit_error), pod.key)
    return ToldCause(Cause(code=codes[texts[0]], text=in_short(texts, IN_FULL)), pod.key)


def _reasons(outcome: Outcome, own: Mapping[About, str]) -> frozenset[object]:
    """The reasons, without how often each holds; claims of the pod alone count by their entries in its spec."""
    diagnosis = outcome.diagnosis
    if diagnosis is None:
        return frozenset()
    if diagnosis.pre_filter is not None:
        return frozenset(
            (why.code, tuple(own.get(subject, subject) for subject in why.about)) for why in diagnosis.pre_filter.whys
        )
    return frozenset(
        refusal.reason for failing in diagnosis.failing for refusal in failing.findings.refusals if refusal.rows.any()
    )
