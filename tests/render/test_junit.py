"""JUnit: what CI servers read, held against their schema."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from kplan.render.junit import report
from kplan.result.document_check import CheckResult, CheckRule
from tests.render import sample
from tests.render.checks import EDIT, checked, document, doubt, finding

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).with_name("schemas") / "junit-10.xsd"))

RULE = CheckRule(rule="no-preemption", wanted="nothing is evicted", status="fail", text="deploy/shop/web")
HOSTILE = '<b>&"]]>\x00\x1b\ufffe\ud7ff \u2028 \U0001f600'
DOCUMENTS = {
    "nothing at all": document(),
    "an object that passes": document(checked()),
    "an object that fails twice": document(
        checked(status="fail"), findings=[finding(), finding("require-zones", message="as the server says it")]
    ),
    "what does not count": document(checked(), findings=[finding(counted=False, why_not="in the baseline already")]),
    "an object of an unknown kind": document(checked("Fleet ships", "unknown", result="who knows", line=0, file="")),
    "doubts, one of them allowed": document(checked(), doubts=(doubt(), doubt("snapshot-old", allowed=True))),
    "a broken rule": document(checked(status="fail"), rules=(RULE,), findings=[finding("no-preemption")]),
    "names and texts that XML cannot hold": document(
        checked(HOSTILE, "fail", file=HOSTILE), findings=[finding(name=HOSTILE, title=HOSTILE, text=HOSTILE)]
    ),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_report_is_valid(case: str) -> None:
    SCHEMA.validate(report(DOCUMENTS[case]))


def test_the_report_of_the_sample_is_valid(tmp_path: Path) -> None:
    SCHEMA.validate(report(sample.document(tmp_path)))


def test_the_schema_refuses_what_it_should() -> None:
    assert not SCHEMA.is_valid("<testsuites><testsuite name='x'/></testsuites>")


def tree(found: CheckResult) -> ElementTree.Element:
    return ElementTree.fromstring(report(found))


def test_counts_add_up_and_each_manifest_is_a_suite() -> None:
    root = tree(
        document(
            checked("deploy/a/a", "fail", file="a.yaml"),
            checked("deploy/b/b", file="b.yaml"),
            findings=[finding(name="deploy/a/a"), finding("require-zones", "deploy/a/a")],
            doubts=(doubt(),),
        )
    )
    assert [(suite.get("name"), suite.get("file"), suite.get("tests")) for suite in root] == [
        ("a.yaml", "a.yaml", "1"),
        ("b.yaml", "b.yaml", "1"),
        ("doubts", None, "1"),
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")


def test_a_doubt_that_is_not_allowed_is_an_error_and_an_allowed_one_is_skipped() -> None:
    root = tree(document(doubts=(doubt("no-pods"), doubt("no-csinodes", allowed=True))))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {"no-pods": ["error"], "no-csinodes": ["skipped"]}


def test_what_does_not_count_is_no_failure_and_is_told() -> None:
    root = tree(document(checked(), findings=[finding(text="cpu", counted=False, why_not="in the baseline already")]))
    assert root.get("failures") == "0"
    assert "not counted (in the baseline already): cpu" in root.findtext(".//system-out", "")


def test_a_failure_tells_the_field_to_change() -> None:
    found = document(checked(), findings=[finding(attempt="cpu request 2 (now 4) -> its pod lands", edits=(EDIT,))])
    [failure] = tree(found).iter("failure")
    assert (failure.text or "").splitlines() == [
        "deploy/shop/web: cpu",
        "Try: cpu request 2 (now 4) -> its pod lands",
        'web.yaml:31 spec.template.spec.containers[0].resources.requests.cpu: "4" -> "2"',
        "web.yaml:3",
    ]


def test_a_case_has_one_failure_that_tells_all_of_them() -> None:
    found = document(
        checked(status="fail"),
        findings=[finding(text="cpu"), finding("require-zones", title="in 1 of 2 zones", text="only zone-a")],
    )
    [failure] = tree(found).iter("failure")
    assert failure.get("type") == "does-not-fit, require-zones"
    assert failure.get("message") == "deploy/shop/web: its pod fits no node (and 1 more)"
    assert "cpu" in (failure.text or "")
    assert "only zone-a" in (failure.text or "")


def test_what_breaks_a_rule_is_told_at_its_object_and_named_at_the_rule() -> None:
    found = document(
        checked(status="fail"),
        rules=(RULE,),
        findings=[
            finding("no-preemption", title="evicts 1 pod", text="at the object"),
            finding("no-preemption", "cluster", title="evicts 1 pod", text="at the rule", file="", line=0),
        ],
    )
    mine, rule = tree(found).iter("failure")
    assert "at the object" in (mine.text or "")
    assert (rule.text or "").splitlines() == [
        "deploy/shop/web: evicts 1 pod",
        "",
        "cluster: evicts 1 pod",
        "at the rule",
    ]


def test_the_output_of_a_case_that_fails_does_not_repeat_the_failure() -> None:
    found = document(checked(status="fail", result="its pod fits no node"), findings=[finding()])
    assert tree(found).findtext(".//system-out") == "new, 1 pod"
    assert tree(document(checked())).findtext(".//system-out") == "new, 1 pod: placed: node-a"
