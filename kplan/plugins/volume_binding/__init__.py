"""VolumeBinding: the claims of a pod can be had on the node: bound volumes reach it, others are found or made there.

What it checks:  claims and their volumes exist; a claim that does not wait for its first consumer is bound; node
                 affinity of bound volumes (as their CSI driver sees it where the node's CSINode says so); for claims
                 that wait, smallest first: a volume reserved for the claim, else the smallest that suits it (class,
                 mode, access modes, selector, attributes class, reach), else that one may be made: provisioner,
                 allowedTopologies, CSIStorageCapacity; a claim already given to a node stays there. Scores free
                 storage from v1.37 on.
Rejects with:    "node(s) didn't match PersistentVolume's node affinity", "node(s) didn't find available persistent
                 volumes to bind", "node(s) did not have enough free storage", "node(s) unavailable due to one or more
                 pvc(s) bound to non-existent pv(s)" (UnschedulableAndUnresolvable, in this order); for every node:
                 "persistentvolumeclaim "x" not found", "persistentvolumeclaim "x" is being deleted",
                 "waiting for ephemeral volume controller to create the persistentvolumeclaim "x"",
                 "persistentvolumeclaim "x" bound to non-existent persistentvolume "y"",
                 "PVC ns/x was not created for pod ns/p (pod is not owner)",
                 "pod has unbound immediate PersistentVolumeClaims" (the same code)
Not modelled:    binding itself and its timeout; deferred resizes (gate InPlacePodVerticalScalingSchedulerPreemption).
                 Where several volumes of one size, several volumes reserved for a claim
                 or several CSIStorageCapacity objects would do, the scheduler takes any, kplan the first by name.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/volume_binding.go, binder.go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo, Put
from kplan.framework.args import DEFAULT_SHAPE, VolumeBindingArgs
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import About, Failed, Findings, Ready, Refusal, Refused, Reserved, Skip, Why
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.framework.writes import Write
from kplan.objects.lean import replace
from kplan.objects.models import PersistentVolumeClaim
from kplan.objects.models.meta import ObjectReference
from kplan.plugins.shared.allocation_scores import points_of
from kplan.plugins.shared.claims import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimUse,
    claim_class,
    claim_missing,
    claim_uses,
    not_owner,
    owned_by,
)
from kplan.plugins.volume_binding import waking
from kplan.plugins.volume_binding.binder import Binding, PodClaims, PodVolumes, Provision, search
from kplan.plugins.volume_binding.facts import VolumeBindingFacts, volume_facts
from kplan.plugins.volume_binding.matching import reserved_for
from kplan.plugins.volume_binding.scoring import WouldCrash, score_volumes
from kplan.plugins.volume_binding.writing import give_volume, select_node

__all__ = ["Binding", "PodVolumes", "Provision", "VolumeBinding", "VolumeBindingFacts"]

OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"


class _ModeNotSetError(Exception):
    """A storage class without volumeBindingMode: the scheduler fails."""


class VolumeBinding(ColumnPlugin[VolumeBindingArgs]):
    """See the module; its arguments say how free storage scores."""

    name: ClassVar[str] = "VolumeBinding"
    cost: ClassVar[Cost] = Cost.SEARCH
    compares: ClassVar[Compares] = Compares.NOTHING

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Labels of nodes and everything about storage; nothing of it where the pod has no claim."""
        return Reads.NODE | Reads.STORAGE if any(claim_uses(pod.pod)) else Reads(0)

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Failed | Ready[PodClaims]:
        """Sort the claims of the pod into bound ones and those that wait for it.

        Source: VolumeBinding.PreFilter, podHasPVCs; volumeBinder.GetPodVolumeClaims.
        """
        uses = list(claim_uses(pod.pod))
        if not uses:
            return Skip()
        for use in uses:
            problem = _unusable(use, pod, cluster)
            if problem is not None:
                return Refused((problem,))
        claims = [cluster.objects.persistent_volume_claims[use.key] for use in uses]
        bound = tuple(claim for claim in claims if is_bound(claim))
        unbound = [claim for claim in claims if not is_bound(claim)]
        try:
            delayed = tuple(claim for claim in unbound if _waits(claim, cluster))
        except _ModeNotSetError as error:
            return Failed(str(error))
        if len(delayed) < len(unbound):
            at_once = (About(AboutKind.CLAIM, claim.name) for claim in unbound if claim not in delayed)
            return Refused.of(ReasonCode.CLAIM_UNBOUND, UNBOUND_IMMEDIATE, *at_once)
        return Ready(PodClaims(bound, delayed))

    def filter(self, pod: PodInfo, state: PodClaims, cluster: Cluster, worlds: Worlds) -> Findings[PodVolumes]:
        """Search each node; pods that moved change nothing here.

        Source: VolumeBinding.Filter.
        """
        searched = search(state, cluster, worlds.rows, self.features)
        sound = np.ones(len(worlds), dtype=np.bool_)
        sound[[error.row for error in searched.errors]] = False
        volumes = tuple(About(AboutKind.VOLUME, claim.spec.volume_name or "") for claim in state.bound)
        claims = tuple(About(AboutKind.CLAIM, claim.name) for claim in state.delayed)
        refusals = (
            Refusal(ReasonCode.VOLUME_OUT_OF_REACH, volumes, OUT_OF_REACH, searched.out_of_reach & sound),
            Refusal(ReasonCode.NO_VOLUME_TO_BIND, claims, NO_VOLUME, searched.no_volume & sound),
            Refusal(ReasonCode.NO_STORAGE_CAPACITY, claims, NO_SPACE, searched.no_space & sound),
            Refusal(ReasonCode.VOLUME_MISSING, volumes, VOLUME_MISSING, searched.missing & sound),
        )
        choice = searched.choice if state.delayed else None
        return Findings(refusals, np.ones(len(worlds), dtype=np.bool_), tuple(searched.errors), choice)

    def interests(self) -> tuple[Interest, ...]:
        """Classes, claims, volumes, nodes, what drivers are and offer."""
        changed = Action.ADD | Action.UPDATE
        return (
            Interest(Resource.STORAGE_CLASS, changed),
            Interest(Resource.PERSISTENT_VOLUME_CLAIM, changed),
            Interest(Resource.PERSISTENT_VOLUME, changed),
            Interest(Resource.NODE, Action.ADD | Action.NODE_LABEL),
            Interest(Resource.CSI_NODE, changed),
            Interest(Resource.CSI_DRIVER, Action.UPDATE),
            Interest(Resource.CSI_STORAGE_CAPACITY, changed),
        )

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A claim of the pod; of what changes, only what may let it bind or have a volume made."""
        return waking.wakes(pod, happened)

    def pre_score(
        self, pod: PodInfo, state: PodClaims | None, cluster: Cluster, rows: Rows
    ) -> Skip | Failed | Ready[None]:
        """Skip unless free storage is scored; pods without claims are scored too, with 0.

        Source: VolumeBinding.PreScore.
        """
        return Ready(None) if self.features.enabled("StorageCapacityScoring") else Skip()

    def score(
        self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: Mapping[int, PodVolumes] | None
    ) -> NDArray[np.int64] | Failed:
        """Score what is left of free storage, 0 to 100.

        Source: VolumeBinding.Score.
        """
        scores = np.zeros(len(rows), dtype=np.int64)
        if not choice:
            return scores
        shape = points_of((self.args.shape if self.args else None) or DEFAULT_SHAPE)
        known: dict[int, int] = {}  # by identity: nodes that get the same share one object
        for i, row in enumerate(rows.tolist()):
            volumes = choice.get(row)
            if volumes is None:
                continue
            try:
                if id(volumes) not in known:
                    known[id(volumes)] = score_volumes(volumes, shape, cluster)
            except WouldCrash as crash:
                if len(rows) > 1:
                    return Failed(f"kube-scheduler would crash here: {crash}")
                known[id(volumes)] = 0  # the only feasible node is taken without a score
            scores[i] = known[id(volumes)]
        return scores

    def reserve(
        self, pod: PodInfo, state: PodClaims | None, cluster: Cluster, row: int, choice: PodVolumes | None
    ) -> Reserved:
        """Assume what was chosen: a found volume belongs to its claim, a claim to be provisioned belongs to the node.

        Source: volumeBinder.AssumePodVolumes; component-helpers v0.37.2 storage/volume/pv_helpers.go
        GetBindVolumeToClaim.
        """
        if choice is None:
            return Reserved()
        bound = (_assume_volume(binding, cluster) for binding in choice.bindings)
        made = (_assume_claim(provision.claim, cluster, cluster.node_name(row)) for provision in choice.provisions)
        changes = tuple(change for change in (*bound, *made) if change is not None)
        return Reserved(changes, choice.volumes)

    def pre_bind(
        self, pod: PodInfo, state: PodClaims | None, cluster: Cluster, row: int, choice: PodVolumes | None
    ) -> tuple[Write, ...]:
        """Give each volume that was found to its claim, and each other claim to the node.

        Source: VolumeBinding.PreBind; volumeBinder.BindPodVolumes.
        """
        if choice is None:
            return ()
        volumes, claims = cluster.objects.persistent_volumes, cluster.objects.persistent_volume_claims
        given = (give_volume(volumes[binding.volume], claims[binding.claim]) for binding in choice.bindings)
        node = cluster.node_name(row)
        made = (select_node(claims[provision.claim], node) for provision in choice.provisions)
        return (*given, *made)

    def explain(
        self,
        pod: PodInfo,
        state: PodClaims,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[PodVolumes],
        rows: Sequence[int],
    ) -> VolumeBindingFacts:
        """Tell of each claim and volume, and of each refused node what it lacks."""
        failed = findings.failed
        refused = [int(worlds.rows[row]) for row in rows if failed[row]]
        return volume_facts(state, cluster, refused, self.features)


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Tell whether a claim has its volume for good.

    Source: volumeBinder.isPVCFullyBound.
    """
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.annotations


def _unusable(use: ClaimUse, pod: PodInfo, cluster: Cluster) -> Why | None:
    """Return why a claim keeps the pod off every node; None if it does not.

    Source: VolumeBinding.podHasPVCs.
    """
    claim = cluster.objects.persistent_volume_claims.get(use.key)
    about = About(AboutKind.CLAIM, use.name)
    if claim is None:
        if not use.ephemeral:
            return claim_missing(use.name)
        text = f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{use.name}"'
        return Why(ReasonCode.CLAIM_BEING_MADE, (about,), text)
    if claim.status.phase == "Lost":
        missing = claim.spec.volume_name or ""
        text = f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{missing}"'
        return Why(ReasonCode.VOLUME_MISSING, (about, About(AboutKind.VOLUME, missing)), text)
    if claim.metadata.deletion_timestamp is not None:
        return Why(ReasonCode.CLAIM_BEING_DELETED, (about,), f'persistentvolumeclaim "{claim.name}" is being deleted')
    return not_owner(claim, pod.pod) if use.ephemeral and not owned_by(claim, pod.pod) else None


def _waits(claim: PersistentVolumeClaim, cluster: Cluster) -> bool:
    """Tell whether an unbound claim waits for its first consumer, and not for a volume named beforehand.

    Source: component-helpers v0.37.2 storage/volume/pv_helpers.go IsDelayBindingMode.
    """
    name = claim_class(claim)
    storage_class = cluster.objects.storage_classes.get(name) if name else None
    if storage_class is None:
        return False
    if storage_class.volume_binding_mode is None:
        raise _ModeNotSetError(f'VolumeBindingMode not set for StorageClass "{name}"')
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER and not claim.spec.volume_name


def _assume_volume(binding: Binding, cluster: Cluster) -> Put | None:
    volume = cluster.objects.persistent_volumes[binding.volume]
    claim = cluster.objects.persistent_volume_claims[binding.claim]
    spec, metadata, ref = volume.spec, volume.metadata, volume.spec.claim_ref
    uid = claim.metadata.uid or ""
    if ref is None or (ref.name, ref.namespace, ref.uid or "") != (claim.name, claim.namespace, uid):
        mine = ObjectReference(kind="PersistentVolumeClaim", namespace=claim.namespace, name=claim.name, uid=uid)
        spec = replace(spec, claim_ref=mine)
    if not reserved_for(volume, claim) and BOUND_BY_CONTROLLER not in volume.annotations:
        metadata = replace(metadata, annotations={**volume.annotations, BOUND_BY_CONTROLLER: "yes"})
    if spec is volume.spec and metadata is volume.metadata:
        return None
    return Put("persistent_volumes", volume.key, replace(volume, spec=spec, metadata=metadata))


def _assume_claim(key: str, cluster: Cluster, node: str) -> Put | None:
    claim = cluster.objects.persistent_volume_claims[key]
    if claim.annotations.get(SELECTED_NODE) == node:
        return None
    metadata = replace(claim.metadata, annotations={**claim.annotations, SELECTED_NODE: node})
    return Put("persistent_volume_claims", key, replace(claim, metadata=metadata))
