"""What a snapshot holds, as far as calls name it: chosen by a fixed rule, so that every checkout is asked the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_SHORT = {"deployments": "deploy", "stateful_sets": "sts", "replica_sets": "rs", "jobs": "job", "daemon_sets": "ds"}


@dataclass(frozen=True)
class Facts:
    """Names by which calls ask.

    Attributes:
        nodes: names, sorted.
        zones: values of zone labels, sorted.
        waiting: ``namespace/name`` of pods without a node, those of other owners first.
        running: of pods that run, those of other owners first.
        workloads: ``deploy/namespace/name`` and the like, those that have replicas.
        budgets: ``namespace/name``.
    """

    nodes: tuple[str, ...]
    zones: tuple[str, ...]
    waiting: tuple[str, ...]
    running: tuple[str, ...]
    workloads: tuple[str, ...]
    budgets: tuple[str, ...]


def read(path: Path) -> Facts | None:
    """Read a snapshot; None if it is refused."""
    import kplan
    from kplan.errors import KplanError

    try:
        state = kplan.load(str(path))
    except KplanError:
        return None
    labels = [node.metadata.labels or {} for node in state.nodes]
    live = [pod for pod in state.pods if pod.status.phase not in ("Succeeded", "Failed")]
    return Facts(
        nodes=tuple(sorted(node.name for node in state.nodes)),
        zones=tuple(sorted({one[key] for one in labels for key in _ZONES if key in one})),
        waiting=_of_all_owners(pod for pod in live if not pod.spec.node_name),
        running=_of_all_owners(pod for pod in live if pod.spec.node_name),
        workloads=tuple(
            f"{short}/{item.namespace}/{item.name}"
            for attribute, short in _SHORT.items()
            for item in getattr(state, attribute)
            if not item.metadata.owner_references
        ),
        budgets=tuple(f"{item.namespace}/{item.name}" for item in state.pod_disruption_budgets),
    )


def _of_all_owners(pods: Iterable[Any]) -> tuple[str, ...]:
    """One pod of each owner first, then the others; both by name."""
    first: dict[str, str] = {}
    rest = []
    for pod in sorted(pods, key=lambda pod: (pod.namespace, pod.name)):
        owners = pod.metadata.owner_references or []
        owner = f"{pod.namespace}/{owners[0].kind}/{owners[0].name}" if owners else f"{pod.namespace}/{pod.name}"
        if owner in first:
            rest.append(f"{pod.namespace}/{pod.name}")
        else:
            first[owner] = f"{pod.namespace}/{pod.name}"
    return (*first.values(), *rest)


def some(names: Sequence[str], count: int) -> tuple[str, ...]:
    """So many of some names, evenly: the first and the last among them."""
    if len(names) <= count:
        return tuple(names)
    if count == 1:
        return (names[0],)
    return tuple(dict.fromkeys(names[round(at * (len(names) - 1) / (count - 1))] for at in range(count)))
