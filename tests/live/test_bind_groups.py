"""kplan binds groups on a real API server with the gate on, the scheduler binds their twins: both are told alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import bindworld
from tests.live.bindworld import SCHEDULER, World, wait_for
from tests.live.controlplane import ControlPlane

GATES = {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
API, ALPHA = "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"
ON = ("--feature-gates", ",".join(f"{gate}=true" for gate in GATES))
OTHER = "default-scheduler"


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    options: dict[str, Any] = {"runtime_config": {API: True, ALPHA: True}, "feature_gates": GATES, "scheduler": True}
    with bindworld.serving((), **options) as running:
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def path(world: World, name: str = "", plural: str = "podgroups", api: str = API) -> str:
    return f"/apis/{api}/namespaces/{world.name}/{plural}{'/' + name if name else ''}"


def group(world: World, name: str, least: int, pods: int, scheduler: str = SCHEDULER, above: str = "") -> None:
    """Make a group and its pods, which ask for one cpu each."""
    spec: dict[str, Any] = {"schedulingPolicy": {"gang": {"minCount": least}}}
    if above:
        spec |= {"parentCompositePodGroupName": above, "workloadRef": {"workloadName": "job", "templateName": name}}
    world.server.post(path(world), {"metadata": {"name": name}, "spec": spec})
    for number in range(pods):
        world.pod(f"{name}-{number}", schedulingGroup={"podGroupName": name}, schedulerName=scheduler)


def above(world: World, name: str, least: int) -> None:
    spec = {
        "workloadRef": {"workloadName": "job", "templateName": "all"},
        "schedulingPolicy": {"gang": {"minGroupCount": least}},
    }
    url = path(world, plural="compositepodgroups", api=ALPHA)
    world.server.post(url, {"metadata": {"name": name}, "spec": spec})


def condition(world: World, name: str) -> dict[str, Any]:
    """What the status of a group says, but when."""
    found = world.server.get(path(world, name)).get("status", {}).get("conditions") or [{}]
    return {key: value for key, value in found[-1].items() if key != "lastTransitionTime"}


def bound(world: World, name: str) -> list[str]:
    return [pod for pod, node in sorted(world.on().items()) if node and pod.startswith(f"{name}-")]


def test_a_gang_is_bound_as_the_scheduler_binds_its_twin(world: World) -> None:
    world.nodes(2, cpu="4")
    group(world, "twin", 3, 3, OTHER)
    wait_for(lambda: len(bound(world, "twin")) == 3 and condition(world, "twin"), what="the twin")
    group(world, "mine", 3, 3)
    assert world.apply(*ON) == 0
    assert bound(world, "mine") == ["mine-0", "mine-1", "mine-2"]
    assert condition(world, "mine") == condition(world, "twin")
    assert condition(world, "mine")["status"] == "True"
    world.check_nothing_lost_or_doubled()


def test_of_a_gang_that_does_not_fit_neither_binds_a_pod(world: World) -> None:
    world.nodes(1, cpu="2")
    group(world, "mine", 3, 3)
    world.apply(*ON)
    assert bound(world, "mine") == []
    assert condition(world, "mine") == {}  # it binds nothing, so it has nothing to say
    group(world, "twin", 3, 3, OTHER)
    wait_for(lambda: condition(world, "twin").get("status") == "False", what="the twin")
    assert bound(world, "twin") == []


def test_a_pod_that_goes_before_the_plan_is_carried_out_keeps_all_of_its_gang(world: World) -> None:
    world.nodes(1, cpu="4")
    group(world, "mine", 3, 3)
    plan = str(world.folder / "plan.json")
    assert world.kplan("-n", world.name, "--save-plan", plan, *ON) == 0
    world.server.delete(f"{world.path('pods', 'mine-1')}?gracePeriodSeconds=0")
    assert world.kplan("--plan", plan, "--apply", "--yes", "-o", f"json={world.result}", *ON) != 0
    assert set(world.became().values()) == {"held-back"}
    assert bound(world, "mine") == []
    assert condition(world, "mine") == {}


def test_groups_of_a_group_are_bound_together(world: World) -> None:
    world.nodes(1, cpu="4")
    for name, scheduler in (("twin", OTHER), ("mine", SCHEDULER)):
        above(world, name, 2)
        group(world, f"{name}-a", 1, 1, scheduler, above=name)
        group(world, f"{name}-b", 1, 1, scheduler, above=name)
    wait_for(lambda: len(bound(world, "twin")) == 2, what="the twin")
    assert world.apply(*ON) == 0
    assert bound(world, "mine") == ["mine-a-0", "mine-b-0"]
    wait_for(lambda: condition(world, "twin-a") and condition(world, "twin-b"), what="what the twin is told")
    assert [condition(world, f"mine-{name}") for name in "ab"] == [condition(world, f"twin-{name}") for name in "ab"]
