"""Manifests of tests landing on clusters of tests: as documents, and as the terminal would show them."""

from pathlib import Path
from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.render.text import Style
from kplan.render.text.plan import simulation
from kplan.result.document_plan import RolloutPlan, SimulationPlan
from kplan.studies.origin import origin, version_of
from kplan.studies.simulate import SimulateOptions, simulate_pods
from kplan.studies.simulate.landing import land
from tests.builders import make, pod


def landed(
    manifest: str, folder: Path, objects: list[Object], *, version: str = "1.37", taken: str = "", **asked: Any
) -> SimulationPlan:
    """Plan a manifest, and the pods that wait before it."""
    file = folder / "it.yaml"
    file.write_text(manifest)
    state = ClusterState.of(objects, source="made-up.json", taken=taken)
    scheduler = kplan.Scheduler.of(version)
    found = land(state, [str(file)], scheduler.request_rules, asked.pop("namespace", ""))
    planner = scheduler.planner(found.state, everything=False)
    theirs = [planner.cluster.pods[planner.cluster.pod_index[key]] for key in found.pods]
    mine = [item for item in planner.waiting() if item.key not in found.pods]
    options = SimulateOptions(
        notes=found.notes, change=found.change, landed=len(theirs), fleets=found.fleets, ledger=found.ledger
    )
    about = origin(state, scheduler.features, *version_of(state, version))
    return simulate_pods(planner, [*mine, *theirs], about, options)


def text(document: SimulationPlan, **style: Any) -> str:
    return simulation(document, Style(**style))


def moves(rollout: RolloutPlan) -> list[str]:
    """Steps in a line each: ``db-2 n-1 -db-1``; pods with names of a random suffix are ``new``."""
    told = []
    for step in rollout.steps:
        name = step.pod.rpartition("/")[2]
        if (name and not name[-1].isdecimal()) or "sts/" not in rollout.workload:
            name = "new" if name else ""
        where = f"{name} {step.node or step.result}" if name else ""
        leaves = [f"-{one.pod.rpartition('/')[2]}" for one in step.leaves]
        told.append(" ".join(filter(None, [where, *leaves])))
    return told


def workload(kind: str, name: str, template: dict[str, Any], **spec: Any) -> Object:
    """A workload that runs, with uid ``its-uid`` and selector ``app: NAME``."""
    labels = {"app": name}
    body = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": template},
        **spec,
    }
    return make(kind, name, namespace="default", metadata={"uid": f"{name}-uid"}, spec=body)


def member(name: str, owner: str, on: str = "", *, cpu: str = "1", ready: bool = True, **more: Any) -> Object:
    """A pod of a workload that runs."""
    kind, _, of = owner.partition("/")
    status = {
        "phase": "Running" if on else "Pending",
        "conditions": [{"type": "Ready", "status": "True" if ready else "False"}] if on else [],
        **more.pop("status", {}),
    }
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": of, "uid": f"{of}-uid", "controller": True}
    metadata = {"ownerReferences": [reference], **more.pop("metadata", {})}
    labels = {"app": of, **more.pop("labels", {})}
    return pod(name, node=on, requests={"cpu": cpu}, labels=labels, status=status, metadata=metadata, **more)


def main_container(cpu: str) -> dict[str, Any]:
    """A pod spec of one container."""
    return {"containers": [{"name": "main", "image": "m:1", "resources": {"requests": {"cpu": cpu}}}]}
