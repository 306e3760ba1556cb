"""Rollouts that are changed on their way go as the real controllers carry them out, in cases that are drawn.

Each workload is rolled out, changed, stopped after some new pods are ready, and changed again: back to what it was,
to a third template, to other numbers, to another strategy, or not at all. Of some, pods are not ready; some have pods
on a node that falls silent, which stay there once they are deleted; some share a volume that one node alone may
attach, which a stand-in attaches and detaches; some have a quota. Of those whose volume is attached to a node that
falls silent, some keep their pods there, some have them deleted by force, so that the volume is detached by force
after a time, and some are on a node that is tainted out-of-service besides. Of those that are revised, StatefulSets
with a partition and DaemonSets, each pod was changed after it was made, so that only ControllerRevisions tell of
which template it is.
"""

import contextlib
import copy
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml

from tests.live import test_rollouts as base
from tests.live.controllers import (
    Json,
    Watch,
    apply,
    bound_volume,
    controllers_running,
    expanded,
    is_going,
    is_ready,
    read_state,
    tell,
)
from tests.live.controlplane import ControlPlane, wait_for
from tests.live.test_rollouts import Course, Roll, leaving, observed, rolling, workload

SEED, CASES, REVISED, LOST = 1737, 64, 10, 18
NODES, SILENT, OFF = 4, "node-4", "node-5"
"""Nodes that talk to the end, one that falls silent, and one that does and is tainted out-of-service."""
IMAGES = [f"example.invalid/app:{number}" for number in range(3)]
QUIET, PATIENCE, OF_QUOTAS = 2.0, 12.0, 45.0
"""Seconds without an event after which a controller is taken to wait, and to be through; with a quota it tries again
after ever longer times."""
OF_DAEMONS = 5.0
"""Seconds for the controller of a DaemonSet: which of the nodes it turns to in one go are there first is chance, and by
which of them it goes on is told only once all are."""
FORCED = 7.0
"""Seconds for the six minutes after which a volume is detached by force from a node that is silent."""


@dataclass(frozen=True)
class Case:
    """A workload that is changed twice.

    Attributes:
        namespace: of its own.
        before: as it runs first.
        midway: what it is changed to then.
        ready: new pods that become ready before it is changed again.
        after: what it is changed to last.
        what: how that differs.
        idle: share of the pods that are not ready by then.
        silent: whether it has pods on the node that falls silent.
        volume: whether its pods share a volume.
        quota: pods that its namespace may have; 0 for any number.
        touched: whether its pods were changed after they were made.
        deleted: whether its pods on the node that falls silent are deleted by force then.
    """

    namespace: str
    before: Json
    midway: Json
    ready: int
    after: Json
    what: str
    idle: float = 0.0
    silent: bool = False
    volume: bool = False
    quota: int = 0
    touched: bool = False
    deleted: bool = False

    @property
    def roll(self) -> Roll:
        """The second change."""
        return Roll(self.namespace, self.midway, self.after)


def drawn(source: random.Random, number: int) -> Case:
    kind = source.choice(["Deployment", "Deployment", "Deployment", "StatefulSet", "DaemonSet"])
    trait = source.choice(["", "", "idle", "silent", "volume", "quota"])
    if kind == "DaemonSet" and trait in ("volume", "quota"):
        trait = "idle"
    replicas = 1 if trait == "volume" and kind == "Deployment" else source.randint(1, 6)
    before = workload(kind, IMAGES[0], **rules(source, kind, replicas))
    if kind != "DaemonSet":
        before["spec"]["replicas"] = replicas
    place(source, before, trait)
    midway = copy.deepcopy(before)
    set_image(midway, IMAGES[1])
    after, what = changed(source, before, midway, kind)
    surge = 2 if trait == "quota" else 0
    return Case(
        f"way-{number}",
        before,
        midway,
        source.randint(0, 2),
        after,
        f"{kind}, {trait or 'plain'}, {what}",
        idle=0.3 if trait == "idle" else 0.0,
        silent=trait == "silent",
        volume=trait == "volume",
        quota=replicas + source.randint(0, surge) if trait == "quota" else 0,
    )


def rules(source: random.Random, kind: str, replicas: int) -> Json:
    """The rules by which a workload replaces its pods."""
    if kind == "Deployment":
        if source.random() < 0.15:
            return {"strategy": {"type": "Recreate"}}
        surge, missing = source.choice([0, 1, 2, "25%"]), source.choice([0, 1, 2, "25%"])
        return {"strategy": rolling(maxSurge=surge or int(not missing), maxUnavailable=missing)}
    if kind == "StatefulSet":
        policy = source.choice(["OrderedReady", "Parallel"])
        return {"podManagementPolicy": policy, "updateStrategy": rolling(maxUnavailable=source.choice([1, 1, 2]))}
    some = source.choice([1, 2])
    return {"updateStrategy": source.choice([rolling(maxUnavailable=some), rolling(maxSurge=some, maxUnavailable=0)])}


def place(source: random.Random, item: Json, trait: str) -> None:
    """Say on which nodes its pods may be, and which volume they have."""
    spec = item["spec"]["template"]["spec"]
    if trait != "silent":
        spec["nodeSelector"] = {"talks": "yes"}
    if trait == "volume":
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        near = [{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]
        apart = item["kind"] == "Deployment" and source.random() < 0.7
        name = "podAntiAffinity" if apart else "podAffinity"
        spec["affinity"] = {name: {"requiredDuringSchedulingIgnoredDuringExecution": near}}


def set_image(item: Json, image: str) -> None:
    item["spec"]["template"]["spec"]["containers"][0]["image"] = image


def changed(source: random.Random, before: Json, midway: Json, kind: str) -> tuple[Json, str]:
    """Draw the second change."""
    ways = ["back", "back", "third", "strategy", "same"]
    if kind != "DaemonSet":
        ways += ["scale", "scale", "back and scale"]
    if kind == "Deployment":
        ways += ["pause and scale"]
    what = source.choice(ways)
    item = copy.deepcopy(before if "back" in what else midway)
    if what == "third":
        set_image(item, IMAGES[2])
    if "scale" in what:
        item["spec"]["replicas"] = source.randint(0, 8)
    if "pause" in what:
        item["spec"]["paused"] = True
    if what == "strategy":
        if kind == "Deployment":
            item["spec"]["strategy"] = source.choice(
                [rolling(maxSurge=0, maxUnavailable=1), rolling(maxSurge=2, maxUnavailable=0), {"type": "Recreate"}]
            )
        else:
            item["spec"]["updateStrategy"] = rolling(maxUnavailable=2)
    return item, what


def revised(source: random.Random, number: int) -> Case:
    """Draw a workload of which ControllerRevisions alone tell which pod is of which template."""
    kind = "StatefulSet" if number % 3 else "DaemonSet"
    before = workload(kind, IMAGES[0], **rules(source, kind, 4))
    if kind == "StatefulSet":
        before["spec"]["replicas"] = 4
        before["spec"]["updateStrategy"]["rollingUpdate"]["partition"] = source.randint(0, 3)
    place(source, before, "")
    midway = copy.deepcopy(before)
    set_image(midway, IMAGES[1])
    after, what = changed(source, before, midway, kind)
    what = f"{kind}, revised, {what}"
    return Case(f"revised-{number}", before, midway, source.randint(0, 2), after, what, touched=True)


def with_lost_volume(source: random.Random, number: int) -> Case:
    """Draw a workload whose volume is attached to a node that falls silent."""
    where = ("kept", "deleted", "off")[number % 3]
    kind = source.choice(["Deployment", "Deployment", "StatefulSet"])
    before = workload(kind, IMAGES[0], **rules(source, kind, 1))
    before["spec"]["replicas"] = 1
    spec = before["spec"]["template"]["spec"]
    spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    host = {"key": "kubernetes.io/hostname", "operator": "In", "values": [OFF if where == "off" else SILENT]}
    likes = [{"weight": 100, "preference": {"matchExpressions": [host]}}]
    spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": likes}}
    midway = copy.deepcopy(before)
    set_image(midway, IMAGES[1])
    after, what = changed(source, before, midway, kind)
    return Case(
        f"lost-{number}",
        before,
        midway,
        source.randint(0, 1),
        after,
        f"{kind}, volume {where}, {what}",
        silent=True,
        volume=True,
        deleted=where == "deleted",
    )


_SOURCE = random.Random(SEED)
DRAWN = [
    *(drawn(_SOURCE, number) for number in range(CASES)),
    *(revised(_SOURCE, number) for number in range(REVISED)),
    *(with_lost_volume(_SOURCE, number) for number in range(LOST)),
]


class Kubelets:
    """Stand-ins for the kubelets, for the collector of pods, and for the controller that attaches volumes.

    Attributes:
        silent: whether the silent nodes are so already.
        forced: when volumes are detached by force from a node that is silent, once no pod of it is left there.
        attached: by namespace the node to which its volume is attached.

    Source: v1.37.2 attachdetach reconciler.go reconcile, util DetermineVolumeAction (a pod holds its volume until it
    is gone), podgc gcTerminating.
    """

    def __init__(self, plane: ControlPlane, watch: Watch, cases: list[Case]) -> None:
        self.plane = plane
        self.watch = watch
        self.cases = {case.namespace: case for case in cases}
        self.silent = False
        self.forced = float("inf")
        self.attached: dict[str, str] = {}

    def let_go(self) -> int:
        """Confirm deletions wherever a kubelet is there to do so, and detach what nobody uses."""
        done = 0
        for pod in list(self.watch.items.values()):
            meta = pod["metadata"]
            if is_going(pod) and not (self.silent and pod["spec"].get("nodeName") == SILENT):
                path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
                with contextlib.suppress(Exception):
                    self.plane.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})
                done += 1
        for space, node in list(self.attached.items()):
            used = any(key.startswith(f"{space}/") and on(pod) == node for key, pod in list(self.watch.items.items()))
            waits = self.silent and node == SILENT and time.monotonic() < self.forced
            if not used and not waits:
                del self.attached[space]
                self.plane.delete(f"{ATTACHMENTS}/{space}")
        return done

    def attach(self, space: str, node: str) -> bool:
        """Attach the volume of a namespace unless another node has it; tell whether this node has it then."""
        if space not in self.attached:
            self.attached[space] = node
            source = {"persistentVolumeName": f"pv-{space}"}
            spec = {"attacher": "x.example", "nodeName": node, "source": source}
            self.plane.post(ATTACHMENTS, {"metadata": {"name": space}, "spec": spec})
        return self.attached[space] == node

    def may_start(self, pod: Json) -> bool:
        """Whether a pod has a node that talks, and gets its volume there."""
        space, node = pod["metadata"]["namespace"], on(pod)
        if not node or (self.silent and node in (SILENT, OFF)):
            return False
        return not self.cases[space].volume or self.attach(space, node)

    def start(self, pod: Json) -> None:
        self.plane.set_pod_running(pod["metadata"]["namespace"], pod["metadata"]["name"])

    def start_all(self) -> int:
        done = self.let_go()
        for pod in list(self.watch.items.values()):
            if not is_going(pod) and not is_ready(pod) and self.may_start(pod):
                with contextlib.suppress(Exception):
                    self.start(pod)
                done += 1
        return done


ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments"


def waits(case: Case, pod: Json) -> bool:
    """Whether a pod only waits for its volume."""
    return case.volume and pod["status"].get("phase") == "Pending"


def never_started(case: Case, pod: Json) -> bool:
    """Whether a pod of a Deployment that is scaled next has a node and never ran.

    Where an old ReplicaSet grows and shrinks at once, its controller ranks such a pod beside the one just made by
    their nodes if that one has one already, and behind it if not, which is a race: once it runs, it is behind it.
    """
    scaled = case.after["kind"] == "Deployment" and "scale" in case.what
    return scaled and on(pod) != "" and not waits(case, pod) and pod["status"].get("phase") == "Pending"


def on(pod: Json) -> str:
    return str(pod["spec"].get("nodeName") or "")


@dataclass
class Way:
    """A case on its way.

    Attributes:
        case: the case.
        left: new pods that are still to become ready before it is changed again.
        course: the second change.
        unready: nodes of pods that are not ready when it is changed.
    """

    case: Case
    left: int = 0
    course: Course | None = None
    over: bool = False
    there: set[str] = field(default_factory=set)
    unready: set[str] = field(default_factory=set)


def midway(kubelets: Kubelets, way: Way, images: Callable[[Json], str]) -> None:
    """Report the next new pod as ready while some are still to be so."""
    space, watch = way.case.namespace, kubelets.watch
    if watch.quiet_for(space) < QUIET or not observed(kubelets.plane, Roll(space, way.case.before, way.case.midway)):
        return
    waiting = [pod for pod in made(watch, space) if not is_ready(pod) and kubelets.may_start(pod)]
    if not waiting or not way.left:
        way.over = way.over or watch.quiet_for(space) > PATIENCE or bool(waiting)
        return
    way.left -= 1
    kubelets.start(waiting[0])


def made(watch: Watch, space: str) -> list[Json]:
    """Pods of a namespace that are there, the oldest first."""
    by_uid = {pod["metadata"]["uid"]: pod for pod in watch.in_namespace(space)}
    return [by_uid[uid] for uid in dict.fromkeys(p["metadata"]["uid"] for p in watch.created(space)) if uid in by_uid]


def advance(kubelets: Kubelets, way: Way) -> None:
    """If its controller waits, write down what it did, and report the next pod as ready."""
    course, space, watch = way.course, way.case.namespace, kubelets.watch
    assert course is not None
    ending = [pod for pod in leaving(watch, space) if not (kubelets.silent and on(pod) == SILENT)]
    quiet = OF_DAEMONS if course.roll.kind == "DaemonSet" else QUIET
    if watch.quiet_for(space) < quiet or ending or not observed(kubelets.plane, course.roll):
        return
    pods = watch.in_namespace(space)
    fresh = [pod for pod in made(watch, space) if pod["metadata"]["uid"] not in course.idle and not is_ready(pod)]
    if course.roll.kind == "Deployment":  # ReplicaSets make pods at the same time: those that are replaced go first
        fresh.sort(key=lambda pod: (image(pod) == image_of(course.roll.after), image(pod)))
    if course.roll.kind == "DaemonSet":  # of those it makes together, which is first is chance: kplan has these first
        fresh.sort(key=lambda pod: on(pod) not in way.unready)
    waiting = [pod for pod in fresh if kubelets.may_start(pod)]
    patience = OF_QUOTAS if way.case.quota else PATIENCE
    if not waiting and watch.quiet_for(space) < patience:
        return
    ready = [pod for pod in pods if is_ready(pod)]
    new = sum(image(pod) == image_of(course.roll.after) for pod in ready)
    now = {pod["metadata"]["uid"] for pod in pods}
    if course.steps or course.there - now:  # as long as none leaves, what is made first is no step
        course.steps.append((len(pods), len(ready) - new, new))
    elif waiting:
        course.steps.append((-1, 0, 0))
    course.there = now
    if not waiting:
        course.over, course.pods = True, pods
        return
    kubelets.start(waiting[0])


def image(pod: Json) -> str:
    return str(pod["spec"]["containers"][0]["image"])


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running(scheduler=True) as running:
        for number in range(NODES + 2):
            labels = {"talks": "yes"} if number < NODES else {}
            running.add_node(f"node-{number}", cpu="64", memory="64Gi", pods=500, labels=labels)
        yield running


def prepare(plane: ControlPlane, case: Case) -> None:
    plane.create_namespace(case.namespace)
    if case.quota:
        path = f"/api/v1/namespaces/{case.namespace}/resourcequotas"
        plane.post(path, {"metadata": {"name": "pods"}, "spec": {"hard": {"pods": str(case.quota)}}})
    if case.volume:
        bound_volume(plane, case.namespace, modes=["ReadWriteOnce"], driver="x.example")


def fall_silent(plane: ControlPlane) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    condition = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": now}
    for name in (SILENT, OFF):
        taints = [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]
        taints += [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}] if name == OFF else []
        plane.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": taints}})
        status = {"conditions": [{**condition, "lastHeartbeatTime": now}]}
        plane.patch(f"/api/v1/nodes/{name}/status", {"status": status})


def go(
    kubelets: Kubelets, ways: list[Way], step: Callable[[Way], None], over: Callable[[Way], bool], most: float
) -> None:
    end = time.monotonic() + most
    time.sleep(QUIET)
    while time.monotonic() < end and not all(map(over, ways)):
        kubelets.let_go()
        for way in ways:
            if not over(way):
                with contextlib.suppress(Exception):
                    step(way)
        time.sleep(0.05)


@pytest.fixture(scope="module")
def courses(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Course]:
    folder = tmp_path_factory.mktemp("under-way")
    for case in DRAWN:
        prepare(plane, case)
    time.sleep(1)  # for service accounts, and quotas that are counted
    with Watch(plane) as pods, Watch(plane, "/apis/apps/v1/replicasets") as sets:
        kubelets = Kubelets(plane, pods, DRAWN)
        for case in DRAWN:
            apply(plane, case.before, case.namespace)
        wait_for(lambda: not kubelets.start_all() and pods.quiet_for() > 1.5, 180, 0.1, "all workloads to be ready")
        ways = [Way(case, case.ready) for case in DRAWN]
        for case in DRAWN:
            apply(plane, case.midway, case.namespace)
        go(kubelets, ways, lambda way: midway(kubelets, way, image), lambda way: way.over, 120)
        fall_silent(plane)
        kubelets.silent = True
        stop(plane, kubelets, ways, random.Random(SEED))
        carry_on(kubelets, sets, ways, folder)
    return {way.case.namespace: way.course for way in ways if way.course is not None}


def stop(plane: ControlPlane, kubelets: Kubelets, ways: list[Way], source: random.Random) -> None:
    """Let some pods be unready, and all on the silent node."""
    for way in ways:
        for pod in made(kubelets.watch, way.case.namespace):  # names are drawn by the server, anew in each run
            unready = source.random() < way.case.idle
            if (is_ready(pod) and (unready or on(pod) in (SILENT, OFF))) or never_started(way.case, pod):
                plane.set_pod_running(way.case.namespace, pod["metadata"]["name"], ready=False)
            if way.case.deleted and on(pod) == SILENT:
                path = f"/api/v1/namespaces/{way.case.namespace}/pods/{pod['metadata']['name']}"
                plane.request("DELETE", path, {"gracePeriodSeconds": 0})
            if way.case.touched:
                path = f"/api/v1/namespaces/{way.case.namespace}/pods/{pod['metadata']['name']}"
                labels = {"metadata": {"labels": {"injected": "yes"}}}
                plane.request("PATCH", path, labels, content_type="application/merge-patch+json")
    wait_for(lambda: not kubelets.let_go() and kubelets.watch.quiet_for() > PATIENCE, 60, 0.1, "all to be at rest")


def carry_on(kubelets: Kubelets, sets: Watch, ways: list[Way], folder: Any) -> None:
    plane, watch = kubelets.plane, kubelets.watch
    state = read_state(plane)
    files = []
    for way in ways:
        case, path = way.case, folder / f"{way.case.namespace}.yaml"
        item = {**case.after, "metadata": {"name": "web", "namespace": case.namespace}}
        path.write_text(yaml.safe_dump(item))
        files.append(path)
        pods = watch.in_namespace(case.namespace)
        idle = {pod["metadata"]["uid"] for pod in pods if on(pod) and not is_ready(pod) and not waits(case, pod)}
        way.course = Course(case.roll, expanded(path, state, case.namespace), idle=idle)
        way.unready = {on(pod) for pod in pods if pod["metadata"]["uid"] in idle}
        way.course.there = {pod["metadata"]["uid"] for pod in pods}
    told = tell(state, folder, files)
    kubelets.forced = time.monotonic() + FORCED
    first, begin = (len(watch.events), len(sets.events)), (dict(watch.items), dict(sets.items))
    for way in ways:
        assert way.course is not None
        way.course.told = told.get(way.case.namespace, {})
        apply(plane, way.case.after, way.case.namespace)
    go(kubelets, ways, lambda way: advance(kubelets, way), lambda way: way.course is not None and way.course.over, 400)
    for way in ways:
        assert way.course is not None
        base.count(way.course, begin[0], watch.events[first[0] :])
        base.count_wanted(way.course, begin[1], sets.events[first[1] :])


def test_how_many_cases_are_drawn(courses: dict[str, Course], capsys: pytest.CaptureFixture[str]) -> None:
    assert (len(courses), len({case.what for case in DRAWN}) > 25) == (CASES + REVISED + LOST, True)
    with capsys.disabled():
        print(f"\n{len(courses)} rollouts that are changed on their way, seed {SEED}")


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: f"{case.namespace}-{case.what}".replace(" ", "-"))
def test_steps_and_end_are_those_of_the_document(case: Case, courses: dict[str, Course]) -> None:
    course = courses[case.namespace]
    assert course.over
    if not course.told:  # pods are made at once, and none leaves
        assert not course.left
        return
    names = [step.get("pod") for step in course.told.get("steps", ())]
    told = [
        (step.get("there", 0), step.get("old", 0), step.get("new", 0))
        for step in course.told.get("steps", ())
        if step.get("starts") or not step.get("pod")
    ]
    went = [step for step in course.steps if step[0] >= 0]
    if not course.told.get("strategy"):  # no pod is replaced: all are new, or all are old
        told, went = ([(there, 0, old + new) for there, old, new in steps] for steps in (told, went))
    assert told == went, names
    assert course.told.get("done", 0) == sum(is_ready(pod) for pod in course.pods if new_or_kept(course, pod))


def new_or_kept(course: Course, pod: Json) -> bool:
    """Whether a pod is of the template that is wanted; where none is replaced, each is."""
    return not course.told.get("strategy") or image(pod) == image_of(course.roll.after)


def image_of(item: Json) -> str:
    return str(item["spec"]["template"]["spec"]["containers"][0]["image"])
