"""A node that is lost with volumes that it alone may attach, in cases that are drawn: what happens when, and the end.

The pods are placed by the real scheduler and made by real controllers; real ones delete them once their node is tainted
unreachable, and remove them once it is tainted out-of-service or deleted. A stand-in attaches and detaches volumes, and
does what kubelets would. For the six minutes after which a volume is detached by force stands a word of the test. What
``fail`` tells of each pod is held against what there is at three times: while the node is only silent, after it was
deleted or tainted, and after the six minutes.

Source: v1.37.2 tainteviction, podgc gcOrphaned and gcTerminating, attachdetach reconciler.go reconcile.
"""

import contextlib
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.live.controllers import Json, Watch, apply, bound_volume, controllers_running, is_going, is_ready
from tests.live.controlplane import ControlPlane, wait_for

SEED, CASES = 4211, 24
NODE_CONTROLLERS = ("taint-eviction-controller", "pod-garbage-collector-controller")
ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments"
SHARE = "share.example"
"""A driver whose volumes are not attached."""
UNREACHABLE, OFF = "node.kubernetes.io/unreachable", "node.kubernetes.io/out-of-service"
STILL = 4.0
"""Seconds for which all has to stay as it was told."""


@dataclass(frozen=True)
class Case:
    """A workload whose pods share a volume, all on one node.

    Attributes:
        namespace: of its own, and of the names of its nodes.
        kind: Deployment, StatefulSet, or Pod for one that nothing owns.
        replicas: how many pods.
        tolerates: seconds for which they bear an unreachable node; ``forever``, or ``anything`` for each taint.
        mode: access mode of the volume.
        driver: of the volume.
        grace: its terminationGracePeriodSeconds.
        end: whether its node is ``deleted`` at last, or tainted out-of-service (``off``).
    """

    namespace: str
    kind: str
    replicas: int
    tolerates: int | str
    mode: str
    driver: str
    end: str
    grace: int

    @property
    def lost(self) -> str:
        """The node that is lost."""
        return f"{self.namespace}-lost"

    @property
    def one_node(self) -> bool:
        """Whether one node alone may have the volume at a time."""
        return self.mode != "ReadWriteMany" and self.driver != SHARE

    @property
    def what(self) -> str:
        volume = f"{self.mode}{'' if self.driver != SHARE else '-share'}"
        return f"{self.kind}-{self.replicas}-{self.tolerates}-{volume}-{self.end}-grace-{self.grace}"


def drawn(source: random.Random, number: int) -> Case:
    kind = ("Deployment", "StatefulSet", "Deployment", "Pod")[number % 4]
    mode = source.choice(["ReadWriteOnce"] * 4 + ["ReadWriteOncePod", "ReadWriteMany"])
    shared = kind == "Deployment" and mode != "ReadWriteOncePod" and source.random() < 0.4
    return Case(
        f"lost-{number}",
        kind,
        2 if shared else 1,
        source.choice([0, 2, 6, "forever", "anything"]),
        mode,
        source.choice(["disk.example", "disk.example", "disk.example", SHARE]),
        ("deleted", "off")[number // 4 % 2],
        source.choice([0, 30, 30]),
    )


_SOURCE = random.Random(SEED)
DRAWN = [drawn(_SOURCE, number) for number in range(CASES)]


def tolerations(case: Case) -> list[Json]:
    if case.tolerates == "anything":
        return [{"operator": "Exists"}]
    seconds = {} if case.tolerates == "forever" else {"tolerationSeconds": case.tolerates}
    return [{"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute", **seconds}]


def items(case: Case) -> Iterator[Json]:
    here = [{"key": "kubernetes.io/hostname", "operator": "In", "values": [case.lost]}]
    likes = [{"weight": 100, "preference": {"matchExpressions": here}}]
    spec = {
        "nodeSelector": {"case": case.namespace},
        "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": likes}},
        "tolerations": tolerations(case),
        "containers": [{"name": "main", "image": "main:1"}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        "terminationGracePeriodSeconds": case.grace,
    }
    if case.replicas > 1:  # none of the others' scores brings them together
        near = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
        weighed = [{"weight": 100, "podAffinityTerm": near}]
        spec["affinity"]["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": weighed}  # type: ignore[index]
    if case.kind == "Pod":
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}}, "spec": spec}
        return
    more = {"serviceName": "web"} if case.kind == "StatefulSet" else {}
    body = {
        "replicas": case.replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": spec},
        **more,
    }
    yield {"apiVersion": "apps/v1", "kind": case.kind, "metadata": {"name": "web"}, "spec": body}


class Keepers:
    """Stand-ins for kubelets, and for the controller that attaches volumes.

    Attributes:
        silent: nodes whose kubelets are silent.
        off: those of them that are tainted out-of-service.
        forced: whether six minutes have passed since the last pod left a silent node.
        attached: by namespace, the node to which its volume is attached.
        tainted: by name of a silent node, when it was tainted.
        first: names of the pods that ran before, by their uids.
        late: by such a name, seconds from the taint of its node until it was seen to be deleted.
    """

    def __init__(self, plane: ControlPlane, watch: Watch) -> None:
        self.plane, self.watch = plane, watch
        self.cases = {case.namespace: case for case in DRAWN}
        self.silent: set[str] = set()
        self.off: set[str] = set()
        self.forced = False
        self.attached: dict[str, str] = {}
        self.tainted: dict[str, float] = {}
        self.first: dict[str, str] = {}
        self.late: dict[str, float] = {}

    def serve(self) -> None:
        for pod in list(self.watch.items.values()):
            if pod["metadata"]["namespace"] not in self.cases:
                continue
            if on(pod) in self.silent:
                continue
            with contextlib.suppress(Exception):
                self.of_kubelet(pod)
        self.detach()
        there = {pod["metadata"]["uid"] for pod in list(self.watch.items.values()) if not is_going(pod)}
        for uid, key in self.first.items():
            if uid not in there:
                since = self.tainted[self.cases[key.partition("/")[0]].lost]
                self.late.setdefault(key, time.monotonic() - since)

    def of_kubelet(self, pod: Json) -> None:
        meta = pod["metadata"]
        if is_going(pod):
            path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
            self.plane.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})
        elif on(pod) and not is_ready(pod) and self.attach(meta["namespace"], on(pod)):
            self.plane.set_pod_running(meta["namespace"], meta["name"])

    def attach(self, space: str, node: str) -> bool:
        """Attach the volume of a namespace unless another node has it; tell whether this node has it then."""
        case = self.cases[space]
        if case.one_node and space not in self.attached:
            spec = {"attacher": case.driver, "nodeName": node, "source": {"persistentVolumeName": f"pv-{space}"}}
            self.plane.post(ATTACHMENTS, {"metadata": {"name": space}, "spec": spec})
            self.attached[space] = node
        return not case.one_node or self.attached[space] == node

    def detach(self) -> None:
        """Detach what no pod uses: from a silent node only by force."""
        for space, node in list(self.attached.items()):
            used = any(key.startswith(f"{space}/") and on(pod) == node for key, pod in list(self.watch.items.items()))
            if not used and (node not in self.silent or node in self.off or self.forced):
                del self.attached[space]
                self.plane.delete(f"{ATTACHMENTS}/{space}")

    def state(self, case: Case) -> Counter[str]:
        """How many pods of a case are in which state."""
        pods = [pod for pod in list(self.watch.items.values()) if pod["metadata"]["namespace"] == case.namespace]
        return Counter(state_of(case, pod) for pod in pods)


def on(pod: Json) -> str:
    return str(pod["spec"].get("nodeName") or "")


def state_of(case: Case, pod: Json) -> str:
    if on(pod) == case.lost:
        return "ending" if is_going(pod) else "there"
    if not on(pod):
        return "pending"
    return "runs" if is_ready(pod) else "held"


def told(case: Case, report: Json, time_: str) -> Counter[str]:
    """What a report tells of the pods of a case: ``silent`` while their node is there, at its ``end``, and ``last``."""
    return Counter(state for pod in report["pods"] for state in told_of(case, pod, report, time_))


def told_of(case: Case, pod: Json, report: Json, time_: str) -> Iterator[str]:
    waits = pod.get("waitsForNode", False)
    stays = case.end == "off" and pod["pod"] in only_deleted(report)
    if time_ == "silent" or stays:
        if case.grace or "deletedAfter" not in pod:
            yield "ending" if "deletedAfter" in pod else "there"
        if waits or pod["fate"] == "gone" or stays:
            return
    if pod["fate"] == "gone":
        return
    if pod["fate"] == "pending" or (time_ == "silent" and "waitsForDeletion" in pod):
        yield "pending"
    elif "neverStarts" in pod:
        yield "held"
    elif time_ == "silent":
        yield "held" if "waitsForVolume" in pod else "runs"
    else:
        waits = "startsAfter" in pod or pod["pod"] in detached(report)
        yield "held" if time_ == "end" and case.end == "deleted" and waits else "runs"


def detached(report: Json) -> list[str]:
    """Pods in whose place others start once a volume is detached, as the time-line says."""
    return named(report, r"what was made for (.+?) starts?, as its volume is detached")


def only_deleted(report: Json) -> list[str]:
    """Pods that a taint out-of-service leaves where they are."""
    last = report["time"][-1]
    if "seconds" not in last and "out-of-service" not in last["text"]:
        return list(last.get("pods", ()))
    return named(report, r"the taint alone does nothing to (.+?)(?:;|$)")


def named(report: Json, pattern: str) -> list[str]:
    found = (re.search(pattern, point["text"]) for point in report["time"])
    return [name for match in found if match for name in match[1].split(", ")]


@dataclass
class Seen:
    """What came of all cases.

    Attributes:
        reports: what ``fail`` told, by namespace.
        states: by time and namespace, how many pods were in which state.
        late: by name of a pod, seconds from the taint to its deletion.
    """

    reports: dict[str, Json] = field(default_factory=dict)
    states: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running(scheduler=True, more=NODE_CONTROLLERS) as running:
        yield running


@pytest.fixture(scope="module")
def seen(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    prepare(plane)
    with Watch(plane) as watch:
        keepers = Keepers(plane, watch)
        for case in DRAWN:
            for item in items(case):
                apply(plane, item, case.namespace)
        running = {case.namespace: Counter(there=case.replicas) for case in DRAWN}

        def ready() -> bool:
            keepers.serve()
            states = {case.namespace: keepers.state(case) for case in DRAWN}
            return states == running and all(is_ready(pod) for pod in watch.items.values())

        wait_for(ready, 90, 0.1, "all pods to run on the nodes that will be lost")
        result = Seen()
        for case in DRAWN:
            result.reports[case.namespace] = asked(plane, case, tmp_path_factory.mktemp("lost"))
        keepers.first = {pod["metadata"]["uid"]: key for key, pod in watch.items.items()}
        lose(plane, keepers)
        result.states["silent"] = come_to(keepers, result.reports, "silent", 25)
        result.late = dict(keepers.late)
        end(plane, keepers)
        result.states["end"] = come_to(keepers, result.reports, "end", 110)
        keepers.forced = True
        result.states["last"] = come_to(keepers, result.reports, "last", 30)
        yield result


def prepare(plane: ControlPlane) -> None:
    plane.post("/apis/storage.k8s.io/v1/csidrivers", {"metadata": {"name": SHARE}, "spec": {"attachRequired": False}})
    for case in DRAWN:
        plane.create_namespace(case.namespace)
        for name in ("a", "b", "lost"):
            plane.add_node(f"{case.namespace}-{name}", labels={"case": case.namespace})
        bound_volume(plane, case.namespace, modes=[case.mode], driver=case.driver)
    time.sleep(1)  # for service accounts


def asked(plane: ControlPlane, case: Case, folder: Path) -> Json:
    """What ``fail`` tells of the loss of a case's node."""
    out = folder / f"{case.namespace}.json"
    assert main(["fail", case.lost, "-o", f"json={out}", "--kubeconfig", str(plane.kubeconfig)]) in (0, 1)
    report: Json = json.loads(out.read_text())
    return {**report, "pods": [pod for pod in report["pods"] if pod["pod"].startswith(f"{case.namespace}/")]}


def lose(plane: ControlPlane, keepers: Keepers) -> None:
    """Let nodes be silent, and taint them as the controller does."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    condition = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": now}
    taints = [{"key": UNREACHABLE, "effect": effect} for effect in ("NoExecute", "NoSchedule")]
    for case in DRAWN:
        keepers.silent.add(case.lost)
        plane.patch(f"/api/v1/nodes/{case.lost}/status", {"status": {"conditions": [condition]}})
        keepers.tainted[case.lost] = time.monotonic()
        plane.patch(f"/api/v1/nodes/{case.lost}", {"spec": {"taints": taints}})


def end(plane: ControlPlane, keepers: Keepers) -> None:
    """Delete the lost nodes, or taint them out-of-service."""
    taints = [{"key": UNREACHABLE, "effect": effect} for effect in ("NoExecute", "NoSchedule")]
    for case in DRAWN:
        if case.end == "deleted":
            plane.delete(f"/api/v1/nodes/{case.lost}")
        else:
            keepers.off.add(case.lost)
            off = {"key": OFF, "value": "nodeshutdown", "effect": "NoExecute"}
            plane.patch(f"/api/v1/nodes/{case.lost}", {"spec": {"taints": [*taints, off]}})


def come_to(keepers: Keepers, reports: dict[str, Json], time_: str, most: float) -> dict[str, Counter[str]]:
    """Serve until all is as told for some time, or until the time is over; give what there is."""
    wanted = {case.namespace: told(case, reports[case.namespace], time_) for case in DRAWN}
    begin = since = time.monotonic()
    while True:
        keepers.serve()
        states = {case.namespace: keepers.state(case) for case in DRAWN}
        now = time.monotonic()
        since = since if states == wanted else now
        if now - since > STILL or now - begin > most:
            return states
        time.sleep(0.1)


def test_what_is_drawn(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    holding = [case for case in DRAWN if case.one_node]
    assert (len(seen.reports), len(holding)) == (24, 19)
    with capsys.disabled():
        print(f"\n{CASES} losses of a node with a volume, {len(holding)} of one node alone, seed {SEED}")


@pytest.mark.parametrize("time_", ["silent", "end", "last"])
@pytest.mark.parametrize("case", DRAWN, ids=lambda case: f"{case.namespace}-{case.what}")
def test_pods_are_as_fail_tells(case: Case, time_: str, seen: Seen) -> None:
    report = seen.reports[case.namespace]
    assert seen.states[time_][case.namespace] == told(case, report, time_), report["time"]


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: f"{case.namespace}-{case.what}")
def test_pods_are_deleted_no_sooner_than_told(case: Case, seen: Seen) -> None:
    report = seen.reports[case.namespace]
    since = report["time"][1]["seconds"]  # when the node is tainted
    wanted = {pod["pod"]: pod["deletedAfter"] - since for pod in report["pods"] if "deletedAfter" in pod}
    mine = {key: late for key, late in seen.late.items() if key.startswith(f"{case.namespace}/")}
    assert sorted(mine) == sorted(wanted)
    assert all(late >= wanted[key] for key, late in mine.items())
