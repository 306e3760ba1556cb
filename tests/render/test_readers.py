"""What others read of our reports: each format goes through a reader of its own, and says there what it should."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cmarkgfm
import junitparser
import msgspec
import pytest
from cmarkgfm.cmark import Options
from sarif import loader, sarif_file
from sarif.operations import codeclimate_op, html_op

from kplan.render import codeclimate, github, junit, markdown, sarif
from kplan.result.document_check import CheckResult
from kplan.result.document_drain import DrainedPod
from kplan.result.document_versions import OtherVersion
from tests.render import sample, test_codeclimate, test_junit, test_markdown, test_sarif
from tests.render.checks import EDIT, checked, document, doubt, finding

DOCUMENTS = {
    **{f"SARIF: {case}": found for case, found in test_sarif.DOCUMENTS.items()},
    **{f"JUnit: {case}": found for case, found in test_junit.DOCUMENTS.items()},
}
LONG = "x" * 300
MANY = document(
    *[checked(f"deploy/shop/{LONG}-{number}", "fail", result=LONG) for number in range(300)],
    findings=[finding(name=f"deploy/shop/{LONG}-{number}", text=f"{LONG} {number}") for number in range(300)],
    doubts=[doubt("not-modelled") for _ in range(30)],
)
GITHUB_TAKES = 65_536
"""Characters of a comment."""


@pytest.fixture
def whole(tmp_path: Path) -> CheckResult:
    return sample.document(tmp_path)


# SARIF: sarif-tools, which makes pages, tables and lists of an issue tracker of it


def read_sarif(found: CheckResult, folder: Path) -> sarif_file.SarifFile:
    file = folder / "result.sarif"
    file.write_text(sarif.log(found), encoding="utf-8")
    return loader.load_sarif_file(str(file))


def test_a_viewer_of_sarif_shows_each_finding_at_its_line_with_what_is_wrong(
    whole: CheckResult, tmp_path: Path
) -> None:
    records = read_sarif(whole, tmp_path).get_records()
    shown = [(row["Severity"], row["Code"], row["Location"], row["Line"], row["Description"][:52]) for row in records]
    assert shown == [
        ("error", "does-not-fit", "deploy/web.yaml", 20, "deploy/shop/web: rollout stalls at 2 of 4. 5020m cpu"),
        ("error", "survive-zone", "deploy/web.yaml", 7, "deploy/shop/web: does not survive the loss of zone-a"),
        ("error", "survive-zone", "deploy/web.yaml", 7, "deploy/shop/cart: does not survive the loss of zone-"),
    ]


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_viewer_of_sarif_reads_every_log(case: str, tmp_path: Path) -> None:
    found = DOCUMENTS[case]
    read = read_sarif(found, tmp_path)
    report = read.get_report()
    assert read.get_result_count() == len(found.findings) + len(found.doubts)
    assert sum(map(report.get_issue_count_for_severity, ("error", "warning", "note"))) == read.get_result_count()
    for record in read.get_records():
        [rule] = read.get_rules_by_id(record["Code"])
        assert rule["help"]["text"]


def test_a_viewer_of_sarif_makes_a_page_and_a_list_of_issues(whole: CheckResult, tmp_path: Path) -> None:
    read_sarif(whole, tmp_path)
    files = loader.load_sarif_files(str(tmp_path / "result.sarif"))
    html_op.generate_html(files, None, str(tmp_path / "page.html"), False)
    page = (tmp_path / "page.html").read_text()
    assert "rollout stalls at 2 of 4" in page
    codeclimate_op.generate(files, str(tmp_path / "issues.json"), False)
    theirs = [issue["check_name"] for issue in json.loads((tmp_path / "issues.json").read_text())]
    assert theirs == [issue["check_name"] for issue in json.loads(codeclimate.report(whole))]


@pytest.mark.parametrize("case", [*DOCUMENTS, "many"])
def test_each_result_is_an_alert_of_its_own(case: str) -> None:
    """Code scanning takes results of one fingerprint for one alert."""
    [run] = json.loads(sarif.log(MANY if case == "many" else DOCUMENTS[case]))["runs"]
    prints = [result["partialFingerprints"]["kplan/v1"] for result in run["results"]]
    assert len(prints) == len(set(prints))


def test_a_region_has_an_end_and_a_finding_that_is_nowhere_stands_at_the_first_manifest() -> None:
    found = document(checked(file="a.yaml", line=4), findings=[finding(name="deploy/shop/other", file="", line=0)])
    [run] = json.loads(sarif.log(found))["runs"]
    assert [result["locations"][0]["physicalLocation"] for result in run["results"]] == [
        {"artifactLocation": {"uri": "a.yaml"}, "region": {"startLine": 4, "endLine": 4}}
    ]


# JUnit: junitparser, and the rules of GitLab and of Jenkins


def by_gitlab(text: str) -> Counter[str]:
    """Count cases as GitLab does: by what a case has first of these, equal names of a suite once."""
    status: dict[tuple[str, ...], str] = {}
    for suite in ElementTree.fromstring(text).iter("testsuite"):
        for case in suite.iterfind("testcase"):
            kinds = [kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None]
            status[suite.get("name", ""), case.get("classname", ""), case.get("name", "")] = (kinds or ["passed"])[0]
    return Counter(status.values())


@pytest.mark.parametrize("case", [*DOCUMENTS, "many"])
def test_readers_of_junit_count_what_the_report_declares(case: str) -> None:
    text = junit.report(MANY if case == "many" else DOCUMENTS[case])
    read = junitparser.JUnitXml.fromstring(text.encode())
    declared = (read.tests, read.failures, read.errors)
    suites = [(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) for suite in read]
    for suite in read:
        suite.update_statistics()
    assert suites == [(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) for suite in read]
    read.update_statistics()
    assert declared == (read.tests, read.failures, read.errors)
    counts = by_gitlab(text)
    assert (counts.total(), counts["failure"], counts["error"]) == declared
    assert counts["skipped"] == sum(skipped for *_, skipped in suites)


def test_a_reader_of_junit_shows_what_fails_and_what_to_try(whole: CheckResult) -> None:
    read = junitparser.JUnitXml.fromstring(junit.report(whole).encode())
    failed = [(case.name, result) for suite in read for case in suite for result in case.result]
    assert [(name, result.message) for name, result in failed] == [
        ("deploy/shop/web", "deploy/shop/web: rollout stalls at 2 of 4 (and 1 more)"),
        (
            "survive-zone: survive the loss of any zone",
            "deploy/shop/web: does not survive the loss of zone-a, zone-c (and 1 more)",
        ),
    ]
    assert "Try: cpu request 1420m (now 1500m) -> all 4 replicas land" in failed[0][1].text


def test_two_doubts_of_one_code_are_two_cases() -> None:
    text = junit.report(document(doubts=(doubt("not-modelled"), doubt("not-modelled"))))
    names = [case.name for suite in junitparser.JUnitXml.fromstring(text.encode()) for case in suite]
    assert names == ["not-modelled", "not-modelled (2)"]
    assert by_gitlab(text) == {"error": 2}


def test_no_failure_is_without_a_text() -> None:
    """GitLab shows the text of an element, and of one without a text its attributes, as they are in the code."""
    other = OtherVersion(rules="1.36", verdict="FAILS", sentence="1 of 1 objects fails", same=False)
    root = ElementTree.fromstring(junit.report(document(other_version=other)))
    assert [failure.text for failure in root.iter("failure")] == ["1 of 1 objects fails"]


# Code quality: the fields that GitLab asks for, and what it needs beyond to show each issue


@pytest.mark.parametrize("case", [*DOCUMENTS, "many"])
def test_gitlab_takes_each_issue_and_shows_it_once(case: str) -> None:
    issues = json.loads(codeclimate.report(MANY if case == "many" else DOCUMENTS[case]))
    assert [error.message for error in test_codeclimate.VALIDATOR.iter_errors(issues)] == []
    prints = [issue["fingerprint"] for issue in issues]
    assert len(prints) == len(set(prints))


# Markdown: cmark-gfm, GitHub's own


def rendered(text: str) -> str:
    """As GitHub shows it, with the tags that it lets pass."""
    return cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)


@pytest.mark.parametrize("case", [*DOCUMENTS, "many"])
def test_github_shows_a_table_and_folded_details_within_a_comment(case: str) -> None:
    found = MANY if case == "many" else DOCUMENTS[case]
    text = markdown.comment(found)
    assert len(text) <= GITHUB_TAKES
    html = rendered(text)
    assert html.count("<table>") == html.count("</table>") == (1 if found.objects and text else 0)
    assert html.count("<tbody>") == html.count("<table>")
    assert html.count("<tr>") == (min(len(found.objects), 20) + 1 if found.objects and text else 0)
    assert html.count("<details>") == html.count("</details>") == (1 if text else 0)
    inside = html.partition("<details>")[2].partition("</details>")[0]
    assert inside.count("<pre") == (1 if text else 0)


def test_github_shows_each_cell_of_the_table_as_it_is(whole: CheckResult) -> None:
    html = rendered(markdown.comment(whole))
    cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", html)]
    assert cells == [
        *("FAIL", "deploy/shop/web", "cpu 1 -&gt; 1500m, image example.invalid/web:1 -&gt; example.invalid/web:2"),
        *("rollout stalls at 2 of 4; does not survive the loss of zone-a, zone-c", "ok"),
        *("ok", "job/batch/report", "new, 3 pods", "placed: node-f", "-"),
    ]


def test_the_list_of_a_plan_is_a_table_in_githubs_own_reader_and_what_is_stuck_comes_first() -> None:
    pods = tuple(
        DrainedPod(pod=f"shop/web-{number}", node="node-a", fate=fate, lands_on=lands)
        for number, (fate, lands) in enumerate((("lands", "node-b"), ("pending", ""), ("lands", "node-c")))
    )
    text = markdown.folded(msgspec.structs.replace(test_markdown.drain_plan(), pods=pods), "BLOCKED  node-a\n")
    rows = re.findall(r"<tr>(.*?)</tr>", rendered(text), re.DOTALL)
    table = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]
    assert table == [
        ["pod", "node", "fate", "lands on"],
        ["shop/web-1", "node-a", "pending", "-"],
        ["shop/web-0", "node-a", "lands", "node-b"],
        ["shop/web-2", "node-a", "lands", "node-c"],
    ]


HOSTILE = "a|b`c`<img src=x onerror=y>@everyone *bold* [l](javascript:x) https://evil.example www.evil.example\n# h"


def test_no_name_becomes_markup_a_link_or_a_mention_in_githubs_own_reader() -> None:
    found = document(checked(HOSTILE, "fail", result=HOSTILE), findings=[finding(name=HOSTILE, text=HOSTILE)])
    html = rendered(markdown.comment(found))
    outside = re.sub(r"<(code|pre).*?</\1>", "", html, flags=re.DOTALL)
    assert not re.search(r"<(img|a|em|h1)\b", html)
    assert "@everyone" not in outside
    assert html.count("<tr>") == 2


# GitHub annotations


def commands(found: CheckResult) -> Iterator[dict[str, Any]]:
    """As a runner of GitHub Actions reads them: the command, its properties, its message."""
    for line in github.commands(found).rstrip("\n").split("\n"):
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match is not None, line
        told = dict(item.split("=", 1) for item in match[2].split(","))
        yield {"level": match[1], **told, "message": match[3]}


def test_annotations_stand_at_lines_of_the_manifests_and_what_is_elsewhere_at_none(whole: CheckResult) -> None:
    shown = [
        (one["level"], one.get("file"), one.get("line"), one["title"].split("%3A ")[-1]) for one in commands(whole)
    ]
    assert shown == [
        ("error", "deploy/web.yaml", "20", "rollout stalls at 2 of 4"),
        ("error", "deploy/web.yaml", "7", "does not survive the loss of zone-a%2C zone-c"),
        ("error", None, None, "does not survive the loss of zone-b"),
        ("notice", None, None, "FAILS"),
    ]


@pytest.mark.parametrize("case", [*DOCUMENTS, "many"])
def test_a_step_has_no_more_annotations_than_github_shows(case: str) -> None:
    levels = Counter(one["level"] for one in commands(MANY if case == "many" else DOCUMENTS[case]))
    assert levels["error"] <= 10
    assert levels["warning"] <= 10
    assert levels["notice"] == 1


def test_an_edit_of_another_file_is_where_the_annotation_stands() -> None:
    found = document(checked(), findings=[finding(file="", line=0, edits=(EDIT,))])
    assert next(commands(found))["line"] == "31"


def test_the_title_of_advice_is_what_it_is_about_and_not_how_it_counts() -> None:
    text = "deploy/shop/web requests no cpu and no memory"
    advice = finding("careful", title="advice only", text=text, counted=False, why_not="a warning")
    result = document(checked(), findings=(advice,))
    [issue] = json.loads(codeclimate.report(result))
    assert issue["description"] == f"{text} (not counted: a warning)"
    written = [sarif.log(result), codeclimate.report(result), github.commands(result), junit.report(result)]
    assert [one for one in written if "advice only" in one] == []
