"""``kplan nodes --devices``: free and used devices by class and pool, numbers by hand."""

from __future__ import annotations

from typing import Any

import kplan
from kplan.cluster import build
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.render.text import Style
from kplan.render.text.device_list import device_list
from kplan.result.document_device_list import DeviceList
from kplan.result.document_nodes import NodeList
from kplan.studies.nodes import NodesAsked, list_nodes, with_devices
from kplan.studies.origin import origin, version_of
from tests.builders import make, node
from tests.plugins.devices.world import DRIVER, claim, claiming, device, device_class, given, request, slice_of

A = f'device.attributes["{DRIVER}"]'


def listed(*objects: Object, **asked: Any) -> NodeList:
    state = ClusterState.of(objects, source="made-up.json")
    features = kplan.Scheduler.of("1.37").features
    cluster = build(state)
    document = list_nodes(cluster, NodesAsked(**asked), origin(state, features, *version_of(state, "1.37")))
    return with_devices(document, cluster, features)


def devices_of(*objects: Object, **asked: Any) -> DeviceList:
    found = listed(*objects, **asked).devices
    assert found is not None
    return found


def model(name: str, value: str, **fields: Any) -> dict[str, Any]:
    return device(name, attributes={"model": value}, **fields)


BROKEN = [{"key": "broken", "effect": "NoExecute"}]
WORLD: tuple[Object, ...] = (
    *(node(name) for name in "abc"),
    slice_of("a", model("g0", "l"), model("g1", "l"), model("g2", "s")),
    slice_of("b", model("g0", "l"), model("g1", "l", taints=BROKEN)),
    device_class("large", f'{A}.model == "l"'),
    device_class("any"),
    claim("x", request(), status=given("a", "g0", users=["p"])),
    claiming("p", "x", node="a"),
    claim("y", request("r", deviceClassName="large", count=2)),
    claiming("w", "y"),
)


def test_devices_are_counted_by_class() -> None:
    found = devices_of(*WORLD)
    large, every = found.classes["large"], found.classes["any"]
    assert (large.devices, large.used, large.free, large.tainted, large.blocked) == (4, 1, 2, 1, 0)
    assert (every.devices, every.used, every.free, every.tainted) == (5, 1, 3, 1)
    assert (every.largest, every.largest_node, every.pieces) == (2, "a", {2: 1, 1: 1})
    # no node has the 2 that a request asks for, so that none of the free ones can be used for it
    assert (large.largest, large.pieces, large.most_wanted, large.fragmented) == (1, {1: 2}, 2, 100.0)
    assert (every.most_wanted, every.fragmented) == (0, None)
    assert found.sentence == "3 nodes, 2 with devices: 5 devices, 3 free"
    assert found.notes == ("1 claim of waiting pods has no devices yet",)


def test_pools_say_who_uses_what() -> None:
    found = devices_of(*WORLD)
    assert [(pool.node, pool.driver, pool.free, [d.state for d in pool.devices]) for pool in found.pools] == [
        ("a", DRIVER, 2, ["used", "free", "free"]),
        ("b", DRIVER, 1, ["free", "tainted"]),
    ]
    used = found.pools[0].devices[0]
    assert (used.name, used.claims, used.pods, used.classes) == ("g0", ("default/x",), ("default/p",), ("any", "large"))
    assert found.pools[1].devices[1].taints == ("broken:NoExecute",)


def test_only_the_nodes_asked_about_count() -> None:
    found = devices_of(*WORLD, names=("b",))
    assert [pool.node for pool in found.pools] == ["b"]
    assert found.classes["any"].devices == 2


def test_a_pool_of_several_nodes_is_told_once_and_counts_once() -> None:
    shared = make(
        "ResourceSlice",
        "net",
        spec={
            "driver": DRIVER,
            "allNodes": True,
            "pool": {"name": "net", "generation": 1, "resourceSliceCount": 1},
            "devices": [device("n0"), device("n1")],
        },
    )
    found = devices_of(node("a"), node("b"), shared, device_class("any"))
    assert [(pool.node, pool.nodes, pool.free) for pool in found.pools] == [("", 2, 2)]
    assert (found.classes["any"].devices, found.classes["any"].largest) == (2, 2)


def test_a_partition_whose_counters_are_taken_is_blocked() -> None:
    def of(amount: str) -> dict[str, Any]:
        return {"consumesCounters": [{"counterSet": "gpu", "counters": {"memory": {"value": amount}}}]}

    pool = {"name": "a", "generation": 1, "resourceSliceCount": 2}
    counters = {"sharedCounters": [{"name": "gpu", "counters": {"memory": {"value": "40Gi"}}}]}
    sizes = {"whole": "40Gi", "half": "20Gi", "other": "20Gi"}
    found = devices_of(
        node("a"),
        slice_of("a", *(device(name, **of(amount)) for name, amount in sizes.items()), pool=pool),
        make("ResourceSlice", "a-counters", spec={"driver": DRIVER, "nodeName": "a", "pool": pool, **counters}),
        device_class("any"),
        claim("x", request(), status=given("a", "half")),
    )  # fmt: skip
    assert [(one.name, one.state) for one in found.pools[0].devices] == [
        ("whole", "blocked"), ("half", "used"), ("other", "free"),
    ]  # fmt: skip
    assert found.classes["any"].blocked == 1


def test_a_class_whose_selector_fails_says_so() -> None:
    found = devices_of(node("a"), slice_of("a", device("g0")), device_class("bad", f'{A}.modle == "l"'))
    assert (found.classes["bad"].devices, found.classes["bad"].error) == (0, "no such key: modle")


def test_text_shows_classes_and_pools_and_wide_every_device() -> None:
    document = listed(*WORLD)
    assert device_list(document, Style()) == (
        "NODES    3 nodes, 2 with devices: 5 devices, 3 free\n"
        "Because  large is scarcest: 2 of 4 free, at most 1 on one node (a)\n"
        "\n"
        "Classes  class  devices  used  free  tainted  free on nodes       unusable\n"
        "         any          5     1     3        1  1 with 2, 1 with 1         -\n"
        "         large        4     1     2        1  2 with 1              100.0%\n"
        "Devices  node  driver           free  of  used by\n"
        "         a     gpu.example.com     2   3  default/p\n"
        "         b     gpu.example.com     1   2  1 tainted\n"
        "Waiting  1 claim of waiting pods has no devices yet\n"
        "From     made-up.json, 3 nodes, 2 pods; rules of 1.37 (as asked)\n"
    )
    wide = " ".join(device_list(document, Style(wide=True)).split())
    assert " g0 used, default/p, any, large g1 free, any, large g2 free, any " in wide
    assert "tainted, broken:NoExecute, any, large" in wide


def test_without_devices_there_is_a_line_and_its_doubt() -> None:
    document = listed(node("a"), device_class("any"))
    assert device_list(document, Style()).splitlines()[:2] == [
        "NODES?   1 node, none with devices",
        "Doubt    the source holds no pods: every node counts as empty",
    ]
