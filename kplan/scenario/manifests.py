"""Verbs that a controller carries out: apply manifests, scale a workload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count as count_from

import msgspec
from msgspec import Struct, structs

from kplan.admission import Expansion, Standing, expand, leaving_order, ordinal
from kplan.admission.controllers.device_claims import status_of_copy
from kplan.admission.controllers.names import MOST_PODS
from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, PutNode, arrive, leave, to_state
from kplan.cluster.owners import controller
from kplan.cluster.silence import stays_terminating
from kplan.errors import UsageError
from kplan.objects.kinds import BY_MODEL
from kplan.objects.lean import replace
from kplan.objects.models import Node, Object, Pod, ReplicationController, StatefulSet, Workload
from kplan.objects.whole_numbers import is_natural, parse_int
from kplan.scenario.budgets import healthy
from kplan.scenario.effect import Effect, LeftUndone, bad_step
from kplan.scenario.names import find_workload, pods_of, workload_object
from kplan.sources import ManifestObject, Manifests, load_objects
from kplan.visible import without_credentials
from kplan.words import count, listed

IN_CLUSTER = "the cluster"
"""Where an object is said to be from that is written as the manifest it might have been made by."""


class AddManifest(Struct, frozen=True):
    """Manifests are applied, and their controllers are done: what they replace has left.

    Attributes:
        files: files or folders.
        namespace: of objects that name none.
    """

    files: tuple[str, ...]
    namespace: str = "default"

    @property
    def flag(self) -> str:
        """See Verb."""
        return without_credentials(f"--add-manifest {','.join(self.files)}")

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        manifests = load_objects(list(self.files), namespace=self.namespace)
        expansion = expand(manifests, to_state(cluster), cluster.rules, namespace=self.namespace)
        return expansion_effect(cluster, expansion, without_credentials(f"{', '.join(self.files)} applied"))


def expansion_effect(cluster: Cluster, expansion: Expansion, text: str) -> Effect:
    """Turn what manifests come to into changes: what leaves, then other objects, then new pods."""
    leaving = [cluster.pod_index[key] for change in expansion.changes for key in change.leaving]
    changes: list[Change] = [*leave(cluster, leaving)]
    for item in expansion.objects:
        changes.append(PutNode(item.name, item) if isinstance(item, Node) else Put.of(item))
    pods = tuple(entry.pod for entry in expansion.pods)
    if pods:
        changes.append(AddPods(pods))
    counts = [f"{count(len(pods), 'pod')} to place"]
    counts += [_leave([cluster.pods[row].key for row in leaving])] if leaving else []
    unsure = (f"{change.workload}: {change.unsure}" for change in expansion.changes if change.unsure)
    notes = (
        *(str(out) for out in expansion.refused),
        *(str(out) for out in expansion.not_expanded),
        *expansion.notes,
        *unsure,
    )
    said = f"{text}: {', '.join(counts)}"
    return Effect(tuple(changes), (), tuple(leaving), said, notes, refused=tuple(expansion.refused))


def _leave(names: Sequence[str]) -> str:
    """``1 leaves (shop/db-2)``."""
    return f"{len(names):,} {'leaves' if len(names) == 1 else 'leave'} ({listed(names)})"


class Scale(Struct, frozen=True):
    """A workload has another number of replicas.

    Attributes:
        workload: ``deploy/shop/web``.
        replicas: how many.
        namespace: of a name without one.
    """

    workload: str
    replicas: int
    namespace: str = ""

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--scale {self.workload}={self.replicas}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        kind, space, name = find_workload(cluster, self.workload, self.namespace)
        if kind not in ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job"):
            raise bad_step(self.flag, f"a {kind} has no replicas")
        item = workload_object(cluster, kind, space, name)
        running = [pod for pod in pods_of(cluster, kind, space, name) if not pod.terminating]
        if not isinstance(item, Workload | ReplicationController):
            return self._by_pods(cluster, kind, running)
        now = replace(item, spec=replace(item.spec, replicas=self.replicas))
        manifests = Manifests(objects=[as_manifest(now, self.flag)], namespace=space)
        expansion = expand(manifests, to_state(cluster), cluster.rules, namespace=space)
        if running and any(out.problems for out in expansion.refused):
            # the server took it: what is missing (an image, a mount) was left out of the dump
            return self._by_pods(cluster, kind, running)
        expansion, held = hold(cluster, expansion, (now,))
        return structs.replace(expansion_effect(cluster, expansion, self._text(len(running))), held=held)

    def _text(self, before: int) -> str:
        return f"{self.workload} scaled from {before:,} to {self.replicas:,}"

    def _by_pods(self, cluster: Cluster, kind: str, running: list[PodInfo]) -> Effect:
        """Copy or remove pods of a workload whose object the state does not hold, or not all of it."""
        before = len(running)
        note = ("its object is not in the dump: pods are copied from one that is there",)
        if self.replicas <= before:
            rows = tuple(_leaving(cluster, kind, running)[: before - self.replicas])
            leaving = [cluster.pods[row].key for row in rows]
            return Effect(
                leave(cluster, rows),
                (),
                rows,
                f"{self._text(before)}: {_leave(leaving)}" if rows else self._text(before),
            )
        if not running:
            raise UsageError(
                f"{self.flag}: neither its object nor a pod of it is here",
                code="no-template",
                hint="--add-manifest FILE",
            )
        names = _names(cluster, kind, running[0])
        copies = tuple(fresh_copy(running[0].pod, next(names)) for _ in range(self.replicas - before))
        return Effect(arrive(cluster, copies), (), (), self._text(before), note)


def hold(cluster: Cluster, expansion: Expansion, items: Iterable[Object]) -> tuple[Expansion, tuple[LeftUndone, ...]]:
    """Leave out of what controllers do what ordered StatefulSets wait with, and tell what they wait for.

    Args:
        cluster: the cluster before.
        expansion: what the objects come to.
        items: objects that run, with the replicas that they are to have.
    """
    first: dict[str, PodInfo] = {}
    for item in items:
        if isinstance(item, StatefulSet):
            lower = waits_for(cluster, item)
            if lower is not None:
                first[f"{item.namespace}/{item.name}"] = lower
    if not first:
        return expansion, ()

    def made(pod: Pod) -> bool:
        lower = first.get(f"{pod.namespace}/{pod.name.rpartition('-')[0]}")
        return lower is None or ordinal(pod.name) < ordinal(lower.name)

    held = tuple(
        LeftUndone(pod.key, cluster.home_of(pod.row) if pod.bound else "", controller(pod), silent=pod.terminating)
        for pod in first.values()
    )
    return structs.replace(expansion, pods=tuple(entry for entry in expansion.pods if made(entry.pod))), held


def waits_for(cluster: Cluster, item: StatefulSet) -> PodInfo | None:
    """The pod that an ordered StatefulSet waits for before it makes or removes another; None for none.

    One that stays Terminating on a silent node is waited for as well.

    Args:
        cluster: the cluster.
        item: the set, with the replicas that it is to have.

    Source: processReplica, processCondemned in pkg/controller/statefulset/stateful_set_control.go.
    """
    mine = pods_of(cluster, "StatefulSet", item.namespace, item.name)
    running = [pod for pod in mine if not pod.terminating or stays_terminating(cluster, pod.row)]
    first, wanted = (item.spec.ordinals.start or 0) if item.spec.ordinals is not None else 0, item.spec.replicas or 0
    if item.spec.pod_management_policy == "Parallel" or len(running) == wanted:
        return None
    idle = [pod for pod in sorted(running, key=lambda pod: ordinal(pod.name)) if pod.terminating or not healthy(pod)]
    staying = [pod for pod in idle if first <= ordinal(pod.name) < first + wanted]
    return (staying or idle)[0] if staying or len(idle) > 1 else None


def _leaving(cluster: Cluster, kind: str, pods: Sequence[PodInfo]) -> list[int]:
    """Rows of the pods of a workload in the order in which its controller removes them."""
    if kind == "StatefulSet":
        return [pod.row for pod in sorted(pods, key=lambda pod: (-ordinal(pod.name), pod.name))]
    standing = {
        pod.key: Standing(pod.pod, cluster.home_of(pod.row) if pod.bound else "", healthy(pod), pod.uid)
        for pod in sorted(pods, key=lambda pod: pod.name)
    }
    order = leaving_order(list(standing.values()), standing.values(), cluster.state.taken)
    return [cluster.pod_index[standing.pod.key] for standing in order]


def _names(cluster: Cluster, kind: str, sample: PodInfo) -> Iterator[str]:
    """Names of more pods: the next free ordinals of a StatefulSet, else made of a pod that is there."""
    if kind != "StatefulSet":
        yield from (f"{sample.name}-s{n}" for n in count_from(1))
    stem = sample.name.rpartition("-")[0]
    for n in count_from(0):
        row = cluster.pod_index.get(f"{sample.namespace}/{stem}-{n}")
        if row is None or cluster.pods[row].gone:
            yield f"{stem}-{n}"


def as_manifest(item: Object, place: str) -> ManifestObject:
    """Write an object as the manifest it might have been made by.

    Args:
        item: the object.
        place: where it is said to be from.
    """
    kind = BY_MODEL[type(item)]
    raw = {**msgspec.to_builtins(item), "apiVersion": kind.api_version, "kind": kind.kind}
    return ManifestObject(kind.api_version, kind.kind, item, raw, place, 0)


def fresh_copy(pod: Pod, name: str) -> Pod:
    """Make a pod of another's template: no node, no status."""
    metadata = replace(pod.metadata, name=name, uid=None, deletion_timestamp=None, creation_timestamp=None)
    return replace(pod, metadata=metadata, spec=replace(pod.spec, node_name=None), status=status_of_copy(pod))


def read_scale(text: str, namespace: str = "") -> Scale:
    """Read ``deploy/shop/web=5``.

    Raises:
        UsageError: there is no number.
    """
    workload, equals, count = text.rpartition("=")
    if not equals or not is_natural(count):
        raise bad_step(f"--scale {text}", "no number of replicas")
    if (replicas := parse_int(count, 32)) is None:
        raise bad_step(f"--scale {text}", "replicas are a number of 32 bits")
    if replicas > MOST_PODS:
        raise bad_step(f"--scale {text}", f"{MOST_PODS:,} replicas are the most that kplan makes")
    return Scale(workload, replicas, namespace)
