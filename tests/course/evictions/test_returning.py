"""What becomes of victims: told by hand for small clusters, and nothing has changed afterwards."""

import kplan
from kplan.course.evictions.returning import after_eviction
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.wording.preempting import victims_after
from tests.builders import node, pod

OWNER = {"ownerReferences": [{"kind": "StatefulSet", "name": "db", "uid": "u", "controller": True}]}
HIGH = pod("high", requests={"cpu": "2"}, priority=100)


def planner_of(*objects: Object) -> Planner:
    return kplan.Scheduler.of("1.37").planner(ClusterState.of([HIGH, *objects]))


def told(planner: Planner) -> tuple[str, ...]:
    cluster = planner.cluster
    found = after_eviction(planner, planner.explain(cluster.pods[cluster.pod_index["default/high"]]))
    return tuple(victims_after(cluster, found))


def test_a_victim_with_an_owner_goes_where_there_is_room() -> None:
    # db-0 asks for 1 cpu: it fits on b beside the pod that is there, the preemptor with its 2 does not
    victim = pod("db-0", node="a", requests={"cpu": "1"}, metadata=OWNER)
    planner = planner_of(node("a", cpu="2"), node("b", cpu="2"), victim, pod("same", node="b", requests={"cpu": "1"},
                                                                             priority=100))  # fmt: skip
    assert told(planner) == ("default/db-0 comes back and goes to b",)


def test_a_victim_without_room_stays_pending_and_nothing_has_changed() -> None:
    planner = planner_of(node("a", cpu="2"), pod("db-0", node="a", requests={"cpu": "2"}, metadata=OWNER))
    before = planner.cluster.requested.copy()
    assert told(planner) == ("default/db-0 comes back and stays Pending: it fits no node then",)
    assert (planner.cluster.requested == before).all()
    assert [p.key for p in planner.cluster.pods] == ["default/db-0", "default/high"]
    assert planner.cluster.pod_index == {"default/db-0": 0, "default/high": 1}


def test_a_victim_that_nothing_owns_is_gone() -> None:
    assert told(planner_of(node("a", cpu="2"), pod("p", node="a", requests={"cpu": "2"}))) == ()


def test_a_daemon_comes_back_to_its_own_node_alone() -> None:
    """Beside it on b there is room, and a DaemonSet's pod never goes there."""
    owner = {"ownerReferences": [{"kind": "DaemonSet", "name": "log", "uid": "u", "controller": True}]}
    planner = planner_of(
        node("a", cpu="2"), node("b", cpu="1"), pod("log-a", node="a", requests={"cpu": "1"}, metadata=owner)
    )
    assert told(planner) == ("default/log-a comes back and stays Pending: it fits no node then",)
