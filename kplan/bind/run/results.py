"""Results: what became of the pods of a plan, as a document."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kplan.errors import KplanError
from kplan.result.document_base import Cause
from kplan.result.document_bind import BindResult, BoundPod, CreatedObject
from kplan.words import count


def summary(
    pods: Sequence[BoundPod], objects: Sequence[CreatedObject], stopped: str, failure: KplanError | None
) -> tuple[str, str, Cause | None]:
    """Make verdict, sentence and the first cause of a result.

    Args:
        pods: what became of pods.
        objects: what became of objects of manifests.
        stopped: ``interrupted``, ``server`` or ``journal`` if the run stopped; else empty.
        failure: of the server or the journal, if that stopped it.
    """
    numbers = {word: sum(1 for pod in pods if pod.result == word) for word in _WORDS}
    bound = numbers["bound"]
    told = [f"{bound:,} of {count(len(pods), 'pod')}"]
    told += [f"{numbers[word]:,} {text}" for word, text in _WORDS.items() if word != "bound" and numbers[word]]
    created = sum(1 for item in objects if item.result == "created")
    told += [f"{count(created, 'object')} created"] if created else []
    cause = _cause(pods, objects, stopped, failure)
    if stopped:
        verdict = "STOPPED"
    elif bound == len(pods):
        verdict = "BOUND"
    else:
        verdict = "PARTLY" if bound else "HELD"
    return verdict, "; ".join(told), cause


def _cause(
    pods: Sequence[BoundPod], objects: Sequence[CreatedObject], stopped: str, failure: KplanError | None
) -> Cause | None:
    if failure is not None:
        return Cause(code=failure.code, text=failure.message)
    if stopped:
        return Cause(code="interrupted", text="it was asked to stop")
    held = [Cause(code=item.code, text=f"{item.object}: {item.text}") for item in objects if item.result == "held-back"]
    held += [Cause(code=pod.code, text=pod.text) for pod in pods if pod.result == "held-back"]
    return held[0] if held else None


_WORDS = {"bound": "", "held-back": "held back", "open": "on the way", "not-tried": "not tried"}


def merged(former: BindResult | None, result: BindResult) -> BindResult:
    """Put the result of pods that were planned again in the place of what held them back."""
    if former is None:
        return result
    later = {pod.pod: pod for pod in result.pods}
    pods = [later.get(pod.real or pod.pod, pod) for pod in former.pods]
    verdict, sentence, cause = summary(pods, former.objects, "", None)
    stopped = result.verdict == "STOPPED"
    return msgspec.structs.replace(
        result,
        pods=tuple(pods),
        objects=former.objects,
        verdict=result.verdict if stopped else verdict,
        sentence=sentence,
        because=result.because if stopped else cause,
        started=former.started,
        writes=former.writes + result.writes,
        journal=f"{former.journal}, {result.journal}",
    )


def left_to_plan(result: BindResult) -> list[str]:
    """Pods that were held back and still wait, so that they can be planned again: ``namespace/name``."""
    held = (pod for pod in result.pods if pod.result == "held-back" and pod.code not in _NOT_AGAIN)
    return [pod.real or pod.pod for pod in held]


_NOT_AGAIN = frozenset(
    {"bound-already", "bound-by-another", "deleted", "ended", "not-created", "not-made", "pod-deleted"}
)
"""Why pods are held back that are not there, or wait no more."""
