"""An audit in words: how many recorded texts are equal, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kplan.reasons.auditing import TextDifference, WhyCode
from kplan.result.document_audit import AuditedPod
from kplan.result.document_base import Cause
from kplan.words import count, joined, listed


def sentence(equal: int, audited: int, unrecorded: int) -> str:
    """``212 of 214 recorded messages are equal, word for word``."""
    rest = f"; {count(unrecorded, 'waiting pod has', 'waiting pods have')} none" if unrecorded else ""
    if not audited:
        return f"no waiting pod has a message of the scheduler{rest}"
    are = "is" if 1 in (audited, equal) else "are"
    return f"{equal:,} of {count(audited, 'recorded message')} {are} equal, word for word{rest}"


def because(pods: Sequence[AuditedPod]) -> Cause | None:
    """Why most of those that differ do; None where none does."""
    told = [pod.because for pod in pods if pod.because is not None]
    if not told:
        return None
    code, number = Counter(cause.code for cause in told).most_common(1)[0]
    first = next(cause for cause in told if cause.code == code)
    many = "" if len(told) == 1 else f"{number:,} of {len(told):,} that differ: "
    return Cause(code=code, text=f"{many}{first.text}")


def why(other: TextDifference) -> Cause:
    """Why one differs."""
    return Cause(code=other.code, text=_why(other))


def _why(other: TextDifference) -> str:
    match other.code:
        case WhyCode.VERSION if not other.versions:
            return "its reasons are those of a scheduler older than 1.34, the oldest that kplan knows"
        case WhyCode.VERSION:
            minors = joined(f"1.{minor}" for minor in other.versions)
            return f"the rules of {minors} say it word for word: the scheduler is of another version (--k8s-version)"
        case WhyCode.CONFIGURATION if other.plugins:
            named = joined(other.plugins)
            return f"{named} gave a reason, and this profile runs no such plugin: another configuration (--config)"
        case WhyCode.CONFIGURATION:
            first = other.unknown[0]
            return f"no plugin of kube-scheduler says {first!r}: an out-of-tree plugin, or an extender (--config)"
        case WhyCode.FITS_NOW:
            return f"it fits now: the state has changed since{_evidence(other)}"
        case WhyCode.STATE:
            return f"the state has changed since{_evidence(other)}"
        case WhyCode.PREEMPTION:
            return "only the part about preemption differs: it is tried on some of the nodes, and pods come and go"
    return "cause unknown: please report it, with both texts"


def _evidence(other: TextDifference) -> str:
    """What shows that the state has changed."""
    told = []
    if other.nodes is not None:
        told.append(f"{count(other.nodes[0], 'node')} then, {other.nodes[1]:,} now")
    if other.newer_nodes:
        told.append(f"{listed(other.newer_nodes)} came after it was first refused")
    if other.newer_pods:
        told.append(f"{count(other.newer_pods, 'pod')} started since")
    return f" ({'; '.join(told)})" if told else ""


def why_lines(other: TextDifference) -> Iterator[str]:
    """What differs, a line each."""
    if other.nodes is not None:
        yield f"nodes: {other.nodes[0]:,} recorded, {other.nodes[1]:,} now"
    for reason in other.reasons:
        yield f"{reason.reason}: {reason.recorded:,} recorded, {reason.now:,} now"
    if other.preemption is not None:
        yield f"preemption: recorded {other.preemption[0] or 'nothing'!r}, now {other.preemption[1] or 'nothing'!r}"
    yield from other.unknown
