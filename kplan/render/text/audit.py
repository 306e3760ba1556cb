"""Text of an audit: how many recorded messages are equal, and what differs in the others."""

from __future__ import annotations

from kplan.render.text.layout import LABEL, Page
from kplan.render.text.shared import headline, origin
from kplan.render.text.style import Style
from kplan.result.document_audit import AuditedPod, AuditReport
from kplan.words import count

PODS_SHOWN = 6
LINES_SHOWN = 4


def audit_report(document: AuditReport, style: Style) -> str:
    """Lay out an audit."""
    page = style.page()
    headline(page, document)
    if style.quiet:
        return page.text()
    page.blank()
    differ = [pod for pod in document.pods if not pod.equal]
    shown = differ if style.wide else differ[:PODS_SHOWN]
    for one in shown:
        _pod(page, one, wide=style.wide)
    if len(differ) > len(shown):
        page.detail(f"{count(len(differ) - len(shown), 'more pod')} (-o wide, -o json)", LABEL)
    origin(page, document.origin)
    return page.text()


def _pod(page: Page, one: AuditedPod, *, wide: bool) -> None:
    page.part("Differs", one.pod)
    if one.because is not None:
        page.detail(one.because.text)
    lines = one.differences if wide else one.differences[:LINES_SHOWN]
    for line in lines:
        page.detail(line)
    if len(one.differences) > len(lines):
        page.detail(f"+{len(one.differences) - len(lines):,} (-o wide)")
    if wide:
        page.detail(f"recorded: {one.recorded}")
        page.detail(f"kplan: {one.text or 'it fits'}")
