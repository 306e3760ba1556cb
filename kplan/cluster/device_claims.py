"""Device claims of pods that come and go, as the controller of claims keeps them in step.

A claim that was made for a pod leaves with it. One that pods share is let go by each that leaves, and loses its devices
with the last of them. A pod that is made in place of another has claims of its own, made of the same templates.

Source: v1.37.2 pkg/controller/resourceclaim/controller.go syncClaim, handleClaim; the garbage collector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from kplan.cluster.changes import AddPods, Put, Remove
from kplan.cluster.cluster import Change, Cluster
from kplan.objects.generated_names import suffix
from kplan.objects.models import ObjectMeta, OwnerReference, Pod, ResourceClaim, ResourceClaimTemplate
from kplan.objects.models.devices import ResourceClaimStatus
from kplan.objects.models.meta import Object
from kplan.objects.models.pod import PodResourceClaimStatus

_CLAIMS = "resource_claims"
_OF_POD = "resource.kubernetes.io/pod-claim-name"


class _ByPod:
    """Keys of the claims that a pod owns or may use, by its uid; follows each change."""

    def __init__(self, claims: Mapping[str, ResourceClaim]) -> None:
        self._keys: dict[str, dict[str, None]] = {}
        for key, claim in claims.items():
            self.put(_CLAIMS, key, None, claim)

    def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
        """Follow the replacement of a claim."""
        for uid in _uids(former):
            self._keys.get(uid, {}).pop(key, None)
        for uid in _uids(item):
            self._keys.setdefault(uid, {})[key] = None

    def of(self, uid: str) -> tuple[str, ...]:
        """Keys of the claims of a pod."""
        return tuple(sorted(self._keys.get(uid, ())))


def _uids(item: Object | None) -> Iterator[str]:
    if not isinstance(item, ResourceClaim):
        return
    yield from (user.uid for user in item.status.reserved_for or () if user.uid)
    yield from (owner.uid for owner in item.metadata.owner_references or () if owner.controller and owner.uid)


def claims_by_pod(cluster: Cluster) -> _ByPod:
    """The index of claims by pod, in step with the cluster."""
    tables = cluster.objects
    return tables.followed("device-claims-by-pod", (_CLAIMS,), lambda: _ByPod(tables.table(_CLAIMS)))


def devices_given(cluster: Cluster, uid: str) -> tuple[str, ...]:
    """Devices of the claims that are reserved for a pod: ``pool/device``, in the order of claims and results."""
    claims: Mapping[str, ResourceClaim] = cluster.objects.table(_CLAIMS)
    given: list[str] = []
    for key in claims_by_pod(cluster).of(uid) if claims else ():
        status = claims[key].status
        if status.allocation is not None and any(user.uid == uid for user in status.reserved_for or ()):
            given += [f"{result.pool}/{result.device}" for result in status.allocation.devices.results or ()]
    return tuple(given)


def leave(cluster: Cluster, rows: Iterable[int]) -> tuple[Change, ...]:
    """What changes when pods leave for good: they are gone, and so is what they had of devices.

    Args:
        cluster: the cluster.
        rows: of the pods.
    """
    rows = list(rows)
    return (*map(Remove, rows), *given_back(cluster, rows))


def released(cluster: Cluster, row: int) -> tuple[Put, ...]:
    """What becomes of the device claims of a pod that is taken off its node to be asked about as new: they stay its."""
    claims: Mapping[str, ResourceClaim] = cluster.objects.table(_CLAIMS)
    puts = given_back(cluster, (row,))
    return tuple(
        put if put.item is not None else Put(_CLAIMS, put.key, replace(claims[put.key], status=ResourceClaimStatus()))
        for put in puts
    )


def given_back(cluster: Cluster, rows: Iterable[int]) -> tuple[Put, ...]:
    """What becomes of the device claims of pods that leave."""
    table: Mapping[str, ResourceClaim] = cluster.objects.table(_CLAIMS)
    if not table:
        return ()
    index = claims_by_pod(cluster)
    claims: dict[str, ResourceClaim | None] = {}
    for row in rows:
        uid = cluster.pods[row].uid
        for key in index.of(uid):
            claim = claims.get(key, table[key])
            if claim is not None:
                claims[key] = _without(claim, uid)
    return tuple(Put(_CLAIMS, key, claim) for key, claim in claims.items())


def _without(claim: ResourceClaim, uid: str) -> ResourceClaim | None:
    """A claim once a pod is gone; None where it leaves with the pod."""
    if any(owner.controller and owner.uid == uid for owner in claim.metadata.owner_references or ()):
        return None
    rest = [user for user in claim.status.reserved_for or () if user.uid != uid]
    return replace(claim, status=replace(claim.status, reserved_for=rest) if rest else ResourceClaimStatus())


def arrive(cluster: Cluster, pods: Sequence[Pod], made_of: int = -1) -> tuple[Change, ...]:
    """What changes when pods are made in place of others, or beside them: their own device claims are made, too.

    Args:
        cluster: the cluster.
        pods: copies; their status names the claims of the pods that they are copied from.
        made_of: row of the pod that a single one was copied from; -1 where that is not said.
    """
    claims: list[Put] = []
    made = []
    for pod in pods:
        if pod.status.resource_claim_statuses:
            pod, mine = _with_claims(cluster, pod)
            claims += mine
        made.append(pod)
    return (*claims, *([AddPods(tuple(made), made_of)] if made else []))


def _with_claims(cluster: Cluster, pod: Pod) -> tuple[Pod, list[Put]]:
    """A copy of a pod with claims of its own, and these; of one whose model is not there nothing is known."""
    templates: Mapping[str, ResourceClaimTemplate] = cluster.objects.table("resource_claim_templates")
    claims: Mapping[str, ResourceClaim] = cluster.objects.table(_CLAIMS)
    entries = {entry.name: entry for entry in pod.spec.resource_claims or ()}
    statuses, puts = [], []
    for status in pod.status.resource_claim_statuses or ():
        entry = entries.get(status.name)
        wanted = entry.resource_claim_template_name if entry is not None else None
        template = templates.get(f"{pod.namespace}/{wanted}") if wanted else None
        model = claims.get(f"{pod.namespace}/{status.resource_claim_name}") if status.resource_claim_name else None
        spec = template.spec.spec if template is not None else model.spec if model is not None else None
        if not wanted or spec is None:
            statuses.append(PodResourceClaimStatus(name=status.name))
            continue
        stem = f"{pod.name}-{status.name}-"[:58]
        name = stem + suffix(pod.namespace, stem)
        statuses.append(PodResourceClaimStatus(name=status.name, resource_claim_name=name))
        key = f"{pod.namespace}/{pod.name}"
        owner = OwnerReference(
            api_version="v1", kind="Pod", name=pod.name, uid=pod.metadata.uid or key, controller=True
        )
        metadata = ObjectMeta(
            name=name,
            namespace=pod.namespace,
            uid=f"claim-{pod.namespace}-{name}",
            annotations={_OF_POD: status.name},
            owner_references=[owner],
        )
        puts.append(Put.of(ResourceClaim(metadata=metadata, spec=spec)))
    return replace(pod, status=replace(pod.status, resource_claim_statuses=statuses)), puts
