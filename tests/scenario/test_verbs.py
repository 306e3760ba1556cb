"""What-if verbs: what each changes, and what it refuses."""

from pathlib import Path

import pytest

from kplan.cluster import AddPods, Cluster, build
from kplan.errors import SourceError, UsageError
from kplan.objects.state import ClusterState
from kplan.scenario import Effect, load_scenario, parse_step
from kplan.scenario.add_node import AddNode, read_add_node
from kplan.scenario.nodes import Cordon, Label, SetTaint
from tests.builders import node, pod
from tests.scenario.worlds import owned, shop_cluster


@pytest.fixture
def cluster() -> Cluster:
    return shop_cluster()


def taken(cluster: Cluster, flag: str, text: str) -> Effect:
    effect = parse_step(flag, text, "shop").effect(cluster)
    cluster.apply(effect.changes)
    return effect


def on(cluster: Cluster, name: str) -> list[str]:
    return [cluster.pods[row].name for row in cluster.pods_on(cluster.node_index[name])]


def keys(cluster: Cluster, rows: tuple[int, ...]) -> list[str]:
    return sorted(cluster.pods[row].name for row in rows)


def taints(cluster: Cluster, name: str) -> list[tuple[str, str]]:
    return [(one.key, one.effect) for one in cluster.nodes[cluster.node_index[name]].spec.taints or ()]


def test_cordon_sets_the_field_and_the_controllers_taint_and_uncordon_takes_both_back(cluster: Cluster) -> None:
    taken(cluster, "cordon", "node-b")
    assert cluster.unschedulable.tolist() == [False, True, False, False]
    assert taints(cluster, "node-b") == [("node.kubernetes.io/unschedulable", "NoSchedule")]
    taken(cluster, "uncordon", "node-b")
    assert (cluster.unschedulable.any(), taints(cluster, "node-b")) == (False, [])


def test_a_label_selector_names_nodes_and_zone_is_short_for_its_label(cluster: Cluster) -> None:
    assert taken(cluster, "cordon", "topology.kubernetes.io/zone=west").text == "node-c, node-d cordoned"
    assert taken(cluster, "uncordon", "zone=west").text == "node-c, node-d uncordoned"


def test_a_taint_that_executes_evicts_who_does_not_tolerate_it(cluster: Cluster) -> None:
    effect = taken(cluster, "taint", "node-a:broken=yes:NoExecute")
    assert keys(cluster, effect.evicted) == ["db-0", "web-7d-1"]
    assert keys(cluster, effect.lost) == ["log-a"]
    assert on(cluster, "node-a") == []
    taken(cluster, "taint", "node-a:broken:NoExecute-")
    assert taints(cluster, "node-a") == []


def test_a_pod_that_tolerates_a_taint_for_a_while_goes_in_the_end() -> None:
    tolerates = {"key": "broken", "operator": "Exists", "effect": "NoExecute"}
    waits = owned("waits", "ReplicaSet", "web", on="a", tolerations=[{**tolerates, "tolerationSeconds": 300}])
    stays = owned("stays", "ReplicaSet", "web", on="a", tolerations=[tolerates, {"operator": "Exists"}])
    cluster = build(ClusterState.of([node("a"), waits, stays]))
    effect = taken(cluster, "taint", "a:broken=yes:NoExecute")
    assert (keys(cluster, effect.evicted), on(cluster, "a")) == (["waits"], ["stays"])
    assert effect.notes == ("1 pod of them only after 300 s or less (tolerationSeconds)",)


def test_a_node_that_is_removed_takes_its_pods_along(cluster: Cluster) -> None:
    effect = taken(cluster, "remove-node", "node-d")
    assert [one.name for one in cluster.nodes] == ["node-a", "node-b", "node-c"]
    # the pod of the DaemonSet goes with its node: nobody misses it
    assert (effect.evicted, keys(cluster, effect.lost)) == ((), ["bare"])
    assert effect.notes == ("GONE, nothing owns it: shop/bare",)


def test_drain_leaves_daemons_evicts_the_owned_and_says_what_is_gone(cluster: Cluster) -> None:
    assert keys(cluster, taken(cluster, "drain", "node-a").evicted) == ["db-0", "web-7d-1"]
    assert on(cluster, "node-a") == ["log-a"]
    effect = taken(cluster, "drain", "node-d")
    assert effect.notes == ("GONE, nothing owns it: shop/bare",)


def test_drain_tells_apart_pods_whose_owner_is_no_controller(cluster: Cluster) -> None:
    reference = {"apiVersion": "v1", "kind": "CatalogSource", "name": "certified", "uid": "1", "controller": False}
    catalog = pod("catalog", namespace="shop", node="node-d", metadata={"ownerReferences": [reference]})
    cluster.apply([AddPods((catalog,))])
    assert taken(cluster, "drain", "node-d").notes == (
        "GONE, nothing owns it: shop/bare",
        "may be GONE, no controller owns it: shop/catalog",
    )


def test_fail_of_a_zone_takes_all_its_nodes(cluster: Cluster) -> None:
    effect = taken(cluster, "fail", "zone=west")
    assert (effect.text, [one.name for one in cluster.nodes]) == ("node-c, node-d lost", ["node-a", "node-b"])


def test_evict_by_owner_and_delete_for_good(cluster: Cluster) -> None:
    assert keys(cluster, taken(cluster, "evict", "rs/web-7d").evicted) == ["web-7d-1", "web-7d-2", "web-7d-3"]
    effect = taken(cluster, "delete", "sts/shop/db")
    assert (effect.evicted, keys(cluster, effect.lost)) == ((), ["db-0", "db-1"])
    assert taken(cluster, "delete", "bare").text == "shop/bare deleted"


def test_scale_up_makes_pods_by_the_template_and_down_takes_those_without_a_node_first(cluster: Cluster) -> None:
    before = len(cluster.pods)
    taken(cluster, "scale", "rs/web-7d=5")
    assert [(pod.waiting, pod.requests["cpu"]) for pod in cluster.pods[before:]] == [(True, 1000), (True, 1000)]
    assert cluster.objects.table("replica_sets")["shop/web-7d"].spec.replicas == 5
    effect = taken(cluster, "scale", "rs/web-7d=3")
    assert sorted(effect.lost) == [before, before + 1]


def test_a_workload_without_its_object_is_scaled_by_its_pods(cluster: Cluster) -> None:
    effect = taken(cluster, "scale", "sts/db=3")
    assert effect.notes == ("its object is not in the dump: pods are copied from one that is there",)
    assert cluster.pods[-1].requests["cpu"] == 2000


def test_priority_of_running_pods_changes_in_place(cluster: Cluster) -> None:
    taken(cluster, "priority", "rs/web-7d=100")
    names = {pod.name: pod for pod in cluster.pods if not pod.gone}
    assert [(names[f"web-7d-{n}"].priority, names[f"web-7d-{n}"].bound) for n in (1, 2, 3)] == [(100, True)] * 3
    assert on(cluster, "node-a") == ["db-0", "log-a", "web-7d-1"]


@pytest.mark.parametrize(
    ("text", "allowed"),
    [("minAvailable=3", 0), ("minAvailable=50%", 1), ("maxUnavailable=2", 2), ("minAvailable=0", 3)],
)
def test_a_budget_allows_what_the_disruption_controller_would_write(cluster: Cluster, text: str, allowed: int) -> None:
    taken(cluster, "set-pdb", f"shop/web:{text}")
    assert cluster.objects.table("pod_disruption_budgets")["shop/web"].status.disruptions_allowed == allowed


def test_a_node_like_another_is_fresh_and_gets_its_daemons(cluster: Cluster) -> None:
    taken(cluster, "cordon", "node-a")
    before = len(cluster.pods)
    effect = taken(cluster, "add-node", "like=node-a,count=2")
    assert effect.text == "node-a-new-1, node-a-new-2 added like node-a"
    new = cluster.nodes[cluster.node_index["node-a-new-1"]]
    assert new.labels == {"kubernetes.io/hostname": "node-a-new-1", "topology.kubernetes.io/zone": "east"}
    assert (new.spec.unschedulable, new.spec.taints) == (None, None)
    assert [pod.name for pod in cluster.pods[before:]] == ["log-node-a-new-1", "log-node-a-new-2"]


def test_a_shape_is_a_node_of_these_amounts_and_labels(cluster: Cluster) -> None:
    taken(cluster, "add-node", "cpu=16,memory=64Gi,zone=west,nvidia.com/gpu=8,pool=ml,name=big")
    new = cluster.nodes[cluster.node_index["big"]]
    assert new.status.allocatable == {"pods": "110", "cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "8"}
    assert new.labels == {"kubernetes.io/hostname": "big", "topology.kubernetes.io/zone": "west", "pool": "ml"}


def test_a_node_that_was_added_is_taken_back_exactly(cluster: Cluster) -> None:
    before = cluster.allocatable.copy()
    undo = cluster.apply(AddNode(like="node-b", name="another").effect(cluster).changes)
    assert "another" in cluster.node_index
    cluster.undo(undo)
    assert (cluster.allocatable.tolist(), "another" in cluster.node_index) == (before.tolist(), False)


@pytest.mark.parametrize(
    ("flag", "text", "message"),
    [
        ("cordon", "node-x", "no node node-x"),
        ("cordon", "zone=north", "no node has the label zone=north"),
        ("label", "node-a", "--label node-a: NODE:WHAT is needed, with a colon"),
        ("taint", "node-a:x=y:Sometimes", "--taint node-a:x=y:Sometimes: effect 'Sometimes'"),
        ("scale", "deploy/x", "--scale deploy/x: no number of replicas"),
        ("scale", "deploy/x=2", "no Deployment shop/x here"),
        ("evict", "nobody", "no pod nobody in namespace shop"),
        ("priority", "bare=high", "--priority bare=high: neither a number nor a PriorityClass here"),
        ("set-pdb", "web:least=1", "--set-pdb web:least=1: no number of pods"),
        ("set-pdb", "web:minAvailable=101%", "--set-pdb web:minAvailable=101%: 101% is more than all pods"),
        ("set-pdb", "webb:minAvailable=1", "no PodDisruptionBudget shop/webb"),
        (
            "label",
            "node-a:!=x",
            "--label node-a:!=x: key '!': name part must consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character",
        ),
        ("taint", "node-a:=x:NoSchedule", "--taint node-a:=x:NoSchedule: key '': name part must be non-empty"),
        ("add-node", "cpu=-4,memory=1Gi", "--add-node cpu=-4,memory=1Gi: cpu=-4 is less than nothing"),
        ("add-node", "like=node-a,like=node-b", "--add-node like=node-a,like=node-b: like= is given twice"),
        ("add-node", "count=2", "--add-node count=2: it does not say what the node is like"),
        ("add-node", "like=node-a,count=0", "--add-node like=node-a,count=0: count '0'"),
        ("add-node", "node-a", "--add-node node-a: 'node-a' has no ="),
        ("add-node", "template=pool", "no node template pool"),
        ("add-node", "cpu=1,resource:gpu=2", "--add-node cpu=1,resource:gpu=2: gpu is not a resource"),
        ("add-node", "cpu=16,memory=64", "--add-node cpu=16,memory=64: memory=64 is 64 bytes"),
    ],
)
def test_what_cannot_be_done_is_said(cluster: Cluster, flag: str, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_step(flag, text, "shop").effect(cluster)
    assert error.value.message == message


@pytest.mark.parametrize(
    ("flag", "text", "hint"),
    [
        ("fail", "west", "it is a zone: zone=west"),
        ("cordon", "node-a,node-b", "one node at a time, or a label selector as in pool=spot"),
        ("scale", "sts/dbb=3", "did you mean sts/shop/db?"),
        ("set-pdb", "webb:minAvailable=1", "did you mean shop/web?"),
    ],
)
def test_what_may_be_meant_is_said(cluster: Cluster, flag: str, text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_step(flag, text, "shop").effect(cluster)
    assert error.value.hint == hint


@pytest.mark.parametrize(
    ("flag", "text", "note"),
    [
        ("label", "node-a:disk-", "node-a had no such label"),
        ("taint", "node-a:disk-", "node-a had no such taint"),
        ("add-node", "cpu=4", "no memory is given, so the node has none"),
    ],
)
def test_a_step_that_does_less_than_it_seems_says_so(cluster: Cluster, flag: str, text: str, note: str) -> None:
    assert taken(cluster, flag, text).notes == (note,)


def test_pods_of_a_workload_without_its_object_leave_as_its_controller_removes_them(cluster: Cluster) -> None:
    # the highest ordinal of a StatefulSet; new ones have the next
    assert keys(cluster, taken(cluster, "scale", "sts/db=1").lost) == ["db-1"]
    (change,) = taken(cluster, "scale", "sts/db=3").changes
    assert isinstance(change, AddPods)
    assert [one.name for one in change.pods] == ["db-1", "db-2"]


def test_a_pod_that_waits_leaves_before_a_younger_one_that_runs() -> None:
    old = owned("old", "ReplicaSet", "web-7d", metadata={"creationTimestamp": "2026-01-01T00:00:00Z"})
    new = owned("new", "ReplicaSet", "web-7d", on="a", metadata={"creationTimestamp": "2026-01-02T00:00:00Z"})
    cluster = build(ClusterState.of([node("a"), old, new]))
    assert keys(cluster, taken(cluster, "scale", "rs/web-7d=1").lost) == ["old"]


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("add-node", "like=node-f,count=2"),
        ("add-node", "cpu=16,memory=64Gi,zone=a"),
        ("cordon", "node-a"),
        ("label", "node-a:disk=ssd"),
        ("label", "node-a:disk-"),
        ("taint", "node-a:dedicated=infra:NoSchedule"),
        ("taint", "node-a:dedicated:NoSchedule-"),
        ("taint", "node-a:dedicated-"),
        ("scale", "deploy/shop/web=5"),
        ("priority", "shop/web-1=100"),
        ("set-pdb", "shop/web:maxUnavailable=25%"),
    ],
)
def test_a_verb_prints_back_as_it_was_typed(flag: str, text: str) -> None:
    assert parse_step(flag, text).flag == f"--{flag} {text}"


@pytest.mark.parametrize(
    ("verb", "text"),
    [
        (AddNode(like="n", labels={"example.com/rack": "3"}), "like=n,label:example.com/rack=3"),
        (AddNode(like="n", labels={"count": "3", "cpu": "x"}, count=2), "like=n,label:count=3,label:cpu=x,count=2"),
        (AddNode(like="n", labels={"ram": "8", "rack": "3"}), "like=n,label:ram=8,rack=3"),
        (AddNode(like="n", allocatable={"a.k8s.io/b": "1"}), "like=n,resource:a.k8s.io/b=1"),
        (AddNode(like="n", allocatable={"nvidia.com/gpu": "1"}, count=2), "like=n,nvidia.com/gpu=1,count=2"),
    ],
)
def test_a_node_prints_back_as_it_is_whatever_its_labels_and_resources_are_named(verb: AddNode, text: str) -> None:
    assert verb.flag == f"--add-node {text}"
    assert read_add_node(text) == verb


def test_what_is_read_of_the_flags() -> None:
    assert read_add_node("cpu=4,gpu=fast") == AddNode(allocatable={"cpu": "4"}, labels={"gpu": "fast"})
    assert parse_step("label", "pool=spot:x=y") == Label("pool=spot", "x", "y")
    assert parse_step("set-pdb", "web:minAvailable=1", "shop").flag == "--set-pdb shop/web:minAvailable=1"
    assert parse_step("taint", "n:k:NoExecute") == SetTaint("n", "k", "", "NoExecute")
    assert parse_step("uncordon", "n") == Cordon("n", on=False)


def scenario(tmp_path: Path, text: str) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(f"apiVersion: kplan.dev/v1\nkind: Scenario\nsteps:\n{text}")
    return str(path)


def test_a_scenario_file_names_verbs_as_yaml_would(tmp_path: Path) -> None:
    file = scenario(
        tmp_path,
        "- addNode: {like: node-f, count: 2}\n  name: more\n- drain: node-b\n  expect: [all placed, {evicted: 3}]\n",
    )
    first, second = load_scenario(file).steps
    assert (first.verb, first.name) == (AddNode(like="node-f", count=2), "more")
    assert (second.verb.flag, second.words, second.counts) == ("--drain node-b", ("all placed",), (("evicted", 3),))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("- explode: node-a\n", 4, "no verb explode"),
        ("- {cordon: a, expects: all placed}\n", 4, "no verb expects"),
        ("- cordon: [a, b]\n", 4, "a list where one value is wanted"),
        ("- cordon:\n", 4, "nothing is said here"),
        ("- addNode: {like: a, labels: [x]}\n", 4, "a list where one value is wanted"),
        ("- cordon: a\nretries: 3\n", 5, "no field retries"),
        ("- cordon: a\n- {cordon: a, drain: b}\n", 5, "a step has one verb, this one has 2"),
        ("- cordon: a\n  expect: peace\n", 5, "kplan cannot expect 'peace'"),
        ("- scale: deploy/x\n", 4, "--scale deploy/x: no number of replicas"),
    ],
)
def test_a_broken_scenario_is_refused_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(SourceError) as error:
        load_scenario(scenario(tmp_path, text))
    assert (error.value.message, error.value.line) == (message, line)


def test_the_version_of_a_scenario_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("apiVersion: kplan.dev/v2\nkind: Scenario\nsteps:\n- cordon: a\n")
    with pytest.raises(SourceError) as error:
        load_scenario(str(path))
    assert (error.value.message, error.value.line) == ("no version kplan.dev/v2", 1)


@pytest.mark.parametrize("step", ["{file: n.yaml, zone: east}", "'file=n.yaml,zone=east'"])
def test_the_file_of_a_node_is_beside_the_scenario(cluster: Cluster, tmp_path: Path, step: str) -> None:
    (tmp_path / "n.yaml").write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: big}\nstatus: {allocatable: {cpu: 64, memory: 1Ti}}\n"
    )
    (only,) = load_scenario(scenario(tmp_path, f"- addNode: {step}\n")).steps
    assert only.verb.effect(cluster).text == "big-new-1 added"


def test_a_name_that_is_taken_is_numbered(cluster: Cluster) -> None:
    assert node("node-a").name in cluster.node_index
    assert taken(cluster, "add-node", "cpu=1,name=node-a").text == "node-a-1 added"
