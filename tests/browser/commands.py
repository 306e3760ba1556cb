"""A page of every command, as the command writes it: over six nodes in three zones, and over 2,000 nodes."""

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from kplan.cli.main import main
from tests.cli import snapshots
from tests.render import sample

SMALL = {
    "nodes": ["nodes"],
    "explain node": ["explain", "node", "node-d"],
    "explain pod": ["explain", "pod", "small", "-n", "shop"],
    "explain pods": ["explain", "pod", "-A"],
    "simulate": ["simulate"],
    "simulate, what-ifs": [
        "simulate",
        "web.yaml",
        "--drain",
        "node-b",
        "--cordon",
        "node-d",
        "--add-node",
        "like=node-f",
    ],
    "capacity": ["capacity", "deploy/web", "-n", "shop", "--replicas", "12"],
    "capacity, growth": ["capacity", "deploy/web", "-n", "shop", "--replicas", "20", "--node", "like=node-f"],
    "capacity, shapes": ["capacity", "--shapes", "shapes.yaml"],
    "drain": ["drain", "node-a"],
    "drain, found": ["drain", "--find"],
    "drain, rolling": ["drain", "node-a", "node-b", "--rolling"],
    "fail": ["fail", "node-a"],
    "fail, each zone": ["fail", "--each", "zone"],
    "fail, each node": ["fail", "--each", "node"],
    "check": ["check", "web.yaml", "--survive", "zone", "--require-zones", "2", "--no-preemption"],
    "diff": ["diff", "other.json"],
    "bind": ["bind", "-A", "--snapshot", "six.json"],
    "plugins": ["plugins"],
    "config": ["config", "--config", "sched.yaml", "--feature-gates", "GenericWorkload=true"],
    "config migrate": ["config", "migrate", "policy.json"],
}
"""Commands over six nodes."""
LARGE = {
    "nodes": ["nodes"],
    "explain node": ["explain", "node", "node-0003"],
    "explain pod": ["explain", "pod", "gpu-0", "-n", "ml"],
    "explain pods": ["explain", "pod", "-A"],
    "simulate": ["simulate"],
    "capacity": ["capacity", "deploy/web", "-n", "shop", "--replicas", "30"],
    "drain": ["drain", "node-0000", "node-0002"],
    "fail": ["fail", "node-0000", "node-0002"],
    "check": ["check", "web.yaml", "--headroom", "10%"],
    "diff": ["diff", "other.json"],
    "bind": ["bind", "-A", "--snapshot", "2000.json"],
}
"""Commands over 2,000 nodes."""
NODES = 2000
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"minAvailable": 3, "selector": {"matchLabels": {"app": "web"}}},
}
SCHEDULER = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 7}, {"name": "Own"}]}}}],
    "extenders": [{"urlPrefix": "http://127.0.0.1:8888/extend", "filterVerb": "filter", "weight": 1}],
}
POLICY = {
    "kind": "Policy",
    "apiVersion": "v1",
    "predicates": [
        {"name": "CheckNodeDiskPressure"},
        {"name": "zoned", "argument": {"labelsPresence": {"labels": ["zone"], "presence": True}}},
    ],
    "priorities": [{"name": "MostRequestedPriority", "weight": 2}],
}
ALONE = ("bind", "plugins", "config")
"""Commands that name their source themselves, or have none."""


@cache
def folder() -> Path:
    """The files that the commands read."""
    made = Path(mkdtemp(prefix="kplan-pages-"))
    small = sample.cluster()
    small["items"] += [*_waiting(), BUDGET]
    _write(made / "six.json", small["items"])
    _write(made / "other.json", [item for item in small["items"] if not _of(item, "node-f")])
    (made / "web.yaml").write_text(sample.WEB.format(cpu="1500m"))
    (made / "shapes.yaml").write_text("shapes:\n- {name: small, cpu: 500m}\n- {name: gpu, nvidia.com/gpu: 1}\n")
    (made / "sched.yaml").write_text(json.dumps(SCHEDULER))
    (made / "policy.json").write_text(json.dumps(POLICY))
    return made


@cache
def large_folder() -> Path:
    """The same names, with 2,000 nodes."""
    made = Path(mkdtemp(prefix="kplan-pages-"))
    items = [*map(_large_node, range(NODES)), *_running(), *_waiting()]
    _write(made / "2000.json", items)
    _write(made / "other.json", [item for item in items if not _of(item, "node-0002")])
    (made / "web.yaml").write_text(sample.WEB.format(cpu="1500m"))
    return made


@cache
def small(name: str) -> str:
    """The page of one command over six nodes."""
    return _page(folder(), "six.json", SMALL[name])


@cache
def large(name: str) -> str:
    """The page of one command over 2,000 nodes."""
    return _page(large_folder(), "2000.json", LARGE[name])


def _page(where: Path, snapshot: str, command: list[str]) -> str:
    source = [] if command[0] in ALONE else ["--snapshot", snapshot]
    with contextlib.chdir(where), contextlib.redirect_stderr(io.StringIO()):
        code = main([*command, *source, "-o", "html=page.html"])
        assert code in (0, 1, 3, 4), (code, command)
        return Path("page.html").read_text(encoding="utf-8")


def _write(path: Path, items: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def _of(item: dict[str, Any], node: str) -> bool:
    """Whether something is a node, or on it."""
    return node in (item["metadata"]["name"], item.get("spec", {}).get("nodeName"))


def _waiting() -> list[dict[str, Any]]:
    """Pods that wait: some fit, some fit nowhere for two causes, one is gated, one evicts."""
    wants = {"nodeSelector": {"disktype": "nvme"}}
    gates = {"schedulingGates": [{"name": "example.com/wait"}]}
    items = [
        *(snapshots.owned(snapshots.pod(f"gpu-{i}", "64", "ml"), "Job", "gpu") for i in range(3)),
        *(snapshots.owned(snapshots.pod(f"nvme-{i}", "1", "ml", **wants), "Job", "nvme") for i in range(2)),
        snapshots.pod("small", "500m", "shop"),
        snapshots.pod("gated", "500m", "shop", **gates),
        snapshots.pod("urgent", "3500m", "shop", priority=1000),
    ]
    return [{**item, "status": {"phase": "Pending"}} for item in items]


def _large_node(number: int) -> dict[str, Any]:
    made = snapshots.node(f"node-{number:04d}", cpu="4" if number % 10 else "16")
    made["metadata"]["labels"] |= {
        "topology.kubernetes.io/zone": f"zone-{'abc'[number % 3]}",
        "pool": "large" if number % 10 == 0 else "small",
    }
    if number % 40 == 7:
        made["spec"]["unschedulable"] = True
    return made


def _running() -> list[dict[str, Any]]:
    """A Deployment with a pod on each of 20 nodes, and pods that nothing owns and that fill every other node."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web"}]}}
    selector = {"matchLabels": {"app": "web"}}
    spec = {"replicas": 20, "selector": selector, "template": template}
    about = {"namespace": "shop", "uid": "web"}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", **about}, "spec": spec}
    owner = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web", "controller": True}]
    replica_set = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "web-1", "ownerReferences": owner},
        "spec": spec,
    }
    pods = []
    for i in range(20):
        pod = snapshots.owned(snapshots.pod(f"web-1-{i}", "1", "shop", on=f"node-{i:04d}"), "ReplicaSet", "web-1")
        pod["metadata"]["labels"] = {"app": "web"}
        pods.append(pod)
    pods += [snapshots.pod(f"old-{i}", "2500m", "batch", on=f"node-{i:04d}") for i in range(1, NODES, 2)]
    return [deployment, replica_set, *pods]
