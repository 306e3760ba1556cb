"""Workloads of known operators: THE table of kinds that embed pod templates, and where in them these are.

Owner references name the operator's object itself: what stands between (a StatefulSet, a Job) does not matter to the
scheduler. Their API servers' defaults are applied only for counts.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.admission.controllers.queued import as_admitted
from kplan.admission.controllers.workloads import (
    Draft,
    ExpandedWorkload,
    Owner,
    Surroundings,
    job_pods,
    make_pod,
    namespace_of,
    owner_of,
)
from kplan.admission.raw import dig, dig_int, dig_text, group_of, read_template, spread_out
from kplan.objects.generated_names import template_hash
from kplan.objects.models import Object
from kplan.sources import ManifestObject


class TemplatePlace(Struct, frozen=True):
    """Where a kind has a pod template, and how many pods are made of it.

    Attributes:
        template: dotted path, from ``each`` if that is given.
        count: dotted path of the number of pods, likewise; 1 where it is empty or absent.
        each: dotted path of a list or map of which each element has a template; empty for one template.
        name: of a pod: ``{owner}``, ``{group}`` (the element), ``{index}``, ``{hash}``; a suffix follows a final dash.
        labels: that the operator adds, with the same placeholders.
        times: dotted path of a number to multiply the count by: hosts of a Ray worker.
        job: whether ``template`` is a JobSpec.
        absent: the number of pods where ``count`` is not written.
        least: dotted path of a number that the count is raised to.
    """

    template: str
    count: str = ""
    each: str = ""
    name: str = "{owner}-"
    labels: tuple[tuple[str, str], ...] = ()
    times: str = ""
    job: bool = False
    absent: int = 1
    least: str = ""


_KUBEFLOW = (
    ("training.kubeflow.org/job-name", "{owner}"),
    ("training.kubeflow.org/replica-type", "{group}"),
    ("training.kubeflow.org/replica-index", "{index}"),
)


def _kubeflow(each: str) -> tuple[TemplatePlace, ...]:
    return (TemplatePlace("template", "replicas", f"spec.{each}", "{owner}-{group}-{index}", _KUBEFLOW),)


def _ray(spec: str) -> tuple[TemplatePlace, ...]:
    def labels(node_type: str, group: str) -> tuple[tuple[str, str], ...]:
        return (
            ("ray.io/cluster", "{owner}"),
            ("ray.io/node-type", node_type),
            ("ray.io/group", group),
            ("ray.io/is-ray-node", "yes"),
        )

    return (
        TemplatePlace(f"{spec}.headGroupSpec.template", "", "", "{owner}-head-", labels("head", "headgroup")),
        TemplatePlace(
            "template",
            "replicas",
            f"{spec}.workerGroupSpecs",
            "{owner}-{group}-worker-",
            labels("worker", "{group}"),
            times="numOfHosts",
            absent=0,
            least="minReplicas",
        ),
    )


_JOBSET = (
    ("jobset.sigs.k8s.io/jobset-name", "{owner}"),
    ("jobset.sigs.k8s.io/replicatedjob-name", "{group}"),
    ("jobset.sigs.k8s.io/job-index", "{index}"),
)

_RAY_JOB = ("ray.io", "RayJob")
_BY_JOB = "K8sJobMode"
_SUBMITTING = {"requests": {"cpu": "500m", "memory": "200Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
"""Resources of KubeRay's own container that submits a job."""

PLACES: dict[tuple[str, str], tuple[TemplatePlace, ...]] = {
    ("jobset.x-k8s.io", "JobSet"): (
        TemplatePlace("template.spec", "replicas", "spec.replicatedJobs", "{owner}-{group}-{index}", _JOBSET, job=True),
    ),
    ("argoproj.io", "Rollout"): (
        TemplatePlace(
            "spec.template", "spec.replicas", "", "{owner}-{hash}-", (("rollouts-pod-template-hash", "{hash}"),)
        ),
    ),
    ("ray.io", "RayCluster"): _ray("spec"),
    _RAY_JOB: _ray("spec.rayClusterSpec"),
    ("ray.io", "RayService"): _ray("spec.rayClusterConfig"),
    ("kubeflow.org", "PyTorchJob"): _kubeflow("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _kubeflow("tfReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): _kubeflow("mpiReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _kubeflow("xgbReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _kubeflow("paddleReplicaSpecs"),
    ("kubeflow.org", "JAXJob"): _kubeflow("jaxReplicaSpecs"),
    ("batch.volcano.sh", "Job"): (TemplatePlace("template", "replicas", "spec.tasks", "{owner}-{group}-{index}"),),
    ("apps.openshift.io", "DeploymentConfig"): (TemplatePlace("spec.template", "spec.replicas"),),
    ("apps.kruise.io", "CloneSet"): (TemplatePlace("spec.template", "spec.replicas"),),
    ("apps.kruise.io", "StatefulSet"): (TemplatePlace("spec.template", "spec.replicas", "", "{owner}-{index}"),),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): (),
    ("kueue.x-k8s.io", "Workload"): (TemplatePlace("template", "count", "spec.podSets", "{owner}-{group}-"),),
}
"""By group and kind; a LeaderWorkerSet, whose leaders and workers depend on each other, has its own function."""


SLOT_LABELS = tuple(
    dict.fromkeys(
        label
        for places in PLACES.values()
        for place in places
        for label, form in place.labels
        if form not in ("{owner}", "{hash}")
    )
)
"""Labels by which operators tell apart the pods of one object."""


def expand_operator(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the pods of an operator's workload by the table.

    Raises:
        Misfit: a template does not fit.
    """
    key = (group_of(manifest), manifest.kind)
    if key[1] == "LeaderWorkerSet":
        return _expand_leader_worker_set(manifest, around)
    manifest, notes = as_admitted(manifest)
    made = expand_places(PLACES[key], manifest, around)
    scheduler = dig_text(manifest.raw, "spec.schedulerName") if key[0] == "batch.volcano.sh" else ""
    if scheduler:  # of the whole job
        made = replace(made, drafts=tuple(_with_scheduler(draft, scheduler) for draft in made.drafts))
    return replace(made, notes=(*notes, *made.notes))


def _with_scheduler(draft: Draft, name: str) -> Draft:
    """The same pod for a scheduler, unless its template names one."""
    spec = draft.pod.spec
    if spec.scheduler_name:
        return draft
    spec = msgspec.structs.replace(spec, scheduler_name=name)
    return replace(draft, pod=msgspec.structs.replace(draft.pod, spec=spec))


def expand_at(path: str, manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the pods of a kind that the table does not know, by the path of its template.

    The number of pods is ``replicas`` beside the template, else ``spec.replicas``, else 1.

    Raises:
        Misfit: there is no template, or it does not fit.
    """
    beside = f"{path.rpartition('.')[0]}.replicas".lstrip(".")
    count = beside if isinstance(dig(manifest.raw, beside), int) else "spec.replicas"
    return expand_places((TemplatePlace(path, count),), manifest, around)


def expand_places(
    places: tuple[TemplatePlace, ...], manifest: ManifestObject, around: Surroundings
) -> ExpandedWorkload:
    """Make the pods of every template of an object.

    Raises:
        Misfit: a template does not fit, or there is none.
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    drafts: list[Draft] = []
    notes: list[str] = []
    objects: list[Object] = []
    if True in (dig(manifest.raw, "spec.suspend"), dig(manifest.raw, "spec.runPolicy.suspend")):
        return ExpandedWorkload(notes=("suspended: it makes no pods",))
    for place in places:
        elements = list(spread_out(manifest.raw, place.each)) if place.each else [("", manifest.raw)]
        for group, element in elements:
            made = _expand_place(place, owner, (group, element), around)
            drafts += made.drafts
            notes += made.notes
            objects += made.objects
    if (group_of(manifest), manifest.kind) == _RAY_JOB:
        made = _submitter(manifest, owner, around)
        drafts += made.drafts
        notes += made.notes
    return ExpandedWorkload(tuple(drafts), tuple(objects), tuple(dict.fromkeys(notes)))


def _submitter(manifest: ManifestObject, owner: Owner, around: Surroundings) -> ExpandedWorkload:
    """Make the pod that submits a RayJob, of the template that it names or of KubeRay's own.

    Source: GetSubmitterTemplate, GetDefaultSubmitterContainer in ray-project/kuberay
    ray-operator/controllers/ray/common/job.go.
    """
    if dig_text(manifest.raw, "spec.submissionMode", _BY_JOB) != _BY_JOB:
        return ExpandedWorkload()
    where = "spec.submitterPodTemplate"
    written = dig(manifest.raw, where)
    if written is None:
        head = "spec.rayClusterSpec.headGroupSpec.template.spec.containers"
        containers = dig(manifest.raw, head)
        image = dig_text(containers[0], "image") if isinstance(containers, list) and containers else ""
        if not image:
            return ExpandedWorkload(
                notes=("the pod that submits it is not planned: it has the image of its cluster's head",)
            )
        written = {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "ray-job-submitter", "image": image, "resources": _SUBMITTING}],
            }
        }
    template = read_template(written, where)
    job = Owner("batch/v1", "Job", owner.namespace, owner.name, f"{owner.uid}-submitter")
    name = around.names.generate(f"{owner.name}-", owner.namespace)
    labels = {"job-name": owner.name, "batch.kubernetes.io/job-name": owner.name}
    return ExpandedWorkload(
        (Draft(make_pod(template, job, name, labels)),),
        notes=("the pod that submits it is made once its cluster is ready, and planned with the others",),
    )


def _expand_place(
    place: TemplatePlace, owner: Owner, element: tuple[str, object], around: Surroundings
) -> ExpandedWorkload:
    group, value = element
    where = ".".join(part for part in (place.each, group, place.template) if part)
    count = dig_int(value, place.count, place.absent) if place.count else 1
    count = max(count, dig_int(value, place.least, 0)) if place.least else count
    if group and dig(value, "suspend") is True:
        count = 0
    count *= dig_int(value, place.times, 1) if place.times else 1
    if place.job:
        return _expand_jobs(place, owner, element, count, around)
    template = read_template(dig(value, place.template), where)
    words = {"owner": owner.name, "group": group.lower(), "hash": template_hash(template)}
    drafts = []
    for index in range(around.names.room(count)):
        text = place.name.format(index=index, **words)
        if text.endswith("-"):
            text = around.names.generate(text, owner.namespace, index)
        else:
            around.names.claim(owner.namespace, text)
        labels = {key: form.format(index=index, **words) for key, form in place.labels}
        drafts.append(Draft(make_pod(template, owner, text, labels)))
    return ExpandedWorkload(tuple(drafts))


def _expand_jobs(
    place: TemplatePlace, owner: Owner, element: tuple[str, object], count: int, around: Surroundings
) -> ExpandedWorkload:
    """Make the pods of jobs; a JobSet's are indexed unless they say otherwise."""
    group, value = element
    spec = dig(value, place.template)
    if isinstance(spec, dict) and "completionMode" not in spec:
        spec = {**spec, "completionMode": "Indexed", "completions": spec.get("completions", spec.get("parallelism", 1))}
    drafts: list[Draft] = []
    notes: list[str] = []
    for index in range(around.names.room(count)):
        words = {"owner": owner.name, "group": group, "index": str(index)}
        name = place.name.format(**words)
        job = Owner("batch/v1", "Job", owner.namespace, name, f"{owner.uid}-{group}-{index}")
        labels = {key: form.format(**words) for key, form in place.labels}
        made = job_pods(spec, f"{place.each}.{group}.{place.template}", job, around.names, labels)
        drafts += made.drafts
        notes += made.notes
    return ExpandedWorkload(tuple(drafts), notes=tuple(notes))


def _expand_leader_worker_set(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make the groups of a LeaderWorkerSet: a leader each, and ``size - 1`` workers.

    Source: leaderworkerset v0.7 pkg/controllers (leaders ``<set>-<group>``, workers ``<set>-<group>-<index>``).
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    where = "spec.leaderWorkerTemplate"
    worker = read_template(dig(manifest.raw, f"{where}.workerTemplate"), f"{where}.workerTemplate")
    leader = worker
    if isinstance(dig(manifest.raw, f"{where}.leaderTemplate"), dict):
        leader = read_template(dig(manifest.raw, f"{where}.leaderTemplate"), f"{where}.leaderTemplate")
    size = dig_int(manifest.raw, f"{where}.size", 1)
    prefix = "leaderworkerset.sigs.k8s.io"
    drafts = []
    for group in range(around.names.room(dig_int(manifest.raw, "spec.replicas", 1))):
        for index in range(around.names.room(size)):
            name = f"{owner.name}-{group}" + (f"-{index}" if index else "")
            around.names.claim(owner.namespace, name)
            labels = {
                f"{prefix}/name": owner.name,
                f"{prefix}/group-index": str(group),
                f"{prefix}/worker-index": str(index),
            }
            drafts.append(Draft(make_pod(leader if index == 0 else worker, owner, name, labels)))
    return ExpandedWorkload(tuple(drafts))


def missing_template(manifest: ManifestObject) -> str:
    """Say why an object of a known kind has no template; empty if it has."""
    if manifest.kind == "Rollout" and isinstance(dig(manifest.raw, "spec.workloadRef"), dict):
        return f"its template is that of {dig_text(manifest.raw, 'spec.workloadRef.name')} (workloadRef)"
    return ""
