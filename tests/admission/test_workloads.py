"""Workloads become the pods that the controllers make; expected values are those of a real control plane (1.37.2)."""

import re

import pytest

from kplan.admission.controllers.names import Names
from kplan.objects.generated_names import indexed_base, template_hash
from kplan.objects.models import Object, PersistentVolumeClaim, ReplicaSet
from tests.admission.manifests import expand_file, expand_text
from tests.builders import make, node, pod

SAFE = "[bcdfghjklmnpqrstvwxz2456789]"


@pytest.mark.parametrize(
    ("file", "names"),
    [
        pytest.param("web.yaml", [rf"web-{SAFE}{{8,10}}-{SAFE}{{5}}"] * 3, id="a Deployment's pods: set, hash, suffix"),
        pytest.param("store.yaml", ["store-5", "store-6"], id="a StatefulSet's pods count from ordinals.start"),
        pytest.param(
            "jobs.yaml",
            [f"once-{SAFE}{{5}}", f"indexed-0-{SAFE}{{5}}", f"indexed-1-{SAFE}{{5}}"] + [f"few-{SAFE}{{5}}"] * 2,
            id="jobs: parallelism, indexes, no more than completions, none while suspended",
        ),
        pytest.param("nightly.yaml", [rf"nightly-\d{{8}}-{SAFE}{{5}}"] * 2, id="a CronJob: the pods of one run"),
        pytest.param(
            "old.yaml", [f"old-{SAFE}{{5}}"] * 2 + [f"bare-{SAFE}{{5}}"] * 2, id="controllers without a Deployment"
        ),
    ],
)
def test_names(file: str, names: list[str]) -> None:
    pods = [one.pod.name for one in expand_file(file).pods]
    assert len(pods) == len(names) == len(set(pods))
    for pattern, name in zip(names, pods, strict=True):
        assert re.fullmatch(pattern, name), name


def test_operators_make_pods_by_the_table() -> None:
    found = expand_file("operators.yaml", pod_templates={"Fleet": "spec.ships.template"})
    names = [re.sub(f"-{SAFE}{{5}}$", "-*", one.pod.name) for one in found.pods]
    assert names[:4] == ["train-workers-0-0-*", "train-workers-0-1-*", "train-workers-1-0-*", "train-workers-1-1-*"]
    assert names[4:10] == ["serve-0", "serve-0-1", "serve-0-2", "serve-1", "serve-1-1", "serve-1-2"]
    assert [re.sub(f"-{SAFE}{{8,10}}-", "-#-", name) for name in names[10:12]] == ["canary-#-*"] * 2
    assert (
        names[12:]
        == ["ray-head-*", *["ray-gpu-worker-*"] * 4, "fit-master-0", "fit-worker-0", "fit-worker-1"] + ["ships-*"] * 2
    )
    labels = found.pods[3].pod.labels
    assert labels["jobset.sigs.k8s.io/job-index"] == "1"
    assert labels["batch.kubernetes.io/job-completion-index"] == "1"


def test_the_namespace_of_the_command_line_holds_for_every_kind() -> None:
    for file in ("web.yaml", "store.yaml", "operators.yaml", "pods.yaml"):
        found = expand_file(file, namespace="shop")
        assert {one.pod.namespace for one in found.pods} == {"shop"}


def test_an_unknown_kind_is_listed_with_what_would_help() -> None:
    (line,) = map(str, expand_file("operators.yaml").not_expanded)
    assert line.startswith("Fleet default/ships (")
    assert line.endswith(
        "kplan does not know what example.com/v1 Fleet makes; --pod-template says where its pod template is"
    )


def test_labels_and_owners_of_a_deployment() -> None:
    found = expand_file("web.yaml")
    pod = found.pods[0].pod
    (replica_set,) = [one for one in found.objects if isinstance(one, ReplicaSet)]
    stamp = pod.labels["pod-template-hash"]
    assert pod.labels == {"app": "web", "tier": "front", "pod-template-hash": stamp}
    assert replica_set.name == f"web-{stamp}"
    assert replica_set.spec.selector is not None
    assert replica_set.spec.selector.match_labels == {"app": "web", "pod-template-hash": stamp}
    (owner,) = pod.metadata.owner_references or []
    assert (owner.kind, owner.name, owner.uid, owner.controller) == (
        "ReplicaSet",
        replica_set.name,
        replica_set.metadata.uid,
        True,
    )
    assert [one.workload for one in found.pods] == ["deploy/default/web"] * 3
    assert found.pods[0].place.endswith("web.yaml:2")


def test_claims_of_a_stateful_set() -> None:
    found = expand_file("store.yaml")
    claims = [one for one in found.objects if isinstance(one, PersistentVolumeClaim)]
    assert [(claim.name, claim.spec.storage_class_name, claim.labels) for claim in claims] == [
        ("data-store-5", "standard", {"keep": "yes", "app": "store"}),
        ("fast-store-5", "fast", {"app": "store"}),
        ("data-store-6", "standard", {"keep": "yes", "app": "store"}),
        ("fast-store-6", "fast", {"app": "store"}),
    ]
    pod = found.pods[0].pod
    volumes = {
        v.name: v.persistent_volume_claim.claim_name for v in pod.spec.volumes or () if v.persistent_volume_claim
    }
    assert volumes == {"data": "data-store-5", "fast": "fast-store-5"}
    assert pod.labels["statefulset.kubernetes.io/pod-name"] == "store-5"
    assert pod.labels["apps.kubernetes.io/pod-index"] == "5"
    assert re.fullmatch(f"store-{SAFE}{{8,10}}", pod.labels["controller-revision-hash"])
    assert "storageClassName standard of claim data-store-5 from the default StorageClass" in found.pods[0].added


@pytest.mark.parametrize(
    ("labels", "taints", "runs"),
    [
        pytest.param({}, [], True, id="a plain node"),
        pytest.param({"kubernetes.io/os": "windows"}, [], False, id="another nodeSelector label"),
        pytest.param({"pool": "edge"}, [], False, id="its node affinity says no"),
        pytest.param({}, ["gpu:NoSchedule"], True, id="a taint it tolerates"),
        pytest.param({}, ["gpu:NoExecute"], False, id="the same taint with another effect"),
        pytest.param({}, ["x:PreferNoSchedule"], True, id="a soft taint does not matter"),
        pytest.param({}, ["node.kubernetes.io/unschedulable:NoSchedule"], True, id="a cordoned node"),
        pytest.param({}, ["node.kubernetes.io/not-ready:NoExecute"], True, id="a node that is not ready"),
        pytest.param({}, ["node.kubernetes.io/network-unavailable:NoSchedule"], True, id="no network, on the host's"),
    ],
)
def test_daemon_pods(labels: dict[str, str], taints: list[str], runs: bool) -> None:
    one = node("a", labels={"kubernetes.io/os": "linux", **labels}, taints=taints)
    found = expand_file("agent.yaml", one)
    assert len(found.pods) == runs
    if runs:
        affinity = found.pods[0].pod.spec.affinity
        assert affinity is not None
        assert affinity.node_affinity is not None
        assert affinity.node_affinity.required is not None
        (term,) = affinity.node_affinity.required.node_selector_terms or []
        assert [(f.key, f.operator, f.values) for f in term.match_fields or ()] == [("metadata.name", "In", ["a"])]
        assert term.match_expressions is None


def test_a_chart_leaves_out_hooks_and_lists_definitions() -> None:
    found = expand_file("chart.yaml", namespace="shop")
    assert [one.workload for one in found.pods] == ["deploy/shop/api"]
    assert [line.partition(" (")[0] for line in found.notes] == ["Job shop/migrate"]
    assert "a Helm hook (pre-install)" in found.notes[0]
    assert [one.kind for one in found.not_expanded] == ["CustomResourceDefinition"]


def test_a_job_label_is_that_of_the_controller() -> None:
    pod = expand_file("jobs.yaml").pods[1].pod
    assert pod.labels["job-name"] == pod.labels["batch.kubernetes.io/job-name"] == "indexed"
    assert pod.labels["controller-uid"] == (pod.metadata.owner_references or [])[0].uid
    assert pod.labels["batch.kubernetes.io/job-completion-index"] == "0"
    assert pod.annotations["batch.kubernetes.io/job-completion-index"] == "0"


def test_names_are_the_same_each_time_and_never_taken_twice() -> None:
    assert [one.pod.name for one in expand_file("web.yaml").pods] == [
        one.pod.name for one in expand_file("web.yaml").pods
    ]
    names = Names()
    made = [names.generate("web-", "default", number) for number in range(3000)]
    assert len(set(made)) == 3000
    assert Names(set(names.taken)).generate("web-", "default") not in made


@pytest.mark.parametrize(
    ("base", "length"),
    [pytest.param("a" * 10 + "-", 16, id="short"), pytest.param("a" * 80, 63, id="cut so that 63 are left")],
)
def test_generated_names_are_cut(base: str, length: int) -> None:
    assert len(Names().generate(base, "default")) == length


def test_the_index_survives_the_cut() -> None:
    assert indexed_base("j" * 60, 12) == "j" * 54 + "-12-"


def test_a_hash_is_written_as_kubernetes_writes_it() -> None:
    # fnv32a of an empty input is 2166136261; its digits in the safe alphabet
    assert re.fullmatch(f"{SAFE}{{1,10}}", template_hash({"a": 1}))
    assert template_hash({"a": 1, "b": 2}) == template_hash({"b": 2, "a": 1})


def test_a_spec_is_shared_by_equal_pods() -> None:
    pods = [one.pod for one in expand_file("web.yaml").pods]
    assert pods[0].spec is pods[1].spec is pods[2].spec


def test_an_ephemeral_volume_gets_its_claim() -> None:
    found = expand_file("pods.yaml")
    (claim,) = [one for one in found.objects if isinstance(one, PersistentVolumeClaim)]
    assert (claim.name, claim.spec.storage_class_name, claim.labels) == ("scratch-tmp", "standard", {"kind": "scratch"})
    scratch = next(one.pod for one in found.pods if one.pod.name == "scratch")
    assert [owner.uid for owner in claim.metadata.owner_references or ()] == [scratch.metadata.uid]


def test_a_missing_template_of_an_operator_is_said() -> None:
    found = expand_text(
        "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: a}, spec: {}}"
    )
    (line,) = map(str, found.not_expanded)
    assert line == (
        "LeaderWorkerSet default/a (standard input:1): spec.leaderWorkerTemplate.workerTemplate: "
        "there is no pod template here"
    )


def test_an_index_that_may_fail_counts_its_failures() -> None:
    text = (
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {completionMode: Indexed, completions: 1, "
        "backoffLimitPerIndex: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}"
    )
    (found,) = expand_text(text).pods
    assert found.pod.annotations == {
        "batch.kubernetes.io/job-completion-index": "0",
        "batch.kubernetes.io/job-index-failure-count": "0",
    }


POD = (
    "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{nr: '{}'}}}}, "
    "spec: {{containers: [{{name: c, image: x}}]}}}}"
)
SET = (
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: "
    "{a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}"
)


def test_of_an_object_that_is_written_twice_the_last_counts() -> None:
    found = expand_text("\n---\n".join(POD.format("p", number) for number in (1, 2, 3)))
    (only,) = found.pods
    assert only.pod.labels == {"nr": "3"}
    assert list(found.notes) == [
        f"Pod default/p (standard input:{line}): written again at standard input:5, and the last counts"
        for line in (1, 3)
    ]
    found = expand_text("\n---\n".join([POD.format("p", 1)] * 2))
    assert (len(found.pods), found.notes) == (1, ())


def test_a_pod_of_a_set_whose_name_is_taken_is_refused() -> None:
    found = expand_text(SET, pod("web-1"))
    assert [one.pod.name for one in found.pods] == ["web-0"]
    assert [(left.why, left.pods) for left in found.refused] == [('1 of 2 pods: pods "web-1" already exists', 1)]
    found = expand_text(f"{POD.format('web-0', 1)}\n---\n{SET}")
    assert [one.pod.name for one in found.pods] == ["web-0"]  # the one that is no part of it
    assert [(left.why, left.pods) for left in found.refused] == [
        ('1 of 2 pods: pods "web-0" already exists; web-1 is not made before web-0 is', 2)
    ]


@pytest.mark.parametrize(
    ("policy", "taken", "made", "why"),
    [
        pytest.param(
            "OrderedReady", "web-1", ["web-0"],
            'pods "web-1" already exists; web-2, web-3, web-4, +1 are not made before web-1 is', id="in order",
        ),
        pytest.param(
            "Parallel", "web-0", [],
            'pods "web-0" already exists; web-1, web-2, web-3, +2 are not made before web-0 is', id="the first batch",
        ),
        pytest.param(
            "Parallel", "web-1", ["web-0", "web-2"],
            'pods "web-1" already exists; web-3, web-4, web-5 are not made before web-1 is', id="a batch of two",
        ),
        pytest.param(
            "Parallel", "web-4", ["web-0", "web-1", "web-2", "web-3", "web-5"], 'pods "web-4" already exists',
            id="a batch of four",
        ),
    ],
)  # fmt: skip
def test_a_set_stops_at_a_pod_that_cannot_be_made(policy: str, taken: str, made: list[str], why: str) -> None:
    text = SET.replace("replicas: 2", f"replicas: 6, podManagementPolicy: {policy}")
    found = expand_text(text, pod(taken))
    assert [one.pod.name for one in found.pods] == made
    assert [(left.why, left.pods) for left in found.refused] == [(f"1 of 6 pods: {why}", 6 - len(made))]


LABELLED = {"a": "b"}
STAMPED = {**LABELLED, "controller-revision-hash": "web-1"}
OF_ANOTHER = {"ownerReferences": [{"kind": "ReplicaSet", "name": "other", "uid": "o", "controller": True}]}


def of_set(name: str) -> Object:
    """A pod as ``SET`` makes them; of others tests/admission/test_adoption.py tells."""
    return pod(name, labels=STAMPED, containers=[{"name": "c", "image": "x"}])


@pytest.mark.parametrize(
    ("kind", "there", "made", "leaving"),
    [
        pytest.param("StatefulSet", [of_set("web-0")], ["web-1"], [], id="a set: the pod of its name"),
        pytest.param(
            "StatefulSet", [pod("web-x", labels=LABELLED), pod("db-0", labels=LABELLED)], ["web-0", "web-1"], [],
            id="a set: pods of other names are none of its own",
        ),
        pytest.param(
            "StatefulSet", [of_set(f"web-{number}") for number in range(3)], [], ["default/web-2"],
            id="a set: one that is too many leaves",
        ),
        pytest.param("ReplicaSet", [pod("anything", labels=LABELLED)], ["web-*"], [], id="a ReplicaSet: any name"),
        pytest.param(
            "ReplicaSet", [pod(f"p-{n}", labels=LABELLED, node="n") for n in "ab"] + [pod("p-c", labels=LABELLED)], [],
            ["default/p-c"], id="a ReplicaSet: of three the one without a node leaves",
        ),
        pytest.param("ReplicaSet", [pod("other", labels={"a": "c"})], ["web-*", "web-*"], [], id="other labels"),
        pytest.param(
            "ReplicaSet", [pod("owned", labels=LABELLED, metadata=OF_ANOTHER)], ["web-*", "web-*"], [], id="owned",
        ),
        pytest.param(
            "ReplicaSet", [pod("ended", labels=LABELLED, status={"phase": "Succeeded"})], ["web-*", "web-*"], [],
            id="ended",
        ),
        pytest.param("Deployment", [pod("p", labels=LABELLED)], ["web-*", "web-*"], [], id="a Deployment: no pods"),
    ],
)  # fmt: skip
def test_pods_without_an_owner_that_the_selector_matches_are_adopted(
    kind: str, there: list[Object], made: list[str], leaving: list[str]
) -> None:
    found = expand_text(SET.replace("StatefulSet", kind), *there)
    names = [one.pod.name if kind == "StatefulSet" else re.sub("^web-.*", "web-*", one.pod.name) for one in found.pods]
    assert (names, not found.refused) == (made, True)
    (change,) = found.changes
    assert list(change.leaving) == leaving
    assert any("without an owner" in note for note in found.notes) == (len(made) < 2)


def test_workers_of_ray_are_as_many_as_its_api_server_and_controller_make_them() -> None:
    template = "template: {spec: {containers: [{name: c, image: i}]}}"
    groups = ", ".join(
        f"{{groupName: {name}, {more}{template}}}"
        for name, more in (("none", ""), ("least", "minReplicas: 2, "), ("hosts", "replicas: 1, numOfHosts: 2, "))
    )
    spec = f"headGroupSpec: {{{template}}}, workerGroupSpecs: [{groups}, {{groupName: off, suspend: true, {template}}}]"
    found = expand_text(
        f"{{apiVersion: ray.io/v1, kind: RayJob, metadata: {{name: r}}, spec: {{rayClusterSpec: {{{spec}}}}}}}"
    )
    names = [re.sub(f"-{SAFE}{{5}}$", "", one.pod.name) for one in found.pods]
    assert names == ["r-head", "r-least-worker", "r-least-worker", "r-hosts-worker", "r-hosts-worker", "r"]
    assert found.notes == (
        "rayjob/default/r: the pod that submits it is made once its cluster is ready, and planned with the others",
    )


@pytest.mark.parametrize(
    ("more", "image", "requests"),
    [
        pytest.param("", "head:1", {"cpu": "500m", "memory": "200Mi"}, id="KubeRay's own"),
        pytest.param(
            "submitterPodTemplate: {spec: {restartPolicy: Never, containers: [{name: s, image: mine, "
            "resources: {requests: {cpu: 2}}}]}}, ",
            "mine", {"cpu": "2"}, id="of the template it names",
        ),
        pytest.param("submissionMode: HTTPMode, ", "", {}, id="none where the operator submits it itself"),
    ],
)  # fmt: skip
def test_the_pod_that_submits_a_ray_job(more: str, image: str, requests: dict[str, str]) -> None:
    cluster = "rayClusterSpec: {headGroupSpec: {template: {spec: {containers: [{name: c, image: 'head:1'}]}}}}"
    found = expand_text(f"{{apiVersion: ray.io/v1, kind: RayJob, metadata: {{name: r}}, spec: {{{more}{cluster}}}}}")
    pods = [one.pod for one in found.pods if "-head-" not in one.pod.name]
    assert len(pods) == bool(image)
    for one in pods:
        (container,) = one.spec.containers or []
        assert (container.image, container.resources.requests if container.resources else None) == (image, requests)
        assert [(owner.kind, owner.name) for owner in one.metadata.owner_references or ()] == [("Job", "r")]


def test_servers_of_the_prometheus_operator_are_not_taken_for_objects_without_pods() -> None:
    kinds = ("ServiceMonitor", "Prometheus", "Alertmanager")
    form = "{{apiVersion: monitoring.coreos.com/v1, kind: {}, metadata: {{name: m}}, spec: {{replicas: 2}}}}"
    found = expand_text("\n---\n".join(form.format(kind) for kind in kinds))
    assert [left.kind for left in found.not_expanded] == ["Prometheus", "Alertmanager"]
    assert found.silent == 1


def test_namespaces_that_every_cluster_has_are_not_missed() -> None:
    text = "\n---\n".join(POD.format(f"p, namespace: {space}", 1) for space in ("default", "kube-system", "shop"))
    found = expand_text(text, make("Namespace", "ops"))
    assert found.notes == ("namespace shop does not exist: it has to be made first",)
