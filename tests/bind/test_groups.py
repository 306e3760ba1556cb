"""Groups are bound as Permit lets them go: as many as they need at one time, or none."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kplan.bind.flags import Flags
from kplan.bind.wire.client import Reply
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from tests.bind.fakes import answer
from tests.bind.test_run import World, became
from tests.builders import make, node, pod

ON = {"GenericWorkload": True}
TREES = {**ON, "TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
GROUP = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.perform._FIRST_PAUSE", 0.0)
    monkeypatch.setattr("kplan.bind.run.run.CONFIRM_WITHIN", 0.0)
    monkeypatch.setattr("kplan.bind.run.run._POLL", 0.0)
    monkeypatch.setattr("kplan.bind.run.groups._LOOK_EVERY", 0.0)


def group(name: str, least: int, **spec: Any) -> Object:
    policy = {"gang": {"minCount": least}}
    meta = {"uid": f"uid-{name}", "resourceVersion": "7", "generation": 2}
    return make("PodGroup", name, namespace="default", spec={"schedulingPolicy": policy, **spec}, metadata=meta)


def members(of: str, count: int, **fields: Any) -> list[Object]:
    named = {"podGroupName": of}
    return [pod(f"{of}-{n}", requests={"cpu": "1"}, schedulingGroup=named, **fields) for n in range(count)]


def refused(name: str) -> Any:
    """A server that refuses to bind one pod, but not to try it."""

    def before(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        late = method == "POST" and path.endswith(f"/{name}/binding") and not query.get("dryRun")
        return answer(403, {"message": "no"}) if late else None

    return before


def test_a_gang_is_bound_whole_and_its_group_told(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 3), *members("g", 3), gates=ON)
    result = world.run()
    assert {one.group for one in world.plan.pods} == {"default/g"}
    assert (result.verdict, [one.result for one in result.pods]) == ("BOUND", ["bound"] * 3)
    # none is bound before the last of those it needs is placed; the group is told once, by the one that lets all go
    assert world.store.writes == ["patch g", "bind g-2 n", "bind g-0 n", "bind g-1 n"]
    (condition,) = world.store.objects[f"{GROUP}/g"]["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"], condition["observedGeneration"]) == (
        "PodGroupInitiallyScheduled", "True", "Scheduled", 2,
    )  # fmt: skip


def test_where_one_that_is_needed_is_gone_none_is_bound(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 3), *members("g", 3), gates=ON)
    del world.store.objects["/api/v1/namespaces/default/pods/g-1"]
    result = world.run()
    assert (result.verdict, world.store.writes) == ("HELD", [])
    assert became(result) == [
        ("default/g-0", "held-back", "permit"),
        ("default/g-1", "held-back", "deleted"),
        ("default/g-2", "held-back", "permit"),
    ]
    assert result.pods[0].text == (
        "none of its group default/g is bound, because 1 pod of it can no longer be placed: "
        "waiting for minCount pods from a gang to be scheduled"
    )


def test_what_is_more_than_needed_may_be_held_back(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 2), *members("g", 3), gates=ON)
    del world.store.objects["/api/v1/namespaces/default/pods/g-1"]
    assert became(world.run()) == [
        ("default/g-0", "bound", ""),
        ("default/g-1", "held-back", "deleted"),
        ("default/g-2", "bound", ""),
    ]


def test_one_whose_binding_is_refused_takes_nobody_back_and_that_is_said(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 3), *members("g", 3), gates=ON)
    world.store.before = refused("g-0")
    result = world.run()
    assert became(result) == [
        ("default/g-0", "held-back", "forbidden"),
        ("default/g-1", "bound", ""),
        ("default/g-2", "bound", ""),
    ]
    assert result.notes == (
        "group default/g: 2 pods bound, fewer than it needs at once: they stay, as with the scheduler; "
        "the others are still to be bound",
    )


def test_a_run_goes_on_where_one_stopped_in_the_middle_of_a_group(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 3), *members("g", 3), gates=ON)
    bound: list[str] = []

    def dies(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        if method == "POST" and path.endswith("/binding") and not query.get("dryRun"):
            bound.append(path)
            if len(bound) == 2:
                raise KeyboardInterrupt
        return None

    world.store.before = dies
    with pytest.raises(KeyboardInterrupt):
        world.run()
    assert world.store.writes == ["patch g", "bind g-2 n"]
    world.store.before = lambda *_: None
    world.state = _with_bound()
    again = world.run(resumed=True)
    assert (again.verdict, world.store.writes[2:]) == ("BOUND", ["bind g-1 n", "bind g-0 n"])


def _with_bound() -> ClusterState:
    """The state as it is read again: one pod is bound."""
    pods = [pod(f"g-{n}", requests={"cpu": "1"}, schedulingGroup={"podGroupName": "g"},
                **({"node": "n"} if n == 2 else {})) for n in range(3)]  # fmt: skip
    return ClusterState.of([node("n", cpu="3"), group("g", 3), *pods], source="prod")


def test_a_part_of_a_group_that_is_too_few_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 3), *members("g", 3), gates=ON, only="g-1")
    (shown,) = world.plan.pods
    assert shown.because is not None
    assert (shown.result, shown.because.code) == ("refused", "group-in-part")


def test_a_group_for_which_others_would_leave_is_refused_and_takes_nothing(tmp_path: Path) -> None:
    low = pod("low", node="n", requests={"cpu": "2"}, priority=0)
    objects = [node("n", cpu="2"), low, group("g", 2, priority=5), *members("g", 2, priority=5)]
    after = pod("z-after", requests={"cpu": "1"})
    world = World(tmp_path, *objects, after, gates=ON, flags=Flags(preempt=True))
    causes = {one.pod: (one.result, one.because.code if one.because else "") for one in world.plan.pods}
    assert causes["default/g-0"] == ("refused", "group-evicts")
    assert causes["default/z-after"][0] == "pending"


def test_groups_of_a_group_wait_for_one_another(tmp_path: Path) -> None:
    above = make(
        "CompositePodGroup", "job", namespace="default", spec={"schedulingPolicy": {"gang": {"minGroupCount": 2}}}
    )
    parts = [group(name, 1, parentCompositePodGroupName="job") for name in ("a", "b")]
    objects = [node("n", cpu="2"), above, *parts, *members("a", 1), *members("b", 1)]
    world = World(tmp_path, *objects, gates=TREES)
    assert world.run().verdict == "BOUND"
    assert world.store.writes == ["patch b", "bind b-0 n", "patch a", "bind a-0 n"]
    gone = World(tmp_path / "..", *objects, gates=TREES)
    del gone.store.objects["/api/v1/namespaces/default/pods/b-0"]
    gone.path = tmp_path / "second.jsonl"
    assert gone.run().verdict == "HELD"
    assert gone.store.writes == []


def test_where_the_gate_is_off_a_pod_of_a_group_is_bound_by_nobody_here(tmp_path: Path) -> None:
    world = World(tmp_path, node("n", cpu="3"), group("g", 1), *members("g", 1))
    (shown,) = world.plan.pods
    assert shown.because is not None
    assert shown.because.code == "pod-group-not-modelled"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cpus=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    groups=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1)), min_size=1, max_size=3),
    chosen=st.integers(0, 255),
    gone=st.integers(0, 255),
    most=st.integers(0, 5),
)
def test_no_group_is_ever_bound_with_less_than_its_quorum(
    tmp_path_factory: pytest.TempPathFactory,
    cpus: list[int],
    groups: list[tuple[int, int, int]],
    chosen: int,
    gone: int,
    most: int,
) -> None:
    """Whichever pods are named, how many are bound at most, and whichever go before it is carried out."""
    objects: list[Object] = [node(f"n{i}", cpu=str(cpu)) for i, cpu in enumerate(cpus)]
    runs = {}
    for i, (size, least, running) in enumerate(groups):
        objects.append(group(f"g{i}", least))
        mine = members(f"g{i}", size)
        runs[f"g{i}"] = running = min(running, size)
        mine[:running] = members(f"g{i}", running, node="n0")
        objects += mine
    world = World(tmp_path_factory.mktemp("world"), *objects, gates=ON, flags=Flags(max_pods=most), some=chosen)
    bound = Counter(one.group for one in world.plan.pods if one.result == "bind")
    for i, (_, least, _) in enumerate(groups):
        number = bound.get(f"default/g{i}", 0)
        assert number == 0 or number + runs[f"g{i}"] >= least
    for place, one in enumerate(world.plan.pods):
        if gone >> place & 1:
            world.store.objects.pop(f"/api/v1/namespaces/default/pods/{one.pod.partition('/')[2]}", None)
    world.run()
    written = Counter(one.split()[1].partition("-")[0] for one in world.store.writes if one.startswith("bind "))
    for i, (_, least, _) in enumerate(groups):
        number = written.get(f"g{i}", 0)
        assert number == 0 or number + runs[f"g{i}"] >= least
