"""Claims for devices: those that are made of a pod's claim templates once the pod exists.

Of a template that is not there no claim is made, and the scheduler leaves the pod out of its queue until one is.
"""

from collections.abc import Iterator, Mapping

from kplan.admission.raw import copied
from kplan.objects.generated_names import suffix
from kplan.objects.models import Pod, PodStatus, ResourceClaim, ResourceClaimTemplate
from kplan.objects.models.meta import ObjectMeta, OwnerReference
from kplan.objects.models.pod import PodResourceClaimStatus

_OF_POD = "resource.kubernetes.io/pod-claim-name"


def name_device_claims(pod: Pod, templates: Mapping[str, ResourceClaimTemplate]) -> list[str]:
    """Record the claims that are made from a pod's claim templates, in place; return a phrase each.

    Args:
        pod: a new pod.
        templates: by ``namespace/name``.

    Source: syncPod, handleClaim in pkg/controller/resourceclaim/controller.go: ``<pod>-<claim>-<random>``.
    """
    statuses = []
    added = []
    for claim in pod.spec.resource_claims or ():
        template = claim.resource_claim_template_name
        if template and f"{pod.namespace}/{template}" in templates:
            name = f"{pod.name}-{claim.name}-"
            name += suffix(pod.namespace, name)
            statuses.append(PodResourceClaimStatus(name=claim.name, resource_claim_name=name))
            added.append(f"ResourceClaim of its entry {claim.name} from template {template}")
    if statuses:
        pod.status.resource_claim_statuses = statuses
    return added


def status_of_copy(pod: Pod) -> PodStatus:
    """Give the status of a pod that a controller makes in place of another.

    Its claims are made again once the pod is there: named are those of the pod that it is copied from.
    """
    made = [
        PodResourceClaimStatus(name=status.name, resource_claim_name=status.resource_claim_name)
        for status in pod.status.resource_claim_statuses or ()
    ]
    return PodStatus(phase="Pending", resource_claim_statuses=made or None)


def device_claims(pod: Pod, templates: Mapping[str, ResourceClaimTemplate]) -> Iterator[ResourceClaim | str]:
    """Make the claims of a pod whose names its status has; of a template that is not there, say so.

    Args:
        pod: with ``status.resourceClaimStatuses``.
        templates: by ``namespace/name``.

    Source: handleClaim in pkg/controller/resourceclaim/controller.go.
    """
    names = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses or ()}
    for claim in pod.spec.resource_claims or ():
        wanted, name = claim.resource_claim_template_name, names.get(claim.name)
        if not wanted:
            continue
        template = templates.get(f"{pod.namespace}/{wanted}")
        if template is None:
            yield f'resource claim template "{wanted}" not found'
        if template is None or not name:
            continue
        inner = template.spec.metadata or ObjectMeta()
        owner = OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.metadata.uid, controller=True)
        yield ResourceClaim(
            metadata=ObjectMeta(
                name=name,
                namespace=pod.namespace,
                labels=dict(inner.labels or {}),
                annotations={**(inner.annotations or {}), _OF_POD: claim.name},
                owner_references=[owner],
            ),
            spec=copied(template.spec.spec),
        )
