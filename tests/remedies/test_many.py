"""Try, by cause: one change for all pods that wait for it, counted for all of them together."""

from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.remedies.engine import Fits, Tried
from kplan.remedies.many import attempt
from kplan.result.document import PodExplanations
from kplan.studies.explain import explain_pods
from kplan.wording.attempts import fits_text
from kplan.wording.how_to import fitting_how_to
from tests.builders import node, pod
from tests.remedies.carrying_out import picture
from tests.studies.ask import context


def folds(objects: list[Object]) -> dict[str, str]:
    asked = context(objects)
    planner = asked.planner
    found = explain_pods(asked, planner.waiting(), fold=True)
    assert isinstance(found, PodExplanations)
    return {fold.pods[0]: fold.attempt for fold in found.folds}


def waiting(count: int, **fields: Any) -> list[Object]:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}]}
    return [pod(f"web-{i:02}", requests={"cpu": "2"}, metadata=owner, **fields) for i in range(count)]


def full(count: int) -> list[Object]:
    nodes: list[Object] = [node(f"n-{i:02}") for i in range(count)]
    return nodes + [pod(f"app-{i:02}", node=f"n-{i:02}", requests={"cpu": "3"}) for i in range(count)]


def test_more_nodes_are_counted_until_all_fit() -> None:
    assert folds([*full(10), *waiting(31)]) == {
        "default/web-00": "4 more nodes like n-00 (4 cpu) -> 8 of 31 fit; 16 -> all"
    }


def test_the_cheapest_change_that_lets_all_fit_is_told() -> None:
    assert folds([*full(10), *waiting(6)]) == {"default/web-00": "cpu request 1 (now 2) -> 6 of 6 fit"}


ZONE = "topology.kubernetes.io/zone"


def spread(key: str, skew: int = 1) -> dict[str, Any]:
    selector = {"matchLabels": {"app": "web"}}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}


def zones(*rules: dict[str, Any], wait: int = 20) -> list[Object]:
    """Every node holds one: a and b have room for a third pod each, c is full with one."""
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}]}
    region = {"a": "east", "b": "east", "c": "west"}
    nodes: list[Object] = [
        node(f"{z}-{i}", cpu="1", labels={ZONE: z, "region": region[z]})
        for z, i in ("a0", "a1", "a2", "b0", "b1", "b2", "c0")
    ]
    names = {"a-0": "run-0", "a-1": "run-1", "b-0": "run-2", "b-1": "run-3", "c-0": "run-4"}

    def web(name: str, on: str = "") -> Object:
        more = {"topologySpreadConstraints": list(rules), "metadata": owner}
        return pod(name, node=on, labels={"app": "web"}, requests={"cpu": "1"}, **more)

    return [*nodes, *(web(name, on) for on, name in names.items()), *(web(f"web-{i:02}") for i in range(wait))]


def test_where_nodes_help_only_some_the_fewest_that_do_are_told() -> None:
    # the 1st node in c lets 3 more land, one in each zone; then a and b are full, and c may be one ahead of them: the
    # 3rd makes it 5, a 4th is idle
    assert folds(zones(spread(ZONE), spread("region", 50))) == {
        "default/web-00": "3 more nodes like a-2, zone c -> 5 of 20 fit; even 56 help no more"
    }


def test_where_nodes_in_one_zone_help_only_some_one_is_added_in_each() -> None:
    # 25 pods in all are 9, 8 and 8, on 3, 3 and 1 nodes that are there: 7 more in c, and then 7 in each
    assert folds(zones(spread(ZONE))) == {"default/web-00": "7 more nodes like a-2 in each of 3 zones -> 20 of 20 fit"}
    # 11 pods are 4, 4 and 3: one more in a and b are enough, but c needs 2
    assert folds(zones(spread(ZONE), wait=6)) == {
        "default/web-00": "2 more nodes like a-2 in each of 3 zones -> 6 of 6 fit"
    }


def test_one_node_in_each_zone_is_tried_before_more() -> None:
    # every zone has one node that is full: one in each zone holds one more pod each
    nodes: list[Object] = [node(z, cpu="1", labels={ZONE: z}) for z in "abc"]
    fields = {"labels": {"app": "web"}, "requests": {"cpu": "1"}, "topologySpreadConstraints": [spread(ZONE)]}
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}]}
    run = [pod(f"run-{z}", node=z, metadata=owner, **fields) for z in "abc"]
    wait = [pod(f"web-{i}", metadata=owner, **fields) for i in range(3)]
    assert folds([*nodes, *run, *wait]) == {
        "default/web-0": "one more node like a (1 cpu) in each of 3 zones -> 3 of 3 fit"
    }


def test_one_pod_is_one_pod() -> None:
    objects = [node("n", taints=["a=b:NoSchedule"]), pod("p", requests={"cpu": "1"})]
    assert folds(objects) == {"default/p": "tolerate a=b -> 1 of 1 fits"}


def test_a_cause_that_nothing_lifts_has_none() -> None:
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "kubernetes.io/hostname"}
    ]}}  # fmt: skip
    objects = [node("n", taints=["a=b:NoSchedule"]), pod("p", nodeSelector={"disk": "ssd"}, affinity=near)]
    assert folds(objects) == {"default/p": ""}


def test_what_fits_gets_none_and_nothing_is_left_changed() -> None:
    objects = [*full(3), *waiting(5), pod("small", requests={"cpu": "100m"})]
    asked = context(objects)
    for info in asked.planner.waiting():
        asked.planner.explain(info)
    counters = len(asked.planner.cluster.counters)
    before = picture(asked.planner.cluster, counters)
    found = explain_pods(asked, asked.planner.waiting(), fold=True)
    assert picture(asked.planner.cluster, counters) == before
    assert isinstance(found, PodExplanations)
    assert [bool(fold.attempt) for fold in found.folds] == [True, False]
    assert kplan.find_pods(asked.planner, ["default/small"])[0].waiting


def of(kind: str, owner: str, name: str, cpu: str, *more: dict[str, Any], **fields: Any) -> Object:
    metadata = {"ownerReferences": [{"kind": kind, "name": owner, "uid": owner, "controller": True}]}
    first = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    return pod(name, metadata=metadata, containers=[first, *more], **fields)


def helped(*objects: Object) -> Tried[Fits] | None:
    """What would let the most of all waiting pods fit."""
    planner = context(objects).planner
    return attempt(planner, planner.waiting())


def test_a_request_of_many_pods_is_told_from_the_least_to_the_most_and_whose_it_is() -> None:
    asked = [of("StatefulSet", "db", "db-0", "1300m"), of("StatefulSet", "db", "db-1", "1")]
    nodes = [node(name, cpu="820m") for name in "abc"]
    assert fits_text(helped(*nodes, *asked, of("Job", "x", "x-0", "1500m"))) == (
        "cpu request 820m (now 1000m to 1500m) in sts/default/db and job/default/x -> 3 of 3 fit"
    )
    assert fits_text(helped(*nodes, *asked)) == "cpu request 820m (now 1000m to 1300m) -> 2 of 2 fit"


def test_a_request_of_several_containers_is_told_of_the_pod() -> None:
    beside = {"name": "side", "resources": {"requests": {"cpu": "100m"}}}
    asked = [of("Job", "a", "a-0", "1"), of("Job", "b", "b-0", "1100m", beside)]
    assert fits_text(helped(node("n", cpu="900m"), node("m", cpu="900m"), *asked)) == (
        "cpu request of the pod 900m (now 1000m to 1200m) in job/default/a and job/default/b -> 2 of 2 fit"
    )


def test_of_one_workload_a_change_names_none_and_of_many_the_first() -> None:
    nodes = [node("n", taints=["a=b:NoSchedule"])]
    alike = [of("Job", "a", f"a-{i}", "100m") for i in range(3)]
    assert list(folds([*nodes, *alike]).values()) == ["tolerate a=b -> 3 of 3 fit"]
    many = [of("Job", f"j{i}", f"j{i}-0", "100m") for i in range(5)]
    assert list(folds([*nodes, *many]).values()) == [
        "tolerate a=b in job/default/j0, job/default/j1, job/default/j2, +2 -> 5 of 5 fit"
    ]


def test_each_workload_has_a_patch_of_its_own() -> None:
    found = helped(node("n", cpu="3"), node("m", cpu="3"), of("Job", "a", "a-0", "4"), of("Job", "b", "b-0", "3500m"))
    told = fitting_how_to(found, context([of("Job", "a", "a-0", "4")]).planner.waiting()[0])
    assert told is not None
    assert {name: patch["containers"][0]["resources"]["requests"] for name, patch in told.patches.items()} == {
        "job/default/a": {"cpu": "3"},
        "job/default/b": {"cpu": "3"},
    }
    assert told.patch == told.patches["job/default/a"]
