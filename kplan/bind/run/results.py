"""Results: what became of the pods of a plan, as a document."""

from __future__ import annotations

import time
from collections.abc import Sequence
from shlex import quote
from typing import Any

import msgspec
from msgspec import Struct

from kplan.bind.flags import Flags
from kplan.errors import KplanError
from kplan.objects.kind_words import kind_of_word
from kplan.result.document_base import API_VERSION, Cause
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BoundPod, CreatedObject
from kplan.sources.moments import time_of
from kplan.words import count


class Ending(Struct, frozen=True):
    """How a run came to its end.

    Attributes:
        stopped: ``interrupted``, ``server`` or ``journal`` if it stopped; else empty.
        failure: of the server or the journal, if that stopped it.
        started: when it began, RFC 3339.
        writes: number of writes that were carried out.
        journal: name of its journal.
    """

    stopped: str
    failure: KplanError | None
    started: str
    writes: int
    journal: str


def became(planned: BindPod, result: str, key: str = "", **more: Any) -> BoundPod:
    """Say what became of a pod; ``key`` is the name that its controller gave it."""
    return BoundPod(pod=planned.pod, result=result, real=key if key != planned.pod else "", node=planned.node, **more)


def result_of(
    plan: BindPlan,
    pods: Sequence[BoundPod],
    objects: tuple[CreatedObject, ...],
    ending: Ending,
    notes: tuple[str, ...],
) -> BindResult:
    """Make the document of a run."""
    verdict, sentence, because = summary(pods, objects, ending.stopped, ending.failure)
    return BindResult(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=sentence,
        because=because,
        pods=tuple(pods),
        objects=objects,
        cluster=plan.cluster,
        started=ending.started,
        ended=time_of(time.time()),
        journal=ending.journal,
        writes=ending.writes,
        attempt=f"kplan bind --resume {quote(ending.journal)}" if ending.stopped and ending.journal else "",
        notes=notes,
    )


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
    held += [
        Cause(code=pod.code, text=f"{pod.real or pod.pod}: {pod.text}") for pod in pods if pod.result == "held-back"
    ]
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


def again(result: BindResult, flags: Flags) -> str:
    """What to run next for pods that were held back and still wait; empty if none do.

    Args:
        result: of the run.
        flags: what it might do; where a budget refused, waiting for it is added.
    """
    held = left_to_plan(result)
    if not held:
        return ""
    spaces = {key.partition("/")[0] for key in held}
    names = " ".join(f"pod/{key}" if kind_of_word(key.partition("/")[0]) else key for key in held)
    which = names if len(held) <= _NAMED else f"-n {spaces.pop()}" if len(spaces) == 1 else "-A"
    refused = any(pod.result == "held-back" and pod.code == "pdb" for pod in result.pods)
    wanted = msgspec.structs.replace(flags, pdb="wait") if refused else flags
    return f"kplan bind {which}{wanted.words()}"


_NAMED = 5
"""More pods than that are told by their namespace."""

_NOT_AGAIN = frozenset(
    {"bound-already", "bound-by-another", "deleted", "ended", "not-created", "not-made", "pod-deleted"}
)
"""Why pods are held back that are not there, or wait no more."""
