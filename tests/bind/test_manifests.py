"""Manifests in bind: what is created and in which order, which pods follow, and what is left alone or refused."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.api import Scheduler
from kplan.bind.plan.manifests import ManifestPods, Planned, land, read_manifests
from kplan.bind.wire.client import Reply
from kplan.bind.wire.same import first_difference
from kplan.cli.main import main
from kplan.errors import LiveError, UsageError
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from tests.bind.fakes import FakeClient, answer
from tests.builders import make, node, pod
from tests.cli import snapshots

RULES = Scheduler.of("1.37").request_rules
CONTAINER = {"name": "main", "image": "app", "resources": {"requests": {"cpu": "1"}}}


def workload(kind: str, name: str, *, pod_spec: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    group = "batch/v1" if kind == "Job" else "apps/v1"
    labels = {"app": name}
    own = {"restartPolicy": "Never"} if kind == "Job" else {}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [CONTAINER], **own, **(pod_spec or {})}}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": labels}}
    return {
        "apiVersion": group, "kind": kind, "metadata": {"name": name},
        "spec": {"template": template, **selector, **spec},
    }  # fmt: skip


def plain(api_version: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}


def write(folder: Path, *objects: dict[str, Any]) -> str:
    path = folder / "m.yaml"
    path.write_text(yaml.safe_dump_all(objects))
    return str(path)


Handler = Callable[[str, str, Mapping[str, str], Any], Reply]


def holding(*objects: dict[str, Any]) -> Handler:
    """A server on which these are."""

    def handle(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        for item in objects:
            if path.endswith(f"s/{item['metadata']['name']}"):
                return answer(200, item)
        return answer(404)

    return handle


def landed(
    folder: Path, *objects: dict[str, Any], there: Handler | None = None, state: tuple[Object, ...] = ()
) -> ManifestPods:
    manifests = read_manifests([write(folder, *objects)], "shop")
    whole = ClusterState.of((node("a"), node("b"), *state), source="test")
    return land(manifests, whole, RULES, "shop", FakeClient(there or holding()))


def test_what_others_need_is_created_first_and_workloads_last(tmp_path: Path) -> None:
    found = landed(
        tmp_path,
        workload("Deployment", "web", replicas=1),
        plain("policy/v1", "PodDisruptionBudget", "web", spec={}),
        plain("v1", "ConfigMap", "settings", data={"a": "b"}),
        plain("v1", "ServiceAccount", "web"),
        plain("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec={}),
        plain("scheduling.k8s.io/v1", "PriorityClass", "high", value=7),
        plain("v1", "Namespace", "shop"),
    )
    assert [(item.object, item.result) for item in found.objects] == [
        ("namespace/shop", "create"),
        ("priorityclass/high", "create"),
        ("serviceaccount/shop/web", "create"),
        ("configmap/shop/settings", "create"),
        ("poddisruptionbudget/shop/web", "create"),
        ("horizontalpodautoscaler/shop/web", "create"),
        ("deploy/shop/web", "create"),
    ]
    assert found.objects[2].manifest == {
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "web", "namespace": "shop"}
    }  # fmt: skip


def test_pods_of_a_deployment_are_equal_and_those_of_a_stateful_set_are_not(tmp_path: Path) -> None:
    found = landed(tmp_path, workload("Deployment", "web", replicas=2), workload("StatefulSet", "db", replicas=3))
    told = [(plan.owner, plan.slot, plan.after) for plan in found.planned.values()]
    assert told == [
        ("deploy/shop/web", "", ""),
        ("deploy/shop/web", "", ""),
        ("sts/shop/db", "db-0", ""),
        ("sts/shop/db", "db-1", "shop/db-0"),
        ("sts/shop/db", "db-2", "shop/db-1"),
    ]
    assert list(found.planned)[2:] == ["shop/db-0", "shop/db-1", "shop/db-2"]


def test_pods_of_an_indexed_job_have_their_index_and_those_of_a_daemon_set_their_node(tmp_path: Path) -> None:
    job = workload("Job", "sum", completionMode="Indexed", completions=2, parallelism=2)
    found = landed(tmp_path, job, workload("DaemonSet", "log"))
    assert [(plan.owner, plan.slot) for plan in found.planned.values()] == [
        ("job/shop/sum", "0"), ("job/shop/sum", "1"), ("ds/shop/log", "a"), ("ds/shop/log", "b"),
    ]  # fmt: skip


def test_a_bare_pod_is_created_as_it_is_written(tmp_path: Path) -> None:
    written = plain("v1", "Pod", "one", spec={"containers": [CONTAINER]})
    found = landed(tmp_path, written)
    created = {**written, "metadata": {"name": "one", "namespace": "shop"}}
    assert found.planned == {"shop/one": Planned(create=created)}
    assert found.objects == ()


def test_what_is_there_as_its_manifest_says_is_left_alone_and_its_waiting_pods_are_bound(tmp_path: Path) -> None:
    written = workload("StatefulSet", "db", replicas=2)
    owner = [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "u1", "controller": True}]
    state = (
        make("StatefulSet", "db", namespace="shop", metadata={"uid": "u1"}, spec=written["spec"]),
        pod("db-0", namespace="shop", node="a", metadata={"ownerReferences": owner}),
        pod("db-1", namespace="shop", metadata={"ownerReferences": owner}),
    )
    there = {**written, "metadata": {"name": "db", "uid": "u1"}}
    found = landed(tmp_path, written, there=holding(there), state=state)
    assert [(item.object, item.result) for item in found.objects] == [("sts/shop/db", "there")]
    assert (found.pods, dict(found.planned)) == (("shop/db-1",), {})


def test_what_is_there_and_differs_is_refused_with_the_field_and_what_to_do(tmp_path: Path) -> None:
    written = workload("Deployment", "web", replicas=2)
    there = workload("Deployment", "web", replicas=5)
    found = landed(tmp_path, written, there=holding(there))
    [item] = found.objects
    assert (item.result, item.text) == (
        "refused", "it exists and differs in spec.replicas: kubectl apply it, then kplan bind deploy/web"
    )  # fmt: skip
    assert found.pods == ()


def test_what_the_api_server_would_refuse_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    found = landed(tmp_path, workload("Deployment", "web", replicas=-1))
    [item] = found.objects
    assert (item.object, item.result) == ("deploy/shop/web", "refused")
    assert "spec.replicas" in item.text
    assert found.planned == {}


def test_an_object_of_which_the_api_server_would_refuse_pods_is_created_all_the_same(tmp_path: Path) -> None:
    quota = make(
        "ResourceQuota", "small", namespace="shop", spec={"hard": {"pods": "2"}},
        status={"hard": {"pods": "2"}, "used": {"pods": "0"}},
    )  # fmt: skip
    found = landed(tmp_path, workload("Deployment", "web", replicas=3), state=(quota,))
    [item] = found.objects
    assert (item.object, item.result, item.refused_pods) == ("deploy/shop/web", "create", 1)
    assert item.text.startswith('1 of 3 pods: pods "web-')
    assert item.text.endswith("exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2")
    assert len(found.planned) == 2


def test_kinds_of_which_bind_creates_nothing_are_said_with_the_way_to_do_it(tmp_path: Path) -> None:
    found = landed(tmp_path, plain("example.com/v1", "Gadget", "g", spec={}))
    assert found.objects == ()
    assert found.notes == (
        f"Gadget g ({tmp_path}/m.yaml:1) is not created: bind creates no Gadgets; "
        f"kubectl apply -f {tmp_path}/m.yaml does, then: kplan bind -n NAMESPACE",
    )


def test_a_cron_job_is_created_and_its_pods_are_for_later(tmp_path: Path) -> None:
    template = workload("Job", "x")["spec"]
    cron = plain("batch/v1", "CronJob", "nightly", spec={"schedule": "0 3 * * *", "jobTemplate": {"spec": template}})
    found = landed(tmp_path, cron)
    assert [(item.object, item.result) for item in found.objects] == [("cronjob/shop/nightly", "create")]
    assert found.planned == {}
    assert found.notes[-1] == "cronjob/shop/nightly makes its pods later: bind them once they exist"


def test_an_object_without_a_name_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}, "spec": {}})
    with pytest.raises(UsageError, match="a Pod without a name"):
        read_manifests([path], "shop")


def test_an_object_that_may_not_be_looked_at_is_said_with_the_way_to_the_rights(tmp_path: Path) -> None:
    def forbid(*request: Any) -> Reply:
        return answer(403, {"message": "secrets is forbidden"})

    with pytest.raises(LiveError) as caught:
        landed(tmp_path, plain("v1", "Secret", "s"), there=forbid)
    assert caught.value.message == "no access while looking for Secret s: secrets is forbidden"
    assert caught.value.hint.endswith("--create --print-rbac prints the rights that it takes")


DIFFERENCES = {
    "the same": ({"spec": {"a": 1}}, {"spec": {"a": 1}}, ""),
    "what others added": ({"spec": {"a": 1}}, {"spec": {"a": 1, "b": 2}, "status": {"x": 1}}, ""),
    "another value": ({"spec": {"a": 1}}, {"spec": {"a": 2}}, "spec.a"),
    "a value that is missing": ({"spec": {"a": 1}}, {"spec": {}}, "spec.a"),
    "an amount in another unit": ({"cpu": "1000m"}, {"cpu": "1"}, ""),
    "another amount": ({"cpu": "1000m"}, {"cpu": "2"}, "cpu"),
    "an amount as a number": ({"cpu": 2}, {"cpu": "2"}, ""),
    "nothing, written out": ({"spec": {"x": [], "y": None, "z": False}}, {"spec": {}}, ""),
    "an element": ({"c": [{"image": "a"}, {"image": "b"}]}, {"c": [{"image": "a"}, {"image": "c"}]}, "c[1].image"),
    "an element more": ({"c": [1]}, {"c": [1, 2]}, "c"),
    "what the server sets": ({"metadata": {"uid": "1", "name": "a"}}, {"metadata": {"uid": "2", "name": "a"}}, ""),
    "texts of a Secret": ({"stringData": {"a": "x"}}, {"data": {"a": "eA=="}}, ""),
    "another text of a Secret": ({"stringData": {"a": "x"}}, {"data": {"a": "eQ=="}}, "data.a"),
    "another version of its API": ({"apiVersion": "apps/v1beta1"}, {"apiVersion": "apps/v1"}, ""),
}


@pytest.mark.parametrize(("written", "there", "field"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_an_object_is_there_if_every_field_that_is_written_is(
    written: dict[str, Any], there: dict[str, Any], field: str
) -> None:
    assert first_difference(written, there) == field


def test_a_deployment_on_a_snapshot_is_shown_with_its_pods_and_needs_create(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = snapshots.write(tmp_path, snapshots.node("n-1"), snapshots.node("n-2"), snapshots.pod("a", on="n-1"))
    manifest = write(tmp_path, workload("Deployment", "web", replicas=2, pod_spec={"schedulerName": "kplan"}))
    assert main(["bind", "-f", manifest, "--snapshot", path, "--create"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("READY    2 of 2 pods would be bound; nothing was written\n")
    assert "made by deploy/default/web" in " ".join(out.split())
    assert "Objects  deploy/default/web  create\n" in out
    assert "--save-plan plan.json" in out  # only a cluster can be written to
    assert main(["bind", "-f", manifest, "--snapshot", path]) == 0
    assert "--create: 1 object of manifests not there: deploy/default/web" in " ".join(capsys.readouterr().out.split())


def test_bindings_of_pods_that_are_yet_to_be_made_are_said_to_have_other_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = snapshots.write(tmp_path, snapshots.node("n-1"), snapshots.pod("a", schedulerName="kplan"))
    manifest = write(tmp_path, workload("Deployment", "web", replicas=1, pod_spec={"schedulerName": "kplan"}))
    assert main(["bind", "-f", manifest, "--snapshot", path, "--create", "-o", "yaml"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# deploy/default/web is yet to make this pod, under another name.\napiVersion: v1\n")
    [binding] = yaml.safe_load_all(out)
    assert (binding["kind"], binding["target"]["name"]) == ("Binding", "n-1")
    assert main(["bind", "a", "--snapshot", path, "-o", "yaml"]) == 0
    assert "#" not in capsys.readouterr().out


def test_rights_are_those_that_the_manifest_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = write(tmp_path, workload("StatefulSet", "db"), plain("v1", "ConfigMap", "c"))
    assert main(["bind", "--print-rbac", "-f", manifest, "--create"]) == 0
    role, _ = yaml.safe_load_all(capsys.readouterr().out)
    created = {rule["resources"][0] for rule in role["rules"] if "create" in rule["verbs"]}
    assert created == {"pods/binding", "statefulsets", "configmaps", "resourceclaims"}


def test_a_stateful_sets_pods_after_one_that_fits_nowhere_are_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = snapshots.write(tmp_path, snapshots.node("n-1", cpu="1"))
    manifest = write(tmp_path, workload("StatefulSet", "db", replicas=3, pod_spec={"schedulerName": "kplan"}))
    assert main(["bind", "-f", manifest, "--snapshot", path, "--create", "-o", "json"]) == 1
    pods = json.loads(capsys.readouterr().out)["pods"]
    assert [entry["result"] for entry in pods] == ["bind", "pending", "pending"]
    assert pods[2]["because"] == {
        "code": "made-later", "text": "sts/default/db makes it only once default/db-1 is ready"
    }  # fmt: skip


def test_pods_that_admission_refuses_are_told_apart_from_their_object_which_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hard = {"pods": "2"}
    quota = plain("v1", "ResourceQuota", "small", spec={"hard": hard}, status={"hard": hard, "used": {"pods": "1"}})
    quota["metadata"]["namespace"] = "default"
    path = snapshots.write(tmp_path, snapshots.node("n-1"), snapshots.pod("a", on="n-1"), quota)
    manifest = write(tmp_path, workload("Deployment", "web", replicas=3, pod_spec={"schedulerName": "kplan"}))
    assert main(["bind", "-f", manifest, "--snapshot", path, "--create"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(
        "READY 1 of 3 pods would be bound; 2 pods of deploy/default/web would be refused, which itself is accepted; "
        "nothing was written Because deploy/default/web: 2 of 3 pods: pods "
    )
    assert "Objects deploy/default/web create: 2 of 3 pods: pods " in out
