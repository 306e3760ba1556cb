"""What the tests of real controllers share: a control plane that runs them, a watch of what they make, a kubelet."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from kplan.admission import Expansion, expand
from kplan.api import Scheduler
from kplan.cli.main import main
from kplan.objects.kinds import find
from kplan.objects.state import ClusterState
from kplan.sources import load_objects
from kplan.sources.live import read
from kplan.sources.snapshot import write_snapshot
from tests.live.conftest import need_assets
from tests.live.controlplane import CONTROLLERS, KUBE_VERSION, ControlPlane, wait_for

RULES = Scheduler.of(KUBE_VERSION).request_rules

FAST = ("--kube-api-qps=400", "--kube-api-burst=800")
"""A test has no time to wait for the controllers' client to be let through."""

EVERY_CONTROLLER = [
    *CONTROLLERS,
    "cronjob-controller",
    "replicationcontroller-controller",
    "ephemeral-volume-controller",
    "resourcequota-controller",
]

_SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}"
_HASH = "[bcdfghjklmnpqrstvwxz2456789]{8,10}"

Json = dict[str, Any]


@contextlib.contextmanager
def controllers_running(*, scheduler: bool = False, more: Iterable[str] = (), **options: Any) -> Iterator[ControlPlane]:
    """Run the servers, with service accounts as every real cluster has them; ``more`` controllers where asked."""
    need_assets()
    plane = ControlPlane(
        controller_manager=[*EVERY_CONTROLLER, *more],
        controller_manager_args=FAST,
        scheduler=scheduler,
        service_account_admission=True,
        audit=False,
        **options,
    )
    with plane as running:
        yield running


class Watch:
    """Objects of one kind as they come, change and go, each event in the server's order.

    Attributes:
        events: type and object of each.
        items: those that are there, by ``namespace/name``.
    """

    def __init__(self, plane: ControlPlane, path: str = "/api/v1/pods") -> None:
        begin = plane.get(path)
        self.events: list[tuple[str, Json]] = []
        self.items: dict[str, Json] = {key_of(item): item for item in begin["items"]}
        self._last: dict[str, float] = {"": time.monotonic()}
        self._connection = http.client.HTTPSConnection("127.0.0.1", plane.port, context=plane._tls, timeout=600)
        version = begin["metadata"]["resourceVersion"]
        headers = {"Authorization": f"Bearer {plane.tokens['admin']}", "Accept": "application/json"}
        self._connection.request("GET", f"{path}?watch=1&resourceVersion={version}", headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        sock = self._connection.sock
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._answer.close()
        self._connection.close()

    def _follow(self) -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            while line := self._answer.readline():
                event = json.loads(line)
                item = event["object"]
                if event["type"] == "DELETED":
                    self.items.pop(key_of(item), None)
                else:
                    self.items[key_of(item)] = item
                self.events.append((event["type"], item))
                self._last[""] = self._last[item["metadata"]["namespace"]] = time.monotonic()

    def quiet_for(self, namespace: str = "") -> float:
        """Seconds since the last event, of any namespace if none is named."""
        return time.monotonic() - self._last.get(namespace, 0.0)

    def created(self, namespace: str) -> list[Json]:
        """The objects of a namespace as admission let them in, oldest first."""
        return [item for kind, item in self.events if kind == "ADDED" and item["metadata"]["namespace"] == namespace]

    def in_namespace(self, namespace: str) -> list[Json]:
        """The objects of a namespace that are there and not going."""
        items = [item for item in list(self.items.values()) if item["metadata"]["namespace"] == namespace]
        return [item for item in items if not is_going(item)]


def is_going(item: Json) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def key_of(item: Json) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def is_ready(pod: Json) -> bool:
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def serve(plane: ControlPlane, watch: Watch, wanted: Callable[[Json], bool] = lambda _: True) -> int:
    """Do what kubelets would: report bound pods that are wanted as ready, let pods go; return how many of them."""
    done = 0
    for pod in list(watch.items.values()):
        meta = pod["metadata"]
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if is_going(pod):
            plane.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})
        elif pod["spec"].get("nodeName") and not is_ready(pod) and wanted(pod):
            with contextlib.suppress(Exception):
                plane.set_pod_running(meta["namespace"], meta["name"])
        else:
            continue
        done += 1
    return done


def documents(path: Path) -> list[Json]:
    """The objects of a manifest file."""
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def url_of(item: Json, namespace: str) -> str:
    """Where objects of a kind are posted."""
    version = item["apiVersion"]
    kind = find(version, item["kind"])
    plural = kind.plural if kind else f"{item['kind'].lower()}s"
    scope = f"namespaces/{namespace}/" if kind is None or kind.namespaced else ""
    return f"/{'apis' if '/' in version else 'api'}/{version}/{scope}{plural}"


def read_state(plane: ControlPlane) -> ClusterState:
    return read(kubeconfig=str(plane.kubeconfig))


def expanded(path: Path, state: ClusterState, namespace: str) -> Expansion:
    return expand(load_objects(str(path), namespace=namespace), state, RULES, namespace=namespace)


def without_chance(text: str) -> str:
    """Replace what differs each time: uids, hashes of templates, random ends of names, minutes of cron jobs."""
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)
    text = re.sub(r"-\d{8}(?=-|\b)", "-MINUTE", text)
    text = re.sub(rf'(?<=[-"]){_HASH}(?=[-"])', "HASH", text)
    return re.sub(rf'-{_SUFFIX}(?=["-])', "-SUFFIX", text)


def differences(real: object, planned: object, path: str = "") -> Iterator[str]:
    """Yield each field in which two objects differ."""
    if isinstance(real, dict) and isinstance(planned, dict):
        for key in sorted(real.keys() | planned.keys()):
            yield from differences(real.get(key), planned.get(key), f"{path}.{key}" if path else key)
    elif isinstance(real, list) and isinstance(planned, list) and len(real) == len(planned):
        for number, (one, other) in enumerate(zip(real, planned, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif real != planned:
        yield f"{path}: real {json.dumps(real)}, kplan {json.dumps(planned)}"


def without_empty(value: object) -> object:
    """Leave out what the API leaves out: empty maps, lists and texts, False and null."""
    if isinstance(value, dict):
        parts = {key: without_empty(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in ({}, [], None, False, "")}
    if isinstance(value, list):
        return [without_empty(part) for part in value]
    return value


def by_name(items: Iterable[Json]) -> list[Json]:
    return sorted(items, key=lambda item: str(item["name"]))


def tell(state: ClusterState, folder: Path, files: list[Path]) -> dict[str, Json]:
    """What ``kplan simulate`` tells of the rollouts, by namespace."""
    write_snapshot(state, folder / "cluster.json")
    out = folder / "plan.json"
    code = main(["simulate", *map(str, files), "--snapshot", str(folder / "cluster.json"), "-o", f"json={out}"])
    assert code in (0, 1), "neither planned nor planned with pods that wait"
    rollouts = json.loads(out.read_text()).get("rollouts", [])
    return {one["workload"].split("/")[1]: one for one in rollouts}


def apply(plane: ControlPlane, item: Json, namespace: str) -> Json:
    """Apply an object as kubectl does on the server's side: what is no longer written goes."""
    path = f"{url_of(item, namespace)}/{item['metadata']['name']}?fieldManager=kplan-tests&force=true"
    return plane.patch(path, item, content_type="application/apply-patch+yaml")  # type: ignore[no-any-return]


def bound_volume(plane: ControlPlane, space: str, modes: Iterable[str], driver: str) -> None:
    """Make the claim ``data`` in a namespace, and the volume ``pv-NAMESPACE`` that it is bound to."""
    name = f"pv-{space}"
    shared = {"accessModes": list(modes), "storageClassName": ""}
    source = {"csi": {"driver": driver, "volumeHandle": name}, "capacity": {"storage": "1Gi"}}
    spec = {**shared, **source, "claimRef": {"name": "data", "namespace": space}}
    plane.post("/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": spec})
    path = f"/api/v1/namespaces/{space}/persistentvolumeclaims"
    asks = {"resources": {"requests": {"storage": "1Gi"}}, "volumeName": name}
    plane.post(path, {"metadata": {"name": "data"}, "spec": {**shared, **asks}})
    wait_for(lambda: plane.get(f"{path}/data").get("status", {}).get("phase") == "Bound", what=f"{name} to be bound")
