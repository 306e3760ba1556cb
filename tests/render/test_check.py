"""Every format tells the same facts of one shared sample: a golden file each, and facts that none may leave out."""

import json
from pathlib import Path

import pytest

from kplan.render import github, junit, markdown, names, sarif
from kplan.result.document_check import CheckResult
from tests.render import sample
from tests.render.sample import FORMATS, GOLDENS, formats


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> CheckResult:
    return sample.document(tmp_path_factory.mktemp("sample"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_as_it_was_looked_at(name: str, document: CheckResult) -> None:
    assert formats(document)[name]() == (GOLDENS / f"{name}.txt").read_text()


def test_every_golden_is_of_a_format_and_every_format_has_one() -> None:
    assert {path.stem for path in GOLDENS.iterdir()} == set(FORMATS)


FACTS = {
    "what fails": "shop/web",
    "how much of it": "2 of 4",
    "its cause": "5020m cpu are free, but in pieces: it wants 1500m, no node has more than 1420m",
    "what helps": "cpu request",
    "what another workload loses": "deploy/shop/cart",
    "what is in the baseline already": "sts/shop/db",
    "what fits": "batch/report",
    "where it goes": "node-f",
    "the manifest": "deploy/web.yaml",
    "the source": "prod-eu1.json",
    "the rules": "1.37.2",
}
OF_ANNOTATIONS = {"what fits", "where it goes", "the source", "the rules"}
"""What formats that tell only of what is wrong need not say."""
OLD = "what is in the baseline already"
COUNTED = {"github": "1 old finding not counted", "sarif": '"notOfTheManifests": 1', "codeclimate": ""}
"""How formats tell of old findings about no manifest, the fault of no line; a list of issues has no number."""


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "name"])
def test_no_format_leaves_out_a_fact(name: str, fact: str, document: CheckResult) -> None:
    if name in ("github", "sarif", "codeclimate") and fact in OF_ANNOTATIONS:
        pytest.skip("tells only of what is wrong")
    text = " ".join(formats(document)[name]().split())
    told = COUNTED.get(name, FACTS[fact]) if fact == OLD else FACTS[fact]
    assert told in text


def test_text_is_80_columns_wide_and_ascii(document: CheckResult) -> None:
    text = formats(document)["text"]()
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80


def test_the_json_is_what_a_baseline_is_read_from(document: CheckResult, tmp_path: Path) -> None:
    from kplan.studies.check.baseline import read_baseline

    file = tmp_path / "again.json"
    file.write_text(formats(document)["json"]())
    assert read_baseline(str(file)) == document


def test_names_are_those_of_what_fails(document: CheckResult) -> None:
    assert names.names(document) == "deploy/shop/web\n"


def test_all_formats_are_the_same_each_time(document: CheckResult, tmp_path_factory: pytest.TempPathFactory) -> None:
    again = sample.document(tmp_path_factory.mktemp("again"))
    assert again == document
    for render in (markdown.comment, junit.report, sarif.log, github.commands):
        assert render(again) == render(document)


def test_the_sample_tells_its_age_and_that_it_is_complete(document: CheckResult) -> None:
    recording = json.loads(formats(document)["json"]())["recording"]
    assert recording == {
        "taken": "2026-05-11T09:00:00Z",
        "ageSeconds": 95_400,
        "maxAgeSeconds": 604_800,
    }


def test_the_page_is_made_of_the_same_document(document: CheckResult) -> None:
    page = formats(document)["html"]()
    assert page.startswith("<!doctype html>")
    assert "deploy/shop/web" in page
    assert "rollout stalls at 2 of 4" in page
