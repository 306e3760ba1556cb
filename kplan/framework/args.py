"""What a KubeSchedulerConfiguration tells one plugin or one extender, typed and with the scheduler's defaults.

Names are those of the API in snake_case; ``config`` reads them strictly and checks them before a plugin sees them.
Durations are whole nanoseconds, as Go keeps them.
Source: kubernetes v1.37.2 pkg/scheduler/apis/config/types_pluginargs.go, types.go; v1/defaults.go.
"""

from typing import Annotated

import msgspec

from kplan.objects.models import NodeAffinity, TopologySpreadConstraint
from kplan.visible import url_shown

INT32, DURATION, BASE64 = "int32", "duration", "base64"

Int32 = Annotated[int, INT32]
"""An integer that must fit int32; a plain ``int`` must fit int64."""

Duration = Annotated[int, DURATION]
"""A Go duration [ns], written ``10s`` or ``1m30s``."""

Base64 = Annotated[bytes, BASE64]
"""Bytes, written in base64."""


class Args(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Base of everything here: camelCase on the wire."""


class ResourceSpec(Args, frozen=True):
    """A resource to score by, and how much it counts."""

    name: str = ""
    weight: int = 1


class UtilizationShapePoint(Args, frozen=True):
    """One point of a score function.

    Attributes:
        utilization: how full the node is [percent, 0 to 100].
        score: what that is worth [0 to 10].
    """

    utilization: Int32 = 0
    score: Int32 = 0


DEFAULT_SHAPE = (UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0))
CPU_AND_MEMORY = (ResourceSpec(name="cpu"), ResourceSpec(name="memory"))


class DefaultPreemptionArgs(Args, frozen=True):
    """How many candidates a live scheduler examines: max(percentage of the nodes, absolute)."""

    min_candidate_nodes_percentage: Int32 = 10
    min_candidate_nodes_absolute: Int32 = 100


class InterPodAffinityArgs(Args, frozen=True):
    """What placed pods' own terms count for when a pod is scored."""

    hard_pod_affinity_weight: Int32 = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class NodeAffinityArgs(Args, frozen=True):
    """Node affinity that every pod of the profile gets on top of its own."""

    added_affinity: NodeAffinity | None = None


class NodeResourcesBalancedAllocationArgs(Args, frozen=True):
    """The resources whose use is to be even."""

    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY


class RequestedToCapacityRatioParam(Args, frozen=True):
    """The score function of RequestedToCapacityRatio."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(Args, frozen=True):
    """How NodeResourcesFit scores.

    Attributes:
        type: LeastAllocated, MostAllocated or RequestedToCapacityRatio.
        resources: what counts; never empty once loaded.
        requested_to_capacity_ratio: given for that type; 1.34 and 1.35 allow and ignore it for others.
    """

    type: str = ""
    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


class NodeResourcesFitArgs(Args, frozen=True):
    """What NodeResourcesFit leaves to others, and how it scores.

    Attributes:
        ignored_resources: names the filter skips; those an extender manages with ignoredByScheduler replace them.
        ignored_resource_groups: name prefixes (without the slash) the filter skips.
        scoring_strategy: see there.
    """

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy(type="LeastAllocated")


class PodTopologySpreadArgs(Args, frozen=True):
    """Constraints of pods that have none.

    Attributes:
        default_constraints: used when the type is List.
        defaulting_type: System (the scheduler's own) or List.
    """

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = "System"


class VolumeBindingArgs(Args, frozen=True):
    """How long a bind may take, and how free storage scores.

    Attributes:
        bind_timeout_seconds: [s]
        shape: the score function; None without the gate StorageCapacityScoring, else never empty once loaded.
    """

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] | None = None


class DynamicResourcesArgs(Args, frozen=True):
    """Limits of the device search; which are set by default depends on gates.

    Attributes:
        filter_timeout: time for one node [ns]; None or 0 for no limit.
        binding_timeout: time for binding conditions [ns].
    """

    filter_timeout: Duration | None = None
    binding_timeout: Duration | None = None


class NodeLabelArgs(Args, frozen=True):
    """Labels that nodes must have or must not have, and those that make them better (a Policy's).

    Attributes:
        present_labels: every node must have each of them, whatever its value.
        absent_labels: no node may have any of them.
        present_labels_preference: a node is better for each of them that it has.
        absent_labels_preference: a node is better for each of them that it lacks.
    """

    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()


class ServiceAffinityArgs(Args, frozen=True):
    """Labels of nodes by which the pods of a Service stay together, or keep apart (a Policy's).

    Attributes:
        affinity_labels: pods of a Service run on nodes that are alike in all of them.
        anti_affinity_labels_preference: pods of a Service are spread over the values of each.
    """

    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()


class RequestedToCapacityRatioArgs(Args, frozen=True):
    """The score function of the priority RequestedToCapacityRatio (a Policy's).

    Attributes:
        shape: points that ascend in utilization.
        resources: what counts; never empty once loaded.
    """

    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY


PLUGIN_ARGS: dict[str, type[Args]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
"""The plugins of today that take arguments."""


class ExtenderTLSConfig(Args, frozen=True):
    """How to trust an extender and be trusted by it; certificate files are named, not read."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: Base64 = b""
    key_data: Base64 = b""
    ca_data: Base64 = b""


class ExtenderManagedResource(Args, frozen=True):
    """An extended resource that is an extender's business."""

    name: str = ""
    ignored_by_scheduler: bool = False


class Extender(Args, frozen=True):
    """One HTTP extender.

    Attributes:
        url_prefix: where it listens; a verb is appended to it.
        filter_verb: empty when it does not filter; the other verbs likewise.
        weight: multiplies the scores of its prioritize verb.
        http_timeout: [ns]; 5 s unless given.
        node_cache_capable: whether it wants names of nodes instead of nodes.
        managed_resources: it is asked only about pods that request one of these; about all when empty.
        ignorable: whether scheduling goes on without it when it fails.
    """

    url_prefix: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: int = 0
    bind_verb: str = ""
    enable_https: bool = msgspec.field(default=False, name="enableHTTPS")
    tls_config: ExtenderTLSConfig | None = None
    http_timeout: Duration = 0
    node_cache_capable: bool = False
    managed_resources: tuple[ExtenderManagedResource, ...] = ()
    ignorable: bool = False

    @property
    def shown(self) -> str:
        """Where it listens, as people may see it: without a password."""
        return url_shown(self.url_prefix)
