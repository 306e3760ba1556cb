"""Landing: a state with what manifests bring added, and which of its pods are theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kplan.admission import Expansion, expand
from kplan.objects.models import Object
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.result.document_plan import Expanded
from kplan.sources import load_objects
from kplan.studies.words import count

_ON_EVERY_POD = "DefaultTolerationSeconds"
"""What admission adds to every pod, and that keeps none from anywhere."""


@dataclass(frozen=True)
class Landed:
    """A state after manifests landed.

    Attributes:
        state: the state with their objects and pods.
        pods: ``namespace/name`` of their pods, in order.
        change: what each object came to.
        notes: what else to say.
    """

    state: ClusterState
    pods: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()
    notes: tuple[str, ...] = ()


def nothing(state: ClusterState) -> Landed:
    """The state as it is."""
    return Landed(state)


def land(state: ClusterState, files: list[str], rules: RequestRules, namespace: str = "") -> Landed:
    """Add what manifests bring to a state.

    Args:
        state: the state; it is not changed.
        files: names of files and folders, ``-`` for standard input.
        rules: how requests are counted.
        namespace: of objects that name none.

    Raises:
        SourceError: a manifest cannot be read.
    """
    paths: list[str | Path] = list(files)
    manifests = load_objects(paths, namespace=namespace or "default")
    found = expand(manifests, state, rules, namespace=namespace or "default")
    objects: dict[tuple[type[Object], str], Object] = {(type(item), item.key): item for item in state.objects()}
    pods = [entry.pod for entry in found.pods]
    objects.update(((type(item), item.key), item) for item in (*found.objects, *pods))
    merged = ClusterState.of(
        objects.values(),
        source=state.source,
        server_version=state.server_version,
        taken=state.taken,
        completeness=state.completeness,
    )
    return Landed(merged, tuple(pod.key for pod in pods), tuple(_change(found)), found.notes)


def _change(found: Expansion) -> Iterable[Expanded]:
    counts = Counter((entry.workload, entry.place) for entry in found.pods)
    verdicts = {(change.workload, change.place): change for change in found.changes}
    added: dict[tuple[str, str], dict[str, None]] = {}
    for entry in found.pods:
        told = (text for text in entry.added if _ON_EVERY_POD not in text)
        added.setdefault((entry.workload, entry.place), {}).update(dict.fromkeys(told))
    for workload, place in dict.fromkeys([*verdicts, *counts]):
        change = verdicts.get((workload, place))
        notes = list(added.get((workload, place), ()))
        if change is not None and change.leaving:
            gone = count(len(change.leaving), "running pod")
            notes.append(f"{gone} of it would leave in the end, and stay in this plan")
        yield Expanded(
            object=workload,
            verdict=change.verdict if change is not None else "",
            pods=counts[workload, place],
            place=place,
            note=", ".join(notes),
        )
    for text in found.refused:
        yield Expanded(object=text, refused=True)
    for text in found.not_expanded:
        yield Expanded(object=text, expanded=False)
