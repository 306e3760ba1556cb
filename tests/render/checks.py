"""Documents of checks for tests of formats: keyword arguments for what a test is about, nothing else."""

from typing import Any

from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_check import (
    CheckDoubt,
    CheckedObject,
    CheckResult,
    CheckTotals,
    Finding,
    Recording,
)
from kplan.result.document_how_to import FieldChange
from kplan.result.document_plan import PlanTotals, SimulationPlan

EDIT = FieldChange(
    path="spec.template.spec.containers[0].resources.requests.cpu",
    old='"4"',
    new='"2"',
    file="web.yaml",
    line=31,
    column=18,
)
ORIGIN = Origin(source="c.json", nodes=3, pods=9, k8s_version="1.37.2", how="as recorded", rules="1.37.2")


def checked(name: str = "deploy/shop/web", status: str = "ok", **more: Any) -> CheckedObject:
    about = {"change": "new, 1 pod", "result": "placed: node-a", "changed": True, "file": "web.yaml", "line": 3}
    return CheckedObject(object=name, status=status, **(about | more))


def finding(rule: str = "does-not-fit", name: str = "deploy/shop/web", **more: Any) -> Finding:
    about = {"title": "its pod fits no node", "text": f"{name}: cpu", "file": "web.yaml", "line": 3}
    return Finding(rule=rule, object=name, **(about | more))


def doubt(code: str = "no-pods", **more: Any) -> CheckDoubt:
    return CheckDoubt(code=code, text=f"about {code}", **more)


def document(*objects: CheckedObject, **more: Any) -> CheckResult:
    findings = more.pop("findings", ())
    counted = [item for item in findings if item.counted]
    totals = PlanTotals(pods=0, placed=0, not_placed=0, gated=0)
    plan = SimulationPlan(
        api_version=API_VERSION, verdict="FITS", sentence="no pod waits", totals=totals, steps=(), origin=ORIGIN
    )
    about: dict[str, Any] = {
        "verdict": "FAILS" if counted else "PASSES",
        "sentence": "so it is",
        "because": Cause(code=counted[0].rule, text=counted[0].text) if counted else None,
        "totals": CheckTotals(
            objects=len(objects), failed=0, pods=0, placed=0, findings=len(findings), counted=len(counted)
        ),
        "recording": Recording(taken="2026-05-11T09:00:00Z", age_seconds=7200),
        "plan": plan,
        "origin": ORIGIN,
    }
    return CheckResult(api_version=API_VERSION, objects=objects, findings=tuple(findings), **(about | more))
