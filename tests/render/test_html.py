"""The HTML report as text: self-contained, escaped, and with colours that can be read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kplan.framework.doubt import Doubt
from kplan.render import html
from kplan.render.html import FOLDER, SCRIPTS, STYLES, page
from kplan.render.html_data import coded, pack, safe_json, share
from kplan.render.html_head import COMMANDS
from kplan.result.document import Fix, PodExplanation, PodExplanations
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_usage import NodeUsage, NodeVerdicts, PodUsage
from kplan.result.documents import DOCUMENTS

SOURCE = Origin(
    source="prod.json",
    nodes=1,
    pods=30001,
    k8s_version="1.37.2",
    how="as recorded",
    rules="1.37.2",
    via="KPLAN_SNAPSHOT",
    taken="2026-11-01T10:00:00Z",
    profile="batch",
)
CSS = "".join((FOLDER / name).read_text() for name in STYLES)


def document(**changes: Any) -> PodExplanation:
    fields: dict[str, Any] = {
        "api_version": API_VERSION,
        "origin": SOURCE,
        "pod": "shop/web-0",
        "verdict": "PENDING",
        "sentence": "shop/web-0 fits 0 of 1 nodes",
        "feasible": 0,
        "nodes": 1,
        "because": Cause(code="x", text="cpu: needs 2 & has <1>"),
    }
    return PodExplanation(**{**fields, **changes})


def head(text: str) -> list[str]:
    """Lines that answer, as they are written in the page before any script runs."""
    answer = text.partition('<section id="answer"')[2].partition("<noscript>")[0]
    return [re.sub(r"<[^>]*>", " ", line).strip() for line in re.findall(r"<h1.*?</h1>|<div.*?</div>", answer)]


def data(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    return found


def test_the_lines_that_answer_are_plain_html_in_the_order_of_the_text() -> None:
    fix = Fix(number=1, code="c", cost="request", text="t", then="t", fits=1, summary="cpu request 1 -> node-a fits")
    text = page(document(doubts=(Doubt(code="d", text="half a snapshot"),), fixes=(fix,), careful=("no requests",)))
    assert [re.sub(r"\s+", " ", line) for line in head(text)] == [
        "\u00d7 PENDING? shop/web-0 fits 0 of 1 nodes",
        "Doubt half a snapshot",
        "Because cpu: needs 2 &amp; has &lt;1&gt;",
        "Try cpu request 1 -&gt; node-a fits",
        "Careful no requests",
        "From prod.json (KPLAN_SNAPSHOT), taken 2026-11-01T10:00:00Z, 1 node, 30,001 pods; rules of 1.37.2 "
        "(as recorded); profile batch",
    ]


def test_notes_beyond_three_are_folded_away() -> None:
    answer = PodExplanations(
        api_version=API_VERSION,
        origin=SOURCE,
        verdict="FITS",
        sentence="5 notes",
        folds=(),
        answers=(),
        notes=("one", "two", "three", "<four>", "five"),
    )
    lines = [re.sub(r"\s+", " ", line) for line in head(page(answer))]
    assert lines[1:4] == ["Note one", "Note two", "Note three"]
    assert lines[-1] == "Notes 2 more notes &lt;four&gt; five"


def restored(value: Any, shared: list[Any]) -> Any:
    """Put shared parts back, as the page's script does."""
    if isinstance(value, list):
        return [restored(one, shared) for one in value]
    if isinstance(value, dict):
        if set(value) == {"#"}:
            return restored(shared[value["#"]], shared)
        return {key: restored(one, shared) for key, one in value.items()}
    return value


def test_the_data_of_the_page_is_the_document() -> None:
    found = data(page(document()))
    assert restored(found["document"], found["shared"]) == json.loads(html.msgspec.json.encode(document()))


def test_what_repeats_is_written_once() -> None:
    groups = [{"text": "cpu: needs 2, free 1", "nodes": ["node-a", "node-b"]}]
    pods = [{"pod": "a", "groups": groups}, {"pod": "b", "groups": groups}, {"pod": "c", "groups": []}]
    root, shared = share({"answers": pods})
    assert root == {
        "answers": [{"pod": "a", "groups": {"#": 0}}, {"pod": "b", "groups": {"#": 0}}, {"pod": "c", "groups": []}]
    }
    assert shared == [groups]


def test_parts_within_shared_parts_are_shared_too() -> None:
    reason = {"code": "insufficient-cpu", "plugin": "NodeResourcesFit"}
    one, two = {"text": "one of two", "reasons": [reason]}, {"text": "two of two", "reasons": [reason]}
    root, shared = share({"a": one, "b": one, "c": two})
    assert shared is not None
    assert restored(root, shared) == {"a": one, "b": one, "c": two}
    assert json.dumps([root, shared]).count("insufficient-cpu") == 1


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", None], ids=repr)
def test_equal_numbers_of_different_kinds_are_not_mixed_up(value: Any) -> None:
    many = [{"a long enough name": one} for one in (True, 1, 1.0, "1", None)]
    root, shared = share({"many": many, "again": {"a long enough name": value}})
    found = restored(root, shared or [])["again"]["a long enough name"]
    assert type(found) is type(value)
    assert found == value


def test_a_document_with_the_key_of_references_is_left_as_it_is() -> None:
    plain = {"labels": {"#": 7}, "again": {"#": 7}}
    assert share(plain) == (plain, None)


def test_verdicts_stand_in_the_order_of_the_nodes_of_the_page() -> None:
    verdicts = NodeVerdicts(nodes=("a", "b", "c"), pods={"x": 0}, letters=("01.",), left_out=2)
    nodes = [NodeUsage(name=name, allocatable={}, requested={}) for name in ("a", "b", "c")]
    assert coded(verdicts, nodes) == {"pods": {"x": 0}, "letters": ["01."], "leftOut": 2}
    with_one_that_left = [nodes[2], NodeUsage(name="gone", allocatable={}, requested={}), nodes[0]]
    assert coded(verdicts, with_one_that_left)["letters"] == [".." + "0"]


def test_every_kind_of_document_has_a_layout_and_the_name_of_its_command() -> None:
    script = "".join((FOLDER / name).read_text() for name in SCRIPTS)
    assert set(re.findall(r'^kind\("(\w+)"', script, re.MULTILINE)) == set(COMMANDS)
    assert set(DOCUMENTS) - set(COMMANDS) == set()


def test_nodes_are_packed_as_numbers_and_places_in_a_list_of_texts() -> None:
    node = NodeUsage(
        name="node-a",
        allocatable={"cpu": 4000, "memory": 1 << 30, "pods": 110, "nvidia.com/gpu": 2},
        requested={"cpu": 1500, "pods": 1},
        before={},
        zone="z",
        labels={"zone": "z", "hostname": "node-a"},
        taints=("a=b:NoSchedule",),
        unschedulable=True,
        change="appears",
        pods=(PodUsage(pod="shop/a", amounts={"cpu": 1500}, priority=7, change="lands"),),
    )
    assert pack([node]) == {
        "resources": ["cpu", "memory", "pods", "nvidia.com/gpu"],
        "texts": ["", "z", "a=b:NoSchedule", "zone", "hostname"],
        "lists": [(3, 1, 4, -1), (4000, 1 << 30, 110, 2), (7, 1, 1500)],
        "rows": [
            [
                "node-a",
                1,
                0,
                0,
                1,
                3,
                [2],
                0,
                1,
                [1500, 0, 1],
                [],
                ["shop/a", 2],
            ]
        ],
    }


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "&lt;", "\u2028", "\u2029", "<script"])
def test_json_cannot_end_its_element(text: str) -> None:
    written = safe_json({text: text})
    assert not re.search("[<>&\u2028\u2029]", written)
    assert json.loads(written) == {text: text}


def test_no_text_is_looked_through_for_places_to_fill() -> None:
    text = page(document(sentence="{{script}} {{data}} {{nothing}}"))
    assert "{{script}} {{data}} {{nothing}}" in text.partition("<noscript>")[0]


def test_the_page_refers_to_nothing_outside_itself() -> None:
    text = page(document())
    outside = re.findall(
        r"""(?:src|href|action|url)\s*[=(]\s*["']?(?!["']?(?:#|data:))[\w/]""",
        re.sub(r"<script.*", "", text, flags=re.S),
    )
    assert outside == []
    assert "default-src 'none'" in text
    script = "".join((FOLDER / name).read_text() for name in SCRIPTS)
    assert (
        re.findall(r"https?:|import\(|fetch\(|XMLHttpRequest|innerHTML|outerHTML|insertAdjacentHTML|eval\(", script)
        == []
    )
    assert re.findall(r"@import|url\(|https?:", CSS) == []


def test_scripts_and_styles_hold_nothing_that_ends_their_element() -> None:
    for path in FOLDER.rglob("*"):
        if path.suffix in (".js", ".css"):
            assert not re.search(r"</(script|style)|<!--", path.read_text(), re.IGNORECASE), path.name


def test_every_script_and_style_is_part_of_the_page() -> None:
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.js")} == set(SCRIPTS)
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.css")} == set(STYLES)


def test_no_script_is_longer_than_a_module_may_be() -> None:
    for name in SCRIPTS:
        assert len((FOLDER / name).read_text().splitlines()) <= 400, name


def test_what_the_page_is_made_of_is_shipped() -> None:
    root = Path(html.__file__).parents[2]
    package = re.search(r"^kplan = \[(.*)\]", (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert package is not None
    assert '"data/html/**/*"' in package[1]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLOURS = {
    name: (light, dark) for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", CSS)
}
TEXTS = [
    *[(ink, paper) for ink in ("text", "dim", "link", "good", "warn", "bad", "none") for paper in ("paper", "raised")],
    *[("text", f"{tone}-{ground}") for tone in ("good", "warn", "bad", "none") for ground in ("tint", "fill")],
    *[(tone, f"{tone}-tint") for tone in ("good", "warn", "bad", "none")],
]
SHAPES = [*[f"piece-{i}" for i in range(8)], "bar", "focus", "line-strong", "good", "warn", "bad"]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXTS, ids=[f"{ink} on {ground}" for ink, ground in TEXTS])
def test_text_has_the_contrast_of_level_aa(ink: str, ground: str, scheme: int) -> None:
    assert contrast(COLOURS[ink][scheme], COLOURS[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_drawn_stands_out_from_the_paper(shape: str, scheme: int) -> None:
    assert contrast(COLOURS[shape][scheme], COLOURS["paper"][scheme]) >= 3
