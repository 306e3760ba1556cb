"""A world for the tests of bind: nodes and pods of their own, and what stands in for kubelet and provisioner."""

import contextlib
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kplan.cli.main import main
from tests.live.conftest import need_assets, pod
from tests.live.controlplane import APISERVER, ApiError, ControlPlane
from tests.live.controlplane import wait_for as wait_for_while
from tests.live.faultproxy import READS, REVIEW, FaultProxy

PATIENCE = 300.0
"""How long a process or the cluster is waited for: a machine may be slow [seconds]."""
wait_for = functools.partial(wait_for_while, timeout=PATIENCE)

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
SCHEDULER = "kplan"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
WAITING, STATIC = "waits", "static"


class World:
    """One test's namespace, nodes and proxy.

    Attributes:
        server: the API server.
        proxy: what kplan talks to.
        name: of the namespace; nodes are called ``NAME-0`` and so on.
    """

    def __init__(self, server: ControlPlane, proxy: FaultProxy, name: str, folder: Path) -> None:
        self.server, self.proxy, self.name, self.folder = server, proxy, name, folder
        self.kubeconfig = proxy.kubeconfig(folder, server.tokens["admin"])
        self.journal = folder / "journal.jsonl"
        self._started: list[subprocess.Popen[str]] = []
        server.create_namespace(name)

    def nodes(self, count: int, cpu: str = "4", **more: Any) -> list[str]:
        names = [f"{self.name}-{i}" for i in range(count)]
        for i, name in enumerate(names):
            labels = {"world": self.name, ZONE: f"zone-{'abc'[i % 3]}"}
            self.server.add_node(name, cpu=cpu, labels=labels, **more)
        return names

    def pod(self, name: str, cpu: str = "1", *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
        """Make a pod that fits this world's nodes alone."""
        spec.setdefault("schedulerName", SCHEDULER)
        made = pod(name, cpu, nodeSelector={"world": self.name}, **spec)
        made["metadata"]["labels"] |= labels or {}
        return self.server.post(self.path("pods"), made)

    def claim(self, name: str, storage_class: str, size: str = "1Gi") -> dict[str, Any]:
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": size}},
        }
        return self.server.post(self.path("persistentvolumeclaims"), {"metadata": {"name": name}, "spec": spec})

    def volume(self, name: str, node: str, size: str = "1Gi", storage_class: str = STATIC) -> None:
        """Make a local volume, and wait until the controller has made it available."""
        base = "/api/v1/persistentvolumes"
        self.server.post(base, local_volume(name, node, size, storage_class))
        wait_for(lambda: self.server.get(f"{base}/{name}")["status"].get("phase") == "Available", what=name)

    def running(self, name: str, node: str, cpu: str = "1", **more: Any) -> None:
        """Make a pod that runs."""
        self.pod(name, cpu, nodeName=node, **more)
        self.server.set_pod_running(self.name, name)

    def path(self, plural: str, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.name}/{plural}{'/' + name if name else ''}"

    def get(self, name: str, plural: str = "pods") -> dict[str, Any]:
        return self.server.get(self.path(plural, name))

    def on(self) -> dict[str, str]:
        """Node of each pod by name; empty for none."""
        return {
            item["metadata"]["name"]: item["spec"].get("nodeName", "")
            for item in self.server.get(self.path("pods"))["items"]
        }

    def kplan(self, *words: str, journal: bool = True) -> int:
        """Run a command in this process; returns its exit code."""
        keep = ["--journal", str(self.journal)] if journal and "--apply" in words else []
        before = len(self.proxy.requests)
        code = main(["bind", *words, *keep, "--kubeconfig", self.kubeconfig])
        if not {"--apply", "--resume"} & {*words}:
            self.only_reads(before, dry="--server-dry-run" in words)
        return code

    def only_reads(self, since: int = 0, *, dry: bool = False) -> None:
        """Make sure that only reads and reviews of rights were sent, and dry runs if these were asked for."""
        other = [r for r in self.proxy.requests[since:] if r.method not in READS and r.path != REVIEW]
        assert [(r.method, r.path) for r in other if not (dry and r.dry)] == []

    def apply(self, *words: str) -> int:
        return self.kplan("-n", self.name, "--apply", "--yes", "-o", f"json={self.result}", *words)

    def resume(self) -> int:
        return self.kplan("--resume", str(self.journal), "--yes", "-o", f"json={self.result}", journal=False)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Run a command as a process of its own."""
        command = [sys.executable, "-m", "kplan", "bind", *words, "--kubeconfig", self.kubeconfig]
        made = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self._started.append(made)
        return made

    @property
    def result(self) -> Path:
        return self.folder / "result.json"

    def told(self) -> dict[str, Any]:
        """The document of the last ``apply`` or ``resume``."""
        found: dict[str, Any] = json.loads(self.result.read_text())
        return found

    def became(self) -> dict[str, str]:
        """Result of each pod by name."""
        return {entry["pod"].partition("/")[2]: entry["result"] for entry in self.told()["pods"]}

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.journal.read_text().splitlines()]

    def bindings(self) -> list[str]:
        """Pods for which the server accepted a Binding, in order, each equally often as it did."""
        return [
            request.path.split("/")[-2]
            for request in self.proxy.requests
            if request.path.endswith("/binding") and not request.dry and request.status == 201
        ]

    def check_nothing_lost_or_doubled(self) -> None:
        """Hold the server against what was told and against the journal."""
        on = self.on()
        for entry in self.told()["pods"]:
            name = entry.get("real", entry["pod"]).partition("/")[2]
            assert (entry["result"] == "bound") == (on.get(name) == entry["node"]), (entry, on.get(name))
        accepted = self.bindings()
        assert len(accepted) == len(set(accepted)), accepted
        noted = {
            line["about"].partition("/")[2]
            for line in self.lines()
            if line["kind"] == "before" and line["write"] == "bind"
        }
        assert set(accepted) <= noted

    def clear(self) -> None:
        """Take nodes, workloads and pods of this world away, and end what a test that failed left running."""
        for process in self._started:
            process.kill()
        apps = f"/apis/apps/v1/namespaces/{self.name}"
        for kind in ("deployments", "replicasets", "statefulsets", "daemonsets"):
            self.server.request("DELETE", f"{apps}/{kind}")
        self.server.request("DELETE", f"/apis/batch/v1/namespaces/{self.name}/jobs")
        for kind in ("pods", "persistentvolumeclaims"):
            for item in self.server.get(self.path(kind))["items"]:
                name = item["metadata"]["name"]
                body = {"gracePeriodSeconds": 0}
                self.server.request("DELETE", self.path(kind, name), body)
        for item in self.server.get("/api/v1/nodes", query={"labelSelector": f"world={self.name}"})["items"]:
            self.server.request("DELETE", f"/api/v1/nodes/{item['metadata']['name']}")


def local_volume(
    name: str, node: str, size: str, storage_class: str, claim: dict[str, Any] | None = None
) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [node]}]}
    spec: dict[str, Any] = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "local": {"path": f"/mnt/{name}"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        "persistentVolumeReclaimPolicy": "Retain",
    }
    if claim is not None:
        meta = claim["metadata"]
        spec["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            **{k: meta[k] for k in ("namespace", "name", "uid")},
        }
    return {"metadata": {"name": name}, "spec": spec}


STORAGE_AND_BUDGETS = ("persistentvolume-binder-controller", "disruption-controller")


@contextlib.contextmanager
def serving(controllers: Sequence[str] = STORAGE_AND_BUDGETS, **options: Any) -> Iterator[ControlPlane]:
    """An API server, and the controllers that bind volumes and work out budgets."""
    need_assets()
    with ControlPlane(controller_manager=list(controllers), **options) as cp:
        prepare(cp)
        yield cp


@contextlib.contextmanager
def world_of(server: ControlPlane, folder: Path, test: str) -> Iterator[World]:
    """A world for one test, and nothing left of it afterwards."""
    name = "w" + hashlib.sha256(test.encode()).hexdigest()[:6]
    with FaultProxy(server.own_url, server.ca_file) as proxy:
        made = World(server, proxy, name, folder)
        try:
            yield made
        finally:
            made.clear()


def prepare(server: ControlPlane) -> None:
    """Make the storage classes that all worlds use."""
    for name, provisioner in ((WAITING, "provisioner.example"), (STATIC, "kubernetes.io/no-provisioner")):
        body = {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
        server.post("/apis/storage.k8s.io/v1/storageclasses", body)


@contextlib.contextmanager
def provisioner(server: ControlPlane) -> Iterator[None]:
    """Stand in for the provisioner: a claim that was given a node gets a volume there."""
    done = threading.Event()
    made: set[str] = set()

    def work() -> None:
        while not done.wait(0.1):
            with contextlib.suppress(Exception):
                for claim in server.get("/api/v1/persistentvolumeclaims")["items"]:
                    meta = claim["metadata"]
                    node = (meta.get("annotations") or {}).get(SELECTED_NODE)
                    if node and not claim["spec"].get("volumeName") and meta["uid"] not in made:
                        made.add(meta["uid"])
                        name = f"pvc-{meta['uid'][:8]}"
                        server.post("/api/v1/persistentvolumes", local_volume(name, node, "1Gi", WAITING, claim))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def kill_apiserver(server: ControlPlane) -> list[str]:
    """Kill the API server; returns how to start it again."""
    [entry] = [entry for entry in server._entries if entry["name"] == APISERVER]
    command = Path(f"/proc/{entry['pid']}/cmdline").read_text().split("\0")[:-1]
    os.kill(entry["pid"], signal.SIGKILL)
    server._children[entry["pid"]].wait()
    server._entries.remove(entry)
    return command


def start_apiserver(server: ControlPlane, command: list[str], after: float = 0.0) -> None:
    """Start it again, on the same port and store."""
    time.sleep(after)
    child = server._spawn(APISERVER, command[1:])
    server._await(child, APISERVER, lambda: server._answers("/readyz"))


@contextlib.contextmanager
def lease(
    server: ControlPlane, name: str, *, renewed: float | None = None, renew: bool | None = None
) -> Iterator[None]:
    """A lease of kube-system that a scheduler holds.

    Args:
        server: the API server.
        name: of the lease.
        renewed: when, by the holder's clock [seconds since 1970]; now if None.
        renew: renew it all the time, by that clock; if None, where it was renewed just now.
    """
    renew = renewed is None if renew is None else renew
    base = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    skew = 0.0 if renewed is None else renewed - time.time()

    def spec() -> dict[str, Any]:
        moment = datetime.fromtimestamp(time.time() + skew, UTC)
        at = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {"holderIdentity": "test-holder", "leaseDurationSeconds": 15, "renewTime": at}

    server.post(base, {"metadata": {"name": name}, "spec": spec()})
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.5):
            server.patch(f"{base}/{name}", {"spec": spec()})

    thread = threading.Thread(target=work, daemon=True)
    if renew:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if renew:
            thread.join()
        server.delete(f"{base}/{name}")


@contextlib.contextmanager
def priority(server: ControlPlane, name: str, value: int) -> Iterator[None]:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    server.post(path, {"metadata": {"name": name}, "value": value})
    wait_for(lambda: _is_admitted(server, name), what=f"pods of {name} to be admitted")
    try:
        yield
    finally:
        server.delete(f"{path}/{name}")


def _is_admitted(server: ControlPlane, name: str) -> bool:
    """Whether the server's admission has heard of a PriorityClass: it follows a list of them."""
    spec = {"containers": [{"name": "c", "image": "i"}], "priorityClassName": name}
    try:
        server.post("/api/v1/namespaces/default/pods?dryRun=All", {"metadata": {"name": "asks"}, "spec": spec})
    except ApiError as error:
        return "no PriorityClass with name" not in str(error)
    return True


@contextlib.contextmanager
def only_rights(world: World, rules: Any, system: Any = ()) -> Iterator[None]:
    """Let kplan ask as a user who has these rights and no others; they are gone afterwards.

    Args:
        world: the world.
        rules: of a ClusterRole.
        system: of a Role in kube-system.
    """
    server, rbac = world.server, "/apis/rbac.authorization.k8s.io/v1"
    assert not _allowed(server), "rights that another test left"
    paths = [f"{rbac}/clusterrolebindings/{server.grant('viewer', rules)}"]
    if system:
        name = server.grant("viewer", system, namespace="kube-system")
        paths.append(f"{rbac}/namespaces/kube-system/rolebindings/{name}")
    former, world.kubeconfig = world.kubeconfig, world.proxy.kubeconfig(world.folder, server.tokens["viewer"])
    try:
        yield
    finally:
        world.kubeconfig = former
        for path in paths:
            server.delete(path)
        wait_for(lambda: not _allowed(server), what="the end of the rights")


def _allowed(server: ControlPlane) -> bool:
    """Whether the user without rights may list pods."""
    attributes = {"verb": "list", "resource": "pods"}
    spec = {"user": "viewer", "groups": ["system:authenticated"], "resourceAttributes": attributes}
    return bool(server.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec})["status"]["allowed"])


@contextlib.contextmanager
def kubelet(world: World, namespace: str = "") -> Iterator[None]:
    """Stand in for the kubelet: pods that are bound become ready, pods that are to go, go."""
    done = threading.Event()
    space = namespace or world.name

    def work() -> None:
        while not done.wait(0.1):
            with contextlib.suppress(Exception):
                world.server.finish_deletions(space)
                for item in world.server.get(f"/api/v1/namespaces/{space}/pods")["items"]:
                    if item["spec"].get("nodeName") and item["status"].get("phase") == "Pending":
                        world.server.set_pod_running(space, item["metadata"]["name"])

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def budget(world: World, app: str) -> None:
    """A budget that allows no eviction of a single pod; returns once the controller has said so."""
    path = f"/apis/policy/v1/namespaces/{world.name}/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}
    world.server.post(path, {"metadata": {"name": app}, "spec": spec})
    wait_for(lambda: "observedGeneration" in world.server.get(f"{path}/{app}").get("status", {}), what="the budget")


def allow(world: World, app: str) -> None:
    """Let a budget allow one eviction."""
    path = f"/apis/policy/v1/namespaces/{world.name}/poddisruptionbudgets/{app}"
    world.server.patch(path, {"spec": {"minAvailable": 0}})


def interrupt_twice(process: subprocess.Popen[str]) -> None:
    """Send SIGINT twice and wait for the end; a process that has no time may take two for one."""
    for pause in (0.5, 10.0):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(pause)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)


@contextlib.contextmanager
def later(seconds: float, what: Callable[[], object]) -> Iterator[None]:
    """Let something happen meanwhile."""
    timer = threading.Timer(seconds, what)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def cordon(server: ControlPlane, node: str) -> None:
    server.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
