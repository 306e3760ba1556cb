"""Commands for other programs name the cluster that was asked about, where options named it.

Pasted as they are, they hit that one and no other.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_COMMANDS = frozenset({"commands", "needs"})
"""Fields of documents that hold commands, to be pasted into a shell."""
_KUBECTL = re.compile(r"""'[^']*'|"[^"]*"|(?:^|(?<=\| )|(?<=&& ))kubectl (?!patch --local )""")
_COMMENT = re.compile(r"  # .*")


def aimed(document: T, where: tuple[str, str]) -> T:
    """Give a document whose commands name a cluster; itself where none was named.

    Args:
        document: structs, mappings, tuples and lists of texts and numbers.
        where: context and kubeconfig, as they were asked for; empty for the current ones.
    """
    named = (("--context", where[0]), ("--kubeconfig", where[1]))
    words = "".join(f" {option} {shlex.quote(value)}" for option, value in named if value)
    made: T = _aimed(document, words, False) if words else document
    return made


def _aimed(value: Any, words: str, is_command: bool) -> Any:
    if isinstance(value, str):
        return _command(value, words) if is_command else value
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        parts = {name: getattr(value, name) for name in names}
        made = {name: _aimed(part, words, name in _COMMANDS) for name, part in parts.items()}
        changed = {name: part for name, part in made.items() if part is not parts[name]}
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple | list):
        made_parts = [_aimed(part, words, is_command) for part in value]
        same = all(made is other for made, other in zip(made_parts, value, strict=True))
        return value if same else type(value)(made_parts)
    if isinstance(value, dict):
        return {key: _aimed(part, words, is_command) for key, part in value.items()}
    return value


def _command(line: str, words: str) -> str:
    """Write a line of a shell so that each kubectl in it, or the kplan that it is, asks the cluster that was named."""
    if line.startswith("kplan "):
        comment = _COMMENT.search(line)
        at = comment.start() if comment else len(line)
        return f"{line[:at]}{words}{line[at:]}"
    return _KUBECTL.sub(lambda match: f"kubectl{words} " if match[0] == "kubectl " else match[0], line)
