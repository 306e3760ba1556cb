"""What is shown of the same question under the rules of another version (``--k8s-version A,B``)."""

from __future__ import annotations

from kplan.framework.doubt import Doubt
from kplan.result.document_base import Cause, Part


class VersionDifference(Part, frozen=True, kw_only=True):
    """One thing that is not the same under both versions.

    Attributes:
        what: a pod, an object, or nodes that refuse for a reason.
        first: what becomes of it under the version of the document.
        second: what becomes of it under the other.
    """

    what: str
    first: str
    second: str


class OtherVersion(Part, frozen=True, kw_only=True):
    """The answer under the rules of the other version.

    Attributes:
        rules: that version.
        same: whether nothing differs.
        verdict: the verdict there.
        sentence: what follows it.
        because: the one cause there.
        doubts: about that answer alone.
        differences: what is not the same, one by one.
    """

    rules: str
    same: bool
    verdict: str
    sentence: str
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    differences: tuple[VersionDifference, ...] = ()
