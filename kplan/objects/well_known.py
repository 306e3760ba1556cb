"""Labels and taints that Kubernetes itself gives to nodes."""

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
"""Labels that name the zone of a node, the newer first."""
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
"""Key of the taint that the node controller keeps beside ``spec.unschedulable``."""
