"""Claims for devices: those that are made of a pod's claim templates once the pod exists."""

from collections.abc import Iterator, Mapping

from kplan.admission.raw import copied
from kplan.objects.models import Pod, ResourceClaim, ResourceClaimTemplate
from kplan.objects.models.meta import ObjectMeta, OwnerReference

_OF_POD = "resource.kubernetes.io/pod-claim-name"


def device_claims(pod: Pod, templates: Mapping[str, ResourceClaimTemplate]) -> Iterator[ResourceClaim | str]:
    """Make the claims of a pod whose names its status has; of a template that is not there, say so.

    Args:
        pod: with ``status.resourceClaimStatuses``.
        templates: by ``namespace/name``.

    Source: handleClaim in pkg/controller/resourceclaim/controller.go.
    """
    names = {one.name: one.resource_claim_name for one in pod.status.resource_claim_statuses or ()}
    for claim in pod.spec.resource_claims or ():
        wanted, name = claim.resource_claim_template_name, names.get(claim.name)
        if not wanted or not name:
            continue
        template = templates.get(f"{pod.namespace}/{wanted}")
        if template is None:
            yield f'resource claim template "{wanted}" not found'
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
