"""ControllerRevisions: which template that a StatefulSet or DaemonSet has or had is the one that a manifest wants.

Not modelled: fields that kplan does not read. What differs from the template that runs in these alone is a new
revision, and one further back that differs so is taken for the same.
"""

from collections.abc import Sequence

from kplan.admission.controllers.templates import normal_template, template_of
from kplan.admission.controllers.workloads import REVISION_LABEL
from kplan.objects.models import ControllerRevision, Object, StatefulSet
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject


def wanted_revision(manifest: ManifestObject, running: Object, state: ClusterState, *, same: bool) -> str | None:
    """What the label of the pods says that have the template of a manifest; empty where that makes a new revision.

    Args:
        manifest: a StatefulSet or DaemonSet.
        running: the one that runs.
        state: what runs.
        same: whether the manifest has the template that runs.

    Returns:
        None where the source has no revision of it.

    Raises:
        Misfit: the manifest's template does not fit.

    Source: getStatefulSetRevisions in pkg/controller/statefulset/stateful_set_control.go, constructHistory and Match in
    pkg/controller/daemon/update.go.
    """
    history = state.revisions_by_owner.get(running.metadata.uid or "", ())
    there = getattr(getattr(running, "spec", None), "template", None)
    if not history or not isinstance(there, PodTemplateSpec):
        return None
    now = normal_template(there)
    if same:
        return observed_revision(running) or _label(_last_with(now, history), running)
    wanted = template_of(manifest)
    return "" if wanted == now else _label(_last_with(wanted, history), running)


def observed_revision(running: Object) -> str:
    """Revision of the template that runs, as a StatefulSet's status has it; empty where it does not say."""
    if not isinstance(running, StatefulSet):
        return ""
    seen, made = running.status.observed_generation, running.metadata.generation
    current = seen is None or made is None or seen >= made
    return (running.status.update_revision or "") if current else ""


def template_of_current(running: StatefulSet, state: ClusterState) -> PodTemplateSpec | None:
    """The template of which a StatefulSet's controller makes pods below its partition; None where it is not known.

    Source: newVersionedStatefulSetPod in pkg/controller/statefulset/stateful_set_utils.go.
    """
    name = running.status.current_revision
    for revision in state.revisions_by_owner.get(running.metadata.uid or "", ()):
        if revision.name == name:
            return revision.data.spec.template
    return None


def _last_with(template: object, history: Sequence[ControllerRevision]) -> ControllerRevision | None:
    for revision in reversed(history):
        there = revision.data.spec.template
        if there is not None and normal_template(there) == template:
            return revision
    return None


def label_of(revision: ControllerRevision, kind: str) -> str:
    """What pods of a revision are labelled: with its name by a StatefulSet, with its hash by a DaemonSet."""
    if kind == "StatefulSet":
        return revision.name
    return revision.labels.get(REVISION_LABEL) or revision.name.rpartition("-")[2]


def _label(revision: ControllerRevision | None, running: Object) -> str:
    return label_of(revision, type(running).__name__) if revision is not None else ""
