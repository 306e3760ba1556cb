"""The baseline of ``kplan check``: the result of the main branch, so that only what got worse fails."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from kplan.errors import SourceError
from kplan.result.document_check import Baseline, CheckResult, Finding
from kplan.sources.opening import load
from kplan.wording.check import IN_BASELINE, NO_WORSE

_WORDS = {"ok": "ok", "fail": "fails", "main": "fails", "unknown": "unknown"}


def read_baseline(file: str) -> CheckResult:
    """Read what ``kplan check -o json=FILE`` wrote.

    Raises:
        SourceError: it cannot be read, or is something else.
    """
    try:
        baseline = msgspec.json.decode(load(file), type=CheckResult)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=file, code="unreadable") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(
            f"not a result of kplan check: {error}",
            file=file,
            code="bad-baseline",
            hint="write one on the main branch: kplan check ... -o json=FILE",
        ) from error
    return baseline


def held_against(
    findings: Iterable[Finding], baseline: CheckResult | None, file: str
) -> tuple[list[Finding], Baseline | None]:
    """Decide what of the findings counts: what is no worse than before does not.

    Args:
        findings: with the amount before the manifests, where that is known.
        baseline: the result to hold them against; None for none.
        file: its name.
    """
    there = {} if baseline is None else {(item.rule, item.object): item.amount for item in baseline.findings}
    judged = []
    for item in findings:
        known = there.get((item.rule, item.object), 0 if baseline is not None else None)
        before = max((amount for amount in (item.on_main, known) if amount is not None), default=None)
        item = replace(item, on_main=before)
        if item.counted and before is not None and before >= item.amount:
            listed = baseline is not None and (known or 0) >= item.amount
            item = replace(item, counted=False, why_not=IN_BASELINE if listed else NO_WORSE)
        judged.append(item)
    if baseline is None:
        return judged, None
    now = {(item.rule, item.object) for item in judged}
    fixed = tuple(f"{rule} {name}" for rule, name in there if (rule, name) not in now)
    return judged, Baseline(file=file, findings=len(there), fixed=fixed)


def on_main(name: str, baseline: CheckResult | None) -> str:
    """Say how an object fared in the baseline."""
    if baseline is None:
        return ""
    return next((_WORDS.get(item.status, item.status) for item in baseline.objects if item.object == name), "-")
