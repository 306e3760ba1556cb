"""Workloads become the pods that the controllers make; expected values are those of a real control plane (1.37.2)."""

import re

import pytest

from kplan.admission.names import Names, indexed_base, template_hash
from kplan.objects.models import PersistentVolumeClaim, ReplicaSet
from tests.admission.manifests import expand_file, expand_text
from tests.builders import node

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
