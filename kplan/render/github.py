"""GitHub: workflow commands, which a job's log turns into annotations at the manifest's file and line.

Format: the commands ``::error file=,line=,col=,title=::message`` that GitHub Actions documents; ``%`` and line ends are
escaped, and ``:`` and ``,`` in properties.
"""

from __future__ import annotations

from collections.abc import Iterator

from kplan.render.alike import Alike, alike, heading_of
from kplan.render.text.rollout import attempt_lines
from kplan.result.document_check import CheckDoubt, CheckResult, Finding
from kplan.words import count

SHOWN = 9
"""Annotations of a level; GitHub shows ten, of which another version's verdict may be one."""


def commands(document: CheckResult) -> str:
    """Write commands: errors for what counts and for doubts, then warnings; a notice tells the verdict, and the rest.

    GitHub shows ten errors and ten warnings a step. What is not counted because it was no better before is the fault
    of no line of this change: it is told as a number.
    """
    lines = [*_lines(document)]
    return "".join(f"{line}\n" for line in lines)


def _lines(document: CheckResult) -> Iterator[str]:
    counted = alike(finding for finding in document.findings if finding.counted)
    warned = alike(finding for finding in document.findings if not finding.counted and not _old(finding))
    held = [doubt for doubt in document.doubts if not doubt.allowed]
    errors = [*map(_finding, counted), *map(_doubt, held)]
    warnings = [*map(_finding, warned)]
    yield from _most(errors)
    yield from _most(warnings)
    other = document.other_version
    if other is not None and not other.same:
        level = "notice" if other.verdict == "PASSES" else "error"
        because = f": {other.because.text}" if other.because is not None else ""
        yield _command(level, {"title": f"kplan under {other.rules}: {other.verdict}"}, f"{other.sentence}{because}")
    title = f"kplan: {f'IN DOUBT, else {document.verdict}' if held else document.verdict}"
    old = sum(not finding.counted and _old(finding) for finding in document.findings)
    more = [
        (old, "old finding", "not counted"),
        (len(errors) - len([*_most(errors)]), "more error", "not shown here"),
        (len(warnings) - len([*_most(warnings)]), "more warning", "not shown here"),
        (len(document.doubts) - len(held), "doubt", "allowed"),
    ]
    told = "".join(f"; {count(number, what)} {why}" for number, what, why in more if number)
    yield _command("notice", {"title": title}, f"{document.sentence}{told}")


def _old(finding: Finding) -> bool:
    """Whether it was as bad before the change."""
    return finding.on_main is not None and finding.amount <= finding.on_main


def _most(commands_made: list[str]) -> list[str]:
    """As many as are shown; errors and warnings have ten each, and one of the errors may be about another version."""
    return commands_made[:SHOWN]


def _finding(group: Alike) -> str:
    finding = group.first
    where: dict[str, str] = {}
    file, line, column = finding.place
    if file:
        where["file"] = file
        where |= {"line": str(line)} if line else {}
        where |= {"col": str(column)} if column else {}
    where["title"] = f"kplan {finding.rule}: {heading_of(finding)}"
    tried = "".join(f"\n{line}" for line in attempt_lines(finding.attempt, finding.edits))
    also = f"\n{group.likewise}" if group.others else ""
    told = f"{finding.text}{also}"
    text = f"{told}{tried}" if finding.counted else f"{told} (not counted: {finding.why_not})"
    return _command("error" if finding.counted else "warning", where, text)


def _doubt(doubt: CheckDoubt) -> str:
    where = {"file": doubt.file, "line": str(max(doubt.line, 1))} if doubt.file else {}
    return _command("error", {**where, "title": f"kplan doubt {doubt.code}"}, doubt.text)


def _command(level: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("##[", "\\x23#[").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
