"""The page of a run of ``bind --apply``: all bound, some held back, stopped in the middle, and gone on with."""

import pytest

from kplan.render.html import page as write
from kplan.result.document_base import API_VERSION, Cause
from kplan.result.document_bind import BindResult, BindTarget, BoundPod
from kplan.result.document_usage import Drawing
from tests.browser.conftest import Open
from tests.browser.inspected import SCHEMES, WIDTHS, lost_on_paper, violations

CHANGED = "node-b has changed since the plan: spec.taints"


def run(verdict: str, sentence: str, pods: tuple[BoundPod, ...], *, code: str = "", attempt: str = "") -> str:
    bound = sum(pod.result == "bound" for pod in pods)
    return write(
        BindResult(
            api_version=API_VERSION,
            verdict=verdict,
            sentence=sentence,
            pods=pods,
            cluster=BindTarget(context="prod", uid="u-1", server="https://example.invalid", server_time=1_790_000_000),
            started="2026-10-01T10:00:00Z",
            ended="2026-10-01T10:00:09Z",
            journal="journal.jsonl",
            writes=bound,
            because=Cause(code=code, text=CHANGED) if code else None,
            attempt=attempt,
        ),
        Drawing(),
    )


def bound(number: int, node: str = "node-a") -> BoundPod:
    return BoundPod(
        pod=f"shop/web-{number}",
        result="bound",
        node=node,
        at=f"2026-10-01T10:00:0{number}Z",
        confirmed=True,
    )


HELD = BoundPod(
    pod="shop/db-0",
    result="held-back",
    node="node-b",
    code="node-changed",
    text=CHANGED,
    kept=("claim shop/data: selected-node node-b",),
)
OPEN = BoundPod(pod="shop/db-1", result="open", node="node-b", text="on its way when the run stopped")
LATER = BoundPod(pod="shop/db-2", result="not-tried", node="node-c")
RESUME = "kplan bind --resume journal.jsonl"
RUNS = {
    "all bound": run("BOUND", "3 of 3 pods are bound", (bound(1), bound(2), bound(3, "node-c"))),
    "held back": run("PARTLY", "2 of 3 pods are bound", (bound(1), HELD, bound(2)), code="node-changed"),
    "stopped": run("STOPPED", "1 of 4 pods is bound", (bound(1), HELD, OPEN, LATER), attempt=RESUME),
    "resumed": run("PARTLY", "3 of 4 pods are bound", (bound(1), HELD, bound(2, "node-b"), bound(3, "node-c"))),
}
NUMBERS = {
    "all bound": ["2 bound", "1 bound"],
    "held back": ["1 held back", "2 bound"],
    "stopped": ["1 held back, 1 on its way when the run stopped", "1 not tried", "1 bound"],
    "resumed": ["1 held back, 1 bound", "1 bound", "1 bound"],
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_has_its_picture_and_every_pod_on_screen_and_on_paper(opened: Open, name: str) -> None:
    page = opened(RUNS[name], width=1440).page
    shown = page.locator("figure.picture svg.wide text").all_text_contents()
    assert [text for text in shown if text in NUMBERS[name]] == NUMBERS[name]
    box = page.locator("figure.picture svg:visible").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900
    rows, lost = lost_on_paper(page)
    assert (rows, lost) == ({"all bound": 3, "held back": 3}.get(name, 4), [])


def test_a_run_that_stopped_says_how_to_go_on_and_what_stays(opened: Open) -> None:
    text = opened(RUNS["stopped"]).page.locator("main").inner_text()
    assert RESUME in text
    assert "claim shop/data: selected-node node-b" in text


@pytest.mark.parametrize("name", ["held back", "stopped"])
def test_axe_finds_nothing_in_a_run(opened: Open, name: str) -> None:
    page = opened(RUNS[name]).page
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
