"""Amounts are written alike by pictures, which Python draws, and by tables, which the page's script makes."""

import random
import re

import pytest

from kplan.render.html import FOLDER
from kplan.render.picture.told import percent, together
from tests.browser import commands
from tests.browser.conftest import Open

SCRIPT = (FOLDER / "script" / "base" / "amounts.js").read_text(encoding="utf-8")
WRITTEN = """([script, rows]) => {
  const [writer, percent] = Function(`${script}; return [writer, percent];`)();
  return rows.map(([resource, numbers]) => resource === "%" ? numbers.map((part) => percent(part / 100))
    : numbers.map(writer(resource, numbers)));
}"""
AMOUNT = re.compile(r"(?<![\w.])[\d,]+(?:\.\d+)?(?:m|%|[KMGT]i)(?!\w)")
"""What has a unit; bare numbers are counts."""
TEXTS = (
    """() => [...document.querySelectorAll("figure.picture svg.wide text:not(.tick)")].map((one) => one.textContent)"""
)
OUTSIDE = """() => {
  const copy = document.querySelector("main").cloneNode(true);
  for (const one of copy.querySelectorAll("figure")) one.remove();
  return copy.textContent;
}"""
"""All that the page says beside its picture."""


def drawn() -> list[tuple[str, list[int]]]:
    """Numbers of all sizes, some of them round."""
    draw = random.Random(122)
    rows = []
    for _ in range(1500):
        resource = draw.choice(["cpu", "memory", "hugepages-2Mi", "ephemeral-storage", "nvidia.com/gpu"])
        unit = draw.choice([1, 10, 1000, 1 << 10, 1 << 20, 1 << 30])
        top = 10 ** draw.randint(1, 6)
        rows.append((resource, [draw.randint(-top // 4, top) * unit for _ in range(draw.randint(1, 5))]))
    rows += [("%", [draw.randint(0, 1400) / 10 for _ in range(5)]) for _ in range(200)]
    return rows


def test_python_writes_amounts_as_the_script_does(opened: Open) -> None:
    rows = drawn()
    window = opened(commands.small("nodes")).page.context.new_page()
    found = window.evaluate(WRITTEN, [SCRIPT, rows])
    wanted = [list(map(percent, numbers)) if name == "%" else together(name, numbers) for name, numbers in rows]
    differ = [(row, a, b) for row, a, b in zip(rows, found, wanted, strict=True) if a != b]
    assert differ == []


@pytest.mark.parametrize("name", ["explain node", "drain, rolling", "explain pod"])
def test_every_amount_of_a_picture_stands_below_it_as_it_is_written(opened: Open, name: str) -> None:
    page = opened(commands.small(name)).page
    shown = [amount for text in page.evaluate(TEXTS) for amount in AMOUNT.findall(text)]
    assert shown
    outside = page.evaluate(OUTSIDE)
    assert [amount for amount in shown if amount not in outside] == []
