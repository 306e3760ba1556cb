"""Markdown: one comment, failures first, never longer than a comment may be, silent when all is well."""

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from kplan.render.markdown import LIMIT, MARKER, comment, fenced, folded
from kplan.result.document_base import Cause, Origin
from kplan.result.document_check import Baseline, CheckRule
from kplan.result.document_drain import DrainPlan
from tests.render.checks import checked, document, doubt, finding

HTML = MarkdownIt("gfm-like", {"linkify": False})


def test_the_comment_begins_with_its_marker_and_the_verdict() -> None:
    text = comment(document(checked(status="fail"), findings=[finding()]))
    assert text.startswith(f"{MARKER}\n### kplan: FAILS, so it is\n")


def test_it_is_silent_when_all_passes_and_nothing_changed() -> None:
    assert comment(document(checked(changed=False))) == ""


@pytest.mark.parametrize(
    "found",
    {
        "something is new": document(checked(changed=True)),
        "something fails": document(checked(changed=False), findings=[finding()]),
        "a doubt is left": document(checked(changed=False), doubts=(doubt(),)),
        "something is no longer wrong": document(
            checked(changed=False), baseline=Baseline(file="m.json", findings=1, fixed=("does-not-fit deploy/a/b",))
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_it_speaks_when(found: tuple[str, object]) -> None:
    assert comment(found[1]) != ""  # type: ignore[arg-type]


def test_a_doubt_marks_the_verdict() -> None:
    text = comment(document(checked(), doubts=(doubt(),)))
    assert "### kplan: IN DOUBT, else PASSES: so it is" in text
    assert "**Doubt** about no-pods (`no-pods`)" in text


def test_an_allowed_doubt_is_named_and_marks_nothing() -> None:
    text = comment(document(checked(), doubts=(doubt(allowed=True),)))
    assert "### kplan: PASSES, so it is" in text
    assert "Doubts allowed: no-pods." in text


def test_twenty_rows_are_shown_and_the_rest_is_counted() -> None:
    objects = [checked(f"deploy/shop/w{i}", "fail" if i < 22 else "ok", result=f"result {i}") for i in range(30)]
    text = comment(document(*objects, findings=[finding()]))
    rows = [line for line in text.splitlines() if line.startswith("| FAIL")]
    assert len(rows) == 20
    assert "10 more, 2 of them fail." in text


def test_the_column_on_main_is_there_with_a_baseline_alone() -> None:
    with_it = document(checked(on_main="fails"), baseline=Baseline(file="m.json", findings=1))
    assert "on main" in comment(with_it)
    assert "| fails   |" in comment(with_it)
    assert "on main" not in comment(document(checked()))


def test_rules_are_told_in_one_line() -> None:
    rules = (
        CheckRule(rule="no-preemption", wanted="nothing is evicted", status="ok"),
        CheckRule(rule="quota", wanted="no quota refuses anything", status="fail", text="deploy/shop/web"),
        CheckRule(
            rule="survive-zone",
            wanted="survive the loss of any zone",
            status="main",
            text="in the baseline already: sts/db",
        ),
    )
    assert (
        "Rules: nothing is evicted: ok; no quota refuses anything: **broken** (deploy/shop/web); "
        "survive the loss of any zone: not counted (in the baseline already: sts/db)."
    ) in comment(document(checked(), rules=rules))


@pytest.mark.parametrize("size", [10, 70_000, 700_000])
def test_a_comment_is_never_longer_than_allowed_and_always_closed(size: int) -> None:
    findings = [finding(text="x" * size, counted=False, why_not="a warning") for _ in range(3)]
    text = comment(document(checked(), findings=findings, notes=("n" * size,), command="kplan check " + "y" * size))
    assert len(text) <= LIMIT
    assert text.count("```") == 2
    assert "</details>" in text
    assert "Cluster: `c.json`" in text


def test_many_long_findings_that_count_are_cut_too() -> None:
    findings = [finding(name=f"deploy/a/{i}", text=f"{i} {'z' * 5_000}") for i in range(400)]
    objects = [checked(f"deploy/{'n' * 250}/{i}", "fail", result="r" * 5_000) for i in range(400)]
    text = comment(document(*objects, findings=findings))
    assert len(text) <= LIMIT
    assert "390 more findings that count." in text


def test_no_name_can_become_markup_or_mention_anybody() -> None:
    hostile = "a|b`c`<img src=x onerror=y>@everyone *bold* [l](javascript:x)\n# head"
    found = document(checked(hostile, "fail", result=hostile), findings=[finding(name=hostile, text=hostile)])
    html = HTML.render(comment(found).replace(MARKER, ""))
    assert "<img" not in html
    assert "<strong>bold" not in html
    assert "<em>" not in html
    assert "<a " not in html
    assert html.count("<h1>") == 0
    assert html.count("<tr>") == 2
    assert "@everyone" not in re.sub("<code.*?</code>", "", html, flags=re.DOTALL)


def test_the_table_survives_a_reader_of_markdown() -> None:
    html = HTML.render(comment(document(checked(result="placed: node-a | node-b"))))
    assert "<td>placed: node-a | node-b</td>" in html


def test_a_text_with_backticks_stays_in_its_block() -> None:
    assert fenced("a ``` b\n") == "````text\na ``` b\n````\n"


def drain_plan(**more: Any) -> DrainPlan:
    return DrainPlan(
        api_version="kplan.dev/v1",
        verdict="BLOCKED",
        sentence="node-a: 1 pod <b>has</b> nowhere to go",
        nodes=("node-a",),
        origin=Origin(source="x", nodes=1, pods=1, k8s_version="1.37.2", rules="1.37", how="newest"),
        because=Cause(code="insufficient-cpu", text="cpu: it wants 2, b has 1 free"),
        **more,
    )


def test_other_answers_are_told_in_markdown_and_folded_as_a_whole() -> None:
    assert folded(drain_plan(attempt="one more node -> all placed"), "BLOCKED  node-a\n").splitlines() == [
        "### kplan: BLOCKED, node-a: 1 pod &lt;b>has&lt;/b> nowhere to go",
        "",
        "**Because** cpu: it wants 2, b has 1 free  ",
        "**Try** one more node -> all placed",
        "",
        "<details><summary>all of it</summary>",
        "",
        "```text",
        "BLOCKED  node-a",
        "```",
        "",
        "</details>",
    ]


def test_what_a_comment_has_no_room_for_is_cut_at_a_line() -> None:
    text = folded(drain_plan(), "0123456789\n" * 10_000)
    assert len(text) < LIMIT
    assert "0123456789\n... (cut; -o text shows all)\n```\n" in text


def test_each_doubt_of_a_check_has_a_line_of_its_own_wherever_it_is_rendered() -> None:
    text = comment(document(checked(), doubts=(doubt("no-pods"), doubt("snapshot-old"))))
    assert "**Doubt** about no-pods (`no-pods`)  \n**Doubt** about snapshot-old (`snapshot-old`)\n" in text


def test_a_long_text_is_cut_between_words() -> None:
    names = ", ".join(f"deploy/shop/web-{i:03}" for i in range(30))
    text = comment(document(checked(result=names, status="fail"), findings=[finding()]))
    row = next(line for line in text.splitlines() if "deploy/shop/web-000" in line and line.startswith("|"))
    assert "deploy/shop/web-008 ..." in row
