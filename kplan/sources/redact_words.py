"""Words of the API itself, which tell nothing about who uses it: what redaction leaves as it is.

A text that is none of them, and neither a number nor a time nor a UUID, may be anything.
"""

import re

_LIST_OF_WORDS = """
metadata.name NoSchedule PreferNoSchedule NoExecute In NotIn Exists DoesNotExist Gt Lt Equal True False Unknown Pending
Running Succeeded Failed Available Bound Released Lost Active Terminating TCP UDP SCTP Never Always OnFailure
PreemptLowerPriority Ignore Restart RestartAllContainers ReadWriteOnce ReadWriteMany ReadOnlyMany
ReadWriteOncePod Filesystem Block Retain Delete Recycle WaitForFirstConsumer Immediate ExactCount All
DoNotSchedule ScheduleAnyway Honor AlwaysAllow IfHealthyBudget OrderedReady Parallel Indexed NonIndexed
RollingUpdate Recreate OnDelete Container Pod Memory HugePages NotTerminating BestEffort NotBestEffort
PriorityClass CrossNamespacePodAffinity VolumeAttributesClass Shared Dedicated Managed PersistentVolumeClaim
pods podgroups noexec nodev nosuid noatime ro rw linux windows amd64 arm64 arm 386 ppc64le s390x riscv64 Ready
MemoryPressure DiskPressure PIDPressure NetworkUnavailable PodScheduled Initialized ContainersReady
PodReadyToStartContainers DisruptionTarget PodResizePending PodResizeInProgress Progressing ReplicaFailure
Complete Suspended SuccessCriteriaMet FailureTarget DisruptionAllowed FileSystemResizePending Resizing
VolumeResizeError Infeasible Deferred Unschedulable SchedulingGated SchedulerError PreemptionByScheduler
TerminationByKubelet DeletionByTaintManager EvictionByEvictionAPI DeletionByPodGC KubeletReady KubeletNotReady
NodeStatusUnknown KubeletHasSufficientMemory KubeletHasNoDiskPressure KubeletHasSufficientPID
NodeStatusNeverUpdated SyncFailed InsufficientPods SufficientPods MinimumReplicasAvailable
MinimumReplicasUnavailable NewReplicaSetAvailable ProgressDeadlineExceeded ReplicaSetUpdated
NewReplicaSetCreated FailedCreate RestartAllContainersOnContainerExits UserNamespacesHostNetworkSupport
VolumeBindMountOptions GuaranteedQoSPodCPUResize InPlacePodLevelResourcesVerticalScaling
InPlacePodVerticalScaling
ScaledToZero Resource ContainerResource Object External Pods cpu memory Off Auto Initial InPlaceOrRecreate InPlace
RequestsOnly RequestsAndLimits
"""
WORDS = frozenset(_LIST_OF_WORDS.split())
"""Values of fields that the API or Kubernetes itself gives a meaning."""

_LIST_OF_KEYS = """
kubernetes.io/hostname kubernetes.io/os kubernetes.io/arch kubernetes.io/metadata.name
beta.kubernetes.io/hostname beta.kubernetes.io/os beta.kubernetes.io/arch beta.kubernetes.io/instance-type
topology.kubernetes.io/zone topology.kubernetes.io/region failure-domain.beta.kubernetes.io/zone
failure-domain.beta.kubernetes.io/region node.kubernetes.io/instance-type node.kubernetes.io/not-ready
node.kubernetes.io/unreachable node.kubernetes.io/unschedulable node.kubernetes.io/out-of-service
node.kubernetes.io/memory-pressure node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure
node.kubernetes.io/network-unavailable node.kubernetes.io/os
node.kubernetes.io/exclude-from-external-load-balancers node.kubernetes.io/windows-build
node.cloudprovider.kubernetes.io/uninitialized node.cloudprovider.kubernetes.io/shutdown
node-role.kubernetes.io/master node-role.kubernetes.io/control-plane node-role.kubernetes.io/worker
node-role.kubernetes.io/infra node-role.kubernetes.io/etcd statefulset.kubernetes.io/pod-name
apps.kubernetes.io/pod-index controller.kubernetes.io/hash batch.kubernetes.io/controller-uid
batch.kubernetes.io/job-name batch.kubernetes.io/job-completion-index app.kubernetes.io/name
app.kubernetes.io/instance app.kubernetes.io/component app.kubernetes.io/part-of app.kubernetes.io/version
app.kubernetes.io/managed-by topology.gke.io/zone topology.ebs.csi.aws.com/zone topology.disk.csi.azure.com/zone
topology.cinder.csi.openstack.org/zone topology.csi.vmware.com/zone topology.k8s.aws/zone-id
cloud.google.com/gke-nodepool cloud.google.com/gke-spot cloud.google.com/gke-preemptible
cloud.google.com/gke-accelerator cloud.google.com/machine-family eks.amazonaws.com/nodegroup
eks.amazonaws.com/capacityType alpha.eksctl.io/nodegroup-name kubernetes.azure.com/agentpool
kubernetes.azure.com/scalesetpriority kubernetes.azure.com/mode kops.k8s.io/instancegroup
oci.oraclecloud.com/node-pool doks.digitalocean.com/node-pool karpenter.sh/nodepool karpenter.sh/capacity-type
karpenter.sh/disrupted karpenter.sh/unregistered nvidia.com/gpu nvidia.com/gpu.product nvidia.com/gpu.count
nvidia.com/gpu.present nvidia.com/gpu.memory scheduling.x-k8s.io/pod-group scheduling.k8s.io/group-name
scheduling.volcano.sh/group-name pod-group.scheduling.sigs.k8s.io/name
pod-group.scheduling.sigs.k8s.io/min-available kueue.x-k8s.io/queue-name kueue.x-k8s.io/pod-group-name
kueue.x-k8s.io/pod-group-total-count leaderworkerset.sigs.k8s.io/name leaderworkerset.sigs.k8s.io/group-index
jobset.sigs.k8s.io/jobset-name jobset.sigs.k8s.io/replicatedjob-name jobset.sigs.k8s.io/job-index
gang.scheduling.koordinator.sh/name gang.scheduling.koordinator.sh/min-available ray.io/cluster ray.io/group
ray.io/node-type ray.io/is-ray-node training.kubeflow.org/job-name training.kubeflow.org/replica-type
training.kubeflow.org/replica-index pod-template-hash controller-revision-hash pod-template-generation job-name
controller-uid
"""
KEYS = frozenset(_LIST_OF_KEYS.split())
"""Keys of labels and taints that Kubernetes, its clouds and its tools use; other keys are names."""

_NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE])?%?")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_VERSION = re.compile(r"v?[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]{1,9})?")
_HARDWARE = re.compile(
    r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}"  # the address of a network card
    r"|[0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9]{1,3})?|[0-9a-f:]*::[0-9a-f:]*(/[0-9]{1,3})?|([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
    r"|(gpu-|mig-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|.*(serial|hostname).*",
    re.IGNORECASE,
)
_TELLING = re.compile(r"serial|uuid|mac|ip|ipv[46]|address|addr|host|hostname|guid|wwn|asset|owner|tenant", re.I)


def is_plain(text: str) -> bool:
    """Tell whether a text is a word of the API, a number, a time or a UUID."""
    return not text or text in WORDS or any(pattern.fullmatch(text) for pattern in (_NUMBER, _TIME, _UUID))


def release_of(version: str) -> str:
    """The release of a version, without what a vendor adds: ``v1.29.3`` of ``v1.29.3-eks-adc7111``."""
    match = _VERSION.match(version)
    return match[0] if match else ""


def tells_which(attribute: str, text: str) -> bool:
    """Tell whether an attribute of a device says which one it is, not what it is like: an address, a serial number."""
    words = re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", attribute.rpartition("/")[2])
    return any(_TELLING.fullmatch(word) for word in words) or _HARDWARE.fullmatch(text) is not None
