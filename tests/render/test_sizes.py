"""Markdown fits a comment of a pull request, however large the answer: every list of 5,000 entries, every name long."""

from typing import Any

import msgspec
import pytest

from kplan.render import markdown, rows
from kplan.result.document_base import API_VERSION
from kplan.result.document_check import CheckResult
from kplan.result.document_plugins import PluginReference
from tests.render.everything import COMMANDS, answer

GITHUB_TAKES = 65_536
"""Characters of a comment."""
MANY = 5_000
NAMED = {
    *("pod", "node", "name", "object", "workload", "owner", "from", "to", "budget", "home", "place", "file"),
    *("text", "sentence", "try", "attempt", "because", "title", "likewise", "command", "source"),
}
"""Fields that may hold anything that somebody named, or a sentence about it."""


def long(value: Any, key: str = "") -> Any:
    """The same with every name and sentence as long as names of pods and nodes are at most, and escaped in Markdown."""
    if isinstance(value, dict):
        return {name: long(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [long(part) for part in value]
    return f"{value}-{'_*' * 160}" if isinstance(value, str) and key in NAMED and value else value


def large(document: Any) -> Any:
    """A document with thousands of entries in each of its lists."""
    whole = {
        key: (value * MANY)[:MANY] if isinstance(value, list) else value
        for key, value in long(rows.plain(document)).items()
    }
    return msgspec.convert(whole, type(document))


@pytest.mark.parametrize("command", COMMANDS)
def test_markdown_of_5000_entries_is_within_what_github_takes(command: str) -> None:
    document = large(answer("short", command).document)
    text = "x" * 80 + "\n"
    made = markdown.comment(document) if isinstance(document, CheckResult) else markdown.folded(document, text * MANY)
    assert len(made) <= GITHUB_TAKES
    if command != "config":  # has no sentence, and nothing to fold
        assert made.startswith(("### kplan", "<!-- kplan:check -->"))
        assert made.count("<details>") == made.count("</details>") == 1


def test_what_has_no_sentence_is_cut_as_well() -> None:
    made = markdown.folded(PluginReference(api_version=API_VERSION, plugins=()), "x" * 80 + "\n" + "y" * 70_000)
    assert made == f"```text\n{'x' * 80}\n... (cut; -o text shows all)\n```\n"
