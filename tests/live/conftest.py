"""A real API server for the whole session; without its binaries the tests are skipped, or fail where they must run.

Whatever kplan asks of any server in the whole run goes through a proxy that notes it (``recorder``, ``ledger``): every
control plane is reached by its kubeconfig through one, and the tests of bind bring theirs, which make faults as well.
A test fails, and so does the run, where anything but GET, LIST and WATCH was sent without ``--apply`` (dry runs:
``--server-dry-run``), except for the SelfSubjectAccessReviews of ``bind``. The proxies know the command behind each
request, which a server's audit log does not: so it is they who are asked, and no audit log.
"""

import os
import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import controlplane
from tests.live.controlplane import ControlPlane
from tests.live.ledger import LEDGER
from tests.live.recorder import Recorder, Secured

with warnings.catch_warnings():  # typer imports names that click has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    import kplan.cli.main as commands

commands.main = LEDGER.watched(commands.main)  # before any test module takes it
ControlPlane.front = Recorder.before  # type: ignore[assignment]
ssl.SSLContext.sslsocket_class = Secured  # of whoever connects in this process: kplan, proxies, the tests themselves

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these tests out unless they are named: they need binaries and some minutes (make test-live)."""
    named = [Path(arg.split("::")[0]).resolve() for arg in config.args]
    return None if any(path.is_relative_to(HERE) for path in named) else True


@pytest.fixture(autouse=True)
def only_what_was_allowed_is_sent() -> Iterator[None]:
    """Name the test in which a command sent what it may not."""
    before = len(LEDGER.offences)
    yield
    assert LEDGER.offences[before:] == []


@pytest.fixture(scope="session", autouse=True)
def nothing_else_was_sent_in_the_whole_run() -> Iterator[None]:
    """Fail the run for whatever was sent between the tests or after them, too."""
    yield
    assert LEDGER.offences == []


def need_assets() -> None:
    if not controlplane.have_assets():
        message = "no kube-apiserver: run tests/live/build.sh first"
        if os.environ.get("KPLAN_REQUIRE_LIVE"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session")
def server() -> Iterator[ControlPlane]:
    """A small cluster with something of everything that scheduling reads."""
    need_assets()
    with ControlPlane() as running:
        fill(running)
        yield running


@pytest.fixture(scope="session")
def other_server() -> Iterator[ControlPlane]:
    """Another one, under another certificate; without a watch cache its lists come straight from etcd.

    It has devices only in an old version, and groups of pods.
    """
    need_assets()
    old = {"resource.k8s.io/v1": False, "resource.k8s.io/v1beta1": True, "scheduling.k8s.io/v1beta1": True}
    with ControlPlane(
        apiserver_args=["--watch-cache=false"], runtime_config=old, feature_gates={"GenericWorkload": True}
    ) as running:
        for i in range(6):
            running.post(PODS, pod(f"p-{i}"))
        yield running


PODS = "/api/v1/namespaces/default/pods"


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "registry.example/app:1",
        "resources": {"requests": {"cpu": cpu}},
        "env": [{"name": "PASSWORD", "value": "do-not-tell"}],
    }
    labels = {"app": name.split("-")[0]}
    annotations = {"note": "do-not-tell"}
    return {
        "metadata": {"name": name, "labels": labels, "annotations": annotations},
        "spec": {"containers": [container], **spec},
    }


def fill(running: ControlPlane) -> None:
    for i in range(6):
        zone = {"topology.kubernetes.io/zone": f"zone-{'ab'[i % 2]}", "example.com/rack": f"r{i // 2}"}
        running.add_node(f"node-{i}", cpu="4", labels=zone, taints=[{"key": "gpu", "effect": "NoSchedule"}][: i == 5])
    running.create_namespace("shop", {"team": "red"})
    running.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1000})
    running.post(
        "/apis/storage.k8s.io/v1/storageclasses",
        {"metadata": {"name": "slow"}, "provisioner": "x.example", "volumeBindingMode": "WaitForFirstConsumer"},
    )
    running.post(
        "/api/v1/persistentvolumes",
        {
            "metadata": {"name": "pv-1"},
            "spec": {
                "capacity": {"storage": "5Gi"},
                "accessModes": ["ReadWriteOnce"],
                "local": {"path": "/mnt/1"},
                "storageClassName": "slow",
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]}
                                ]
                            }
                        ]
                    }
                },
            },
        },
    )
    running.patch("/api/v1/persistentvolumes/pv-1/status", {"status": {"phase": "Available"}})
    running.post(
        "/api/v1/namespaces/default/persistentvolumeclaims",
        {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "slow",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        },
    )
    running.post(
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        {"metadata": {"name": "web"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}},
    )
    running.post(
        "/api/v1/namespaces/default/services",
        {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
    )
    storage = "/apis/storage.k8s.io/v1"
    driver = {"name": "x.example", "nodeID": "node-2", "allocatable": {"count": 9}}
    running.post(f"{storage}/csinodes", {"metadata": {"name": "node-2"}, "spec": {"drivers": [driver]}})
    running.post(f"{storage}/csidrivers", {"metadata": {"name": "x.example"}, "spec": {"storageCapacity": False}})
    attached = {"attacher": "x.example", "nodeName": "node-1", "source": {"persistentVolumeName": "pv-1"}}
    running.post(f"{storage}/volumeattachments", {"metadata": {"name": "attached-1"}, "spec": attached})
    devices = "/apis/resource.k8s.io/v1"
    by_driver = [{"cel": {"expression": "device.driver == 'gpu.example'"}}]
    running.post(f"{devices}/deviceclasses", {"metadata": {"name": "gpu"}, "spec": {"selectors": by_driver}})
    offered = {
        "driver": "gpu.example",
        "pool": {"name": "node-2", "generation": 1, "resourceSliceCount": 1},
        "nodeName": "node-2",
        "devices": [{"name": "gpu-0", "attributes": {"model": {"string": "a100"}}}],
    }
    running.post(f"{devices}/resourceslices", {"metadata": {"name": "node-2-gpu"}, "spec": offered})
    running.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "c"}, "data": {"a": "do-not-tell"}})
    running.post("/api/v1/namespaces/default/secrets", {"metadata": {"name": "s"}, "stringData": {"a": "do-not-tell"}})
    for i in range(5):
        running.post(PODS, pod(f"web-{i}", cpu="3", nodeName=f"node-{i}"))
        running.set_pod_running("default", f"web-{i}")
    spread = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "new"}},
    }
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    running.post(PODS, pod("new-0", topologySpreadConstraints=[spread]))
    running.post(PODS, pod("new-1", cpu="2", priorityClassName="high"))
    running.post(PODS, pod("new-2", cpu="500m", volumes=[claim]))
    running.post(PODS, pod("new-3", nodeSelector={"example.com/rack": "r9"}))
    running.post("/api/v1/namespaces/shop/pods", pod("till-0", cpu="9"))
