"""Which controller makes pods of which kind."""

from kplan.admission.controllers import workloads
from kplan.admission.controllers.daemons import expand_daemon_set
from kplan.admission.raw import group_of
from kplan.sources import ManifestObject

CONTROLLERS: dict[tuple[str, str], workloads.Expand] = {
    ("", "Pod"): workloads.expand_pod,
    ("", "PodTemplate"): workloads.expand_pod_template,
    ("", "ReplicationController"): workloads.expand_replicas,
    ("apps", "Deployment"): workloads.expand_deployment,
    ("apps", "ReplicaSet"): workloads.expand_replicas,
    ("apps", "StatefulSet"): workloads.expand_stateful_set,
    ("apps", "DaemonSet"): expand_daemon_set,
    ("batch", "Job"): workloads.expand_job,
    ("batch", "CronJob"): workloads.expand_cron_job,
}
"""THE table of Kubernetes' own kinds that make pods, by group and kind; those of operators are ``operators.PLACES``."""


def controller_of(manifest: ManifestObject) -> workloads.Expand | None:
    """Find what makes the pods of an object; None for kinds that are not Kubernetes' own, or make none."""
    return CONTROLLERS.get((group_of(manifest).replace("extensions", "apps"), manifest.kind))


def is_foreign(manifest: ManifestObject) -> bool:
    """Tell whether an object is no workload of Kubernetes' own."""
    return controller_of(manifest) is None
