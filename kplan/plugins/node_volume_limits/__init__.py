"""NodeVolumeLimits: a node takes no more volumes of a CSI driver than its CSINode says.

What it checks:  per driver: volumes of the pods on the node and others attached to it (VolumeAttachments), each counted
                 once, plus those the pod newly brings, against spec.drivers[].allocatable.count of the CSINode; in-tree
                 volumes of AWS, GCE, Azure disks, Cinder and Portworx count for the driver that took them over wherever
                 there is a CSINode (up to v1.35, Portworx only where it lists the plugin as migrated). From v1.37 on
                 also that the driver is installed, if its CSIDriver asks for that (preventPodSchedulingIfMissing).
Rejects with:    "node(s) exceed max volume count", "<driver> CSI driver is not installed on the node" (Unschedulable);
                 "looking up PVC ns/x: persistentvolumeclaim "x" not found" (UnschedulableAndUnresolvable)
Not modelled:    deferred resizes (gate InPlacePodVerticalScalingSchedulerPreemption). Where several drivers are not
                 installed, the scheduler names any, kplan the first by volume.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, utils.go
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import SEARCHED
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.events import CLAIM_ADDED, POD_DELETED, Action, Happened, Interest, Resource
from kplan.framework.findings import About, Facts, Failed, Findings, Ready, Refusal, Refused, RowError, Skip
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Mask, Worlds
from kplan.plugins.node_volume_limits import waking
from kplan.plugins.node_volume_limits.attachments import AttachmentProblem, UsedVolume, used_volumes
from kplan.plugins.node_volume_limits.counting import Limits, limits_for
from kplan.plugins.shared.claims import claim_use
from kplan.plugins.shared.csi_translation import plugin_of_inline

__all__ = ["DriverUsage", "NodeVolumeLimits", "NodeVolumeLimitsFacts"]

EXCEEDED = "node(s) exceed max volume count"


def not_installed(driver: str) -> str:
    """Return the text for a node that lacks a driver."""
    return f"{driver} CSI driver is not installed on the node"


class NodeVolumeLimitsState(Struct, frozen=True):
    """Volumes of the pod, and what nodes allow.

    Attributes:
        volumes: what each volume of the pod counts as, in order.
        limits: limits and counts of the drivers concerned.
        known: answers about rows as they are, made on first need.
    """

    volumes: tuple[UsedVolume | AttachmentProblem, ...]
    limits: Limits
    known: dict[str, Mask] = field(default_factory=dict)


class DriverUsage(Facts, frozen=True):
    """One driver on one node.

    Attributes:
        node: name of the node.
        driver: name of the CSI driver.
        installed: whether the CSINode lists the driver.
        limit: most volumes it may have attached; None for no limit.
        attached: volumes of pods on the node and others that are attached.
        unused: names of the volumes among them that are attached though no pod on the node uses them.
        new: claims (or volumes) of the pod that would be added.
        present: claims (or volumes) of the pod that a pod on the node uses already.
    """

    node: str
    driver: str
    installed: bool
    limit: int | None
    attached: int
    unused: tuple[str, ...]
    new: tuple[str, ...]
    present: tuple[str, ...]


class NodeVolumeLimitsFacts(Facts, frozen=True):
    """Usage of each driver that the pod needs, node by node."""

    usage: tuple[DriverUsage, ...]


class NodeVolumeLimits(ColumnPlugin[None]):
    """See the module."""

    name: ClassVar[str] = "NodeVolumeLimits"
    cost: ClassVar[Cost] = Cost.SEARCH

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Pods of the node and everything about storage; nothing where the pod has no volume that may count."""
        return Reads.PODS | Reads.STORAGE if _may_count(pod) else Reads.NODE

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Failed | Ready[NodeVolumeLimitsState]:
        """Find out what the volumes of the pod count as.

        Source: CSILimits.PreFilter.
        """
        if not _may_count(pod):
            return Skip()
        volumes = tuple(used_volumes(pod.pod, cluster))
        mine = [volume for volume in volumes if isinstance(volume, UsedVolume)]
        return Ready(NodeVolumeLimitsState(volumes, limits_for(mine, cluster, self.features)))

    def filter(self, pod: PodInfo, state: NodeVolumeLimitsState, cluster: Cluster, worlds: Worlds) -> Findings[Any]:
        """Count per driver; worlds in which pods moved are counted one by one.

        Source: CSILimits.Filter.
        """
        rows = worlds.rows
        errors: list[RowError] = []
        refusals: list[Refusal] = []
        unresolvable = np.zeros(len(worlds), dtype=np.bool_)
        alive = np.ones(len(worlds), dtype=np.bool_)
        for problem in (item for item in state.volumes if isinstance(item, AttachmentProblem)):
            here = alive & state.limits.counted[problem.plugin][rows]
            alive &= ~here
            if problem.missing is not None:
                why = problem.missing
                refusals.append(Refusal(why.code, why.about, why.reason, here))
                unresolvable |= here
            else:
                errors.extend(RowError(int(row), problem.text, problem.code) for row in np.flatnonzero(here))
        refusals.extend(self._without_driver(state.limits, cluster, rows, alive))
        for refusal in refusals:
            alive &= ~refusal.rows
        alive &= state.limits.limited[rows]
        broken = state.limits.broken_pods
        exceeded = alive & state.limits.exceeded[rows]
        searched = np.flatnonzero(alive).tolist() if worlds.moved or broken else []
        cluster.work.charge(SEARCHED * len(searched))
        for row in searched:
            moves = worlds.moves(row)
            error = state.limits.problem(int(rows[row]), moves) if broken else None
            if error is not None:
                errors.append(RowError(row, error.text, error.code))
                exceeded[row] = False
            elif moves:
                exceeded[row] = state.limits.exceeds(int(rows[row]), moves)
        drivers = tuple(About(AboutKind.DRIVER, driver) for driver in state.limits.drivers)
        refusals.append(Refusal(ReasonCode.VOLUME_LIMIT, drivers, EXCEEDED, exceeded))
        return Findings(tuple(refusals), unresolvable, tuple(sorted(errors, key=lambda error: error.row)))

    def _without_driver(
        self, limits: Limits, cluster: Cluster, rows: NDArray[np.intp], alive: Mask
    ) -> Iterator[Refusal]:
        """Refuse nodes that lack a driver of the pod, where that is asked for.

        Source: CSILimits.checkCSIDriverOnNode.
        """
        if not self.features.enabled("VolumeLimitScaling"):
            return
        for driver, here in limits.drivers_on_nodes():
            csi_driver = cluster.objects.csi_drivers.get(driver)
            if csi_driver is None:
                continue
            # The field came with v1.36; before, the gate alone made every driver ask.
            if self.features.since(36) and not csi_driver.spec.prevent_pod_scheduling_if_missing:
                continue
            missing = alive & here[rows] & ~limits.installed[driver][rows]
            alive = alive & ~missing
            if missing.any():
                about = (About(AboutKind.DRIVER, driver),)
                yield Refusal(ReasonCode.CSI_DRIVER_MISSING, about, not_installed(driver), missing)

    def interests(self) -> tuple[Interest, ...]:
        """CSINodes, pods that are gone, claims that are new, attachments that are gone."""
        return (
            Interest(Resource.CSI_NODE, Action.ADD | Action.UPDATE),
            POD_DELETED,
            CLAIM_ADDED,
            Interest(Resource.VOLUME_ATTACHMENT, Action.DELETE),
        )

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A driver with more room, a pod with volumes that count, a claim of this one, an attachment it may need."""
        return waking.wakes(pod, happened)

    def explain(
        self,
        pod: PodInfo,
        state: NodeVolumeLimitsState,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[Any],
        rows: Sequence[int],
    ) -> NodeVolumeLimitsFacts:
        """Count each driver of the pod on these nodes."""
        usage: list[DriverUsage] = []
        for row in rows:
            node = int(worlds.rows[row])
            for driver in state.limits.drivers:
                count = state.limits.count(node, driver, worlds.moves(row))
                limit = int(state.limits.limit[driver][node])
                usage.append(
                    DriverUsage(
                        node=cluster.node_name(node),
                        driver=driver,
                        installed=bool(state.limits.installed[driver][node]),
                        limit=limit if limit >= 0 else None,
                        attached=count.attached,
                        unused=count.unused,
                        new=count.new,
                        present=count.present,
                    )
                )
        return NodeVolumeLimitsFacts(tuple(usage))


def _may_count(pod: PodInfo) -> bool:
    return any(
        claim_use(pod.pod, volume) is not None or plugin_of_inline(volume) is not None
        for volume in pod.pod.spec.volumes or ()
    )
