"""GitHub: workflow commands, which a job's log turns into annotations at the manifest's file and line.

Format: the commands ``::error file=,line=,col=,title=::message`` that GitHub Actions documents; ``%`` and line ends are
escaped, and ``:`` and ``,`` in properties.
"""

from __future__ import annotations

from collections.abc import Iterator

from kplan.render.text.rollout import attempt_lines
from kplan.result.document_check import CheckDoubt, CheckResult, Finding


def commands(document: CheckResult) -> str:
    """Write a command for each finding and doubt: errors for what counts, then warnings and notices."""
    lines = [*_lines(document)]
    return "".join(f"{line}\n" for line in lines)


def _lines(document: CheckResult) -> Iterator[str]:
    for finding in document.findings:
        yield _finding(finding)
    for doubt in document.doubts:
        yield _doubt(doubt)
    other = document.other_version
    if other is not None and not other.same:
        level = "notice" if other.verdict == "PASSES" else "error"
        because = f": {other.because.text}" if other.because is not None else ""
        yield _command(level, {"title": f"kplan under {other.rules}: {other.verdict}"}, f"{other.sentence}{because}")
    title = f"kplan: {document.verdict}{'?' if any(not doubt.allowed for doubt in document.doubts) else ''}"
    yield _command("notice", {"title": title}, document.sentence)


def _finding(finding: Finding) -> str:
    where: dict[str, str] = {}
    file, line, column = finding.place
    if file:
        where["file"] = file
        where |= {"line": str(line)} if line else {}
        where |= {"col": str(column)} if column else {}
    where["title"] = f"kplan {finding.rule}: {finding.object}: {finding.title}"
    tried = "".join(f"\n{line}" for line in attempt_lines(finding.attempt, finding.edits))
    text = f"{finding.text}{tried}" if finding.counted else f"{finding.text} (not counted: {finding.why_not})"
    return _command("error" if finding.counted else "warning", where, text)


def _doubt(doubt: CheckDoubt) -> str:
    level, note = ("notice", " (allowed)") if doubt.allowed else ("error", "")
    return _command(level, {"title": f"kplan doubt {doubt.code}"}, f"{doubt.text}{note}")


def _command(level: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("##[", "\\x23#[").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
