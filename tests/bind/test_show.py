"""What is shown: who would be bound where, who is refused, and every flag that is missing, all at once."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from kplan.api import Scheduler, fill_in
from kplan.bind.flags import Flags
from kplan.bind.plan.document import Circumstances, make_plan, refusal
from kplan.bind.plan.manifests import Planned
from kplan.bind.plan.profiles import with_profiles
from kplan.bind.plan.show import Asked, show
from kplan.bind.run.results import summary
from kplan.bind.wire.leases import Responsible
from kplan.framework.args import Extender, ExtenderManagedResource
from kplan.framework.doubt import Doubt
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.render.html import page
from kplan.render.text import Style
from kplan.render.text.bind import bind_plan, bind_result
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_bind import BindGuard, BindPlan, BindResult, BindTarget, BoundPod
from tests.builders import make, node, pod
from tests.plugins.devices.world import device, device_class, slice_of

ORIGIN = Origin(source="prod", nodes=2, pods=3, k8s_version="1.37.2", how="as recorded", rules="1.37.2")
LIVE = Responsible(True, "sched-1 holds the lease kube-system/kube-scheduler (renewed 1 s ago)")
IDLE = Responsible(False, "no lease kube-system/kplan is held")
DOUBT = Doubt(code="scheduler-config-assumed", text="the defaults are assumed")
EVERY = ("Node", "Pod", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver",
         "VolumeAttachment", "PodDisruptionBudget", "Namespace")  # fmt: skip


def plan(objects: Iterable[Object], flags: Flags | None = None, **asked: Any) -> BindPlan:
    from msgspec.structs import replace

    state = ClusterState.of(objects, source="prod")
    complete = replace(state.completeness, counts={**dict.fromkeys(EVERY, 0), **state.completeness.counts})
    state = dataclasses.replace(state, completeness=complete)
    scheduler = Scheduler.of("1.37")
    fill_in(state, scheduler)
    flags = flags or Flags()
    cluster = scheduler.cluster(state)
    pipelines = with_profiles(scheduler.pipelines)
    planner = Planner(cluster, pipelines, preempt=flags.preempt, everything=False)
    pods = planner.queue.sort(one for one in cluster.pods if not one.bound)
    responsible = asked.pop("responsible", {"kplan": IDLE, "default-scheduler": LIVE})
    of_plan = {name: asked.pop(name) for name in ("doubts", "objects", "command") if name in asked}
    found, notes = show(planner, Asked(pods=pods, responsible=responsible, **asked), flags)
    about = Circumstances(
        origin=ORIGIN,
        cluster=BindTarget(context="prod", uid="6f1c2a90-1", server="https://prod"),
        responsible=responsible,
        notes=tuple(notes),
        **of_plan,
    )
    return make_plan(found, about, flags, [BindGuard(name="rights", state="ok", text="pods/binding create")])


def mine(name: str, **more: Any) -> Object:
    return pod(name, **{"schedulerName": "kplan", "requests": {"cpu": "1"}, **more})


def result(found: BindPlan, name: str) -> tuple[str, str]:
    """Result of a pod, and the code of its cause."""
    [one] = [one for one in found.pods if one.pod == f"default/{name}"]
    return one.result, one.because.code if one.because is not None else ""


def test_pods_are_placed_one_after_another() -> None:
    found = plan([node("node-a", cpu="2"), node("node-b", cpu="2"), mine("a"), mine("b"), mine("c")])
    assert [(one.pod, one.node, one.tie) for one in found.pods] == [
        ("default/a", "node-a", 2), ("default/b", "node-b", 0), ("default/c", "node-a", 2),
    ]  # fmt: skip
    assert (found.verdict, found.sentence) == ("READY", "3 of 3 pods would be bound; nothing was written")


REFUSED = {
    "resource claims of a state without ResourceSlices": ({"resourceClaims": [{"name": "g"}]}, "devices-not-modelled"),
    "a pod of a group": ({"schedulingGroup": {"podGroupName": "g"}}, "pod-group-not-modelled"),
    "a pod that is being deleted": ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, "pod-deleted"),
}


@pytest.mark.parametrize(("spec", "code"), REFUSED.values(), ids=REFUSED)
def test_what_kplan_does_not_bind_is_refused_with_its_reason(spec: dict[str, Any], code: str) -> None:
    found = plan([node("node-a"), mine("a", **spec), mine("b")])
    assert result(found, "a") == ("refused", code)
    assert result(found, "b") == ("bind", "")


def test_the_claim_for_a_resource_that_devices_serve_is_shown_with_its_devices() -> None:
    served = device_class("gpu", extendedResourceName="example.com/gpu")
    wants = mine("a", requests={"cpu": "1", "example.com/gpu": "1"})
    found = plan([node("node-a"), served, slice_of("node-a", device("g")), wants, mine("b")])
    [one, other] = found.pods
    assert (one.result, [claim.devices for claim in one.devices]) == ("bind", [("gpu.example.com/node-a/g",)])
    assert (other.result, other.devices, found.totals.device_claims) == ("bind", (), 1)


def test_a_pod_of_another_scheduler_is_held_back_and_takes_no_room() -> None:
    found = plan([node("node-a", cpu="1"), pod("a", schedulerName="volcano", requests={"cpu": "1"}), mine("b")])
    [other, _] = found.pods
    assert (other.result, other.because) == (
        "refused", Cause(code="other-scheduler", text="no profile here has the schedulerName volcano (--config)")
    )  # fmt: skip
    assert result(found, "b") == ("bind", "")


def test_pods_with_the_same_message_have_each_its_own_reason() -> None:
    def wants(name: str, value: str) -> Object:
        return mine(name, nodeSelector={"pool": value})

    found = plan([node("node-a"), node("node-b"), wants("on-c", "c"), wants("on-d", "d")])
    assert {one.pod: one.because.text if one.because else "" for one in found.pods} == {
        "default/on-c": "nodeSelector pool=c: no node has that",
        "default/on-d": "nodeSelector pool=d: no node has that",
    }
    messages = {one.pod: one.message for one in found.pods}
    assert messages["default/on-c"] == messages["default/on-d"]


def test_a_pod_with_a_gate_waits() -> None:
    found = plan([node("node-a"), mine("a", schedulingGates=[{"name": "later"}])])
    assert result(found, "a") == ("gated", "scheduling-gates")
    assert found.verdict == "NOTHING"


def test_another_scheduler_that_wants_the_same_room_is_told() -> None:
    others = pod("theirs", requests={"cpu": "3"}, schedulerName="nightly")
    found = plan([node("node-a", cpu="4"), mine("a", requests={"cpu": "3"}), others])
    assert found.notes == ("1 pod of scheduler nightly waits for the same room on node-a: whoever binds first gets it",)


def test_a_profile_with_a_permit_plugin_is_refused_with_that_reason() -> None:
    found = plan([node("node-a"), mine("a")], permit={"kplan": ("Coscheduling",)})
    [one] = found.pods
    assert one.because is not None
    assert one.because.text == "its profile kplan has Permit plugins, which kplan does not run: Coscheduling"


GPUS = Extender(
    url_prefix="http://gpus:8888", bind_verb="bind", managed_resources=(ExtenderManagedResource(name="x/gpu"),)
)
FILTER = Extender(url_prefix="http://filter:8888", filter_verb="filter")
LIMITED = [{"name": "main", "resources": {"limits": {"x/gpu": "1"}}}]


@pytest.mark.parametrize(
    ("extenders", "spec", "expected"),
    [
        ((GPUS,), {"requests": {"x/gpu": "1"}}, ("refused", "extender-binds")),
        ((GPUS,), {"containers": LIMITED}, ("refused", "extender-binds")),
        ((GPUS,), {"initContainers": LIMITED}, ("refused", "extender-binds")),
        ((GPUS,), {}, ("bind", "")),
        ((FILTER,), {}, ("bind", "")),
        ((FILTER, Extender(url_prefix="http://all:1", bind_verb="b")), {}, ("refused", "extender-binds")),
    ],
    ids=["asks for its resource", "limits it", "an init container does", "does not ask", "it only filters",
         "it binds all pods"],
)  # fmt: skip
def test_a_pod_that_an_extender_binds_in_the_schedulers_place_is_refused(
    extenders: tuple[Extender, ...], spec: dict[str, Any], expected: tuple[str, str]
) -> None:
    room = node("node-a")
    room.status.allocatable = {**(room.status.allocatable or {}), "x/gpu": "4"}
    assert result(plan([room, mine("a", **spec)], extenders=extenders), "a") == expected


def test_every_flag_that_is_missing_is_named_at_once_with_its_reason() -> None:
    objects = [node("node-a"), pod("a", requests={"cpu": "1"}), pod("made", requests={"cpu": "1"})]
    found = plan(
        objects,
        doubts=(DOUBT,),
        planned={"default/made": Planned(create={"kind": "Pod"})},
        command="kplan bind a -f made.yaml",
    )
    assert found.verdict == "REFUSED"
    assert found.because is not None
    assert found.because.text == (
        "--take-over: a live scheduler answers for schedulerName default-scheduler: sched-1 holds the lease "
        "kube-system/kube-scheduler (renewed 1 s ago); --create: 1 object of manifests not there: pod/default/made; "
        "1 doubt not accepted: scheduler-config-assumed"
    )
    assert "--accept-doubt scheduler-config-assumed: the defaults are assumed" in refusal(found)
    assert found.attempt == (
        "kplan bind a -f made.yaml --take-over --accept-doubt scheduler-config-assumed --create --apply"
    )


OTHER = Doubt(code="partial-pods", text="some pods may be missing")


@pytest.mark.parametrize("flags", [Flags(), Flags(accept_doubt=("all",), take_over=True)])
def test_a_doubt_is_told_once_in_the_text_and_on_the_page(flags: Flags) -> None:
    found = plan([node("node-a"), pod("a")], flags, doubts=(DOUBT, OTHER))
    text, html = bind_plan(found, Style()), page(found)
    head = html[html.index("<h1") : html.index("</section>")]
    for doubt in (DOUBT, OTHER):
        assert text.count(doubt.text) == 1
        assert doubt.text not in head, "it is a row of the guards"
    if found.because is not None:
        assert found.because.text.endswith("2 doubts not accepted: scheduler-config-assumed and partial-pods")


def test_an_answer_without_guards_tells_its_doubts() -> None:
    found = plan([node("node-a"), pod("a")], doubts=(DOUBT,))
    assert bind_plan(found, Style(quiet=True)).count(DOUBT.text) == 1


def test_a_flag_that_two_doubts_need_is_tried_once() -> None:
    twice = (OTHER, Doubt(code=OTHER.code, text="others may be missing, too"))
    found = plan([node("node-a"), mine("a")], doubts=twice)
    assert found.because is not None
    assert found.because.text == "1 doubt not accepted: partial-pods"
    assert found.attempt.count("--accept-doubt") == 1


def test_flags_that_are_given_are_not_missing() -> None:
    flags = Flags(take_over=True, accept_doubt=("scheduler-config-assumed",))
    found = plan([node("node-a"), pod("a")], flags, doubts=(DOUBT,))
    assert found.verdict == "READY"


def test_how_the_live_scheduler_is_configured_is_no_doubt_about_pods_that_are_not_its() -> None:
    assert plan([node("node-a"), mine("a")], doubts=(DOUBT,)).doubts == ()


def test_of_pods_that_were_not_named_those_of_a_live_scheduler_are_left_to_it() -> None:
    found = plan([node("node-a"), pod("theirs"), mine("a")], named=False)
    assert [one.pod for one in found.pods] == ["default/a"]
    assert found.notes == ("1 pod left to the live scheduler (--take-over): default/theirs",)


def test_no_more_pods_than_wanted_are_looked_at() -> None:
    found = plan([node("node-a"), mine("a"), mine("b"), mine("c")], Flags(max_pods=2))
    assert [one.pod for one in found.pods] == ["default/a", "default/b"]
    assert found.notes == ("1 more pod beyond --max-pods 2: not looked at",)


LOW = pod("low", node="node-a", labels={"app": "low"}, requests={"cpu": "2"})
FULL = [node("node-a", cpu="2"), LOW, mine("high", priority=10)]


def test_a_pod_that_fits_only_by_preemption_says_so() -> None:
    [one] = plan(FULL).pods
    assert one.because is not None
    assert (one.result, one.because.code) == ("pending", "needs-preemption")
    assert one.because.text == "it fits node-a only after evicting 1 pod (default/low): --preempt"


def test_victims_and_the_budget_they_break_are_shown() -> None:
    budget = make(
        "PodDisruptionBudget",
        "low",
        namespace="default",
        spec={"selector": {"matchLabels": {"app": "low"}}},
        status={"disruptionsAllowed": 0},
    )
    found = plan([*FULL, budget], Flags(preempt=True))
    [one] = found.pods
    assert (one.result, one.node) == ("bind", "node-a")
    assert [(victim.pod, victim.budget) for victim in one.evicts] == [("default/low", "low")]
    assert [(guard.state, guard.text) for guard in found.guards if guard.name == "evicts"] == [
        ("ok", "1 pod: default/low")
    ]


WAITS = "WaitForFirstConsumer"


def storage() -> list[Object]:
    modes = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    requests = {"resources": {"requests": {"storage": "1Gi"}}}
    hostname = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-b"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [hostname]}]}}
    return [
        make("StorageClass", "local", provisioner="kubernetes.io/no-provisioner", volumeBindingMode=WAITS),
        make("StorageClass", "made", provisioner="x.example", volumeBindingMode=WAITS),
        make("PersistentVolume", "pv-1", metadata={"uid": "v1"}, status={"phase": "Available"},
             spec={**modes, "capacity": {"storage": "1Gi"}, "nodeAffinity": affinity}),
        make("PersistentVolumeClaim", "data", namespace="default", metadata={"uid": "c1"}, spec={**modes, **requests}),
        make("PersistentVolumeClaim", "scratch", namespace="default", metadata={"uid": "c2"},
             spec={**modes, **requests, "storageClassName": "made"}),
    ]  # fmt: skip


def claims(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]


def test_claims_and_volumes_that_are_written_to_are_shown_static_ones_first() -> None:
    found = plan([node("node-a"), node("node-b"), *storage(), mine("a", volumes=claims("scratch", "data"))])
    [one] = found.pods
    assert one.node == "node-b"
    assert [(claim.claim, claim.uid, claim.volume, claim.volume_uid) for claim in one.claims] == [
        ("default/data", "c1", "pv-1", "v1"), ("default/scratch", "c2", "", ""),
    ]  # fmt: skip
    assert (found.totals.bindings, found.totals.claims, found.totals.volumes) == (1, 1, 1)


def test_the_text_is_the_one_of_the_design() -> None:
    objects = [node("node-a"), node("node-b"), *storage()]
    objects += [mine("report-0", volumes=claims("scratch")), mine("report-1"), mine("train-0", requests={"cpu": "9"})]
    found = plan(objects, command="kplan bind -n default")
    assert bind_plan(found, Style()) == TEXT


TEXT = """\
READY    2 of 3 pods would be bound; nothing was written
Because  default/train-0: cpu: it wants 9, the largest node has 4 in all
Try      kplan bind -n default --apply

Pods     pod               node    also writes
         default/train-0   -       pending: cpu: it wants 9, the largest node
                                   has 4 in all
         default/report-0  node-a  pvc scratch: selected-node node-a
         default/report-1  node-b  -
Guards   ok     scheduler  schedulerName kplan; no lease kube-system/kplan is
                           held
         ok     rights     pods/binding create
         ok     evicts     nothing
From     prod, 2 nodes, 3 pods; rules of 1.37.2 (as recorded)
         kube-system uid 6f1c2a90-1
"""


def test_the_text_of_a_result_tells_what_became_of_each_pod_and_what_stays() -> None:
    pods = (
        BoundPod(pod="batch/a", result="bound", node="node-a", at="2026-01-02T03:14:07Z", confirmed=True),
        BoundPod(
            pod="batch/b",
            result="held-back",
            node="node-b",
            code="claim-timeout",
            text="claim batch/scratch was not bound within 600 s",
            kept=("give claim batch/scratch to node node-b",),
        ),
        BoundPod(pod="batch/c", result="not-tried", node="node-b"),
    )
    verdict, sentence, because = summary(pods, (), "interrupted", None)
    found = BindResult(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=sentence,
        because=because,
        pods=pods,
        cluster=BindTarget(context="prod"),
        started="2026-01-02T03:14:02Z",
        ended="2026-01-02T03:24:08Z",
        journal="j.jsonl",
        attempt="kplan bind --resume j.jsonl",
    )
    assert bind_result(found, Style()) == RESULT


RESULT = """\
STOPPED  1 of 3 pods; 1 held back; 1 not tried
Because  it was asked to stop
Try      kplan bind --resume j.jsonl

Pods     pod      node    result
         batch/b  node-b  held back: claim batch/scratch was not bound within
                          600 s; kept: give claim batch/scratch to node node-b
         batch/c  node-b  not tried
         batch/a  node-a  bound 03:14:07, confirmed
From     prod, 03:14:02 to 03:24:08; journal j.jsonl
"""
