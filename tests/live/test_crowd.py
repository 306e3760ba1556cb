"""5,000 nodes and 20,000 pods, through paging."""

import json
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import IO, Any

import pytest

from kplan.sources import load as load_files
from kplan.sources.live import read
from kplan.sources.snapshot import write_snapshot
from tests.live.conftest import PODS, need_assets, pod
from tests.live.controlplane import ControlPlane
from tests.live.plans import plans

NODES, PODS_RUNNING, PODS_WAITING = 5_000, 19_990, 10
THREADS = 8
AT_ONCE = 25


def node(i: int) -> dict[str, Any]:
    name = f"node-{i:04}"
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{'abc'[i % 3]}"}
    return {"metadata": {"name": name, "labels": labels}, "status": {"capacity": amounts, "allocatable": amounts}}


def create(server: ControlPlane, path: str, bodies: list[dict[str, Any]]) -> None:
    """Create objects over one connection, many requests at a time: HTTP/1.1 answers in the order of the requests."""
    trust = ssl.create_default_context(cafile=str(server.ca_file))
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.tokens['admin']}\r\n"
        "Content-Type: application/json\r\n"
        "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n"
    )
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=60) as plain,
        trust.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
        connection.makefile("rb") as answers,
    ):
        for i in range(0, len(bodies), AT_ONCE):
            texts = [json.dumps(body).encode() for body in bodies[i : i + AT_ONCE]]
            connection.sendall(b"".join(b"%sContent-Length: %d\r\n\r\n%s" % (head.encode(), len(t), t) for t in texts))
            for _ in texts:
                created(answers)


def created(answers: IO[bytes]) -> None:
    """Read one answer, which must be 201."""
    status = answers.readline()
    size = 0
    while line := answers.readline().strip():
        name, _, value = line.partition(b":")
        size = int(value) if name.lower() == b"content-length" else size
    text = answers.read(size)
    assert b" 201 " in status, status + text


def spread_over_threads(server: ControlPlane, path: str, bodies: list[dict[str, Any]]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(create, server, path, bodies[i::THREADS]) for i in range(THREADS)]:
            done.result()


@pytest.fixture(scope="module")
def crowd() -> Iterator[ControlPlane]:
    need_assets()
    flow = ["--enable-priority-and-fairness=false", "--max-mutating-requests-inflight=0"]
    with ControlPlane(audit=False, apiserver_args=flow) as running:
        spread_over_threads(running, "/api/v1/nodes", [node(i) for i in range(NODES)])
        everywhere = [{"operator": "Exists"}]
        bodies = [
            pod(f"web-{i:05}", nodeName=f"node-{i % NODES:04}", tolerations=everywhere) for i in range(PODS_RUNNING)
        ]
        bodies += [pod(f"new-{i:02}", tolerations=everywhere) for i in range(PODS_WAITING)]
        spread_over_threads(running, PODS, bodies)
        yield running


def test_all_of_them_are_read_and_planned_as_from_a_snapshot(crowd: ControlPlane, tmp_path: Path) -> None:
    pages: list[tuple[str, int, int | None]] = []
    began = perf_counter()
    state = read(kubeconfig=str(crowd.kubeconfig), progress=lambda *page: pages.append(page))
    print(f"read in {perf_counter() - began:.1f} s")
    assert (len(state.nodes), len(state.pods)) == (NODES, PODS_RUNNING + PODS_WAITING)
    assert [p.name for p in state.pods[:PODS_WAITING]] == [f"new-{i:02}" for i in range(PODS_WAITING)]
    assert len([page for page in pages if page[0] == "nodes"]) == 10
    assert len([page for page in pages if page[0] == "pods"]) == 40
    write_snapshot(state, tmp_path / "crowd.json.gz")
    assert plans(load_files(tmp_path / "crowd.json.gz")) == plans(state)
