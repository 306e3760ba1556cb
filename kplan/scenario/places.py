"""Places: what goes with a zone, so that a node of another one is a node of it in every label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kplan.cluster import Cluster
from kplan.objects.models import Node
from kplan.objects.well_known import REGION, ZONE

OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
_EVERYWHERE = ("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch")


def moved(cluster: Cluster, labels: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Labels of a node that is put into the zone that is given: those that go with a zone are those of nodes there.

    Where no node is in that zone, a label that had the name of the old zone gets that of the new one.

    Args:
        cluster: the cluster.
        labels: of the node as it was.
        given: labels that it gets.
    """
    merged = {**labels, **given}
    zone = given.get(ZONE, given.get(OLD_ZONE, ""))
    old = labels.get(ZONE, labels.get(OLD_ZONE, ""))
    if not zone or zone == old:
        return merged
    there = [node for node in cluster.nodes if zone_of(node) == zone]
    for key in _keys(cluster):
        if key in given:
            continue
        values = {node.labels[key] for node in there if key in node.labels}
        if len(values) == 1 and (key in labels or not old):
            merged[key] = values.pop()
        elif (key in labels and not there and labels[key] == old) or (key in (ZONE, OLD_ZONE) and key in labels):
            merged[key] = zone
    return merged


def zone_of(node: Node) -> str:
    """The zone of a node; empty for none."""
    return node.labels.get(ZONE, node.labels.get(OLD_ZONE, ""))


def _keys(cluster: Cluster) -> Iterator[str]:
    """Labels that tell where a node is: zones and regions, and what CSI drivers go by, hosts left out."""
    keys = dict.fromkeys((ZONE, OLD_ZONE, REGION, OLD_REGION))
    for item in cluster.objects.table("csi_nodes").values():
        for driver in item.spec.drivers or ():
            keys |= dict.fromkeys(driver.topology_keys or ())
    for key in keys:
        by_zone: dict[str, set[str]] = {}
        for node in cluster.nodes:
            value = node.labels.get(key)
            if value is not None:
                by_zone.setdefault(zone_of(node), set()).update((value, *([""] if value == node.name else [])))
        if all(len(values) == 1 for values in by_zone.values()):  # a key of each host goes with no zone
            yield key


def of_every_node(cluster: Cluster) -> dict[str, str]:
    """Labels of system and machine that every node has alike: a node of which only numbers are given has them, too."""
    shared = {}
    for key in _EVERYWHERE:
        values = {node.labels.get(key) for node in cluster.nodes}
        if len(values) == 1 and (value := values.pop()) is not None:
            shared[key] = value
    return shared
