"""Groups that others decide: whether all of one fit at once, with who decides, and nothing kept."""

import json

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.result.document import PodExplanation
from kplan.sources import load_values
from kplan.sources.redact import redact
from kplan.sources.snapshot import snapshot_bytes
from kplan.studies.context import Context
from kplan.studies.explain import explain_pods
from kplan.studies.foreign_groups import foreign_groups, lent
from kplan.studies.origin import origin, version_of
from tests.builders import make, node, pod

PLAIN = kplan.Scheduler.of("1.37")


def members(label: str, numbers: range) -> list[Object]:
    return [pod(f"w-{n}", requests={"cpu": "3"}, labels={label: "g"}) for n in numbers]


def explained(of: str, *objects: Object) -> PodExplanation:
    state = ClusterState.of(objects)
    planner = PLAIN.planner(state)
    planner = lent(planner, [planner.cluster.pods[planner.cluster.pod_index[of]]])
    context = Context(planner, origin(state, PLAIN.features, *version_of(state, "1.37")))
    found = explain_pods(context, kplan.find_pods(planner, [of]), fold=False)
    assert isinstance(found, PodExplanation)
    return found


def test_a_pod_that_fits_alone_is_told_with_its_group_that_does_not() -> None:
    found = explained("default/w-0", node("a", cpu="4"), *members("jobset.sigs.k8s.io/jobset-name", range(2)))
    plan = found.pod_group
    assert plan is not None
    assert (found.verdict, plan.result, plan.fits, plan.blocked_by) == ("FITS", "does-not-fit", 1, "default/w-1")
    assert plan.attempt == "one more node like a (4 cpu) -> 2 of 2 fit"
    assert "group-elsewhere" not in {doubt.code for doubt in found.doubts}


def test_a_plugin_that_kplan_does_not_run_is_a_doubt() -> None:
    waiting = members("scheduling.x-k8s.io/pod-group", range(2))
    found = explained("default/w-0", node("a", cpu="8"), *waiting)
    assert found.pod_group is not None
    assert (found.pod_group.result, found.pod_group.decided_by) == ("fits", "coscheduling")
    assert "group-elsewhere" in {doubt.code for doubt in found.doubts}


def test_one_pod_that_waits_is_no_group() -> None:
    found = explained("default/w-0", node("a", cpu="8"), *members("volcano.sh/job-name", range(1)))
    assert found.pod_group is None


def test_the_last_pod_of_a_group_that_runs_in_part() -> None:
    runs = pod("w-9", node="a", requests={"cpu": "3"}, labels={"jobset.sigs.k8s.io/jobset-name": "g"})
    found = explained("default/w-0", node("a", cpu="4"), runs, *members("jobset.sigs.k8s.io/jobset-name", range(1)))
    assert found.pod_group is not None
    assert found.pod_group.text.startswith("1 runs; the one that waits fits: no; nothing makes")


def test_the_cluster_is_as_before() -> None:
    state = ClusterState.of([node("a", cpu="8"), *members("volcano.sh/job-name", range(2))])
    planner = PLAIN.planner(state)
    first = foreign_groups(planner)
    assert [plan.result for plan in first] == ["fits"]
    assert [one.waiting for one in planner.cluster.pods] == [True, True]
    assert foreign_groups(planner) == first


def test_a_pod_that_volcano_places_is_judged_by_the_rules_of_kube_scheduler_with_a_doubt() -> None:
    labels = {"volcano.sh/job-name": "g"}
    waiting = [pod(f"w-{n}", requests={"cpu": "3"}, labels=labels, schedulerName="volcano") for n in range(2)]
    found = explained("default/w-0", node("a", cpu="4"), *waiting)
    assert found.pod_group is not None
    assert (found.verdict, found.pod_group.result, found.pod_group.decided_by) == ("FITS", "does-not-fit", "volcano")
    told = {doubt.code: doubt.text for doubt in found.doubts}
    assert told["other-scheduler"] == (
        "volcano places it; kplan shows what kube-scheduler's rules (profile default-scheduler) would decide"
    )
    assert "group-elsewhere" in told


def test_rules_are_lent_to_groups_alone() -> None:
    state = ClusterState.of([node("a"), pod("p", schedulerName="volcano")])
    planner = PLAIN.planner(state)
    assert lent(planner, planner.cluster.pods) is planner


def test_pods_that_say_how_many_have_to_start_together() -> None:
    says = {"pod-group.scheduling.sigs.k8s.io": "g", "pod-group.scheduling.sigs.k8s.io/min-available": "2"}
    waiting = [pod(f"w-{n}", requests={"cpu": "3"}, labels=says) for n in range(3)]
    found = explained("default/w-0", node("a", cpu="8"), *waiting).pod_group
    assert found is not None
    assert (found.result, found.wanted, found.fits) == ("fits", 2, 2)
    assert found.text.startswith(
        "all 3 fit at once: no, 2 do; default/w-2 does not; 2 at one time are enough: yes; the coscheduling plugin"
    )
    few = explained("default/w-0", node("a", cpu="4"), *waiting).pod_group
    assert few is not None
    assert (few.result, few.fits) == ("does-not-fit", 1)
    assert "2 at one time are enough: no" in few.text


def of_volcano(*tasks: str) -> list[Object]:
    """Pods of one group that Volcano places, one of each task named."""
    group = {"scheduling.k8s.io/group-name": "g"}
    return [
        pod(
            f"w-{n}",
            requests={"cpu": "3"},
            metadata={"annotations": group},
            labels={"volcano.sh/task-spec": task},
            schedulerName="volcano",
        )
        for n, task in enumerate(tasks)
    ]


def volcano_group(**spec: object) -> Object:
    return make("VolcanoPodGroup", "g", namespace="default", spec=spec)


def test_a_group_of_volcano_is_asked_about_with_the_number_that_it_needs() -> None:
    pods = of_volcano("a", "a", "a")
    found = explained("default/w-0", node("a", cpu="6"), *pods, volcano_group(minMember=2))
    plan = found.pod_group
    assert plan is not None
    assert (found.verdict, plan.result, plan.fits, plan.wanted) == ("FITS", "fits", 2, 2)
    assert plan.text == (
        "all 3 fit at once: no, 2 do; default/w-2 does not; 2 at one time are enough: yes; Volcano decides when its "
        "pods start, and kplan does not model its queue"
    )
    texts = {doubt.code: doubt.text for doubt in found.doubts}
    assert texts["other-scheduler"] == (
        "volcano places it; kplan shows what kube-scheduler's rules (profile default-scheduler) would decide"
    )
    assert "group-elsewhere" in texts


def test_so_many_of_each_task_are_needed() -> None:
    objects = [node("a", cpu="6"), *of_volcano("ps", "ps", "worker")]
    found = explained("default/w-0", *objects, volcano_group(minMember=2, minTaskMember={"ps": 1, "worker": 1}))
    plan = found.pod_group
    assert plan is not None
    assert (plan.result, plan.fits) == ("does-not-fit", 2)
    assert "2 at one time are enough (1 ps and 1 worker): no" in plan.text


def test_a_group_some_of_whose_pods_are_not_there_yet_does_not_start() -> None:
    pods = members("scheduling.x-k8s.io/pod-group", range(2))
    group = make("CoschedulingPodGroup", "g", namespace="default", spec={"minMember": 3})
    found = explained("default/w-0", node("a", cpu="8"), *pods, group)
    plan = found.pod_group
    assert plan is not None
    assert plan.result == "does-not-fit"
    assert "both fit at once: yes (a x2); 3 have to start together, 1 pod of these not there yet" in plan.text


def test_kueue_admits_the_counts_of_its_workload() -> None:
    job = make("Job", "g", namespace="default", metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}}, spec={})
    owner = [{"apiVersion": "batch/v1", "kind": "Job", "name": "g", "uid": "u", "controller": True}]
    workload = make(
        "KueueWorkload",
        "job-g-1a2b3",
        namespace="default",
        metadata={"ownerReferences": owner},
        spec={"podSets": [{"name": "main", "count": 3, "minCount": 2}]},
    )
    pods = [pod(f"w-{n}", requests={"cpu": "3"}, metadata={"ownerReferences": owner}) for n in range(3)]
    found = explained("default/w-0", node("a", cpu="6"), *pods, job, workload)
    plan = found.pod_group
    assert plan is not None
    assert (plan.result, plan.fits, plan.decided_by) == ("fits", 2, "kueue")
    assert "2 at one time are enough: yes" in plan.text


def test_a_group_object_of_another_namespace_says_nothing() -> None:
    group = make("VolcanoPodGroup", "g", namespace="other", spec={"minMember": 2})
    found = explained("default/w-0", node("a", cpu="6"), *of_volcano("a", "a", "a"), group)
    assert found.pod_group is not None
    assert found.pod_group.result == "does-not-fit"


def test_what_names_the_group_of_a_pod_is_kept_by_a_snapshot() -> None:
    objects = [node("a", cpu="6"), *of_volcano("a", "a", "a"), volcano_group(minMember=2)]
    kept = load_values(json.loads(snapshot_bytes(ClusterState.of(objects)))["items"])
    found = explained("default/w-0", *kept.objects())
    assert found.pod_group is not None
    assert (found.pod_group.group, found.pod_group.wanted) == ("podgroup/default/g", 2)


def test_what_names_the_group_of_a_pod_is_one_name_in_a_redacted_snapshot() -> None:
    objects = [node("a", cpu="6"), *of_volcano("a", "a", "a"), volcano_group(minMember=2)]
    hidden, _ = redact(ClusterState.of(objects))
    (group,) = hidden.volcano_pod_groups
    names = {pod.annotations["scheduling.k8s.io/group-name"] for pod in hidden.pods}
    assert names == {group.name}
    assert group.name != "g"
    assert group.spec.min_member == 2
