"""The order of remedies: waiting first, the nodes a pod selects before others, nodes meant for others last."""

from typing import Any

from kplan.objects.models import Object
from tests.builders import node, pod
from tests.studies.ask import document

GPU = "x.com/gpu"
OS = "kubernetes.io/os"
ARCH = "kubernetes.io/arch"
LEAVING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def fixes(objects: list[Object]) -> list[tuple[str, str]]:
    """Remedies of pod ``p`` and what is told of each, in order."""
    return [(fix.text, fix.then) for fix in document(objects, "default/p").fixes]


def small(*more: Object, **pod_spec: Any) -> list[Object]:
    """A node that is full, and pod ``p``, which wants more than is free there."""
    return [node("a", cpu="2"), pod("used", node="a", requests={"cpu": "1"}), *more,
            pod("p", **{"requests": {"cpu": "1500m"}, **pod_spec})]  # fmt: skip


def windows(name: str = "w") -> Object:
    return node(name, labels={OS: "windows"}, taints=["os=windows:NoSchedule"])


def test_a_node_with_a_device_that_the_pod_does_not_ask_for_comes_last_and_says_what_it_is_for() -> None:
    found = fixes(small(node("g", allocatable={GPU: "4"}, taints=[f"{GPU}=present:NoSchedule"])))
    assert found[0] == ("cpu request of at most 1000m (now 1500m)", "a")
    assert found[-2:] == [
        (f"tolerate {GPU}=present", f"g; a node for {GPU}"),
        (f"remove taint {GPU}=present from g", f"g; a node for {GPU}"),
    ]


def test_a_pod_that_asks_for_the_device_tolerates_its_taint_first() -> None:
    objects = [node("a"), node("g", allocatable={GPU: "4"}, taints=[f"{GPU}=present:NoSchedule"]),
               pod("p", requests={GPU: "1"})]  # fmt: skip
    assert fixes(objects)[0] == (f"tolerate {GPU}=present", "g")


def test_a_taint_named_like_a_device_that_the_node_does_not_have_is_a_taint_like_any_other() -> None:
    objects = small(node("g", taints=[f"{GPU}=present:NoSchedule"]))
    assert fixes(objects)[0] == (f"tolerate {GPU}=present", "g")


def test_a_windows_node_comes_last_for_a_pod_that_says_nothing_of_its_system() -> None:
    found = fixes(small(windows()))
    assert found[0][0] == "cpu request of at most 1000m (now 1500m)"
    assert found[-2:] == [
        ("tolerate os=windows", "w; a windows node"),
        ("remove taint os=windows from w", "w; a windows node"),
    ]


def test_a_windows_pod_tolerates_the_taint_first_and_is_let_go_to_linux_last() -> None:
    found = fixes([node("a", labels={OS: "linux"}), windows(), pod("p", nodeSelector={OS: "windows"})])
    assert found == [
        ("tolerate os=windows", "w"),
        ("remove taint os=windows from w", "w"),
        (f"drop nodeSelector {OS}", "a; not windows nodes"),
    ]


def test_a_node_of_another_architecture_comes_last_unless_the_pod_asks_for_it() -> None:
    arm = node("r", labels={ARCH: "arm64"}, taints=[f"{ARCH}=arm64:NoSchedule"])
    assert (f"tolerate {ARCH}=arm64", "r; a node for arm64") in fixes(small(arm))[-2:]
    terms = [{"matchExpressions": [{"key": ARCH, "operator": "In", "values": ["arm64"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    found = fixes(small(arm, affinity=affinity, requests={"cpu": "500m"}))
    assert found[0] == (f"tolerate {ARCH}=arm64", "r")
    assert found[-1] == (f"drop node affinity {ARCH} In arm64", "a; not arm64 nodes")


def test_the_node_that_a_pod_selects_is_uncordoned_before_the_selector_is_dropped() -> None:
    objects = [node("a"), node("b", labels={"pool": "b"}, unschedulable=True), pod("p", nodeSelector={"pool": "b"})]
    assert fixes(objects)[:2] == [("uncordon b", "b"), ("drop nodeSelector pool=b", "a")]


def test_the_taint_of_a_node_that_a_pod_selects_is_tolerated_before_other_values_are_allowed() -> None:
    terms = [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    others = [node(name, labels={"pool": "a"}) for name in ("a", "c")]
    tainted = node("b", labels={"pool": "b"}, taints=["dedicated=b:NoSchedule"])
    objects = [*others, tainted, pod("p", affinity=affinity)]
    assert fixes(objects)[:3] == [
        ("tolerate dedicated=b", "b"),
        ("node affinity: allow pool a too", "a, c"),
        ("drop node affinity pool In b", "a, c"),
    ]


def test_a_pod_that_is_being_deleted_is_waited_for_first() -> None:
    going = pod("going", node="b", requests={"cpu": "1"}, metadata=LEAVING)
    objects = small(node("b", cpu="2"), going)
    answer = document(objects, "default/p")
    first = answer.fixes[0]
    assert first.summary == "wait until default/going, which is being deleted, is gone -> b fits"
    assert (first.code, first.cost, first.commands) == (
        "wait", "wait", ("kubectl wait --for=delete pod/going -n default",)
    )  # fmt: skip


def test_pods_that_are_being_deleted_are_waited_for_together_where_one_is_not_enough() -> None:
    going = [pod(f"going-{i}", node="b", requests={"cpu": "1"}, metadata=LEAVING) for i in range(2)]
    objects = [node("b", cpu="2"), *going, pod("p", requests={"cpu": "1500m"})]
    waits = [text for text, _ in fixes(objects) if text.startswith("wait")]
    assert waits == ["wait until default/going-0 and default/going-1, which are being deleted, are gone"]


def test_nobody_waits_for_pods_whose_end_changes_nothing() -> None:
    objects = small(pod("going", node="a", requests={"cpu": "100m"}, metadata=LEAVING))
    assert [text for text, _ in fixes(objects) if text.startswith("wait")] == []
