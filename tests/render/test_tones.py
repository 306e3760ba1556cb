"""One table says how a word is coloured: on a terminal, in the head of the page and by its script."""

import json

import pytest

from kplan.render.colour import coloured
from kplan.render.html import page
from kplan.render.html_head import head
from kplan.render.tones import TONES, Tone
from kplan.result.document_plugins import PluginReference


@pytest.mark.parametrize(
    ("line", "style"),
    [
        pytest.param("FITS  shop/web-0", "bold green", id="good is green"),
        pytest.param("IDLE  node-a", "bold green", id="a verdict that only a node has"),
        pytest.param("FITS?  shop/web-0", "bold yellow", id="what is good in doubt is yellow"),
        pytest.param("BLOCKED?  node-a", "bold red", id="what is bad is red, in doubt too"),
        pytest.param("GATED  shop/web-0", "bold yellow", id="what waits is yellow"),
        pytest.param("NOTHING  to bind", "", id="a word without a tone"),
    ],
)
def test_the_verdict_of_a_line_is_coloured(line: str, style: str) -> None:
    assert " ".join(str(span.style) for span in coloured(line).spans) == style


@pytest.mark.parametrize(
    ("verdict", "tone", "mark"),
    [("FITS", "good", "\u2713"), ("PREEMPTS", "warn", "~"), ("GATED", "warn", "~"), ("STOPPED", "bad", "\u00d7")],
)
def test_the_head_of_the_page_has_the_tone_and_its_sign(verdict: str, tone: str, mark: str) -> None:
    written = head({"kind": "PodExplanation", "verdict": verdict, "sentence": "so it is"})
    assert f'<h1 class="verdict {tone}">' in written
    assert f">{mark}</span>" in written


def test_the_page_knows_verdicts_and_results_in_lower_case() -> None:
    assert (TONES["refused"], TONES["gated"], TONES["placed"]) == (Tone.BAD, Tone.HELD, Tone.GOOD)
    assert [word for word in TONES if word != word.lower()] == []
    assert f"const TONES = {json.dumps(TONES)};" in page(PluginReference(api_version="kplan.dev/v1", plugins=()))
