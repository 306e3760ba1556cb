"""Options before the command, as with kubectl: ``kplan -n shop explain pod web`` is as good as at its end."""

from __future__ import annotations

from kplan.cli.app import COMMANDS, Grouped, command_of
from kplan.cli.command import AliasedGroup

_VALUED = ("--snapshot", "--context", "--kubeconfig", "-n", "--namespace", "--k8s-version", "--color")
_SWITCHES = ("--debug", "--no-cache")
_ASKED = ("--snapshot", "--k8s-version", "--debug")
"""Those that a command must have: what it would answer without them was not asked."""
_HELP = ("-h", "--help", "--version")


def globals_last(words: list[str]) -> list[str]:
    """Move options that stand before the command behind it, and read ``help drain`` as ``drain --help``.

    As with kubectl, a command that has no such option goes without it, unless its answer would hang on it; and help is
    help, whatever stands before.
    """
    given: list[list[str]] = []
    at = 0
    while at < len(words):
        name, equals, _ = words[at].partition("=")
        if name not in (*_VALUED, *_SWITCHES):
            break
        after = at + (2 if name in _VALUED and not equals else 1)
        given.append(words[at:after])
        at = after
    rest = words[at:]
    if rest[:1] == ["help"]:  # as kubectl help drain
        return [*rest[1:], "--help"]
    if not rest or rest[0] in _HELP:
        return rest
    has = _options_of(rest)
    kept = [
        word for option in given if (name := option[0].partition("=")[0]) in has or name in _ASKED for word in option
    ]
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *kept, *rest[end:]]


def _options_of(words: list[str]) -> set[str]:
    """Names of the options of the command that a line begins with; none if it begins with none."""
    name = Grouped.aliases.get(words[0], words[0])
    if name not in COMMANDS:
        return set()
    command = command_of(name)
    if isinstance(command, AliasedGroup):  # its first command is meant where none is named
        kind = words[1].partition("/")[0] if words[1:] else ""
        below = list(command.commands.values())
        command = command.commands.get(command.aliases.get(kind, kind), below[0])
    return {option for param in command.params for option in param.opts}
