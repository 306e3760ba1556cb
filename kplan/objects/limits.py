"""How much one object may hold: more than any of a real cluster, less than what would keep kplan busy for minutes.

An API server bounds an object by its size alone (1.5 MiB in etcd); a file may hold anything. The models carry these
limits, so decoding an object checks them.
"""

from collections.abc import Mapping

LONGEST_NAME = 1_000
"""Characters of a name or a namespace; an API server takes 253."""

LONGEST_LABEL = 10_000
"""Characters of the key or the value of a label; an API server takes 317 and 63."""

CONTAINERS = 500
VOLUMES = 500
SPREAD_CONSTRAINTS = 100
TOLERATIONS = 5_000
CLAIMS = 500
PORTS = 2_000
"""Ports of a container."""
RESOURCES = 500
"""Resources of a node, or in one list of a container."""
LABELS = 20_000
TAINTS = 2_000

OF_POD: Mapping[str, int] = {
    "containers": CONTAINERS,
    "initContainers": CONTAINERS,
    "volumes": VOLUMES,
    "topologySpreadConstraints": SPREAD_CONSTRAINTS,
    "tolerations": TOLERATIONS,
    "resourceClaims": CLAIMS,
}
"""Lists of a pod, and how many elements they may have."""
