"""Properties of the texts of all commands, in all widths, with all kinds of names."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from kplan.render import markdown, rows
from kplan.render.text.layout import Page
from kplan.render.tones import harm
from kplan.result.document_check import CheckResult
from tests.render.everything import COMMANDS, NAMES, WIDTHS, answer

EVERY = [(names, command) for names in NAMES for command in COMMANDS]
RESULTS = re.compile(r"Pending|Failed|Gated|GONE|FAIL|ok|no|needs|--|refused|waits|[A-Z]{4,}|placed|stays")
BEGINNING = 12
"""Letters by which a name is known that was cut."""


def columns(text: str) -> int:
    """Columns that a text takes: wide letters two, marks that stand on others none."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text
    )


def names_in(value: Any) -> Iterator[str]:
    """Every word of every text of a document."""
    if isinstance(value, str):
        yield from re.split(r"[\s,;:()\"'=]+", value)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *names_in(part))
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


def fits(line: str, width: int) -> bool:
    """Whether a line is no longer than the screen, or holds but one word, or a command that is typed as it is."""
    words = line[9:].split()
    return columns(line) <= width or len(words) < 2 or "kubectl" in words[:1]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("names", "command"), EVERY)
def test_no_line_is_longer_than_the_screen_but_one_of_a_single_name(names: str, command: str, width: int) -> None:
    lines = answer(names, command).text(width).splitlines()
    assert [line for line in lines if not fits(line, width)] == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_at_most_three_lines_of_doubts_stand_before_what_answers(command: str, width: int) -> None:
    lines = answer("cloud", command).text(width).splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("Doubt ")]
    if not starts or starts[0] > 4:
        return
    end = next(i for i in range(starts[0], len(lines)) if not lines[i].startswith(("Doubt ", " " * 9)) or not lines[i])
    assert end - starts[0] <= 3


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("names", "command"), EVERY)
def test_no_name_is_cut(names: str, command: str, width: int) -> None:
    told = answer(names, command)
    known = {word for word in names_in(rows.plain(told.document)) if len(word) > BEGINNING}
    beginnings = {word[:BEGINNING] for word in known}
    words = set(re.split(r"[\s,;:()\"'=]+", told.text(width)))
    cut = [word for word in words if word[:BEGINNING] in beginnings and word not in known]
    whole = {part for word in known for part in re.split(r"[/.-]", word)}
    assert [word for word in cut if not set(re.split(r"[/.-]", word)) <= whole] == []
    assert [word for word in words if re.search(r"[a-z0-9]\.\.[a-z0-9]|^\.\.\w", word)] == []


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_fails_stands_first_in_every_table(command: str, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[tuple[Sequence[str], list[Sequence[str]]]] = []
    write = Page.table

    def table(page: Page, label: str, heads: Sequence[str], cells: Any, *more: Any, **named: Any) -> bool:
        told = [tuple(row) for row in cells]
        tables.append(((label, *heads), told))
        return write(page, label, heads, told, *more, **named)

    monkeypatch.setattr(Page, "table", table)
    answer("short", command).text(120, wide=wide)
    for heads, told in tables:
        if heads[:3] == ("Steps", "#", "new pod") or heads[0] in ("Turns", "Moves"):
            continue  # step by step, turn by turn
        fine = [harm(cell for cell in row if RESULTS.fullmatch(cell)) > 0 for row in told]
        assert fine == sorted(fine), (heads, told)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_fails_stands_first_in_the_table_of_markdown(command: str) -> None:
    document = answer("short", command).document
    text = markdown.comment(document) if isinstance(document, CheckResult) else markdown.folded(document, "")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    told = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    fine = [harm(cell for cell in row if cell.isalpha()) > 0 for row in told]
    assert fine == sorted(fine), lines


@pytest.mark.parametrize("command", COMMANDS)
def test_rows_of_csv_are_those_of_json_one_by_one(command: str) -> None:
    """In the order of the plan, which a script may rely on; a spreadsheet sorts by the column of results."""
    document = rows.plain(answer("short", command).document)
    if document["kind"] not in rows.MAIN:
        return
    listed = rows.rows(document)
    table = list(csv.DictReader(io.StringIO(rows.to_csv(answer("short", command).document))))
    assert [row.get("pod") for row in table] == [row.get("pod") for row in listed]
