"""Labels, annotations and taints of pods and nodes that are known by name."""

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
"""Labels that name the zone of a node, the newer first."""
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
"""Key of the taint that the node controller keeps beside ``spec.unschedulable``."""

VOLCANO_GROUPS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
"""Annotations of pods that name a PodGroup of Volcano."""
KOORDINATOR_GROUP = "gang.scheduling.koordinator.sh/name"
"""Annotation of pods that names a group of Koordinator."""
LEAST_OF_GROUP = (
    "gang.scheduling.koordinator.sh/min-available",
    "pod-group.scheduling.sigs.k8s.io/min-available",
    "kueue.x-k8s.io/pod-group-total-count",
)
"""Annotations and labels that say how many pods of a group have to start together."""
VOLCANO_TASK = "volcano.sh/task-spec"
"""Annotation and label of pods that names their task of a Volcano Job."""
