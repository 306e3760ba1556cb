"""Check: what counts, by the plan, by each rule of the policy, and against a baseline."""

import ast
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.cli.check import CheckAsked, answer
from kplan.cli.options import Rules, Source
from kplan.cli.session import open_session
from kplan.cluster import to_state
from kplan.errors import SourceError, UsageError
from kplan.studies.check.baseline import read_baseline
from kplan.studies.check.policy import CODES, CheckPolicy, policy, read_policy
from kplan.studies.fail import each_failure
from kplan.wording.check import span
from tests.studies.checking import NOW, check, counted, deployment, item, node, only, pod, template, uncounted, write

ZONES = [node("a", "z1"), node("b", "z2"), node("c", "z3")]


def test_what_fits_passes(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1", 3))
    assert (found.verdict, found.sentence) == ("PASSES", "deploy/shop/web passes")
    assert [(o.object, o.status, o.result, o.on_main) for o in found.objects] == [
        ("deploy/shop/web", "ok", "placed: a, b, c", "")
    ]
    assert found.objects[0].zones == ("z1", "z2", "z3")
    assert not found.doubts


def test_what_does_not_fit_counts_with_its_cause_and_its_place(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "3", 4), deployment("api", "500m"))
    finding = only(found, "does-not-fit")
    assert (found.verdict, found.sentence) == ("FAILS", "1 of 2 objects fails: deploy/shop/web")
    assert (finding.object, finding.title, finding.amount) == ("deploy/shop/web", "1 of 4 pods does not fit", 1)
    assert finding.text == "deploy/shop/web: 3 cpu are free, but in pieces: it wants 3, no node has more than 1"
    assert finding.message.startswith("0/3 nodes are available: 3 Insufficient cpu.")
    assert (finding.cause, finding.line) == ("insufficient-cpu", 1)
    assert finding.file.endswith("deploy.json")
    assert [o.object for o in found.objects] == ["deploy/shop/web", "deploy/shop/api"]


def test_what_waits_on_the_cluster_already_fails_no_change(tmp_path: Path) -> None:
    found = check(tmp_path, [*ZONES, pod("huge", "", "9")], deployment("web", "1"))
    assert found.verdict == "PASSES"
    assert found.totals.pods == 1


@pytest.mark.parametrize(("own", "verdict"), [(True, "FAILS"), (False, "PASSES")])
def test_what_waits_takes_its_room_first_unless_it_is_left_out(tmp_path: Path, own: bool, verdict: str) -> None:
    found = check(tmp_path, [node("a"), pod("waits", "", "3")], deployment("web", "2"), own=own)
    assert found.verdict == verdict


def test_a_gated_pod_does_not_count(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "9", schedulingGates=[{"name": "example.com/later"}]))
    assert (found.verdict, found.objects[0].result) == ("PASSES", "1 pod gated")


def test_what_the_api_server_refuses_counts(tmp_path: Path) -> None:
    bad = deployment("web", "1")
    bad["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    found = check(tmp_path, ZONES, bad)
    assert counted(found) == [("refused", "Deployment shop/web")]
    assert found.objects[0].result == "the API server refuses it"
    assert "selector" in only(found, "refused").message


def test_a_kind_that_is_not_known_is_a_doubt(tmp_path: Path) -> None:
    unknown = item("Fleet", "ships", "shop", spec={"size": 3}) | {"apiVersion": "example.com/v1"}
    found = check(tmp_path, ZONES, unknown)
    [unknown_doubt] = found.doubts
    assert (unknown_doubt.code, unknown_doubt.allowed) == ("not-expanded", False)
    assert (unknown_doubt.file, unknown_doubt.line) == (found.objects[0].file, 1)
    assert found.objects[0].status == "unknown"
    both = check(tmp_path, ZONES, unknown, deployment("web", "1"))
    assert both.sentence == "1 of 2 objects passes, 1 unknown"
    allowed = check(tmp_path, ZONES, unknown, allow_doubt=["not-expanded"])
    assert [doubt.allowed for doubt in allowed.doubts] == [True]


def test_a_custom_resource_definition_is_no_doubt(tmp_path: Path) -> None:
    crd = item("CustomResourceDefinition", "fleets.example.com") | {"apiVersion": "apiextensions.k8s.io/v1"}
    assert check(tmp_path, ZONES, crd).doubts == ()


def test_pods_of_another_scheduler_are_a_doubt(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1", schedulerName="other"))
    assert [doubt.code for doubt in found.doubts] == ["other-scheduler"]


def test_an_object_that_is_given_twice_raises_no_doubt(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1"), deployment("web", "1"))
    assert (found.verdict, found.doubts) == ("PASSES", ())


def test_a_node_that_the_snapshot_lacks_is_a_doubt(tmp_path: Path) -> None:
    found = check(tmp_path, [*ZONES, pod("old", "gone")], deployment("web", "1"))
    assert [(one.code, one.text) for one in found.doubts] == [
        ("nodes-missing", "1 pod runs on a node that the source lacks (gone): what fits there is unknown")
    ]


def test_each_object_is_told_of_with_its_own_numbers(tmp_path: Path) -> None:
    # both fail for cpu; the plan tells the cause once, for the first of them
    found = check(tmp_path, [node("a", cpu="2")], deployment("big", "4"), deployment("web", "3"))
    assert [finding.text for finding in found.findings if finding.rule == "does-not-fit"] == [
        "deploy/shop/big: cpu: it wants 4, the largest node has 2 in all",
        "deploy/shop/web: cpu: it wants 3, the largest node has 2 in all",
    ]


def test_objects_that_begin_on_one_line_are_told_apart(tmp_path: Path) -> None:
    there = deployment("web", "3")
    there["spec"]["template"]["spec"]["containers"][0]["image"] = "example.invalid/x:0"
    found = check(tmp_path, [node("a", cpu="2"), there], deployment("big", "4"), deployment("web", "3"))
    assert len({(finding.file, finding.line) for finding in found.findings}) == 1
    edits = [(edit.old, edit.new) for finding in found.findings for edit in finding.edits]
    assert edits == [('"4"', '"2"'), ('"3"', '"2"')]
    assert [one.change for one in found.objects] == ["new, 1 pod", "image example.invalid/x:0 -> example.invalid/x:1"]


# --- preemption

IMPORTANT = item("PriorityClass", "important", value=1000)
FULL = [node("a"), IMPORTANT, pod("old", "a", "3", "StatefulSet/old")]


def test_evictions_are_told_and_count_only_if_what_is_evicted_finds_no_place(tmp_path: Path) -> None:
    found = check(tmp_path, [*FULL, node("b", cpu="3")], deployment("web", "4", priorityClassName="important"))
    assert counted(found) == []
    assert uncounted(found) == [("evicts", "deploy/shop/web", "preemption is allowed (--no-preemption forbids it)")]
    assert found.objects[0].evicts == ("shop/old",)
    assert found.objects[0].result == "placed: a; evicts 1 pod"


@pytest.mark.parametrize("rules", [{}, {"no_preemption": True}], ids=["minded by nobody", "forbidden"])
def test_a_budget_that_evictions_break_is_told_with_the_object_that_breaks_it(
    tmp_path: Path, rules: dict[str, Any]
) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "old"}}}
    kept = item("PodDisruptionBudget", "kept", "shop", spec=spec)
    old = pod("old", "a", "3", "StatefulSet/old")
    old["metadata"]["labels"] = {"app": "old"}
    web = deployment("web", "4", priorityClassName="important")
    found = check(tmp_path, [node("a"), node("b", cpu="3"), IMPORTANT, old, kept], web, **rules)
    assert found.objects[0].result.endswith("evicts 1 pod, breaks budget kept (allows 0)")
    [told] = [one for one in found.findings if one.rule in ("evicts", "no-preemption")]
    assert "breaks budget kept (allows 0)" in told.text


def test_an_evicted_pod_that_finds_no_place_counts(tmp_path: Path) -> None:
    found = check(tmp_path, FULL, deployment("web", "4", priorityClassName="important"))
    assert counted(found) == [("evicted-pending", "deploy/shop/web")]
    text = only(found, "evicted-pending").text
    assert text == "shop/old, evicted for deploy/shop/web: cpu: it wants 3, a has 0 free"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"no_preemption": True}, [("no-preemption", "deploy/shop/web")]),
        ({"max_victims": 0}, [("max-victims", "deploy/shop/web")]),
        ({"max_victims": 1}, []),
    ],
)
def test_a_policy_minds_evictions(tmp_path: Path, rules: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    web = deployment("web", "4", priorityClassName="important")
    assert counted(check(tmp_path, [*FULL, node("b", cpu="3")], web, **rules)) == expected


# --- zones


@pytest.mark.parametrize(
    ("replicas", "zones", "expected"),
    [
        pytest.param(3, 3, 0, id="three replicas in three zones"),
        pytest.param(2, 3, 0, id="two replicas need no third zone"),
        pytest.param(1, 2, 0, id="one replica is where it is"),
    ],
)
def test_replicas_land_in_zones(tmp_path: Path, replicas: int, zones: int, expected: int) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1", replicas), require_zones=zones)
    assert len(counted(found)) == expected


def test_replicas_in_too_few_zones_count(tmp_path: Path) -> None:
    web = deployment("web", "1", 3, nodeSelector={"topology.kubernetes.io/zone": "z1"})
    found = check(tmp_path, ZONES, web, require_zones=2)
    finding = only(found, "require-zones")
    assert (finding.title, finding.amount) == ("in 1 zone, 2 required", 1)
    assert finding.text == "the 3 pods of deploy/shop/web must be in 2 zones and are only in z1"


def test_zones_of_jobs_and_daemons_are_nobodys_business(tmp_path: Path) -> None:
    job = item("Job", "once", "shop", spec={"parallelism": 3, "template": template("1", restartPolicy="Never")})
    job["spec"]["template"]["spec"]["nodeSelector"] = {"topology.kubernetes.io/zone": "z1"}
    assert counted(check(tmp_path, ZONES, job, require_zones=3)) == []


def test_no_zone_label_at_all_is_a_doubt(tmp_path: Path) -> None:
    found = check(tmp_path, [node("a")], deployment("web", "1", 2), require_zones=2)
    assert [doubt.code for doubt in found.doubts] == ["no-zones"]


# --- headroom


@pytest.mark.parametrize(
    ("share", "free"),
    [
        pytest.param("20%", True, id="a fifth of 10 cpu is free, exactly"),
        pytest.param("20.1%", False, id="a little more than what is free"),
    ],
)
def test_headroom_is_compared_exactly(tmp_path: Path, share: str, free: bool) -> None:
    found = check(tmp_path, [node("a", cpu="10")], deployment("web", "8"), headroom=share)
    assert (counted(found) == []) is free


def test_headroom_of_each_pool_is_kept(tmp_path: Path) -> None:
    pools = [node("a", cpu="2", pool="gpu"), node("b", cpu="100", pool="cheap")]
    web = deployment("web", "1500m", nodeSelector={"pool": "gpu"})
    found = check(tmp_path, pools, web, headroom="30%")
    assert counted(found) == [("headroom", "pool gpu: cpu")]
    text = only(found, "headroom").text
    assert text == "pool gpu: 500m of 2000m cpu stay free (25%), 30% must; 2000m without the manifests"


def test_a_cordoned_node_has_no_headroom(tmp_path: Path) -> None:
    cluster = [node("a", cpu="10"), node("b", cpu="10", unschedulable=True)]
    found = check(tmp_path, cluster, deployment("w", "6"), headroom="50%")
    assert counted(found) == [("headroom", "cluster: cpu")]


def test_headroom_that_was_gone_before_does_not_count_unless_more_of_it_goes(tmp_path: Path) -> None:
    full = [node("a", cpu="10"), pod("old", "a", "9", "StatefulSet/old")]
    web = deployment("web", "0")
    same = [found for found in uncounted(check(tmp_path, full, web, headroom="50%")) if found[0] == "headroom"]
    assert same == [("headroom", "cluster: cpu", "just as bad without the change")]
    assert counted(check(tmp_path, full, deployment("web", "1"), headroom="50%")) == [("headroom", "cluster: cpu")]


# --- survive


def test_what_is_placed_again_after_any_zone_survives(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1", 3), survive=["zone", "node"])
    assert counted(found) == []
    assert [(rule.rule, rule.status) for rule in found.rules] == [("survive-zone", "ok"), ("survive-node", "ok")]


def test_what_finds_no_place_without_a_zone_counts(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "3", 3), survive="zone")
    finding = only(found, "survive-zone")
    assert finding.title == "does not survive the loss of z1, z2, z3"
    assert finding.text == (
        "without z1, the pod of deploy/shop/web there finds no place: cpu: it wants 3, the emptiest node has 1 free"
    )
    assert (finding.amount, finding.on_main) == (3, 0)


def test_others_that_lose_their_place_to_the_change_count(tmp_path: Path) -> None:
    cluster = [*ZONES[:2], pod("db-0", "a", "3", "StatefulSet/db")]
    web = deployment("web", "2", nodeSelector={"kubernetes.io/hostname": "b"})
    found = check(tmp_path, cluster, web, survive="zone")
    assert sorted(counted(found)) == [("survive-zone", "deploy/shop/web"), ("survive-zone", "sts/shop/db")]
    finding = next(finding for finding in found.findings if finding.object == "sts/shop/db")
    assert (finding.on_main, finding.line) == (0, 1)


def test_what_was_lost_before_as_well_does_not_count(tmp_path: Path) -> None:
    volume = {"kubernetes.io/hostname": "a"}
    cluster = [*ZONES, pod("db-0", "a", "1", "StatefulSet/db", nodeSelector=volume)]
    found = check(tmp_path, cluster, deployment("web", "1", 3), survive="zone")
    assert counted(found) == []
    assert uncounted(found) == [("survive-zone", "sts/shop/db", "just as bad without the change")]
    assert [(rule.status, rule.text) for rule in found.rules] == [
        ("main", "just as bad without the change: sts/shop/db")
    ]


def test_daemons_go_with_their_node_and_bare_pods_for_good(tmp_path: Path) -> None:
    cluster = [*ZONES, pod("log", "a", "1", "DaemonSet/log"), pod("bare", "a", "1")]
    found = check(tmp_path, cluster, deployment("web", "1", 3), survive="zone")
    assert uncounted(found) == [("survive-zone", "pod/shop/bare", "just as bad without the change")]
    assert "pod/shop/bare is lost: nothing owns it, so it does not come back" in only(found, "survive-zone").text


def test_the_cluster_is_as_before_after_a_loss(tmp_path: Path) -> None:
    one = check(tmp_path, ZONES, deployment("web", "1", 3), survive=["zone", "node"], headroom="10%")
    other = check(tmp_path, ZONES, deployment("web", "1", 3), survive=["node", "zone"], headroom="10%")
    assert {rule.rule: rule.status for rule in one.rules} == {rule.rule: rule.status for rule in other.rules}
    assert one.objects == other.objects


# --- quota


def test_pods_that_a_quota_refuses_count_whatever_is_asked(tmp_path: Path) -> None:
    hard, used = {"requests.cpu": "2"}, {"requests.cpu": "0"}
    quota = item("ResourceQuota", "compute", "shop", spec={"hard": hard}, status={"hard": hard, "used": used})
    web = deployment("web", "1", 3)
    for minded in (check(tmp_path, [*ZONES, quota], web, quota=True), check(tmp_path, [*ZONES, quota], web)):
        assert counted(minded) == [("quota", "deploy/shop/web")]
        assert "exceeded quota: compute" in only(minded, "quota").message
        assert ([one.object for one in minded.objects], minded.totals.objects) == (["deploy/shop/web"], 1)


def test_what_only_speaks_of_a_quota_is_refused_by_the_server(tmp_path: Path) -> None:
    web = deployment("web", "1")
    web["metadata"]["labels"] = {"note": "exceeded quota: none"}
    result = check(tmp_path, ZONES, web)
    assert counted(result) == [("refused", "Deployment shop/web")]
    assert only(result, "refused").title == "the API server refuses it"
    assert [change.refused_by for change in result.plan.change] == [""]


# --- baseline


def test_what_failed_on_main_does_not_count_and_what_got_worse_does(tmp_path: Path) -> None:
    main = check(tmp_path, ZONES, deployment("web", "3", 4), deployment("api", "9"))
    same = check(tmp_path, ZONES, deployment("web", "3", 4), deployment("api", "500m"), baseline=main)
    assert same.verdict == "PASSES"
    assert [(o.object, o.status, o.on_main) for o in same.objects] == [
        ("deploy/shop/web", "main", "fails"),
        ("deploy/shop/api", "ok", "fails"),
    ]
    assert same.baseline is not None
    assert same.baseline.fixed == ("does-not-fit deploy/shop/api",)
    worse = check(tmp_path, ZONES, deployment("web", "3", 5), baseline=main)
    assert counted(worse) == [("does-not-fit", "deploy/shop/web")]
    assert (only(worse, "does-not-fit").amount, only(worse, "does-not-fit").on_main) == (2, 1)


def test_what_is_not_in_the_baseline_is_new(tmp_path: Path) -> None:
    main = check(tmp_path, ZONES, deployment("web", "1"))
    found = check(tmp_path, ZONES, deployment("web", "1"), deployment("api", "9"), baseline=main)
    assert [(o.object, o.status, o.on_main) for o in found.objects] == [
        ("deploy/shop/api", "fail", "-"),
        ("deploy/shop/web", "ok", "ok"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a result of kplan check: Input data was truncated"),
        ('{"kind": "SimulationPlan"}', "not a result of kplan check: Invalid value 'SimulationPlan' - at `$.kind`"),
    ],
)
def test_a_baseline_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "main.json"
    file.write_text(text)
    with pytest.raises(SourceError) as error:
        read_baseline(str(file))
    assert (error.value.message, error.value.code) == (message, "bad-baseline")


# --- the snapshot


def test_the_age_of_the_snapshot_is_told_and_an_old_one_is_a_doubt(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1"), taken="2026-05-11T10:00:00Z", max_age="24h")
    assert found.recording.age_seconds == 26 * 3600
    assert [(doubt.code, doubt.text) for doubt in found.doubts] == [
        ("snapshot-old", "the snapshot is 26 hours old, and the limit is 24 hours: take a new one")
    ]
    assert check(tmp_path, ZONES, deployment("web", "1"), max_age="24h").doubts == ()


def test_a_snapshot_of_unknown_age_is_a_doubt_where_age_matters(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1"), taken="", max_age="24h")
    assert [doubt.code for doubt in found.doubts] == ["snapshot-age-unknown"]
    assert check(tmp_path, ZONES, deployment("web", "1"), taken="").doubts == ()


def test_a_snapshot_that_lacks_kinds_says_so_and_is_doubted_where_it_matters(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "1"), whole=False)
    assert not found.recording.complete
    assert "PersistentVolume" in found.recording.absent
    assert [doubt.code for doubt in found.doubts] == ["no-pods"]
    quota = check(tmp_path, ZONES, deployment("web", "1"), whole=False, quota=True)
    assert [doubt.code for doubt in quota.doubts] == ["no-pods", "no-resourcequotas"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (60, "1 minute"), (7200, "2 hours"), (95_400, "26 hours"), (172_800, "2 days")],
)
def test_a_time_is_told_in_the_largest_unit_that_says_enough(seconds: int, text: str) -> None:
    assert span(seconds) == text


def test_each_object_is_told_of_with_its_own_amounts_where_the_plan_tells_a_range(tmp_path: Path) -> None:
    small = [node("a", cpu="1"), node("b", cpu="1")]
    full = [pod("x", "a", "580m", "StatefulSet/x"), pod("y", "b", "580m", "StatefulSet/x")]
    found = check(tmp_path, [*small, *full], deployment("api", "900m"), deployment("search", "950m"))
    range_of_both = "cpu: they want 900m to 950m, the emptiest node has 420m free"
    assert [cause.because.text for cause in found.plan.causes] == [range_of_both]
    assert [finding.text for finding in found.findings if finding.rule == "does-not-fit"] == [
        "deploy/shop/api: cpu: it wants 900m, the emptiest node has 420m free",
        "deploy/shop/search: cpu: it wants 950m, the emptiest node has 420m free",
    ]


# --- the policy


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"require-zones": 2}, CheckPolicy(require_zones=2)),
        ({"headroom": "12.5%"}, CheckPolicy(headroom=Fraction(1, 8))),
        ({"headroom": 20}, CheckPolicy(headroom=Fraction(1, 5))),
        ({"survive": "zone"}, CheckPolicy(survive=("zone",))),
        ({"survive": ["zone", "node", "zone"]}, CheckPolicy(survive=("zone", "node"))),
        ({"survive": ["zone,node"]}, CheckPolicy(survive=("zone", "node"))),
        ({"allow-doubt": ["nodes-missing,no-pods"]}, CheckPolicy(allow_doubt=("nodes-missing", "no-pods"))),
        ({"max-age": "1d12h"}, CheckPolicy(max_age=129_600)),
        ({"no-preemption": True, "max-victims": 0, "quota": True}, CheckPolicy(0, True, 0, quota=True)),
        ({"require-zones": None, "headroom": None}, CheckPolicy()),
    ],
)
def test_a_policy_is_read(given: dict[str, Any], made: CheckPolicy) -> None:
    assert policy(given) == made


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"require-zones": 0}, "a number from 1"),
        ({"require-zones": True}, "a number from 1"),
        ({"max-victims": -1}, "a number from 0"),
        ({"headroom": "100%"}, "a share below 100%, as in 20%"),
        ({"headroom": "-5%"}, "a share below 100%, as in 20%"),
        ({"survive": "region"}, "one of: zone, node"),
        ({"max-age": "soon"}, "a number with its unit, as in 90m, 24h, 7d"),
        ({"no-preemption": "yes"}, "true or false"),
        ({"allow-doubt": [1]}, "a word, or a list of words"),
        (
            {"allow-doubt": "no-csinode"},
            "no doubt has the code no-csinode: did you mean one of: no-csinodes, no-nodes, broken-csinode?",
        ),
        ({"survive": "zone,"}, "a word, or a list of words"),
    ],
)
def test_a_policy_that_means_nothing_is_refused_with_what_would(given: dict[str, Any], hint: str) -> None:
    with pytest.raises(UsageError) as error:
        policy(given, "policy.yaml")
    assert (error.value.code, error.value.hint) == ("bad-policy", hint)


def test_every_doubt_that_kplan_raises_can_be_allowed() -> None:
    raised: set[str] = set()
    for file in Path(kplan.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in ("Doubt", "CheckDoubt"):
                continue
            given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "code")]
            raised |= {str(one.value) for one in given if isinstance(one, ast.Constant)}
    assert {"nodes-missing", "version-too-old", "no-zones"} <= raised
    assert raised - CODES == set()


def test_a_rule_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("require-zone: 2\n")
    with pytest.raises(UsageError, match="no rule require-zone") as error:
        read_policy(str(file))
    assert error.value.hint.startswith("one of: require-zones, no-preemption")


@pytest.mark.parametrize(("text", "line"), [("a: [", 1), ("- 1\n", 0)])
def test_a_policy_file_that_is_broken_is_refused_with_its_place(tmp_path: Path, text: str, line: int) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    with pytest.raises(SourceError) as error:
        read_policy(str(file))
    assert (error.value.file, error.value.line) == (str(file), line)


def test_flags_win_over_the_file_and_lists_add_up() -> None:
    file = policy({"require-zones": 2, "survive": "zone", "allow-doubt": ["no-pods"], "no-preemption": True})
    flags = policy({"require-zones": 3, "survive": ["node"], "allow-doubt": ["no-zones"]})
    assert flags.over(file) == CheckPolicy(3, True, survive=("zone", "node"), allow_doubt=("no-pods", "no-zones"))


def test_the_loss_of_many_nodes_is_the_same_as_of_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import kplan.course.losses.loss as losses

    cluster = [*ZONES, pod("db-0", "a", "2", "StatefulSet/db"), pod("bare", "b", "1"), pod("waits", "", "9")]
    few = check(tmp_path, cluster, deployment("web", "2", 4), survive=["zone", "node"])
    monkeypatch.setattr(losses, "FEW", 0)
    many = check(tmp_path, cluster, deployment("web", "2", 4), survive=["zone", "node"])
    assert few.findings == many.findings
    assert len(few.findings) > 2


def test_pods_without_a_place_are_missed_once_not_in_zones_too(tmp_path: Path) -> None:
    found = check(tmp_path, ZONES, deployment("web", "3", 4), deployment("big", "9", 2), require_zones=3)
    assert counted(found) == [("does-not-fit", "deploy/shop/web"), ("does-not-fit", "deploy/shop/big")]


def test_a_set_that_is_made_one_by_one_says_where_it_stalls(tmp_path: Path) -> None:
    body = {
        "replicas": 3,
        "serviceName": "db",
        "selector": {"matchLabels": {"app": "db"}},
        "template": template("3", "db"),
    }
    found = check(tmp_path, ZONES[:2], item("StatefulSet", "db", "shop", spec=body))
    assert (only(found, "does-not-fit").title, only(found, "does-not-fit").amount) == ("stalls at 2 of 3", 1)


@pytest.mark.parametrize("kind", ["zone", "node"])
@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        pytest.param("ReplicaSet/db", {"deploy/shop/web": 3}, id="both come back at once, by name"),
        pytest.param("StatefulSet/db", {"deploy/shop/web": 2, "sts/shop/db": 1}, id="a set waits for its node"),
    ],
)
def test_a_loss_is_what_fail_says_of_the_same_cluster_and_manifest(
    tmp_path: Path, kind: str, owner: str, expected: dict[str, int]
) -> None:
    """Each node of 4 holds 2 of three pods of web, a and b another pod: 2 are left on c, so one finds no place."""
    cluster = [*ZONES, pod("db-0", "a", "2", owner), pod("api-0", "b", "2", "ReplicaSet/api")]
    session = open_session(Source(write(tmp_path / "c.json", item("Namespace", "shop"), *cluster)), Rules())
    file = tmp_path / "web.json"
    file.write_text(json.dumps(deployment("web", "2", 3)))
    found = answer(session, CheckAsked([str(file)], "", True, policy({"survive": kind})), NOW)
    assert {finding.object: finding.amount for finding in found.findings} == expected
    assert session.planned is not None
    report = each_failure(session.scheduler.planner(to_state(session.planned)), kind, session.origin)
    missing = [case.pending + case.gone + case.displaced for case in report.cases]
    assert missing == [1, 1, 1]
    assert sum(finding.amount for finding in found.findings) == sum(missing)
    causes = {case.because.text.partition(": ")[2] for case in report.cases if case.because is not None}
    assert {finding.text.partition(" no place: ")[2] for finding in found.findings} <= causes
