"""An HTTP extender that answers by its path and records what it was asked.

``/MODE-SEED/verb``: of each node a number is made from the seed and its name, the same every time. Modes:

- ``plain``: by its number a node is refused (in failedNodes, for good, or without a word) or passes; scores 0 to 10.
- ``all``: every node passes.   ``none``: every node is refused.   ``firm``: every node is refused for good.
- ``error``: the answer holds an error.   ``500``: the answer is one.   ``empty``: the answer is.
- ``odd``: it names a node that it was not asked about.   ``slow``: no answer within a second.
- ``lower``: as plain, with names of fields in lower case.
- ``half``: takes every second candidate of a preemption away.   ``one``: leaves the first victim alone.
- ``novictim``: leaves no victim.   ``stranger``: a victim that is not there.
"""

import json
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = tuple[str, str, tuple[str, ...]]
"""Path, pod and what it was about: names of nodes, or ``node: victims``."""


def number(seed: str, name: str) -> int:
    return zlib.crc32(f"{seed} {name}".encode())


class Extender(ThreadingHTTPServer):
    """The server; ``asked`` has each request, ``bodies`` what they were, ``headers`` of the last one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[Asked] = []
        self.bodies: list[dict[str, Any]] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class Handler(BaseHTTPRequestHandler):
    server: Extender

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, behaviour, verb = self.path.split("/")
        mode, _, seed = behaviour.partition("-")
        self.server.bodies.append(body)
        if verb == "bind":
            self._bind(mode, body)
            return
        self.server.asked.append((self.path, _key(body["Pod"]), _about(body)))
        if mode == "slow":
            time.sleep(1)
        if mode == "500":
            self.send_error(500)
            return
        answer = b"" if mode == "empty" else json.dumps(_answer(mode, seed, verb, body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _bind(self, mode: str, body: Any) -> None:
        """Say that it is done, or not; who binds is the test."""
        self.server.asked.append(
            (self.path, f"{body['PodNamespace']}/{body['PodName']}", (body["PodUID"], body["Node"]))
        )
        if mode == "500":
            self.send_error(500)
            return
        said = json.dumps({"Error": "no device left"} if mode == "error" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


def _key(pod: Any) -> str:
    return f"{pod['metadata'].get('namespace', '')}/{pod['metadata']['name']}"


def _names(body: Any) -> list[str]:
    if body.get("NodeNames") is not None:
        return list(body["NodeNames"])
    return [node["metadata"]["name"] for node in body["Nodes"].get("items") or ()]


def _about(body: Any) -> tuple[str, ...]:
    if "NodeNameToVictims" not in body:
        return tuple(sorted(_names(body)))
    if body["NodeNameToMetaVictims"] is not None:
        victims = {name: [one["UID"] for one in of["Pods"]] for name, of in body["NodeNameToMetaVictims"].items()}
    else:
        victims = {name: [_key(one) for one in of["Pods"]] for name, of in body["NodeNameToVictims"].items()}
    return tuple(sorted(f"{name}: {' '.join(sorted(pods))}" for name, pods in victims.items()))


def _answer(mode: str, seed: str, verb: str, body: Any) -> Any:
    if verb == "filter":
        return _filter(mode, seed, body)
    if verb == "prioritize":
        return [{"Host": name, "Score": number(f"{seed}s", name) % 11} for name in [*_names(body), "elsewhere"]]
    return _preempt(mode, seed, body)


def _filter(mode: str, seed: str, body: Any) -> Any:
    if mode == "error":
        return {"Error": f"extender {seed} is out of order"}
    passed, failed, firm = [], {}, {}
    for name in _names(body):
        kind = {"all": 9, "none": 0, "firm": 1}.get(mode, number(seed, name) % 6)
        if kind == 0:
            failed[name] = f"node(s) had no room by extender {seed}"
        elif kind == 1:
            firm[name] = f"node(s) refused for good by extender {seed}"
            failed[name] = "never told"
        elif kind != 2:
            passed.append(name)
    if mode == "odd":
        passed.append("elsewhere")
    found: dict[str, Any] = {"FailedNodes": failed, "FailedAndUnresolvableNodes": firm}
    if body.get("NodeNames") is not None:
        found["NodeNames"] = passed
    else:
        found["Nodes"] = {"items": [n for n in body["Nodes"].get("items") or () if n["metadata"]["name"] in passed]}
    return {key.lower(): value for key, value in found.items()} if mode == "lower" else found


def _preempt(mode: str, seed: str, body: Any) -> Any:
    if body["NodeNameToMetaVictims"] is not None:
        victims = {name: [one["UID"] for one in of["Pods"]] for name, of in body["NodeNameToMetaVictims"].items()}
    else:
        victims = {
            name: [one["metadata"].get("uid") or _key(one) for one in of["Pods"]]
            for name, of in body["NodeNameToVictims"].items()
        }
    left = {}
    for name, pods in victims.items():
        if mode == "half" and number(seed, name) % 2:
            continue
        if mode == "one":
            pods = sorted(pods)[:1]
        if mode == "novictim":
            pods = []
        if mode == "stranger":
            pods = ["nobody"]
        left[name] = {"Pods": [{"UID": uid} for uid in pods], "NumPDBViolations": 0}
    return {"NodeNameToMetaVictims": left}


@contextmanager
def extender() -> Iterator[Extender]:
    """Run a server while a block runs."""
    server = Extender()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
