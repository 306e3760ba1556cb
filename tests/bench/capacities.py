"""``kplan capacity`` beside cluster-capacity, asked of the same API server: what each answers, and its seconds of CPU.

    tests/live/build.sh
    go build -mod=vendor -o cluster-capacity ./cmd/cluster-capacity    # in kubernetes-sigs/cluster-capacity
    python -m tests.bench.capacities ./cluster-capacity [--nodes 1000]

cluster-capacity copies the objects of a live cluster and lets the real scheduler place one pod after the other. Half of
each node is taken before, so both have as many pods to place as there are cores left.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.live.conftest import PODS, pod
from tests.live.controlplane import ControlPlane
from tests.live.test_crowd import node, spread_over_threads

NODES = 1_000
EACH = 4
"""Pods that run on each node; as many more fit."""


class Answer(NamedTuple):
    """What one of the two said.

    Attributes:
        pods: how many fit.
        seconds: of CPU.
    """

    pods: int
    seconds: float


def compared(program: Path, nodes: int = NODES) -> tuple[Answer, Answer]:
    """Ask kplan, then cluster-capacity."""
    everywhere = [{"operator": "Exists"}]  # nodes without a kubelet have the taint of one that is not ready
    asked = {"apiVersion": "v1", "kind": "Pod", **pod("more", tolerations=everywhere)}
    asked["metadata"]["namespace"] = "default"
    asked["spec"]["restartPolicy"] = "Always"
    asked["spec"]["dnsPolicy"] = "Default"
    asked["spec"]["terminationGracePeriodSeconds"] = 30
    for container in asked["spec"]["containers"]:
        container.update(imagePullPolicy="IfNotPresent", terminationMessagePolicy="FallbackToLogsOnError")
    flow = ["--enable-priority-and-fairness=false", "--max-mutating-requests-inflight=0"]
    with ControlPlane(audit=False, apiserver_args=flow) as running, tempfile.TemporaryDirectory() as folder:
        spread_over_threads(running, "/api/v1/nodes", [node(i) for i in range(nodes)])
        bodies = [
            pod(f"web-{i:05}", nodeName=f"node-{i % nodes:04}", tolerations=everywhere) for i in range(EACH * nodes)
        ]
        spread_over_threads(running, PODS, bodies)
        manifest = Path(folder) / "pod.json"
        manifest.write_text(json.dumps(asked))
        server = ("--kubeconfig", str(running.kubeconfig))
        told, mine = _run([sys.executable, "-m", "kplan", "capacity", "-f", str(manifest), *server, "-o", "json"])
        sets = json.loads(told)["sets"]
        told, real = _run([str(program), "--podspec", str(manifest), *server, "-o", "json"])
        told = told[told.find("\n{") + 1 :]  # its version stands before, in braces, too
        return Answer(sets, mine), Answer(json.loads(told)["status"]["replicas"], real)


def _run(words: Sequence[str]) -> tuple[str, float]:
    """What a process says, and its seconds of CPU."""
    with tempfile.TemporaryFile("w+") as faults:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=faults, text=True)
        assert process.stdout is not None
        with process.stdout:
            told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        faults.seek(0)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{words[0]}: exit code {process.returncode}: {told[:500]}{faults.read(500)}")
    return told, usage.ru_utime + usage.ru_stime


def main(argv: Sequence[str] | None = None) -> None:
    """Print both answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--nodes", type=int, default=NODES)
    args = parser.parse_args(argv)
    for name, answer in zip(("kplan", "cluster-capacity"), compared(args.program, args.nodes), strict=True):
        sys.stdout.write(f"{name}: {answer.pods:,} pods, {answer.seconds:.2f} s of CPU\n")


if __name__ == "__main__":
    main()
