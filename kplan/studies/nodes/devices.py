"""Devices of nodes: free and used by class and pool, who uses them, and in which pieces the free ones lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct, field

from kplan.cluster import Cluster
from kplan.framework.features import Features
from kplan.objects.models import DeviceClass, ResourceClaim
from kplan.plugins.dynamic_resources.judging import users_of
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.cel_errors import ExpressionError
from kplan.plugins.shared.devices.device import DeviceID, PooledDevice
from kplan.plugins.shared.devices.index import DeviceIndex, NodeDevices, device_index
from kplan.plugins.shared.devices.pools import PoolID, PoolView
from kplan.plugins.shared.devices.usage import DeviceUsage, device_usage
from kplan.result.document_device_list import DeviceClassTotal, DeviceEntry, DeviceList, DevicePool
from kplan.result.document_nodes import NodeList
from kplan.wording.device_list import POOL_INCOMPLETE, devices_sentence, scarcest_class, waiting_text

_KEEPS_AWAY = ("NoSchedule", "NoExecute")


def with_devices(document: NodeList, cluster: Cluster, features: Features) -> NodeList:
    """Add the devices of the nodes of a list to it; its cause is then that of devices."""
    devices = list_devices(cluster, features, [node.node for node in document.nodes])
    return msgspec.structs.replace(document, devices=devices, because=scarcest_class(devices))


def list_devices(cluster: Cluster, features: Features, nodes: Sequence[str]) -> DeviceList:
    """Tell the use of devices.

    Args:
        cluster: the cluster.
        features: version and gates, which say what counts.
        nodes: names of the nodes that are shown.
    """
    index = device_index(cluster, features)
    usage = device_usage(cluster, consumable=index.rules.consumable)
    run = _DeviceList(cluster, index, usage, cluster.objects.table("device_classes"))
    pools = run.pools(sorted(cluster.node_index[name] for name in nodes))
    classes = {name: run.total(name, pools) for name in run.classes}
    told = tuple(run.told(pool) for pool in pools)
    devices = [device for pool in told for device in pool.devices]
    waits = _waiting(cluster)
    return DeviceList(
        sentence=devices_sentence(
            len(nodes), len({row for pool in pools for row in pool.rows}), len(devices), sum(pool.free for pool in told)
        ),
        classes={name: total for name, total in classes.items() if total.devices or total.most_wanted or total.error},
        pools=told,
        notes=(waiting_text(waits),) if waits else (),
    )


def class_totals(cluster: Cluster, features: Features) -> dict[str, DeviceClassTotal]:
    """Add up the devices of each class that selects any, over all nodes; none where there are no slices.

    Args:
        cluster: the cluster.
        features: version and gates, which say what counts.
    """
    if not cluster.objects.table("resource_slices"):
        return {}
    index = device_index(cluster, features)
    usage = device_usage(cluster, consumable=index.rules.consumable)
    run = _DeviceList(cluster, index, usage, cluster.objects.table("device_classes"))
    pools = run.pools(range(len(cluster.nodes)))
    totals = {name: run.total(name, pools) for name in run.classes}
    return {name: total for name, total in totals.items() if total.devices}


def _waiting(cluster: Cluster) -> int:
    """Claims of waiting pods that have no devices."""
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    keys = set()
    for pod in cluster.pods:
        if pod.waiting and pod.pod.spec.resource_claims:
            made = {status.name: status.resource_claim_name for status in pod.pod.status.resource_claim_statuses or ()}
            names = (claim.resource_claim_name or made.get(claim.name) for claim in pod.pod.spec.resource_claims)
            keys |= {f"{pod.namespace}/{name}" for name in names if name}
    return sum(key in claims and claims[key].status.allocation is None for key in keys)


class _Pool(Struct):
    """A pool with the nodes that reach it, and the state of each device."""

    pool: PoolView
    rows: list[int]
    states: list[str] = field(default_factory=list)


class _DeviceList(Struct):
    """One list of devices that is being made."""

    cluster: Cluster
    index: DeviceIndex
    usage: DeviceUsage
    classes: Mapping[str, DeviceClass]
    errors: dict[str, str] = field(default_factory=dict)
    _matches: dict[tuple[str, DeviceID], bool] = field(default_factory=dict)

    def pools(self, rows: Iterable[int]) -> list[_Pool]:
        """Pools that nodes reach: those of one node by node, then those of several."""
        pools: dict[PoolID, _Pool] = {}
        for row in rows:
            node = self.index.node(row)
            for at, pool in enumerate(node.pools):
                known = pools.get(pool.identity)
                if known is None:
                    known = pools[pool.identity] = _Pool(pool, [], self._states(node, at))
                known.rows.append(row)
        return sorted(pools.values(), key=lambda pool: (len(pool.rows) > 1, pool.rows[0], pool.pool.identity))

    def _states(self, node: NodeDevices, at: int) -> list[str]:
        return [self._state(node, at, device) for device in node.pools[at].devices]

    def _state(self, node: NodeDevices, at: int, device: PooledDevice) -> str:
        pool = node.pools[at]
        identity = pool.id_of(device)
        if identity in self.usage.holders:
            return "used"
        if identity in self.usage.shares:
            return "shared"
        rules = self.index.rules
        if rules.taints and any(rules.all_taints_count or taint.effect in _KEEPS_AWAY for taint in device.taints):
            return "tainted"
        left: Mapping[str, Mapping[str, int]] = {name: dict(values) for name, values in _available(node, at)}
        for taken in device.consumes if pool.counters is not None else ():
            mine = left.get(taken.counter_set, {})
            if any(nanos > mine.get(name, nanos) for name, nanos in taken.counters):
                return "blocked"
        return "free"

    def total(self, name: str, pools: Sequence[_Pool]) -> DeviceClassTotal:
        """Add up the devices of a class."""
        states: Counter[str] = Counter()
        by_node: Counter[int] = Counter()
        for pool in pools:
            for device, state in zip(pool.pool.devices, pool.states, strict=True):
                if self._of_class(name, pool.pool, device):
                    states[state] += 1
                    for row in pool.rows if state == "free" else ():
                        by_node[row] += 1
        largest = max(by_node.values(), default=0)
        free, wanted = states["free"], self._most_wanted(name)
        apart = [pool for pool in pools if len(pool.rows) == 1]
        lost = self._unusable(name, apart, wanted)
        return DeviceClassTotal(
            devices=states.total(),
            used=states["used"] + states["shared"],
            free=free,
            tainted=states["tainted"],
            blocked=states["blocked"],
            largest=largest,
            largest_node=next((self.cluster.node_name(row) for row in sorted(by_node) if by_node[row] == largest), ""),
            pieces=dict(sorted(Counter(by_node.values()).items(), reverse=True)),
            most_wanted=wanted,
            fragmented=round(100 * lost / free, 1) if free and wanted else None,
            error=self.errors.get(name, ""),
        )

    def _unusable(self, name: str, pools: Sequence[_Pool], wanted: int) -> int:
        """Free devices on nodes that have fewer than the largest request asks for; those of several nodes count not."""
        by_node: Counter[int] = Counter()
        for pool in pools:
            for device, state in zip(pool.pool.devices, pool.states, strict=True):
                by_node[pool.rows[0]] += state == "free" and self._of_class(name, pool.pool, device)
        return sum(number for number in by_node.values() if number < wanted)

    def _of_class(self, name: str, pool: PoolView, device: PooledDevice) -> bool:
        key = (name, pool.id_of(device))
        known = self._matches.get(key)
        if known is None:
            known = self._matches[key] = self._selects(name, device)
        return known

    def _selects(self, name: str, device: PooledDevice) -> bool:
        try:
            return all(
                expression(selector.cel.expression).matches(device.seen)
                for selector in self.classes[name].spec.selectors or ()
                if selector.cel is not None
            )
        except ExpressionError as error:
            self.errors.setdefault(name, error.text)
            return False

    def _most_wanted(self, name: str) -> int:
        """The most devices of a class that one request asks for."""
        claims: Mapping[str, ResourceClaim] = self.cluster.objects.table("resource_claims")
        most = 0
        for claim in claims.values():
            for request in claim.spec.devices.requests or ():
                for asked in (request.exactly, *(request.first_available or ())):
                    if asked is not None and asked.device_class_name == name and asked.allocation_mode != "All":
                        most = max(most, asked.count if asked.count is not None else 1)
        return most

    def told(self, listed: _Pool) -> DevicePool:
        """A pool as it is told."""
        pool = listed.pool
        return DevicePool(
            driver=pool.driver,
            pool=pool.name,
            node=self.cluster.node_name(listed.rows[0]) if len(listed.rows) == 1 else "",
            nodes=len(listed.rows),
            devices=tuple(
                self._entry(pool, device, state) for device, state in zip(pool.devices, listed.states, strict=True)
            ),
            free=0 if pool.problem else listed.states.count("free"),
            problem=pool.problem or (POOL_INCOMPLETE if pool.incomplete else ""),
        )

    def _entry(self, pool: PoolView, device: PooledDevice, state: str) -> DeviceEntry:
        identity = pool.id_of(device)
        holders = [*self.usage.holders.get(identity, ()), *(s.claim for s in self.usage.shares.get(identity, ()))]
        keys = tuple(dict.fromkeys(holders))
        return DeviceEntry(
            name=device.name,
            state=state,
            classes=tuple(name for name in self.classes if self._of_class(name, pool, device)),
            claims=keys,
            pods=users_of(self.cluster.objects.table("resource_claims"), keys),
            taints=tuple(f"{t.key}{f'={t.value}' if t.value else ''}:{t.effect}" for t in device.taints),
        )


def _available(node: NodeDevices, at: int) -> Iterable[tuple[str, Iterable[tuple[str, int]]]]:
    """What is left of the counters of a pool."""
    counters: Iterable[tuple[str, Iterable[tuple[str, int]]]] = node.uses[at].available  # type: ignore[assignment]
    return counters
