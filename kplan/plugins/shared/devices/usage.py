"""Which devices are in use, and by which claims: kept in step with the claims of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from kplan.objects.models.devices import DeviceRequestAllocationResult, ResourceClaim
from kplan.objects.models.meta import Object
from kplan.plugins.shared.devices.device import DeviceID, WrittenAmount

if TYPE_CHECKING:
    from kplan.cluster import Cluster

T = TypeVar("T")


class Share(Struct, frozen=True):
    """A share of a device that may be given to many.

    Attributes:
        claim: key of the claim that has it.
        capacity: what it takes, by capacity; None where the allocation does not say.
    """

    claim: str
    capacity: tuple[tuple[str, WrittenAmount], ...] | None


class DeviceUsage:
    """Devices that allocated claims hold, those with admin access not counted.

    Attributes:
        holders: keys of the claims that hold a device alone, by device.
        shares: shares of devices that are given to many, by device.
        changed: every device whose use changed, in order; it only grows.

    Source: v1.37.2 pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go foreachAllocatedDevice.
    """

    def __init__(self, claims: Mapping[str, ResourceClaim], *, consumable: bool) -> None:
        self._consumable = consumable
        self.holders: dict[DeviceID, list[str]] = {}
        self.shares: dict[DeviceID, list[Share]] = {}
        self.changed: list[DeviceID] = []
        for key, claim in claims.items():
            self._count(key, claim, 1)
        self.changed.clear()

    def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
        """Follow the replacement of a claim."""
        if isinstance(former, ResourceClaim):
            self._count(key, former, -1)
        if isinstance(item, ResourceClaim):
            self._count(key, item, 1)

    def used(self, device: DeviceID) -> bool:
        """Whether anybody holds a device or a share of it."""
        return device in self.holders or device in self.shares

    def capacity(self, device: DeviceID) -> dict[str, WrittenAmount] | None:
        """Sum up what the shares of a device take, by capacity; None where no share says."""
        said = [share.capacity for share in self.shares.get(device, ()) if share.capacity is not None]
        if not said:
            return None
        total: dict[str, WrittenAmount] = {}
        for capacity in said:
            for name, amount in capacity:
                total[name] = total[name].plus(amount) if name in total else amount
        return total

    def _count(self, key: str, claim: ResourceClaim, sign: int) -> None:
        if claim.status.allocation is None:
            return
        for result in claim.status.allocation.devices.results or ():
            if result.admin_access:
                continue
            device = DeviceID(result.driver, result.pool, result.device)
            self.changed.append(device)
            if self._consumable and result.share_id is not None:
                _keep(self.shares, device, Share(key, _capacity(result)), sign)
            else:
                _keep(self.holders, device, key, sign)


def _keep(table: dict[DeviceID, list[T]], device: DeviceID, item: T, sign: int) -> None:
    if sign > 0:
        table.setdefault(device, []).append(item)
        return
    table[device].remove(item)
    if not table[device]:
        del table[device]


def _capacity(result: DeviceRequestAllocationResult) -> tuple[tuple[str, WrittenAmount], ...] | None:
    if result.consumed_capacity is None:
        return None
    return tuple((name, WrittenAmount.of(raw)) for name, raw in result.consumed_capacity.items())


def device_usage(cluster: Cluster, *, consumable: bool) -> DeviceUsage:
    """Return which devices of a cluster are in use, in step with its claims.

    Args:
        cluster: the cluster.
        consumable: whether devices are shared by capacity (gate DRAConsumableCapacity); else a share is all of it.
    """
    tables = cluster.objects
    return tables.followed(
        f"device-usage-{consumable}",
        ("resource_claims",),
        lambda: DeviceUsage(tables.table("resource_claims"), consumable=consumable),
    )
