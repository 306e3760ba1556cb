"""Text of groups of pods that are placed together or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.text.layout import Page
from kplan.result.document_group import GroupPlan
from kplan.wording.pod_groups import holds_text, waits_text
from kplan.words import count

SHOWN = 6
_UNDER = 10


def groups(page: Page, plans: Sequence[GroupPlan], *, everything: bool) -> None:
    """Write what became of groups: those that are not placed first, each with what keeps it.

    Args:
        page: where to.
        plans: the groups.
        everything: show all of them.
    """
    ordered = sorted(plans, key=lambda plan: plan.result in ("placed", "preempted", "fits"))
    shown = ordered if everything else ordered[:SHOWN]
    for number, group_plan in enumerate(shown):
        page.part("Group" if not number else "", f"{group_plan.group}: {group_plan.text}")
        if group_plan.because is not None:
            page.detail(group_plan.because.text, _UNDER)
        if group_plan.result in ("pending", "does-not-fit") and group_plan.holds:
            page.detail(f"those that fit would hold {holds_text(group_plan.holds)}", _UNDER)
        if group_plan.waits_for:
            page.detail(f"waits for {waits_text(group_plan.waits_for, group_plan.starves)}", _UNDER)
        if group_plan.attempt:
            page.detail(f"Try  {group_plan.attempt}", _UNDER)
    if len(ordered) > len(shown):
        page.part("", f"{count(len(ordered) - len(shown), 'more group')} (-o wide)")
