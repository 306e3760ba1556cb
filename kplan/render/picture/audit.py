"""``explain --audit``: how many recorded messages are equal, and why the others differ."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.model import Picture
from kplan.render.picture.scale import counts
from kplan.result.document_audit import AuditReport
from kplan.words import count

_MOST = 8


def picture(report: AuditReport) -> Picture | None:
    """Draw an audit; nothing where no pod waits."""
    if not report.audited and not report.unrecorded:
        return None
    order = sorted(report.reasons.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(number for _, number in order[_MOST:])
    rows = [(code.replace("-", " "), number, "differs", Look.BAD) for code, number in order[:_MOST]]
    rows.append(("other reasons", rest, "differs", Look.BAD))
    rows.append(("equal, word for word", report.equal, "equal", Look.GOOD))
    rows.append(("no message recorded", report.unrecorded, "not recorded", Look.NONE))
    bars = tuple(
        Bar(label, (Segment(part, number, look, f"{number:,}"),), count(number, "pod"))
        for label, number, part, look in rows
        if number
    )
    title = "Recorded messages, held against kplan's"
    return Picture(title, report.sentence, (Bars(title, bars, counts("pods")),))
