"""A whole run over a server in memory: what it writes, and what it tells when something gives out in the middle."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kplan.api import Scheduler, fill_in
from kplan.bind.flags import Flags
from kplan.bind.plan.profiles import with_profiles
from kplan.bind.plan.show import Asked, show
from kplan.bind.run.journal import Journal
from kplan.bind.run.live import LiveCluster
from kplan.bind.run.record import read_journal
from kplan.bind.run.run import Run
from kplan.bind.wire.client import Reply
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_bind import BindPlan, BindResult, BindTarget, BindTotals
from tests.bind.fakes import FakeClient, answer
from tests.bind.store import Store
from tests.bind.test_show import claims, mine, storage
from tests.builders import make, node, pod

ORIGIN = Origin(source="prod", nodes=1, pods=1, k8s_version="1.37.2", how="as recorded", rules="1.37.2")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.perform._FIRST_PAUSE", 0.0)
    monkeypatch.setattr("kplan.bind.run.run.CONFIRM_WITHIN", 0.0)  # nobody watches: the server is asked
    monkeypatch.setattr("kplan.bind.run.run._POLL", 0.0)


class World:
    """Objects, a server that has them, and a plan for the pods that wait."""

    def __init__(
        self,
        folder: Path,
        *objects: Object,
        flags: Flags | None = None,
        gates: Mapping[str, bool] | None = None,
        only: str = "",
        some: int = -1,
    ) -> None:
        self.flags = flags or Flags()
        self.store = Store(objects)
        self.client = FakeClient(self.store)
        self.path = folder / "journal.jsonl"
        self.state = ClusterState.of(objects, source="prod")
        self.scheduler = Scheduler.of("1.37", gates=gates)
        fill_in(self.state, self.scheduler)
        planner = self._planner()
        named = (pod for place, pod in enumerate(planner.waiting()) if some >> place & 1)
        asked = [pod for pod in named if only in pod.name]
        shown, _ = show(planner, Asked(asked), self.flags)
        self.plan = BindPlan(
            api_version=API_VERSION, verdict="READY", sentence="", totals=BindTotals(pods=0, bindings=0),
            pods=tuple(shown), guards=(), cluster=BindTarget(context="prod", uid="u", server="s"), origin=ORIGIN,
        )  # fmt: skip

    def _planner(self) -> Planner:
        pipelines = with_profiles(self.scheduler.pipelines)
        cluster = self.scheduler.cluster(self.state)
        return Planner(cluster, pipelines, preempt=self.flags.preempt, everything=False)

    def run(self, *, resumed: bool = False) -> BindResult:
        journal = Journal(str(self.path), resumed=resumed)
        if not resumed:
            journal.start({}, "run-1", self.flags)
        former = read_journal(str(self.path)) if resumed else None
        run = Run(
            self.client, LiveCluster(self._planner()), self.plan, self.scheduler.features, self.flags, journal,
            "run-1", former,
        )  # fmt: skip
        try:
            return run.go()
        finally:
            journal.close()


def became(result: BindResult) -> list[tuple[str, str, str]]:
    return [(one.pod, one.result, one.code) for one in result.pods]


def test_pods_are_bound_and_their_events_reported(tmp_path: Path) -> None:
    world = World(tmp_path, node("node-a"), mine("a"), mine("b"), flags=Flags(events=True))
    result = world.run()
    assert (result.verdict, result.writes) == ("BOUND", 4)
    assert world.store.writes == ["bind a node-a", "create events", "bind b node-a", "create events"]


def test_a_disk_that_is_full_ends_the_run_and_what_was_bound_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, node("node-a"), mine("a"), mine("b"), mine("c"))
    real, left = os.write, [4]  # start; before, after and pod of the first

    def write(handle: int, data: Any) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return real(handle, data)

    monkeypatch.setattr(os, "write", write)
    result = world.run()
    monkeypatch.undo()
    assert world.store.writes == ["bind a node-a"]
    assert result.verdict == "STOPPED"
    assert became(result) == [
        ("default/a", "bound", ""), ("default/b", "open", ""), ("default/c", "not-tried", ""),
    ]  # fmt: skip
    assert result.because is not None
    assert result.because.code == "journal"
    assert result.because.text == f"the journal {world.path} cannot be written: No space left on device"
    assert result.attempt == f"kplan bind --resume {world.path}"
    again = world.run(resumed=True)
    assert (again.verdict, world.store.writes) == ("BOUND", ["bind a node-a", "bind b node-a", "bind c node-a"])


def test_a_disk_that_is_full_at_the_very_end_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, node("node-a"), mine("a"))
    real, left = os.write, [4]  # start; before, after and pod of the only one

    def write(handle: int, data: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", write)
    result = world.run()
    assert (result.verdict, became(result)) == ("BOUND", [("default/a", "bound", "")])
    assert result.notes == (f"the journal {world.path} cannot be written: No space left on device",)


def printed_rights(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
    """Refuse what the rights that kplan prints do not name: to read an event."""
    return answer(403, {"message": "cannot get events"}) if method == "GET" and "/events/" in path else None


@pytest.mark.parametrize("lost", [1, 3])
def test_an_event_whose_answer_is_lost_is_sent_again_and_ends_nothing(tmp_path: Path, lost: int) -> None:
    world = World(tmp_path, node("node-a"), mine("a"), mine("b"), flags=Flags(events=True))
    world.store.before, world.store.lost = printed_rights, {"/events": lost}
    assert world.run().verdict == "BOUND"
    assert world.store.writes == ["bind a node-a", "create events", "bind b node-a", "create events"]


def test_a_run_whose_event_was_lost_is_resumed(tmp_path: Path) -> None:
    world = World(tmp_path, node("node-a"), mine("a"), flags=Flags(events=True))
    journal = Journal(str(world.path))
    journal.start({}, "run-1", world.flags)
    journal.close()
    world.store.objects["/api/v1/namespaces/default/pods/a"]["spec"]["nodeName"] = "node-a"
    world.store.before, world.store.lost = printed_rights, {"/events": 1}
    result = world.run(resumed=True)
    assert (result.verdict, became(result)) == ("BOUND", [("default/a", "bound", "")])
    assert world.store.writes == ["create events"]


READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def crowded(allowed: int) -> list[Object]:
    """A node that two pods of one budget fill, and a pod of a higher priority that needs both their room."""
    victims = [
        pod(name, node="node-a", requests={"cpu": "1"}, labels={"app": "web"}, metadata={"uid": name}, **READY)
        for name in ("v1", "v2")
    ]
    budget = make(
        "PodDisruptionBudget", "web", namespace="default", spec={"selector": {"matchLabels": {"app": "web"}}},
        status={"disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2},
    )  # fmt: skip
    return [node("node-a", cpu="2"), *victims, budget, mine("big", requests={"cpu": "2"}, priority=1000)]


def test_the_second_victim_of_a_budget_that_allows_one_breaks_it(tmp_path: Path) -> None:
    [shown] = World(tmp_path, *crowded(1), flags=Flags(preempt=True)).plan.pods
    assert [(one.pod, one.budget) for one in shown.evicts] == [("default/v1", ""), ("default/v2", "web")]


def test_nobody_is_evicted_where_a_budget_refuses_the_second_victim(tmp_path: Path) -> None:
    world = World(tmp_path, *crowded(1), flags=Flags(preempt=True))
    result = world.run()
    assert became(result) == [("default/big", "held-back", "pdb")]
    assert result.pods[0].text == "budget web allows 1 eviction, too few to let default/v2 go"
    assert result.because == Cause(code="pdb", text=f"default/big: {result.pods[0].text}")
    assert world.store.writes == []


def test_both_are_evicted_where_the_budget_allows_two(tmp_path: Path) -> None:
    world = World(tmp_path, *crowded(2), flags=Flags(preempt=True))
    assert became(world.run()) == [("default/big", "bound", "")]
    assert [one for one in world.store.writes if one.startswith("evict")] == ["evict v1", "evict v2"]


def test_a_budget_that_refuses_in_the_dry_run_names_the_victim(tmp_path: Path) -> None:
    world = World(tmp_path, *crowded(2), flags=Flags(preempt=True))
    causes = {"details": {"causes": [{"reason": "DisruptionBudget"}]}, "message": "needs 2 healthy pods"}

    def refuse(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        return answer(429, causes) if path.endswith("v1/eviction") else None

    world.store.before = refuse
    result = world.run()
    assert became(result) == [("default/big", "held-back", "pdb")]
    assert result.pods[0].text == "a budget refuses to let default/v1 go: needs 2 healthy pods"


def with_claims() -> list[Object]:
    return [node("node-a"), node("node-b"), *storage(), mine("a", volumes=claims("scratch", "data"))]


CLAIM, VOLUME = "/api/v1/namespaces/default/persistentvolumeclaims/", "/api/v1/persistentvolumes/"


def bound_by_controller(world: World) -> None:
    """Do what the controllers do once both writes are there."""
    for name, volume in (("data", "pv-1"), ("scratch", "pv-made")):
        claim = world.store.objects[f"{CLAIM}{name}"]
        claim["spec"]["volumeName"] = volume
        claim["metadata"].setdefault("annotations", {})["pv.kubernetes.io/bind-completed"] = "yes"
    made = {"metadata": {"name": "pv-made", "uid": "v2"}, "spec": {"claimRef": {"uid": "c2"}}}
    world.store.objects[f"{VOLUME}pv-made"] = made


def test_volumes_are_given_and_claims_too_before_the_pod_is_bound(tmp_path: Path) -> None:
    world = World(tmp_path, *with_claims())
    world.store.objects[f"{VOLUME}pv-1"]["spec"]["unheardOf"] = {"kept": True}

    def controllers(method: str, path: str, query: Mapping[str, str], body: Any) -> None:
        if world.store.writes[-2:] == ["put pv-1", "put scratch"]:
            bound_by_controller(world)

    world.store.before = controllers
    result = world.run()
    assert (result.verdict, result.pods[0].node) == ("BOUND", "node-b")
    assert world.store.writes == ["patch a", "put pv-1", "put scratch", "bind a node-b"]
    volume = world.store.objects[f"{VOLUME}pv-1"]
    assert volume["spec"]["unheardOf"] == {"kept": True}
    assert volume["spec"]["claimRef"] == {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data", "uid": "c1",
        "resourceVersion": "",
    }  # fmt: skip
    assert volume["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
    scratch = world.store.objects[f"{CLAIM}scratch"]["metadata"]["annotations"]
    assert scratch["volume.kubernetes.io/selected-node"] == "node-b"


TAKEN = {
    "a volume that another claim has by now": (
        f"{VOLUME}pv-1", {"spec": {"claimRef": {"namespace": "x", "name": "y", "uid": "z"}}}, "volume-taken",
        "volume pv-1 belongs to claim x/y now",
    ),
    "a claim that was given to another node": (
        f"{CLAIM}scratch", {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "node-a"}}},
        "claim-elsewhere", "claim default/scratch was given to node node-a meanwhile",
    ),
    "a volume that was made again": (
        f"{VOLUME}pv-1", {"metadata": {"uid": "v9"}}, "volume-recreated",
        "volume pv-1 was deleted and made again after the plan",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("path", "change", "code", "text"), TAKEN.values(), ids=TAKEN)
def test_what_others_took_meanwhile_holds_the_pod_back_before_anything_is_written(
    tmp_path: Path, path: str, change: dict[str, Any], code: str, text: str
) -> None:
    world = World(tmp_path, *with_claims())
    for part, fields in change.items():
        world.store.objects[path][part].update(fields)
    [found] = world.run().pods
    assert (found.code, found.text) == (code, text)
    assert world.store.writes == []


def test_what_stays_of_a_pod_that_is_held_back_is_told_without_its_nomination(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, *with_claims(), flags=Flags(volume_timeout=0.01))
    monkeypatch.setattr("kplan.bind.run.prebind._LOOK_EVERY", 0.0)
    [found] = world.run().pods
    assert (found.code, found.text) == ("claim-timeout", "claim default/data was not bound within 0.01 s")
    assert found.kept == ("give volume pv-1 to claim default/data", "give claim default/scratch to node node-b")
    assert world.store.writes == ["patch a", "put pv-1", "put scratch", "patch a"]
