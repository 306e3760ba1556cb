"""Groups of pods on a real scheduler with the gate on: who gets a node, who leaves for it, what the group is told.

Everything is made while no scheduler runs, planned, and then handed to the real one. Each case has nodes and a
namespace of its own. Which of several equal pods and nodes it is is chance, as all are made in one second: what is
compared is how many pods of each group have a node, how many share one, and what the scheduler says of a group.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from kplan.api import Scheduler
from kplan.framework.codes import Code
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.live.controllers import Json, controllers_running, read_state
from tests.live.controlplane import KUBE_VERSION, ControlPlane, wait_for

GATES = {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
API, ALPHA = "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"


@dataclass(frozen=True)
class Group:
    """A group and its pods, which ask for one cpu each.

    Attributes:
        least: how many have to have a node at one time; 0 for none in particular.
        pods: how many there are.
        runs: numbers of nodes of the case that pods of it run on.
        high: whether it has a high priority.
        whole: whether it is evicted as a whole.
        missing: whether only its pods are there.
        rack: whether it has to be in one rack.
        above: the group of groups that it is in.
    """

    least: int
    pods: int
    runs: tuple[int, ...] = ()
    high: bool = False
    whole: bool = False
    missing: bool = False
    rack: bool = False
    above: str = ""


@dataclass(frozen=True)
class Case:
    """A few nodes and groups that wait.

    Attributes:
        name: of the namespace, and of the label its nodes have.
        cpus: of each node.
        groups: by name.
        placed: pods with a node in the end by group, as one expects it of both, kplan and the scheduler.
        racks: of each node, a letter each.
        kept_out: whether the scheduler does not even queue the pods, of which it tells nobody.
        above: how many of its groups each group of groups needs, by name.
    """

    name: str
    cpus: tuple[int, ...]
    groups: dict[str, Group]
    placed: dict[str, int]
    racks: str = ""
    kept_out: bool = False
    above: dict[str, int] = field(default_factory=dict)


CASES = (
    Case("fits", (2, 2), {"g": Group(3, 3)}, {"g": 3}),
    Case("one-too-many", (1, 1), {"g": Group(3, 3)}, {}),
    Case("part-will-do", (1, 1), {"g": Group(2, 3)}, {"g": 2}),
    Case("no-quorum", (1,), {"g": Group(0, 2)}, {"g": 1}),
    Case("pods-not-there", (4,), {"g": Group(3, 2)}, {}, kept_out=True),
    Case("group-not-there", (4,), {"g": Group(2, 2, missing=True)}, {}, kept_out=True),
    Case("some-run", (2, 1), {"g": Group(3, 2, runs=(0,))}, {"g": 3}),
    Case("some-run-too-few", (2,), {"g": Group(3, 2, runs=(0,))}, {"g": 1}),
    Case("higher-first", (2, 1), {"low": Group(2, 2), "high": Group(2, 2, high=True)}, {"high": 2}),
    Case("starve", (2,), {"x": Group(2, 1, runs=(0,)), "y": Group(2, 1, runs=(0,))}, {"x": 1, "y": 1}),
    Case("evicts-one", (2,), {"low": Group(0, 0, runs=(0, 0)), "high": Group(1, 1, high=True)}, {"low": 1, "high": 1}),
    Case(
        "evicts-whole",
        (2, 1),
        {"low": Group(3, 0, runs=(0, 0, 1), whole=True), "high": Group(2, 2, high=True)},
        {"high": 2},
    ),
    Case("no-use-in-evicting", (2,), {"low": Group(0, 0, runs=(0, 0)), "high": Group(3, 3, high=True)}, {"low": 2}),
    Case("one-rack", (1, 1, 1), {"g": Group(2, 2, rack=True)}, {"g": 2}, racks="abb"),
    Case("no-rack", (1, 1, 1), {"g": Group(2, 2, rack=True)}, {}, racks="abc"),
    Case(
        "both-groups",
        (2, 1),
        {"x": Group(1, 1, above="job"), "y": Group(2, 2, above="job")},
        {"x": 1, "y": 2},
        above={"job": 2},
    ),
    Case("one-group-short", (2,), {"x": Group(1, 1, above="job"), "y": Group(2, 2, above="job")}, {}, above={"job": 2}),
    Case(
        "one-will-do", (1,), {"x": Group(1, 1, above="job"), "y": Group(2, 2, above="job")}, {"x": 1}, above={"job": 1}
    ),
    Case(
        "group-above-not-there",
        (4,),
        {"x": Group(1, 1, above="job")},
        {},
        kept_out=True,
    ),
)


@pytest.fixture(scope="module")
def before() -> Iterator[tuple[ControlPlane, ClusterState]]:
    """A control plane that has met all of it, with the scheduler just started; and what there was before."""
    with controllers_running(runtime_config={API: True, ALPHA: True}, feature_gates=GATES) as plane:
        plane.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1000})
        for case in CASES:
            make(plane, case)
        state = read_state(plane)
        plane.start_scheduler()
        yield plane, state


def make(plane: ControlPlane, case: Case) -> None:
    plane.create_namespace(case.name)
    for number, cpu in enumerate(case.cpus):
        rack = {"rack": case.racks[number]} if case.racks else {}
        plane.add_node(f"{case.name}-{number}", cpu=str(cpu), labels={"case": case.name, **rack})
    for name, least in case.above.items():
        plane.post(f"/apis/{ALPHA}/namespaces/{case.name}/compositepodgroups", composite(name, least))
    for name, group in case.groups.items():
        if not group.missing:
            plane.post(f"/apis/{API}/namespaces/{case.name}/podgroups", pod_group(name, group))
        for number, on in enumerate((*group.runs, *[None] * group.pods)):
            node = f"{case.name}-{on}" if on is not None else None
            plane.post(f"/api/v1/namespaces/{case.name}/pods", pod(case, name, number, group, node))
            if node is not None:
                plane.set_pod_running(case.name, f"{name}-{number}")


def pod_group(name: str, group: Group) -> Json:
    policy: Json = {"gang": {"minCount": group.least}} if group.least else {"basic": {}}
    spec: Json = {"schedulingPolicy": policy}
    if group.high:
        spec["priorityClassName"] = "high"
    if group.whole:
        spec["disruptionMode"] = {"all": {}}
    if group.above:
        spec["parentCompositePodGroupName"] = group.above
        spec["workloadRef"] = {"workloadName": "job", "templateName": name}
    if group.rack:
        spec["schedulingConstraints"] = {"topology": [{"key": "rack"}]}
    return {"apiVersion": API, "kind": "PodGroup", "metadata": {"name": name}, "spec": spec}


def composite(name: str, least: int) -> Json:
    spec = {
        "workloadRef": {"workloadName": "job", "templateName": "all"},
        "schedulingPolicy": {"gang": {"minGroupCount": least}},
    }
    return {"apiVersion": ALPHA, "kind": "CompositePodGroup", "metadata": {"name": name}, "spec": spec}


def pod(case: Case, name: str, number: int, group: Group, node: str | None) -> Json:
    spec: dict[str, Any] = {
        "nodeSelector": {"case": case.name},
        "schedulingGroup": {"podGroupName": name},
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "main:1", "resources": {"requests": {"cpu": "1"}}}],
    }
    if group.high:
        spec["priorityClassName"] = "high"
    if node is not None:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{name}-{number}"}, "spec": spec}


def by_group(case: Case, on: dict[str, str]) -> dict[str, int]:
    """How many pods of each group of a case have a node."""
    return dict(Counter(key.partition("/")[2].rpartition("-")[0] for key in on if key.startswith(f"{case.name}/")))


def planned(planner: Planner) -> dict[str, str]:
    """Nodes by pod once everything had its turn."""
    cluster = planner.cluster
    return {
        pod.key: cluster.node_name(int(cluster.pod_node[pod.row])) for pod in cluster.pods if pod.bound and not pod.gone
    }


def pods_of(plane: ControlPlane, case: Case) -> list[Json]:
    return plane.get(f"/api/v1/namespaces/{case.name}/pods")["items"]  # type: ignore[no-any-return]


def settled(plane: ControlPlane, case: Case) -> dict[str, str]:
    """Wait until as many pods as expected have a node and the others were told of, and give nodes by pod."""

    def quiet() -> bool:
        pods = pods_of(plane, case)
        waits = [one for one in pods if not one["spec"].get("nodeName")]
        if any(one["metadata"].get("deletionTimestamp") for one in pods):
            return False
        silent = [one for one in waits if not one.get("status", {}).get("conditions")]
        return len(silent) == (len(waits) if case.kept_out else 0) and by_group(case, nodes(pods)) == case.placed

    wait_for(quiet, timeout=45, interval=0.25, what=f"the pods of {case.name}")
    return nodes(pods_of(plane, case))


def nodes(pods: list[Json]) -> dict[str, str]:
    return {
        f"{one['metadata']['namespace']}/{one['metadata']['name']}": one["spec"]["nodeName"]
        for one in pods
        if one["spec"].get("nodeName")
    }


@pytest.fixture(scope="module")
def plan(before: tuple[ControlPlane, ClusterState]) -> Planner:
    planner = Scheduler.of(KUBE_VERSION, gates=GATES).planner(before[1])
    planner.simulate()
    return planner


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_group_gets_what_was_planned(before: tuple[ControlPlane, ClusterState], plan: Planner, case: Case) -> None:
    mine = {key: node for key, node in planned(plan).items() if key.startswith(f"{case.name}/")}
    assert by_group(case, mine) == case.placed
    real = settled(before[0], case)
    assert sorted(Counter(real.values()).values()) == sorted(Counter(mine.values()).values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_scheduler_tells_a_group_what_kplan_says(
    before: tuple[ControlPlane, ClusterState], plan: Planner, case: Case
) -> None:
    plane = before[0]
    settled(plane, case)
    for turn in plan.turns:
        for part in turn.last.of or (turn.last,):
            space, _, name = part.group.partition("/")
            if space != case.name or case.kept_out or (turn.last.refused and turn.last.placed):
                continue  # what is left over of a group has another turn, of which the scheduler tells
            message = told(plane, case, name, "True" if part.placed else "False")
            assert message == ("" if part.placed else ", ".join(part.status.reasons))
            assert part.status.code is (Code.SUCCESS if part.placed else Code.UNSCHEDULABLE)


def told(plane: ControlPlane, case: Case, name: str, wanted: str) -> str:
    """Wait until the scheduler says that a group has what it needs, or that it has not, and give its words."""

    def message() -> list[str] | None:
        status = plane.get(f"/apis/{API}/namespaces/{case.name}/podgroups/{name}").get("status", {})
        for one in status.get("conditions") or ():
            if one["type"] == "PodGroupInitiallyScheduled" and one["status"] == wanted:
                return [one.get("message", "")]
        return None

    found: list[str] = wait_for(message, timeout=45, interval=0.25, what=f"the condition of {case.name}/{name}")
    return found[0]
