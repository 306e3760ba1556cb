"""The shared sample: one cluster, one pull request, one policy, one baseline; every format has a golden of it.

    python -m tests.render.sample          write the goldens again (look at what changes)

Six nodes in three zones. The pull request raises the cpu request of shop/web, so that its rollout stalls, and adds a
Job that fits. shop/db cannot move to another zone, with the change and without it.
"""

import contextlib
import json
import re
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kplan.cli.check import CheckAsked, answer
from kplan.cli.options import Rules, Source
from kplan.cli.output import formats as made
from kplan.cli.session import open_session
from kplan.objects.kinds import KINDS
from kplan.render.text import Style
from kplan.render.text.check import result
from kplan.result.document_check import CheckResult
from kplan.studies.check.policy import read_policy

GOLDENS = Path(__file__).with_name("golden") / "check"
NOW = datetime(2026, 5, 12, 11, 30, tzinfo=UTC)
TAKEN_AT = "2026-05-11T09:00:00Z"
FORMATS = ("text", "wide", "json", "yaml", "markdown", "junit", "sarif", "github", "codeclimate", "name", "html")
ZONES = {"node-a": "a", "node-b": "a", "node-c": "b", "node-d": "b", "node-e": "c", "node-f": "c"}

WEB = """\
apiVersion: v1
kind: Service
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{app: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop, labels: {{app: web}}}}
spec:
  replicas: 4
  selector: {{matchLabels: {{app: web}}}}
  strategy: {{rollingUpdate: {{maxSurge: 1, maxUnavailable: 0}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
        - name: web
          image: example.invalid/web:2
          resources: {{requests: {{cpu: {cpu}, memory: 1Gi}}}}
"""
REPORT = """\
apiVersion: batch/v1
kind: Job
metadata: {name: report, namespace: batch}
spec:
  completions: 3
  parallelism: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: report
          image: example.invalid/report:1
          resources: {requests: {cpu: 300m, memory: 256Mi}}
"""
POLICY = """\
no-preemption: true
require-zones: 2
survive: zone
quota: true
max-age: 7d
"""


def cluster() -> dict[str, Any]:
    """The cluster as a snapshot of kplan records it."""
    items = [*map(_node, ZONES), *_workloads(), _quota()]
    items += [_named("Namespace", name) for name in ("shop", "batch", "kube-system")]
    annotations = {
        "kplan.dev/server-version": "v1.37.2",
        "kplan.dev/taken": TAKEN_AT,
        "kplan.dev/kinds": ",".join(kind.name for kind in KINDS),
    }
    return {"apiVersion": "v1", "kind": "List", "metadata": {"annotations": annotations}, "items": items}


def _node(name: str) -> dict[str, Any]:
    amounts = {"cpu": "3920m", "memory": "15Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{ZONES[name]}"}
    return _named("Node", name, labels=labels) | {"status": {"allocatable": amounts, "capacity": amounts}}


def _named(kind: str, name: str, namespace: str = "", **metadata: Any) -> dict[str, Any]:
    space = {"namespace": namespace} if namespace else {}
    group = {"PersistentVolume": "v1", "DaemonSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicaSet": "apps/v1"}
    group |= {"Deployment": "apps/v1"}
    return {"apiVersion": group.get(kind, "v1"), "kind": kind, "metadata": {"name": name, **space, **metadata}}


def _owner(kind: str, name: str) -> list[dict[str, Any]]:
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}]


def _template(app: str, cpu: str, memory: str) -> dict[str, Any]:
    container = {
        "name": app,
        "image": f"example.invalid/{app}:1",
        "resources": {"requests": {"cpu": cpu, "memory": memory}},
    }
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container]}}


def _pod(name: str, owner: tuple[str, str], template: dict[str, Any], node: str, **spec: Any) -> dict[str, Any]:
    space = "kube-system" if owner[0] == "DaemonSet" else "shop"
    labels = dict(template["metadata"]["labels"])
    if owner[0] == "ReplicaSet":
        labels["pod-template-hash"] = owner[1].rpartition("-")[2]
    made = _named("Pod", name, space, labels=labels, ownerReferences=_owner(*owner))
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return made | {"spec": {**template["spec"], **spec, "nodeName": node}, "status": ready}


def _deployment(name: str, stamp: str, cpu: str, memory: str, nodes: str) -> list[dict[str, Any]]:
    template, size = _template(name, cpu, memory), len(nodes)
    selector = {"matchLabels": {"app": name}}
    replica_set = f"{name}-{stamp}"
    pods = [
        _pod(f"{replica_set}-{i}", ("ReplicaSet", replica_set), template, f"node-{n}") for i, n in enumerate(nodes, 1)
    ]
    stamped = {"labels": {"app": name, "pod-template-hash": stamp}}
    annotations = {"deployment.kubernetes.io/revision": "1"}
    about = {"ownerReferences": _owner("Deployment", name), "uid": replica_set, "annotations": annotations}
    return [
        _named("Deployment", name, "shop", uid=name, annotations=annotations)
        | {"spec": {"replicas": size, "selector": selector, "template": template}},
        _named("ReplicaSet", replica_set, "shop", **about)
        | {
            "spec": {
                "replicas": size,
                "selector": {"matchLabels": stamped["labels"]},
                "template": {**template, "metadata": stamped},
            }
        },
        *pods,
    ]


def _workloads() -> list[dict[str, Any]]:
    log, db = _template("log", "100m", "128Mi"), _template("db", "2400m", "8Gi")
    items = [_pod(f"log-{name[-1]}", ("DaemonSet", "log"), log, name) for name in ZONES]
    for i, n in enumerate("ace"):
        claim = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-db-{i}"}}]
        items.append(_pod(f"db-{i}", ("StatefulSet", "db"), db, f"node-{n}", volumes=claim))
        items += _volume(i, ZONES[f"node-{n}"])
    return [
        *items,
        *_deployment("web", "6d5f", "1", "1Gi", "abce"),
        *_deployment("cart", "77c4", "1200m", "1Gi", "bddf"),
    ]


def _volume(number: int, zone: str) -> list[dict[str, Any]]:
    size = {"storage": "10Gi"}
    expression = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [f"zone-{zone}"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    claim = f"data-db-{number}"
    volume = {
        "capacity": size,
        "accessModes": ["ReadWriteOnce"],
        "claimRef": {"namespace": "shop", "name": claim, "uid": claim},
        "nodeAffinity": affinity,
        "storageClassName": "zonal",
        "hostPath": {"path": f"/data/{number}"},
    }
    bound = {"pv.kubernetes.io/bind-completed": "yes"}
    return [
        _named("PersistentVolume", f"pv-{number}") | {"spec": volume, "status": {"phase": "Bound"}},
        _named("PersistentVolumeClaim", claim, "shop", uid=claim, annotations=bound)
        | {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": size},
                "storageClassName": "zonal",
                "volumeName": f"pv-{number}",
            },
            "status": {"phase": "Bound"},
        },
    ]


def _quota() -> dict[str, Any]:
    hard, used = {"requests.cpu": "20"}, {"requests.cpu": "16"}
    return _named("ResourceQuota", "compute", "shop") | {"spec": {"hard": hard}, "status": {"hard": hard, "used": used}}


def write() -> None:
    """Write the files of the sample below the working directory, the baseline among them."""
    for name, text in {
        "ci/prod-eu1.json": json.dumps(cluster()),
        "deploy/web.yaml": WEB.format(cpu="1"),
        "policy.yaml": POLICY,
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    Path("main.json").write_text(formats(checked())["json"]())
    Path("deploy/web.yaml").write_text(WEB.format(cpu="1500m"))
    Path("deploy/report.yaml").write_text(REPORT)


def document(folder: Path) -> CheckResult:
    """Make the sample in a folder, and check it there."""
    with contextlib.chdir(folder):
        write()
        return checked("main.json")


def checked(baseline: str = "") -> CheckResult:
    """Check the manifests that are there."""
    command = "kplan check deploy/ --snapshot ci/prod-eu1.json --policy policy.yaml"
    command += f" --baseline {baseline}" if baseline else ""
    asked = CheckAsked(["deploy/"], "", True, read_policy("policy.yaml"), baseline, command)
    return answer(open_session(Source("ci/prod-eu1.json"), Rules()), asked, NOW)


def formats(found: CheckResult) -> dict[str, Callable[[], str]]:
    """Every format of a check, made when it is called."""
    ready = dict(made(found, lambda wide: result(found, Style(wide=wide))))
    page = ready["html"]
    return {**ready, "html": lambda: without_looks(page())}


def without_looks(page: str) -> str:
    """What a page says: without its styles and scripts, and what allows them."""
    bare = re.sub(r"<style.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
    return re.sub(r"sha256-[\w+/=]+", "sha256-", bare)


def main() -> None:
    """Write the goldens again."""
    with tempfile.TemporaryDirectory() as folder:
        found = document(Path(folder))
    GOLDENS.mkdir(parents=True, exist_ok=True)
    for name in FORMATS:
        (GOLDENS / f"{name}.txt").write_text(formats(found)[name]())


if __name__ == "__main__":
    sys.exit(main())
