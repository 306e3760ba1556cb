"""Which kinds have objects of the whole cluster, which no namespace holds, whatever a file says.

Of Kubernetes' own that is what its servers say; of other projects it is what their definitions say, for kinds that
manifests often bring. What a definition among the manifests says counts before this (``admission/left_out.py``).

Source: api/discovery of v1.34.4 to v1.37.2; the CustomResourceDefinitions of each project.
"""

from __future__ import annotations

from kplan.objects.kinds import find

_OF_THE_CLUSTER: dict[str, frozenset[str]] = {
    "": frozenset({"ComponentStatus"}),
    "admissionregistration.k8s.io": frozenset(
        {
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        }
    ),
    "apiextensions.k8s.io": frozenset({"CustomResourceDefinition"}),
    "apiregistration.k8s.io": frozenset({"APIService"}),
    "authentication.k8s.io": frozenset({"SelfSubjectReview", "TokenReview"}),
    "authorization.k8s.io": frozenset({"SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"}),
    "certificates.k8s.io": frozenset({"CertificateSigningRequest", "ClusterTrustBundle"}),
    "flowcontrol.apiserver.k8s.io": frozenset({"FlowSchema", "PriorityLevelConfiguration"}),
    "internal.apiserver.k8s.io": frozenset({"StorageVersion"}),
    "networking.k8s.io": frozenset({"IPAddress", "IngressClass", "ServiceCIDR"}),
    "policy": frozenset({"PodSecurityPolicy"}),
    "rbac.authorization.k8s.io": frozenset({"ClusterRole", "ClusterRoleBinding"}),
    "resource.k8s.io": frozenset({"ResourcePoolStatusRequest"}),
    "storage.k8s.io": frozenset({"VolumeAttributesClass"}),
    "storagemigration.k8s.io": frozenset({"StorageVersionMigration"}),
    # of other projects
    "cert-manager.io": frozenset({"ClusterIssuer"}),
    "cilium.io": frozenset({"CiliumClusterwideNetworkPolicy", "CiliumNode", "CiliumLoadBalancerIPPool"}),
    "crd.projectcalico.org": frozenset(
        {"BGPConfiguration", "BGPPeer", "FelixConfiguration", "GlobalNetworkPolicy", "GlobalNetworkSet", "IPPool"}
    ),
    "external-secrets.io": frozenset({"ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"}),
    "gateway.networking.k8s.io": frozenset({"GatewayClass"}),
    "generators.external-secrets.io": frozenset({"ClusterGenerator"}),
    "karpenter.azure.com": frozenset({"AKSNodeClass"}),
    "karpenter.k8s.aws": frozenset({"EC2NodeClass"}),
    "karpenter.sh": frozenset({"NodeClaim", "NodePool"}),
    "keda.sh": frozenset({"ClusterTriggerAuthentication"}),
    "kueue.x-k8s.io": frozenset({"AdmissionCheck", "ClusterQueue", "Cohort", "ResourceFlavor"}),
    "kyverno.io": frozenset({"ClusterCleanupPolicy", "ClusterPolicy"}),
    "projectcalico.org": frozenset(
        {"BGPConfiguration", "BGPPeer", "FelixConfiguration", "GlobalNetworkPolicy", "GlobalNetworkSet", "IPPool"}
    ),
    "scheduling.volcano.sh": frozenset({"Queue"}),
    "snapshot.storage.k8s.io": frozenset({"VolumeSnapshotClass", "VolumeSnapshotContent"}),
    "templates.gatekeeper.sh": frozenset({"ConstraintTemplate"}),
    "trust.cert-manager.io": frozenset({"Bundle"}),
}
"""By group: the kinds that kplan does not read; of those that it reads ``kinds.py`` says it."""

_WHOLE_GROUPS = frozenset({"constraints.gatekeeper.sh"})
"""Groups whose kinds are made at run time, all of the whole cluster."""


def of_the_cluster(api_version: str, kind: str) -> bool:
    """Tell whether objects of a kind are known to have no namespace."""
    known = find(api_version, kind)
    if known is not None:
        return not known.namespaced
    group = api_version.rpartition("/")[0]
    return group in _WHOLE_GROUPS or kind in _OF_THE_CLUSTER.get(group, ())
