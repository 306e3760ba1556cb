"""Devices over many pods: what is given is gone, what is taken back is there again; facts, scores and totals."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given as hypothetically
from hypothesis import settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import Cluster, Put, build
from kplan.config.versions import features
from kplan.framework.args import NodeResourcesBalancedAllocationArgs, ResourceSpec
from kplan.framework.findings import Failed
from kplan.objects.models import Object, Pod, ResourceClaim
from kplan.objects.state import ClusterState
from kplan.pipeline.planner import Planner
from kplan.plugins.dynamic_resources import DynamicResources
from kplan.plugins.dynamic_resources.facts import DeviceWhy, DynamicResourcesFacts
from kplan.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from kplan.plugins.shared.devices.usage import DeviceUsage, device_usage
from kplan.plugins.shared.resources import device_totals
from tests.builders import node, pod
from tests.plugins.ask import scores
from tests.plugins.devices.world import (
    DRIVER,
    claim,
    claiming,
    device,
    device_class,
    given,
    request,
    slice_of,
)
from tests.plugins.telling import facts

A = f'device.attributes["{DRIVER}"]'
RESOURCE = "example.com/gpu"
TWO = [node("a"), slice_of("a", device("g0"), device("g1")), device_class()]


def planner_of(*objects: Object, **options: Any) -> Planner:
    return kplan.Scheduler.of("1.37").planner(ClusterState.of(list(objects)), preempt=False, **options)


def steps(planner: Planner) -> list[str]:
    """Place every waiting pod; what becomes of each."""
    told = []
    for info in planner.waiting():
        outcome = planner.step(info).outcome
        told.append(planner.cluster.node_name(outcome.placement.node) if outcome.placement else outcome.fit_error)
    return told


def held(cluster: Cluster) -> dict[str, list[str]]:
    return {str(name): list(claims) for name, claims in device_usage(cluster, consumable=True).holders.items()}


def test_a_device_is_given_once_and_taken_back_exactly() -> None:
    claims = [claim(f"c{i}", request()) for i in range(3)]
    planner = planner_of(*TWO, *claims, *(claiming(f"p{i}", f"c{i}") for i in range(3)))
    before = dict(planner.cluster.objects.table("resource_claims"))
    with planner.trial() as trial:
        told = steps(trial)
        assert told[:2] == ["a", "a"]
        assert "1 cannot allocate all claims" in told[2]
        assert held(planner.cluster) == {f"{DRIVER}/a/g0": ["default/c0"], f"{DRIVER}/a/g1": ["default/c1"]}
    assert held(planner.cluster) == {}
    assert dict(planner.cluster.objects.table("resource_claims")) == before


def test_a_claim_is_shared_by_the_pods_that_name_it() -> None:
    planner = planner_of(*TWO, claim("c", request(count=2)), claiming("p", "c"), claiming("q", "c"))
    assert steps(planner) == ["a", "a"]
    written = planner.cluster.objects.table("resource_claims")["default/c"]
    assert [user.name for user in written.status.reserved_for or ()] == ["p", "q"]
    assert [result.device for result in written.status.allocation.devices.results] == ["g0", "g1"]
    assert not written.annotations


def test_without_binding_the_next_pod_waits_for_the_claim() -> None:
    planner = planner_of(*TWO, claim("c", request()), claiming("p", "c"), claiming("q", "c"), bind=False)
    told = steps(planner)
    assert told[0] == "a"
    assert "resource claim default/c is in the process of being allocated" in told[1]


def test_the_claim_for_an_extended_resource_is_made_and_its_devices_are_gone() -> None:
    served = device_class("gpu", extendedResourceName=RESOURCE)
    pods = [pod(name, requests={RESOURCE: "1"}) for name in ("p", "q", "r")]
    planner = planner_of(node("a"), slice_of("a", device("g0"), device("g1")), served, *pods)
    told = steps(planner)
    assert told[:2] == ["a", "a"]
    assert "1 cannot allocate all claims" in told[2]
    assert sorted(held(planner.cluster)) == [f"{DRIVER}/a/g0", f"{DRIVER}/a/g1"]
    made = planner.cluster.objects.table("resource_claims").values()
    assert sorted(owner.name for one in made for owner in one.metadata.owner_references or ()) == ["p", "q"]


USES = st.lists(st.sampled_from(["", "g0", "g1", "g0 g1", "g2"]), min_size=1, max_size=8)


@hypothetically(USES)
@settings(max_examples=60, deadline=None)
def test_what_is_in_use_is_what_a_fresh_reading_of_the_claims_gives(uses: list[str]) -> None:
    cluster = build(ClusterState.of([*TWO, claim("c0", request()), claim("c1", request())]))
    usage = device_usage(cluster, consumable=True)
    undos = []
    for at, names in enumerate(uses):
        status = given("a", *names.split()) if names else None
        undos.append((held(cluster), cluster.apply([Put.of(claim(f"c{at % 3}", request(), status=status))])))
        claims = cast("dict[str, ResourceClaim]", cluster.objects.table("resource_claims"))
        fresh = DeviceUsage(claims, consumable=True).holders
        assert {name: sorted(held) for name, held in usage.holders.items()} == {n: sorted(h) for n, h in fresh.items()}
    for before, undo in reversed(undos):
        cluster.undo(undo)
        assert {k: sorted(v) for k, v in held(cluster).items()} == {k: sorted(v) for k, v in before.items()}


def test_searching_again_after_each_change_is_like_searching_afresh() -> None:
    claims = [claim(f"c{i}", request(count=1 + i % 2)) for i in range(6)]
    nodes = [one for name in "abc" for one in (node(name), slice_of(name, device("g0"), device("g1")))]
    pods = [claiming(f"p{i}", f"c{i}") for i in range(6)]
    planner = planner_of(*nodes, *claims, *pods, device_class())
    fresh = planner_of(*nodes, *claims, *pods, device_class())
    mine = steps(planner)
    theirs = []
    for info in fresh.waiting():
        with fresh.trial() as trial:  # an index that has seen other placements first
            trial.step(info)
        outcome = fresh.step(info).outcome
        theirs.append(fresh.cluster.node_name(outcome.placement.node) if outcome.placement else outcome.fit_error)
    assert mine == theirs
    assert held(planner.cluster) == held(fresh.cluster)


def test_facts_tell_what_refuses_each_device() -> None:
    devices = [
        device("small", attributes={"model": "s"}),
        device("bare"),
        device("held", attributes={"model": "l"}),
        device("broken", attributes={"model": "l"}, taints=[{"key": "broken", "value": "yes", "effect": "NoExecute"}]),
    ]
    found = facts(
        DynamicResources(None, features("1.37").features),
        claiming("new", "c"),
        node("a"),
        slice_of("a", *devices),
        device_class("gpu", f'device.driver == "{DRIVER}"'),
        claim("c", request("r", f'{A}.?model.orValue("") == "l"')),
        claim("other", request(), status=given("a", "held", users=["x"])),
    )
    assert isinstance(found, DynamicResourcesFacts)
    (told,) = found.nodes[0].requests
    assert (found.nodes[0].node, told.claim, told.request, told.device_class, told.count, told.usable) == (
        "a", "default/c", "r", "gpu", 1, 0,
    )  # fmt: skip
    whys = {one.device.rpartition("/")[2]: one for one in told.devices}
    assert {name: one.why for name, one in whys.items()} == {
        "small": DeviceWhy.CLAIM, "bare": DeviceWhy.CLAIM, "held": DeviceWhy.IN_USE, "broken": DeviceWhy.TAINT,
    }  # fmt: skip
    assert whys["small"].values == ((f"{DRIVER}/model", "s"),)
    assert whys["bare"].values == ()
    assert whys["held"].holders == ("default/other",)
    assert whys["broken"].taint == "broken=yes:NoExecute"


def test_the_better_option_scores_more() -> None:
    options = [
        {**request("r", f'{A}.model == "l"')["exactly"], "name": "l"},
        {**request("r", f'{A}.model == "s"')["exactly"], "name": "s"},
    ]
    slices = [slice_of(name, device("g", attributes={"model": name})) for name in ("l", "s")]
    asked = claim("c", {"name": "r", "firstAvailable": options})
    plugin = DynamicResources(None, features("1.37").features)
    objects = [node("l"), node("s"), *slices, asked, device_class()]
    # of up to eight options the first is worth 8
    assert scores(plugin, claiming("new", "c"), *objects) == {"l": 8, "s": 7}


def test_devices_of_a_class_are_counted_by_node() -> None:
    served = device_class("gpu", f'{A}.model == "l"', extendedResourceName=RESOURCE)
    devices = [device("g0", attributes={"model": "l"}), device("g1", attributes={"model": "l"})]
    other = device("g2", attributes={"model": "s"})
    held_one = claim("c", request(), status=given("a", "g0"))
    cluster = build(ClusterState.of([node("a"), node("b"), served, slice_of("a", *devices, other), held_one]))
    totals = device_totals(RESOURCE, cluster, features("1.37").features)
    assert totals is not None
    assert [column.tolist() for column in totals] == [[2, 0], [1, 0]]
    assert device_totals("example.com/other", cluster, features("1.37").features) is None


@pytest.mark.parametrize(("selectors", "crashes"), [((f'{A}.model == "l"',), True), ((), False)])
def test_a_balanced_resource_of_devices_that_are_selected_crashes_the_scheduler(
    selectors: tuple[str, ...], crashes: bool
) -> None:
    args = NodeResourcesBalancedAllocationArgs(resources=(ResourceSpec(name="cpu"), ResourceSpec(name=RESOURCE)))
    plugin = NodeResourcesBalancedAllocation(args, features("1.37").features)
    new: Pod = pod("new", requests={"cpu": "1", RESOURCE: "1"})
    served = device_class("gpu", *selectors, extendedResourceName=RESOURCE)
    objects = [node("a"), slice_of("a", device("g0", attributes={"model": "l"})), served, new]
    cluster = build(ClusterState.of(objects))
    answer = plugin.score(cluster.pods[0], None, cluster, np.array([0]), None)
    assert isinstance(answer, Failed) is crashes
    if isinstance(answer, Failed):
        assert answer.message.startswith("kube-scheduler crashes here: example.com/gpu is balanced")


def test_an_index_is_told_of_each_change_and_of_what_is_taken_back() -> None:
    cluster = build(ClusterState.of([node("a")]))

    class Seen:
        def __init__(self) -> None:
            self.told: list[tuple[str, str, bool, bool]] = []

        def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
            self.told.append((attribute, key, former is not None, item is not None))

    seen = cluster.objects.followed("seen", ("device_classes",), Seen)
    undo = cluster.apply([Put.of(device_class("x"))])
    cluster.apply([Put.of(claim("c", request()))])
    cluster.undo(undo)
    assert seen.told == [("device_classes", "x", False, True), ("device_classes", "x", True, False)]
    assert cluster.objects.followed("seen", ("device_classes",), Seen) is seen
