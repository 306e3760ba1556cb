"""What is shown of plugins: what each one's docstring says."""

from __future__ import annotations

from kplan.result.document_base import ApiVersion, Document, Part

HEADINGS = ("What it checks", "Rejects with", "Not modelled", "Source")
"""Headings of a plugin's docstring, in their order."""


class PluginText(Part, frozen=True, kw_only=True):
    """The four headings of a plugin.

    Attributes:
        name: as in KubeSchedulerConfiguration.
        summary: what it is, in a line.
        checks: what it looks at.
        rejects: texts that it refuses with.
        not_modelled: what kplan leaves out.
        source: where its rules stand.
        points: extension points at which the default profile runs it; of an old one, those that it has.
        old: whether it is gone from today's schedulers, and a Policy alone asks for it.
    """

    name: str
    summary: str
    checks: str
    rejects: str
    not_modelled: str
    source: str
    points: tuple[str, ...]
    old: bool = False


class PluginReference(Document, frozen=True, kw_only=True):
    """Document of ``kplan plugins``."""

    api_version: ApiVersion
    plugins: tuple[PluginText, ...]
