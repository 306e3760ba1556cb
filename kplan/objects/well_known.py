"""Labels, annotations and taints of pods and nodes that are known by name."""

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
"""Labels that name the zone of a node, the newer first."""
HASH_LABEL = "pod-template-hash"
"""Label of the pods of a ReplicaSet that a Deployment made: the hash of their template, with which its name ends."""
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
KEDA_PAUSED_AT = "autoscaling.keda.sh/paused-replicas"
"""Annotation of a ScaledObject that says how many replicas its workload has while it is paused."""
KEDA_PAUSED = "autoscaling.keda.sh/paused"
"""Annotation of a ScaledObject that is paused."""
KEDA_NOT_IN = "autoscaling.keda.sh/paused-scale-in"
"""Annotation of a ScaledObject that takes no replicas away."""
KEDA_NOT_OUT = "autoscaling.keda.sh/paused-scale-out"
"""Annotation of a ScaledObject that adds no replicas."""
KEDA_ACTIVE = "autoscaling.keda.sh/force-activation"
"""Annotation of a ScaledObject that never goes to 0."""
KEDA_SWITCHES = (KEDA_PAUSED, KEDA_NOT_IN, KEDA_NOT_OUT, KEDA_ACTIVE)
"""Annotations of a ScaledObject that are on with any value but those of KEDA_NO, even one that is no boolean."""
KEDA_NO = frozenset({"0", "f", "F", "false", "FALSE", "False"})
"""Values of those annotations that switch them off."""
VOLCANO_TASK = "volcano.sh/task-spec"
"""Annotation and label of pods that names their task of a Volcano Job."""
