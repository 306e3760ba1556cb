"""What every document is made with: the version, where it is from, its cause and its doubts."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, TypeVar

import msgspec

ApiVersion = Literal["kplan.dev/v1"]
API_VERSION: ApiVersion = "kplan.dev/v1"


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of everything in a document: camelCase, empty parts left out."""


P = TypeVar("P", bound=Part)


def part_of(kind: type[P], source: object, **more: Any) -> P:
    """Make a part of a document: each field that is not given is that of the source, if it has one of this name."""
    taken = {name: getattr(source, name) for name in kind.__struct_fields__ if hasattr(source, name)}
    return kind(**{**taken, **more})


class Document(Part, frozen=True, kw_only=True, tag_field="kind", tag=True):
    """Base of what ``-o json`` writes at its top: its kind is the name of its class, its form ``api_version``.

    It has no field of its own, so that the fields of each kind stand in the order in which they are read.
    """


class VerdictDocument(Document, frozen=True, kw_only=True):
    """Base of the kinds whose first fields are a verdict and the sentence behind it."""

    api_version: ApiVersion
    verdict: str
    sentence: str


class Known(StrEnum):
    """How the version is known that an answer goes by."""

    ASKED = "as asked"
    SERVER = "as the server says"
    RECORDED = "as recorded"
    KUBELET = "newest kubelet"
    NOT = "no version recorded"


class Origin(Part, frozen=True, kw_only=True):
    """Where the answer comes from; shown as From.

    Attributes:
        source: file, stream or context.
        via: how the source was found where it was not named: ``KPLAN_SNAPSHOT``, ``current context``.
        taken: when the state was recorded, RFC 3339; empty if unknown.
        age: how long before this answer a live cluster was read [seconds]; none for a file.
        nodes: nodes in it.
        pods: pods in it.
        k8s_version: rules used, as ``1.37.2``.
        how: how that version is known: as asked, as the server says, as recorded, newest kubelet, no version recorded.
        rules: the version as it is shown.
        configuration: what set the scheduler up: a file, a ConfigMap, arguments of a pod; empty for the defaults.
        profile: scheduler name, where it is not the default one.
        event: how the scheduler's own message compares; empty where there is none.
    """

    source: str
    nodes: int
    pods: int
    k8s_version: str
    how: str
    rules: str
    via: str = ""
    taken: str = ""
    age: int | None = None
    configuration: str = ""
    profile: str = ""
    event: str = ""


class BrokenBudget(Part, frozen=True, kw_only=True):
    """A budget that evictions by the scheduler break, as it does where nothing else helps.

    Attributes:
        budget: ``namespace/name``.
        allows: how many of its pods may leave by its status.
    """

    budget: str
    allows: int


class Cause(Part, frozen=True, kw_only=True):
    """The one cause, in plain words; shown as Because."""

    code: str
    text: str
