"""Calls of every command that writes HTML, about any cluster: its own nodes, pods and workloads are asked about."""

import contextlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import typer

from kplan.cli.app import app
from kplan.cli.main import main
from kplan.cli.options import Rules, Source
from kplan.cli.session import open_session

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: frontend, namespace: NAMESPACE}
spec:
  replicas: 4
  selector: {matchLabels: {app: frontend}}
  template:
    metadata: {labels: {app: frontend}}
    spec:
      containers: [{name: a, image: example.invalid/a, resources: {requests: {cpu: 400m, memory: 256Mi}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: training, namespace: NAMESPACE}
spec:
  completions: 2
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: example.invalid/a, resources: {requests: {cpu: "900"}}}]
"""
SHAPES = "shapes:\n- {name: small, cpu: 500m}\n- {name: large, cpu: 8, memory: 32Gi}\n"
SCHEDULER = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "plugins": {"score": {"disabled": [{"name": "ImageLocality"}]}},
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}},
                }
            ],
        }
    ],
}
POLICY = {"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "MostRequestedPriority", "weight": 2}]}
ZONE = "topology.kubernetes.io/zone"
OWNERS = {"deployments": "deploy", "stateful_sets": "sts"}
"""Lists of a state whose workloads are asked about, by what they are called on the command line."""


class Asked(NamedTuple):
    """Names of a cluster that questions are about; empty for what it does not have.

    Attributes:
        nodes: two nodes, those with the most pods.
        zone: a zone.
        pod: a pod that waits, or else one that runs.
        workload: as ``deploy/ns/name``.
        manifest: a file with a Deployment that may fit and a Job that is larger than any node.
    """

    nodes: tuple[str, ...]
    zone: str
    pod: str
    workload: str
    manifest: str = "frontend.yaml"


def asked(snapshot: Path) -> Asked:
    """Look what a cluster has."""
    state = open_session(Source(str(snapshot)), Rules()).state
    pods = Counter(pod.spec.node_name for pod in state.pods if pod.spec.node_name)
    nodes = sorted((node.metadata.name for node in state.nodes), key=lambda name: (-pods[name], name))
    zones = sorted({node.metadata.labels.get(ZONE, "") for node in state.nodes} - {""})
    waiting = [pod for pod in state.pods if not (pod.spec.node_name or pod.spec.scheduling_gates)] or list(state.pods)
    owners = [
        f"{word}/{one.metadata.namespace}/{one.metadata.name}"
        for field, word in OWNERS.items()
        for one in getattr(state, field)
    ]
    pod = waiting[0].metadata if waiting else None
    return Asked(
        tuple(nodes[:2]),
        zones[0] if zones else "",
        f"{pod.namespace}/{pod.name}" if pod else "",
        owners[0] if owners else "",
    )


def calls(about: Asked) -> dict[str, list[str]]:
    """Command lines by the name of their page; those that the cluster has nothing for are left out."""
    first, *_ = nodes = list(about.nodes)
    two = " ".join(nodes)
    made = {
        "nodes": "nodes",
        "nodes by zone": f"nodes --by {ZONE}" if about.zone else "",
        "explain node": f"explain node {first}",
        "explain pod": f"explain pod {about.pod} --scores all --victims all" if about.pod else "",
        "explain pods": "explain pod -A",
        "explain audit": "explain pod -A --audit",
        "simulate": "simulate",
        "simulate what-ifs": f"simulate {about.manifest} --drain {first} --add-node like={first}",
        "capacity": f"capacity {about.workload or about.manifest} --replicas 40 --node like={first}",
        "capacity shapes": "capacity --shapes shapes.yaml",
        "moves": f"moves {about.pod} --most 2" if about.pod else "",
        "pack": "pack",
        "drain": f"drain {first}",
        "drain rolling": f"drain {two} --rolling",
        "drain find": "drain --find",
        "fail": f"fail {first}",
        "fail zone": f"fail --zone {about.zone}" if about.zone else "",
        "fail each zone": "fail --each zone" if about.zone else "",
        "fail each node": "fail --each node",
        "sweep": "sweep -j 1",
        "check": f"check {about.manifest} --survive node --headroom 10%",
        "diff": "diff --b config=sched.yaml",
        "bind": "bind -A",
        "config": "config --config sched.yaml",
        "config migrate": "config migrate policy.json",
        "plugins": "plugins",
    }
    return {name: text.split() for name, text in made.items() if text}


def commands_with_pages() -> set[str]:
    """Commands that take ``-o html``, as the command line itself lists them: ``nodes``, ``explain pod``."""

    def walk(command: click.Command, path: str) -> Iterator[str]:
        for name, one in getattr(command, "commands", {}).items():
            yield from walk(one, f"{path} {name}".strip())
        if any(
            "--output" in option.opts and "html" in (getattr(option, "help", "") or "") for option in command.params
        ):
            yield path

    return set(walk(typer.main.get_command(app), ""))


def write_files(folder: Path, namespace: str) -> None:
    """Write what the calls read beside the cluster."""
    (folder / "frontend.yaml").write_text(MANIFEST.replace("NAMESPACE", namespace))
    (folder / "shapes.yaml").write_text(SHAPES)
    (folder / "sched.yaml").write_text(json.dumps(SCHEDULER))
    (folder / "policy.json").write_text(json.dumps(POLICY))


WITHOUT_CLUSTER = ("config", "plugins")


def write_page(call: list[str], snapshot: Path, folder: Path, file: str) -> tuple[int, str]:
    """Ask for one page; give the exit code and what was said beside it."""
    source = [] if call[0] in WITHOUT_CLUSTER else ["--snapshot", str(snapshot)]
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = main([*call, *source, "-o", f"html={file}"])
    return code, said.getvalue()
