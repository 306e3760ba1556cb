"""Check manifests of a test against a snapshot of a test."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kplan.cli.check import CheckAsked, answer
from kplan.cli.options import Rules, Source
from kplan.cli.session import open_session
from kplan.objects.kinds import KINDS
from kplan.render.data import to_json
from kplan.result.document_check import CheckResult, Finding
from kplan.studies.check.baseline import read_baseline
from kplan.studies.check.policy import policy

NOW = datetime(2026, 5, 12, 12, tzinfo=UTC)
GROUPS = {"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1"}
GROUPS |= {"Job": "batch/v1", "PodDisruptionBudget": "policy/v1", "PriorityClass": "scheduling.k8s.io/v1"}


def item(kind: str, name: str, namespace: str = "", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    return {"apiVersion": GROUPS.get(kind, "v1"), "kind": kind, "metadata": metadata, **fields}


def node(name: str, zone: str = "", cpu: str = "4", pool: str = "", **spec: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": name}
    labels |= {"topology.kubernetes.io/zone": zone} if zone else {}
    labels |= {"pool": pool} if pool else {}
    amounts = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    return item("Node", name, metadata={"labels": labels}, spec=spec, status={"allocatable": amounts})


def template(cpu: str, app: str = "web", **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "example.invalid/x:1", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container], **spec}}


def deployment(name: str, cpu: str, replicas: int = 1, **spec: Any) -> dict[str, Any]:
    body = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template(cpu, name, **spec)}
    return item("Deployment", name, "shop", spec=body)


def pod(name: str, on: str, cpu: str = "1", owner: str = "", **spec: Any) -> dict[str, Any]:
    """A pod that runs; ``owner`` as ``StatefulSet/db``."""
    made = item("Pod", name, "shop", spec={**template(cpu)["spec"], **spec}, status={"phase": "Running"})
    if on:
        made["spec"]["nodeName"] = on
    if owner:
        kind, _, of = owner.partition("/")
        reference = {"apiVersion": "apps/v1", "kind": kind, "name": of, "uid": of, "controller": True}
        made["metadata"]["ownerReferences"] = [reference]
    return made


def write(path: Path, *items: dict[str, Any], taken: str = "2026-05-12T10:00:00Z", whole: bool = True) -> str:
    """Write a snapshot; one that is not whole says nothing of kinds it does not hold."""
    annotations = {"kplan.dev/taken": taken, "kplan.dev/kinds": ",".join(kind.name for kind in KINDS) if whole else ""}
    known = {name: value for name, value in annotations.items() if value}
    body = {"apiVersion": "v1", "kind": "List", "metadata": {"annotations": known}, "items": list(items)}
    path.write_text(json.dumps(body))
    return str(path)


def check(
    folder: Path,
    cluster: list[dict[str, Any]],
    *manifests: dict[str, Any],
    baseline: CheckResult | None = None,
    own: bool = True,
    taken: str = "2026-05-12T10:00:00Z",
    whole: bool = True,
    **rules: Any,
) -> CheckResult:
    """Check manifests; rules by the names of a policy file, with ``_`` for ``-``."""
    snapshot = write(folder / "cluster.json", item("Namespace", "shop"), *cluster, taken=taken, whole=whole)
    file = folder / "deploy.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)}))
    main = ""
    if baseline is not None:
        main = str(folder / "main.json")
        Path(main).write_text(to_json(baseline))
        assert read_baseline(main) == baseline
    given = policy({name.replace("_", "-"): value for name, value in rules.items()})
    return answer(open_session(Source(snapshot), Rules()), CheckAsked([str(file)], "", own, given, main), NOW)


def counted(found: CheckResult) -> list[tuple[str, str]]:
    """Rule and object of what counts."""
    return [(finding.rule, finding.object) for finding in found.findings if finding.counted]


def uncounted(found: CheckResult) -> list[tuple[str, str, str]]:
    """Rule, object and reason of what does not count."""
    return [(finding.rule, finding.object, finding.why_not) for finding in found.findings if not finding.counted]


def only(found: CheckResult, rule: str) -> Finding:
    """The one finding of a rule."""
    [finding] = [finding for finding in found.findings if finding.rule == rule]
    return finding
