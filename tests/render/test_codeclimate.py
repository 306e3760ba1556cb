"""Code quality: what GitLab reads, held against the fields that it asks for."""

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator

from kplan.render.codeclimate import report
from kplan.result.document_check import CheckResult
from tests.render.checks import EDIT, checked, document, doubt, finding

LINES = {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}}
PLACE = {
    "type": "object",
    "required": ["path", "lines"],
    "properties": {"path": {"type": "string", "pattern": "^(?!\\./)."}, "lines": LINES},
}
ISSUE = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string", "minLength": 1},
        "fingerprint": {"type": "string", "minLength": 1},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": PLACE,
    },
}
"""What GitLab documents of its code quality report."""
VALIDATOR = Draft7Validator({"type": "array", "items": ISSUE})

DOCUMENTS = {
    "nothing at all": document(),
    "a finding without a place": document(findings=[finding(file="", line=0)]),
    "a manifest from standard input": document(findings=[finding(file="standard input")]),
    "a doubt": document(checked(), doubts=(doubt(), doubt("no-csinodes", allowed=True))),
    "a path from here": document(findings=[finding(file="./deploy/web.yaml")]),
}


def issues(found: CheckResult) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads(report(found))
    return made


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_report_has_the_fields_that_gitlab_reads(case: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(issues(DOCUMENTS[case]))] == []


def test_an_issue_stands_at_the_field_to_change() -> None:
    [issue] = issues(document(findings=[finding(attempt="cpu request 2 (now 4) -> its pod lands", edits=(EDIT,))]))
    assert issue["location"] == {"path": "web.yaml", "lines": {"begin": 31}}
    assert issue["description"].startswith("deploy/shop/web: its pod fits no node. cpu. Try: cpu request 2 (now 4)")
    assert issue["severity"] == "major"


def test_what_does_not_count_is_for_information() -> None:
    [issue] = issues(document(findings=[finding(counted=False, why_not="in the baseline already")]))
    assert issue["severity"] == "info"
    assert issue["description"].endswith("(not counted: in the baseline already)")


def test_a_fingerprint_outlives_lines_and_numbers_and_is_shared_by_no_two_issues() -> None:
    one = issues(document(findings=[finding(line=3, text="lacks 1"), finding(line=3, text="lacks 2")]))
    other = issues(document(findings=[finding(line=9, text="lacks 3")]))
    assert one[0]["fingerprint"] == other[0]["fingerprint"]
    assert one[0]["fingerprint"] != one[1]["fingerprint"]


def test_what_is_not_counted_and_of_no_manifest_is_the_fault_of_no_line() -> None:
    elsewhere = finding("survive-zone", "deploy/infra/db", file="", line=0)
    old = finding("survive-zone", "deploy/infra/db", file="", line=0, counted=False, why_not="no worse")
    assert [issue["severity"] for issue in issues(document(checked(), findings=[elsewhere]))] == ["major"]
    assert issues(document(checked(), findings=[old])) == []


def test_a_doubt_about_an_object_stands_at_it() -> None:
    doubts = (doubt("not-expanded", file="fleet.yaml", line=9), doubt("no-pods"))
    places = [issue["location"] for issue in issues(document(checked(), doubts=doubts))]
    assert [(at["path"], at["lines"]["begin"]) for at in places] == [("fleet.yaml", 9), ("web.yaml", 3)]
