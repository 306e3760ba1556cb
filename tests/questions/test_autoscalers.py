"""And if every autoscaler is at its maximum: does it land, does a loss leave room, does the check pass?"""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.objects.well_known import KEDA_PAUSED_AT
from tests.questions.asking import Question, all_asked
from tests.questions.clusters import Json, budget, made, node, pod, rolling, running, template, workload

TWO = [node("n1"), node("n2"), pod("other", template("other", cpu="0"), "n1", of=("ReplicaSet", "other"))]
WEB1, WEB2 = template("web", "1"), template("web", "2")
"""Each pod requests one cpu, each node has four."""


def deployment(app: str, of: Json, replicas: int | None, **more: object) -> Json:
    written = {} if replicas is None else {"replicas": replicas}
    return workload("Deployment", app, of, strategy=rolling(1, 0), **written, **more)


def horizontal(app: str, least: int | None, most: int, kind: str = "Deployment", **metadata: object) -> Json:
    floor = {} if least is None else {"minReplicas": least}
    spec = {"scaleTargetRef": {"kind": kind, "name": app}, "maxReplicas": most, **floor}
    return made("autoscaling/v2", "HorizontalPodAutoscaler", app, spec=spec, metadata=metadata)


def asleep(least: int, metric: str = "Resource") -> Json:
    """An autoscaler that has brought its workload to no replicas."""
    one = horizontal("web", least, 8)
    status = {"conditions": [{"type": "ScaledToZero", "status": "True"}]}
    return {**one, "spec": {**one["spec"], "metrics": [{"type": metric}]}, "status": status}


def named(item: Json, name: str) -> Json:
    return {**item, "metadata": {**item["metadata"], "name": name, "uid": f"uid-{name}"}}


def keda(app: str, *, metadata: Json | None = None, **spec: object) -> Json:
    return made(
        "keda.sh/v1alpha1", "ScaledObject", app, spec={"scaleTargetRef": {"name": app}, **spec}, metadata=metadata or {}
    )


def marked(**marks: str) -> Json:
    """Metadata of an object of KEDA with annotations, ``paused_scale_in`` for ``paused-scale-in``."""
    return {"annotations": {f"autoscaling.keda.sh/{name.replace('_', '-')}": value for name, value in marks.items()}}


def vertical(app: str, mode: str = "Recreate", values: str = "RequestsAndLimits", **policy_of_updates: object) -> Json:
    advice = {"containerName": "main", "target": {"cpu": "1500m"}, "upperBound": {"cpu": "3"}}
    policy = {"containerPolicies": [{"containerName": "*", "controlledValues": values}]}
    return made(
        "autoscaling.k8s.io/v1",
        "VerticalPodAutoscaler",
        app,
        spec={
            "targetRef": {"kind": "Deployment", "name": app},
            "updatePolicy": {"updateMode": mode, **policy_of_updates},
            "resourcePolicy": policy,
        },
        status={"recommendation": {"containerRecommendations": [advice]}},
    )


RUNS = [*TWO, deployment("web", WEB1, 2), *running("web", "old", WEB1, ["n1", "n2"])]
SIMULATE, CHECK = "simulate --hpa max", "check m.yaml --hpa max"

PODS_2 = made(
    "v1", "ResourceQuota", "few", spec={"hard": {"pods": "2"}}, status={"hard": {"pods": "2"}, "used": {"pods": "2"}}
)
QUESTIONS = {
    "eight pods of one cpu are all that two nodes hold: nine do not fit": Question(
        SIMULATE, [*RUNS, horizontal("web", 2, 9)], (1,), ("PARTLY", "BLOCKED"),
        says=("deploy/shop/web 2 -> 9", "Insufficient cpu|cpu"),
    ),
    "eight fit": Question(
        SIMULATE, [*RUNS, horizontal("web", 2, 8)], (0,), ("FITS",), says=("deploy/shop/web 2 -> 8",)
    ),
    "a target of no replicas is switched off, and stays so": Question(
        SIMULATE, [*TWO, deployment("web", WEB1, 0), horizontal("web", 1, 9)], (0,), ("FITS",),
        says=("leaves deploy/shop/web alone, which has 0 replicas",), never=("-> 9",),
    ),
    "one that it brought there itself it wakes": Question(
        SIMULATE, [*TWO, deployment("web", WEB1, 0), asleep(1)], (0,), ("FITS",), says=("deploy/shop/web 0 -> 8",),
    ),
    "not so before 1.36, where it does not note who did": Question(
        f"{SIMULATE} --k8s-version 1.35", [*TWO, deployment("web", WEB1, 0), asleep(1)], (0,), ("FITS",),
        says=("leaves deploy/shop/web alone",),
    ),
    "without a metric of its own kind it may not wake to 0 or more": Question(
        SIMULATE, [*TWO, deployment("web", WEB1, 0), asleep(0)], (0,), ("FITS",), says=("leaves deploy/shop/web alone",)
    ),
    "with one it does": Question(
        SIMULATE, [*TWO, deployment("web", WEB1, 0), asleep(0, "External")], (0,), ("FITS",), says=("0 -> 8",)
    ),
    "of two on the same workload neither scales": Question(
        SIMULATE, [*RUNS, horizontal("web", 2, 9), named(horizontal("web", 2, 20), "other")], (0,), ("FITS",),
        says=("scale deploy/shop/web: neither does",), never=("2 -> ",),
    ),
    "no autoscaler at all: the worst case is not known, which its first lines say": Question(
        SIMULATE, RUNS, (0, 3), ("FITS?",), says=("^Doubt .*--hpa max changes nothing: no HorizontalPodAutoscaler",)
    ),
    "the same of a check": Question(
        CHECK, RUNS, (4,), ("PASSES?",), [deployment("web", WEB2, 2)], says=("--hpa max changes nothing",)
    ),
    "one that lands with the manifest is known": Question(
        CHECK, RUNS, (0,), ("PASSES",), [deployment("api", template("api"), 1), horizontal("api", 1, 3)],
        never=("changes nothing",),
    ),
    "and no VerticalPodAutoscaler": Question(
        "fail n1 --vpa upper", RUNS, (0, 3), ("FITS?",), says=("--vpa upper changes nothing: no VerticalPodAuto",)
    ),
    "KEDA wakes what has no replicas": Question(
        SIMULATE, [*TWO, deployment("web", WEB1, 0), keda("web", maxReplicaCount=8)], (0,), ("FITS",),
        says=("deploy/shop/web 0 -> 8",),
    ),
    "KEDA has a hundred replicas where nothing is said": Question(
        SIMULATE, [*RUNS, keda("web")], (1,), ("PARTLY", "BLOCKED"), says=("deploy/shop/web 2 -> 100",)
    ),
    "what KEDA has made of its object does not count beside it": Question(
        SIMULATE, [*RUNS, horizontal("web", 1, 20), keda("web", maxReplicaCount=5)], (0,), ("FITS",),
        says=("1 autoscaler at", "2 -> 5"),
    ),
    "a paused object of KEDA has the replicas it was paused at": Question(
        SIMULATE,
        [*RUNS, keda("web", maxReplicaCount=50, metadata={"annotations": {KEDA_PAUSED_AT: "4"}})],
        (0,), ("FITS",), says=("2 -> 4",),
    ),
    "paused without a number it scales nothing": Question(
        SIMULATE, [*RUNS, keda("web", maxReplicaCount=50, metadata=marked(paused="true"))], (0,), ("FITS",),
        says=("ScaledObject web is paused: deploy/shop/web keeps its replicas",), never=("2 -> ",),
    ),
    "any value but a false one pauses": Question(
        SIMULATE, [*RUNS, keda("web", maxReplicaCount=8, metadata=marked(paused="yes"))], (0,), ("FITS",),
        says=("ScaledObject web is paused",),
    ),
    "a false one does not": Question(
        SIMULATE, [*RUNS, keda("web", maxReplicaCount=8, metadata=marked(paused="false"))], (0,), ("FITS",),
        says=("2 -> 8",), never=("is paused",),
    ),
    "a number to pause at comes before": Question(
        SIMULATE, [*RUNS, keda("web", metadata=marked(paused="false", paused_replicas="4"))], (0,), ("FITS",),
        says=("2 -> 4",),
    ),
    "paused at what is no number it scales nothing": Question(
        SIMULATE, [*RUNS, keda("web", metadata=marked(paused_replicas="few"))], (0,), ("FITS",), says=("is paused",),
    ),
    "a manifest is planned as written where its autoscaler is paused": Question(
        "simulate m.yaml --hpa now", [*RUNS, keda("web", metadata=marked(paused="true"))], (0,), ("FITS",),
        [deployment("web", WEB1, 3)], says=("scaled 2 -> 3",), never=("owns the replicas",),
    ),
    "and nobody is named as the owner of its replicas": Question(
        "simulate m.yaml", [*RUNS, keda("web", metadata=marked(paused="true"))], (0,), ("FITS",),
        [deployment("web", WEB1, 3)], never=("sets replicas",),
    ),
    "what may not scale out has no more than now": Question(
        SIMULATE, [*RUNS, keda("web", metadata=marked(paused_scale_out="true"))], (0,), ("FITS",),
        says=("scales deploy/shop/web no further: paused-scale-out",), never=("2 -> ",),
    ),
    "but has its fewest": Question(
        SIMULATE, [*RUNS, keda("web", minReplicaCount=3, metadata=marked(paused_scale_out="true"))], (0,), ("FITS",),
        says=("2 -> 3",),
    ),
    "what may not scale in has no fewer than now": Question(
        "simulate --hpa min", [*RUNS, keda("web", metadata=marked(paused_scale_in="true"))], (0,), ("FITS",),
        says=("scales deploy/shop/web no further: paused-scale-in",), never=("2 -> ",),
    ),
    "KEDA takes all pods away": Question(
        "simulate --hpa min", [*RUNS, keda("web", triggers=[{"type": "cpu"}, {"type": "kafka"}])], (0,), ("FITS",),
        says=("2 -> 0",),
    ),
    "by cpu and memory alone one stays": Question(
        "simulate --hpa min", [*RUNS, keda("web", triggers=[{"type": "cpu"}, {"type": "memory"}])], (0,), ("FITS",),
        says=("2 -> 1",),
    ),
    "and where it is forced to be active": Question(
        "simulate --hpa min", [*RUNS, keda("web", metadata=marked(force_activation="true"))], (0,), ("FITS",),
        says=("2 -> 1",),
    ),
    "idle it has fewer than its fewest": Question(
        "simulate --hpa min", [*RUNS, keda("web", minReplicaCount=1, idleReplicaCount=0)], (0,), ("FITS",),
        says=("2 -> 0",),
    ),
    "at the minimum pods leave": Question(
        "simulate --hpa min", [*RUNS, horizontal("web", None, 9)], (0,), ("FITS",), says=("deploy/shop/web 2 -> 1",)
    ),
    "an autoscaler of what is not there is told": Question(
        SIMULATE, [*TWO, horizontal("gone", 1, 9)], (0,), ("FITS",),
        says=("HorizontalPodAutoscaler gone scales deploy/shop/gone, which is not there",),
    ),
    "a manifest lands with what its autoscaler in the cluster makes of it": Question(
        "simulate m.yaml --hpa max", [*RUNS, horizontal("web", 2, 8)], (1,), ("BLOCKED", "PARTLY"),
        [deployment("web", WEB2, 3)],
        says=("owns the replicas of deploy/shop/web: planned with 8, not the 3 written", "maxUnavailable"),
    ),
    "one that runs keeps the replicas it has, whatever is written": Question(
        "simulate m.yaml --hpa now", [*RUNS, horizontal("web", 2, 8)], (0,), ("FITS",), [deployment("web", WEB2, 1)],
        says=("planned with 2, not the 1 written",),
    ),
    "an autoscaler in the cluster is named where a manifest sets its replicas": Question(
        "simulate m.yaml", [*RUNS, horizontal("web", 2, 8)], (0,), ("FITS",), [deployment("web", WEB1, 3)],
        says=("Deployment web sets replicas, which HorizontalPodAutoscaler web .2 to 8. owns",),
    ),
    "none is named where no replicas are set": Question(
        "simulate m.yaml", [*RUNS, horizontal("web", 2, 8)], (0,), ("FITS",), [deployment("web", WEB1, None)],
        never=("sets replicas",),
    ),
    "a manifest and its autoscaler land together": Question(
        "simulate m.yaml --hpa max", TWO, (1,), ("PARTLY", "BLOCKED"),
        [deployment("api", template("api"), 1), horizontal("api", 1, 9)], says=("planned with 9, not the 1 written",),
    ),
    "what a quota refuses at the maximum does not fit": Question(
        SIMULATE, [*RUNS, horizontal("web", 2, 4), PODS_2], (1,), ("PARTLY",),
        first=("2 pods refused", "exceeded quota: few"),
    ),
    "a check fails on what does not fit at the maximum": Question(
        CHECK, TWO, (1,), ("FAILS",),
        [deployment("api", template("api"), 1), horizontal("api", 1, 9)],
    ),
    "and passes where it does": Question(
        CHECK, TWO, (0,), ("PASSES",), [deployment("api", template("api"), 1), horizontal("api", 1, 8)],
    ),
    "a lost node leaves no room for what is at its maximum": Question(
        "fail n1 --hpa max", [*RUNS, horizontal("web", 2, 8)], (1,), ("BLOCKED", "PARTLY"), says=("2 -> 8",)
    ),
    "as it is, there is room": Question("fail n1", [*RUNS, horizontal("web", 2, 8)], (0,), ("FITS",)),
    "two pods of three cpus still fit, one on each node": Question(
        "simulate --vpa upper", [*RUNS, vertical("web")], (0,), ("FITS",), says=("cpu 1 -> 3",)
    ),
    "the larger pods do not fit on one node": Question(
        "fail n1 --vpa upper", [*RUNS, vertical("web")], (1,), ("BLOCKED", "PARTLY"), says=("cpu 1 -> 3",)
    ),
    "at the target they do": Question(
        "fail n1 --vpa target", [*RUNS, vertical("web")], (0,), ("FITS",), says=("cpu 1 -> 1500m",)
    ),
    "what is only recommended is not applied": Question(
        "simulate --vpa upper", [*RUNS, vertical("web", "Off")], (0,), ("FITS",),
        says=("updateMode Off, deploy/shop/web keeps its requests",),
    ),
    "pods that run are not updated in every mode": Question(
        "simulate --vpa target", [*RUNS, vertical("web", "Initial")], (0,), ("FITS",),
        says=("cpu 1 -> 1500m", "updateMode Initial, pods that run keep their requests"),
    ),
    "nor recreated": Question(
        "simulate --vpa target", [*RUNS, vertical("web", "InPlaceOrRecreate")], (0,), ("FITS",),
        says=("cpu 1 -> 1500m", "updateMode InPlaceOrRecreate, pods that fit where they run are resized there"),
    ),
    "nor where they are few": Question(
        "simulate --vpa target", [*RUNS, vertical("web", minReplicas=3)], (0,), ("FITS",),
        says=("deploy/shop/web has 2 replicas, fewer than minReplicas 3, so pods that run stay as they are",),
    ),
    "two are enough, and Auto is Recreate": Question(
        "simulate --vpa target", [*RUNS, vertical("web", "Auto")], (0,), ("FITS",), says=("cpu 1 -> 1500m",),
        never=("minReplicas", "updateMode"),
    ),
    "of two on the same workload the older sizes it": Question(
        "simulate --vpa target",
        [*RUNS, named({**vertical("web"), "status": {}}, "b"), named(vertical("web"), "a")], (0,), ("FITS",),
        says=("cpu 1 -> 1500m", "VerticalPodAutoscaler b: it is VerticalPodAutoscaler a that sizes deploy/shop/web"),
        never=("no recommendation",),
    ),
    "one that is off does not count": Question(
        "simulate --vpa target", [*RUNS, named(vertical("web", "Off"), "a"), named(vertical("web"), "b")], (0,),
        ("FITS",), says=("cpu 1 -> 1500m", "VerticalPodAutoscaler a: updateMode Off"),
    ),
    "a default limit of the namespace grows along": Question(
        "simulate --vpa upper",
        [*RUNS, vertical("web"), made("v1", "LimitRange", "all", spec={"limits": [
            {"type": "Container", "default": {"cpu": "2"}}]})],
        (0,), ("FITS",), says=("cpu 1 -> 3",),
    ),
    "and its largest limit caps the request": Question(
        "simulate --vpa upper",
        [*RUNS, vertical("web"), made("v1", "LimitRange", "all", spec={"limits": [
            {"type": "Container", "default": {"cpu": "2"}, "max": {"cpu": "3"}}]})],
        (0,), ("FITS",), says=("cpu 1 -> 1500m",),
    ),
    "replicas and requests together": Question(
        "simulate --vpa target --hpa max", [*RUNS, vertical("web"), horizontal("web", 2, 5)], (1,),
        ("PARTLY", "BLOCKED"), says=("2 -> 5", "1500m"),
    ),
    "a manifest has the requests that its autoscaler gives its pods": Question(
        "simulate m.yaml --vpa upper", [*TWO, vertical("api")], (1,), ("PARTLY", "BLOCKED"),
        [deployment("api", template("api"), 3)], says=("VerticalPodAutoscaler api sizes deploy/shop/api: cpu 1 -> 3",),
    ),
    "its own manifest does not take back what it recommends": Question(
        "simulate m.yaml --vpa upper", [*TWO, vertical("api")], (1,), ("PARTLY", "BLOCKED"),
        [deployment("api", template("api"), 3), {**vertical("api"), "status": {}}],
        says=("VerticalPodAutoscaler api sizes deploy/shop/api: cpu 1 -> 3",),
    ),
    "a drain at the maximum": Question(
        "drain n1 --hpa max", [*RUNS, horizontal("web", 2, 5), budget("web", "web", maxUnavailable=1)], (1,),
        ("BLOCKED",), says=("2 -> 5",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)


def test_json_has_the_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*RUNS, horizontal("web", 2, 8)]}))
    assert main(["simulate", "--hpa", "max", "--snapshot", str(file), "-o", "json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["whatIf"]
    assert (step["step"], step["text"]) == (
        "--hpa max",
        "1 autoscaler at its maximum: deploy/shop/web 2 -> 8: 6 pods to place",
    )
    assert len(step["moves"]) == 6


def test_a_limit_that_there_is_not_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": TWO}))
    assert main(["simulate", "--hpa", "most", "--snapshot", str(file)]) == 2
    assert "one of min, max, now" in capsys.readouterr().err
