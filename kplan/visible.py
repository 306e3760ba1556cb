"""Text from outside made visible: what a terminal, a log or a reader would act on or not see is written out.

A name, label, image or message may hold anything. Control characters (ESC, BEL, line breaks), C1, marks that turn
the direction of text, zero-width and other invisible characters, and halves of surrogate pairs are shown as escapes.
"""

from __future__ import annotations

import re

_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Characters that Unicode calls printable and that nobody sees."""

_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_COMMAND = re.compile(r"(?m)^(\s*):(?=:)|#(?=#(?:vso)?\[)")
_LONGEST_WORD, _SHOWN = 4_000, 200
_LONG = re.compile(rf"\S{{{_LONGEST_WORD},}}")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def is_visible(text: str) -> bool:
    """Tell whether every character of a text is one that is seen and does nothing."""
    return text.isprintable() and (text.isascii() or _UNSEEN.search(text) is None)


def visible(text: str, *, lines: bool = False) -> str:
    r"""Write out what is not seen, or does something: ``\n``, ``\x1b``, ``\u202e``.

    Args:
        text: a text from outside, or one that holds such.
        lines: leave line breaks, for a text of several lines.
    """
    if is_visible(text):
        return text
    return "".join(
        character
        if is_visible(character) or (lines and character == "\n")
        else _NAMED.get(character) or _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def brief(text: str) -> str:
    """Cut what nobody reads: of a word of thousands of characters, all but its beginning."""
    if len(text) <= _LONGEST_WORD:
        return text
    return _LONG.sub(lambda match: f"{match[0][:_SHOWN]}...(+{len(match[0]) - _SHOWN:,} characters)", text)


def without_commands(text: str) -> str:
    r"""Keep a text from giving orders to the CI that logs it: a line that begins ``::`` begins ``\x3a:``.

    GitHub's runners take a line for a command by what it begins with once white space is cut, and ``##[`` anywhere.
    """
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(lambda match: f"{match[1]}\\x3a" if match[1] is not None else r"\x23", text)


_PASSWORD = re.compile(r"(?<=://)([^/@:?#]*):[^/@?#]*@")
_QUERY = re.compile(r"\?[^#]*")


def url_shown(url: str) -> str:
    """Write a URL for people, without the password and the values of a query that may stand in it.

    Source: Go's net/http, client.go stripPassword, for the password.
    """
    return _QUERY.sub("?***", _PASSWORD.sub(r"\1:***@", url), count=1)


_URL = re.compile(r"(https?://)([^\s\"'<>]+)")
_PLACE = re.compile(r"[^:]*(:\d*)?|\[.*\](:\d*)?")


def without_credentials(text: str) -> str:
    """Leave of each URL in a text its place alone: user, password, query and fragment may let somebody in."""
    return _URL.sub(_place, text) if "://" in text else text


def _place(url: re.Match[str]) -> str:
    rest = re.split("[?#]", url[2], maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    if "@" in host:
        host = host.rpartition("@")[2]
    elif "@" in path and not _PLACE.fullmatch(host):  # a slash within a password
        host, slash, path = rest.rpartition("@")[2].partition("/")
    return f"{url[1]}{host}{slash}{path}"
