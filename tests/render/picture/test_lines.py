"""Lines down all bars leave the words alone that stand over the bars on phones."""

import re

import pytest

from kplan.render.picture.canvas import LINE, Canvas, Look, legend
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.scale import counts

BARS = Bars(
    title="Use",
    bars=tuple(Bar(f"node-{i}", (Segment("used", 80, Look.USED),), note="3500m of 3920m, free 420m") for i in range(3)),
    unit=counts("percent"),
    high=100,
    marks=((100, "all of the node"),),
)


@pytest.mark.parametrize(("width", "lines"), [(320, 3), (1000, 1)])
def test_a_line_crosses_no_word(width: int, lines: int) -> None:
    canvas = Canvas("a", width)
    BARS.draw(canvas, 0, 0, width)
    text = canvas.drawn()
    found = [
        tuple(map(float, ends)) for ends in re.findall(r'class="wanted" d="M[\d.]+ ([\d.-]+)L[\d.]+ ([\d.]+)"', text)
    ]
    down = [ends for ends in found if ends[0] != ends[1]]  # the legend has one that lies
    assert len(down) == lines
    words = [float(y) for y in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>(?:3500m|node-)', text)]
    assert len(words) == 6
    if width == 320:
        assert [y for y in words if any(top < y < bottom for top, bottom in down)] == []


def test_a_legend_is_written_to_its_end_in_as_many_lines_as_it_takes() -> None:
    words = "node-a-with-a-long-name and node-b-with-a-long-name are tainted, the last at 60 s"
    entries = [("used", "in use"), ("line wanted", words), ("bad", "gone")]
    wide, narrow = Canvas("a", 1000), Canvas("b", 300)
    assert legend(wide, 0, 0, 1000, entries) == LINE + 4
    height = legend(narrow, 0, 0, 300, entries)
    found = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([^<]*)</text>', narrow.drawn())
    assert " ".join(text for _, text in found) == f"in use {words} gone"
    places = [float(y) for y, _ in found]
    assert len(set(places)) == len(places) == (height - 4) / LINE
