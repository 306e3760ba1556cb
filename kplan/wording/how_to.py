"""How a remedy is carried out, as flags, a patch and commands of kubectl."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.cluster import PodInfo
from kplan.objects.models import PodSpec
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate
from kplan.remedies.engine import Fits, Tried
from kplan.remedies.specs import differences, plain
from kplan.result.document_how_to import FieldChange, HowTo
from kplan.scenario import Verb
from kplan.wording.attempts import workload_text
from kplan.wording.commands import cluster_commands


def how_to(
    candidate: Candidate,
    landed: int = 0,
    wanted: int = 0,
    *,
    spec: PodSpec | None = None,
    edits: tuple[FieldChange, ...] = (),
) -> HowTo:
    """Say how a candidate is carried out.

    Args:
        candidate: the change.
        landed: how many pods land, or fit, then.
        wanted: of how many.
        spec: of a pod that waits, where its spec is what changes.
        edits: fields of the manifest, where they are.
    """
    parts = candidate.parts or (candidate,)
    by_flags = [part for part in parts if _by_flags(part)]
    by_commands = [part for part in parts if part not in by_flags or part.brought or part.deleted]
    return HowTo(
        code=candidate.code,
        flags=tuple(flag for part in by_flags for flag in part.flags),
        edits=edits,
        patch=_patch(candidate, spec) if spec is not None and candidate.edits else {},
        commands=tuple(line for part in by_commands for line in cluster_commands(part)),
        landed=landed,
        wanted=wanted,
    )


def several_of(flag: str, number: int) -> str:
    """A what-if that adds one node, as one that adds several."""
    return f"{flag},count={number}" if number > 1 else flag


def _by_flags(part: Candidate) -> bool:
    """Whether what-ifs do all that a part does: there are none for objects, and none where it has to come first."""
    return all(isinstance(step, Verb) for step in part.steps) and not _goes_first(part)


def _goes_first(part: Candidate) -> bool:
    """Whether the pod has to come before what is made for one that leaves: a what-if places that at once."""
    return isinstance(part.about, Named) and part.about.variant == "waits"


def fitting_how_to(tried: Tried[Fits] | None, pod: PodInfo | None) -> HowTo | None:
    """How what helps many pods is carried out; None for nothing that does.

    Args:
        tried: the change, and how many of the pods fit then.
        pod: the first of them; None where none of them waits.
    """
    if tried is None or pod is None:
        return None
    told = how_to(tried.candidate, tried.found.fits, tried.found.total, spec=pod.pod.spec)
    of_each = {workload_text(owner): _patch(tried.candidate, spec) for owner, spec in tried.found.changed}
    return msgspec.structs.replace(told, patches=of_each)


def _patch(candidate: Candidate, spec: PodSpec) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for difference in differences(plain(spec), plain(candidate.edited(spec))):
        here = patch
        for key in difference.path[:-1]:
            here = here.setdefault(key, {})
        here[difference.path[-1]] = difference.new
    return patch
