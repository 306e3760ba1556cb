"""Supply: more and more pods of a workload, as its controller would make them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import NoReturn

from msgspec import Struct

from kplan.admission import expand
from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, PutNode, Remove, arrive, to_state
from kplan.cluster.tables import place_of
from kplan.cluster.work import EXPANDED
from kplan.errors import UsageError
from kplan.objects.kind_words import kind_of_word, kind_word
from kplan.objects.models import Node, Object, PersistentVolumeClaim, Pod
from kplan.objects.state import ClusterState
from kplan.scenario.manifests import IN_CLUSTER, as_manifest, fresh_copy
from kplan.scenario.names import find_workload, pods_by_workload, pods_of, workload_object
from kplan.sources import ManifestObject, Manifests, load_objects

_SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


class Supply(Struct, frozen=True):
    """One workload whose pods are multiplied.

    Attributes:
        name: ``deploy/shop/web``.
        sample: a pod of it after admission, without a node; copies of it are the pods of all but StatefulSets.
        running: pods of it that have a node.
        waiting: rows of pods of it that wait: they are counted among the ones that are tried.
        manifest: a StatefulSet, whose pods have claims of their own.
        objects: what has to be in the cluster beside the pods.
        shares: whether new pods share the claims of the pod they are copied from: a StatefulSet whose object the state
            does not hold.
        notes: what expanding its manifest says.
        beside: DaemonSets of the manifests, which are not multiplied.
        asks: replicas that a manifest asks for in all; None for one that says nothing of them.
    """

    name: str
    sample: Pod
    running: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    manifest: ManifestObject | None = None
    objects: tuple[Object, ...] = ()
    shares: bool = False
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    asks: int | None = None

    def begin(self) -> list[Change]:
        """Changes before the first pod: those that wait are taken out, they are tried with the others."""
        return [*map(Remove, self.waiting), *map(_put, self.objects)]

    def more(self, cluster: Cluster, start: int, count: int) -> list[Change]:
        """Changes that make pods number ``start`` to ``start + count``, counted from those that run."""
        if self.manifest is not None:
            return self._of_set(cluster, start, count)
        name = self.sample.name
        copies = [fresh_copy(self.sample, f"{name}-more-{n + 1}") for n in range(start, start + count)]
        return list(arrive(cluster, copies))

    def _of_set(self, cluster: Cluster, start: int, count: int) -> list[Change]:
        assert self.manifest is not None
        have = len(self.running) + start
        raw = {**self.manifest.raw, "spec": {**_dict(self.manifest.raw["spec"]), "replicas": have + count}}
        manifest = dataclasses.replace(self.manifest, raw=raw)
        expanded = expand(
            Manifests(objects=[manifest]), _without(cluster, manifest), cluster.rules, namespace=self.sample.namespace
        )
        taken = {pod.key for pod in cluster.pods if not pod.gone}
        pods = [entry.pod for entry in expanded.pods if entry.pod.key not in taken][:count]
        claims = [item for item in expanded.objects if isinstance(item, PersistentVolumeClaim)]
        return [*map(Put.of, claims), AddPods(tuple(pods))]


def _put(item: Object) -> Change:
    return PutNode(item.name, item) if isinstance(item, Node) else Put.of(item)


def _without(cluster: Cluster, manifest: ManifestObject) -> ClusterState:
    """The state as it is now without the object of a manifest, so that all of its pods are made anew."""
    return ClusterState.of([item for item in to_state(cluster).objects() if not _is(item, manifest)])


def _is(item: Object, manifest: ManifestObject) -> bool:
    return (
        manifest.item is not None
        and type(item) is type(manifest.item)
        and item.name == manifest.item.name
        and item.namespace in (manifest.item.namespace, "")
    )


def _dict(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value


def of_workload(cluster: Cluster, text: str, namespace: str = "") -> Supply:
    """Supply of a workload that is there, as ``deploy/web``.

    Raises:
        UsageError: there is none, or its pods cannot be multiplied.
    """
    kind, space, name = find_workload(cluster, text, namespace)
    if kind == "DaemonSet":
        _refuse_daemon_set(text)
    pods = pods_of(cluster, kind, space, name)
    item = workload_object(cluster, kind, space, name)
    manifest = as_manifest(item, IN_CLUSTER) if item is not None and kind in _SCALABLE else None
    word = text.partition("/")[0]
    sample = _sample(pods) or _expanded(cluster, manifest, text)
    keeps = kind == "StatefulSet" and manifest is not None and _has_claims(manifest)
    shares = kind == "StatefulSet" and manifest is None
    return Supply(f"{word}/{space}/{name}", sample, *_rows(pods), manifest if keeps else None, shares=shares)


def _refuse_daemon_set(text: str) -> NoReturn:
    raise UsageError(f"{text}: a DaemonSet has one pod for each node", code="not-scalable", hint="kplan simulate")


def _rows(pods: Iterable[PodInfo]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows of the pods that run and stay, and of those that wait."""
    running = tuple(pod.row for pod in pods if pod.bound and not pod.terminating)
    return running, tuple(pod.row for pod in pods if pod.waiting)


def _sample(pods: Sequence[PodInfo]) -> Pod | None:
    """The newest pod: a rollout's new template wins over the old one."""
    if not pods:
        return None
    newest = max(pods, key=lambda pod: (pod.pod.metadata.creation_timestamp or "", pod.name))
    return fresh_copy(newest.pod, newest.name)


def _expanded(cluster: Cluster, manifest: ManifestObject | None, text: str) -> Pod:
    """One pod made from the template of a workload that has none."""
    if manifest is None:
        raise UsageError(f"{text}: no pod of it, and no template", code="no-template", hint="kplan capacity MANIFEST")
    raw = {**manifest.raw, "spec": {**_dict(manifest.raw["spec"]), "replicas": 1}}
    expanded = expand(
        Manifests(objects=[dataclasses.replace(manifest, raw=raw)]), _without(cluster, manifest), cluster.rules
    )
    if not expanded.pods:
        why = "; ".join(map(str, (*expanded.refused, *expanded.not_expanded)))
        raise UsageError(f"{text}: {why or 'it makes no pods'}", code="no-template")
    return expanded.pods[0].pod


def of_manifests(cluster: Cluster, files: Sequence[str], namespace: str = "") -> list[Supply]:
    """Supplies of the workloads of manifests, one for each workload; one that runs here has its pods counted.

    DaemonSets are not among them: they have as many pods as there are nodes.

    Raises:
        SourceError: a manifest cannot be read.
        UsageError: there is no workload in it, or none but DaemonSets, or it would be refused.
    """
    space = namespace or "default"
    manifests = load_objects(list(files), namespace=space)
    state = to_state(cluster)
    mine = {(m.kind, _space(m, space), m.item.name) for m in manifests.objects if m.item is not None}
    others = [item for item in state.objects() if (type(item).__name__, item.namespace, item.name) not in mine]
    cluster.work.charge(EXPANDED * len(manifests.objects))
    expanded = expand(manifests, ClusterState.of(others), cluster.rules, namespace=space)
    if expanded.refused:
        raise UsageError(f"the API server would refuse it: {expanded.refused[0]}", code="refused")
    first: dict[str, Pod] = {}
    for entry in expanded.pods:
        first.setdefault(entry.workload, entry.pod)
    everywhere = [workload for workload in first if workload.partition("/")[0] == kind_word("DaemonSet")]
    if everywhere and len(everywhere) == len(first):
        _refuse_daemon_set(everywhere[0])
    for workload in everywhere:
        del first[workload]
    if not first:
        raise UsageError("no workload in these manifests", code="no-workload")
    by_name = {_name(m, space): m for m in manifests.objects}
    objects = [item for item in expanded.objects if not isinstance(item, Pod)]
    objects.sort(key=lambda item: place_of(item.key))  # so that each is put behind those before it
    supplies = []
    running = pods_by_workload(cluster)
    for number, (workload, pod) in enumerate(first.items()):
        word, _, rest = workload.partition("/")
        of_its_own, _, name = rest.rpartition("/")
        there = running.get((kind_of_word(word), of_its_own or space, name), [])  # none where it is new here
        manifest = by_name.get(workload)
        keeps = manifest is not None and manifest.kind == "StatefulSet" and _has_claims(manifest)
        brought = () if number else objects  # the first brings what all of them need
        claims = tuple(item for item in brought if not keeps or not isinstance(item, PersistentVolumeClaim))
        supplies.append(
            Supply(
                workload,
                fresh_copy(pod, pod.name),
                *_rows(there),
                manifest if keeps else None,
                claims,
                notes=expanded.notes if not number else (),
                beside=tuple(everywhere) if not number else (),
                asks=_replicas(manifest),
            )
        )
    return supplies


def _replicas(manifest: ManifestObject | None) -> int | None:
    """Replicas that a manifest asks for; None where it does not say."""
    asks = _dict(manifest.raw.get("spec") or {}).get("replicas") if manifest is not None else None
    return asks if isinstance(asks, int) else None


def _space(manifest: ManifestObject, default: str) -> str:
    return manifest.item.namespace or default if manifest.item is not None else default


def _name(manifest: ManifestObject, default: str) -> str:
    """``deploy/shop/web``."""
    name = manifest.item.name if manifest.item is not None else ""
    return f"{kind_word(manifest.kind)}/{_space(manifest, default)}/{name}"


def _has_claims(manifest: ManifestObject) -> bool:
    return bool(_dict(manifest.raw.get("spec") or {}).get("volumeClaimTemplates"))
