"""What a LimitRange gave a pod's containers: the API server notes it in an annotation of the pod.

Source: mergePodResourceRequirements, mergeContainerResources in plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kplan.objects.models import Pod

LIMIT_RANGER = "kubernetes.io/limit-ranger"
_BEGIN = "LimitRanger plugin set: "
_PART = re.compile(r"(.+) (request|limit) for (init container|container) (\S+)")


class GivenByLimitRange(NamedTuple):
    """Amounts that a container was given.

    Attributes:
        resources: of what, sorted.
        word: ``request`` or ``limit``.
        kind: ``container`` or ``init container``.
        container: its name.
    """

    resources: tuple[str, ...]
    word: str
    kind: str
    container: str


def given_by_limit_range(text: str) -> Iterator[GivenByLimitRange]:
    """Read the annotation; what cannot be read is left out."""
    for part in text.removeprefix(_BEGIN).split("; "):
        match = _PART.fullmatch(part)
        if match:
            yield GivenByLimitRange(tuple(match[1].split(", ")), match[2], match[3], match[4])


def written_by_limit_range(given: Iterable[GivenByLimitRange]) -> str:
    """Write the annotation; empty where nothing was given."""
    parts = [
        f"{', '.join(default.resources)} {default.word} for {default.kind} {default.container}" for default in given
    ]
    return _BEGIN + "; ".join(parts) if parts else ""


def defaulted(pod: Pod, resource: str) -> frozenset[str]:
    """Names of the containers whose request of a resource is the default of a LimitRange."""
    text = pod.annotations.get(LIMIT_RANGER, "")
    return frozenset(
        default.container
        for default in given_by_limit_range(text)
        if default.word == "request" and resource in default.resources
    )
