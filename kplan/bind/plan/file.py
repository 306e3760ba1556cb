"""Plans on disk: ``--save-plan`` writes what was shown, ``--plan`` reads it back, byte for byte the same document."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.bind.plan.kept import can_be_whole, to_keep
from kplan.errors import UsageError
from kplan.result.document_bind import BindPlan
from kplan.sources.opening import load
from kplan.sources.writing import write_whole


def save_plan(plan: BindPlan, path: str) -> None:
    """Write a plan, readable for nobody else; of what it creates it has names and digests.

    Raises:
        UsageError: it cannot be written.
    """
    data = msgspec.json.format(msgspec.json.encode(to_keep(plan)), indent=1) + b"\n"
    write_whole(path, [data])


def load_plan(path: str) -> BindPlan:
    """Read a plan as it was kept; see ``made_whole``.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    try:
        data = load(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="unreadable") from error
    try:
        plan = msgspec.json.decode(data, type=BindPlan)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not a plan of kplan bind: {error}", code="bad-plan", hint=_SAVE) from None
    if not can_be_whole(plan):
        text = f"{path}: a plan to look at: the objects that it creates were left out"
        raise UsageError(text, code="bad-plan", hint=_SAVE)
    return plan


_SAVE = "kplan bind ... --save-plan FILE writes one that can be applied"


def plan_of(plain: dict[str, Any]) -> BindPlan:
    """Read a plan out of a journal, as it was kept; see ``made_whole``.

    Raises:
        UsageError: it is none.
    """
    try:
        plan = msgspec.convert(plain, BindPlan)
    except msgspec.MsgspecError as error:
        raise UsageError(f"the journal holds no plan: {error}", code="bad-journal") from None
    if not can_be_whole(plan):
        raise UsageError("the journal does not say what the plan creates", code="bad-journal")
    return plan
