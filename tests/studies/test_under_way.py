"""Rollouts that are under way already: taken back, rescaled, stuck; steps by hand from the code of the controllers."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kplan.objects.models import Object
from tests.builders import make, node, pod
from tests.studies.rollouts import landed, main_container, moves, workload
from tests.studies.test_rollout import manifest

SURGE = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
NO_SURGE = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def replica_set(name: str, cpu: str, replicas: int, *, created: int, desired: int, most: int) -> Object:
    """A ReplicaSet of the Deployment ``web``."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web-uid", "controller": True}
    told = {"desired-replicas": desired, "max-replicas": most}
    metadata = {
        "uid": f"{name}-uid",
        "ownerReferences": [owner],
        "creationTimestamp": f"2026-09-0{created}T08:00:00Z",
        "annotations": {f"deployment.kubernetes.io/{key}": str(value) for key, value in told.items()},
    }
    template = {"metadata": {"labels": {"app": "web", "pod-template-hash": name}}, "spec": main_container(cpu)}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return make("ReplicaSet", name, namespace="default", metadata=metadata, spec=spec)


def member(name: str, owner: str, on: str, *, cpu: str = "1", ready: bool = True, **more: Any) -> Object:
    """A pod of a controller named ``Kind/name``; without a node it waits."""
    kind, _, of = owner.partition("/")
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": of, "uid": f"{of}-uid", "controller": True}
    metadata = {"ownerReferences": [reference], **more.pop("metadata", {})}
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}] if on else []
    status = {"phase": "Running" if on else "Pending", "conditions": conditions}
    labels = {"app": more.pop("app", "web"), **more.pop("labels", {})}
    containers = main_container(cpu)["containers"]
    return pod(name, node=on, containers=containers, labels=labels, status=status, metadata=metadata)


def stuck() -> list[Object]:
    """Three old pods of 1 cpu that serve, and one new pod of 3 cpu that fits on no node of 4."""
    rolling = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return [
        *(node(f"n-{number}", cpu="4") for number in range(3)),
        workload("Deployment", "web", main_container("4"), replicas=3, strategy=rolling),
        replica_set("web-old", "1", 3, created=1, desired=3, most=4),
        replica_set("web-new", "4", 1, created=2, desired=3, most=4),
        *(member(f"web-old-{number}", "ReplicaSet/web-old", f"n-{number}") for number in range(3)),
        member("web-new-0", "ReplicaSet/web-new", "", cpu="4"),
    ]  # fmt: skip


def test_a_rollout_that_is_taken_back_removes_the_new_pod_and_makes_none(tmp_path: Path) -> None:
    plan = landed(manifest("Deployment", "web", "1", "replicas: 3", SURGE), tmp_path, stuck())
    assert plan.verdict == "FITS"
    assert plan.sentence == (
        "the rollout of default/web goes through: 3 pods have the template already, web-new-0 leaves"
    )
    (rollout,) = plan.rollouts
    assert (moves(rollout), rollout.kept, rollout.done, rollout.old) == (["-web-new-0"], 3, 3, 0)


def test_the_same_manifest_again_changes_nothing_and_stays_stuck(tmp_path: Path) -> None:
    plan = landed(manifest("Deployment", "web", "4", "replicas: 3", SURGE), tmp_path, stuck())
    assert ([one.verdict for one in plan.change], plan.verdict) == (["continues"], "BLOCKED")
    (rollout,) = plan.rollouts
    assert (moves(rollout), rollout.stalled_by, rollout.stalled_at) == ([], "pod", "default/web-new-0")


def test_another_strategy_alone_lets_an_old_pod_leave_and_the_rollout_go_on(tmp_path: Path) -> None:
    plan = landed(manifest("Deployment", "web", "4", "replicas: 3", NO_SURGE), tmp_path, stuck())
    (change,) = plan.change
    assert change.verdict == "changed"
    assert change.note.startswith("maxUnavailable 0 -> 1, maxSurge 1 -> 0; 3 replicas")
    (rollout,) = plan.rollouts
    assert (plan.verdict, rollout.kept, rollout.done) == ("FITS", 1, 3)
    # one pod more than allowed is there, and three serve: one leaves at once, the pod that waits takes its node
    assert moves(rollout) == ["-web-old-0", "new n-0 -web-old-1", "new n-1 -web-old-2", "new n-2"]


@pytest.mark.parametrize(
    ("replicas", "then"),
    [
        # allowed then 12 + 3, there are 8 + 5: the larger set gets 8 * 15 / 13 = 9.2, so 1, the other what is left
        pytest.param(12, {"old": 9, "new": 6}, id="grown: each by its share, the larger one first"),
        # allowed then 5 + 2, there are 13: the older of two sets shrinks first, 8 * 7 / 13 = 4.3
        pytest.param(5, {"old": 4, "new": 3}, id="shrunk: each by its share"),
        pytest.param(0, {}, id="to none: all leave"),
    ],
)
def test_a_rollout_that_is_rescaled_on_its_way_keeps_its_proportions(
    replicas: int, then: dict[str, int], tmp_path: Path
) -> None:
    rolling = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    objects = [
        node("n-0", cpu="64"),
        workload("Deployment", "web", main_container("2"), replicas=10, strategy=rolling, paused=True),
        replica_set("web-old", "1", 8, created=1, desired=10, most=13),
        replica_set("web-new", "2", 5, created=2, desired=10, most=13),
        *(member(f"old-{number}", "ReplicaSet/web-old", "n-0") for number in range(8)),
        *(member(f"new-{number}", "ReplicaSet/web-new", "n-0", cpu="2") for number in range(5)),
    ]
    fields = (
        f"replicas: {replicas}",
        "paused: true",
        "strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}",
    )
    plan = landed(manifest("Deployment", "web", "2", *fields), tmp_path, objects)
    (rollout,) = plan.rollouts
    left = {"old": 8, "new": 5}
    for step in rollout.steps:
        for one in step.leaves:
            left["old" if "/old-" in one.pod else "new"] -= 1
        if step.pod:
            left["old" if "/old-" in step.pod else "new"] += 1
    assert {name: number for name, number in left.items() if number} == then


def database(policy: str, *, ready: bool = False) -> list[Object]:
    """A StatefulSet of which db-2 alone is of the template that runs, and is not ready."""
    status = {"updateRevision": "db-bad", "currentRevision": "db-good", "replicas": 3}
    body = workload("StatefulSet", "db", main_container("2"), replicas=3, podManagementPolicy=policy)
    spec = msgspec.to_builtins(body)["spec"]
    stamped = {"good": {"controller-revision-hash": "db-good"}, "bad": {"controller-revision-hash": "db-bad"}}
    return [
        *(node(f"n-{number}") for number in range(3)),
        make("StatefulSet", "db", namespace="default", metadata={"uid": "db-uid"}, spec=spec, status=status),
        *(
            member(f"db-{number}", "StatefulSet/db", f"n-{number}", app="db", labels=stamped["good"])
            for number in range(2)
        ),
        member("db-2", "StatefulSet/db", "n-2", cpu="2", app="db", ready=ready, labels=stamped["bad"]),
    ]


def test_an_ordered_set_does_not_replace_a_broken_pod_with_the_good_template(tmp_path: Path) -> None:
    plan = landed(manifest("StatefulSet", "db", "1", "replicas: 3"), tmp_path, database("OrderedReady"))
    (rollout,) = plan.rollouts
    assert (plan.verdict, rollout.kept, moves(rollout)) == ("BLOCKED", 2, [])
    assert plan.sentence == "the rollout of default/db stalls at 2 of 3: db-2 is not ready"
    assert plan.because is not None
    assert (plan.because.code, plan.because.text) == (
        "pod-not-ready",
        "db-2 on n-2 is not ready: it goes on only once that pod is ready, whatever its template (OrderedReady)",
    )


def test_a_parallel_set_replaces_the_broken_pod_and_no_other(tmp_path: Path) -> None:
    fields = ("replicas: 3", "podManagementPolicy: Parallel")
    plan = landed(manifest("StatefulSet", "db", "1", *fields), tmp_path, database("Parallel"))
    (rollout,) = plan.rollouts
    assert (plan.verdict, moves(rollout)) == ("FITS", ["-db-2", "db-2 n-2"])
    assert plan.sentence == "the rollout of default/db goes through: 1 of 3 pods is replaced"


def test_an_ordered_set_goes_back_through_the_pods_of_the_other_template_alone(tmp_path: Path) -> None:
    objects = database("OrderedReady", ready=True)
    plan = landed(manifest("StatefulSet", "db", "1", "replicas: 3"), tmp_path, objects)
    assert (plan.verdict, moves(plan.rollouts[0])) == ("FITS", ["-db-2", "db-2 n-2"])
