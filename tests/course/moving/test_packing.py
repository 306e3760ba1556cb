"""Nodes that can be empty: against brute force by a model of its own, and cases by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from kplan import Scheduler
from kplan.cluster import Cluster
from kplan.course.evictions.budgets import Permission
from kplan.course.moving import Journey, Movable, Moved
from kplan.course.moving.packing import SMALL, Packed, PackingLimits, PackSearch
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.wording.pack import NodeDrain, commands
from tests.builders import node, pod
from tests.course.moving.small_worlds import App, World, random_world
from tests.course.moving.test_search import owned, planner_of


def pack(
    planner: Planner,
    worth: list[float] | None = None,
    left: Callable[[Cluster], None] | None = None,
    **limits: Any,
) -> Packed:
    values = np.array(worth) if worth is not None else np.ones(len(planner.cluster.nodes))
    planner.preempt = False
    return PackSearch(planner, Movable(planner), values, PackingLimits(**limits), left=left).run()


def most_empty(world: World) -> int:
    """Most nodes that can be empty, where only their own pods move, each once and landing before the next leaves."""
    state = {name: home for name, (_, home) in world.pods.items()}
    fixed = {home for app, home in world.pods.values() if world.apps[app].bare or world.apps[app].budget == 0}
    free = sorted(set(world.nodes) - fixed)
    for number in range(len(free), 0, -1):
        for names in combinations(free, number):
            if _packs(world, state, frozenset(names)) and _can_go(world, state, frozenset(names), set()):
                return number
    return 0


def _can_go(world: World, state: dict[str, str], going: frozenset[str], seen: set[frozenset[Any]]) -> bool:
    left = [name for name, home in state.items() if home in going]
    if not left:
        return True
    # pods of one app on one node are as good one as the other
    key = frozenset(Counter((world.pods[name], home) for name, home in state.items()).items())
    if key in seen or not _room(world, state, going, left):
        return False
    seen.add(key)
    tried = set()
    for name in left:
        if world.pods[name] in tried:
            continue
        tried.add(world.pods[name])
        app = world.apps[world.pods[name][0]]
        rest = {other: home for other, home in state.items() if other != name}
        for to in world.nodes:
            if to not in going and world._fits(app, to, rest) and _can_go(world, {**rest, name: to}, going, seen):
                return True
        if not (app.near or app.spread) and not any(
            world.apps[world.pods[one][0]].near or world.apps[world.pods[one][0]].spread for one in left
        ):
            return False  # pods that land are only in each other's way: any order is as good
    return False


def _packs(world: World, state: dict[str, str], going: frozenset[str]) -> bool:
    """Whether the pods that have to leave fit on the other nodes, whatever their rules but pools, and in no order."""
    free = {name: (cpu, memory) for name, (cpu, memory, *_) in world.nodes.items() if name not in going}
    for name, home in state.items():
        if home in free:
            app = world.apps[world.pods[name][0]]
            free[home] = (free[home][0] - app.cpu, free[home][1] - app.memory)
    apps = sorted((world.apps[world.pods[one][0]] for one, home in state.items() if home in going), key=_size)
    known: set[tuple[int, frozenset[Any]]] = set()

    def place(number: int) -> bool:
        key = (number, frozenset(free.items()))
        if not number or key in known:
            return not number
        known.add(key)
        app = apps[number - 1]
        for name, (cpu, memory) in list(free.items()):
            if cpu >= app.cpu and memory >= app.memory and app.pool in ("", world.nodes[name][3]):
                free[name] = (cpu - app.cpu, memory - app.memory)
                if place(number - 1):
                    return True
                free[name] = (cpu, memory)
        return False

    return place(len(apps))


def _size(app: App) -> tuple[int, int, str]:
    return app.cpu, app.memory, app.name


def _room(world: World, state: dict[str, str], going: frozenset[str], left: list[str]) -> bool:
    """Whether each pod that has to leave finds enough cpu and memory on some node of its pool."""
    free = {name: [cpu, memory] for name, (cpu, memory, *_) in world.nodes.items() if name not in going}
    for name, home in state.items():
        if home in free:
            app = world.apps[world.pods[name][0]]
            free[home][0] -= app.cpu
            free[home][1] -= app.memory
    apps = [world.apps[world.pods[name][0]] for name in left]
    if sum(app.cpu for app in apps) > sum(cpu for cpu, _ in free.values()):
        return False
    return all(
        any(
            cpu >= app.cpu and memory >= app.memory and app.pool in ("", world.nodes[name][3])
            for name, (cpu, memory) in free.items()
        )
        for app in apps
    )


WRITTEN = {275: 1}
"""What ``most_empty`` says of clusters for which it takes a quarter of a minute."""


@pytest.mark.parametrize("first", range(0, 300, 20))
def test_no_more_nodes_are_kept_than_have_to_be(first: int) -> None:
    for seed in range(first, first + 20):
        world = random_world(seed)
        objects = [one for one in world.objects() if one.name != "wanted-0"]
        found = pack(planner_of(*objects))
        most = WRITTEN[seed] if seed in WRITTEN else most_empty(world)
        assert len(found.emptied.nodes) == most, seed
        assert found.bound <= len(world.nodes) - len(found.emptied.nodes), seed
        assert found.proved, seed


def three(**more: Any) -> list[Object]:
    """Three nodes of four cpus, of which one pod each asks for one; more are keywords of the pod of a."""
    nodes: list[Object] = [node(name, cpu="4") for name in ("a", "b", "c")]
    return [*nodes, owned("x", "a", "1", **more), owned("y", "b", "1"), owned("z", "c", "1")]


def test_one_node_is_enough() -> None:
    found = pack(planner_of(*three()))
    assert len(found.emptied.nodes) == 2
    assert (found.bound, found.bound_alone, found.proved) == (1.0, 1.0, True)
    assert len({move.to for move in found.emptied.moves}) == 1


def test_the_dearest_nodes_go() -> None:
    found = pack(planner_of(*three()), [100.0, 10.0, 50.0])
    assert sorted(found.emptied.nodes) == ["a", "c"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"metadata": {"ownerReferences": []}}, "bare-pod"),
        ({"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}}, "asked-to-stay"),
    ],
)
def test_a_node_with_a_pod_that_stays_is_kept(more: dict[str, Any], why: str) -> None:
    found = pack(planner_of(*three(**more)))
    assert sorted(found.emptied.nodes) == ["b", "c"]
    [kept] = found.kept
    assert (kept.node, [stuck.stays for stuck in kept.stuck]) == ("a", [why])


def test_the_control_plane_is_kept() -> None:
    label = {"node-role.kubernetes.io/control-plane": ""}
    found = pack(planner_of(node("a", labels=label), node("b"), node("c")))
    assert sorted(found.emptied.nodes) == ["b", "c"]
    assert [(kept.node, kept.why) for kept in found.kept] == [("a", "control-plane")]


def test_some_stays_free() -> None:
    """Three cpus are asked for: on one node of four that leaves a quarter."""
    assert len(pack(planner_of(*three()), keep_free=0.25).emptied.nodes) == 2
    assert len(pack(planner_of(*three()), keep_free=0.3).emptied.nodes) == 1


def steered() -> list[Object]:
    """Of c and d, which stay, the scheduler prefers d for the small one: the large one then fits nowhere."""
    bare = {"metadata": {"ownerReferences": []}}
    return [
        node("a", cpu="8"),
        node("c", cpu="4"),
        node("d", cpu="8"),
        owned("large", "a", "6"),
        owned("small", "a", "2"),
        owned("stays-c", "c", "2", **bare),
        owned("stays-d", "d", "2", **bare),
    ]


def test_a_pod_is_steered_where_the_scheduler_would_not_put_it() -> None:
    found = pack(planner_of(*steered()))
    assert found.emptied.nodes == ("a",)
    assert sorted((move.pod, move.to) for move in found.emptied.moves) == [
        ("default/large", "d"),
        ("default/small", "c"),
    ]


def _keeps_b(_: Planner, gone: Collection[str]) -> bool:
    return "b" not in gone


@pytest.mark.parametrize(
    ("objects", "limits"),
    [
        (three(), {}),
        (three(), {"keep_free": 0.3}),
        (three(), {"bears": _keeps_b}),
        (three(metadata={"ownerReferences": []}), {"only": frozenset(("a", "b"))}),
        ([node("a", cpu="4"), owned("x", "a", "1")], {}),
        (steered(), {}),
    ],
    ids=["as many as can", "some stays free", "a loss is borne", "some may go", "none can go", "pods are steered"],
)
def test_a_page_shows_the_cluster_as_the_moves_leave_it(objects: list[Object], limits: dict[str, Any]) -> None:
    shown: list[tuple[Counter[str], set[str]]] = []

    def left(cluster: Cluster) -> None:
        on = Counter({one.name: len(cluster.pods_on(row)) for row, one in enumerate(cluster.nodes)})
        shown.append((on, {one.name for one in cluster.nodes if one.spec.unschedulable}))

    found = pack(planner_of(*objects), left=left, **limits)
    homes = Counter(one.spec.node_name for one in objects if isinstance(one, Pod))
    homes.subtract(move.home for move in found.emptied.moves)
    homes.update(move.to for move in found.emptied.moves)
    assert shown[-1] == (homes, set(found.emptied.nodes))


def test_a_page_asks_the_scheduler_no_more_than_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each pod lands is known from the search: nothing is carried out a second time to be drawn."""
    objects: list[Object] = [node(f"node-{number:02}", cpu="4") for number in range(SMALL + 10)]
    objects += [owned(f"x-{number}", f"node-{number:02}", "1") for number in range(SMALL + 10)]
    asked: list[int] = []

    def counted(ask: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **more: Any) -> Any:
            asked[-1] += 1
            return ask(*args, **more)

        return counting

    for name in ("step", "group_cycle"):
        monkeypatch.setattr(Planner, name, counted(getattr(Planner, name)))
    pages: list[Cluster] = []
    for left in (None, pages.append):
        asked.append(0)
        assert len(pack(planner_of(*objects), left=left).emptied.nodes) == 15
    assert len(pages) == 1
    assert asked[0] == asked[1] > 0


def test_the_bound_knows_on_which_nodes_pods_may_be() -> None:
    """Two nodes would do by amounts; but each of three pods may be on a node of its own only."""
    names = ("a", "b", "c")
    planner = planner_of(
        *(node(name) for name in names),
        *(owned(f"x-{name}", name, "1", nodeSelector={"kubernetes.io/hostname": name}) for name in names),
    )
    found = pack(planner)
    assert (found.bound, found.bound_alone) == (3.0, 1.0)
    assert not found.emptied.nodes


def test_a_bound_of_nothing_is_zero_and_not_minus_zero() -> None:
    found = pack(planner_of(node("a"), node("b")))
    assert (str(found.bound), str(found.bound_alone)) == ("0.0", "0.0")


def test_what_the_profile_ignores_is_no_bound() -> None:
    """By licenses each node would have to stay; but nobody counts them."""
    args = {"kind": "NodeResourcesFitArgs", "ignoredResources": ["example.com/license"]}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": args}]}],
    }
    nodes = [node(name, cpu="4", allocatable={"example.com/license": "1"}) for name in ("a", "b")]
    asks = {"cpu": "1", "example.com/license": "1"}
    owners = {"ownerReferences": [{"kind": "ReplicaSet", "name": "x", "uid": "x", "controller": True}]}
    pods = [pod(f"x-{name}", node=name, requests=asks, metadata=owners) for name in ("a", "b")]
    planner = Scheduler.of(config=config).planner(ClusterState.of([*nodes, *pods]), everything=False)
    found = pack(planner)
    assert (len(found.emptied.nodes), found.bound, found.bound_alone) == (1, 1.0, 1.0)


def test_what_was_emptied_stays_cordoned_and_what_was_cordoned_on_the_way_does_not() -> None:
    """As kubectl drain leaves it: pods would come back before the node is gone."""
    allowed = Permission(allowed=True)
    moved = Moved(0, "default/x", "x-r1", "a", "c", allowed, 1, ("a", "b", "d"))
    journey = Journey((moved,), (), emptied=("a", "empty"))
    assert [step.flag for step in journey.steps()] == [
        "--cordon a",
        "--cordon empty",
        "--cordon b",
        "--cordon d",
        "--evict pod/default/x",
        "--uncordon b",
        "--uncordon d",
    ]


class _Counted(tuple[str, ...]):
    """Names that count how often they are gone through."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        type(self).times += 1
        return super().__iter__()


def test_nodes_that_all_moves_leave_cordoned_are_gone_through_once_and_not_once_a_move() -> None:
    names = tuple(f"node-{number}" for number in range(50))
    closed = _Counted(names)
    allowed = Permission(allowed=True)
    moves = tuple(Moved(row, f"default/p-{row}", "", "node-0", "other", allowed, 1, closed) for row in range(200))
    steps = list(Journey(moves, (), emptied=names).steps())
    assert len(steps) == len(names) + len(moves)
    assert commands([NodeDrain("node-0")], moves)
    assert _Counted.times <= 3
