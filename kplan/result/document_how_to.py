"""How a remedy is carried out, and what it is to come to: for tools, beside the sentence that tells people."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.result.document_base import Part


class FieldChange(Part, frozen=True, kw_only=True):
    """One field of a manifest that a remedy changes.

    Attributes:
        path: of the field in its object: ``spec.template.spec.containers[0].resources.requests.cpu``.
        old: as it is written, in JSON; empty for what is not there.
        new: in JSON; empty where it is taken out.
        file: its manifest.
        line: 1-based line of the field, of what is nearest around it where it is not written; 0 if that is unknown.
        column: 1-based column likewise.
    """

    path: str
    old: str = ""
    new: str = ""
    file: str = ""
    line: int = 0
    column: int = 0


class HowTo(Part, frozen=True, kw_only=True):
    """How a remedy is carried out: all that it has of flags, edits, patch and commands, in this order.

    Attributes:
        code: stable kebab-case identifier of the kind of change; of a pair both, joined by ``+``.
        flags: what-ifs and flags of the same command.
        edits: fields of the manifest.
        patch: merge patch (RFC 7396) of the spec of the pods that wait, or of the template that they are made of.
        patches: the patch of each workload, by its name, where pods of several change; ``patch`` is the first of them.
        commands: what no flag of kplan does, as kubectl takes it.
        landed: how many pods land, or fit, then; of one pod how many nodes fit, 0 where others are placed before it.
        wanted: of how many; 0 where all there is to say is whether it goes through.
    """

    code: str
    flags: tuple[str, ...] = ()
    edits: tuple[FieldChange, ...] = ()
    patch: dict[str, Any] = msgspec.field(default_factory=dict)
    patches: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    commands: tuple[str, ...] = ()
    landed: int = 0
    wanted: int = 0
