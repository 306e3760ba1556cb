"""Commands of remedies: patches of the pod, or of the template of its owner; nothing else of the spec is in them."""

import json
import shlex
from typing import Any

from kplan.objects.models import Object
from tests.builders import make, node, pod
from tests.studies.ask import document

HOST = "kubernetes.io/hostname"


def owned(kind: str, name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": kind, "name": name, "controller": True}]}


def patch_of(command: str) -> Any:
    words = shlex.split(command)
    return json.loads(words[words.index("-p") + 1])


def commands(objects: list[Object], name: str, code: str) -> tuple[str, ...]:
    return next(fix.commands for fix in document(objects, name).fixes if fix.code == code)


DEFAULTED = [
    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
]


def test_a_pod_of_its_own_is_made_anew() -> None:
    objects = [node("n", taints=["a=b:NoSchedule"]), pod("p", namespace="shop", tolerations=DEFAULTED)]
    note, command = commands(objects, "shop/p", "tolerate-taint")
    assert note == "# most of a pod's spec cannot be changed: it is created again"
    assert command.startswith("kubectl get pod p -n shop -o json | kubectl patch --local -f - --type=strategic")
    assert command.endswith("| kubectl replace --force -f -")
    assert patch_of(command.split(" | ")[1]) == {
        "spec": {"tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}]}
    }


def test_a_pod_of_a_deployment_has_its_template_patched() -> None:
    template = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]}}
    objects = [
        node("n", cpu="1500m"),
        make("Deployment", "web", namespace="shop", spec={"template": template}),
        make("ReplicaSet", "web-1", namespace="shop", metadata=owned("Deployment", "web")),
        pod("web-1-x", namespace="shop", requests={"cpu": "2", "memory": "1Gi"}, metadata=owned("ReplicaSet", "web-1")),
    ]
    (command,) = commands(objects, "shop/web-1-x", "lower-request")
    assert command.startswith("kubectl patch deployment web -n shop --type=strategic -p ")
    container = {"name": "main", "resources": {"requests": {"cpu": "1500m"}}}
    assert patch_of(command) == {"spec": {"template": {"spec": {"containers": [container]}}}}


def test_a_selector_is_taken_away_with_null() -> None:
    objects = [
        node("n", labels={"disk": "hdd"}),
        pod("db-0", nodeSelector={"disk": "ssd"}, metadata=owned("StatefulSet", "db")),
    ]
    (command,) = commands(objects, "default/db-0", "drop-node-selector")
    assert command.startswith("kubectl patch statefulset db -n default ")
    assert patch_of(command) == {"spec": {"template": {"spec": {"nodeSelector": None}}}}


def test_a_spread_constraint_is_merged_by_its_topology_key() -> None:
    rule = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule"}
    rules = [{**rule, "labelSelector": {"matchLabels": {"app": "web"}}}]
    objects = [
        node("a"),
        node("t", taints=["x=y:NoSchedule"]),
        pod("web-1", node="a", labels={"app": "web"}),
        pod("web-2", labels={"app": "web"}, topologySpreadConstraints=rules, metadata=owned("Deployment", "web")),
    ]
    (command,) = commands(objects, "default/web-2", "spread-taints-policy")
    merged = [{"topologyKey": HOST, "nodeTaintsPolicy": "Honor"}]
    assert patch_of(command) == {"spec": {"template": {"spec": {"topologySpreadConstraints": merged}}}}


def test_a_cronjob_is_patched_two_templates_down_and_a_job_is_not() -> None:
    job = make("Job", "nightly-1", namespace="default", metadata=owned("CronJob", "nightly"))
    objects = [node("n", cpu="1500m"), job, pod("x", requests={"cpu": "2"}, metadata=owned("Job", "nightly-1"))]
    (command,) = commands(objects, "default/x", "lower-request")
    assert list(patch_of(command)["spec"]) == ["jobTemplate"]
    alone = [node("n", cpu="1500m"), pod("x", requests={"cpu": "2"}, metadata=owned("Job", "once"))]
    lines = commands(alone, "default/x", "lower-request")
    assert lines[0] == "# the template of a Job cannot be changed: delete it and create it again with"
    assert all(line.startswith("#") for line in lines)


def test_a_volume_is_left_out_with_its_mounts() -> None:
    container = {
        "name": "main",
        "volumeMounts": [{"name": "v", "mountPath": "/data"}, {"name": "w", "mountPath": "/w"}],
    }
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}, {"name": "w", "emptyDir": {}}]
    objects = [node("n"), pod("p", containers=[container], volumes=volumes, metadata=owned("Deployment", "p"))]
    (command,) = commands(objects, "default/p", "without-claim")
    spec = patch_of(command)["spec"]["template"]["spec"]
    assert spec["volumes"] == [{"$patch": "delete", "name": "v"}]
    assert spec["containers"] == [{"name": "main", "volumeMounts": [{"$patch": "delete", "mountPath": "/data"}]}]


def test_a_priority_class_is_named_or_made() -> None:
    low = pod("low", node="n", requests={"cpu": "3"}, metadata=owned("ReplicaSet", "low"))
    want = pod("p", requests={"cpu": "2"}, metadata=owned("Deployment", "p"))
    made, command = commands([node("n"), low, want], "default/p", "raise-priority")
    assert made == "kubectl create priorityclass kplan-1 --value=1"
    assert patch_of(command) == {"spec": {"template": {"spec": {"priorityClassName": "kplan-1"}}}}
    known = make("PriorityClass", "high", value=1000)
    (command,) = commands([node("n"), low, want, known], "default/p", "raise-priority")
    assert patch_of(command) == {"spec": {"template": {"spec": {"priorityClassName": "high"}}}}


def test_a_class_that_never_preempts_is_passed_over() -> None:
    low = pod("low", node="n", requests={"cpu": "3"}, metadata=owned("ReplicaSet", "low"))
    want = pod("p", requests={"cpu": "2"}, metadata=owned("Deployment", "p"))
    classes = [
        make("PriorityClass", "meek", value=500, preemptionPolicy="Never"),
        make("PriorityClass", "high", value=9),
    ]
    found = document([node("n"), low, want, *classes], "default/p").fixes
    assert [fix.text for fix in found if fix.code == "raise-priority"] == ["priority 1 or more (class high: 9)"]
    found = document([node("n"), low, want, classes[0]], "default/p").fixes
    assert [fix.text for fix in found if fix.code == "raise-priority"] == ["priority 1 or more"]


def test_a_pod_of_its_own_loses_the_numbers_of_its_class() -> None:
    low = pod("low", node="n", requests={"cpu": "3"}, metadata=owned("ReplicaSet", "low"))
    want = pod("p", requests={"cpu": "2"}, priority=0, preemptionPolicy="PreemptLowerPriority")
    known = make("PriorityClass", "high", value=1000)
    _, command = commands([node("n"), low, want, known], "default/p", "raise-priority")
    assert patch_of(command.split(" | ")[1]) == {
        "spec": {"priorityClassName": "high", "priority": None, "preemptionPolicy": None}
    }


def test_a_class_that_preempts_takes_the_place_of_one_that_never_does() -> None:
    low = pod("low", node="n", requests={"cpu": "3"}, metadata=owned("ReplicaSet", "low"))
    meek = make("PriorityClass", "meek", value=1000, preemptionPolicy="Never")
    asks = {"priority": 1000, "priorityClassName": "meek", "preemptionPolicy": "Never"}
    want = pod("p", requests={"cpu": "2"}, metadata=owned("Deployment", "p"), **asks)
    template = {"spec": {"priorityClassName": "meek", "containers": [{"name": "main"}]}}
    owner = make("Deployment", "p", namespace="default", spec={"template": template})
    made, command = commands([node("n"), low, want, meek, owner], "default/p", "preemption-policy")
    assert made == "kubectl create priorityclass kplan-1000 --value=1000"
    assert patch_of(command) == {"spec": {"template": {"spec": {"priorityClassName": "kplan-1000"}}}}
    like = make("PriorityClass", "bold", value=1000)
    (command,) = commands([node("n"), low, want, meek, like, owner], "default/p", "preemption-policy")
    assert patch_of(command) == {"spec": {"template": {"spec": {"priorityClassName": "bold"}}}}


def test_nodes_are_changed_by_kubectl() -> None:
    cordon = ["node.kubernetes.io/unschedulable:NoSchedule"]
    assert commands([node("n", unschedulable=True, taints=cordon), pod("p")], "default/p", "uncordon") == (
        "kubectl uncordon n",
    )
    assert commands([node("n", taints=["a=b:NoSchedule"]), pod("p")], "default/p", "remove-taint") == (
        "kubectl taint nodes n a=b:NoSchedule-",
    )
    assert commands([node("n", labels={"x": "1"}), pod("p", nodeSelector={"x": "2"})], "default/p", "label-node") == (
        "kubectl label node n x=2 --overwrite",
    )


def test_a_node_that_would_be_added_can_be_tried_by_its_flag() -> None:
    lines = commands([node("n", cpu="1"), pod("q", node="n", requests={"cpu": "1"}), pod("p", requests={"cpu": "1"})],
                     "default/p", "one-more-node")  # fmt: skip
    assert lines[-1] == "kplan explain pod default/p --add-node like=n"


def test_what_a_deletion_loses_stands_beside_it() -> None:
    objects = [node("n"), pod("bare", node="n", requests={"cpu": "3"}), pod("p", requests={"cpu": "3"})]
    (line,) = commands(objects, "default/p", "delete-pod")
    assert line == "kubectl delete pod bare -n default  # GONE: nothing owns it"
