"""What plugins said before, asked again of few nodes, changes no answer: plans with and without it are the same."""

import random
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import arrive, leave
from kplan.course.drains.drain import run_drain
from kplan.course.evictions.returning import copy_of, next_name, was_made
from kplan.objects.models import Node, Object, Taint
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.recalled import Recalled
from kplan.pipeline.refused import SamePods
from kplan.scenario.drain import DrainOptions
from kplan.scenario.nodes import cordoned, node_of, put, tainted
from tests.builders import node, pod
from tests.conformance.corpus import GAPS, cases, themes
from tests.conformance.test_remedies import planner_of
from tests.pipeline.test_kept import TEMPLATES, told

CASES = 6
STEPS = 12
PORT = {"containers": [{"name": "m", "image": "x", "ports": [{"containerPort": 1, "hostPort": 80}]}]}
IMAGE = {"containers": [{"name": "m", "image": "registry.example/large:1"}]}
CHOOSY = {"nodeSelector": {"zone": "a"}}
OWNER = {
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "w", "uid": "w", "controller": True}]
}
LARGE = [{"names": ["registry.example/large:1"], "sizeBytes": 900_000_000}]


class Watched:
    """Counts the answers that were recalled, also for templates that are met once, or gives none at all."""

    def __init__(self, patch: pytest.MonkeyPatch, *, recalls: bool, often: int = 1) -> None:
        self.recalled = 0
        scores = Recalled.scores
        patch.setattr("kplan.pipeline.recalled._OFTEN", often)

        def watched(*given: Any) -> Any:
            found = scores(*given) if recalls else None
            self.recalled += found is not None
            return found

        patch.setattr(Recalled, "scores", watched)
        if not recalls:
            patch.setattr(SamePods, "told", lambda *given: None)


def moved_about(planner: Planner, draw: random.Random) -> list[Any]:
    """Let pods leave and come back, nodes be cordoned, uncordoned and tainted, and tell where each pod lands."""
    cluster, answers = planner.cluster, []
    planner.everything = False
    answers += [told(planner.step(info)) for info in planner.waiting()]
    for _ in range(STEPS):
        if cluster.nodes:
            name = draw.choice(cluster.nodes).name
            planner.apply([put(cordoned(node_of(cluster, name), on=draw.random() < 0.5))])
            if draw.random() < 0.2:
                dull = Taint(key="dull", effect="PreferNoSchedule")
                planner.apply([put(tainted(node_of(cluster, name), dull))])
        there = [info for info in cluster.pods if info.bound and not info.gone and cluster.pod_node[info.row] >= 0]
        if not there:
            continue
        victim = draw.choice(there)
        with planner.trial() as trial:
            trial.apply(leave(cluster, (victim.row,)))
            trial.apply(arrive(cluster, (copy_of(victim, next_name(victim.name, made=was_made(victim))),)))
            if planner.queue.responsible(cluster.pods[-1]):
                answers.append(told(trial.step(cluster.pods[-1])))
            if draw.random() < 0.7:
                trial.keep()
    return answers


@pytest.mark.parametrize("theme", themes("1.37"))
def test_plans_of_the_corpus_are_the_same(theme: str) -> None:
    fitting = [row["case"] for row in cases("1.37", theme) if not set(row["uses"]) & set(GAPS)]
    random.Random(theme).shuffle(fitting)
    recalled = 0
    for case in fitting[:CASES]:
        answers = []
        for recalls in (True, False):
            with pytest.MonkeyPatch.context() as patch:
                watched = Watched(patch, recalls=recalls)
                answers.append(moved_about(planner_of(case, "1.37"), random.Random(case["name"])))
                recalled += watched.recalled
        assert answers[0] == answers[1], case["name"]
    assert recalled, "no pod of the theme is simple enough: nothing was compared"


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_node_that_alone_becomes_worse_ranks_below_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All were of one score, and are no more, whichever row it is that was asked about again."""
    monkeypatch.setattr("kplan.pipeline.recalled._OFTEN", 1)
    planner = planner_over([node("a", cpu="64"), node("b", cpu="64"), pod("p-0"), pod("p-1", priority=-1)])
    planner.everything = False
    cluster = planner.cluster
    first, second = planner.waiting()
    planner.step(first)
    planner.apply(leave(cluster, (first.row,)))
    planner.apply([put(tainted(node_of(cluster, name), Taint(key="dull", effect="PreferNoSchedule")))])
    planner.step(second)
    assert cluster.home_of(second.row) == {"a": "b", "b": "a"}[name]


def drawn_objects(data: st.DataObject) -> list[Object]:
    sizes = st.sampled_from(["1", "1500m", "2", "3"])
    nodes: list[Node] = [
        node(
            f"n-{i}",
            cpu=data.draw(sizes),
            labels={"zone": data.draw(st.sampled_from("ab")), "kubernetes.io/hostname": f"n-{i}"},
            taints=data.draw(st.sampled_from([[], [], ["odd:PreferNoSchedule"], ["odd:NoSchedule"]])),
            images=data.draw(st.sampled_from([[], LARGE])),
        )
        for i in range(data.draw(st.integers(2, 6)))
    ]
    objects: list[Object] = list(nodes)
    templates = [*TEMPLATES, PORT, IMAGE, CHOOSY]
    for i in range(10):
        more = data.draw(st.sampled_from(templates))
        labels = {"app": data.draw(st.sampled_from(["web", "db"]))}
        requests = {"cpu": data.draw(st.sampled_from(["100m", "300m", "700m"]))}
        where = data.draw(st.sampled_from(["", "n-0", "n-1"]))
        objects.append(pod(f"p-{i:02}", labels=labels, requests=requests, node=where, **more))
    return objects


def planner_over(objects: list[Object]) -> Planner:
    planner: Planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    return planner


@seed(1)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), number=st.integers(0, 1_000))
def test_pods_that_leave_and_come_back_land_as_with_whole_cycles(data: st.DataObject, number: int) -> None:
    objects = drawn_objects(data)
    answers = []
    for recalls in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            Watched(patch, recalls=recalls)
            answers.append(moved_about(planner_over(objects), random.Random(number)))
    assert answers[0] == answers[1]


def test_a_drain_recalls_what_plugins_said_of_templates_that_were_met(monkeypatch: pytest.MonkeyPatch) -> None:
    objects: list[Object] = [node(f"n-{i}", cpu="4") for i in range(4)]
    objects += [
        pod(f"p-{i}", labels={"app": f"a{i // 2 % 2}"}, requests={"cpu": "500m"}, node=f"n-{i % 2}", metadata=OWNER)
        for i in range(8)
    ]
    planner = planner_over(objects)
    planner.everything = False
    watched = Watched(monkeypatch, recalls=True, often=2)
    run = run_drain(planner, ["n-0"], DrainOptions())
    assert [gone.landing.node for gone in run.pods if gone.landing] == ["n-2", "n-3", "n-2", "n-3"]
    assert watched.recalled == 2


@pytest.mark.parametrize("change", ["labels", "images", "amounts"])
def test_another_node_in_place_of_one_is_asked_about_anew(change: str) -> None:
    planner = planner_over([node("n-0", cpu="1", labels={"zone": "a"}), node("n-1", cpu="1")])
    epoch = planner.cluster.touched.epoch
    other = {
        "labels": node("n-0", cpu="1", labels={"zone": "b"}),
        "images": node("n-0", cpu="1", labels={"zone": "a"}, images=LARGE),
        "amounts": node("n-0", cpu="2", labels={"zone": "a"}),
    }[change]
    with planner.trial() as trial:
        trial.apply([put(other)])
        assert planner.cluster.touched.epoch > epoch
        epoch = planner.cluster.touched.epoch
    assert planner.cluster.touched.epoch > epoch
