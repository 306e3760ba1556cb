"""What a picture shows sums to what the document says, whatever is in it."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.render.picture import (
    capacity,
    diff,
    drain,
    explain,
    fail,
    moves,
    nodes,
    preemption,
    rollout,
    scores,
    simulate,
    spread,
    survival,
)
from kplan.render.picture.model import Panel, Picture
from kplan.result.document import (
    Answer,
    Domain,
    Domains,
    Group,
    GroupNode,
    Preempt,
    Reason,
    ScoreRow,
    Scores,
    Shortage,
    Victim,
)
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_capacity import CapacityPlace, CapacityReport, Growth
from kplan.result.document_diff import ClusterDiff, DiffMove, DiffSide, Packing
from kplan.result.document_drain import BudgetAfter, DrainedPod, DrainPlan
from kplan.result.document_fail import FailCase, FailedPod, FailReport
from kplan.result.document_moves import BoxedNode, BoxedPod, MovesPlan
from kplan.result.document_nodes import NodeRow, ResourceUse
from kplan.result.document_plan import PlanStep, PlanTotals, RolloutPlan, RolloutPlanStep, SimulationPlan
from kplan.result.document_sweep import SweepAxis, SweepOutcome, SweepReport
from tests.render.picture.samples import misplaced

FROM = Origin(source="x", nodes=1, pods=1, k8s_version="1.37.2", how="as asked", rules="1.37")
NAMES = st.sampled_from(["node-a", "node-b", "node-c", "n-1", "n-2", "n-3", "n-4", "n-5", "n-6", "n-7", "n-8", "n-9"])
FEW = st.integers(0, 30)


def shown(panel: Panel, part: str = "") -> float:
    """Sum of what a panel shows, of all its parts or of one."""
    return sum(datum.value for datum in panel.data() if part in ("", datum.part))


def last(panel: Panel, part: str) -> float:
    """Where a line ends."""
    return [datum.value for datum in panel.data() if datum.part == part][-1]


def made(picture: Picture | None) -> Picture:
    """A picture that is there, all of it within its drawing, no text upon another."""
    assert picture is not None
    assert misplaced(picture) == []
    return picture


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["placed", "preempted", "pending", "gated", "failed"]), min_size=1, max_size=700))
def test_simulate_ends_with_its_totals(results: list[str]) -> None:
    steps = tuple(
        PlanStep(pod=f"x/p-{i}", result=result, node="n" * (result in ("placed", "preempted")), cause=result[:3])
        for i, result in enumerate(results)
    )
    placed = sum(result in ("placed", "preempted") for result in results)
    totals = PlanTotals(pods=len(steps), placed=placed, not_placed=len(steps) - placed, gated=0)
    plan = SimulationPlan(
        api_version=API_VERSION, verdict="PARTLY", sentence="s", totals=totals, steps=steps, origin=FROM
    )
    time, beside = made(simulate.picture(plan)).panels
    assert last(time, "placed") == plan.totals.placed
    if plan.totals.not_placed:
        assert last(time, "not placed") == plan.totals.not_placed
        assert shown(beside, "pods without a node") == plan.totals.not_placed
    else:
        assert shown(beside, "pods that land") == plan.totals.placed


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5000), st.sets(st.sampled_from("ABCDEF"), min_size=1)), max_size=20))
def test_the_first_refusals_and_what_is_left_out_are_all_nodes_that_refuse(drawn: list[tuple[int, set[str]]]) -> None:
    groups = tuple(
        Group(
            count=number,
            text="t",
            reasons=tuple(
                Reason(code="c", plugin=plugin, text="t", message="m", evictable=True) for plugin in sorted(plugins)
            ),
        )
        for number, plugins in drawn
    )
    answer = Answer(pod="x/p", verdict="PENDING", sentence="s", feasible=0, nodes=0, groups=groups)
    grid = explain.why_not(answer)
    if not groups:
        assert grid is None
        return
    assert grid is not None
    firsts = sum(datum.value for datum in grid.data() if datum.shown == "1st")
    rest = int(grid.more.split()[0].replace(",", "")) if grid.more else 0
    assert firsts + rest == sum(group.count for group in groups)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.integers(1, 10**12), st.integers(-(10**9), 10**12))
def test_what_is_free_and_what_lacks_are_what_the_pod_requests(needs: int, free: int) -> None:
    short = Shortage(
        resource="memory", needs=needs, free=min(free, needs - 1), lacks=needs - min(free, needs - 1), capacity=needs
    )
    group = Group(count=1, text="t", reasons=(), nodes=(GroupNode(name="n", shortages=(short,)),))
    bars = explain.shortfall((group,))
    assert bars is not None
    assert abs(shown(bars, "free") + shown(bars, "lacks") - 100) < 1e-6


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from([f"Plugin{i}" for i in range(14)]), st.tuples(FEW, FEW), min_size=1), FEW)
def test_the_steps_from_the_runner_up_end_at_the_winner(points: dict[str, tuple[int, int]], same: int) -> None:
    rows = tuple(
        ScoreRow(
            node=f"n-{i}",
            total=same + sum(one[i] for one in points.values()),
            plugins={name: one[i] for name, one in points.items()},
            raw={},
            chosen=not i,
        )
        for i in (0, 1)
    )
    bars = scores.panel(Scores(columns=tuple(points), rows=rows, same={"S": same}, skipped=(), tie=()))
    assert bars is not None
    assert rows[1].total + shown(bars, "for the winner") + shown(bars, "for the runner-up") == rows[0].total
    assert shown(bars, "total") == rows[0].total + rows[1].total


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(FEW, st.integers(1, 3)), min_size=1, max_size=3))
def test_pods_by_domain_are_those_of_the_constraint(drawn: list[tuple[int, int]]) -> None:
    rows = tuple(
        Domain(pods=pods, names=tuple(f"zone-{place}-{i}" for i in range(names)))
        for place, (pods, names) in enumerate(drawn)
    )
    domains = Domains(
        topology_key="zone",
        selector="app=x",
        max_skew=1,
        minimum=0,
        min_domains=1,
        node_taints_policy="Ignore",
        node_affinity_policy="Honor",
        rows=rows,
    )
    assert shown(spread.panel(domains), "pods there") == sum(pods * names for pods, names in drawn)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.booleans(), st.integers(-5, 5)), min_size=1, max_size=20)
)
def test_every_victim_is_a_block(drawn: list[tuple[str, bool, int]]) -> None:
    victims = tuple(
        Victim(
            node=node,
            pod=f"x/{i}",
            priority=priority,
            grace_seconds=0,
            budget="",
            breaks_budget=breaks,
            comes_back="",
            chosen=node == "a",
        )
        for i, (node, breaks, priority) in enumerate(drawn)
    )
    panel = preemption.panel(Preempt(victims=victims))
    assert shown(panel) == len(victims)
    assert shown(panel, "breaks its budget") == sum(victim.breaks_budget for victim in victims)


FATES = st.sampled_from(["evicted", "stays", "refused", "waits"])


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(FATES, st.booleans(), st.booleans()), min_size=1, max_size=60),
    st.lists(st.tuples(FEW, FEW), max_size=8),
)
def test_every_pod_of_a_drain_has_its_outcome(
    drawn: list[tuple[str, bool, bool]], budgets: list[tuple[int, int]]
) -> None:
    pods = tuple(
        DrainedPod(
            pod=f"x/{i}",
            node="n",
            fate=fate,
            number=(i + 1) * (fate == "evicted"),
            lands_on="m" * lands,
            instead="y" * back,
        )
        for i, (fate, lands, back) in enumerate(drawn)
    )
    after = tuple(
        BudgetAfter(budget=f"b-{i}", healthy=healthy, expected=expected, allows=0)
        for i, (healthy, expected) in enumerate(budgets)
    )
    plan = DrainPlan(
        api_version=API_VERSION, verdict="FITS", sentence="s", nodes=("n",), origin=FROM, pods=pods, after=after
    )
    panels = made(drain.picture(plan)).panels
    ends = Counter({part: shown(panels[0], part) for part in {drain.outcome(pod)[0] for pod in pods}})
    assert ends == Counter(drain.outcome(pod)[0] for pod in pods)
    if after:
        assert shown(panels[1], "healthy") == sum(healthy for healthy, _ in budgets)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["placed", "pending", "elsewhere", "gone", "stays", "leaves"]),
            st.integers(0, 20),
            st.sampled_from([None, 50, 350]),
            st.booleans(),
        ),
        min_size=1,
        max_size=80,
    )
)
def test_every_pod_of_a_loss_has_its_fate(drawn: list[tuple[str, int, int | None, bool]]) -> None:
    pods = tuple(
        FailedPod(
            pod=f"x/{i}", node="n", owner=f"deploy/x/{owner}", fate=fate, deleted_after=after, waits_for_node=waits
        )
        for i, (fate, owner, after, waits) in enumerate(drawn)
    )
    report = FailReport(api_version=API_VERSION, verdict="PARTLY", sentence="s", origin=FROM, nodes=("n",), pods=pods)
    [panel] = made(fail.picture(report)).panels
    fates = Counter(pod.fate for pod in pods)
    assert shown(panel, "GONE: nothing makes it again") == fates["gone"]
    assert shown(panel, "placed again") == fates["placed"]
    assert shown(panel, "without a node") == fates["pending"]
    assert shown(panel, "serves nothing") == fates["placed"] + fates["pending"] + fates["elsewhere"]


VERDICTS = st.sampled_from(["FITS", "PARTLY", "BLOCKED"])


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(VERDICTS, FEW, FEW, FEW, FEW), min_size=1, max_size=100))
def test_every_loss_has_its_tile_and_the_worst_their_pods(drawn: list[tuple[str, int, int, int, int]]) -> None:
    cases = tuple(
        FailCase(
            name=f"n-{i}",
            nodes=1,
            pods=placed + pending + gone,
            placed=placed,
            pending=pending,
            gone=gone,
            displaced=displaced,
            verdict=verdict,
        )
        for i, (verdict, placed, pending, gone, displaced) in enumerate(drawn)
    )
    report = FailReport(api_version=API_VERSION, verdict="PARTLY", sentence="s", origin=FROM, each="node", cases=cases)
    tiles, bars = made(fail.picture(report)).panels
    told = " ".join(words for _, words in tiles.meanings)  # type: ignore[attr-defined]
    for verdict, number in Counter(case.verdict for case in cases).items():
        assert f"{verdict}: " in told
        assert f": {number}" in told
    worst = cases[:11]
    assert shown(bars, "placed") == sum(case.placed for case in worst)
    assert shown(bars, "without a node") == sum(case.pending + case.displaced for case in worst)
    assert shown(bars, "GONE") == sum(case.gone for case in worst)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(2, 4), st.data())
def test_a_sweep_of_two_axes_has_a_cell_for_each_of_its_scenarios(down: int, across: int, data: st.DataObject) -> None:
    axes = tuple(
        SweepAxis(name=name, points=tuple(f"{name}-{i}" for i in range(size)))
        for name, size in (("fail", down), ("pool", across))
    )
    outcomes = tuple(
        SweepOutcome(
            number=i * across + j + 1,
            name=f"{i}, {j}",
            at=(f"fail-{i}", f"pool-{j}"),
            verdict=data.draw(VERDICTS),
            pending=data.draw(FEW),
            gone=data.draw(FEW),
        )
        for i in range(down)
        for j in range(across)
    )
    report = SweepReport(
        api_version=API_VERSION, verdict="PARTLY", sentence="s", origin=FROM, axes=axes, outcomes=outcomes
    )
    grid, _ = made(survival.of_scenarios(report)).panels
    assert len(grid.data()) == down * across
    assert shown(grid) == sum(one.pending + one.held + one.gone for one in outcomes)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(FEW, FEW), min_size=1, max_size=25), st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_capacity_by_place_and_by_node(places: list[tuple[int, int]], steps: list[int]) -> None:
    growth = Growth(
        like="n", flag="f", nodes=tuple(range(len(steps))), fits=tuple(sum(steps[: i + 1]) for i in range(len(steps)))
    )
    report = CapacityReport(
        api_version=API_VERSION,
        verdict="PARTLY",
        sentence="s",
        sets=1,
        nodes=1,
        origin=FROM,
        growth=growth,
        places=tuple(
            CapacityPlace(place=f"z-{i}", running=running, more=more, nodes={})
            for i, (running, more) in enumerate(places)
        ),
    )
    if not any(running or more for running, more in places):  # an empty panel would say nothing
        told = capacity.picture(report)
        assert told is None or all(panel.title != "Where they fit" for panel in told.panels)
        return
    panels = made(capacity.picture(report)).panels
    assert shown(panels[-1], "run") == sum(running for running, _ in places)
    assert shown(panels[-1], "fit beside them") == sum(more for _, more in places)
    if len(steps) > 1:
        assert last(panels[0], "fit") == sum(steps)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["moves", "placed", "pending", "new", "gone"]), NAMES, NAMES), min_size=1, max_size=60
    )
)
def test_every_pod_of_a_diff_flows_once(drawn: list[tuple[str, str, str]]) -> None:
    moved = tuple(
        DiffMove(
            pod=f"x/{i}",
            owner="o",
            result=result,
            a=a * (result in ("moves", "pending", "gone")),
            b=b * (result in ("moves", "placed", "new")),
        )
        for i, (result, a, b) in enumerate(drawn)
    )
    side = DiffSide(label="s", origin=FROM, packing=Packing(resources={}))
    document = ClusterDiff(
        api_version=API_VERSION, verdict="DIFFERS", compared=("snapshots",), sentence="s", a=side, b=side, moves=moved
    )
    [flow] = made(diff.picture(document)).panels
    assert shown(flow) == len(moved)
    nowhere = sum(datum.value for datum in flow.data() if datum.label.endswith("-> no node"))
    assert nowhere == sum(not move.b and move.result != "gone" for move in moved)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 9000), st.integers(1, 8000), st.integers(0, 9000), st.integers(1, 8000)),
        min_size=1,
        max_size=150,
    )
)
def test_every_node_is_a_tile_of_the_class_that_it_is_in(drawn: list[tuple[int, int, int, int]]) -> None:
    def use(requested: int, allocatable: int) -> ResourceUse:
        return ResourceUse(requested=requested, allocatable=allocatable, free=allocatable - requested)

    rows = tuple(
        NodeRow(
            node=f"n-{i:03d}",
            pods=0,
            allowed_pods=1,
            resources={"cpu": use(cpu, of), "memory": use(memory, size)},
            non_zero_requested={},
        )
        for i, (cpu, of, memory, size) in enumerate(drawn)
    )
    tiles = nodes.fullness(rows)
    over = sum(cpu > of or memory > size for cpu, of, memory, size in drawn)
    assert sum(tile.look == "full-5" for tile in tiles.tiles) == over
    if len(rows) > 72:
        assert shown(tiles) == len(rows)
    else:
        assert [datum.label for datum in sorted(tiles.data())] == [row.node for row in rows]


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 900), st.sampled_from(["", "leaves"])), min_size=1, max_size=9))
def test_boxes_are_as_large_as_their_pods(drawn: list[tuple[int, str]]) -> None:
    before = tuple(BoxedPod(pod=f"x/{i}", amount=amount, change=change) for i, (amount, change) in enumerate(drawn))
    node = BoxedNode(
        node="n",
        resource="cpu",
        allocatable=10_000,
        before=before,
        after=tuple(pod for pod in before if not pod.change),
    )
    plan = MovesPlan(api_version=API_VERSION, verdict="FITS", sentence="s", pods=(), origin=FROM, boxes=(node,))
    first, then = made(moves.picture(plan)).panels
    assert abs(shown(first) - sum(pod.amount for pod in before) / 100) < 1e-6
    assert abs(shown(then) - sum(pod.amount for pod in before if not pod.change) / 100) < 1e-6


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.tuples(FEW, FEW), min_size=1, max_size=40), FEW)
def test_a_rollout_ends_with_the_pods_of_its_last_step(drawn: list[tuple[int, int]], before: int) -> None:
    steps = tuple(RolloutPlanStep(ready=old + new, old=old, new=new) for old, new in drawn)
    panel = rollout.panel(RolloutPlan(workload="deploy/x/web", replicas=3, before=before, steps=steps))
    assert (last(panel, "old"), last(panel, "new"), last(panel, "ready")) == (
        steps[-1].old,
        steps[-1].new,
        steps[-1].ready,
    )


def test_a_cause_is_told_beside_the_pod_that_meets_it_first() -> None:
    steps = tuple(
        PlanStep(pod=f"x/{i}", result=result, cause=cause)
        for i, (result, cause) in enumerate(
            [
                ("placed", ""),
                ("pending", "insufficient-cpu"),
                ("pending", "insufficient-memory"),
                ("pending", "insufficient-cpu"),
            ]
        )
    )
    totals = PlanTotals(pods=4, placed=1, not_placed=3, gated=0)
    plan = SimulationPlan(
        api_version=API_VERSION,
        verdict="PARTLY",
        sentence="s",
        totals=totals,
        steps=steps,
        origin=FROM,
        because=Cause(code="insufficient-cpu", text="t"),
    )
    time, causes = made(simulate.picture(plan)).panels
    assert [(datum.label, datum.shown) for datum in time.data() if datum.part == "spot"] == [("2", "insufficient cpu")]
    assert [(datum.label, datum.value) for datum in causes.data()] == [
        ("insufficient cpu", 2),
        ("insufficient memory", 1),
    ]
