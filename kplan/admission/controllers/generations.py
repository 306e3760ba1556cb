"""Generations: which pods that run are of the template that is wanted already, and how many each ReplicaSet is to have.

Not modelled: fields that kplan does not read (environment, probes) tell templates apart only where the controller has
written down which revision a pod is of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kplan.admission.admit import Admission
from kplan.admission.controllers.fenceposts import fenceposts_of
from kplan.admission.controllers.revisions import label_of, observed_revision, wanted_revision
from kplan.admission.controllers.stand_ins import looks_alike
from kplan.admission.controllers.templates import normal_template, template_of
from kplan.admission.controllers.workloads import GENERATION_LABEL, REVISION_LABEL, ExpandedWorkload
from kplan.admission.raw import dig, read_template
from kplan.objects.models import Object, Pod, ReplicaSet
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.state import ClusterState
from kplan.objects.whole_numbers import natural
from kplan.sources import ManifestObject

DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"
_GENERATION = "deprecated.daemonset.template.generation"
ROLLING = ("Deployment", "StatefulSet", "DaemonSet")
"""Kinds whose controllers replace the pods of an old template."""


class RunningSet(Struct):
    """A ReplicaSet of a Deployment, as its controller finds it; a rollout counts on copies of its own.

    Attributes:
        name: of the set.
        created: RFC 3339; empty where it is unknown, and of one that a rollout makes the latest of all.
        replicas: pods it was told to have.
        desired: replicas of the Deployment when it was told so.
        most: most pods that the Deployment was allowed then.
        wanted: whether it has the template that is wanted.
    """

    name: str
    created: str
    replicas: int
    desired: int
    most: int
    wanted: bool = False


class Generations(Struct, frozen=True):
    """What of a workload that runs is of which template.

    Attributes:
        kept: ``ns/name`` of its pods that have the wanted template.
        sets: ReplicaSets of a Deployment, the oldest first.
    """

    kept: frozenset[str] = frozenset()
    sets: tuple[RunningSet, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether a Deployment has pods in more than one ReplicaSet, or in one that is not wanted."""
        return any(running_set.replicas for running_set in self.sets if not running_set.wanted)


def sets_of(deployment: Object, state: ClusterState) -> list[ReplicaSet]:
    """ReplicaSets that a Deployment controls, the oldest first."""
    mine = state.replica_sets_by_owner.get(deployment.metadata.uid or "", ())
    return sorted(
        (replica_set for replica_set in mine if replica_set.namespace == deployment.namespace),
        key=lambda replica_set: (replica_set.metadata.creation_timestamp or "", replica_set.name),
    )


def set_with(template: object, deployment: Object, state: ClusterState) -> ReplicaSet | None:
    """The oldest ReplicaSet of a Deployment that has a template; None for none.

    Args:
        template: in its normal form.
        deployment: that runs.
        state: what runs.

    Source: FindNewReplicaSet, EqualIgnoreHash in pkg/controller/deployment/util/deployment_util.go.
    """
    for replica_set in sets_of(deployment, state):
        if replica_set.spec.template is not None and normal_template(replica_set.spec.template) == template:
            return replica_set
    return None


def wanted_set(manifest: ManifestObject, running: Object, state: ClusterState, *, same: bool) -> ReplicaSet | None:
    """The ReplicaSet of a Deployment that has the template of a manifest; None where it has to be made.

    Annotations that others wrote into the template that runs (kubectl rollout restart) stay when a manifest is applied.

    Args:
        manifest: of the Deployment.
        running: the one that runs.
        state: what runs.
        same: whether the manifest has the template that runs.

    Raises:
        Misfit: the manifest's template does not fit.
    """
    there = getattr(getattr(running, "spec", None), "template", None)
    if not isinstance(there, PodTemplateSpec):
        return None
    old = normal_template(there)
    if same:
        return set_with(old, running, state)
    wanted = template_of(manifest)
    # what differs from the template that runs only in fields that are not read looks like it, and is another
    return None if wanted == old else set_with(wanted, running, state)


def generations_of(
    manifest: ManifestObject,
    running: Object,
    pods: Sequence[Pod],
    state: ClusterState,
    admission: Admission,
    make: Callable[[], ExpandedWorkload],
    *,
    same: bool,
) -> Generations:
    """Tell which pods that run have the template of a manifest.

    Args:
        manifest: the workload.
        running: the one that runs.
        pods: its pods.
        state: what runs.
        admission: of the cluster.
        make: expands the manifest, apart from the names that others take.
        same: whether the manifest has the template that runs.

    Raises:
        Misfit: the manifest's template does not fit.
    """
    if manifest.kind == "Deployment":
        return _of_deployment(manifest, running, pods, state, same=same)
    if manifest.kind not in ROLLING:
        return Generations()
    wanted = wanted_revision(manifest, running, state, same=same)
    if wanted is not None:
        number = _template_generation(running.annotations, 0 if same else 1) if manifest.kind == "DaemonSet" else ""
        return Generations(
            frozenset(
                pod.key
                for pod in pods
                if (wanted and pod.labels.get(REVISION_LABEL) == wanted) or _counts_as_new(pod, number)
            )
        )
    revision = observed_revision(running) or None
    by_revision: dict[str, list[Pod]] = {}
    for pod in pods:
        by_revision.setdefault(pod.labels.get(REVISION_LABEL, ""), []).append(pod)
    if same and len(by_revision) < 2 and revision in (*by_revision, None):
        return Generations(frozenset(pod.key for pod in pods))
    kept: set[str] = set()
    drafts: dict[str, Pod] | None = None
    for stamp, some in by_revision.items():
        if revision is not None and stamp == revision:
            kept |= {pod.key for pod in some} if same else set()
            continue
        if drafts is None:
            drafts = {draft.pod.name: draft.pod for draft in make().drafts}
        template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
        kept |= {pod.key for pod in some if _alike(pod, drafts, template, admission)}
    if same and not kept and revision is None:
        # what others put into each pod makes all of them unlike: then the youngest tells which revision is the last
        youngest = max(pods, key=lambda pod: (pod.metadata.creation_timestamp or "", pod.name))
        kept = {pod.key for pod in by_revision[youngest.labels.get(REVISION_LABEL, "")]}
    return Generations(frozenset(kept))


def generations_adopted(
    manifest: ManifestObject, pods: Sequence[Pod], state: ClusterState, admission: Admission, drafts: dict[str, Pod]
) -> Generations:
    """Tell which pods that a new StatefulSet or DaemonSet adopts have its template.

    It adopts the revisions of the one before, too, and takes the one again that equals its template; a pod without the
    label of a revision is replaced. Of a DaemonSet pods count as new whose label has the generation of its template,
    which begins at 1 again: so those of one that was never changed stay, whatever the template is now.

    Args:
        manifest: the set.
        pods: that it adopts.
        state: what runs.
        admission: of the cluster.
        drafts: its pods of its own template, by name.

    Raises:
        Misfit: the manifest's template does not fit.

    Source: adoptOrphanRevisions in pkg/controller/statefulset/stateful_set.go, getStatefulSetRevisions in
    stateful_set_control.go; controlledHistories, constructHistory in pkg/controller/daemon/update.go.
    """
    if manifest.kind not in ROLLING:
        return Generations()
    written = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    wanted = template_of(manifest)
    known = {
        (one.namespace, label_of(one, manifest.kind)): one.data.spec.template for one in state.controller_revisions
    }
    number = _template_generation(dig(manifest.raw, "metadata.annotations"), 0) or "1"
    kept = set()
    for pod in pods:
        stamp = pod.labels.get(REVISION_LABEL)
        template = known.get((pod.namespace, stamp or ""))
        if template is not None:
            alike = normal_template(template) == wanted
        else:
            alike = bool(stamp) and _alike(pod, drafts, written, admission)
        if alike or (manifest.kind == "DaemonSet" and _counts_as_new(pod, number)):
            kept.add(pod.key)
    return Generations(frozenset(kept))


def _template_generation(annotations: object, more: int) -> str:
    """Generation of a DaemonSet's template, as its pods are labelled; empty where it is not known.

    Args:
        annotations: of the DaemonSet.
        more: changes of its template that come on top.

    Source: GetTemplateGeneration in pkg/controller/daemon/util/daemonset_util.go; PrepareForCreate, PrepareForUpdate in
    pkg/registry/apps/daemonset/strategy.go.
    """
    told = annotations.get(_GENERATION) if isinstance(annotations, Mapping) else None
    number = natural(told) if isinstance(told, str) else None
    return str(number + more) if number else ""


def _counts_as_new(pod: Pod, generation: str) -> bool:
    """Whether a daemon pod has the label of a generation of the template.

    Source: IsPodUpdated in pkg/controller/daemon/util/daemonset_util.go: either label is enough.
    """
    return bool(generation) and pod.labels.get(GENERATION_LABEL) == generation


def _alike(pod: Pod, drafts: dict[str, Pod], template: Pod, admission: Admission) -> bool:
    """Whether a pod looks as one of a template would; that of a StatefulSet as the one of its name."""
    draft = drafts.get(pod.name) or next(iter(drafts.values()), None)
    return draft is not None and looks_alike(pod, draft, template, admission)


def _of_deployment(
    manifest: ManifestObject, running: Object, pods: Sequence[Pod], state: ClusterState, *, same: bool
) -> Generations:
    new = wanted_set(manifest, running, state, same=same)
    owned = _by_owner(pods)
    before = 1 if (told := getattr(getattr(running, "spec", None), "replicas", None)) is None else int(told)
    strategy = getattr(getattr(running, "spec", None), "strategy", None)
    most = before + fenceposts_of(strategy, before)[0]
    sets = []
    for replica_set in sets_of(running, state):
        there = owned.pop(replica_set.name, [])
        replicas = len(there) if replica_set.spec.replicas is None else replica_set.spec.replicas
        sets.append(
            RunningSet(
                replica_set.name,
                replica_set.metadata.creation_timestamp or "",
                replicas,
                _number(replica_set.annotations.get(DESIRED), before),
                _number(replica_set.annotations.get(MOST), most),
                new is not None and replica_set.name == new.name,
            )
        )
    for name, there in sorted(owned.items()):  # of a set that the source does not hold only its pods are known
        created = min(pod.metadata.creation_timestamp or "" for pod in there)
        sets.append(RunningSet(name, created, len(there), before, most))
    sets.sort(key=lambda running_set: (running_set.created, running_set.name))
    if (
        same
        and new is None
        and sets
        and not any(replica_set.spec.template is not None for replica_set in sets_of(running, state))
    ):
        last = max(
            (running_set for running_set in sets if running_set.replicas),
            key=lambda running_set: (running_set.created, running_set.name),
            default=sets[-1],
        )
        sets[sets.index(last)] = replace(last, wanted=True)  # no template is known: the youngest has the one that runs
    wanted = {running_set.name for running_set in sets if running_set.wanted}
    return Generations(frozenset(pod.key for pod in pods if owner_name(pod) in wanted), tuple(sets))


def owner_name(pod: Pod) -> str:
    """Name of the controller of a pod; empty for none."""
    return (pod.controller.name or "") if pod.controller is not None else ""


def _by_owner(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    by_owner: dict[str, list[Pod]] = {}
    for pod in pods:
        by_owner.setdefault(owner_name(pod), []).append(pod)
    return by_owner


def _number(text: str | None, otherwise: int) -> int:
    number = natural(text) if text is not None else None
    return otherwise if number is None else number
