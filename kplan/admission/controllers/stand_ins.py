"""Stand-ins: workloads that a source does not hold, told from the pods they own.

A dump of nodes and pods alone has no Deployments, yet a manifest of one that runs must not be counted beside its pods.

Not modelled: how many pods such a workload was told to have (it counts as the pods that are there), and what is wrong
with its template that no pod shows.
"""

from collections import Counter
from collections.abc import Callable

import msgspec
from msgspec import Struct

from kplan.admission.admit import Admission
from kplan.admission.controllers.templates import normal_template
from kplan.admission.controllers.workloads import ExpandedWorkload
from kplan.admission.raw import copied, dig, read_template
from kplan.admission.refusal import AdmissionRefusal
from kplan.objects import models
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import LabelSelector, Object, Pod, ReplicaSet
from kplan.objects.models.meta import ObjectMeta, OwnerReference
from kplan.objects.models.pod import PodSpec, PodTemplateSpec
from kplan.objects.models.workloads import WorkloadSpec
from kplan.objects.state import ClusterState
from kplan.objects.well_known import HASH_LABEL
from kplan.sources import ManifestObject

_KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_TOKENS = ("kube-api-access-", "default-token-")
"""How the volumes begin that admission mounts for a service account."""


class StandIn(Struct, frozen=True):
    """A state with workloads that its pods tell of.

    Attributes:
        state: with the stand-ins.
        objects: the stand-ins.
    """

    state: ClusterState
    objects: tuple[Object, ...]


def stand_in(
    manifest: ManifestObject,
    namespace: str,
    name: str,
    state: ClusterState,
    admission: Admission,
    make: Callable[[], ExpandedWorkload],
) -> StandIn | None:
    """Find the pods of a manifest's workload where the source holds no object of its kind; None where there are none.

    Args:
        manifest: the object.
        namespace: where it lands.
        name: of the object.
        state: what runs.
        admission: of the cluster.
        make: expands the manifest, apart from the names that others take.

    Raises:
        Misfit: the manifest's template does not fit.
    """
    kind = manifest.kind
    if kind not in _KINDS or state.completeness.has(kind):
        return None
    owned = list(state.pods_by_controller.get((namespace, kind, name), ()))
    if not owned:
        return None
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    newest = max(owned, key=lambda pair: (pair[0].metadata.creation_timestamp or "", pair[0].name))
    shown = bare(newest[0], template)
    drafts = make().drafts
    same = not drafts or _admitted(copied(drafts[0].pod), template, admission) == _seen(shown)
    given = PodTemplateSpec(
        metadata=ObjectMeta(labels=dict(template.labels)), spec=template.spec if same else shown.spec
    )
    uid = newest[1].uid if kind != "Deployment" else f"stand-in of {namespace}/{name}"
    objects = [_workload(kind, name, namespace, uid or "", given, len(owned))]
    if kind == "Deployment":
        objects += _replica_sets(owned, objects[0], given)
    tables: dict[str, tuple[Object, ...]] = {}
    for item in objects:
        table = BY_MODEL[type(item)].attribute
        tables[table] = (*tables.get(table, getattr(state, table)), item)
    return StandIn(state.with_tables(**tables), tuple(objects))


def bare(pod: Pod, template: Pod) -> Pod:
    """Copy a pod without what is its own: node, token volumes, labels that its template does not have."""
    spec = copied(pod.spec)
    spec.node_name = None
    if not spec.priority:  # what a pod without a class has, and not every dump says
        spec.priority, spec.preemption_policy = None, None
    spec.volumes = [volume for volume in spec.volumes or () if not volume.name.startswith(_TOKENS)] or None
    for container in [*(spec.containers or ()), *(spec.init_containers or ())]:
        mounts = [mount for mount in container.volume_mounts or () if not (mount.name or "").startswith(_TOKENS)]
        container.volume_mounts = mounts or None
    if spec.service_account_name == "default" and not template.spec.service_account_name:
        spec.service_account_name = None
    if spec.affinity is not None and _is_tied(spec):
        spec.affinity.node_affinity = None
    labels = {key: value for key, value in pod.labels.items() if key in template.labels}
    return Pod(metadata=ObjectMeta(labels=labels), spec=spec)


def looks_alike(pod: Pod, draft: Pod, template: Pod, admission: Admission) -> bool:
    """Tell whether a pod that runs looks as one of a template would once it was let in.

    Args:
        pod: that runs.
        draft: one as its controller makes it of the template.
        template: as it is written.
        admission: of the cluster.
    """
    seen = _seen(bare(pod, template))
    # a dump may leave out what admission adds, such as tolerations
    return seen in (_seen(bare(draft, template)), _admitted(copied(draft), template, admission))


def _is_tied(spec: PodSpec) -> bool:
    """Tell whether a pod is tied to one node by name, as those of a DaemonSet are."""
    node = spec.affinity.node_affinity if spec.affinity else None
    terms = (node.required.node_selector_terms if node and node.required else None) or []
    return bool(terms) and all(field.key == "metadata.name" for term in terms for field in term.match_fields or ())


def _admitted(pod: Pod, template: Pod, admission: Admission) -> object:
    try:
        admission.admit(pod)
    except AdmissionRefusal:
        return None
    return _seen(bare(pod, template))


def _seen(pod: Pod) -> object:
    template = normal_template(PodTemplateSpec(metadata=pod.metadata, spec=pod.spec))
    spec = template.get("spec")
    if isinstance(spec, dict):
        # the affinity that ties a daemon pod leaves an empty one behind
        template["spec"] = {key: value for key, value in spec.items() if value}
    return template


def _workload(kind: str, name: str, namespace: str, uid: str, template: PodTemplateSpec, count: int) -> Object:
    model: type[Object] = getattr(models, kind)
    selector = LabelSelector(match_labels=dict(template.metadata.labels or {}))
    spec = WorkloadSpec(replicas=count, selector=selector, template=template)
    metadata = ObjectMeta(name=name, namespace=namespace, uid=uid)
    return msgspec.convert(msgspec.to_builtins({"metadata": metadata, "spec": spec}), model)


def _replica_sets(owned: list[tuple[Pod, OwnerReference]], owner: Object, template: PodTemplateSpec) -> list[Object]:
    """Stand in for the ReplicaSets of a Deployment, of which the one with the newest pod has its template."""
    reference = OwnerReference(
        api_version="apps/v1", kind="Deployment", name=owner.name, uid=owner.metadata.uid, controller=True
    )
    newest: dict[str, tuple[str, Pod, OwnerReference]] = {}
    count = Counter(by.name or "" for _, by in owned)
    for pod, by in owned:
        dated = (pod.metadata.creation_timestamp or "", pod, by)
        newest[by.name or ""] = max(newest.get(by.name or "", dated), dated, key=lambda seen: (seen[0], seen[1].name))
    current = max(newest, key=lambda name: (newest[name][0], newest[name][1].name))
    made = []
    for name, (_, pod, by) in newest.items():
        given = template if name == current else PodTemplateSpec(spec=copied(pod.spec))
        item = _workload("ReplicaSet", name, pod.namespace, by.uid or name, given, count[name])
        stamp = {HASH_LABEL: pod.labels.get(HASH_LABEL, "")}
        item.metadata.labels = stamp
        if isinstance(item, ReplicaSet) and item.spec.selector is not None:
            item.spec.selector.match_labels = {**(template.metadata.labels or {}), **stamp}
        item.metadata.owner_references = [reference]
        made.append(item)
    return made
