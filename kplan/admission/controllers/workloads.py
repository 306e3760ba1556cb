"""From a workload to its pods, as the controllers of Kubernetes make them.

Long because what every controller needs of a manifest stands beside those that make pods of it.

Pods of one template share one ``spec`` object as long as nothing makes them differ: admission looks at each spec once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.admission.controllers.jobs import due_runs, lasts
from kplan.admission.controllers.names import Names
from kplan.admission.controllers.queued import as_admitted
from kplan.admission.raw import copied, dig, dig_int, dig_text, read_template, written_name
from kplan.objects import lean
from kplan.objects.generated_names import hashed_name, indexed_base, template_hash, uid
from kplan.objects.kind_words import kind_word
from kplan.objects.models import Node, Object, PersistentVolumeClaim, Pod, ReplicaSet, Volume
from kplan.objects.models.meta import LabelSelector, ObjectMeta, OwnerReference
from kplan.objects.models.pod import PersistentVolumeClaimTemplate, PersistentVolumeClaimVolume, PodTemplateSpec
from kplan.objects.models.workloads import WorkloadSpec
from kplan.objects.well_known import HASH_LABEL
from kplan.sources import ManifestObject

REVISION_LABEL = "controller-revision-hash"
GENERATION_LABEL = "pod-template-generation"
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
_JOB_CONTROLLER = "kubernetes.io/job-controller"
_FAILURES = "batch.kubernetes.io/job-index-failure-count"


class Owner(Struct, frozen=True):
    """Who owns pods.

    Attributes:
        api_version: as in an owner reference.
        kind: likewise.
        namespace: of the owner and its pods.
        name: of the owner.
        uid: of the one that runs, or made up.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    @property
    def reference(self) -> OwnerReference:
        """The controller reference of its pods."""
        return OwnerReference(
            api_version=self.api_version, kind=self.kind, name=self.name, uid=self.uid, controller=True
        )


class Draft(Struct, frozen=True):
    """A pod as its controller sends it to the API server.

    Attributes:
        pod: the pod.
        claims: claims that its controller makes before it.
    """

    pod: Pod
    claims: tuple[PersistentVolumeClaim, ...] = ()


class ExpandedWorkload(Struct, frozen=True):
    """What one object of a manifest comes to.

    Attributes:
        drafts: its pods, in the order its controller makes them.
        objects: objects its controller makes beside them.
        notes: what to say of it, a phrase each.
    """

    drafts: tuple[Draft, ...] = ()
    objects: tuple[Object, ...] = ()
    notes: tuple[str, ...] = ()


class Surroundings(Struct):
    """What an expansion needs to know besides the manifest.

    Attributes:
        names: makes pod names.
        nodes: nodes of the state and of the manifests, for DaemonSets.
        running: the object of the same kind and name that runs, by ``Kind ns/name``.
        replica_sets: current ReplicaSet of Deployments that run and keep their template, by ``ns/name``.
        comparison: gate TaintTolerationComparisonOperators.
        namespace: of objects that name none.
        taken: indexes of an indexed Job that runs which are done, or of which a pod is there.
        time: when the state was taken; empty if that is not known.
    """

    names: Names
    nodes: tuple[Node, ...] = ()
    running: dict[str, Object] = field(default_factory=dict)
    replica_sets: dict[str, ReplicaSet] = field(default_factory=dict)
    comparison: bool = False
    namespace: str = "default"
    taken: frozenset[int] = frozenset()
    time: str = ""

    def apart(self) -> "Surroundings":
        """The same without names and objects of others: what is made there is only looked at."""
        return Surroundings(Names(), self.nodes, comparison=self.comparison, namespace=self.namespace)


Expand = Callable[[ManifestObject, Surroundings], ExpandedWorkload]


def owner_of(manifest: ManifestObject, around: Surroundings, namespace: str) -> Owner:
    """Name a manifest's object as owner, with the uid of the one that runs if there is one."""
    name = dig_text(manifest.raw, "metadata.name") or around.names.generate(
        dig_text(manifest.raw, "metadata.generateName"), namespace
    )
    running = around.running.get(f"{manifest.kind} {namespace}/{name}")
    known = running.metadata.uid if running is not None else None
    return Owner(manifest.api_version, manifest.kind, namespace, name, known or uid(manifest.kind, namespace, name))


def namespace_of(manifest: ManifestObject, default: str) -> str:
    """Name the namespace an object of a manifest lands in."""
    if manifest.item is not None and manifest.item.namespace:
        return manifest.item.namespace
    return dig_text(manifest.raw, "metadata.namespace", default)


def word_of(manifest: ManifestObject, default: str) -> str:
    """Name the object of a manifest: ``deploy/shop/web``; ``default`` is the namespace where it names none."""
    return f"{kind_word(manifest.kind)}/{namespace_of(manifest, default)}/{written_name(manifest)}"


def make_pod(template: Pod, owner: Owner, name: str, labels: dict[str, str] | None = None) -> Pod:
    """Make a pod of a template; its spec is the template's own object.

    Source: GetPodFromTemplate in pkg/controller/controller_utils.go.
    """
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=owner.namespace,
            uid=uid("Pod", owner.namespace, name),
            labels={**template.labels, **(labels or {})},
            annotations=dict(template.annotations),
            owner_references=[owner.reference],
        ),
        spec=template.spec,
    )


def make_replicas(
    template: Pod, owner: Owner, count: int, names: Names, labels: dict[str, str] | None = None
) -> tuple[Draft, ...]:
    """Make equal pods with names of a random suffix."""
    return tuple(
        Draft(make_pod(template, owner, names.generate(f"{owner.name}-", owner.namespace, number), labels))
        for number in range(names.room(count))
    )


def expand_pod(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Take a pod as it is; ``generateName`` is completed."""
    pod = read_template(manifest.raw, "")
    pod.metadata.namespace = namespace_of(manifest, around.namespace)
    owner = owner_of(manifest, around, pod.namespace)
    around.names.claim(owner.namespace, owner.name)
    pod.metadata.name, pod.metadata.uid = owner.name, owner.uid
    return ExpandedWorkload((Draft(pod),))


def expand_pod_template(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make one pod of a PodTemplate, which makes none by itself."""
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    template = read_template(dig(manifest.raw, "template"), "template")
    pod = make_pod(template, owner, around.names.generate(f"{owner.name}-", owner.namespace))
    pod.metadata.owner_references = None
    return ExpandedWorkload((Draft(pod),), notes=("a PodTemplate makes no pod by itself; one is planned",))


def expand_replicas(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the pods of a ReplicaSet or ReplicationController.

    Source: manageReplicas in pkg/controller/replicaset/replica_set.go.
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    return ExpandedWorkload(make_replicas(template, owner, dig_int(manifest.raw, "spec.replicas", 1), around.names))


def expand_deployment(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the ReplicaSet of a Deployment, and its pods; one that is paused only scales the ReplicaSet it has.

    Source: getNewReplicaSet, sync in pkg/controller/deployment/sync.go.
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    count, paused = dig_int(manifest.raw, "spec.replicas", 1), dig(manifest.raw, "spec.paused") is True
    current = around.replica_sets.get(f"{owner.namespace}/{owner.name}")
    if current is not None:
        if paused and current.spec.template is not None:
            template = template_of(current.spec.template)
        stamp = current.labels.get(HASH_LABEL) or current.name.rpartition("-")[2]
        of_set = Owner("apps/v1", "ReplicaSet", owner.namespace, current.name, current.metadata.uid or "")
        return ExpandedWorkload(make_replicas(template, of_set, count, around.names, {HASH_LABEL: stamp}))
    if paused:
        return ExpandedWorkload(notes=("paused: it makes no ReplicaSet, so no pods",))
    stamp = template_hash(template)
    name = hashed_name(owner.name, stamp)
    of_set = Owner("apps/v1", "ReplicaSet", owner.namespace, name, uid("ReplicaSet", owner.namespace, name))
    drafts = make_replicas(template, of_set, count, around.names, {HASH_LABEL: stamp})
    return ExpandedWorkload(drafts, (_replica_set(owner, of_set, manifest, template, stamp),))


def template_of(template: PodTemplateSpec) -> Pod:
    """Copy the template of a ReplicaSet that runs as a pod without a name, and without its controller's mark."""
    metadata = copied(template.metadata)
    metadata.labels = {key: text for key, text in (metadata.labels or {}).items() if key != HASH_LABEL}
    return Pod(metadata=metadata, spec=copied(template.spec))


def _replica_set(deployment: Owner, owner: Owner, manifest: ManifestObject, template: Pod, stamp: str) -> ReplicaSet:
    spec = getattr(manifest.item, "spec", None)
    selector = copied(spec.selector) if isinstance(spec, WorkloadSpec) and spec.selector else LabelSelector()
    selector.match_labels = {**(selector.match_labels or {}), HASH_LABEL: stamp}
    labels = {**template.labels, HASH_LABEL: stamp}
    return ReplicaSet(
        metadata=ObjectMeta(
            name=owner.name,
            namespace=owner.namespace,
            uid=owner.uid,
            labels=labels,
            owner_references=[deployment.reference],
        ),
        spec=WorkloadSpec(
            replicas=dig_int(manifest.raw, "spec.replicas", 1),
            selector=selector,
            template=PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=template.spec),
        ),
    )


def expand_stateful_set(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the pods of a StatefulSet by ordinal, each with its own claims.

    Source: newStatefulSetPod, updateStorage in pkg/controller/statefulset/stateful_set_utils.go.
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    spec = getattr(manifest.item, "spec", None)
    claims = (spec.volume_claim_templates or []) if isinstance(spec, WorkloadSpec) else []
    labels = (spec.selector.match_labels or {}) if isinstance(spec, WorkloadSpec) and spec.selector else {}
    start = dig_int(manifest.raw, "spec.ordinals.start", 0)
    ordinals = range(start, start + around.names.room(dig_int(manifest.raw, "spec.replicas", 1)))
    notes: tuple[str, ...] = ()
    if dig_text(manifest.raw, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady" and len(ordinals) > 1:
        notes = ("its pods are made one after the other, each once the one before is ready",)
    drafts = stateful_pods(template, owner, ordinals, claims, labels, around.names)
    return ExpandedWorkload(tuple(drafts), notes=notes)


def stateful_pods(
    template: Pod,
    owner: Owner,
    ordinals: Iterable[int],
    claims: list[PersistentVolumeClaimTemplate],
    selected: dict[str, str],
    names: Names,
) -> Iterator[Draft]:
    """Make the pods of a StatefulSet.

    Args:
        template: of the pods.
        owner: the set.
        ordinals: of the pods.
        claims: ``volumeClaimTemplates``.
        selected: labels of the set's selector, which its claims get.
        names: where pod names are taken.
    """
    revision = f"{owner.name}-{template_hash(template)}"
    for ordinal in ordinals:
        name = f"{owner.name}-{ordinal}"
        names.claim(owner.namespace, name)
        labels = {
            "statefulset.kubernetes.io/pod-name": name,
            "apps.kubernetes.io/pod-index": str(ordinal),
            REVISION_LABEL: revision,
        }
        pod = make_pod(template, owner, name, labels)
        made = tuple(_set_claim(claim, owner, name, selected) for claim in claims)
        if claims:
            pod.spec = lean.replace(pod.spec, volumes=_set_volumes(claims, made, template))
        yield Draft(pod, made)


def _set_claim(
    claim: PersistentVolumeClaimTemplate, owner: Owner, pod: str, selected: dict[str, str]
) -> PersistentVolumeClaim:
    spec = claim.spec
    item = PersistentVolumeClaim(
        metadata=ObjectMeta(
            name=f"{claim.metadata.name}-{pod}",
            namespace=owner.namespace,
            labels={**(claim.metadata.labels or {}), **selected},
            annotations=dict(claim.metadata.annotations or {}),
        )
    )
    if spec is not None:
        item.spec = copied(spec)
    return item


def _set_volumes(
    claims: list[PersistentVolumeClaimTemplate], made: tuple[PersistentVolumeClaim, ...], template: Pod
) -> list[Volume]:
    """Put the claims' volumes first, in place of the template's of the same name."""
    volumes = [
        Volume(
            name=claim.metadata.name or "",
            persistent_volume_claim=PersistentVolumeClaimVolume(claim_name=item.name),
        )
        for claim, item in zip(claims, made, strict=True)
    ]
    replaced = {volume.name for volume in volumes}
    return volumes + [volume for volume in template.spec.volumes or () if volume.name not in replaced]


def expand_job(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the first pods of a Job.

    Source: manageJob in pkg/controller/job/job_controller.go.
    """
    manifest, notes = as_admitted(manifest)
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    taken = around.taken if f"Job {owner.namespace}/{owner.name}" in around.running else frozenset()
    made = job_pods(dig(manifest.raw, "spec"), "spec", owner, around.names, taken=taken)
    return replace(made, notes=(*notes, *made.notes, *(lasts(dig(manifest.raw, "spec")) if made.drafts else ())))


def expand_cron_job(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the pods of one run of a CronJob.

    Source: getJobFromTemplate2, getJobName in pkg/controller/cronjob/utils.go.
    """
    if dig(manifest.raw, "spec.suspend") is True:
        return ExpandedWorkload(notes=("suspended: it makes no pods",))
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    path = "spec.jobTemplate.spec"
    # the number at the end of a job's name is its scheduled minute, of which there are eight digits until 2160
    drawn = uid(manifest.kind, owner.namespace, owner.name)
    minute = 10_000_000 + int(drawn[:8].translate(_HEX)) % 90_000_000
    name = f"{owner.name}-{minute}"
    job = Owner("batch/v1", "Job", owner.namespace, name, uid("Job", owner.namespace, name))
    made = job_pods(dig(manifest.raw, path), path, job, around.names)
    new = f"CronJob {owner.namespace}/{owner.name}" not in around.running
    due = due_runs(manifest, None, around.time) if new else ()
    return ExpandedWorkload(made.drafts, made.objects, ("the pods of one run are planned", *due, *made.notes))


_HEX = str.maketrans("abcdef", "012345")


def job_pods(
    spec: object,
    where: str,
    owner: Owner,
    names: Names,
    labels: dict[str, str] | None = None,
    taken: Collection[int] = (),
) -> ExpandedWorkload:
    """Make the first pods of a job.

    Args:
        spec: a JobSpec as written.
        where: its dotted path.
        owner: the job.
        names: makes pod names.
        labels: more labels of the pods.
        taken: indexes that get no pod.

    Raises:
        Misfit: the template does not fit.

    Source: manageJob, firstPendingIndexes, managedByExternalController, addIndexFailureCountAnnotation in
    pkg/controller/job; generateSelector in pkg/registry/batch/job.
    """
    template = read_template(dig(spec, "template"), f"{where}.template")
    if dig(spec, "suspend") is True:
        return ExpandedWorkload(notes=("suspended: it makes no pods",))
    manager = dig_text(spec, "managedBy", _JOB_CONTROLLER)
    if manager != _JOB_CONTROLLER:
        return ExpandedWorkload(notes=(f"managed by {manager}: Kubernetes' own controller makes no pods of it",))
    own = {}
    if dig(spec, "manualSelector") is not True:
        for prefix in ("", "batch.kubernetes.io/"):
            own[f"{prefix}job-name"], own[f"{prefix}controller-uid"] = owner.name, owner.uid
    template.metadata.labels = {**own, **template.labels, **(labels or {})}
    indexed = dig_text(spec, "completionMode") == "Indexed"
    completions = dig(spec, "completions")
    count = parallelism = dig_int(spec, "parallelism", 1)
    if completions is not None or dig(spec, "parallelism") is None:
        count = min(parallelism, dig_int(spec, "completions", 1))
    notes: tuple[str, ...] = ()
    later = dig_int(spec, "completions", count) - count
    if later > 0 and count:
        notes = (f"{later} of its completions follow as pods finish",)
    if not indexed:
        return ExpandedWorkload(make_replicas(template, owner, count, names), notes=notes)
    if dig(spec, "backoffLimitPerIndex") is not None:
        template.metadata.annotations = {**template.annotations, _FAILURES: "0"}
    free = (index for index in range(max(count, dig_int(spec, "completions", count))) if index not in taken)
    return ExpandedWorkload(
        tuple(_indexed(template, owner, index, names) for index in islice(free, names.room(count))), notes=notes
    )


def _indexed(template: Pod, owner: Owner, index: int, names: Names) -> Draft:
    name = names.generate(indexed_base(owner.name, index), owner.namespace)
    pod = make_pod(template, owner, name, {INDEX_LABEL: str(index)})
    pod.metadata.annotations = {**template.annotations, INDEX_LABEL: str(index)}
    return Draft(pod)
