"""What a snapshot says besides its objects, in annotations of its List: when, of what, and what is missing.

kubectl passes over them. What cannot be read of them counts as not said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from kplan.objects.models import Node, Pod
from kplan.objects.state import BrokenObject, ClusterState, KnownScheduler

SERVER_VERSION = "kplan.dev/server-version"
TAKEN = "kplan.dev/taken"
LISTED = "kplan.dev/kinds"
"""Kinds that were asked for, ``Pod,Node``: of those not in the list there are none."""
NOTES = "kplan.dev/notes"
"""What was noticed when the snapshot was taken, a sentence a line."""
COMPLETENESS = "kplan.dev/completeness"
"""What is absent, partial, broken or unknown, as JSON."""
SCHEDULER = "kplan.dev/scheduler"
"""What is known of the scheduler, as JSON."""
TEMPLATES = "kplan.dev/node-templates"
"""By node group, the node it would add and the pods that come with it, as JSON."""

_CONFIGURATION = (
    "apiVersion",
    "kind",
    "parallelism",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "profiles",
    "extenders",
    "algorithmProvider",
    "predicates",
    "priorities",
    "hardPodAffinitySymmetricWeight",
    "alwaysCheckAllPredicates",
)
"""Parts of a configuration or Policy that decide anything; connections and credentials are not among them."""
_EXTENDER_SECRETS = "tlsConfig"


class SnapshotNotes(Struct, frozen=True):
    """What a List says of itself.

    Attributes:
        listed: kinds that were asked for.
        notes: a sentence each.
        gaps: what it lacks.
        scheduler: what is known of the scheduler.
        templates: by node group, the node it would add and the pods that come with it.
    """

    listed: frozenset[str]
    notes: tuple[str, ...]
    gaps: Gaps
    scheduler: KnownScheduler
    templates: Mapping[str, tuple[Node, tuple[Pod, ...]]]


class Gaps(msgspec.Struct, omit_defaults=True):
    """Parts of a ``Completeness`` as they are written."""

    unknown: dict[str, int] = {}
    broken: tuple[BrokenObject, ...] = ()
    layouts: tuple[str, ...] = ()
    absences: dict[str, str] = {}
    partial: dict[str, str] = {}
    versions: dict[str, str] = {}


class _Templates(msgspec.Struct, omit_defaults=True):
    groups: dict[str, tuple[Node, tuple[Pod, ...]]] = {}


_Form = TypeVar("_Form", Gaps, KnownScheduler, _Templates)


def written(state: ClusterState, node_templates: Mapping[str, tuple[Node, tuple[Pod, ...]]]) -> dict[str, str]:
    """Write the annotations of a snapshot.

    Args:
        state: what the snapshot is of.
        node_templates: those of the state, as much of them as is to be written.
    """
    known = state.completeness
    gaps = msgspec.convert(known, Gaps, from_attributes=True)
    scheduler = msgspec.structs.replace(state.scheduler, configuration=pruned(state.scheduler.configuration))
    templates = _Templates(dict(node_templates))
    annotations = {
        SERVER_VERSION: state.server_version,
        TAKEN: state.taken,
        LISTED: ",".join(known.counts),
        NOTES: "\n".join(" ".join(note.split()) for note in known.notes),
        COMPLETENESS: _text(gaps),
        SCHEDULER: _text(scheduler),
        TEMPLATES: _text(templates),
    }
    return {name: value for name, value in annotations.items() if value}


def pruned(configuration: Mapping[str, object] | None) -> dict[str, Any] | None:
    """Leave out of a configuration what decides nothing: connections, and credentials of extenders."""
    if configuration is None:
        return None
    kept: dict[str, Any] = {part: configuration[part] for part in _CONFIGURATION if part in configuration}
    extenders = kept.get("extenders")
    if isinstance(extenders, list):
        kept["extenders"] = [
            {name: value for name, value in extender.items() if name != _EXTENDER_SECRETS}
            if isinstance(extender, dict)
            else extender
            for extender in extenders
        ]
    return kept


def told(annotations: Mapping[str, object]) -> SnapshotNotes:
    """Read the annotations of a List, whoever wrote it."""
    notes, listed = annotations.get(NOTES), annotations.get(LISTED)
    return SnapshotNotes(
        listed=frozenset(name.strip() for name in listed.split(",")) if isinstance(listed, str) else frozenset(),
        notes=tuple(note for note in notes.splitlines() if note) if isinstance(notes, str) else (),
        gaps=_read(annotations.get(COMPLETENESS), Gaps),
        scheduler=_read(annotations.get(SCHEDULER), KnownScheduler),
        templates=_read(annotations.get(TEMPLATES), _Templates).groups,
    )


def _text(said: Gaps | KnownScheduler | _Templates) -> str:
    """Write what is said as JSON; nothing where nothing is."""
    return msgspec.json.encode(said).decode() if said != type(said)() else ""


def _read(text: object, form: type[_Form]) -> _Form:
    try:
        return msgspec.json.decode(text, type=form) if isinstance(text, str) else form()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return form()
