"""Each complaint is answered with its true cause and with remedies that work, word for word."""

import os

import pytest

import kplan
from kplan.remedies.search import remedies
from kplan.render.text import Style, explanation
from kplan.result.document import PodExplanation
from kplan.studies.explain import explain_pods
from tests.remedies.carrying_out import helps, picture, unlike
from tests.studies.complaints.complaints import NAMES, golden, read

NEW_GOLDENS = os.environ.get("KPLAN_NEW_GOLDENS") == "1"
"""Write the answers instead of comparing them; the difference is then to be read and judged."""


def answer(name: str) -> PodExplanation:
    complaint = read(name)
    context = complaint.context()
    found = explain_pods(context, kplan.find_pods(context.planner, [complaint.asks]), fold=False)
    assert isinstance(found, PodExplanation)
    return found


def test_there_are_at_least_forty() -> None:
    assert len(NAMES) >= 40


def test_twenty_of_them_are_about_devices() -> None:
    about = [name for name in NAMES if read(name).state.resource_claims or read(name).state.resource_claim_templates]
    assert len(about) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_word_for_word(name: str) -> None:
    text = explanation(answer(name), Style())
    if NEW_GOLDENS:
        golden(name).write_text(text)
    assert text == golden(name).read_text()
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_the_true_cause_is_named(name: str) -> None:
    told = " ".join(explanation(answer(name), Style(wide=True)).split())
    assert [words for words in read(name).causes if words not in told] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_remedy_that_one_would_choose_is_found(name: str) -> None:
    told = [
        f"{text} -> {fix.then}" for fix in answer(name).fixes for text in (fix.text, fix.summary.partition(" -> ")[0])
    ]
    assert [words for words in read(name).remedies if not any(line.startswith(words) for line in told)] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_would_let_all_of_a_group_in_is_found(name: str) -> None:
    plan = answer(name).pod_group
    found = plan.attempt if plan is not None else ""
    assert [words for words in read(name).attempts if not found.startswith(words)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_remedy_works_on_a_cluster_built_anew(name: str) -> None:
    complaint = read(name)
    planner = complaint.context().planner
    counters = len(planner.cluster.counters)
    before = picture(planner.cluster, counters)
    found = remedies(planner, planner.cluster.pods[planner.cluster.pod_index[complaint.asks]])
    assert picture(planner.cluster, counters) == before
    assert [wrong for wrong in (helps(planner, complaint.asks, remedy) for remedy in found.found) if wrong] == []
    assert [flag for remedy in found.found for flag in unlike(remedy)] == []
    assert found.found or not complaint.remedies
