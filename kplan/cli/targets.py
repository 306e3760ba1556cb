"""``-o FORMAT[=FILE]``: what is written where, several at once, one of them to standard output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kplan.errors import UsageError
from kplan.sources.writing import same_file

FORMATS = (
    "text",
    "wide",
    "json",
    "yaml",
    "csv",
    "markdown",
    "html",
    "junit",
    "sarif",
    "github",
    "codeclimate",
    "name",
    "prometheus",
)
TEMPLATES = {"jsonpath": "'{.verdict}'", "custom-columns": "POD:.pod,NODE:.node"}
"""Formats that go by a template, which stands behind ``=`` where others have a file, and a template of each."""
OF_CHECK = ("junit", "sarif", "github", "codeclimate")
"""Formats that only ``kplan check`` has: they tell of manifests and of what fails."""


@dataclass(frozen=True, slots=True)
class Target:
    """One ``-o``: a format, and a file or standard output; of jsonpath and custom-columns the template."""

    format: str
    file: str = ""
    template: str = ""


_OF_CI = {"gitlab": "codeclimate", "jenkins": "junit", "azure": "junit", "bitbucket": "junit"}
"""Formats that servers of CI read, by the name of the server."""


def targets(given: Sequence[str]) -> list[Target]:
    """Read the values of ``-o``; text on standard output if there are none.

    Raises:
        UsageError: an unknown format, or two for standard output or for one file.
    """
    asked = [_target(text) for text in given] or [Target("text")]
    for target in asked:
        if target.format in TEMPLATES and not target.template:
            hint = f"as -o {target.format}={TEMPLATES[target.format]}"
            raise UsageError(f"-o {target.format}: no template", code="bad-format", hint=hint)
        if target.format not in (*FORMATS, *TEMPLATES):
            known = ", ".join(name for name in (*FORMATS, *TEMPLATES) if name not in OF_CHECK)
            hint = f"one of: {known}; kplan check also has {', '.join(OF_CHECK)}"
            if target.format in _OF_CI:
                hint = f"{target.format.capitalize()} reads -o {_OF_CI[target.format]} of kplan check (docs/ci.md)"
            raise UsageError(f"-o {target.format}: no such format", code="bad-format", hint=hint)
    files = [target.file for target in asked]
    for number, file in enumerate(files):
        if any(same_output(file, other) for other in files[:number]):
            where = file or "standard output"
            hint = f"name another file: -o {asked[number].format}=FILE"
            raise UsageError(f"two outputs on {where}", code="two-outputs", hint=hint)
    return asked


def _target(text: str) -> Target:
    form, _, rest = text.partition("=")
    return Target(form, template=rest) if form in TEMPLATES else Target(form, rest)


def same_output(one: str, other: str) -> bool:
    """Whether two outputs go to one place, by whatever names; a device takes several."""
    return one == other or bool(one and other and same_file(one, other) and not Path(one).is_char_device())
