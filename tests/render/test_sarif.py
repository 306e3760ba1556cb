"""SARIF: what code scanning reads, held against the schema of 2.1.0."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from kplan.render.sarif import RULES, log
from kplan.result.document_check import CheckResult
from tests.render import sample
from tests.render.checks import EDIT, checked, document, doubt, finding

SCHEMA = json.loads((Path(__file__).with_name("schemas") / "sarif-2.1.0.json").read_text())
ROOT = Path(__file__).parents[2]
VALIDATOR = Draft7Validator(SCHEMA)

DOCUMENTS = {
    "nothing at all": document(),
    "every rule": document(checked(), findings=[finding(rule) for rule in RULES if rule != "doubt"]),
    "a finding without a place": document(findings=[finding(file="", line=0)]),
    "a manifest from standard input": document(findings=[finding(file="standard input")]),
    "a doubt": document(checked(), doubts=(doubt(), doubt("no-csinodes", allowed=True))),
    "a path that is no URI": document(findings=[finding(file="a folder/ü%&?#.yaml")]),
    "an absolute path": document(findings=[finding(file="/srv/web.yaml", line=7, column=3)]),
}


def test_every_rule_of_a_check_is_described() -> None:
    source = "".join(path.read_text() for path in (ROOT / "kplan" / "studies" / "check").glob("*.py"))
    told = re.findall(r'(?:finding|_broken)\(\s*f?"([a-z{}-]+)"', source)
    named = {name.replace("{kind}", kind) for name in told for kind in ("zone", "node")}
    assert named | {"refused", "quota", "stalls", "doubt", "scenario"} == set(RULES)


def run(found: CheckResult) -> dict[str, Any]:
    [only] = json.loads(log(found))["runs"]
    return only


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_log_is_valid(case: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(json.loads(log(DOCUMENTS[case])))] == []


def test_the_log_of_the_sample_is_valid(tmp_path: Path) -> None:
    VALIDATOR.validate(json.loads(log(sample.document(tmp_path))))


def test_the_schema_refuses_what_it_should() -> None:
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_a_result_stands_at_its_manifest_and_names_its_rule() -> None:
    found = run(document(findings=[finding(file="deploy/web.yaml", line=7, column=3)]))
    [result] = found["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/web.yaml"},
        "region": {"startLine": 7, "endLine": 7, "startColumn": 3},
    }
    assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "does-not-fit"
    assert result["level"] == "error"


def test_what_does_not_count_is_a_note() -> None:
    [result] = run(document(findings=[finding(counted=False, why_not="in the baseline already")]))["results"]
    assert result["level"] == "note"
    assert "(not counted: in the baseline already)" in result["message"]["text"]


def test_a_result_keeps_its_fingerprint_when_lines_and_numbers_change() -> None:
    one = run(document(findings=[finding(line=3, text="lacks 1", amount=1)]))["results"][0]
    other = run(document(findings=[finding(line=9, text="lacks 2", amount=2)]))["results"][0]
    assert one["partialFingerprints"] == other["partialFingerprints"]


def test_a_doubt_has_a_place_so_that_code_scanning_shows_it() -> None:
    [result] = run(document(checked(file="a.yaml", line=4), doubts=(doubt(),)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.yaml"
    assert (result["ruleId"], result["level"]) == ("doubt", "error")


def test_a_path_is_written_as_a_uri() -> None:
    [result] = run(document(findings=[finding(file="a folder/b#c.yaml")]))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20folder/b%23c.yaml"


def test_a_result_stands_at_the_field_to_change_and_names_its_object_beside() -> None:
    found = run(document(findings=[finding(attempt="cpu request 2 (now 4) -> its pod lands", edits=(EDIT,))]))
    [result] = found["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 31, "endLine": 31, "startColumn": 18}
    assert [one["physicalLocation"]["region"] for one in result["relatedLocations"]] == [{"startLine": 3, "endLine": 3}]
    assert result["message"]["text"].endswith(
        "Try: cpu request 2 (now 4) -> its pod lands. "
        'web.yaml:31 spec.template.spec.containers[0].resources.requests.cpu: "4" -> "2"'
    )


def test_the_title_of_an_alert_says_what_is_wrong_and_its_rule_what_to_do() -> None:
    found = run(document(findings=[finding(title="2 of 3 pods do not fit")]))
    [rule] = found["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "A pod fits no node"
    assert rule["help"]["text"].startswith("Ask for less")
    assert found["results"][0]["message"]["text"] == "deploy/shop/web: 2 of 3 pods do not fit. cpu"


def test_several_results_of_one_object_have_fingerprints_of_their_own() -> None:
    found = run(document(findings=[finding(text="one"), finding(text="two"), finding(name="deploy/shop/db")]))
    prints = [result["partialFingerprints"]["kplan/v1"] for result in found["results"]]
    assert len(set(prints)) == 3
    assert prints[0] == run(document(findings=[finding()]))["results"][0]["partialFingerprints"]["kplan/v1"]


def test_what_is_not_counted_and_of_no_manifest_is_the_fault_of_no_line() -> None:
    elsewhere = finding("survive-zone", "deploy/infra/db", file="", line=0)
    old = finding("survive-zone", "deploy/infra/db", file="", line=0, counted=False, why_not="no worse")
    [result] = run(document(checked(), findings=[elsewhere, old]))["results"]
    assert result["level"] == "error"
    assert run(document(checked(), findings=[elsewhere, old]))["properties"]["notOfTheManifests"] == 1
    assert run(document(checked(), findings=[old]))["tool"]["driver"]["rules"] == []


def test_a_doubt_about_an_object_stands_at_it() -> None:
    doubts = (doubt("not-expanded", file="fleet.yaml", line=9), doubt("no-pods"))
    mine, other = run(document(checked(), doubts=doubts))["results"]
    places = [one["locations"][0]["physicalLocation"] for one in (mine, other)]
    assert [(at["artifactLocation"]["uri"], at["region"]["startLine"]) for at in places] == [
        ("fleet.yaml", 9),
        ("web.yaml", 3),
    ]
