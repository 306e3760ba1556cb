"""Pods that their controllers make again of another template than the one that they were made of.

A StatefulSet or DaemonSet whose pods are replaced only once somebody deletes them (OnDelete), or whose rollout is under
way, makes what left anew of the template that is due now.
"""

from __future__ import annotations

from msgspec.structs import replace

from kplan.admission import ordinal
from kplan.admission.admit import Admission
from kplan.admission.controllers.daemons import add_tolerations
from kplan.admission.controllers.revisions import observed_revision
from kplan.admission.controllers.workloads import REVISION_LABEL
from kplan.admission.policies.lookup import Policies
from kplan.admission.raw import copied
from kplan.admission.refusal import AdmissionRefusal
from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.objects.lean import replace as changed
from kplan.objects.models import ControllerRevision, DaemonSet, Pod, StatefulSet
from kplan.objects.models.pod import PodTemplateSpec, Volume


def revised(victim: PodInfo, cluster: Cluster) -> PodInfo:
    """A pod as its controller makes it now; the same where it has the template that is due, or nobody knows that.

    What the API server would refuse is left as it was.
    """
    due = _due(victim, cluster)
    if due is None:
        return victim
    stamp, template = due
    spec = copied(template.spec)
    if controller(victim)[0] == "DaemonSet":
        add_tolerations(spec)
    spec.volumes = [*_claimed(victim.pod, template), *(spec.volumes or ())] or None
    own = {key: text for key, text in victim.labels.items() if key.partition("/")[0] in _OF_A_SET}
    metadata = changed(
        victim.pod.metadata,
        labels={**(template.metadata.labels or {}), **own, REVISION_LABEL: stamp},
        annotations=dict(template.metadata.annotations or {}),
    )
    pod = Pod(metadata=metadata, spec=spec, status=copied(victim.pod.status))
    try:
        Admission(Policies.of(cluster.state, ()), cluster.rules).admit(pod)
    except AdmissionRefusal:
        return victim
    return replace(victim, pod=pod)


def other_revision(victim: PodInfo, cluster: Cluster) -> str:
    """The revision that a pod is made of when it is made again; empty where that is the one that it has."""
    due = _due(victim, cluster)
    return due[0] if due is not None else ""


_OF_A_SET = frozenset({"statefulset.kubernetes.io", "apps.kubernetes.io"})


def _due(victim: PodInfo, cluster: Cluster) -> tuple[str, PodTemplateSpec] | None:
    """The mark and the template of the revision that is due, where it is known and another than the pod's.

    Source: newVersionedStatefulSetPod in pkg/controller/statefulset/stateful_set_utils.go; a DaemonSet makes all of its
    newest (constructHistory in pkg/controller/daemon/update.go).
    """
    kind, name = controller(victim)
    has = victim.labels.get(REVISION_LABEL)
    if not has or kind not in ("StatefulSet", "DaemonSet"):
        return None
    key = f"{victim.namespace}/{name}"
    if kind == "DaemonSet":
        daemons = cluster.objects.table("daemon_sets").get(key)
        return _of_daemons(daemons, has, cluster) if daemons is not None else None
    running = cluster.objects.table("stateful_sets").get(key)
    if running is None:
        return None
    newest = observed_revision(running)
    if not newest or not running.status.current_revision:
        return None
    if not _before_its_turn(running, ordinal(victim.name)):
        template = running.spec.template
        return (newest, template) if newest != has and template is not None else None
    before = running.status.current_revision
    found = next((item for item in _history(running, cluster) if item.name == before), None)
    template = found.data.spec.template if found is not None else None
    return (before, template) if before != has and template is not None else None


def _of_daemons(daemons: DaemonSet, has: str, cluster: Cluster) -> tuple[str, PodTemplateSpec] | None:
    history = _history(daemons, cluster)
    template = daemons.spec.template
    if not history or template is None:
        return None
    newest = history[-1].labels.get(REVISION_LABEL) or history[-1].name.removeprefix(f"{daemons.name}-")
    return (newest, template) if newest != has else None


def _history(running: StatefulSet | DaemonSet, cluster: Cluster) -> tuple[ControllerRevision, ...]:
    return cluster.state.revisions_by_owner.get(running.metadata.uid or "", ())


def _before_its_turn(running: StatefulSet, number: int) -> bool:
    """Whether a set makes the pod of a number of the template before: below its partition, while it rolls out."""
    strategy = running.spec.update_strategy
    if strategy is not None and strategy.type == "OnDelete":
        return False
    start = running.spec.ordinals.start if running.spec.ordinals is not None else 0
    rolling = strategy.rolling_update if strategy is not None else None
    kept = (rolling.partition or 0) if rolling is not None else 0
    return number < (start or 0) + kept


def _claimed(pod: Pod, template: PodTemplateSpec) -> list[Volume]:
    """Volumes of a pod that its set's claims gave it: those that its template does not have."""
    known = {volume.name for volume in template.spec.volumes or ()}
    claims = (volume for volume in pod.spec.volumes or () if volume.persistent_volume_claim is not None)
    return [volume for volume in claims if volume.name not in known]
