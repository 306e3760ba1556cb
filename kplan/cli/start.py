"""What is told before anything is imported: the version, the list of commands, and how a word may go on.

The texts are stored: ``make docs`` writes ``data/help.txt`` and ``data/completion.txt`` from the commands themselves
(``kplan/cli/stored.py``), and tests hold both against what the commands say. Whatever is not stored takes the long way.
"""

import os
import sys

from kplan import __version__

VARIABLE = "_KPLAN_COMPLETE"
"""Set by the scripts of shells: ``complete_bash`` or ``bash_complete``."""

_SHOWN = {"bash": "plain,{}", "zsh": "plain\n{}\n{}", "fish": "plain,{}\t{}", "powershell": "plain\n{}\n{}"}
"""How a shell's script reads a name and its help."""

_HELP: tuple[list[str], ...] = ([], ["-h"], ["--help"], ["help"])
_COLUMNS = 80
"""Of a terminal that does not say."""


def at_once(words: list[str]) -> bool:
    """Write the answer to standard output if it is a stored one; tell whether it was.

    Args:
        words: the command line without the program.
    """
    if VARIABLE in os.environ:
        text = _completed()
    elif words == ["--version"]:
        text = f"kplan {__version__}\n"
    else:
        text = _help_of(_columns()) if words in _HELP else None
    return text is not None and _written(text.encode())


def _written(text: bytes) -> bool:
    """Write a text whole; False where standard output takes none, which the long way says in words."""
    if sys.stdout is None:
        return False
    try:
        while text:
            text = text[os.write(sys.stdout.fileno(), text) :]
    except BrokenPipeError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _stored(name: str) -> str:
    """Read a file of ``kplan/data``, out of an archive, too: by the loader of this module, which mypy does not know."""
    here = __file__[: -len("cli/start.py")]
    return __loader__.get_data(f"{here}data/{name}").decode()  # type: ignore[name-defined,no-any-return]


def _columns() -> int:
    """Width of the terminal, as shutil.get_terminal_size tells it, which takes long to import."""
    try:
        columns = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]  # None: caught
        except (AttributeError, ValueError, OSError):
            columns = _COLUMNS
    return columns or _COLUMNS


def _help_of(columns: int) -> str | None:
    """The list of commands as it is laid out at a width; None for a narrow terminal, or where nothing is stored."""
    best = None
    for block in _stored("help.txt").split("\f")[1:]:
        width, _, text = block.partition("\n")
        if columns >= int(width):
            best = text
    return best


def _completed() -> str | None:
    """How the last word of a shell's line may go on; None for what takes a parser."""
    first, _, second = os.environ[VARIABLE].partition("_")
    shell, wanted = (second, first) if first in ("complete", "source") else (first, second)
    os.environ[VARIABLE] = f"{wanted}_{shell}"  # as typer wants it, whichever script asks
    line = os.environ.get("COMP_WORDS", "")
    if wanted != "complete" or shell not in _SHOWN or any(mark in line for mark in "\"'\\"):
        return None
    begun = os.environ.get("COMP_CWORD", "")
    given = line.split()[1:]
    if shell == "fish":  # it gives the word itself, and again at the end of the line
        given = given[:-1] if begun and given[-1:] == [begun] else given
    else:
        try:
            at = int(begun) - 1
        except ValueError:
            return None
        given, begun = given[:at], "".join(given[at : at + 1])
    candidates = _going_on(given, begun)
    return (
        None
        if candidates is None
        else "\n".join(_SHOWN[shell].format(name, text or "_") for name, text in candidates) + "\n"
    )


def _going_on(given: list[str], begun: str) -> list[tuple[str, str]] | None:
    """Names that a word may become, with a line of help each; None where an option's value or a parser is needed.

    Args:
        given: the words between the program and that word.
        begun: what there is of it.
    """
    table = [row.split("\t") for row in _stored("completion.txt").splitlines()]
    path = ""
    below = {name for at, kind, name, _ in table if kind == "command" and not at}
    while given and given[0] in below:
        path = f"{path} {given[0]}".strip()
        given = given[1:]
        below = {name for at, kind, name, _ in table if kind == "command" and at == path}
    if given and below:  # an option of a group, or another name of a command
        return None
    if begun.startswith("-"):  # explain without more explains pods
        whose = "explain pod" if path == "explain" else path
        return _options([row for row in table if row[0] == whose], given, begun)
    mine = [row for row in table if row[0] == path]
    if not below or begun[:1] in ("/", "="):
        return None
    rows = [(name, text) for _, kind, name, text in mine if kind == "command"]
    return [(name, text) for name, text in rows if name.startswith(begun)]


def _options(mine: list[list[str]], given: list[str], begun: str) -> list[tuple[str, str]] | None:
    """Options of one command that are not given yet."""
    kinds = {name: (kind, names) for _, kind, names, _ in mine if kind != "command" for name in names.split()}
    taken, value = set(), False
    for word in given:
        if value or not word.startswith("-"):
            value = False
        elif word not in kinds:
            return None
        else:
            kind, names = kinds[word]
            value = kind in ("value", "values")
            taken.add(names if kind in ("value", "flag") else "")
    if value or "=" in begun:
        return None
    return [
        (name, text)
        for _, kind, names, text in mine
        if kind != "command" and names not in taken
        for name in names.split()
        if name.startswith(begun)
    ]
