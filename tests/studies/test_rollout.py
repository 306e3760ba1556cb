"""Rollouts as controllers carry them out, each new pod placed by the planner; steps written by hand from their code."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kplan.admission import Standing, leaving_order
from kplan.objects.models import Object
from tests.builders import make, node, pod
from tests.studies.rollouts import landed, main_container, member, moves, text, workload

TEMPLATE = """
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {containers: [{name: main, image: "m:1", resources: {requests: {cpu: CPU}}}]}
"""


def manifest(kind: str, name: str, cpu: str, *fields: str) -> str:
    head = f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n"
    return head + "".join(f"  {field}\n" for field in fields) + TEMPLATE.replace("NAME", name).replace("CPU", cpu)


def web(count: int, cpu: str = "1", *, nodes: int = 3, created: tuple[int, ...] = ()) -> list[Object]:
    """A Deployment ``web`` that runs with pods web-0, web-1 ... on n-0, n-1 ..., nodes of 4 cpu."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web-uid", "controller": True}
    return [
        *(node(f"n-{number}") for number in range(nodes)),
        workload("Deployment", "web", main_container(cpu), replicas=count),
        make("ReplicaSet", "web-old", namespace="default", metadata={"uid": "web-old-uid", "ownerReferences": [owner]}),
        *(
            member(f"web-{number}", "ReplicaSet/web-old", f"n-{number % nodes}", cpu=cpu, labels={"app": "web"})
            for number in range(count)
        ),
    ]


@pytest.mark.parametrize(
    ("fields", "cpu", "expected", "peak", "serving"),
    [
        pytest.param(
            ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"), "2",
            ["new n-0 -web-0", "new n-1 -web-1", "new n-2 -web-2"], 4, 3, id="one more at a time, none missing",
        ),
        pytest.param(
            ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"), "2",
            ["-web-0", "new n-0 -web-1", "new n-1 -web-2", "new n-2"], 3, 2, id="no more than before, one missing",
        ),
        pytest.param(
            ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 3, maxUnavailable: 0}}"), "2",
            ["new n-0 -web-0", "new n-1 -web-1", "new n-2 -web-2"], 6, 3, id="all at once, each ready one in turn",
        ),
        pytest.param(
            ("replicas: 3", "strategy: {type: Recreate}"), "4",
            ["-web-0 -web-1 -web-2", "new n-0", "new n-1", "new n-2"], 3, 0, id="recreated: nothing serves in between",
        ),
        pytest.param(
            ("replicas: 2", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"), "2",
            ["-web-0", "new n-0 -web-1", "new n-1 -web-2"], 3, 2, id="fewer: the old ones shrink first",
        ),
    ],
)  # fmt: skip
def test_a_deployment(
    tmp_path: Path, fields: tuple[str, ...], cpu: str, expected: list[str], peak: int, serving: int
) -> None:
    (rollout,) = landed(manifest("Deployment", "web", cpu, *fields), tmp_path, web(3)).rollouts
    assert moves(rollout) == expected
    assert (rollout.peak, rollout.serving, rollout.stalled, rollout.old) == (peak, serving, "", 0)


def test_more_replicas_go_to_the_old_pods_first(tmp_path: Path) -> None:
    fields = ("replicas: 4", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}")
    plan = landed(manifest("Deployment", "web", "2", *fields), tmp_path, web(3))
    (rollout,) = plan.rollouts
    first = plan.steps[0]
    assert (first.pod, first.node) == ("default/web-0-s1", "n-0")
    assert (rollout.done, rollout.old, rollout.stalled) == (4, 0, "")


def test_an_old_pod_that_is_not_ready_leaves_first(tmp_path: Path) -> None:
    objects = web(3)
    objects[-1] = member("web-2", "ReplicaSet/web-old", "n-2", ready=False)
    fields = ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}")
    (rollout,) = landed(manifest("Deployment", "web", "2", *fields), tmp_path, objects).rollouts
    assert moves(rollout) == ["-web-2", "new n-2 -web-0", "new n-0 -web-1", "new n-1"]


def test_a_copy_that_is_not_ready_goes_again_where_one_may_be_missing(tmp_path: Path) -> None:
    fields = ("replicas: 4", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}")
    plan = landed(manifest("Deployment", "web", "2", *fields), tmp_path, web(3))
    (rollout,) = plan.rollouts
    assert [step.pod.startswith("default/web-0-s") for step in plan.steps] == [False] * 4
    assert (rollout.done, rollout.old, rollout.serving) == (4, 0, 3)


def test_a_stall_as_the_terminal_shows_it(tmp_path: Path) -> None:
    quota = make(
        "ResourceQuota", "compute", namespace="default",
        spec={"hard": {"requests.cpu": "12"}}, status={"hard": {"requests.cpu": "12"}, "used": {"requests.cpu": "3"}},
    )  # fmt: skip
    fields = ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}")
    plan = landed(manifest("Deployment", "web", "3500m", *fields), tmp_path, [*web(3), quota])
    assert (plan.verdict, plan.because.code if plan.because else "") == ("BLOCKED", "insufficient-cpu")
    (row,) = plan.quotas
    assert (row.used, row.then, row.peak, row.hard, row.refused) == ("3", "6500m", "6500m", "12", 0)
    name = plan.steps[0].pod.rpartition("/")[2]
    assert text(plan).replace(name, "web-new").replace(str(tmp_path), "") == dedent(
        """\
        BLOCKED  the rollout of default/web stalls at 0 of 3: web-new stays
                 Pending
        Because  9000m cpu are free, but in pieces: it wants 3500m, no node has more
                 than 3000m

        Change   deploy/default/web  cpu 1 -> 3500m; 3 replicas, maxSurge 1,
                 maxUnavailable 0
        Steps    #  new pod               node     then leaves  ready
                 1  web-new  Pending  -            3 of 3
                 3 pods serve throughout, at most 4 are there; it stays at 3 old, 0 new
                 after 600 s without progress it says ProgressDeadlineExceeded: nothing
                   is rolled back, and its controller goes on trying
        Why      1 not placed, most first, as each was tried
              1  9000m cpu are free, but in pieces: it wants 3500m, no node has more
                   than 3000m
                   deploy/default/web 1
        Nearest  for default/web-new
              3  cpu: needs 3500m, free 3000m, lacks 500m
                   n-0, n-1, n-2   all alike, 1 of 4 used
        Preempt  no: no pod of lower priority (this one 0, the others 0)
        Quota    default/compute requests.cpu: 3 now, 6500m at the stall, hard 12:
                 passes
        From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (as asked)
        """
    )


def test_a_quota_stalls_a_rollout_that_would_fit(tmp_path: Path) -> None:
    quota = make(
        "ResourceQuota", "compute", namespace="default",
        spec={"hard": {"pods": "3"}}, status={"hard": {"pods": "3"}, "used": {"pods": "3"}},
    )  # fmt: skip
    surge = ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}")
    plan = landed(manifest("Deployment", "web", "2", *surge), tmp_path, [*web(3), quota])
    assert plan.sentence == (
        "the rollout of default/web stalls at 0 of 3: a quota refuses its next pod "
        "(exceeded quota: compute, requested: pods=1, used: pods=3, limited: pods=3)"
    )
    assert [(row.resource, row.refused) for row in plan.quotas] == [("pods", 1)]
    # with one pod fewer it goes through: what leaves is counted out
    missing = ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}")
    plan = landed(manifest("Deployment", "web", "2", *missing), tmp_path, [*web(3), quota])
    assert (plan.verdict, plan.rollouts[0].done) == ("FITS", 3)


def test_unchanged_adds_nothing_and_says_so(tmp_path: Path) -> None:
    plan = landed(manifest("Deployment", "web", "1", "replicas: 3"), tmp_path, web(3))
    assert (plan.verdict, plan.sentence) == ("FITS", "nothing to place: 1 workload unchanged")
    assert (plan.totals.pods, plan.rollouts, [entry.verdict for entry in plan.change]) == (0, (), ["unchanged"])


def test_fewer_replicas_make_room_for_what_waits(tmp_path: Path) -> None:
    objects = [*web(3, nodes=1), pod("waits", requests={"cpu": "2"})]
    plan = landed(manifest("Deployment", "web", "1", "replicas: 1"), tmp_path, objects)
    assert (plan.verdict, plan.sentence) == ("FITS", "the pod is placed")
    assert [(step.pod, step.node) for step in plan.steps] == [("default/waits", "n-0")]
    assert moves(plan.rollouts[0]) == ["-web-0 -web-1"]


def db(replicas: int = 3, cpu: str = "1", policy: str = "OrderedReady") -> list[Object]:
    """A StatefulSet ``db`` that runs on n-0, n-1, n-2, nodes of 4 cpu."""
    return [
        *(node(f"n-{number}") for number in range(3)),
        workload("StatefulSet", "db", main_container(cpu), replicas=replicas, podManagementPolicy=policy),
        *(member(f"db-{number}", "StatefulSet/db", f"n-{number}", cpu=cpu) for number in range(replicas)),
    ]


@pytest.mark.parametrize(
    ("fields", "cpu", "expected", "done", "old"),
    [
        pytest.param(
            ("replicas: 3",), "2", ["-db-2", "db-2 n-2 -db-1", "db-1 n-1 -db-0", "db-0 n-0"], 3, 0,
            id="from the highest ordinal down",
        ),
        pytest.param(
            ("replicas: 3", "updateStrategy: {rollingUpdate: {partition: 1}}"), "2",
            ["-db-2", "db-2 n-2 -db-1", "db-1 n-1"], 2, 1, id="not below the partition",
        ),
        pytest.param(
            ("replicas: 3", "updateStrategy: {type: OnDelete}"), "2", [], 0, 3, id="nothing by itself with OnDelete"
        ),
        pytest.param(
            ("replicas: 3", "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}"), "2",
            ["-db-2 -db-1", "db-1 n-1", "db-2 n-2 -db-0", "db-0 n-0"], 3, 0, id="two at a time, made in order",
        ),
        pytest.param(
            ("replicas: 3", "podManagementPolicy: Parallel", "updateStrategy: {rollingUpdate: {maxUnavailable: 3}}"),
            "2", ["-db-2 -db-1 -db-0", "db-0 n-0", "db-1 n-1", "db-2 n-2"], 3, 0, id="all at once",
        ),
        pytest.param(
            ("replicas: 2",), "2", ["-db-2 -db-1", "db-1 n-1 -db-0", "db-0 n-0"], 2, 0,
            id="it shrinks before it replaces",
        ),
        pytest.param(
            ("replicas: 4",), "2", ["db-3 n-0 -db-2", "db-2 n-2 -db-1", "db-1 n-1 -db-0", "db-0 n-0"], 4, 0,
            id="it grows before it replaces",
        ),
        pytest.param(("replicas: 3",), "8", ["-db-2", "db-2 pending"], 0, 2, id="the first that fits nowhere ends it"),
    ],
)  # fmt: skip
def test_a_stateful_set(
    tmp_path: Path, fields: tuple[str, ...], cpu: str, expected: list[str], done: int, old: int
) -> None:
    policy = "Parallel" if "podManagementPolicy: Parallel" in fields else "OrderedReady"
    there = db(policy=policy)
    (rollout,) = landed(manifest("StatefulSet", "db", cpu, "serviceName: db", *fields), tmp_path, there).rollouts
    assert moves(rollout) == expected
    assert (rollout.done, rollout.old) == (done, old)


def test_before_the_gate_one_pod_at_a_time_leaves(tmp_path: Path) -> None:
    fields = ("serviceName: db", "replicas: 3", "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}")
    (rollout,) = landed(manifest("StatefulSet", "db", "2", *fields), tmp_path, db(), version="1.36").rollouts
    assert moves(rollout) == ["-db-2", "db-2 n-2 -db-1", "db-1 n-1 -db-0", "db-0 n-0"]


def test_a_stateful_set_keeps_its_volumes(tmp_path: Path) -> None:
    """Each new pod has the claim of its ordinal, and goes where that claim's volume can be reached."""
    objects: list[Object] = [node(f"n-{number}") for number in range(3)]
    size = {"requests": {"storage": "1Gi"}}
    claims = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": size}}]
    template = main_container("1")
    objects.append(workload("StatefulSet", "db", template, replicas=2, volumeClaimTemplates=claims))
    for number, on in enumerate(("n-2", "n-1")):
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"data-db-{number}"}}
        objects.append(member(f"db-{number}", "StatefulSet/db", on, volumes=[volume]))
        terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [on]}]}]
        objects.append(
            make(
                "PersistentVolume",
                f"pv-{number}",
                spec={
                    "claimRef": {"namespace": "default", "name": f"data-db-{number}"},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
                },
            )
        )
        objects.append(
            make(
                "PersistentVolumeClaim",
                f"data-db-{number}",
                namespace="default",
                metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                spec={"volumeName": f"pv-{number}"},
                status={"phase": "Bound"},
            )
        )
    body = manifest("StatefulSet", "db", "2", "serviceName: db", "replicas: 2").rstrip() + dedent(
        """
        x
          volumeClaimTemplates:
            - metadata: {name: data}
              spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
        """
    ).replace("\nx\n", "\n")
    (rollout,) = landed(body, tmp_path, objects).rollouts
    assert moves(rollout) == ["-db-1", "db-1 n-1 -db-0", "db-0 n-2"]


def test_a_new_set_in_order_waits_for_its_first_pod(tmp_path: Path) -> None:
    body = manifest("StatefulSet", "db", "3", "serviceName: db", "replicas: 4")
    plan = landed(body, tmp_path, [node("n-0"), node("n-1")])
    assert (plan.verdict, plan.rollouts[0].stalled) == ("PARTLY", "db-2 stays Pending, 1 pod after it not made")
    assert moves(plan.rollouts[0]) == ["db-0 n-0", "db-1 n-1", "db-2 pending"]
    assert plan.totals.pods == 3


def log() -> list[Object]:
    """A DaemonSet ``log`` that runs on n-0, n-1, n-2 and not yet on n-3; n-1 has 2 cpu, the others 4."""
    return [
        *(node(f"n-{number}", cpu="2" if number == 1 else "4") for number in range(4)),
        workload("DaemonSet", "log", main_container("1")),
        *(member(f"log-{number}", "DaemonSet/log", f"n-{number}") for number in range(3)),
    ]


@pytest.mark.parametrize(
    ("strategy", "cpu", "expected", "stalled"),
    [
        pytest.param(
            "{}", "2", ["new n-3 -log-0", "new n-0 -log-1", "new n-1 -log-2", "new n-2"], False,
            id="the node without one first, then node by node",
        ),
        pytest.param(
            "{rollingUpdate: {maxUnavailable: 50%}}", "2",
            ["-log-0", "new n-3 -log-1", "new n-0 -log-2", "new n-1", "new n-2"], False,
            id="two nodes of four may be without, one is already",
        ),
        pytest.param("{}", "3", ["new n-3 -log-0", "new n-0 -log-1", "new pending"], True, id="one node is too small"),
        pytest.param(
            "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "2",
            ["new n-3", "new n-0 -log-0", "new pending"], True, id="no room beside the old pod",
        ),
        pytest.param("{type: OnDelete}", "2", ["new n-3"], False, id="with OnDelete what is missing, and nothing else"),
    ],
)  # fmt: skip
def test_a_daemon_set(tmp_path: Path, strategy: str, cpu: str, expected: list[str], stalled: bool) -> None:
    body = manifest("DaemonSet", "log", cpu, f"updateStrategy: {strategy}")
    (rollout,) = landed(body, tmp_path, log()).rollouts
    assert moves(rollout) == expected
    assert bool(rollout.stalled) == stalled


def ranked(*pods: dict[str, Any], now: str = "") -> list[str]:
    built = [
        Standing(
            pod(str(one["name"]), **one.get("of", {})), str(one.get("on", "")), one.get("ready", True), one["name"]
        )
        for one in pods
    ]
    return [one.uid for one in leaving_order(built, built, now)]


def ready_since(time: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": time}]}}


@pytest.mark.parametrize(
    ("pods", "now", "order"),
    [
        pytest.param(
            [{"name": "a", "on": "n"}, {"name": "b"}], "", ["b", "a"], id="one without a node before one with a node"
        ),
        pytest.param(
            [{"name": "a", "on": "n"}, {"name": "b", "on": "m", "ready": False}], "", ["b", "a"],
            id="one that is not ready before one that is",
        ),
        pytest.param(
            [
                {"name": "a", "on": "n"},
                {"name": "b", "on": "m", "of": {
                    "metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-5"}}}},
            ],
            "", ["b", "a"], id="the lower deletion cost first",
        ),
        pytest.param(
            [{"name": "a", "on": "n"}, {"name": "b", "on": "m"}, {"name": "c", "on": "m"}], "", ["b", "c", "a"],
            id="those that share a node first",
        ),
        pytest.param(
            [
                {"name": "a", "on": "n", "of": ready_since("2026-01-01T00:00:00Z")},
                {"name": "b", "on": "m", "of": ready_since("2026-01-02T00:00:00Z")},
            ],
            "", ["b", "a"], id="the one that became ready last, where the time is unknown",
        ),
        pytest.param(
            [
                {"name": "a", "on": "n", "of": ready_since("2026-01-01T00:00:00Z")},
                {"name": "b", "on": "m", "of": ready_since("2026-01-02T00:00:00Z")},
            ],
            "2026-01-09T00:00:00Z", ["a", "b"], id="ages of 8 and 7 days are one power of two: by uid",
        ),
    ],
)  # fmt: skip
def test_who_leaves_first(pods: list[dict[str, Any]], now: str, order: list[str]) -> None:
    assert ranked(*pods, now=now) == order


def rolled(tmp_path: Path, kind: str, objects: list[Object], *fields: str) -> tuple[int, int]:
    """Most pods and fewest ready ones of a rollout that goes through."""
    (rollout,) = landed(manifest(kind, "web", "20m", *fields), tmp_path, objects).rollouts
    assert rollout.stalled == ""
    return rollout.peak, rollout.serving


@pytest.mark.parametrize(
    ("old", "replicas", "surge", "unavailable", "peak", "serving"),
    [
        pytest.param(4, 4, "25%", "25%", 5, 3, id="the defaults"),
        pytest.param(10, 10, "25%", "25%", 13, 8, id="25 % of ten: 3 more, 2 fewer"),
        pytest.param(5, 5, 0, 1, 5, 4, id="no surge"),
        pytest.param(5, 5, 2, 0, 7, 5, id="none missing"),
        pytest.param(3, 3, "100%", "0%", 6, 3, id="all at once"),
        pytest.param(1, 1, "25%", "25%", 2, 1, id="one pod"),
        pytest.param(4, 4, 0, "100%", 4, 0, id="all may be missing"),
        pytest.param(3, 0, "25%", "25%", 3, 0, id="down to none"),
        pytest.param(4, 7, 1, 1, 8, 4, id="more replicas: the old ones grow first, and are not ready yet"),
        pytest.param(6, 3, 1, 0, 6, 3, id="fewer replicas: the old ones shrink first"),
    ],
)
def test_most_and_fewest_pods_of_a_deployment(
    tmp_path: Path, old: int, replicas: int, surge: object, unavailable: object, peak: int, serving: int
) -> None:
    """As a real controller has them, which tests/live/test_rollouts.py holds them against."""
    rolling = f"{{maxSurge: {surge}, maxUnavailable: {unavailable}}}"
    fields = (f"replicas: {replicas}", f"strategy: {{rollingUpdate: {rolling}}}")
    assert rolled(tmp_path, "Deployment", web(old, "10m"), *fields) == (peak, serving)


def test_a_pod_that_is_missing_below_the_partition_is_made_of_the_old_template(tmp_path: Path) -> None:
    """Ordinal 1 asks for 1 cpu as the set does that runs, and finds room where a new pod would not."""
    running = [
        *(node(f"n-{number}", cpu="4") for number in range(2)),
        pod("busy", node="n-1", requests={"cpu": "4"}),
        workload("StatefulSet", "web", main_container("1"), replicas=1),
        member("web-0", "StatefulSet/web", "n-0", cpu="1"),
    ]
    fields = ("replicas: 2", "serviceName: web", "updateStrategy: {rollingUpdate: {partition: 2}}")
    plan = landed(manifest("StatefulSet", "web", "3500m", *fields), tmp_path, running)
    (rollout,) = plan.rollouts
    assert (moves(rollout), rollout.stalled, rollout.old) == (["web-1 n-0"], "", 2)


def test_pods_that_are_made_and_removed_in_one_turn_are_not_told(tmp_path: Path) -> None:
    """The old ReplicaSet grows from 2 to 3, and is shrunk again at once, as copies are not ready."""
    fields = ("replicas: 3", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 2}}")
    (rollout,) = landed(manifest("Deployment", "web", "2", *fields), tmp_path, web(2)).rollouts
    assert [[one.pod.rpartition("/")[2] for one in step.leaves] for step in rollout.steps] == [
        ["web-0"],
        ["web-1"],
        [],
        [],
    ]
