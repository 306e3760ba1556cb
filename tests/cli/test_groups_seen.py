"""Gates of groups that are taken for on, as what the source holds tells."""

from collections.abc import Sequence
from typing import Any

from kplan.cli.groups_seen import seen
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from tests.builders import make, node, pod

MEMBER = {"schedulingGroup": {"podGroupName": "g"}}


def group(**spec: Any) -> Object:
    return make("PodGroup", "g", namespace="default", spec={"schedulingPolicy": {"gang": {"minCount": 2}}, **spec})


def on(objects: Sequence[Object], version: str = "1.37", **gates: bool) -> tuple[list[str], bool]:
    """Gates that are on then, and whether there is a doubt."""
    found, doubt = seen(ClusterState.of(objects), gates, version)
    return sorted(gate for gate, enabled in found.items() if enabled), doubt is not None


def test_a_pod_of_a_group_that_is_there_says_that_the_gate_is_on() -> None:
    assert on([node("a"), pod("p", **MEMBER), group()]) == (["GenericWorkload"], True)


def test_a_constraint_is_only_stored_with_a_gate_of_its_own() -> None:
    constrained = group(schedulingConstraints={"topology": [{"key": "rack"}]})
    gates = ["GenericWorkload", "TopologyAwareWorkloadScheduling"]
    assert on([node("a"), pod("p", **MEMBER), constrained]) == (gates, True)


def test_claims_of_a_group_are_only_stored_with_a_gate_of_their_own() -> None:
    brings = group(resourceClaims=[{"name": "gpu", "resourceClaimName": "all"}])
    gates = ["DRAWorkloadResourceClaims", "GenericWorkload"]
    assert on([node("a"), pod("p", **MEMBER), brings]) == (gates, True)


def test_what_is_said_holds() -> None:
    assert on([pod("p", **MEMBER), group()], GenericWorkload=False) == ([], False)


def test_nothing_is_taken_for_on_without_such_a_pod_or_its_group() -> None:
    assert on([pod("p"), group()]) == ([], False)
    assert on([pod("p", **MEMBER)]) == ([], False)


def test_versions_without_groups() -> None:
    assert on([pod("p", **MEMBER), group()], "1.34") == ([], False)


def test_a_group_of_groups_is_only_stored_with_gates_of_its_own() -> None:
    above = make("CompositePodGroup", "job", namespace="default", spec={"schedulingPolicy": {"basic": {}}})
    gates = ["CompositePodGroup", "GenericWorkload", "TopologyAwareWorkloadScheduling"]
    assert on([node("a"), pod("p", **MEMBER), group(parentCompositePodGroupName="job"), above]) == (gates, True)
