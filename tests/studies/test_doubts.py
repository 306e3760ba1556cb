"""What a source lacks is a doubt where the verdict depends on it, in the words of the source."""

import pytest

import kplan
from kplan.objects.state import Completeness
from kplan.studies.doubts import plan_doubts
from tests.builders import node, pod
from tests.studies.ask import document

GATHERED = Completeness(
    counts={"Node": 1, "Pod": 1},
    partial={"Pod": "a must-gather holds no user namespaces: free space of the nodes is overstated"},
    absences={"CSINode": "no access to csinodes: volume limits of nodes are unknown and count as none"},
)


def doubts(cpu: str, completeness: Completeness) -> list[tuple[str, str]]:
    objects = [node("n", cpu="4"), pod("p", requests={"cpu": cpu})]
    return [(one.code, one.text) for one in document(objects, "default/p", completeness=completeness).doubts]


def test_free_space_is_doubted_where_only_some_pods_are_there() -> None:
    assert doubts("1", GATHERED) == [("partial-pods", GATHERED.partial["Pod"])]


def test_a_pod_that_does_not_fit_would_not_fit_with_more_pods_either() -> None:
    assert doubts("9", GATHERED) == []


@pytest.mark.parametrize(
    ("absences", "told"),
    [
        pytest.param({}, "the source holds no pods: every node counts as empty", id="in general words"),
        pytest.param({"Pod": "no access to pods: ..."}, "no access to pods: ...", id="in those of the source"),
    ],
)
def test_pods_that_are_absent(absences: dict[str, str], told: str) -> None:
    assert doubts("1", Completeness(counts={"Node": 1}, absences=absences)) == [("no-pods", told)]


def extender(**fields: object) -> dict[str, object]:
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return {**head, "extenders": [{"urlPrefix": "http://x", **fields}]}


GPU = [{"name": "x.com/gpu"}]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({"filterVerb": "f"}, ["refuse nodes"], id="one that filters"),
        pytest.param({"filterVerb": "f", "ignorable": True}, ["refuse nodes"], id="one that may fail"),
        pytest.param(
            {"filterVerb": "f", "prioritizeVerb": "p", "weight": 1, "preemptVerb": "e"},
            ["refuse nodes, prefer others or keep pods from being evicted"],
            id="one that does all",
        ),
        pytest.param({"bindVerb": "b"}, [], id="one that only binds"),
    ],
)
def test_an_extender_that_is_asked_about_every_pod_is_a_doubt_about_the_configuration(
    fields: dict[str, object], told: list[str]
) -> None:
    doubts = kplan.Scheduler.of("1.37", config=extender(**fields)).doubts
    texts = [f"extender http://x is not asked: it may {may}" for may in told]
    assert [(doubt.code, doubt.text) for doubt in doubts] == [("extender-not-asked", text) for text in texts]


@pytest.mark.parametrize(
    ("containers", "told"),
    [
        pytest.param([{"name": "c"}], [], id="a pod that does not ask for it"),
        pytest.param([{"name": "c", "resources": {"limits": {"x.com/gpu": "1"}}}], ["extender-not-asked"], id="limits"),
    ],
)
def test_an_extender_with_a_resource_of_its_own_is_a_doubt_about_pods_that_ask_for_it(
    containers: list[dict[str, object]], told: list[str]
) -> None:
    config = extender(filterVerb="f", managedResources=GPU)
    assert kplan.Scheduler.of("1.37", config=config).doubts == ()
    objects = [node("n", allocatable={"x.com/gpu": "4"}), pod("p", containers=containers)]
    found = document(objects, "default/p", config=config).doubts
    assert [doubt.code for doubt in found] == told


def test_an_extender_is_a_doubt_about_a_plan_of_which_one_pod_asks_for_its_resource() -> None:
    told = ["extender http://x is not asked: it may refuse nodes"]
    managing = kplan.Scheduler.of("1.37", config=extender(filterVerb="f", managedResources=GPU)).configuration
    pods = [pod("q"), pod("p", requests={"x.com/gpu": "1"})]
    found = plan_doubts(Completeness(), [(one, "FITS", "") for one in pods], extenders=managing.extenders)
    assert [doubt.text for doubt in found if doubt.code == "extender-not-asked"] == told
    none = plan_doubts(Completeness(), [(pods[0], "FITS", "")], extenders=managing.extenders)
    assert [doubt for doubt in none if doubt.code == "extender-not-asked"] == []


def test_nodes_that_pods_run_on_and_the_source_lacks() -> None:
    objects = [node("n"), pod("p"), *(pod(f"old-{i}", node=f"gone-{i % 2}") for i in range(3))]
    ended = pod("ended", node="gone-9", status={"phase": "Succeeded"})
    text = "3 pods run on nodes that the source lacks (gone-0, gone-1): what fits there is unknown"
    told = [(one.code, one.text) for one in document([*objects, ended], "default/p").doubts]
    assert ("nodes-missing", text) in told


def test_a_node_that_a_whole_list_lacks_was_deleted() -> None:
    whole = Completeness(counts={"Node": 1, "Pod": 2}, versions={"Node": "7"})
    found = document([node("n"), pod("p"), pod("old", node="gone")], "default/p", completeness=whole)
    assert "nodes-missing" not in [one.code for one in found.doubts]


def test_a_what_if_that_adds_nodes_leaves_no_doubt_that_there_are_none() -> None:
    lacking = Completeness(counts={"Pod": 1})
    none = [(one.code, one.text) for one in plan_doubts(lacking, [(pod("p"), "FITS", "")])]
    assert none == [("no-nodes", "the source holds no nodes: there is nothing to schedule onto")]
    assert list(plan_doubts(lacking, [(pod("p"), "FITS", "")], nodes=True)) == []
