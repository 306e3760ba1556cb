"""What is shown of plugins: what each one's docstring says."""

from __future__ import annotations

from kplan.result.document_base import ApiVersion, Document, Part

HEADINGS = ("What it checks", "Rejects with", "Not modelled", "Source")
"""Headings of a plugin's docstring, in their order."""


class PluginText(Part, frozen=True, kw_only=True):
    """The four headings of a plugin."""

    name: str
    summary: str
    checks: str
    rejects: str
    not_modelled: str
    source: str
    points: tuple[str, ...]


class PluginReference(Document, frozen=True, kw_only=True):
    """Document of ``kplan plugins``."""

    api_version: ApiVersion
    plugins: tuple[PluginText, ...]
