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
    for audited_pod in shown:
        _pod(page, audited_pod, wide=style.wide)
    if len(differ) > len(shown):
        page.detail(f"{count(len(differ) - len(shown), 'more pod')} (-o wide, -o json)", LABEL)
    origin(page, document.origin)
    return page.text()


def _pod(page: Page, pod: AuditedPod, *, wide: bool) -> None:
    page.part("Differs", pod.pod)
    if pod.because is not None:
        page.detail(pod.because.text)
    lines = pod.differences if wide else pod.differences[:LINES_SHOWN]
    for line in lines:
        page.detail(line)
    if len(pod.differences) > len(lines):
        page.detail(f"+{len(pod.differences) - len(lines):,} (-o wide)")
    if wide:
        page.detail(f"recorded: {pod.recorded}")
        page.detail(f"kplan: {pod.text or 'it fits'}")
