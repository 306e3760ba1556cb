"""The flow: what is planned again, what a saved plan and a resumed run take of the flags, and what may be combined."""

from typing import Any

import msgspec
import pytest

from kplan.api import Scheduler
from kplan.bind.flags import Flags
from kplan.bind.flow import go
from kplan.bind.plan.command import CommandLine
from kplan.bind.plan.document import attempt_of, first_pods
from kplan.bind.plan.rules import rules_of
from kplan.bind.plan.targets import Targets
from kplan.bind.run.results import again as run_next
from kplan.bind.wire.identity import Identity
from kplan.bind.workbench import Workbench
from kplan.errors import LiveError, UsageError
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.result.document_base import API_VERSION, Origin
from kplan.result.document_bind import BindGuard, BindPlan, BindPod, BindResult, BindTarget, BindTotals, BoundPod
from tests.builders import node, pod

ORIGIN = Origin(source="prod", nodes=1, pods=1, k8s_version="1.37.2", how="as recorded", rules="1.37.2")
TARGET = BindTarget(context="prod", uid="u-1", server="https://prod", server_time=100.0)


def plan_of(*pods: BindPod, verdict: str = "READY") -> BindPlan:
    return BindPlan(
        api_version=API_VERSION, verdict=verdict, sentence="", totals=BindTotals(pods=len(pods), bindings=len(pods)),
        pods=pods, guards=(), cluster=TARGET, origin=ORIGIN, attempt="kplan bind -A --apply",
    )  # fmt: skip


def bind_pod(name: str, scheduler: str = "kplan") -> BindPod:
    return BindPod(pod=f"default/{name}", result="bind", node="node-a", scheduler=scheduler)


class Bench:
    """Holds one pod back in its first run, and binds all in the next."""

    cluster_words = rules_words = ""
    read_at = float("inf")

    def __init__(self, code: str, *there: str) -> None:
        self.code = code
        self.state = ClusterState.of([pod(name) for name in there], source="prod")
        self.asked: list[list[str]] = []

    def plan(self, targets: Targets, flags: Flags, *, dry_run: bool = False) -> BindPlan:
        self.asked.append(list(targets.names))
        return plan_of(bind_pod("a"))

    def run(self, shown: BindPlan, flags: Flags, journal: Any, name: str, **more: Any) -> BindResult:
        became = "held-back" if self.code else "bound"
        one = BoundPod(pod="default/a", result=became, code=self.code, text=self.code, node="node-a")
        return BindResult(
            api_version=API_VERSION, verdict="HELD" if self.code else "BOUND", sentence="", pods=(one,),
            cluster=TARGET, started="", ended="", journal=journal.path,
        )  # fmt: skip


class Agrees:
    """Says yes, and counts how often."""

    asked = 0

    def show(self, plan: BindPlan) -> None:
        pass

    def agrees(self, plan: BindPlan, lead: str) -> bool:
        self.asked += 1
        return True

    def progress(self, done: int, total: int) -> None:
        pass


def replanned(tmp_path: Any, *benches: Bench | LiveError) -> BindResult:
    """What ``--replan`` comes to; each reading of the cluster gives the next bench, or fails."""
    left = list(benches)

    def open_bench(flags: Flags) -> Any:
        found = left.pop(0)
        if isinstance(found, LiveError):
            raise found
        return found

    asked = CommandLine(Targets(names=["a"]), apply=True, replan=True, journal=str(tmp_path / "j.jsonl"))
    result = go(asked, Flags(), open_bench, Agrees())
    assert isinstance(result, BindResult)
    return result


def test_what_was_held_back_is_planned_again(tmp_path: Any) -> None:
    second = Bench("", "a")
    result = replanned(tmp_path, Bench("node-cordoned", "a"), second)
    assert second.asked == [["pod/default/a"]]
    assert [one.result for one in result.pods] == ["bound"]


def test_a_pod_that_is_gone_is_not_planned_again_and_the_result_is_told(tmp_path: Any) -> None:
    second = Bench("", "other")
    result = replanned(tmp_path, Bench("deleted", "a"), second)
    assert second.asked == []
    assert [(one.result, one.code) for one in result.pods] == [("held-back", "deleted")]


def test_a_server_that_is_gone_when_it_is_planned_again_takes_no_result_away(tmp_path: Any) -> None:
    result = replanned(tmp_path, Bench("node-cordoned", "a"), LiveError("no answer while listing pods"))
    assert [one.code for one in result.pods] == ["node-cordoned"]
    assert result.notes == ("not planned again: no answer while listing pods",)


def test_two_runs_of_one_second_keep_two_journals(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kplan.bind.flow.strftime", lambda form: "20260102-031402")
    names = iter(["a1b2c3d4", "e5f60718"])
    monkeypatch.setattr("kplan.bind.flow.secrets.token_hex", lambda size: next(names))
    for _ in range(2):
        go(CommandLine(Targets(names=["a"]), apply=True), Flags(), lambda flags: Bench("", "a"), Agrees())  # type: ignore[arg-type,return-value]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kplan-bind-20260102-031402-a1b2c3d4.jsonl", "kplan-bind-20260102-031402-e5f60718.jsonl",
    ]  # fmt: skip


def test_a_journal_that_is_there_is_refused_before_anybody_is_asked(tmp_path: Any) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text("{}")
    person = Agrees()
    with pytest.raises(UsageError, match="a journal of that name exists"):
        go(CommandLine(Targets(names=["a"]), apply=True, journal=str(path)), Flags(), lambda flags: None, person)  # type: ignore[arg-type,return-value]
    assert person.asked == 0


def test_a_result_says_what_went_unseen(tmp_path: Any) -> None:
    class Blind(Bench):
        def plan(self, targets: Targets, flags: Flags, *, dry_run: bool = False) -> BindPlan:
            guard = BindGuard(name="watch", state="--", text="what others do to csinodes goes unseen")
            return msgspec.structs.replace(plan_of(bind_pod("a")), guards=(guard,))

    asked = CommandLine(Targets(names=["a"]), apply=True, journal=str(tmp_path / "j.jsonl"))
    result = go(asked, Flags(), lambda flags: Blind("", "a"), Agrees())  # type: ignore[arg-type,return-value]
    assert isinstance(result, BindResult)
    assert result.notes == ("what others do to csinodes goes unseen",)


def test_no_more_of_a_saved_plan_is_bound_than_wanted() -> None:
    pods = [bind_pod("a"), msgspec.structs.replace(bind_pod("b"), result="pending"), bind_pod("c"), bind_pod("d")]
    found = list(first_pods(pods, 2))
    assert [one.result for one in found] == ["bind", "pending", "bind", "pending"]
    assert found[3].because is not None
    assert found[3].because.text == "beyond --max-pods 2"
    assert list(first_pods(pods, 0)) == pods


def test_flags_that_are_given_to_a_resumed_run_count_and_the_others_are_those_of_its_journal() -> None:
    before = Flags(pdb="wait", accept_doubt=("a",), events=True, k8s_version="1.36", config="kind: x")
    assert before.again(Flags()) == before
    assert before.again(Flags(take_over=True, accept_doubt=("b",), qps=5)) == Flags(
        pdb="wait", accept_doubt=("a", "b"), events=True, k8s_version="1.36", config="kind: x", take_over=True, qps=5
    )


def test_what_to_run_next_names_the_cluster_and_the_rules_again() -> None:
    found = attempt_of(plan_of(), "my plan.json", Flags(preempt=True), " --context prod --config c.yaml")
    assert found == "kplan bind --plan 'my plan.json' --context prod --config c.yaml --preempt --apply"


def test_a_plan_that_names_no_cluster_leads_nowhere() -> None:
    shown = msgspec.structs.replace(plan_of(), cluster=BindTarget(context="s.json"))
    assert attempt_of(shown, "plan.json", Flags()) == ""


def again(configuration: str, scheduler: str, *objects: Object) -> BindPlan:
    """Hold a saved plan of pod ``a`` against other rules than those it was made by."""
    bench = Workbench(
        state=ClusterState.of(objects, source="prod"),
        scheduler=Scheduler.of("1.37", config=configuration or None),
        origin=ORIGIN,
        doubts=(),
        identity=Identity("u-1", 160.0),
        configuration=configuration or None,
    )
    return bench.again(plan_of(bind_pod("a", scheduler)), Flags(), "plan.json")


HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PERMIT = f"{HEAD}profiles:\n- schedulerName: default-scheduler\n  plugins: {{permit: {{enabled: [{{name: Gang}}]}}}}\n"
BINDER = f"{HEAD}extenders:\n- {{urlPrefix: 'http://x', bindVerb: bind}}\n"


@pytest.mark.parametrize(
    ("configuration", "scheduler", "state", "text"),
    [
        ("", "default-scheduler", "", ""),
        ("", "kplan", "", ""),
        (
            PERMIT, "default-scheduler", "no",
            "default/a: its profile default-scheduler has Permit plugins, which kplan does not run: Gang",
        ),
        (
            BINDER, "default-scheduler", "no",
            "default/a: the extender http://x binds it in the scheduler's place (--call-extenders has it do so)",
        ),
        ("", "batch", "needs", "no profile here has the schedulerName batch that the plan was made by"),
    ],
    ids=["nothing", "kplan's own name", "a Permit plugin by now", "an extender by now", "no --config this time"],
)  # fmt: skip
def test_a_saved_plan_is_held_against_the_rules_of_now(
    configuration: str, scheduler: str, state: str, text: str
) -> None:
    found = again(configuration, scheduler, pod("a", schedulerName=scheduler))
    against = [(guard.state, guard.text) for guard in found.guards if guard.state in ("no", "needs")]
    assert against == ([(state, text)] if state else [])
    assert found.verdict == ("REFUSED" if state else "READY")


def test_a_saved_plan_of_other_rules_is_refused_and_so_is_a_run_that_is_resumed() -> None:
    pods = [pod("a", schedulerName="kplan")]
    bench = Workbench(
        state=ClusterState.of(pods, source="prod"), scheduler=Scheduler.of("1.37"), origin=ORIGIN, doubts=(),
        identity=Identity("u-1", 160.0),
    )  # fmt: skip
    old = msgspec.structs.replace(plan_of(bind_pod("a")), rules=rules_of(Scheduler.of("1.36"), [bind_pod("a")]))
    for resumed in (False, True):
        found = bench.again(old, Flags(), "plan.json", resumed=resumed)
        assert found.verdict == "REFUSED"
        assert found.because is not None
        assert found.because.text == (
            "--k8s-version 1.36: the plan was made under other rules: Kubernetes version 1.36, now 1.37; plan again, "
            "or ask for those"
        )
    same = msgspec.structs.replace(old, rules=rules_of(Scheduler.of("1.37.0"), [bind_pod("a")]))
    assert bench.again(same, Flags(), "plan.json").verdict == "READY"


def test_a_plan_keeps_the_rules_it_was_made_by() -> None:
    bench = Workbench(
        state=ClusterState.of([node("n"), pod("a", schedulerName="kplan")], source="prod"),
        scheduler=Scheduler.of("1.36"), origin=ORIGIN, doubts=(), identity=Identity("u-1", 160.0),
    )  # fmt: skip
    shown = bench.plan(Targets(names=["a"]), Flags())
    assert shown.rules["Kubernetes version"] == "1.36"
    assert shown.rules["feature gates"] == "as by default"
    assert bench.again(shown, Flags(max_age=0), "plan.json").verdict == "READY"


def ran(code: str, tmp_path: Any, flags: Flags) -> BindResult:
    """What a run comes to that holds its pod back for this reason."""
    bench = Bench(code, "a")
    bench.cluster_words = " --context prod"
    asked = CommandLine(Targets(names=["a"]), apply=True, journal=str(tmp_path / "j.jsonl"))
    result = go(asked, flags, lambda flags: bench, Agrees())  # type: ignore[arg-type,return-value]
    assert isinstance(result, BindResult)
    return result


@pytest.mark.parametrize(
    ("code", "flags", "attempt"),
    [
        ("node-cordoned", Flags(), "kplan bind default/a --context prod"),
        ("pdb", Flags(preempt=True), "kplan bind default/a --preempt --pdb wait --context prod"),
        ("pdb", Flags(preempt=True, pdb="wait"), "kplan bind default/a --preempt --pdb wait --context prod"),
        ("deleted", Flags(), ""),
        ("", Flags(), ""),
    ],
    ids=["it waits still", "a budget refused", "and was waited for", "it is gone", "it was bound"],
)
def test_a_pod_that_was_held_back_and_waits_is_to_be_planned_again(
    tmp_path: Any, code: str, flags: Flags, attempt: str
) -> None:
    assert ran(code, tmp_path, flags).attempt == attempt


def test_of_many_pods_the_namespace_is_named() -> None:
    def result(*keys: str) -> BindResult:
        pods = tuple(BoundPod(pod=key, result="held-back", code="no-fit", node="n") for key in keys)
        return BindResult(
            api_version=API_VERSION, verdict="HELD", sentence="", pods=pods, cluster=TARGET, started="", ended=""
        )

    assert run_next(result(*(f"shop/p{number}" for number in range(6))), Flags()) == "kplan bind -n shop"
    assert run_next(result(*(f"s{number}/p" for number in range(6))), Flags()) == "kplan bind -A"
    assert run_next(result("pod/a", "shop/b"), Flags()) == "kplan bind pod/pod/a shop/b"
