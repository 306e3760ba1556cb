"""Sweeps: what each axis comes to on a small shop, worked out by hand, and that scenarios leave no trace."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.errors import UsageError
from kplan.result.document_sweep import SweepOutcome
from kplan.scenario.nodes import Cordon
from kplan.studies.drain import DrainAsked, drain
from kplan.studies.fail import each_failure
from kplan.studies.origin import origin
from kplan.studies.sweep import AskedAxis, Axis, Grid, GridPoint, ScenarioBench, Waiting, Workers, report
from kplan.studies.sweep.questions import DRAIN, DrainQuestion, LossQuestion, MovesQuestion
from kplan.studies.sweep.scenario import SweepScenario
from tests.builders import node, pod
from tests.scenario.worlds import owned, shop
from tests.studies.sweeping import SCHEDULER, Broken, asked, base_of, bench_of, everything, grid_of, swept, timeless

# The shop: node-a, node-b in zone east, node-c, node-d in zone west, 4 cpu each. On a: web 1, db 2; on b: web 1, db 2;
# on c: web 1; on d: bare 1 (nobody's); on each: log 0.1. Free: a, b 0.9; c, d 2.9. Requested: 8.4 of 16 cpu.


def numbers(one: SweepOutcome) -> dict[str, object]:
    """What is not nothing, in words."""
    told = {name: getattr(one, name) for name in ("placed", "pending", "held", "gone", "evicted", "fits", "nodes")}
    return {"verdict": one.verdict, "pods": one.pods, **{name: value for name, value in told.items() if value}}


def test_each_node_is_drained() -> None:
    found = asked(bench_of(shop()), AskedAxis("drain", ("node",)))
    assert {name: numbers(one) for name, one in found.items()} == {
        "drain node-a": {"verdict": "FITS", "pods": 2, "placed": 2},
        "drain node-b": {"verdict": "FITS", "pods": 2, "placed": 2},
        "drain node-c": {"verdict": "FITS", "pods": 1, "placed": 1},
        "drain node-d": {"verdict": "BLOCKED", "pods": 1, "held": 1},
    }
    because = found["drain node-d"].because
    assert because is not None
    assert because.text == "shop/bare: nothing owns it: it would be GONE"


def test_a_selector_names_the_nodes_that_are_drained() -> None:
    found = asked(bench_of(shop()), AskedAxis("drain", ("zone=west", "node-a")))
    assert list(found) == ["drain node-c", "drain node-d", "drain node-a"]


def test_each_zone_is_lost() -> None:
    # east: web, web, db, db want 1, 1, 2, 2 cpu; c and d have 2.9 each: both web and one db, or both db
    # west: web wants 1 and a, b have 0.9 each; bare is nobody's
    found = asked(bench_of(shop()), AskedAxis("fail", ("zone",)))
    east, west = found["fail zone east"], found["fail zone west"]
    assert (east.verdict, east.pods, east.placed + east.pending, east.gone) == ("PARTLY", 4, 4, 0)
    assert numbers(west) == {"verdict": "BLOCKED", "pods": 2, "pending": 1, "gone": 1}


def test_each_node_is_lost() -> None:
    found = asked(bench_of(shop()), AskedAxis("fail", ("node",)))
    assert {name: numbers(one) for name, one in found.items()} == {
        "fail node-a": {"verdict": "FITS", "pods": 2, "placed": 2},
        "fail node-b": {"verdict": "FITS", "pods": 2, "placed": 2},
        "fail node-c": {"verdict": "FITS", "pods": 1, "placed": 1},
        "fail node-d": {"verdict": "BLOCKED", "pods": 1, "gone": 1},
    }


def test_how_full_the_cluster_is_then() -> None:
    found = asked(bench_of(shop()), AskedAxis("fail", ("node-a", "node-d")))
    lost_a, lost_d = found["fail node-a"], found["fail node-d"]
    # a gone: 8.4 - 0.1 of 12 cpu; d gone: 8.4 - 1.1 of 12 cpu
    assert lost_a.fullest is not None
    assert (lost_a.fullest.resource, lost_a.fullest.percent) == ("cpu", 69)
    assert lost_d.fullest is not None
    assert (lost_d.fullest.resource, lost_d.fullest.percent) == ("cpu", 60)
    assert (lost_a.used, lost_d.used) == (3, 3)


def test_daemon_sets_use_no_node() -> None:
    objects = [node("n-1"), node("n-2"), owned("log-1", "DaemonSet", "log", on="n-1"), owned("x", "Job", "x", on="n-2")]
    assert asked(bench_of(objects), AskedAxis("scenario", inline={"as it is": ()}))["as it is"].used == 1


def test_replicas_of_a_workload_fit() -> None:
    # web wants 1 cpu: 0 on a and b, 2 on c and d
    found = asked(bench_of(shop()), AskedAxis("workload", ("rs/shop/web-7d",)))
    assert numbers(found["rs/shop/web-7d"]) == {"verdict": "FITS", "pods": 4, "placed": 4, "fits": 4}


def test_replicas_that_are_wanted_count_those_that_run() -> None:
    bench = bench_of(shop())
    enough = asked(bench, AskedAxis("workload", ("rs/shop/web-7d",)), replicas=7)["rs/shop/web-7d"]
    assert numbers(enough) == {"verdict": "FITS", "pods": 4, "placed": 4, "fits": 4}
    more = asked(bench, AskedAxis("workload", ("rs/shop/web-7d",)), replicas=9)["rs/shop/web-7d"]
    assert numbers(more) == {"verdict": "PARTLY", "pods": 6, "placed": 4, "pending": 2, "fits": 4}


def test_pools_by_workloads_is_how_many_nodes_it_takes() -> None:
    # 10 web, 3 run, 7 to come: 4 fit, 3 are left. A node like node-a without the daemon's 0.1 takes 3, one of 2 cpu 1
    pools = AskedAxis("pool", ("like=node-a", "cpu=2,memory=8Gi", "cpu=500m,memory=8Gi"))
    web = AskedAxis("workload", ("rs/shop/web-7d",))
    found = asked(bench_of(shop()), pools, web, replicas=10, sized=True)
    assert [(one.verdict, one.nodes, one.fits) for one in found.values()] == [
        ("FITS", 1, 7),
        ("FITS", 2, 7),
        ("PARTLY", None, 4),
    ]
    last = found["pool cpu=500m,memory=8Gi, rs/shop/web-7d"].because
    assert last is not None
    assert last.text.startswith("even an empty one: ")


def test_a_pool_without_a_number_of_replicas_is_added_and_filled(tmp_path: Path) -> None:
    file = tmp_path / "shapes.yaml"
    file.write_text("shapes: [{name: small, cpu: 500m}, {name: large, cpu: 4}]")
    pools = AskedAxis("pool", ("cpu=8,memory=8Gi", "cpu=8,memory=8Gi,count=2"))
    found = asked(bench_of(shop()), pools, AskedAxis("shapes", (str(file),)))
    # small: 1 on a, 1 on b, 5 on c, 5 on d, 16 on each new one; large: none of 4 is free here, 2 on each new one
    assert {name: one.fits for name, one in found.items()} == {
        "pool cpu=8,memory=8Gi, shape small": 28,
        "pool cpu=8,memory=8Gi, shape large": 2,
        "pool cpu=8,memory=8Gi,count=2, shape small": 44,
        "pool cpu=8,memory=8Gi,count=2, shape large": 4,
    }


def test_a_manifest_says_how_many_are_wanted_where_nodes_are_counted(tmp_path: Path) -> None:
    container = "{name: m, image: i, resources: {requests: {cpu: 2}}}"
    template = f"{{metadata: {{labels: {{app: api}}}}, spec: {{containers: [{container}]}}}}"
    file = tmp_path / "api.yaml"
    file.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: shop}\n"
        f"spec: {{replicas: 6, selector: {{matchLabels: {{app: api}}}}, template: {template}}}\n"
    )
    api = AskedAxis("workload", (str(file),))
    bench = bench_of(shop())
    # one fits on c, one on d; four are left, two to a node of 4 cpu
    found = asked(bench, AskedAxis("pool", ("cpu=4,memory=8Gi",)), api, sized=True)
    assert [(one.verdict, one.nodes) for one in found.values()] == [("FITS", 2)]
    assert asked(bench, api)["deploy/shop/api"].fits == 2


def test_pools_alone_are_asked_whether_what_waits_is_placed() -> None:
    objects = [*shop(), owned("big", "ReplicaSet", "big", cpu="6")]
    found = asked(bench_of(objects), AskedAxis("pool", ("like=node-a", "cpu=8,memory=8Gi")))
    assert [numbers(one) for one in found.values()] == [
        {"verdict": "BLOCKED", "pods": 1, "pending": 1},
        {"verdict": "FITS", "pods": 1, "placed": 1},
    ]


def test_scenarios_are_held_against_what_they_expect(tmp_path: Path) -> None:
    files = []
    for name, expected in (("met", "{evicted: 2}"), ("unmet", "{evicted: 3}")):
        file = tmp_path / f"{name}.yaml"
        file.write_text(f"apiVersion: kplan.dev/v1\nkind: Scenario\nsteps: [{{drain: node-a, expect: {expected}}}]")
        files.append(str(file))
    found = asked(bench_of(shop()), AskedAxis("scenario", tuple(files)))
    assert numbers(found["met.yaml"]) == {"verdict": "FITS", "pods": 2, "placed": 2, "evicted": 2}
    assert found["unmet.yaml"].verdict == "PARTLY"
    assert found["unmet.yaml"].because is not None
    assert found["unmet.yaml"].because.text == "evicted: 3 expected, 2 found"


def test_manifests_and_nodes_of_files_are_read_before(tmp_path: Path) -> None:
    """A worker on another machine has no such files."""
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: shop}\n"
        "spec: {containers: [{name: m, image: i, resources: {requests: {cpu: 6}}}]}\n"
    )
    (tmp_path / "node.yaml").write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: x}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}\n"
    )
    steps = f"[{{addNode: {{file: {tmp_path}/node.yaml, count: 2}}}}, {{addManifest: pod.yaml}}]"
    file = tmp_path / "s.yaml"
    file.write_text(f"apiVersion: kplan.dev/v1\nkind: Scenario\nsteps: {steps}")
    bench = bench_of(shop())
    scenarios = list(grid_of(bench, AskedAxis("scenario", (str(file),))).scenarios())
    for name in ("pod.yaml", "node.yaml", "s.yaml"):
        (tmp_path / name).unlink()
    (one,) = swept(bench, scenarios, Workers(jobs=1))
    assert numbers(one) == {"verdict": "FITS", "pods": 1, "placed": 1}


def test_rules_are_compared_on_columns_that_are_built_once() -> None:
    most = """{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
        {"schedulerName": "default-scheduler", "plugins": {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}]}"""
    loose = kplan.Scheduler.of("1.37", config=most)
    objects = [node("n"), pod("big", requests={"cpu": "9"})]
    bench = ScenarioBench(base_of(objects, SCHEDULER, loose))
    points = (GridPoint("default", rules=0), GridPoint("loose", rules=1))
    scenarios = list(Grid((Axis("config", points),), Waiting()).scenarios())
    assert [one.verdict for one in swept(bench, scenarios, Workers(jobs=1))] == ["BLOCKED", "FITS"]
    assert bench.planner(0).cluster is bench.planner(1).cluster


def test_the_last_axis_that_asks_asks_and_the_others_happen_before() -> None:
    grid = grid_of(bench_of(shop()), AskedAxis("drain", ("node-a",)), AskedAxis("fail", ("zone", "node-c")))
    first, _, last = grid.scenarios()
    assert first.name == "drain node-a, fail zone east"
    assert [step.flag for step in first.steps if not hasattr(step, "verb")] == ["--drain node-a"]
    assert (first.question, last.question) == (LossQuestion(("node-a", "node-b")), LossQuestion(("node-c",)))
    turned = grid_of(bench_of(shop()), AskedAxis("fail", ("zone",)), AskedAxis("drain", ("node-c",)))
    lost = next(iter(turned.scenarios()))
    assert [step.flag for step in lost.steps if not hasattr(step, "verb")] == ["--fail node-a --fail node-b"]
    assert lost.question == DrainQuestion("node-c")


def test_a_scenario_that_names_what_is_not_there_fails_alone() -> None:
    bench = bench_of(shop())
    points = (
        GridPoint("typo", (Cordon("node-z"),), MovesQuestion()),
        GridPoint("fine", (Cordon("node-a"),), MovesQuestion()),
    )
    typo, fine = swept(bench, list(Grid((Axis("scenario", points),), Waiting()).scenarios()), Workers(jobs=1))
    assert (typo.verdict, fine.verdict) == ("FAILED", "FITS")
    assert typo.because is not None
    assert (typo.because.code, typo.because.text) == ("no-such-node", "no node node-z")


def test_a_bug_fails_its_scenario_and_what_it_did_by_half_is_thrown_away() -> None:
    bench = bench_of(shop())
    fine = next(iter(grid_of(bench, AskedAxis("drain", ("node-a",))).scenarios()))
    before = swept(bench, [fine], Workers(jobs=1))
    bug = SweepScenario(1, ("bug",), (), Broken())
    (shown,) = swept(bench, [bug], Workers(jobs=1))
    assert shown.because is not None
    assert shown.because.code == "internal-error"
    assert shown.because.text.startswith("ZeroDivisionError in sweeping.py:")
    assert swept(bench, [fine], Workers(jobs=1)) == before


def test_losses_and_drains_come_to_what_their_own_commands_tell() -> None:
    bench = bench_of([*shop(), owned("big", "ReplicaSet", "big", cpu="6")])
    about = origin(bench.base.rules[0].state, SCHEDULER.features, "1.37", "as asked")
    for kind in ("zone", "node"):
        told = {one.name: one for one in each_failure(bench.planner(), kind, about).cases}
        for name, one in asked(bench, AskedAxis("fail", (kind,))).items():
            case = told[name.removeprefix("fail ").removeprefix("zone ")]
            assert (one.verdict, one.pods, one.placed) == (case.verdict, case.pods, case.placed)
            assert (one.pending, one.gone, one.evicted) == (case.pending + case.displaced, case.gone, case.evicted)
            assert one.because == case.because
    for name, one in asked(bench, AskedAxis("drain", ("node",))).items():
        wanted = DrainAsked([name.removeprefix("drain ")], DRAIN, fixes=False)
        plan = drain(bench.planner(), wanted, about)
        assert one.verdict == plan.verdict
        assert one.placed == sum(bool(drained.lands_on) for drained in plan.pods)


@settings(derandomize=True, max_examples=8, deadline=None)
@given(st.data())
def test_scenarios_leave_no_trace_whatever_their_order(data: st.DataObject) -> None:
    bench, scenarios = everything()
    alone = swept(bench, scenarios, Workers(jobs=1))
    order = data.draw(st.permutations(scenarios))
    assert timeless(bench.answer(scenario) for scenario in order) == alone


@pytest.mark.parametrize(
    ("axes", "code"),
    [
        pytest.param([AskedAxis("drain", ("node-z",))], "no-such-node", id="a node that is not there"),
        pytest.param([AskedAxis("moon", ("full",))], "no-such-axis", id="an axis that there is not"),
        pytest.param([AskedAxis("pool", ("cpu=1", "cpu=1"))], "same-point", id="a point twice"),
        pytest.param(
            [AskedAxis("workload", ("deploy/shop/x",))], "no-such-workload", id="a workload that is not there"
        ),
    ],
)
def test_what_cannot_be_swept_is_refused_before(axes: list[AskedAxis], code: str) -> None:
    with pytest.raises(UsageError) as refused:
        grid_of(bench_of(shop()), *axes)
    assert refused.value.code == code


def test_zones_that_nobody_has_are_no_axis() -> None:
    with pytest.raises(UsageError, match="there is no fail to sweep over"):
        grid_of(bench_of([node("n")]), AskedAxis("fail", ("zone",)))


def test_room_asks_about_pods_that_steps_have_moved() -> None:
    """Of three web, the one on node-c comes back elsewhere: it still runs."""
    bench = bench_of(shop())
    found = asked(bench, AskedAxis("fail", ("node-c",)), AskedAxis("workload", ("rs/shop/web-7d",)), replicas=4)
    (one,) = found.values()
    # it lands on d, which had 2.9 cpu free: one more fits there
    assert numbers(one) == {"verdict": "FITS", "pods": 1, "placed": 1, "fits": 1}


def test_the_report_tells_the_worst_first() -> None:
    bench = bench_of(shop())
    grid = grid_of(bench, AskedAxis("fail", ("zone", "node")))
    about = origin(bench.base.rules[0].state, SCHEDULER.features, "1.37", "as asked")
    document = report(grid, swept(bench, list(grid.scenarios()), Workers(jobs=1)), about)
    assert (document.verdict, document.sentence, document.fits) == ("PARTLY", "survives 3 of 6 losses", 3)
    assert [one.name for one in document.worst_first][:3] == ["fail zone west", "fail node-d", "fail zone east"]
    assert document.attempt == "kplan fail --zone west -> what comes back when, and what would help"
