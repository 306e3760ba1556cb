"""Claims of volumes: the default StorageClass, and claims of ephemeral volumes."""

from collections.abc import Iterable, Mapping

from kplan.admission.raw import copied
from kplan.objects.models import PersistentVolumeClaim, Pod, StorageClass
from kplan.objects.models.meta import ObjectMeta, OwnerReference
from kplan.objects.quantity import canonical, round_up_to_milli

_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_OLD_CLASS = "volume.beta.kubernetes.io/storage-class"


def default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """Find the default StorageClass: of several the newest, then the first by name.

    Source: GetDefaultClass in pkg/volume/util/storageclass.go.
    """
    marked = [class_ for class_ in classes if any(class_.annotations.get(key) == "true" for key in _DEFAULT_CLASS)]
    marked.sort(key=lambda storage_class: storage_class.name)
    marked.sort(key=lambda storage_class: storage_class.metadata.creation_timestamp or "", reverse=True)
    return marked[0] if marked else None


def set_claim_defaults(claim: PersistentVolumeClaim, classes: Iterable[StorageClass]) -> list[str]:
    """Complete a new claim, in place; return what was added, a phrase each.

    Source: SetDefaults_PersistentVolumeClaimSpec in pkg/apis/core/v1/defaults.go; claimDefaulterPlugin.Admit in
    plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
    """
    spec = claim.spec
    spec.volume_mode = spec.volume_mode or "Filesystem"
    claim.status.phase = claim.status.phase or "Pending"
    for listed in (spec.resources.requests, spec.resources.limits) if spec.resources else ():
        for name, raw in (listed or {}).items():
            (listed or {})[name] = canonical(round_up_to_milli(raw))
    if spec.storage_class_name is not None or _OLD_CLASS in claim.annotations:
        return []
    default = default_class(classes)
    if default is None:
        return []
    spec.storage_class_name = default.name
    return [f"storageClassName {default.name} of claim {claim.name} from the default StorageClass"]


def ephemeral_claims(pod: Pod) -> list[PersistentVolumeClaim]:
    """Make the claims of a pod's ephemeral volumes, as their controller does once the pod exists.

    Source: handleVolume in pkg/controller/volume/ephemeral/controller.go.
    """
    claims = []
    for volume in pod.spec.volumes or ():
        template = volume.ephemeral.volume_claim_template if volume.ephemeral else None
        if template is None:
            continue
        owner = OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.metadata.uid, controller=True)
        claim = PersistentVolumeClaim(
            metadata=ObjectMeta(
                name=f"{pod.name}-{volume.name}",
                namespace=pod.namespace,
                labels=dict(template.metadata.labels or {}),
                annotations=dict(template.metadata.annotations or {}),
                owner_references=[owner],
            )
        )
        if template.spec is not None:
            claim.spec = copied(template.spec)
        claims.append(claim)
    return claims


def storage_request(claim: PersistentVolumeClaim) -> Mapping[str, str | int | float]:
    """Return what a claim requests; empty for nothing."""
    return (claim.spec.resources.requests if claim.spec.resources else None) or {}
