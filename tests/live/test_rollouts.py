"""Rollouts go as the real controllers carry them out: the steps that ``kplan simulate`` shows, pod by pod.

All workloads are made, and later changed, at the same time, each in a namespace of its own; of some, pods are not ready
before they are changed, and stay so. A stand-in for the kubelets reports one new pod of each as ready once nothing has
moved there for a while, which is what kplan plans: what a controller does before it has to wait belongs to the pod that
became ready last.
"""

import contextlib
import dataclasses
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml

from kplan.admission import Expansion
from kplan.admission.controllers.changes import WorkloadChange
from tests.live.controllers import (
    Json,
    Watch,
    apply,
    controllers_running,
    expanded,
    is_going,
    is_ready,
    read_state,
    serve,
    tell,
    url_of,
)
from tests.live.controlplane import ControlPlane, wait_for

OLD, NEW = "example.invalid/app:1", "example.invalid/app:2"
NODES = 4
QUIET = 2.0
"""Seconds without an event after which a controller is taken to wait."""

PATIENCE = 12.0
"""Seconds after which it is taken to be through, where no pod is left that could become ready."""

RANDOM = 40
"""Cases that are drawn."""


def workload(kind: str, image: str, **spec: Any) -> Json:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": image}]}}
    more: Json = {"serviceName": "web"} if kind == "StatefulSet" else {}
    body = {"selector": {"matchLabels": {"app": "web"}}, "template": template, **more, **spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": body}


@dataclass(frozen=True)
class Roll:
    """A workload that runs, and what it is changed to.

    Attributes:
        namespace: of its own.
        before: as it runs.
        after: as it is applied then.
        idle: which of the pods that run are not ready by then, counted in order of their names.
        orphaned: whether it is deleted without its pods before, so that it is made again and adopts them.
    """

    namespace: str
    before: Json
    after: Json
    idle: tuple[int, ...] = ()
    orphaned: bool = False

    @property
    def kind(self) -> str:
        return str(self.before["kind"])


def deployment(namespace: str, old: int, new: int, surge: object = None, unavailable: object = None) -> Roll:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    given = {} if surge is None else {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
    before, after = (workload("Deployment", *one, **given) for one in ((OLD,), (NEW,)))
    before["spec"]["replicas"], after["spec"]["replicas"] = old, new
    return Roll(namespace, before, after)


def other(namespace: str, kind: str, *, before: Json | None = None, after: Json | None = None, **both: Any) -> Roll:
    return Roll(
        namespace,
        workload(kind, OLD, **{**both, **(before or {})}),
        workload(kind, NEW, **{**both, **(after or {})}),
    )


def rolling(**update: Any) -> Json:
    return {"type": "RollingUpdate", "rollingUpdate": update}


def of_generation(roll: Roll, number: int) -> Roll:
    """A DaemonSet that is made again with a generation of its template; pods of that one count as new."""
    annotations = {"deprecated.daemonset.template.generation": str(number)}
    return dataclasses.replace(roll, after={**roll.after, "metadata": {"name": "web", "annotations": annotations}})


# fmt: off
DEPLOYMENTS = [
    deployment("four-by-default", 4, 4),
    deployment("ten-by-default", 10, 10),
    deployment("one-by-default", 1, 1),
    deployment("no-surge", 5, 5, 0, 1),
    deployment("none-missing", 5, 5, 2, 0),
    deployment("all-at-once", 3, 3, "100%", "0%"),
    deployment("both-round-to-nothing", 5, 5, "0%", "10%"),
    deployment("halves-of-seven", 7, 7, "50%", "50%"),
    deployment("all-may-be-missing", 4, 4, 0, "100%"),
    deployment("more-may-be-missing-than-there-are", 2, 2, 1, 3),
    deployment("more-surge-than-pods", 2, 2, 5, 0),
    deployment("grows-meanwhile", 4, 7, 1, 1),
    deployment("grows-a-lot", 3, 9, "34%", 0),
    deployment("shrinks-meanwhile", 6, 3, 1, 0),
    deployment("shrinks-by-default", 10, 4),
    deployment("down-to-none", 3, 0),
    deployment("up-from-none", 0, 3),
    other("recreate", "Deployment", replicas=4, strategy={"type": "Recreate"}),
    other(
        "recreate-and-grow", "Deployment", before={"replicas": 2}, after={"replicas": 4}, strategy={"type": "Recreate"}
    ),
]
PAUSED = [
    other("paused", "Deployment", replicas=3, after={"paused": True}),
    other("paused-and-scaled", "Deployment", before={"replicas": 2}, after={"replicas": 4, "paused": True}),
    other("paused-and-shrunk", "Deployment", before={"replicas": 4}, after={"replicas": 1, "paused": True}),
]
PARALLEL = {"podManagementPolicy": "Parallel"}
STATEFUL_SETS = [
    other("one-by-one", "StatefulSet", replicas=3),
    other("partition", "StatefulSet", replicas=4, updateStrategy=rolling(partition=2)),
    other("partition-above", "StatefulSet", replicas=2, updateStrategy=rolling(partition=5)),
    other("on-delete", "StatefulSet", replicas=3, updateStrategy={"type": "OnDelete"}),
    other("on-delete-and-grows", "StatefulSet", before={"replicas": 2}, after={"replicas": 4},
          updateStrategy={"type": "OnDelete"}),
    other("parallel", "StatefulSet", replicas=3, **PARALLEL),
    other("two-at-once", "StatefulSet", replicas=5, updateStrategy=rolling(maxUnavailable=2), **PARALLEL),
    other("two-at-once-in-order", "StatefulSet", replicas=5, updateStrategy=rolling(maxUnavailable=2)),
    other("a-share-rounds-down", "StatefulSet", replicas=5, updateStrategy=rolling(maxUnavailable="50%"), **PARALLEL),
    other("set-grows", "StatefulSet", before={"replicas": 2}, after={"replicas": 4}),
    other("set-grows-below-its-partition", "StatefulSet", before={"replicas": 2}, after={"replicas": 4},
          updateStrategy=rolling(partition=3)),
    other("set-grows-at-once", "StatefulSet", before={"replicas": 3}, after={"replicas": 4},
          updateStrategy=rolling(maxUnavailable=2), **PARALLEL),
    other("set-shrinks", "StatefulSet", before={"replicas": 4}, after={"replicas": 2}),
    other("set-shrinks-at-once", "StatefulSet", before={"replicas": 5}, after={"replicas": 2}, **PARALLEL),
    other("from-five", "StatefulSet", replicas=3, ordinals={"start": 5}, updateStrategy=rolling(partition=1)),
]
DAEMON_SETS = [
    other("node-by-node", "DaemonSet"),
    other("half-of-the-nodes", "DaemonSet", updateStrategy=rolling(maxUnavailable="50%")),
    other("a-share-rounds-up", "DaemonSet", updateStrategy=rolling(maxUnavailable="30%")),
    other("beside-the-old", "DaemonSet", updateStrategy=rolling(maxSurge=1, maxUnavailable=0)),
    other("beside-half", "DaemonSet", updateStrategy=rolling(maxSurge="50%", maxUnavailable=0)),
    other("daemons-on-delete", "DaemonSet", updateStrategy={"type": "OnDelete"}),
]
ORPHANED = [
    dataclasses.replace(roll, namespace=f"orphaned-{roll.namespace}", orphaned=True)
    for roll in (
        other("set", "StatefulSet", replicas=3),
        other("set-as-it-was", "StatefulSet", replicas=2, after={"template": workload("", OLD)["spec"]["template"]}),
        other("set-of-two-at-once", "StatefulSet", replicas=4, updateStrategy=rolling(partition=1), **PARALLEL),
        other("set-that-grows", "StatefulSet", before={"replicas": 2}, after={"replicas": 4}),
        other("set-that-shrinks", "StatefulSet", before={"replicas": 4}, after={"replicas": 2}),
        other("set-on-delete", "StatefulSet", replicas=3, updateStrategy={"type": "OnDelete"}),
        of_generation(other("daemons", "DaemonSet"), 2),
        of_generation(other("daemons-of-the-first-generation", "DaemonSet"), 1),
        other("daemons-as-they-were", "DaemonSet", after={"template": workload("", OLD)["spec"]["template"]}),
        of_generation(
            other("daemons-beside-the-old", "DaemonSet", updateStrategy=rolling(maxSurge=1, maxUnavailable=0)), 7
        ),
        other("daemons-on-delete", "DaemonSet", updateStrategy={"type": "OnDelete"}),
        deployment("deployment", 4, 4),
        deployment("deployment-that-grows", 3, 6, 1, 1),
        deployment("deployment-that-shrinks", 6, 2, 0, "50%"),
        other("deployment-as-it-was", "Deployment", replicas=3,
              after={"template": workload("", OLD)["spec"]["template"]}),
    )
]
# fmt: on
KINDS = [*DEPLOYMENTS, *PAUSED, *STATEFUL_SETS, *DAEMON_SETS, *ORPHANED]


def drawn(source: random.Random, number: int) -> Roll:
    """A rollout with pods of which any may not be ready."""
    name, kind = f"drawn-{number}", source.choice(["Deployment", "Deployment", "StatefulSet", "DaemonSet"])
    old, new = source.randint(1, 6), source.randint(0, 6)
    if kind == "Deployment":
        roll = deployment(
            name, old, new, source.choice([0, 1, 2, "25%", "50%"]), source.choice([0, 1, 2, "25%", "50%"])
        )
        spec = roll.after["spec"]["strategy"]["rollingUpdate"]
        if spec == {"maxSurge": 0, "maxUnavailable": 0}:  # refused
            spec["maxSurge"] = roll.before["spec"]["strategy"]["rollingUpdate"]["maxSurge"] = 1
    elif kind == "StatefulSet":
        update = rolling(partition=source.choice([0, 0, 1, 3]), maxUnavailable=source.choice([1, 1, 2, "50%"]))
        policy = source.choice([{}, PARALLEL])
        roll = other(name, kind, before={"replicas": old}, after={"replicas": new}, updateStrategy=update, **policy)
    else:
        old = NODES
        some = source.choice([1, 2, "30%", "50%"])
        update = source.choice([rolling(maxUnavailable=some), rolling(maxSurge=some, maxUnavailable=0)])
        roll = other(name, kind, updateStrategy=update)
    return dataclasses.replace(roll, idle=tuple(index for index in range(old) if source.random() < 0.3))


_SOURCE = random.Random(17)
DRAWN = [drawn(_SOURCE, number) for number in range(RANDOM)]
ROLLS = [*KINDS, *DRAWN]

Step = tuple[int, int, int]
"""Pods that leave, and old and new ones that are ready then."""


@dataclass
class Course:
    """How one rollout went.

    Attributes:
        roll: the workload.
        planned: what kplan expands the changed manifest to.
        told: what ``kplan simulate`` tells of the rollout; empty if it tells nothing.
        idle: uids of the pods that are not ready, and stay so.
        steps: what its controller did before it was changed first, and after each pod that became ready.
        peak: most pods at one time, those going not counted.
        least: fewest ready pods at one time.
        wanted: most pods that its ReplicaSets were told to have at one time.
        left: names of the pods that were there before, in the order they were deleted.
        pods: those at the end.
    """

    roll: Roll
    planned: Expansion
    told: Json = field(default_factory=dict)
    idle: set[str] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    peak: int = 0
    least: int = 0
    wanted: int = 0
    left: list[str] = field(default_factory=list)
    pods: list[Json] = field(default_factory=list)
    over: bool = False
    there: set[str] = field(default_factory=set)

    @property
    def change(self) -> WorkloadChange:
        (found,) = self.planned.changes
        return found

    @property
    def told_steps(self) -> list[Step]:
        """The steps that kplan tells, without those of pods that leave before they are ready."""
        steps = [
            (len(step.get("leaves", ())), step.get("old", 0), step.get("new", 0)) for step in self.told.get("steps", ())
        ]
        return self.sorted([step for step in steps if any(step)])

    @property
    def went(self) -> list[Step]:
        """The steps that its controller took; the first only if pods left before one became ready."""
        return self.sorted([step for number, step in enumerate(self.steps) if number or step[0]])

    def sorted(self, steps: list[Step]) -> list[Step]:
        """Steps as they are told: where no pod is replaced, there are no old ones."""
        return steps if self.told.get("strategy") else [(left, 0, old + new) for left, old, new in steps]


def is_new(pod: Json) -> bool:
    return bool(pod["spec"]["containers"][0]["image"] == NEW)


def observed(plane: ControlPlane, roll: Roll) -> bool:
    item = plane.get(f"{url_of(roll.before, roll.namespace)}/web")
    return bool(item["status"].get("observedGeneration") == item["metadata"]["generation"])


def settle(plane: ControlPlane, watch: Watch, rolls: list[Roll]) -> dict[str, set[str]]:
    """Let all workloads get ready, and then some pods unready; by namespace the uids of these."""

    def quiet() -> bool:
        served = serve(plane, watch)
        return not served and watch.quiet_for() > 1.5

    wait_for(quiet, 180, 0.1, "all workloads to be ready")
    found = {}
    for roll in rolls:
        wanted = NODES if roll.kind == "DaemonSet" else roll.before["spec"]["replicas"]
        pods = sorted(watch.in_namespace(roll.namespace), key=lambda pod: str(pod["metadata"]["name"]))
        assert len([pod for pod in pods if is_ready(pod)]) == wanted, roll.namespace
        idle = [pods[index] for index in roll.idle]
        for pod in idle:
            plane.set_pod_running(roll.namespace, pod["metadata"]["name"], ready=False)
        found[roll.namespace] = {pod["metadata"]["uid"] for pod in idle}
    wait_for(lambda: watch.quiet_for() > QUIET, 60, 0.1, "the pods to be as they are wanted")
    return found


def leave_orphans(plane: ControlPlane, watch: Watch) -> None:
    """Delete workloads as ``kubectl delete --cascade=orphan`` does: what they own stays, and is owned no more."""
    for roll in ORPHANED:
        plane.request("DELETE", f"{url_of(roll.before, roll.namespace)}/web", {"propagationPolicy": "Orphan"})

    def gone() -> bool:
        return all(plane.request("GET", f"{url_of(r.before, r.namespace)}/web")[0] == 404 for r in ORPHANED)

    wait_for(gone, 60, 0.2, "the owners to be gone")
    wait_for(lambda: watch.quiet_for() > QUIET, 60, 0.1, "their pods to be orphans")


def leaving(watch: Watch, space: str) -> list[Json]:
    """Pods of a namespace that are deleted and still there: what comes after them has not begun."""
    return [pod for pod in list(watch.items.values()) if pod["metadata"]["namespace"] == space and is_going(pod)]


def advance(plane: ControlPlane, watch: Watch, course: Course) -> None:
    """If its controller waits, write down what it did, and report the next new pod as ready."""
    space = course.roll.namespace
    if watch.quiet_for(space) < QUIET or leaving(watch, space) or not observed(plane, course.roll):
        return
    pods = watch.in_namespace(space)
    by_uid = {pod["metadata"]["uid"]: pod for pod in pods}
    made = [by_uid[uid] for uid in dict.fromkeys(p["metadata"]["uid"] for p in watch.created(space)) if uid in by_uid]
    waiting = [pod for pod in made if not is_ready(pod) and pod["metadata"]["uid"] not in course.idle]
    if course.roll.kind == "Deployment":  # several ReplicaSets make pods at the same time: those of the older go first
        waiting.sort(key=is_new)
    if not waiting and watch.quiet_for(space) < PATIENCE:
        return  # its controller may only be late
    ready = [pod for pod in pods if is_ready(pod)]
    new = sum(map(is_new, ready))
    course.steps.append((len(course.there - by_uid.keys()), len(ready) - new, new))
    course.there = set(by_uid)
    if not waiting:
        course.over, course.pods = True, pods
        return
    plane.set_pod_running(space, waiting[0]["metadata"]["name"])


def carry_out(plane: ControlPlane, pods: Watch, sets: Watch, courses: list[Course]) -> None:
    first = len(pods.events), len(sets.events)
    begin = dict(pods.items), dict(sets.items)
    for course in courses:
        there = pods.in_namespace(course.roll.namespace)
        course.there = {pod["metadata"]["uid"] for pod in there}
        apply(plane, course.roll.after, course.roll.namespace)
    end = time.monotonic() + 300
    time.sleep(QUIET)
    while time.monotonic() < end and not all(course.over for course in courses):
        serve(plane, pods, lambda _: False)
        for course in courses:
            if not course.over:
                with contextlib.suppress(Exception):
                    advance(plane, pods, course)
        time.sleep(0.05)
    for course in courses:
        count(course, begin[0], pods.events[first[0] :])
        count_wanted(course, begin[1], sets.events[first[1] :])


def count(course: Course, begin: dict[str, Json], events: list[tuple[str, Json]]) -> None:
    """Follow the pods of a rollout from event to event."""
    ready = {
        key: is_ready(pod)
        for key, pod in begin.items()
        if pod["metadata"]["namespace"] == course.roll.namespace and not is_going(pod)
    }
    course.peak, course.least = len(ready), sum(ready.values())
    for kind, pod in events:
        meta = pod["metadata"]
        if meta["namespace"] != course.roll.namespace:
            continue
        key = f"{meta['namespace']}/{meta['name']}"
        if kind == "DELETED" or is_going(pod):
            if ready.pop(key, None) is not None and key in begin:
                course.left.append(meta["name"])
        else:
            ready[key] = is_ready(pod)
        course.peak = max(course.peak, len(ready))
        course.least = min(course.least, sum(ready.values()))


def count_wanted(course: Course, begin: dict[str, Json], events: list[tuple[str, Json]]) -> None:
    """Follow the numbers that a Deployment's controller gave its ReplicaSets."""
    space = course.roll.namespace
    wanted = {key: one["spec"]["replicas"] for key, one in begin.items() if one["metadata"]["namespace"] == space}
    course.wanted = sum(wanted.values())
    for kind, one in events:
        if one["metadata"]["namespace"] == space:
            wanted[one["metadata"]["name"]] = 0 if kind == "DELETED" else one["spec"]["replicas"]
            wanted.pop(f"{space}/{one['metadata']['name']}", None)
            course.wanted = max(course.wanted, sum(wanted.values()))


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running(scheduler=True) as running:
        for number in range(NODES):
            running.add_node(f"node-{number}", cpu="64", memory="64Gi", pods=500)
        yield running


@pytest.fixture(scope="module")
def courses(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Course]:
    folder = tmp_path_factory.mktemp("rollouts")
    with Watch(plane) as pods, Watch(plane, "/apis/apps/v1/replicasets") as sets:
        for roll in ROLLS:
            plane.create_namespace(roll.namespace)
        time.sleep(1)  # for their service accounts
        for roll in ROLLS:
            apply(plane, roll.before, roll.namespace)
        idle = settle(plane, pods, ROLLS)
        leave_orphans(plane, pods)
        state = read_state(plane)
        found = []
        for roll in ROLLS:
            path = folder / f"{roll.namespace}.yaml"
            item = {**roll.after, "metadata": {**roll.after["metadata"], "namespace": roll.namespace}}
            path.write_text(yaml.safe_dump(item))
            found.append(Course(roll, expanded(path, state, roll.namespace), idle=idle[roll.namespace]))
        told = tell(state, folder, [folder / f"{roll.namespace}.yaml" for roll in ROLLS])
        for course in found:
            course.told = told.get(course.roll.namespace, {})
        carry_out(plane, pods, sets, found)
    return {course.roll.namespace: course for course in found}


def named(rolls: list[Roll]) -> Callable[[Any], Any]:
    return pytest.mark.parametrize("name", [roll.namespace for roll in rolls])


@named(ROLLS)
def test_steps_are_those_of_the_document(name: str, courses: dict[str, Course]) -> None:
    course = courses[name]
    assert course.over
    if not course.told:  # pods are made at once, and none leaves
        assert not any(left for left, _, _ in course.went)
        return
    assert course.told_steps == course.went


@named([roll for roll in ROLLS if roll not in PAUSED])
def test_most_and_fewest_pods(name: str, courses: dict[str, Course]) -> None:
    course = courses[name]
    if not course.told:
        assert not course.left
        return
    # a Deployment's ReplicaSets act on their own: new pods may be there before old ones that were told to go have left,
    # so its peak is what they were told; one controller alone makes and removes the pods of the others
    peak = course.wanted if course.roll.kind == "Deployment" else course.peak
    assert (course.told.get("peak", 0), course.told.get("serving", 0)) == (peak, course.least)


@named(STATEFUL_SETS)
def test_ordinals_leave_from_the_highest_down(name: str, courses: dict[str, Course]) -> None:
    course = courses[name]
    left = [int(pod.rpartition("-")[2]) for pod in course.left]
    wanted = course.roll.after["spec"]
    if wanted.get("podManagementPolicy") == "Parallel":  # what is too many then leaves all at once
        left = [ordinal for ordinal in left if ordinal < wanted["replicas"]]
    assert left == sorted(left, reverse=True)


@named(PAUSED)
def test_a_paused_deployment_only_scales_what_it_has(name: str, courses: dict[str, Course]) -> None:
    course = courses[name]
    old = course.roll.before["spec"]["replicas"]
    made = [(pod["spec"]["containers"][0]["image"], pod["metadata"]["labels"]) for pod in course.pods]
    planned = [((one.pod.spec.containers or [])[0].image, one.pod.labels) for one in course.planned.pods]
    assert len(course.change.leaving) == max(0, old - len(made))
    assert len(planned) == max(0, len(made) - old)
    assert all(one in made for one in planned)
