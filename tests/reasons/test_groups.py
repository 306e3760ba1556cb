"""Groups of nodes by what is wrong, told by codes, things and requirements: no words are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import kplan
from kplan.framework.findings import About
from kplan.framework.reason_codes import AboutKind
from kplan.objects.models import Object, Pod
from kplan.objects.selectors import Requirement
from kplan.objects.state import ClusterState
from kplan.reasons.groups import Atom, find_groups
from kplan.reasons.run_cycle import RunCycle
from tests.builders import node, pod

SSD = {"disk": "ssd"}


def asked(new: Pod, objects: Iterable[Object]) -> RunCycle:
    planner = kplan.Scheduler.of("1.37").planner(ClusterState.of([*objects, new]))
    return RunCycle.of(planner, planner.cluster.pods[planner.cluster.pod_index[new.key]])


def told(atom: Atom) -> str:
    """Code, what it is about, and the requirement."""
    about = ", ".join(f"{kind} {name}".strip() for kind, name in atom.about)
    return f"{atom.code}: {about}" + (f" ({atom.requirement})" if atom.requirement is not None else "")


def groups(new: Pod, *objects: Object) -> list[tuple[list[str], list[str]]]:
    """Names of the nodes of each group, and what is wrong with them."""
    found = asked(new, objects)
    return [
        ([found.cluster.node_name(int(row)) for row in group.rows], [told(atom) for atom in group.atoms])
        for group in find_groups(found)
    ]


def affinity(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    selector = {"nodeSelectorTerms": [{"matchExpressions": expressions} for expressions in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def test_nodes_are_told_apart_by_the_taints_in_the_way() -> None:
    nodes = [
        node("a", taints=["x:NoSchedule"]),
        node("b", taints=["y=1:NoExecute"]),
        node("c", taints=["x:NoSchedule"]),
    ]
    assert groups(pod("p"), *nodes) == [
        (["a", "c"], ["taint-not-tolerated: taint x:NoSchedule"]),
        (["b"], ["taint-not-tolerated: taint y=1:NoExecute"]),
    ]


def test_a_cordon_is_told_once_and_its_taint_is_not() -> None:
    cordoned = node("a", unschedulable=True, taints=["node.kubernetes.io/unschedulable:NoSchedule"])
    assert groups(pod("p"), cordoned) == [
        (["a"], ["node-cordoned: taint node.kubernetes.io/unschedulable:NoSchedule"]),
    ]


def test_each_label_of_a_node_selector_that_is_missed_is_a_reason_of_its_own() -> None:
    new = pod("p", nodeSelector={"disk": "ssd", "zone": "a"})
    nodes = [node("a", labels=SSD), node("b", labels={"zone": "a"}), node("c")]
    assert groups(new, *nodes) == [
        (["a"], ["node-selector: selector zone (zone=a)"]),
        (["b"], ["node-selector: selector disk (disk=ssd)"]),
        (["c"], ["node-selector: selector disk (disk=ssd)", "node-selector: selector zone (zone=a)"]),
    ]


def test_an_expression_of_one_term_is_told_and_of_several_terms_that_none_holds() -> None:
    expression = {"key": "disk", "operator": "In", "values": ["ssd", "nvme"]}
    other = {"key": "zone", "operator": "Exists"}
    assert groups(pod("p", affinity=affinity([expression])), node("a")) == [
        (["a"], ["node-affinity: requirement disk (disk in (ssd, nvme))"])
    ]
    assert groups(pod("p", affinity=affinity([expression], [other])), node("a")) == [(["a"], ["node-affinity: terms"])]


def test_an_expression_that_cannot_be_evaluated_is_told_as_such() -> None:
    new = pod("p", affinity=affinity([{"key": "cores", "operator": "Gt", "values": ["1.5"]}]))
    assert groups(new, node("a", labels={"cores": "4"})) == [(["a"], ["node-affinity: unreadable"])]


def test_nodes_that_are_left_out_by_name_say_who_named_others() -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": ["a"]}]
    selector = {"nodeSelectorTerms": [{"matchFields": fields}]}
    new = pod(
        "p",
        requests={"cpu": "9"},
        affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}},
    )
    found = find_groups(asked(new, [node("a"), node("b")]))
    assert [(group.left_out, [told(atom) for atom in group.atoms]) for group in found] == [
        (False, ["insufficient-resource: resource cpu"]),
        (True, ["left-out-by-name: plugin NodeAffinity, node a"]),
    ]


def test_a_shortage_of_a_native_resource_has_its_name_in_the_public_code() -> None:
    new = pod("p", requests={"cpu": "9", "example.com/gpu": "1"})
    [group] = find_groups(asked(new, [node("a")]))
    assert [(atom.resource, atom.public_code) for atom in group.atoms] == [
        ("cpu", "insufficient-cpu"),
        ("example.com/gpu", "insufficient-resource"),
    ]


def test_claims_of_one_pod_alone_are_the_same_reason_for_all_pods_of_the_spec() -> None:
    def reason(claim: str) -> Atom:
        about = (About(AboutKind.CLAIM, claim), About(AboutKind.VOLUME, "pv"))
        return Atom(
            "VolumeBinding", "volume-missing", about, claim, False, asked(pod("p"), [node("a")]).cluster.all_rows > 0
        )

    a, b = reason("a-scratch"), reason("b-scratch")
    own = {About(AboutKind.CLAIM, "a-scratch"): "scratch"}
    assert a.same() != b.same()
    assert a.same(own) == b.same({About(AboutKind.CLAIM, "b-scratch"): "scratch"})
    assert a.same(own) != b.same({About(AboutKind.CLAIM, "b-scratch"): "other"})


def test_a_requirement_is_part_of_what_reasons_have_in_common() -> None:
    one, other = (
        find_groups(asked(pod("p", nodeSelector={"disk": value}), [node("a")]))[0].atoms[0] for value in ("ssd", "hdd")
    )
    assert (one.requirement, other.requirement) == (
        Requirement("disk", "In", ("ssd",)),
        Requirement("disk", "In", ("hdd",)),
    )
    assert one.same() != other.same()


def test_nodes_with_too_little_free_come_before_more_nodes_that_are_too_small_for_the_pod() -> None:
    small = [node(name, cpu="2") for name in ("a", "b", "c")]
    nodes = [*small, node("full", cpu="8"), pod("old", node="full", requests={"cpu": "7"})]
    assert [names for names, _ in groups(pod("p", requests={"cpu": "4"}), *nodes)] == [["full"], ["a", "b", "c"]]


def test_of_as_many_reasons_the_node_that_lacks_the_smallest_share_is_nearest() -> None:
    """However many nodes lack more: half of the cpu on three nodes, a quarter of it and of the memory on one each."""
    wants = pod("p", requests={"cpu": "4", "memory": "8Gi"})
    half = [node(f"half-{i}", cpu="4") for i in range(3)]
    used = [pod(f"u-{i}", node=f"half-{i}", requests={"cpu": "2"}) for i in range(3)]
    less = [node("memory"), pod("m", node="memory", requests={"memory": "9Gi"})]  # 7 of 16Gi are free
    lacks_both = [node("both"), pod("b", node="both", requests={"cpu": "1", "memory": "10Gi"})]
    found = groups(wants, *half, *used, *less, *lacks_both)
    assert [names for names, _ in found] == [["memory"], ["half-0", "half-1", "half-2"], ["both"]]
