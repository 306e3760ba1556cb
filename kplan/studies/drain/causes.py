"""Why a drain is stuck, in words: a pod that nothing makes again, a budget that allows none, a pod without a place."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.course.drain import Gone
from kplan.result.document_base import Cause


def cause_of(gone: Gone, *, named: bool = True) -> Cause | None:
    """Why a drain is stuck at a pod; None if nothing is known.

    Args:
        gone: what became of it.
        named: begin with the pod also where what it was evicted for finds no place.
    """
    pod, landing = gone.pod.key, gone.landing
    if landing is not None and landing.failure is not None:
        why = landing.failure.because
        return Cause(code=why.code, text=f"{pod}: {why.text}") if named else why
    if gone.what.fate == "refused":
        return Cause(code="drain-refused", text=f"{pod}: {gone.what.why}")
    if gone.permission is not None and not gone.permission.allowed:
        return Cause(code="budget", text=f"{pod}: {gone.permission.why}")
    return None


def causes_of(left: Sequence[Gone]) -> Cause | None:
    """One cause of each kind that a drain is stuck at, as each has to be lifted; the code is that of the first.

    Args:
        left: pods it is stuck at.
    """
    kinds: dict[str, Gone] = {}
    for gone in left:
        kinds.setdefault("homeless" if gone.number else gone.what.fate, gone)
    told = []
    for gone in kinds.values():
        cause = cause_of(gone, named=len(kinds) > 1)
        if cause is not None:
            flag = f" ({gone.what.flag.split()[-1]})" if gone.what.fate == "refused" else ""
            told.append(Cause(code=cause.code, text=cause.text + flag))
    return Cause(code=told[0].code, text="; ".join(cause.text for cause in told)) if told else None
