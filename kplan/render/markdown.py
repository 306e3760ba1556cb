"""Markdown: the comment on a pull request; what fails first, details folded, never over what a comment may hold.

A check that passes with nothing changed makes no comment: an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kplan.render.alike import NAMES, alike, objects_by_cause
from kplan.render.rows import MAIN, plain, rows
from kplan.render.text.check import WORDS, certain, details, origin_text
from kplan.render.text.rollout import edit_text
from kplan.render.tones import harm
from kplan.result.document_base import Document
from kplan.result.document_check import CheckedObject, CheckResult
from kplan.words import listed

MARKER = "<!-- kplan:check -->"
"""First line of the comment; whoever posts it finds the former one by this."""
ROWS = 20
FINDINGS = 10
LIMIT = 60_000
"""Characters of a comment; GitHub takes 65,536."""
_OUTCOMES = ("result", "fate", "verdict")
_COLUMNS = (
    *("name", "pod", "node", "workload", "from", "to", *_OUTCOMES, "landsOn", "pods", "placed", "pending", "gone"),
    *("running", "more", "count", "budget", "text", "cause", "because.text"),
)
"""What tables show of a list, as far as it has it."""
_UPPER = re.compile("[A-Z]")
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]|~"} | {"<": "&lt;", "&": "&amp;", "\n": " ", "\r": " "})
_MENTION = re.compile(r"@(?=\w)|#(?=\d)")
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_TICKS = re.compile("`+")


def comment(document: CheckResult) -> str:
    """Write the comment; empty where all passes and nothing changed."""
    if silent(document):
        return ""
    head = "\n".join(_lines(document))
    tail = "\n".join(_tail(document))
    room = LIMIT - len(head) - len(tail) - 200
    folded_text = _folded(
        details(document), room, summary="Steps and reasons, node by node", whole="kplan check -o wide shows all"
    )
    return f"{_cut(head, LIMIT - len(tail) - 10)}\n\n{folded_text}{tail}\n"


def silent(document: CheckResult) -> bool:
    """Whether there is nothing to say."""
    changed = any(item.changed for item in document.objects)
    fixed = document.baseline is not None and document.baseline.fixed
    if document.other_version is not None and not document.other_version.same:
        return False
    return document.verdict == "PASSES" and certain(document) and not changed and not fixed


def titled(verdict: str, *, doubted: bool) -> str:
    """The verdict as a title begins with it: one in doubt is none, and says what it would be."""
    return f"IN DOUBT, else {verdict}:" if doubted else f"{verdict},"


def folded(document: Document, text: str) -> str:
    """Write what answers as Markdown, the list it is about as a table, and the whole text below, folded.

    Where nothing is answered that is the text alone.

    Args:
        document: any but a check's, which has a comment of its own.
        text: its text.
    """
    verdict, sentence = getattr(document, "verdict", ""), getattr(document, "sentence", "")
    if not sentence:
        return fenced(_within(text, LIMIT, "-o text shows all"))
    doubts = getattr(document, "doubts", ())
    because, attempt = getattr(document, "because", None), getattr(document, "attempt", "")
    told = [f"**Because** {_text(_short(because.text, 600))}"] if because is not None else []
    told += [f"**Try** {_text(_short(attempt, 600))}"] if attempt else []
    told += [f"**Doubt** {_text(_short(doubt.text, 600))}" for doubt in doubts[:FINDINGS]]
    told += [f"{len(doubts) - FINDINGS} more doubts, below."] if len(doubts) > FINDINGS else []
    title = f"{titled(verdict, doubted=bool(doubts))} " if verdict else ""
    head = f"### kplan: {title}{_text(_short(sentence, 600))}\n\n"
    body = "  \n".join(told) + "\n\n" if told else ""
    body = _cut(body + "".join(f"{line}\n" for line in _main_table(document)), LIMIT - len(head) - 400)
    room = LIMIT - len(head) - len(body) - 200
    return head + body + _folded(text, room, summary="all of it", whole="-o text shows all").rstrip() + "\n"


def _main_table(document: Document) -> Iterator[str]:
    """The list that a document is about, as a table, what fails first; nothing where there is none."""
    whole = plain(document)
    found = rows(whole) if whole["kind"] in MAIN else []
    columns = [column for column in _COLUMNS if any(_filled(row.get(column)) for row in found)]
    if len(columns) < 2:
        return
    found.sort(key=_harm)
    heads = [_head(column) for column in columns]
    told = _folded_rows(found, columns)
    for cells in [heads, ["-"] * len(heads), *(cells for cells, _ in told[:ROWS])]:
        yield f"| {' | '.join(cells)} |"
    yield ""
    if len(told) > ROWS:
        yield f"{sum(number for _, number in told[ROWS:]):,} more, below.\n"


def _folded_rows(found: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[tuple[list[str], int]]:
    """Cells of rows and how many each stands for: where they are many, those that differ in the name alone are one."""
    together: dict[object, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(found):
        same = tuple(str(row.get(column)) for column in columns[1:])
        together.setdefault(same if len(found) > ROWS else number, []).append(row)
    told = []
    for rows_alike in together.values():
        name = listed([_cell(row.get(columns[0])) for row in rows_alike], most=NAMES)
        told.append(([name, *(_cell(rows_alike[0].get(column)) for column in columns[1:])], len(rows_alike)))
    return told


def _harm(row: Mapping[str, Any]) -> tuple[int, bool]:
    """What fails most comes first, and of the same result what has a reason."""
    return harm(str(row.get(column, "")) for column in _OUTCOMES), not _filled(row.get("because.text"))


def _filled(value: Any) -> bool:
    return isinstance(value, str | int) and value not in ("", False)


def _head(column: str) -> str:
    """``lands on`` for ``landsOn``, ``because`` for ``because.text``."""
    return _UPPER.sub(lambda match: f" {match[0].lower()}", column.removesuffix(".text"))


def _cell(value: Any) -> str:
    return _text(_short(f"{value:,}" if isinstance(value, int) else value)) if _filled(value) or value == 0 else "-"


def fenced(text: str) -> str:
    """Put a text in a block that is shown as it is."""
    fence = _fence(text)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def _lines(document: CheckResult) -> Iterator[str]:
    yield MARKER
    yield f"### kplan: {titled(document.verdict, doubted=not certain(document))} {_text(document.sentence)}"
    for part in (_table, _findings, _doubts, _under, _rules, _fixed):
        lines = list(part(document))
        if lines:
            yield ""
            yield from lines


def _table(document: CheckResult) -> Iterator[str]:
    if not document.objects:
        return
    main = document.baseline is not None
    told = [(item, 1) for item in document.objects]
    if len(told) > ROWS:
        told = objects_by_cause(document.objects, document.findings)
    rows = [_row(item, main) for item, _ in told[:ROWS]]
    heads = ["", "workload", "change", "result", *(["on main"] if main else [])]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    for row in [heads, ["-" * width for width in widths], *rows]:
        yield f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
    rest = told[ROWS:]
    if rest:
        failed = sum(number for item, number in rest if item.status == "fail")
        yield ""
        yield f"{sum(number for _, number in rest):,} more, {failed:,} of them {'fails' if failed == 1 else 'fail'}."


def _row(item: CheckedObject, main: bool) -> list[str]:
    cells = [WORDS[item.status], _code(item.object), _text(_short(item.change)), _text(_short(item.result))]
    return [*cells, *([item.on_main or "-"] if main else [])]


def _findings(document: CheckResult) -> Iterator[str]:
    counted, lines = alike(finding for finding in document.findings if finding.counted), []
    for number, group in enumerate(counted[:FINDINGS]):
        finding = group.first
        place = f" ({_code(f'{finding.file}:{finding.line}')})" if finding.line else ""
        lines.append(f"**{'Because' if not number else 'And'}** {_text(_short(finding.text, 600))}{place}")
        lines += [_text(_short(group.likewise, 600))] if group.others else []
        lines += [f"**Try** {_text(_short(finding.attempt, 600))}: tried"] if finding.attempt else []
        lines += [_code(_short(edit_text(edit))) for edit in finding.edits]
    if lines:
        yield "  \n".join(lines)
    if len(counted) > FINDINGS:
        yield ""
        rest = sum(1 + len(group.others) for group in counted[FINDINGS:])
        yield f"{rest:,} more findings that count."


def _doubts(document: CheckResult) -> Iterator[str]:
    told = [doubt for doubt in document.doubts if not doubt.allowed]
    lines = [f"**Doubt** {_text(_short(doubt.text, 600))} (`{doubt.code}`)" for doubt in told[:FINDINGS]]
    lines += [f"{len(told) - FINDINGS} more doubts."] if len(told) > FINDINGS else []
    if lines:
        yield "  \n".join(lines)


def _under(document: CheckResult) -> Iterator[str]:
    """What comes of it under the other version."""
    other = document.other_version
    if other is None:
        return
    if other.same:
        yield f"Under {_text(other.rules)}: the same."
        return
    yield f"**Under {_text(other.rules)}** {other.verdict}, {_text(_short(other.sentence, 600))}"
    for difference in other.differences[:FINDINGS]:
        first, second = _text(_short(difference.first)), _text(_short(difference.second))
        yield f"- {_code(_short(difference.what))}: {first} -> {second}"
    if len(other.differences) > FINDINGS:
        yield f"- {len(other.differences) - FINDINGS:,} more"


def _rules(document: CheckResult) -> Iterator[str]:
    told = []
    for rule in document.rules:
        word = {"ok": "ok", "fail": "**broken**", "main": "not counted"}[rule.status]
        text = f" ({_text(_short(rule.text))})" if rule.text else ""
        told.append(f"{_text(rule.wanted)}: {word}{text}")
    if told:
        yield f"Rules: {'; '.join(told)}."


def _fixed(document: CheckResult) -> Iterator[str]:
    if document.baseline is not None and document.baseline.fixed:
        yield f"No longer wrong: {_text(', '.join(document.baseline.fixed[:FINDINGS]))}."


def _tail(document: CheckResult) -> Iterator[str]:
    yield f"Cluster: {origin_text(document, _code(document.origin.source))}."
    allowed = [doubt.code for doubt in document.doubts if doubt.allowed]
    if allowed:
        yield f"Doubts allowed: {', '.join(allowed)}."
    if document.command:
        yield f"Again: {_code(_short(document.command, 2000))}"


def _folded(text: str, room: int, *, summary: str, whole: str) -> str:
    """Fold a text, as much of it as there is room for."""
    fence = _fence(text)
    body = _within(text, room, whole)
    return f"<details><summary>{summary}</summary>\n\n{fence}text\n{body}\n{fence}\n\n</details>\n\n"


def _within(text: str, room: int, whole: str) -> str:
    """As many lines of a text as there is room for, and where all of it is."""
    lines: list[str] = []
    for line in text.rstrip().splitlines():
        room -= len(line) + 1
        if room < 0:
            lines.append(f"... (cut; {whole})")
            break
        lines.append(line)
    return "\n".join(lines)


def _fence(text: str) -> str:
    """A fence longer than any run of backticks in the text."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(chr(10))[0]}\n"


def _short(text: str, most: int = 200) -> str:
    """A text, or as much of it as there is room for, to the end of a word where that leaves most of it."""
    if len(text) <= most:
        return text
    begun = text[: most - 4]
    words = begun[: max(begun.rfind(" "), 0)].rstrip(" ,;:")
    return f"{words if len(words) * 2 > most else begun} ..."


def _text(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no tag, no link, and nobody and no issue is mentioned by it.

    A link that GitHub makes of an address ends where its own rules say, within an escape as well.
    """
    whole = _MENTION.sub(lambda match: f"{match[0]}&#8203;", text.translate(_SPECIAL))
    return _LINK.sub(lambda match: f"&#{ord(match[0])};", whole)


def _code(text: str) -> str:
    """Text as code; in a table a bar must be escaped even there."""
    fence = _fence(text)[2:] if "`" in text else "`"
    clean = " ".join(text.replace("|", "\\|").split())
    return f"{fence} {clean} {fence}" if "`" in text else f"`{clean}`"
