"""What an API server answers before it looks at what an object means: it has no such kind, or no such field."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.admission.refusal import Problem
from kplan.admission.validation.api import api_of
from kplan.admission.validation.unknown_fields import dotted, strict_refusal, unknown_fields
from kplan.admission.validation.unserved import off_by_default, unserved
from kplan.objects.kinds import BY_MODEL
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject

_Answer = tuple[str, list[Problem]]


class Decoding:
    """Holds objects against the kinds and fields of one version; each is looked at once."""

    def __init__(self, minor: int, state: ClusterState) -> None:
        """Take the version, and the state: a kind that it holds is served there.

        Args:
            minor: ``37`` for 1.37.
            state: the cluster.
        """
        self._api = api_of(minor)
        self._state = state
        self._answers: dict[int, _Answer | None] = {}

    def refusal(self, manifest: ManifestObject) -> _Answer | None:
        """Find what the server answers, and the fields that are wrong; None where it reads the object.

        One that was not read from a text is not looked at: kplan wrote it.
        """
        key = id(manifest)
        if key not in self._answers:
            self._answers[key] = self._answer(manifest) if manifest.node is not None else None
        return self._answers[key]

    def notes(self, manifest: ManifestObject) -> Iterator[str]:
        """Say what the server reads only if it was told to, and what kubectl does not send at all."""
        off = off_by_default(manifest.api_version, manifest.kind, self._api, self._shows)
        if off and manifest.node is not None:
            yield f"{manifest.kind} ({manifest.file}:{manifest.line}): {off}"
        for path, line in manifest.repeated_keys():
            yield f"{manifest.file}:{line}: {dotted(path)} is there a second time: kubectl takes the last"

    def _answer(self, manifest: ManifestObject) -> _Answer | None:
        refusal = unserved(manifest.api_version, manifest.kind, self._api, self._shows)
        if refusal is not None:
            return refusal.text, [Problem((refusal.field,), refusal.text, hint=refusal.hint)]
        problems = unknown_fields(manifest, self._api)
        return (strict_refusal(manifest, problems), problems) if problems else None

    def _shows(self, kind: str) -> bool:
        """Tell whether the cluster has a kind, in whatever version: it holds some, or was asked and had a list."""
        if kind in self._state.completeness.versions:
            return True
        return any(BY_MODEL[type(item)].name == kind for item in self._state.objects())
