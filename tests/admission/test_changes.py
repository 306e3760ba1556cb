"""A manifest of something that runs; rollouts as a real deployment controller carries them out (1.37.2)."""

import msgspec
import pytest

from kplan.admission.controllers.fleets import fenceposts
from kplan.objects.lean import replace
from kplan.objects.models import Deployment, LabelSelector, Object, Pod, ReplicaSet
from tests.admission.manifests import deployment, expand_text, running
from tests.builders import make, node, pod


@pytest.mark.parametrize(
    ("manifest", "verdict", "before", "after", "new", "leaving"),
    [
        pytest.param(deployment(3), "unchanged", 3, 3, 0, 0, id="the same"),
        pytest.param(deployment(5), "scaled", 3, 5, 2, 0, id="more of them"),
        pytest.param(deployment(1), "scaled", 3, 1, 0, 2, id="fewer of them"),
        pytest.param(deployment(3, image="b"), "changed", 3, 3, 3, 3, id="another image"),
        pytest.param(deployment(4, cpu="1"), "changed", 3, 4, 4, 3, id="another request, and more of them"),
    ],
)
def test_verdicts(manifest: str, verdict: str, before: int, after: int, new: int, leaving: int) -> None:
    found = expand_text(manifest, *running(3))
    (change,) = found.changes
    assert (change.verdict, change.before, change.after) == (verdict, before, after)
    assert (len(found.pods), len(change.leaving)) == (new, leaving)
    assert change.strategy == ("RollingUpdate" if verdict == "changed" else "")


def test_pods_that_are_added_belong_to_the_set_that_runs() -> None:
    there = running(2)
    found = expand_text(deployment(3), *there)
    (owner,) = [one for one in there if isinstance(one, ReplicaSet)]
    (added,) = found.pods
    assert [(o.name, o.uid) for o in added.pod.metadata.owner_references or ()] == [(owner.name, owner.metadata.uid)]
    assert added.pod.name not in {one.name for one in there}
    assert not [one for one in found.objects if isinstance(one, ReplicaSet)]


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "wanted"),
    [
        pytest.param("25%", "25%", 5, (2, 1), id="surge rounds up, unavailable down"),
        pytest.param("0%", "10%", 5, (0, 1), id="both zero: one may be missing"),
        pytest.param(3, 0, 5, (3, 0), id="numbers"),
    ],
)
def test_fenceposts(surge: object, unavailable: object, replicas: int, wanted: tuple[int, int]) -> None:
    assert fenceposts(surge, unavailable, replicas) == wanted


def test_a_paused_deployment_has_only_the_pods_of_its_template_that_runs() -> None:
    paused = deployment(3, image="b").replace("spec:\n  replicas", "spec:\n  paused: true\n  replicas", 1)
    new = expand_text(paused)
    assert (len(new.pods), new.notes) == (0, ("deploy/default/web: paused: it makes no ReplicaSet, so no pods",))
    found = expand_text(paused, *running(2))
    assert [(change.verdict, change.strategy) for change in found.changes] == [("scaled", "")]
    assert [(one.pod.spec.containers or [])[0].image for one in found.pods] == ["a"]


@pytest.mark.parametrize(
    ("kind", "leaving"),
    [
        pytest.param("Deployment", ["default/crowded-a"], id="crowded nodes first"),
        pytest.param("ReplicaSet", ["default/alone"], id="no owner: crowds do not matter, the newest goes"),
    ],
)
def test_who_leaves_when_a_workload_shrinks(kind: str, leaving: list[str]) -> None:
    there = running(3)
    if kind == "ReplicaSet":
        there = [one for one in there if not isinstance(one, Deployment)]
    (owner,) = [one for one in there if isinstance(one, ReplicaSet)]
    name = "web" if kind == "ReplicaSet" else owner.name
    owner.metadata.name = name
    if kind == "ReplicaSet":
        owner.metadata.owner_references = None
        owner.spec.selector = LabelSelector(match_labels={"app": "web"})
    pods = [one for one in there if isinstance(one, Pod)]
    for one, called, on, since in zip(pods, ("crowded-a", "crowded-b", "alone"), "mmn", (2, 1, 3), strict=True):
        one.metadata.name = called
        one.metadata.creation_timestamp = f"2026-01-01T00:00:0{since}Z"
        one.spec = msgspec.structs.replace(one.spec, node_name=on)
    text = deployment(2).replace("Deployment", kind)
    if kind == "ReplicaSet":
        text = text.replace("  strategy: {}\n", "")
    (change,) = expand_text(text, *there).changes
    assert list(change.leaving) == leaving


def test_what_kubectl_applied_tells_what_kplan_does_not_read() -> None:
    there = running(2)
    (item,) = [one for one in there if isinstance(one, Deployment)]
    text = deployment(2).replace("image: a", "image: a, env: [{name: X, value: '1'}]")
    assert expand_text(text, *there).changes[0].verdict == "unchanged"
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "a"}]},
    }
    applied = msgspec.json.encode({"spec": {"template": template}}).decode()
    item.metadata = replace(item.metadata, annotations={"kubectl.kubernetes.io/last-applied-configuration": applied})
    assert expand_text(text, *there).changes[0].verdict == "changed"
    assert expand_text(deployment(2), *there).changes[0].verdict == "unchanged"


@pytest.mark.parametrize(
    ("image", "applied", "verdict", "after", "new"),
    [
        pytest.param("a", None, "unchanged", 3, 0, id="an autoscaler's stay"),
        pytest.param("b", None, "changed", 3, 3, id="also in a rollout"),
        pytest.param("a", 2, "scaled", 1, 0, id="those that were applied before are taken away"),
    ],
)
def test_replicas_that_a_manifest_leaves_out(
    image: str, applied: int | None, verdict: str, after: int, new: int
) -> None:
    there = running(3)
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "a"}]}}
    (item,) = [one for one in there if isinstance(one, Deployment)]
    if applied:
        written = msgspec.json.encode({"spec": {"replicas": applied, "template": template}}).decode()
        item.metadata = replace(
            item.metadata, annotations={"kubectl.kubernetes.io/last-applied-configuration": written}
        )
    found = expand_text(deployment(9, image=image).replace("  replicas: 9\n", ""), *there)
    (change,) = found.changes
    assert (change.verdict, change.after, len(found.pods)) == (verdict, after, new)


def test_a_running_job_and_pod_add_nothing() -> None:
    job = "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, " + (
        "containers: [{name: c, image: x}]}}}}"
    )
    bare = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: main, image: x}]}}"
    found = expand_text(f"{job}\n---\n{bare}", make("Job", "j", namespace="default"), pod("p"), node("n"))
    assert [change.verdict for change in found.changes] == ["unchanged", "unchanged"]
    assert not found.pods


@pytest.mark.parametrize(
    ("spec", "verdict", "new", "refused"),
    [
        pytest.param("parallelism: 3", "scaled", 2, "", id="more at once"),
        pytest.param("parallelism: 1", "unchanged", 0, "", id="as many"),
        pytest.param("suspend: false", "unchanged", 0, "", id="what it leaves out stays"),
        pytest.param("completions: 2, parallelism: 1", "", 0, "spec.completions", id="other completions"),
        pytest.param(
            "parallelism: 1, completionMode: Indexed, completions: 1", "", 0, "spec.completionMode", id="mode"
        ),
    ],
)
def test_a_job_that_runs_may_have_more_pods_at_once_and_changes_in_nothing_else(
    spec: str, verdict: str, new: int, refused: str
) -> None:
    pods = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}"
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{spec}, {pods}}}}}"
    there = make("Job", "j", namespace="default", metadata={"uid": "u"}, spec={"parallelism": 1})
    owners = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]
    one = pod("j-1", node="n", metadata={"ownerReferences": owners})
    found = expand_text(text, there, one, node("n"))
    assert [change.verdict for change in found.changes] == ([verdict] if verdict else [])
    assert len(found.pods) == new
    assert [problem.path for left in found.refused for problem in left.problems] == ([refused] if refused else [])


@pytest.mark.parametrize(
    ("spec", "leaving"),
    [
        pytest.param("parallelism: 4", [], id="as many"),
        pytest.param("parallelism: 3", ["no-node"], id="first one without a node"),
        pytest.param("parallelism: 2", ["no-node", "unready"], id="then one that is not ready"),
        pytest.param("parallelism: 1", ["no-node", "unready", "young"], id="then the one ready for the shortest time"),
        pytest.param("parallelism: 0", ["no-node", "old", "unready", "young"], id="none"),
        pytest.param("suspend: true", ["no-node", "old", "unready", "young"], id="suspended"),
    ],
)
def test_a_job_that_runs_may_shrink(spec: str, leaving: list[str]) -> None:
    def one(name: str, node: str = "n", ready: str = "True", since: str = "", cost: str = "0") -> Object:
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}
        condition = {"type": "Ready", "status": ready, "lastTransitionTime": f"2026-01-01T{since or '00'}:00:00Z"}
        status = {"phase": "Running", "conditions": [condition]} if node else {"phase": "Pending"}
        metadata = {
            "ownerReferences": [owner],
            "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost},  # which a job does not look at
        }
        return pod(name, node=node, status=status, metadata=metadata)

    there = make("Job", "j", namespace="default", metadata={"uid": "u"}, spec={"parallelism": 4})
    pods = [
        one("no-node", ""),
        one("old", since="01", cost="-9"),
        one("unready", ready="False"),
        one("young", since="02"),
    ]
    template = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}"
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{spec}, {template}}}}}"
    found = expand_text(text, there, *pods, node("n"))
    (change,) = found.changes
    assert list(change.leaving) == [f"default/{name}" for name in leaving]
    assert [list(fleet.leaving) for fleet in found.fleets] == ([list(change.leaving)] if leaving else [])


def test_an_indexed_job_first_removes_indexes_that_are_too_many_or_there_twice() -> None:
    def one(name: str, index: str) -> Object:
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}
        annotations = {"batch.kubernetes.io/job-completion-index": index}
        return pod(name, node="n", metadata={"ownerReferences": [owner], "annotations": annotations})

    spec = {"parallelism": 4, "completions": 4, "completionMode": "Indexed"}
    there = make("Job", "j", namespace="default", metadata={"uid": "u"}, spec=spec)
    pods = [one("zero", "0"), one("zero-again", "0"), one("one", "1"), one("three", "3")]
    text = (
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {completionMode: Indexed, completions: 2, "
        "parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}"
    )
    (change,) = expand_text(text, there, *pods, node("n")).changes
    assert len(change.leaving) == 2
    assert "default/three" in change.leaving
    assert {"default/zero", "default/zero-again"} & set(change.leaving)
