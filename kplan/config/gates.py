"""THE table of feature gates: every gate a kube-scheduler knows, with its stage and default for each minor.

Longer than 400 lines because it is one row a gate: a cluster's ``--feature-gates`` names many that have nothing to do
with scheduling, and kplan accepts, refuses and explains them as kube-scheduler does.
Source: kubernetes v1.34.4, v1.35.4, v1.36.3, v1.37.2 pkg/features/kube_features.go and what kube-scheduler links
besides; values as the running scheduler reports them (gates that ask for a --min-compatibility-version have the value
they have without that flag).
"""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from msgspec import Struct

from kplan.errors import ConfigError
from kplan.words import did_you_mean

MINORS = (34, 35, 36, 37)
"""The minors that have a column below."""

# One row a gate, one column a minor of MINORS. A, B, G, D: alpha, beta, generally available, deprecated;
# + on, - off by default; ! locked to that; . the minor does not know it.
_GATES = """
APIResponseCompression B+ B+ B+ B+
APIServerIdentity B+ B+ B+ B+
APIServerTracing G+! G+! G+! .
APIServerWebhookAuthenticationToken . . . A-
APIServingWithRoutine A- A- A- A-
AggregatedDiscoveryRemoveBetaType D+ D+! D+! D+!
AllowDNSOnlyNodeCSR D- D- D- D-
AllowInsecureKubeletCertificateSigningRequests D- D- D- D-
AllowOverwriteTerminationGracePeriodSeconds D- D-! D-! D-!
AllowParsingUserUIDFromCertAuth B+ B+ B+ B+
AllowServiceExternalIPs . . G+ G+
AllowServiceLBStatusOnNonLB D-! . . .
AllowUnsafeMalformedObjectDeletion A- A- A- B+
AnonymousAuthConfigurableEndpoints G+! G+! G+! .
AnyVolumeDataSource G+! G+! G+! .
AtomicFIFO . . B+ B+
AtomicWriteVolumeUserFields . . . A-
AuthorizeNodeWithSelectors G+! G+! G+! .
AuthorizePodWebsocketUpgradeCreatePermission . B+ B+ B+
AuthorizeWithSelectors G+! G+! G+! .
BtreeWatchCache G+! G+! G+! .
CBORServingAndStorage A- A- A- A-
CPUManagerPolicyAlphaOptions A- A- A- A-
CPUManagerPolicyBetaOptions B+ B+ B+ B+
CPUManagerPolicyOptions G+! G+! G+! G+!
CRDObservedGenerationTracking . B- B+ B+
CRDValidationRatcheting G+! G+! G+! G+!
CRIListStreaming . . A- A-
CSIMigrationPortworx G+! G+! . .
CSIServiceAccountTokenSecrets . B+ G+! G+!
CSIVolumeHealth A- A- A- A-
ChangeContainerStatusOnKubeletRestart . D- D- D-
ClearingNominatedNodeNameAfterBinding A- B+ B+ B+
ClientsAllowCARotation . . B+ B+
ClientsAllowCBOR A- A- A- A-
ClientsAllowTLSCacheGC . . B+ B+
ClientsPreferCBOR A- A- A- A-
CloudControllerManagerWatchBasedRoutesReconciliation . A- A- A-
CloudControllerManagerWebhook A- A- A- A-
ClusterTrustBundle B- B- B- G+
ClusterTrustBundleProjection B- B- B- G+
ComponentFlagz A- A- B+ B+
ComponentSLIs G+! . . .
ComponentStatusz A- A- B+ B+
CompositePodGroup . . . A-
ConcurrentWatchObjectDecode B- B- B- B+
ConsistentListFromCache G+! G+! G+! .
ConsistentListFromCacheSkipTimeoutFallback . . . A-
ConstrainedImpersonation . A- B+ B+
ContainerCheckpoint B+ B+ B+ B+
ContainerRestartRules A- B+ B+ B+
ContainerStopSignals A- A- A- A-
ContextualLogging B+ B+ B+ B+
CoordinatedLeaderElection B- B- B- B-
CronJobsScheduledAnnotation G+! . . .
CrossNamespaceVolumeDataSource A- A- A- A-
CustomCPUCFSQuotaPeriod A- A- G+ G+
CustomResourceFieldSelectors G+! G+! G+! G+!
DRAAdminAccess B+ B+ G+! G+!
DRAConsumableCapacity A- A- B+ B+
DRADerivedAttributes . . . A-
DRADeviceBindingConditions A- A- B+ B+
DRADeviceCompatibilityGroups . . . A-
DRADeviceTaintRules . A- B- G+
DRADeviceTaints A- A- B+ G+
DRAExtendedResource A- A- B+ G+!
DRAFractionalCapacityRange . . . B-
DRAListTypeAttributes . . A- A-
DRANodeAllocatableResources . . A- A-
DRAOptionalNodeOperations . . . A-
DRAPartitionableDevices A- A- B+ B+
DRAPartitionableDevicesType . . . A-
DRAPrioritizedList B+ B+ G+ G+!
DRAResourceClaimDeviceStatus B+ B+ B+ G+!
DRAResourceClaimGranularStatusAuthorization . . B+ B+
DRAResourcePoolStatus . . A- A-
DRASchedulerFilterTimeout B+ B+ B+ B+
DRAWorkloadResourceClaims . . A- B-
DeclarativeValidation B+ B+ G+! G+!
DeclarativeValidationBeta . . B+ B+
DeclarativeValidationTakeover B- B- D- D-!
DefaultPodSysctls . . . A-
DeploymentReplicaSetTerminatingReplicas A- B+ B+ B+
DetectCacheInconsistency B+ B+ B+ B+
DisableAllocatorDualWrite G+ G+! G+! G+!
DisableCPUQuotaWithExclusiveCPUs B+ B+ D+ D+!
DisableNodeKubeProxyVersion D+ D+ D+! D+!
DynamicResourceAllocation G+ G+! G+! G+!
EmptyDirVolumeMode . . . A-
EnvFiles A- B+ B+ B+
EtcdRangeStream . . . B+
EventedPLEG A- A- A- A-
EvictionRequestAPI . . . A-
ExcludeAdmissionWebhookVirtualResources . . . B+
ExecProbeTimeout G+ G+! G+! G+!
ExtendWebSocketsToKubelet . . B+ B+
ExternalServiceAccountTokenSigner B+ B+ G+! G+!
GRPCContainerProbeTLS . . . A-
GangScheduling . A- A- .
GenericWorkload . A- A- B-
GitRepoVolumeDriver D- D- D-! D-!
GracefulNodeShutdown B+ B+ B+ B+
GracefulNodeShutdownBasedOnPodPriority B+ B+ B+ B+
H2CContainerProbe . . . A-
HPAConfigurableTolerance A- B+ B+ G+!
HPAGeneration . . . B+
HPAOptimizedSelectorStore . . . B+
HPAScaleToZero A- A- A- B+
HonorPVReclaimPolicy G+! G+! . .
HostnameOverride A- B+ B+ G+!
HugepageAwareEviction . . . B+
ImageMaximumGCAge B+ G+! G+! G+!
ImageVolume B- B+ G+! G+!
ImageVolumeWithDigest . . A- A-
InOrderInformers B+ B+ G+! G+!
InOrderInformersBatchProcess . B+ B+ B+
InPlacePodLevelResourcesVerticalScaling . A- B+ B+
InPlacePodVerticalScaling B+ G+! G+! G+!
InPlacePodVerticalScalingAllocatedStatus D- D- . .
InPlacePodVerticalScalingExclusiveCPUs A- A- A- A-
InPlacePodVerticalScalingExclusiveMemory A- A- A- A-
InPlacePodVerticalScalingInitContainers . . B+ G+!
InPlacePodVerticalScalingMemoryBackedVolumes . . . A-
InPlacePodVerticalScalingSchedulerPreemption . . . A-
InTreePluginPortworxUnregister A- A- . .
InformerResourceVersion A- G+ G+ G+
InterPodAffinityHostnameFastPath . . . A-
JobBackoffLimitPerIndex G+! G+! G+! .
JobManagedBy B+ G+! G+! G+!
JobPodReplacementPolicy G+! G+! G+! .
JobSuccessPolicy G+! G+! G+! .
KMSv1 D- D- D- D-
KubeProxyIPVS . . . D+
KubeProxyNFTablesLocalhostNodePorts . . . A-
KubeletAllocatedPodsEndpoint . . . A-
KubeletCgroupDriverFromCRI G+! G+! G+! G+!
KubeletCrashLoopBackOffMax A- B+ B+ B+
KubeletEnsureSecretPulledImages A- B+ B+ B+
KubeletFineGrainedAuthz B+ B+ G+! G+!
KubeletInUserNamespace A- A- A- B+
KubeletPSI B+ B+ G+! G+!
KubeletPodResourcesDynamicResources B+ B+ G+! G+!
KubeletPodResourcesGet B+ B+ G+! G+!
KubeletPodResourcesListUseActivePods D+ D+ D+ D+
KubeletRegistrationGetOnExistsOnly D- D- D- D-
KubeletSeparateDiskGC B+ B+ B+ B+
KubeletServiceAccountTokenForCredentialProviders B+ B+ B+ B+
KubeletTracing G+! G+! G+! G+!
ListFromCacheSnapshot B+ B+ B+ B+
LoadBalancerIPMode G+! . . .
LocalStorageCapacityIsolationFSQuotaMonitoring B- B- B- B-
LogarithmicScaleDown G+! G+! G+! .
LoggingAlphaOptions A- A- A- A-
LoggingBetaOptions B+ B+ B+ B+
ManifestBasedAdmissionControlConfig . . A- B+
MatchLabelKeysInPodAffinity G+! G+! G+! G+!
MatchLabelKeysInPodTopologySpread B+ B+ B+ B+
MatchLabelKeysInPodTopologySpreadSelectorMerge B+ B+ B+ B+
MaxUnavailableStatefulSet A- B- B- B+
MemoryManager G+! G+! . .
MemoryQoS A- A- A- B+
MultiCIDRServiceAllocator G+! G+! G+! G+!
MutableCSINodeAllocatableCount B- B+ G+! G+!
MutablePVNodeAffinity . A- A- A-
MutablePodResourcesForSuspendedJobs . A- B+ B+
MutableSchedulingDirectivesForSuspendedJobs . A- B+ B+
MutatingAdmissionPolicy B- B- G+ G+
NFTablesNetlink . . . B+
NFTablesProxyMode G+! G+! G+! G+!
NativeHistograms . . A- B+
NodeControllerLeaseCircuitBreaker . . . B+
NodeDeclaredFeatures . A- B+ G+!
NodeInclusionPolicyInPodTopologySpread G+! G+! G+! G+!
NodeLifecycleConditions . . . A-
NodeLogQuery B- B- G+! G+!
NodeSwap G+! G+! G+! G+!
NominatedNodeNameForExpectation A- B+ B+ B+
OpenAPIEnums B+ B+ B+ B+
OpportunisticBatching . B+ B+ B+
OrderedNamespaceDeletion G+! G+! G+! .
PLEGOnDemandRelist . . B+ G+!
PersistentVolumeClaimUnusedSinceTime . . A- B+
PodAndContainerStatsFromCRI A- A- A- B-
PodCertificateRequest A- B- B- G+
PodDeletionCost B+ B+ B+ B+
PodGroupPreemptionPolicy . . . A-
PodIndexLabel G+! . . .
PodLevelResourceManagers . . A- B-
PodLevelResources B+ B+ B+ B+
PodLevelResourcesFixDefaulting . . . B+
PodLevelResourcesFixKubeletQOSClass . . . B+
PodLifecycleSleepAction G+! G+! G+! .
PodLifecycleSleepActionAllowZero G+! G+! G+! .
PodLogsQuerySplitStreams A- A- A- A-
PodObservedGenerationTracking B+ G+! G+! G+!
PodReadyToStartContainersCondition B+ B+ B+ G+!
PodSchedulingReadiness G+! G+! G+! G+!
PodTopologyLabelsAdmission A- B+ B+ B+
PodsAPI . . A- B+
PortForwardWebsockets B+ B+ B+ B+
PreferSameTrafficDistribution B+ G+! G+! G+!
PreventStaticPodAPIReferences B+ B+ B+ .
ProbeHostPodSecurityStandards G+! . . .
ProcMountType B+ B+ G+! G+!
QOSReserved A- A- A- A-
RecoverVolumeExpansionFailure G+! G+! G+! G+!
RecursiveReadOnlyMounts G+! G+! G+! G+!
ReduceDefaultCrashLoopBackOffDecay A- A- A- A-
RelaxedDNSSearchValidation G+! G+! G+! .
RelaxedEnvironmentVariableValidation G+! G+! G+! G+!
RelaxedServiceNameValidation A- A- B+ G+!
ReloadKubeletClientCAFile . . B+ B+
ReloadKubeletServerCertificateFile B+ B+ B+ B+
RemoteRequestHeaderUID B+ B+ B+ B+
ResilientWatchCacheInitialization G+! G+! G+! .
ResourceHealthStatus A- A- B+ B+
ResourceHealthStatusMessage . . B+ B+
RestartAllContainersOnContainerExits . A- B+ B+
RetryGenerateName G+! G+! G+! .
RotateKubeletServerCertificate B+ B+ B+ B+
RuntimeClassInImageCriApi A- A- A- A-
SELinuxChangePolicy B+ B+ G+! G+!
SELinuxMount B- B- B- G+
SELinuxMountReadWriteOncePod B+ B+ G+! G+!
SchedulerAsyncAPICalls B- B- B- B-
SchedulerAsyncPreemption B+ B+ B+ B+
SchedulerPopFromBackoffQ B+ B+ B+ B+
SchedulerPreQueueingHints . . . A-
SchedulerQueueingHints G+! G+! G+! .
SeparateCacheWatchRPC D- D- D-! D-!
SeparateTaintEvictionController G+! G+! G+! G+!
ServiceAccountNodeAudienceRestriction B+ B+ B+ B+
ServiceAccountTokenJTI G+! G+! G+! G+!
ServiceAccountTokenNodeBinding G+! G+! G+! G+!
ServiceAccountTokenNodeBindingValidation G+! G+! G+! G+!
ServiceAccountTokenPodNodeInfo G+! G+! G+! G+!
ServiceCIDRStatusFieldWiping . . D+ D+
ServiceTrafficDistribution G+! G+! . .
ShardedListAndWatch . . A- A-
SidecarContainers G+! G+! G+! .
SizeBasedListCostEstimate B+ B+ B+ B+
SizeMemoryBackedVolumes G+! . . .
StaleControllerConsistencyDaemonSet . . B+ B+
StaleControllerConsistencyHPA . . . B+
StaleControllerConsistencyJob . . B+ B+
StaleControllerConsistencyReplicaSet . . B+ B+
StaleControllerConsistencyStatefulSet . . B+ B+
StatefulSetAutoDeletePVC G+! . . .
StatefulSetRecreateStrategy . . . A-
StatefulSetSemanticRevisionComparison B+ B+ B+ B+
StorageCapacityScoring A- A- A- B+
StorageNamespaceIndex D+ D+ D+ D+
StorageVersionAPI A- A- A- A-
StorageVersionHash B+ B+ B+ B+
StorageVersionMigrator A- B- B- G+
StreamingCollectionEncodingToJSON G+! G+! G+! .
StreamingCollectionEncodingToProtobuf G+! G+! G+! .
StrictCostEnforcementForVAP G+! . . .
StrictCostEnforcementForWebhooks G+! . . .
StrictIPCIDRValidation A- A- B+ B+
StructuredAuthenticationConfiguration G+! G+! G+! .
StructuredAuthenticationConfigurationEgressSelector B+ B+ B+ B+
StructuredAuthenticationConfigurationJWKSMetrics . B+ B+ B+
StructuredAuthorizationConfiguration G+! G+! . .
SupplementalGroupsPolicy B+ G+! G+! G+!
SystemdWatchdog B+ G+! G+! G+!
TaintTolerationComparisonOperators . A- A- A-
TokenRequestServiceAccountUIDValidation B+ B+ B+ B+
TopologyAwareHints G+! G+! . .
TopologyAwareWorkloadScheduling . . A- A-
TopologyManagerPolicyAlphaOptions A- A- A- A-
TopologyManagerPolicyBetaOptions B+ B+ B+ B+
TopologyManagerPolicyOptions G+ G+ G+! G+!
TranslateStreamCloseWebsocketRequests B+ B+ B+ B+
UnauthenticatedHTTP2DOSMitigation B+ B+ B+ B+
UnknownVersionInteroperabilityProxy A- A- B+ B+
UnlockWhileProcessingFIFO . . B+ B+
UserNamespacesHostNetworkSupport . A- A- A-
UserNamespacesPodSecurityStandards A- . . .
UserNamespacesSupport B+ B+ G+! G+!
VolumeAttributesClass G+ G+ G+! G+!
VolumeBindMountOptions . . . A-
VolumeLimitScaling . A- A- B+
WatchCacheInitializationPostStartHook B- B- B+ G+!
WatchFromStorageWithoutResourceVersion D-! D-! . .
WatchList B+ B+ B+ B+
WatchListClient B- B+ B+ B+
WatchListCompression . . . B+
WebhookRoundTripLoadBalancing . . . B+
WinDSR G+! G+! G+! G+!
WinOverlay G+! G+! G+! G+!
WindowsCPUAndMemoryAffinity A- A- A- A-
WindowsGracefulNodeShutdown B+ B+ B+ B+
WindowsHostNetwork D- D- D- D-
WorkloadAwarePreemption . . A- .
WorkloadWithJob . . A- A-
"""

# Gate, first and last minor, the gates that must be on for it to be on.
_NEEDS = """
AuthorizeNodeWithSelectors 35-36 AuthorizeWithSelectors
ClusterTrustBundleProjection 35-37 ClusterTrustBundle
CompositePodGroup 37-37 GenericWorkload TopologyAwareWorkloadScheduling
DRAAdminAccess 35-37 DynamicResourceAllocation
DRAConsumableCapacity 35-37 DynamicResourceAllocation
DRADerivedAttributes 37-37 DynamicResourceAllocation
DRADeviceBindingConditions 35-37 DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRADeviceCompatibilityGroups 37-37 DRAPartitionableDevices DynamicResourceAllocation
DRADeviceTaintRules 35-37 DRADeviceTaints
DRADeviceTaints 35-37 DynamicResourceAllocation
DRAExtendedResource 35-37 DynamicResourceAllocation
DRAFractionalCapacityRange 37-37 DRAConsumableCapacity
DRAListTypeAttributes 36-37 DynamicResourceAllocation
DRANodeAllocatableResources 36-37 DynamicResourceAllocation
DRAOptionalNodeOperations 37-37 DynamicResourceAllocation NodeDeclaredFeatures
DRAPartitionableDevices 35-37 DynamicResourceAllocation
DRAPartitionableDevicesType 37-37 DRAPartitionableDevices DRAResourcePoolStatus DynamicResourceAllocation
DRAPrioritizedList 35-37 DynamicResourceAllocation
DRAResourceClaimGranularStatusAuthorization 36-37 DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRAResourcePoolStatus 36-37 DynamicResourceAllocation
DRASchedulerFilterTimeout 35-37 DynamicResourceAllocation
DRAWorkloadResourceClaims 36-37 DynamicResourceAllocation GenericWorkload
DeclarativeValidationBeta 36-37 DeclarativeValidation
DeclarativeValidationTakeover 35-37 DeclarativeValidation
DisableAllocatorDualWrite 35-37 MultiCIDRServiceAllocator
EventedPLEG 37-37 PLEGOnDemandRelist
ExtendWebSocketsToKubelet 36-37 NodeDeclaredFeatures
GangScheduling 35-36 GenericWorkload
GracefulNodeShutdownBasedOnPodPriority 35-37 GracefulNodeShutdown
H2CContainerProbe 37-37 NodeDeclaredFeatures
ImageVolumeWithDigest 36-37 ImageVolume
InPlacePodLevelResourcesVerticalScaling 35-37 InPlacePodVerticalScaling NodeDeclaredFeatures PodLevelResources
InPlacePodVerticalScalingAllocatedStatus 35-35 InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveCPUs 35-37 InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveMemory 35-35 MemoryManager
InPlacePodVerticalScalingExclusiveMemory 35-37 InPlacePodVerticalScaling
InPlacePodVerticalScalingInitContainers 36-37 InPlacePodVerticalScaling NodeDeclaredFeatures
InPlacePodVerticalScalingMemoryBackedVolumes 37-37 InPlacePodVerticalScaling NodeDeclaredFeatures
InPlacePodVerticalScalingSchedulerPreemption 37-37 InPlacePodVerticalScaling
KubeletAllocatedPodsEndpoint 37-37 InPlacePodVerticalScaling
MatchLabelKeysInPodTopologySpreadSelectorMerge 35-37 MatchLabelKeysInPodTopologySpread
NodeControllerLeaseCircuitBreaker 37-37 AtomicFIFO
PodCertificateRequest 35-36 AuthorizeNodeWithSelectors
PodGroupPreemptionPolicy 37-37 GenericWorkload
PodLevelResourceManagers 36-37 PodLevelResources
PodLevelResourcesFixDefaulting 37-37 PodLevelResources
PodLevelResourcesFixKubeletQOSClass 37-37 PodLevelResources
PodLifecycleSleepActionAllowZero 35-36 PodLifecycleSleepAction
ProcMountType 35-37 UserNamespacesSupport
ResourceHealthStatus 35-37 DynamicResourceAllocation
ResourceHealthStatusMessage 36-37 ResourceHealthStatus
RestartAllContainersOnContainerExits 35-37 ContainerRestartRules NodeDeclaredFeatures
ServiceAccountTokenNodeBinding 35-37 ServiceAccountTokenNodeBindingValidation
StaleControllerConsistencyDaemonSet 36-37 AtomicFIFO
StaleControllerConsistencyHPA 37-37 AtomicFIFO
StaleControllerConsistencyJob 36-37 AtomicFIFO
StaleControllerConsistencyReplicaSet 36-37 AtomicFIFO
StaleControllerConsistencyStatefulSet 36-37 AtomicFIFO
StorageVersionAPI 35-37 APIServerIdentity
StructuredAuthenticationConfigurationEgressSelector 35-36 StructuredAuthenticationConfiguration
StructuredAuthenticationConfigurationJWKSMetrics 35-36 StructuredAuthenticationConfiguration
TopologyAwareWorkloadScheduling 36-37 GenericWorkload
UnknownVersionInteroperabilityProxy 35-37 APIServerIdentity
UserNamespacesHostNetworkSupport 35-37 UserNamespacesSupport
UserNamespacesHostNetworkSupport 36-37 NodeDeclaredFeatures
WindowsCPUAndMemoryAffinity 35-35 MemoryManager
WindowsGracefulNodeShutdown 35-37 GracefulNodeShutdown
WorkloadAwarePreemption 36-36 GangScheduling
WorkloadWithJob 36-37 GenericWorkload
"""

_ALL = {"AllAlpha": "A", "AllBeta": "B"}


class Gate(Struct, frozen=True):
    """One gate of one minor.

    Attributes:
        name: as in ``--feature-gates``.
        stage: A, B, G or D (alpha, beta, generally available, deprecated).
        default: whether it is on unless set.
        locked: whether it cannot be set to anything else.
    """

    name: str
    stage: str
    default: bool
    locked: bool

    def fixed_to(self, value: bool) -> bool:
        """Whether it cannot be set to anything but this."""
        return self.locked and self.default == value


@cache
def gates(minor: int) -> Mapping[str, Gate]:
    """Every gate of a minor of ``MINORS`` by name, without AllAlpha and AllBeta."""
    column = MINORS.index(minor)
    rows = (line.split() for line in _GATES.split("\n") if line)
    cells = ((name, values[column]) for name, *values in rows)
    return {name: Gate(name, cell[0], cell[1] == "+", cell.endswith("!")) for name, cell in cells if cell != "."}


@cache
def needs(minor: int) -> Mapping[str, tuple[str, ...]]:
    """The gates that a gate of this minor cannot be on without."""
    by_gate: dict[str, tuple[str, ...]] = {}
    for line in filter(None, _NEEDS.split("\n")):
        name, span, *others = line.split()
        first, last = span.split("-")
        if int(first) <= minor <= int(last):
            by_gate[name] = (*by_gate.get(name, ()), *others)
    return by_gate


def resolve(minor: int, settings: Mapping[str, bool]) -> frozenset[str]:
    """Apply ``--feature-gates`` settings to a minor's defaults and return the gates that are on.

    ``AllAlpha`` and ``AllBeta`` set every gate of that stage that is not set by name.

    Raises:
        ConfigError: for an unknown gate, a locked one set to another value, or one on without a gate it needs.
    Source: component-base v0.37.2 featuregate/feature_gate.go unsafeSetFromMap; 1.34 knows no needs.
    """
    known = gates(minor)
    for name, value in settings.items():
        _check(minor, name, value)
    on = {name for name, gate in known.items() if gate.default}
    for every, stage in _ALL.items():
        if every in settings:
            staged = {name for name, gate in known.items() if gate.stage == stage}
            on = on | staged if settings[every] else on - staged
    on |= {name for name, value in settings.items() if value and name in known}
    on -= {name for name, value in settings.items() if not value}
    for name, others in sorted(needs(minor).items()):
        off = [other for other in others if other not in on]
        if name in on and off:
            raise ConfigError(
                f"{name} is enabled, but depends on features that are disabled: [{' '.join(off)}]",
                code="feature-gate-dependency",
                hint=f"turn {name} off too" if name not in settings else f"turn {' and '.join(off)} on",
            )
    return frozenset(on)


def _check(minor: int, name: str, value: bool) -> None:
    if name in _ALL:
        return
    gate = gates(minor).get(name)
    if gate is None:
        raise ConfigError(f"unrecognized feature gate: {name}", code="unknown-feature-gate", hint=_hint(minor, name))
    if gate.fixed_to(not value):
        state = str(gate.default).lower()
        raise ConfigError(
            f"cannot set feature gate {name} to {str(value).lower()}, feature is locked to {state}",
            code="locked-feature-gate",
            hint=f"Kubernetes 1.{minor} has it {'on' if gate.default else 'off'} for good: leave it out",
        )


def _hint(minor: int, name: str) -> str:
    elsewhere = [f"1.{other}" for other in MINORS if name in gates(other)]
    if elsewhere:
        return f"Kubernetes 1.{minor} does not know it; {', '.join(elsewhere)} {_do(elsewhere)}"
    close = get_close_matches(name, [*gates(minor), *_ALL], n=1)
    return did_you_mean(close, "see the release's list of feature gates")


def _do(items: list[str]) -> str:
    return "does" if len(items) == 1 else "do"
