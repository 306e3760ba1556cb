"""Audit: recorded texts held against kplan's, and why they differ."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import kplan
from kplan.framework.fit_error import read
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.plugins.shared.reason_texts import unknown_reasons
from kplan.render.text.audit import audit_report
from kplan.render.text.style import Style
from kplan.result.document_audit import AuditReport
from kplan.studies.explain.audit import audit
from kplan.studies.origin import origin, version_of
from tests.builders import node, pod

SINCE = "2026-11-01T10:00:00Z"


def refused(name: str, message: str, **more: Any) -> Object:
    one = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return pod(name, status={"conditions": [{**one, "lastTransitionTime": SINCE}]}, **more)


def planner(objects: list[Object], version: str) -> Planner:
    return kplan.Scheduler.of(version).planner(ClusterState.of(objects))


def report(objects: list[Object], version: str = "1.37") -> AuditReport:
    made = planner(objects, version)
    state = made.cluster.state
    minors = [minor for minor in (34, 35, 36, 37) if version != f"1.{minor}"]
    others: dict[int, Callable[[], Planner]] = {minor: partial(planner, objects, f"1.{minor}") for minor in minors}
    where = origin(state, kplan.Scheduler.of(version).features, *version_of(state, version))
    return audit(made, made.waiting(), where, (), others)


def text_of(objects: list[Object], version: str = "1.37") -> str:
    made = planner(objects, version)
    return made.explain(made.waiting()[0]).fit_error


SMALL = node("small", cpu="1")
LARGE = {"requests": {"cpu": "2"}}


def test_a_text_that_is_the_same_is_equal() -> None:
    said = text_of([SMALL, pod("web", **LARGE)])
    found = report([SMALL, refused("web", said, **LARGE), pod("new", **LARGE)])
    assert (found.verdict, found.audited, found.equal, found.unrecorded) == ("EQUAL", 1, 1, 1)
    assert found.sentence == "1 of 1 recorded message is equal, word for word; 1 waiting pod has none"
    assert (found.because, found.reasons) == (None, {})


def test_nothing_is_audited_where_nothing_was_recorded() -> None:
    assert report([SMALL, pod("new", **LARGE)]).verdict == "NOTHING"


def only(found: AuditReport) -> tuple[str, str, tuple[str, ...]]:
    [one] = found.pods
    assert found.verdict == "DIFFERS"
    assert one.because is not None
    assert found.reasons == {one.because.code: 1}
    return one.because.code, one.because.text, one.differences


def test_a_pod_that_fits_now() -> None:
    young = node("young")
    young.metadata.creation_timestamp = "2026-11-01T11:00:00Z"
    found = report([SMALL, young, refused("web", text_of([SMALL, pod("web", **LARGE)]), **LARGE)])
    code, why, lines = only(found)
    assert code == "fits-now"
    assert why == (
        "it fits now: the state has changed since (1 node then, 2 now; young came after it was first refused)"
    )
    assert lines == ("nodes: 1 recorded, 2 now",)


def test_reasons_that_hold_for_other_nodes() -> None:
    said = text_of([SMALL, node("other", taints=["a:NoSchedule"]), pod("web", **LARGE)])
    now = [SMALL, node("other", cpu="1"), refused("web", said, **LARGE)]
    code, why, lines = only(report(now))
    assert (code, why) == ("state-changed", "the state has changed since")
    assert lines == ("Insufficient cpu: 1 recorded, 2 now", "node(s) had untolerated taint(s): 1 recorded, 0 now")


def test_a_text_of_another_version() -> None:
    tainted = [node("a", taints=["x=y:NoSchedule"]), pod("web")]
    said = text_of(tainted, "1.36")
    assert "no new claims to deallocate" in said
    code, why, _ = only(report([tainted[0], refused("web", said)]))
    assert code == "other-version"
    rules = "the rules of 1.34, 1.35 and 1.36 say it word for word"
    assert why == f"{rules}: the scheduler is of another version (--k8s-version)"


def test_a_reason_of_a_plugin_that_the_profile_does_not_run() -> None:
    code, why, _ = only(report([SMALL, refused("web", "0/1 nodes are available: 1 node(s) had no licence.", **LARGE)]))
    assert code == "other-configuration"
    assert "no plugin of kube-scheduler says 'node(s) had no licence'" in why


def test_any_node_of_a_tie_may_have_been_drawn() -> None:
    here = [node("a", cpu="2"), node("b", cpu="2"), *(pod(f"p{on}", node=on, **LARGE) for on in "ab")]
    said = "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node b, "
    assert report([*here, refused("web", f"{said}preempting 1 victims", priority=9, **LARGE)]).verdict == "EQUAL"
    assert report([*here, refused("web", f"{said}preempting 2 victims", priority=9, **LARGE)]).verdict == "DIFFERS"


def test_only_preemption_differs() -> None:
    said = text_of([SMALL, pod("web", **LARGE)])
    assert said.endswith("preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.")
    other = said.replace("Preemption is not helpful for scheduling", "No preemption victims found for incoming pod")
    code, _, [line] = only(report([SMALL, refused("web", other, **LARGE)]))
    assert code == "preemption"
    assert line.startswith("preemption: recorded 'preemption: 0/1 nodes are available: 1 No preemption victims")


def test_what_differs_is_shown_first_and_as_a_whole_when_asked() -> None:
    found = report([SMALL, refused("web", "0/3 nodes are available: 3 Insufficient cpu.", **LARGE)])
    told = audit_report(found, Style())
    assert told.startswith("DIFFERS  0 of 1 recorded message is equal, word for word\n")
    assert "Differs  default/web" in told
    assert "recorded: 0/3" not in told
    assert "recorded: 0/3" in audit_report(found, Style(wide=True))


@pytest.mark.parametrize(
    ("message", "nodes", "reasons"),
    [
        (
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 x.",
            1,
            {"Insufficient cpu": 1},
        ),
        (
            "0/12 nodes are available: 10 Too many pods, 2 node(s) were unschedulable.",
            12,
            {"Too many pods": 10, "node(s) were unschedulable": 2},
        ),
        (
            '0/3 nodes are available: persistentvolumeclaim "x" not found.',
            3,
            {'persistentvolumeclaim "x" not found': 0},
        ),
    ],
)
def test_a_text_is_read(message: str, nodes: int, reasons: dict[str, int]) -> None:
    found = read(message)
    assert found is not None
    assert (found.nodes, dict(found.reasons)) == (nodes, reasons)
    assert unknown_reasons(message) == ()


def test_a_text_of_a_scheduler_that_is_older_than_all_rules() -> None:
    said = "0/1 nodes are available: 1 node(s) had taint {x: y}, that the pod didn't tolerate."
    code, why, _ = only(report([node("a", taints=["x=y:NoSchedule"]), refused("web", said)]))
    assert (code, why) == (
        "other-version",
        "its reasons are those of a scheduler older than 1.34, the oldest that kplan knows",
    )
