"""Manifests that land: what of them is there, what is created, and the pods that follow from it.

An object that is there as its manifest says is left alone, and its pods that wait are bound; one that differs is for
``kubectl apply``, whose rollout is the controller's business. Of what is not there, pods are planned as they come out
of admission and of their controllers, as for ``kplan simulate``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.admission import Expansion, LeftOut, expand, node_of
from kplan.admission.controllers.changes import find_running, owned_pods
from kplan.admission.controllers.workloads import INDEX_LABEL
from kplan.bind.wire.client import Client
from kplan.bind.wire.resources import AWAITED, ApiResource, collection, rank, resource_of
from kplan.bind.wire.same import first_difference
from kplan.errors import LiveError, UsageError
from kplan.objects.kind_words import kind_word
from kplan.objects.kinds import find
from kplan.objects.models import Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.result.document_bind import BindObject
from kplan.sources import ManifestObject, Manifests, load_objects
from kplan.sources.live.failures import ServerAnswer
from kplan.studies.simulate.landing import with_objects

Raw = dict[str, Any]

HOOK = "helm.sh/hook"
_AWAITED_WORDS = frozenset(map(kind_word, AWAITED))


class Planned(Struct, frozen=True):
    """A pod that is not there yet.

    Attributes:
        create: the pod as it is created; None for one that a controller makes.
        owner: the object whose controller makes it, as ``deploy/shop/web``; empty for a bare one.
        slot: which of its owner's pods it is; see ``slot_of``.
        after: pod that must be ready before its controller makes this one.
    """

    create: Raw | None = None
    owner: str = ""
    slot: str = ""
    after: str = ""


class ManifestPods(Struct, frozen=True):
    """What manifests come to.

    Attributes:
        state: with what is created, and with the pods that follow from it.
        pods: ``namespace/name`` of pods in question, there or not, in the order of the manifests.
        planned: those that are not there.
        objects: all but bare pods, in the order in which they are created.
        notes: what else to say.
    """

    state: ClusterState
    pods: tuple[str, ...] = ()
    planned: Mapping[str, Planned] = field(default_factory=dict)
    objects: tuple[BindObject, ...] = ()
    notes: tuple[str, ...] = ()


def slot_of(pod: Pod, owner: str) -> str:
    """Tell which of its owner's pods a pod is: the one of that name, index or node; empty where all are equal.

    Args:
        pod: planned or real.
        owner: ``sts/shop/db``.
    """
    word = owner.partition("/")[0]
    if word == "sts":
        return pod.name
    return node_of(pod) if word == "ds" else pod.labels.get(INDEX_LABEL, "") if word == "job" else ""


def read_manifests(files: Sequence[str], namespace: str) -> Manifests:
    """Read manifests of which every object has a name.

    Raises:
        SourceError: a file cannot be read.
        UsageError: an object is broken, or has no name.
    """
    manifests = load_objects(list(files), namespace=namespace)
    if manifests.broken_objects:
        broken = manifests.broken_objects[0]
        raise UsageError(f"{broken.place}: {broken.problem}", code="broken-manifest")
    for item in manifests.objects:
        if not _metadata(item).get("name"):
            raise UsageError(
                f"{_place(item)}: a {item.kind} without a name",
                code="no-name",
                hint="kplan bind has to find it again: give it a name instead of generateName",
            )
    return manifests


def created_resources(manifests: Manifests) -> frozenset[ApiResource]:
    """Resources of which the manifests have objects that bind would create."""
    resources = (resource_of(item.api_version, item.kind) for item in manifests.objects if not _is_hook(item))
    return frozenset(resource for resource in resources if resource is not None)


def space_of(item: ManifestObject, namespace: str) -> str:
    """Namespace in which an object is created; empty for one that is in none, or that bind does not create."""
    resource = resource_of(item.api_version, item.kind)
    named = str(_metadata(item).get("namespace") or namespace)
    return named if resource is not None and resource.namespaced else ""


def as_created(item: ManifestObject, space: str) -> Raw:
    """The object as it is created in a namespace; in a PodList a pod does not say what it is."""
    metadata = {**_metadata(item), **({"namespace": space} if space else {})}
    return {"apiVersion": item.api_version, "kind": item.kind, **item.raw, "metadata": metadata}


def land(
    manifests: Manifests, state: ClusterState, rules: RequestRules, namespace: str, client: Client | None
) -> ManifestPods:
    """Find out what manifests come to.

    Args:
        manifests: see ``read_manifests``.
        state: the state; it is not changed.
        rules: how requests are counted.
        namespace: of objects that name none.
        client: the server, which is asked for each object; None for a snapshot, which is looked into.

    Raises:
        LiveError: the server does not answer.
    """
    looked = _Looked(state, namespace, client)
    for item in manifests.objects:
        looked.look(item)
    new = Manifests(objects=looked.new, notes=manifests.notes, namespace=namespace)
    expansion = expand(new, state, rules, namespace=namespace)
    planned, pods, left = _planned(expansion, looked.create)
    refused = {item.object: item for item in map(_refused, (left for left in expansion.refused if not left.pods))}
    kept = (_without_some(item, expansion.refused) for item in looked.objects if item.object not in refused)
    return ManifestPods(
        with_objects(state, (*expansion.objects, *pods)),
        (*looked.pods, *planned),
        planned,
        tuple(sorted((*kept, *refused.values()), key=lambda item: rank(item.kind))),
        (*looked.notes, *expansion.notes, *map(str, expansion.not_expanded), *left),
    )


class _Looked:
    """Manifests held against what is there, one after the other."""

    def __init__(self, state: ClusterState, namespace: str, client: Client | None) -> None:
        self._state, self._namespace, self._client = state, namespace, client
        self.new: list[ManifestObject] = []
        self.objects: list[BindObject] = []
        self.create: dict[str, Raw] = {}
        self.pods: list[str] = []
        self.notes: list[str] = []

    def look(self, item: ManifestObject) -> None:
        """Take one object."""
        if _is_hook(item):
            self.new.append(item)  # expansion says that it is left out
            return
        resource = resource_of(item.api_version, item.kind)
        if resource is None:
            told = (
                f"{item.kind} {_metadata(item)['name']} ({_place(item)}) is not created: bind creates no {item.kind}s"
            )
            self.notes.append(f"{told}; kubectl apply -f {item.file} does, then: kplan bind -n NAMESPACE")
            return
        space = space_of(item, self._namespace)
        there, differs = self._look(item, resource, space)
        if not there:
            self._take_new(item, space)
        else:
            self._take_known(item, space, differs)

    def _look(self, item: ManifestObject, resource: ApiResource, space: str) -> tuple[bool, str]:
        """Whether an object is there, and the first field in which it differs from its manifest."""
        name = str(_metadata(item)["name"])
        if self._client is None:
            return _in_state(item, space, name, self._state), ""
        path = f"{collection(item.api_version, resource, space)}/{name}"
        try:
            raw = self._client.found(path, what=f"looking for {item.kind} {name}")
        except ServerAnswer as refusal:
            hint = f"kplan bind -f {item.file} --create --print-rbac prints the rights that it takes"
            raise LiveError(refusal.message, code=refusal.code, hint=hint) from None
        return (False, "") if raw is None else (True, first_difference(item.raw, raw))

    def _take_new(self, item: ManifestObject, space: str) -> None:
        self.new.append(item)
        manifest = as_created(item, space)
        if item.kind == "Pod":
            self.create[f"{space}/{_metadata(item)['name']}"] = manifest
        else:
            self.objects.append(_object(item, space, "create", manifest=manifest))

    def _take_known(self, item: ManifestObject, space: str, differs: str) -> None:
        name = str(_metadata(item)["name"])
        if differs:
            text = (
                f"it exists and differs in {differs}: kubectl apply it, then kplan bind {kind_word(item.kind)}/{name}"
            )
            self.objects.append(_object(item, space, "refused", text=text))
            return
        unsure = "" if self._client is not None else "a snapshot does not tell whether it differs"
        if item.kind == "Pod":
            self.pods.append(f"{space}/{name}")
            return
        self.objects.append(_object(item, space, "there", text=unsure))
        running = find_running(item, space, name, self._state) if item.kind in AWAITED else None
        if running is not None:
            self.pods += [pod.key for pod in owned_pods(running, self._state) if not pod.spec.node_name]


def _planned(expansion: Expansion, create: Mapping[str, Raw]) -> tuple[dict[str, Planned], list[Pod], list[str]]:
    """Pods that are planned, by ``namespace/name`` and as objects; and notes about those that are not."""
    planned: dict[str, Planned] = {}
    pods: list[Pod] = []
    later: dict[str, None] = {}
    after = dict(_ordered(expansion))
    for entry in expansion.pods:
        pod, owner = entry.pod, entry.workload
        if owner.startswith("pod/"):
            planned[pod.key] = Planned(create=create[pod.key])
        elif owner.partition("/")[0] in _AWAITED_WORDS:
            planned[pod.key] = Planned(owner=owner, slot=slot_of(pod, owner), after=after.get(pod.key, ""))
        else:
            later[f"{owner} makes its pods later: bind them once they exist"] = None
            continue
        pods.append(pod)
    return planned, pods, list(later)


def _ordered(expansion: Expansion) -> Iterator[tuple[str, str]]:
    """Yield pods that are made one after the other, each with the one before."""
    for fleet in expansion.fleets:
        if fleet.ordered:
            keys = [pod.key for pod in fleet.pods]
            yield from zip(keys[1:], keys, strict=False)


def _object(item: ManifestObject, space: str, result: str, text: str = "", manifest: Raw | None = None) -> BindObject:
    name = "/".join(filter(None, (kind_word(item.kind), space, str(_metadata(item)["name"]))))
    return BindObject(
        object=name,
        result=result,
        api_version=item.api_version,
        kind=item.kind,
        place=_place(item),
        text=text,
        manifest=manifest,
    )


def _name(left: LeftOut) -> str:
    return f"{kind_word(left.kind)}/{left.key}"


def _refused(left: LeftOut) -> BindObject:
    text = f"the API server would refuse it: {left.why}"
    return BindObject(object=_name(left), result="refused", kind=left.kind, place=left.place, text=text)


def _without_some(item: BindObject, refused: Sequence[LeftOut]) -> BindObject:
    """Say of an object that the server takes which of the pods that its controller makes are refused."""
    mine = [left for left in refused if left.pods and _name(left) == item.object]
    if not mine or item.result != "create":
        return item
    return replace(item, text="; ".join(left.told for left in mine), refused_pods=sum(left.pods for left in mine))


def _in_state(item: ManifestObject, space: str, name: str, state: ClusterState) -> bool:
    kind = find(item.api_version, item.kind)
    if kind is None:
        return False
    return any(
        there.name == name and (there.namespace == space or not space) for there in getattr(state, kind.attribute)
    )


def _metadata(item: ManifestObject) -> Raw:
    metadata = item.raw.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _is_hook(item: ManifestObject) -> bool:
    return HOOK in (_metadata(item).get("annotations") or {})


def _place(item: ManifestObject) -> str:
    return f"{item.file}:{item.line}"
