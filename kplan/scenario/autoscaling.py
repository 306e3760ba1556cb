"""Autoscalers at a limit: each workload has the replicas or requests that its autoscaler would give it at most.

Replicas are those of HorizontalPodAutoscalers and of KEDA's ScaledObjects, whose own HorizontalPodAutoscalers count
once; requests are what VerticalPodAutoscalers recommend, limits growing with them.

Not modelled: what makes an autoscaler scale; workloads of kinds that kplan does not expand; resizing in place. Where
the updater of VerticalPodAutoscalers would leave pods that run as they are, they are made anew here, which a note says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.admission import expand
from kplan.cluster import Cluster, to_state
from kplan.errors import UsageError
from kplan.objects import lean
from kplan.objects.kind_words import kind_word
from kplan.objects.models import HorizontalPodAutoscaler, Object, ScaledObject, StatefulSet, VerticalPodAutoscaler
from kplan.objects.state import ClusterState
from kplan.scenario.autoscalers import (
    Advice,
    Autoscaler,
    advices,
    autoscalers,
    replicas_of,
    with_replicas,
)
from kplan.scenario.effect import Effect
from kplan.scenario.manifests import Scale, as_manifest, expansion_effect, hold
from kplan.scenario.names import workload_object
from kplan.scenario.sizing import with_requests
from kplan.sources import ManifestObject, Manifests
from kplan.words import count, listed

HPA = ("min", "max", "now")
VPA = ("target", "upper")
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_SIZED = ("Deployment", "StatefulSet", "DaemonSet")
_HELD = {"min": "paused-scale-in", "max": "paused-scale-out"}
_AT = {"min": "minimum", "max": "maximum"}


class AutoscaleReplicas(Struct, frozen=True):
    """Workloads have the replicas that their autoscalers give them at a limit.

    Attributes:
        limit: one of HPA.
    """

    limit: str

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--hpa {self.limit}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        told, notes = [], []
        changed: dict[str, tuple[ManifestObject, int]] = {}
        sized: list[Object] = []
        owners = autoscalers(to_state(cluster).objects(), cluster.rules.minor)
        for owner in owners:
            item = workload_object(cluster, *owner.target) if owner.kind in _SCALED else None
            if item is None:
                notes.append(f"{owner.name} scales {owner.text}, which is not there")
                continue
            manifest = as_manifest(item, self.flag)
            now = replicas_of(manifest)
            wanted = owner.at(self.limit, now)
            if wanted != now:
                changed[owner.text] = with_replicas(manifest, wanted), wanted
                sized.append(_sized(item, wanted))
                told.append(f"{owner.text} {now:,} -> {wanted:,}")
            elif owner.rivals:
                notes.append(f"{owner.name} and {listed(list(owner.rivals))} scale {owner.text}: neither does")
            elif owner.paused:
                notes.append(f"{owner.name} is paused: {owner.text} keeps its replicas")
            elif not (owner.grows if self.limit == "max" else owner.shrinks):
                notes.append(f"{owner.name} scales {owner.text} no further: {_HELD[self.limit]}")
            elif not now and not owner.wakes:
                notes.append(f"{owner.name} leaves {owner.text} alone, which has 0 replicas")
        what = f"{count(len(owners), 'autoscaler')} {_at(self.limit, len(owners))}"
        text = f"{what}: {listed(told, most=3)}" if told else f"{what}: no workload changes"
        effect = _applied(cluster, [manifest for manifest, _ in changed.values()], text, sized)
        again = [Scale(name, wanted).effect(cluster) for name, (_, wanted) in changed.items() if name in effect[1]]
        refused = [out for out in effect[0].refused if not out.problems]  # the others are scaled by their pods
        return _joined(replace(effect[0], refused=tuple(refused)), again, notes)


def _at(limit: str, number: int) -> str:
    """``at its maximum``; ``at their minimum``; ``as they are``."""
    if limit == "now":
        return "as it is" if number == 1 else "as they are"
    return f"at {'its' if number == 1 else 'their'} {_AT[limit]}"


def _sized(item: Object, replicas: int) -> Object:
    """A StatefulSet with another number of replicas."""
    if not isinstance(item, StatefulSet):
        return item
    return msgspec.structs.replace(item, spec=msgspec.structs.replace(item.spec, replicas=replicas))


def _applied(
    cluster: Cluster, manifests: Sequence[ManifestObject], text: str, sized: Sequence[Object] = ()
) -> tuple[Effect, frozenset[str]]:
    """Apply objects that run, changed; and name those whose objects a dump holds only in part.

    Args:
        cluster: the cluster before.
        manifests: the objects, changed.
        text: what it comes to.
        sized: those that are scaled, with their replicas.
    """
    if not manifests:
        return Effect((), text=text), frozenset()
    expansion = expand(Manifests(objects=list(manifests)), to_state(cluster), cluster.rules, namespace="")
    broken = frozenset(f"{kind_word(out.kind)}/{out.key}" for out in expansion.refused if out.problems)
    expansion, held = hold(cluster, expansion, sized)
    return replace(expansion_effect(cluster, expansion, text), held=held), broken


def _joined(first: Effect, more: Sequence[Effect], notes: Sequence[str]) -> Effect:
    every = (first, *more)
    return Effect(
        tuple(change for effect in every for change in effect.changes),
        tuple(row for effect in every for row in effect.evicted),
        tuple(row for effect in every for row in effect.lost),
        first.text,
        (*notes, *(note for effect in every for note in effect.notes)),
        refused=tuple(out for effect in every for out in effect.refused),
        held=tuple(held for effect in every for held in effect.held),
    )


class AutoscaleRequests(Struct, frozen=True):
    """Workloads request what their VerticalPodAutoscalers recommend, and their pods are made anew.

    Attributes:
        bound: one of VPA.
    """

    bound: str

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--vpa {self.bound}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        manifests, told, notes = [], [], []
        state = to_state(cluster)
        for advice in advices(state.objects(), self.bound):
            if advice.silent:
                notes.append(f"{advice.name}: {advice.silent}")
                continue
            item = workload_object(cluster, *advice.target) if advice.kind in _SIZED else None
            if item is None:
                notes.append(f"{advice.name} is about {advice.text}, which is not there")
                continue
            before = as_manifest(item, self.flag)
            manifest, changes = with_requests(before, advice, state.limit_ranges)
            if changes:
                manifests.append(manifest)
                told.append(f"{advice.text} {', '.join(changes)}")
                notes += _left_as_they_are(advice, manifest)
        what = f"requests at the {'target' if self.bound == 'target' else 'upper bound'} of VerticalPodAutoscalers"
        text = f"{what}: {listed(told, most=3)}" if told else f"{what}: no workload changes"
        return _joined(_applied(cluster, manifests, text)[0], (), notes)


def _left_as_they_are(advice: Advice, manifest: ManifestObject) -> Iterator[str]:
    """Say where the updater leaves pods that run as they are, which are made anew here."""
    replicas = replicas_of(manifest)
    if advice.kind != "DaemonSet" and 0 < replicas < advice.updates_from:
        few = f"{advice.text} has {count(replicas, 'replica')}, fewer than minReplicas {advice.updates_from}"
        yield f"{advice.name}: {few}, so pods that run stay as they are; here they are made anew"
    elif advice.late:
        yield f"{advice.name}: {advice.late}; here those of {advice.text} are made anew"


def read_limit(name: str, text: str) -> AutoscaleReplicas | AutoscaleRequests:
    """Read what follows ``--hpa`` or ``--vpa``.

    Raises:
        UsageError: it is none of the limits.
    """
    known = HPA if name == "hpa" else VPA
    if text not in known:
        raise UsageError(f"--{name} {text}: one of {', '.join(known)}", code="bad-step")
    return AutoscaleReplicas(text) if name == "hpa" else AutoscaleRequests(text)


def autoscalers_with(manifests: Manifests, state: ClusterState, minor: int) -> list[Autoscaler]:
    """Find what owns replicas once manifests have landed; in a version of Kubernetes."""
    return autoscalers(_objects_with(manifests, state), minor)


def idle_limits(
    manifests: Manifests, state: ClusterState, limits: Sequence[AutoscaleReplicas | AutoscaleRequests]
) -> Iterator[str]:
    """Yield the flags of limits that change nothing, as no autoscaler of their kind is there."""
    there = _objects_with(manifests, state)
    for limit in limits:
        kinds = (
            (HorizontalPodAutoscaler, ScaledObject) if isinstance(limit, AutoscaleReplicas) else VerticalPodAutoscaler
        )
        if not any(isinstance(item, kinds) for item in there):
            yield limit.flag


def _objects_with(manifests: Manifests, state: ClusterState) -> list[Object]:
    owners = (*state.horizontal_pod_autoscalers, *state.scaled_objects, *state.vertical_pod_autoscalers)
    there: dict[tuple[type[Object], str], Object] = {(type(item), item.key): item for item in owners}
    for manifest_object in manifests.objects:
        item = manifest_object.item
        if item is not None:
            key = type(item), item.key
            there[key] = _applied_over(there.get(key), item)
    return list(there.values())


def _applied_over(before: Object | None, item: Object) -> Object:
    """An object as it is once a manifest is applied: of an autoscaler that is there, status and age stay."""
    for kind in (HorizontalPodAutoscaler, VerticalPodAutoscaler):
        if isinstance(before, kind) and isinstance(item, kind):
            since = before.metadata.creation_timestamp
            metadata = lean.replace(item.metadata, creation_timestamp=since)
            return msgspec.structs.replace(item, metadata=metadata, status=before.status)
    return item


def target_of(manifest: ManifestObject, namespace: str) -> tuple[str, str, str]:
    """Kind, namespace and name of an object of a manifest, as an autoscaler beside it means it."""
    item = manifest.item
    if item is None:
        return manifest.kind, "", ""
    return manifest.kind, item.metadata.namespace or namespace, item.name


def autoscaled(
    manifests: Manifests, state: ClusterState, limits: Sequence[AutoscaleReplicas | AutoscaleRequests], minor: int
) -> Manifests:
    """Give the workloads of manifests what their autoscalers give them at a limit; what was not asked for stays.

    Args:
        manifests: what lands.
        state: the cluster, whose autoscalers count as those of the manifests do.
        limits: what is asked, in order; of each kind the last decides.
        minor: version of Kubernetes.

    A workload that is there and whose autoscaler is to leave it as it is (``now``) keeps the replicas it has.
    """
    replicas = next((limit for limit in reversed(limits) if isinstance(limit, AutoscaleReplicas)), None)
    requests = next((limit for limit in reversed(limits) if isinstance(limit, AutoscaleRequests)), None)
    objects, notes = list(manifests.objects), list(manifests.notes)
    if replicas is not None:
        owners = {autoscaler.target: autoscaler for autoscaler in autoscalers_with(manifests, state, minor)}
        running = {(kind, item.namespace, item.name): item for kind, item in _running(state)}
        for number, manifest in enumerate(objects):
            owner = owners.get(target_of(manifest, manifests.namespace))
            if owner is None or owner.paused or owner.kind not in _SCALED:
                continue
            written = replicas_of(manifest)
            there = running.get(owner.target)
            now = replicas_of(as_manifest(there, "")) if there is not None else written
            wanted = owner.at(replicas.limit, now)
            objects[number] = with_replicas(manifest, wanted)
            notes.append(
                f"{owner.name} owns the replicas of {owner.text}: planned with {wanted:,}"
                + (f", not the {written:,} written" if wanted != written else "")
            )
    if requests is not None:
        for advice in advices(_objects_with(manifests, state), requests.bound):
            for number, manifest in enumerate(objects):
                if target_of(manifest, manifests.namespace) == advice.target and not advice.silent:
                    objects[number], changes = with_requests(manifest, advice, state.limit_ranges)
                    notes += [f"{advice.name} sizes {advice.text}: {', '.join(changes)}"] if changes else []
    return dataclasses.replace(manifests, objects=objects, notes=notes, autoscaled=replicas is not None)


def _running(state: ClusterState) -> Iterator[tuple[str, Object]]:
    for kind, items in (
        ("Deployment", state.deployments),
        ("StatefulSet", state.stateful_sets),
        ("ReplicaSet", state.replica_sets),
        ("ReplicationController", state.replication_controllers),
    ):
        for item in items:
            yield kind, item
