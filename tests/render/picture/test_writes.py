"""What the pictures of bindings, audits, configurations and rolling drains show sums to what their documents say."""

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.render.picture import audit, bind, config, drain
from kplan.result.document_audit import AuditReport
from kplan.result.document_base import API_VERSION
from kplan.result.document_bind import (
    BindClaim,
    BindPlan,
    BindPod,
    BindResult,
    BindTarget,
    BindTotals,
    BindVictim,
    BoundPod,
)
from kplan.result.document_config import (
    ConfigReport,
    ConfiguredDifference,
    ConfiguredPlugin,
    ConfiguredPoint,
    ConfiguredProfile,
)
from kplan.result.document_drain import DrainPlan, DrainTurn, NodeFullness
from tests.render.picture.test_sums import FEW, FROM, NAMES, made, shown


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["bind", "pending", "gated", "failed", "refused"]), NAMES, st.integers(0, 3), st.booleans()
        ),
        min_size=1,
        max_size=80,
    )
)
def test_every_binding_every_victim_and_every_pod_left_is_shown_once(drawn: list[tuple[str, str, int, bool]]) -> None:
    pods = tuple(
        BindPod(
            pod=f"x/{i}",
            result=result,
            node=node * (result == "bind"),
            evicts=tuple(BindVictim(pod=f"v/{i}-{j}", uid="u", budget="b" * breaks) for j in range(victims)),
            claims=(BindClaim(claim="x/c"),) * breaks,
        )
        for i, (result, node, victims, breaks) in enumerate(drawn)
    )
    bound = [one for one in drawn if one[0] == "bind"]
    totals = BindTotals(pods=len(pods), bindings=len(bound), claims=3, evictions=sum(one[2] for one in bound))
    plan = BindPlan(
        api_version=API_VERSION,
        verdict="READY",
        sentence="s",
        origin=FROM,
        totals=totals,
        pods=pods,
        guards=(),
        cluster=BindTarget(context="c"),
    )
    where, writes = made(bind.picture(plan)).panels
    rest = {word: int(number) for number, word in re.findall(r"(\d+) (bound|evicted)", where.more)}  # type: ignore[attr-defined]
    assert shown(where, "bound") + rest.get("bound", 0) == len(bound)
    broken = shown(where, "evicted first, breaks its budget")
    assert shown(where, "evicted first") + broken + rest.get("evicted", 0) == sum(one[2] for one in bound)
    if not rest:
        assert broken == sum(one[2] for one in bound if one[3])
        assert shown(where, "claim written") == sum(one[3] for one in bound)
    left = Counter(result for result, *_ in drawn if result != "bind")
    assert shown(where, "without a node") == left["pending"]
    assert shown(where, "gated") == left["gated"]
    assert shown(writes) == totals.bindings + totals.claims + totals.evictions


def test_nodes_where_pods_are_evicted_stand_first_and_blocks_are_the_victims() -> None:
    victim = BindVictim(pod="x/old", uid="u", priority=5)
    pods = (
        BindPod(pod="x/a", result="bind", node="node-a"),
        BindPod(pod="x/b", result="bind", node="node-a"),
        BindPod(pod="x/c", result="bind", node="node-b", evicts=(victim,)),
    )
    plan = BindPlan(
        api_version=API_VERSION,
        verdict="READY",
        sentence="s",
        origin=FROM,
        totals=BindTotals(pods=3, bindings=3, evictions=1),
        pods=pods,
        guards=(),
        cluster=BindTarget(context="c"),
    )
    where = made(bind.picture(plan)).panels[0]
    first, second = where.bars  # type: ignore[attr-defined]
    assert (first.label, first.note, first.to) == ("node-b", "1 bound, 1 evicted", "#/node=node-b")
    assert [(part.part, part.name, part.to) for part in first.segments] == [
        ("bound", "", ""),
        ("evicted first", "x/old", "#/pod=x%2Fold"),
    ]
    assert (second.label, second.note) == ("node-a", "2 bound")


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["bound", "held-back", "open", "not-tried"]), NAMES | st.just("")),
        min_size=1,
        max_size=60,
    )
)
def test_what_became_of_every_pod_is_shown_once(drawn: list[tuple[str, str]]) -> None:
    result = BindResult(
        api_version=API_VERSION,
        verdict="PARTLY",
        sentence="s",
        started="",
        ended="",
        cluster=BindTarget(context="c"),
        pods=tuple(BoundPod(pod=f"x/{i}", result=result, node=node) for i, (result, node) in enumerate(drawn)),
    )
    [panel] = made(bind.of_result(result)).panels
    numbers = Counter(result for result, _ in drawn)
    words = {
        "bound": "bound",
        "held-back": "held back",
        "open": "on its way when the run stopped",
        "not-tried": "not tried",
    }
    assert {word: shown(panel, word) for word in words.values()} == {words[key]: numbers[key] for key in words}


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, 9), max_size=12), FEW, FEW)
def test_every_message_of_an_audit_is_in_one_bar(reasons: dict[str, int], equal: int, unrecorded: int) -> None:
    differ = sum(reasons.values())
    report = AuditReport(
        api_version=API_VERSION,
        verdict="DIFFERS",
        sentence="s",
        audited=differ + equal,
        equal=equal,
        unrecorded=unrecorded,
        reasons=reasons,
        origin=FROM,
    )
    if not differ + equal + unrecorded:
        assert audit.picture(report) is None
        return
    [panel] = made(audit.picture(report)).panels
    parts = [shown(panel, part) for part in ("differs", "equal", "not recorded")]
    assert parts == [differ, equal, unrecorded]


def test_a_weight_that_is_not_the_default_is_told_with_the_default() -> None:
    plugins = (
        ConfiguredPlugin(name="NodeResourcesFit", origin="default", weight=1),
        ConfiguredPlugin(name="ImageLocality", origin="sched.yaml:9", weight=7),
        ConfiguredPlugin(name="Own", origin="sched.yaml:11", weight=2, modelled=False),
    )
    profile = ConfiguredProfile(
        scheduler_name="default-scheduler",
        percentage_of_nodes_to_score=0,
        points=(ConfiguredPoint(point="score", plugins=plugins),),
        arguments=(),
        differences=(
            ConfiguredDifference(code="weight", text="t", plugin="ImageLocality", default=1, here=7),
            ConfiguredDifference(code="added", text="t", plugin="Own"),
            ConfiguredDifference(code="removed", text="t", plugin="NodeAffinity", points=("score",)),
            ConfiguredDifference(code="removed", text="t", plugin="NodeName", points=("filter",)),
        ),
    )
    report = ConfigReport(api_version=API_VERSION, origin=FROM, form="v1", profiles=(profile,))
    weights, points = made(config.picture(report)).panels
    assert [(bar.label, bar.note, bar.strong) for bar in weights.bars] == [  # type: ignore[attr-defined]
        ("ImageLocality", "7, by default 1", True),
        ("Own", "2, not there by default", True),
        ("NodeResourcesFit", "1", False),
        ("NodeAffinity", "removed, there by default", True),
    ]
    assert [(datum.label, datum.part, datum.value) for datum in points.data()] == [
        ("score", "there by default", 1),
        ("score", "put there by the configuration", 1),
        ("score", "not modelled", 1),
    ]
    assert config.picture(ConfigReport(api_version=API_VERSION, origin=FROM, form="", profiles=())) is None


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(FEW, FEW, FEW, FEW), min_size=1, max_size=70),
    st.lists(st.tuples(st.integers(0, 130), st.integers(0, 130)), max_size=20),
)
def test_every_pod_of_a_rolling_drain_is_in_its_turn(
    drawn: list[tuple[int, int, int, int]], full: list[tuple[int, int]]
) -> None:
    turns = tuple(
        DrainTurn(node=f"n-{i}", evicted=lands + pending + gone, pending=pending, gone=gone, kept=kept)
        for i, (lands, pending, gone, kept) in enumerate(drawn)
    )
    fullness = tuple(
        NodeFullness(node=f"n-{i}", before={"cpu": float(was)}, after={"cpu": float(now), "pods": 3.0})
        for i, (was, now) in enumerate(full)
    )
    plan = DrainPlan(
        api_version=API_VERSION,
        verdict="FITS",
        sentence="s",
        nodes=("n",),
        origin=FROM,
        turns=turns,
        fullness=fullness,
    )
    panels = made(drain.picture(plan)).panels
    assert len(panels[0].bars) <= 11  # type: ignore[attr-defined]
    parts = ("lands on another node", "without a node", "GONE", "may not be evicted")
    assert [shown(panels[0], part) for part in parts] == [sum(one[i] for one in drawn) for i in range(4)]
    if full:
        now = shown(panels[1], "as before") + shown(panels[1], "more than before")
        assert now == sum(after for _, after in full[:11])
