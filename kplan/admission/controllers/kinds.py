"""Which controller makes pods of which kind."""

from kplan.admission.controllers.daemons import expand_daemon_set
from kplan.admission.controllers.operators import group_of
from kplan.admission.controllers.workloads import (
    Expand,
    expand_cron_job,
    expand_deployment,
    expand_job,
    expand_pod,
    expand_pod_template,
    expand_replicas,
    expand_stateful_set,
)
from kplan.sources import ManifestObject

CONTROLLERS: dict[tuple[str, str], Expand] = {
    ("", "Pod"): expand_pod,
    ("", "PodTemplate"): expand_pod_template,
    ("", "ReplicationController"): expand_replicas,
    ("apps", "Deployment"): expand_deployment,
    ("apps", "ReplicaSet"): expand_replicas,
    ("apps", "StatefulSet"): expand_stateful_set,
    ("apps", "DaemonSet"): expand_daemon_set,
    ("batch", "Job"): expand_job,
    ("batch", "CronJob"): expand_cron_job,
}
"""THE table of Kubernetes' own kinds that make pods, by group and kind; those of operators are ``operators.PLACES``."""


def controller_of(manifest: ManifestObject) -> Expand | None:
    """Find what makes the pods of an object; None for kinds that are not Kubernetes' own, or make none."""
    return CONTROLLERS.get((group_of(manifest).replace("extensions", "apps"), manifest.kind))


def is_foreign(manifest: ManifestObject) -> bool:
    """Tell whether an object is no workload of Kubernetes' own."""
    return controller_of(manifest) is None
