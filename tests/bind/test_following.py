"""What a run follows beside pods and nodes: what its plan depends on; where that may not be seen, it is said."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
import yaml

from kplan.bind.plan.following import EVERY_KIND, OF_VOLUMES, followed
from kplan.bind.plan.guards import watch_guards
from kplan.bind.plan.rights import Needs, cluster_role, following
from kplan.bind.run.watch import Seen, Watch, Watches
from kplan.config import features
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import PersistentVolumeClaim, Pod
from kplan.result.document_bind import BindPod
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.live.lists import list_kind, path_of
from kplan.sources.live.reflector import Changed, Listed
from tests.bind.fakes import FakeClient, answer
from tests.bind.test_live import bound_claim, info, live
from tests.bind.test_show import mine
from tests.builders import make, node, pod
from tests.sources.test_live_parts import FakeConnection

VOLUMES = ["storageclasses", "csinodes", "persistentvolumes", "persistentvolumeclaims"]


def term(selector: Any) -> dict[str, Any]:
    return {"topologyKey": "host", "labelSelector": {}, "namespaceSelector": selector}


def affinity(kind: str, selector: Any, *, preferred: bool = False) -> dict[str, Any]:
    if preferred:
        weighted = {"weight": 1, "podAffinityTerm": term(selector)}
        return {"affinity": {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term(selector)]}}}


LABELLED: dict[str, Any] = {"matchLabels": {"team": "red"}}
CLAIM = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
TOKEN = [{"name": "kube-api-access-x", "projected": {}}, {"name": "c", "configMap": {"name": "c"}}]
DISK = [{"name": "d", "awsElasticBlockStore": {"volumeID": "v"}}]
EPHEMERAL = [{"name": "d", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]

DEPENDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a pod with nothing": ({}, []),
    "a token and a ConfigMap": ({"volumes": TOKEN}, []),
    "a claim": ({"volumes": CLAIM}, VOLUMES),
    "a claim made for the pod": ({"volumes": EPHEMERAL}, VOLUMES),
    "a disk that counts against a limit": ({"volumes": DISK}, VOLUMES),
    "a term with a namespaceSelector": (affinity("podAffinity", LABELLED), ["namespaces"]),
    "one that keeps away": (affinity("podAntiAffinity", LABELLED), ["namespaces"]),
    "an empty selector takes every namespace": (affinity("podAffinity", {}), []),
    "a preferred term only weighs": (affinity("podAffinity", LABELLED, preferred=True), []),
}


@pytest.mark.parametrize(("spec", "kinds"), DEPENDS.values(), ids=DEPENDS)
def test_what_is_followed_is_what_the_pods_depend_on(spec: dict[str, Any], kinds: list[str]) -> None:
    there = [pod("a", **spec)]
    assert [kind.plural for kind in followed([BindPod(pod="default/a", result="bind")], there)] == kinds
    assert followed([BindPod(pod="default/a", result="pending")], there) == ()


def test_a_pod_of_others_that_keeps_namespaces_away_counts() -> None:
    there = [pod("a"), pod("other", node="n", **affinity("podAntiAffinity", LABELLED))]
    assert [kind.plural for kind in followed([BindPod(pod="default/a", result="bind")], there)] == ["namespaces"]
    there = [pod("a"), pod("other", node="n", **affinity("podAffinity", LABELLED))]
    assert followed([BindPod(pod="default/a", result="bind")], there) == ()


def test_of_pods_that_are_not_there_the_manifest_or_the_digests_tell() -> None:
    manifest = {"metadata": {"name": "new"}, "spec": {"containers": [], "volumes": CLAIM}}
    created = BindPod(pod="default/new", result="bind", create=manifest)
    assert [kind.plural for kind in followed([created], [])] == VOLUMES
    made = BindPod(pod="default/db-0", result="bind", owner="sts/default/db", fields={"volumes": "1", "affinity": "2"})
    assert [kind.plural for kind in followed([made], [])] == ["namespaces", *VOLUMES]
    assert followed([BindPod(pod="default/web-x", result="bind", owner="deploy/default/web")], []) == ()


def test_following_takes_the_right_to_list_and_to_watch() -> None:
    assert [(right.group, str(right), right.namespaced) for right in following(OF_VOLUMES[2:])] == [
        ("", "persistentvolumes list", False),
        ("", "persistentvolumes watch", False),
        ("", "persistentvolumeclaims list", False),
        ("", "persistentvolumeclaims watch", False),
    ]


def test_the_role_that_is_printed_lets_all_be_followed() -> None:
    role, _ = yaml.safe_load_all(cluster_role(Needs(), features("1.37").features))
    assert {rule["resources"][0]: rule["verbs"] for rule in role["rules"]} == {
        "nodes": ["get", "list", "watch"],
        "pods": ["get", "list", "watch"],
        "pods/binding": ["create"],
        "namespaces": ["list", "watch"],
        "persistentvolumes": ["list", "watch"],
        "persistentvolumeclaims": ["list", "watch"],
        "storageclasses": ["list", "watch"],
        "csinodes": ["list", "watch"],
        "deviceclasses": ["list", "watch"],
        "resourceslices": ["list", "watch"],
        "resourceclaims": ["list", "watch"],
    }
    groups = {rule["resources"][0]: rule["apiGroups"] for rule in role["rules"]}
    assert groups["csinodes"] == groups["storageclasses"] == ["storage.k8s.io"]


def test_a_right_to_follow_that_is_missing_is_said_and_stops_nothing() -> None:
    def handler(method: str, path: str, query: Any, body: Any) -> Any:
        wanted = body["spec"]["resourceAttributes"]
        denied = (wanted["resource"], wanted["verb"]) in {("persistentvolumes", "watch"), ("csinodes", "list")}
        return answer(201, {"status": {"allowed": not denied}})

    [guard] = watch_guards(FakeClient(handler), OF_VOLUMES)
    assert (guard.name, guard.state) == ("watch", "--")
    assert guard.text == (
        "changes that others make to csinodes, persistentvolumes go unseen: no right to list and watch them"
    )
    allowed = FakeClient(lambda *request: answer(201, {"status": {"allowed": True}}))
    assert list(watch_guards(allowed, OF_VOLUMES)) == []
    assert list(watch_guards(allowed, ())) == []
    assert len(allowed.sent) == 8  # of four kinds, list and watch


class Refusing(FakeClient):
    """Lets nobody watch."""

    def __init__(self) -> None:
        super().__init__(lambda *request: answer(404))
        self.paths: list[str] = []

    def lines(self, path: str, query: Mapping[str, str], *, what: str, quiet: float) -> Iterator[bytes]:
        self.paths.append(f"{path} from {query['resourceVersion']}")
        raise ServerAnswer(403, "no")


def test_each_kind_is_followed_at_its_own_path_and_a_refusal_is_not_asked_about_again_at_once() -> None:
    client = Refusing()
    watches = Watches.of(client, {"Pod": "7", "CSINode": "9"}, EVERY_KIND)
    watches.start()
    for watch in watches._all():
        watch._reflector.join(0.7)
    watches.close()
    assert sorted(client.paths) == [
        "/api/v1/namespaces from ", "/api/v1/nodes from ", "/api/v1/persistentvolumeclaims from ",
        "/api/v1/persistentvolumes from ", "/api/v1/pods from 7",
        "/apis/resource.k8s.io/v1/deviceclasses from ", "/apis/resource.k8s.io/v1/resourceclaims from ",
        "/apis/resource.k8s.io/v1/resourceslices from ", "/apis/storage.k8s.io/v1/csinodes from 9",
        "/apis/storage.k8s.io/v1/storageclasses from ",
    ]  # fmt: skip


def test_what_is_followed_is_taken_in() -> None:
    cluster = live(node("node-a"), mine("a"))
    client = Refusing()
    watches = Watches.of(client, {}, OF_VOLUMES)
    class_ = make("StorageClass", "fast", provisioner="x")
    watches.objects["storage_classes"]._queue.put(Changed("StorageClass", "9", class_))
    kind = BY_MODEL[PersistentVolumeClaim]
    there = FakeConnection({path_of(kind): {"items": [msgspec.to_builtins(bound_claim())]}})
    there.server = "https://test"
    watches.objects["persistent_volume_claims"]._queue.put(Listed(list_kind(there, kind, lambda *_: None)))
    cluster._watches = watches
    cluster.follow()
    assert list(cluster.cluster.objects.storage_classes) == ["fast"]
    assert list(cluster.cluster.objects.persistent_volume_claims) == ["default/data"]
    assert isinstance(watches.pods, Watch)


def away(name: str, where: str) -> Pod:
    """A pod that keeps those of red teams off its host."""
    return pod(
        name, node=where, schedulerName="kplan", namespace="ops", labels={"app": "x"},
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {}, "namespaceSelector": LABELLED}
        ]}},
    )  # fmt: skip


def test_a_namespace_that_is_labelled_after_the_plan_counts() -> None:
    cluster = live(
        node("node-a", labels={"kubernetes.io/hostname": "node-a"}),
        make("Namespace", "default"),
        away("keeper", "node-a"),
        mine("a"),
    )
    assert cluster.feasible(info(cluster, "a"), "node-a") == ""
    red = make("Namespace", "default", metadata={"labels": {"team": "red"}})
    cluster.seen_object("namespaces", Seen(red))
    assert cluster.feasible(info(cluster, "a"), "node-a") == (
        "node-a no longer fits it: node(s) didn't satisfy existing pods anti-affinity rules"
    )
    cluster.seen_object("namespaces", Seen(red, gone=True))
    assert cluster.feasible(info(cluster, "a"), "node-a") == ""


def test_a_storage_class_that_is_deleted_after_the_plan_counts() -> None:
    waiting = make("StorageClass", "slow", provisioner="x", volumeBindingMode="WaitForFirstConsumer")
    claim = make("PersistentVolumeClaim", "data", namespace="default", spec={
        "accessModes": ["ReadWriteOnce"], "storageClassName": "slow", "resources": {"requests": {"storage": "1Gi"}},
    })  # fmt: skip
    cluster = live(node("node-a"), waiting, claim, mine("a", volumes=CLAIM))
    assert cluster.feasible(info(cluster, "a"), "node-a") == ""
    cluster.seen_object("storage_classes", Seen(waiting, gone=True))
    assert cluster.feasible(info(cluster, "a"), "node-a").startswith("node-a no longer fits it: ")
