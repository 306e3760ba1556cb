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


def why(difference: TextDifference) -> Cause:
    """Why one differs."""
    return Cause(code=difference.code, text=_why(difference))


def _why(found: TextDifference) -> str:
    match found.code:
        case WhyCode.VERSION if not found.versions:
            return "its reasons are those of a scheduler older than 1.34, the oldest that kplan knows"
        case WhyCode.VERSION:
            minors = joined(f"1.{minor}" for minor in found.versions)
            return f"the rules of {minors} say it word for word: the scheduler is of another version (--k8s-version)"
        case WhyCode.CONFIGURATION if found.plugins:
            return f"{joined(found.plugins)} gave a reason and is not in this profile: another configuration (--config)"
        case WhyCode.CONFIGURATION:
            first = found.unknown[0]
            return f"no plugin of kube-scheduler says {first!r}: a plugin of others, or an extender (--config)"
        case WhyCode.FITS_NOW:
            return f"it fits now: the state has changed since{_evidence(found)}"
        case WhyCode.STATE:
            return f"the state has changed since{_evidence(found)}"
        case WhyCode.PREEMPTION:
            return (
                "only what is said of preemption differs: it is looked for on some of the nodes, and pods come and go"
            )
    return "not known: please report it, with both texts"


def _evidence(difference: TextDifference) -> str:
    """What shows that the state has changed."""
    told = []
    if difference.nodes is not None:
        told.append(f"{count(difference.nodes[0], 'node')} then, {difference.nodes[1]:,} now")
    if difference.newer_nodes:
        told.append(f"{listed(difference.newer_nodes)} came after it was first refused")
    if difference.newer_pods:
        told.append(f"{count(difference.newer_pods, 'pod')} started since")
    return f" ({'; '.join(told)})" if told else ""


def why_lines(found: TextDifference) -> Iterator[str]:
    """What differs, a line each."""
    if found.nodes is not None:
        yield f"nodes: {found.nodes[0]:,} recorded, {found.nodes[1]:,} now"
    for reason in found.reasons:
        yield f"{reason.reason}: {reason.recorded:,} recorded, {reason.now:,} now"
    if found.preemption is not None:
        yield f"preemption: recorded {found.preemption[0] or 'nothing'!r}, now {found.preemption[1] or 'nothing'!r}"
    yield from found.unknown
