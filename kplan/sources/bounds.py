"""How much one file may hold: more than any of a real cluster, less than what would keep kplan busy for minutes.

What one object may hold stands in ``objects.limits``.
"""

from __future__ import annotations

from typing import Protocol

from kplan.errors import SourceError
from kplan.sources.counting import count_of

_COUNTED = 1 << 19
"""Length of an object whose values are counted [bytes]."""

LARGEST_OBJECT = 8 << 20
"""Length of one object in JSON [bytes]; etcd takes 1.5 MiB of its own, denser form."""

MOST_VALUES = 1_000_000
"""Values of one file, as far as commas, brackets and line breaks tell; of a larger file, one in four bytes.

A file of 100 MB as kubectl writes it has some 4 million. Each takes a hundred bytes in memory, whatever it takes in the
file.
"""

HEAVIEST = 3.5
"""Times their text that all objects together may take in memory; beside them the text of YAML stays there.

As kubectl writes them it is a third of that. A cluster that a program wrote with nothing but what scheduling reads
takes some two to three times its text, as equal parts are held once and there is no room for what is not written; where
each pod has requests of its own, it takes 530 bytes for 190.
"""

LEAST_WEIGHT = 32 << 20
"""What objects may take in memory of however short a text [bytes]."""

MOST_DOCUMENTS = 300_000
"""Documents of one file; lists may hold more."""

MOST_PARTS = 250_000
"""Values of one object; one that an API server takes has a tenth at most."""

MOST_BROKEN = 20_000
"""Objects that may be broken; each is told of."""

MOST_UNKNOWN = 10_000
"""Kinds of objects that are not read; a cluster has a few hundred."""

MOST_OF_MANIFESTS = 25 << 20
"""Length of all manifests of one question [bytes]; they are held in memory as dicts and lists."""


MOST_OBJECTS = 10_000
"""Objects in all manifests of one question; each pod of them is planned by itself, one after another."""


class Sized(Protocol):
    """What can be asked how large it is."""

    def size(self) -> int:
        """Bytes of its text."""

    def parts(self) -> int:
        """How many values it has, in maps and lists of it, too."""


def check_values(data: bytes, file: str) -> None:
    """Refuse a file of far more values than any of its size that Kubernetes writes.

    Raises:
        SourceError: always then.
    """
    most = max(MOST_VALUES, len(data) // 4)
    if len(data) <= most:
        return
    is_json = data.lstrip(b" \t\r\n")[:1] in (b"{", b"[") if data[:1].isspace() else data[:1] in (b"{", b"[")
    if count_of(data, b",[{" if is_json else b",[{\n") > most:
        raise SourceError(
            f"more than {most:,} values, the most that kplan reads from a file of {len(data):,} bytes",
            file=file,
            code="too-many",
            hint="is it the right file?",
        )


def check_count(number: int, most: int, what: str, file: str) -> None:
    """Refuse a file of more of something than any of a real cluster has.

    Raises:
        SourceError: always then.
    """
    if number > most:
        raise SourceError(
            f"more than {most:,} {what}, the most that are read",
            file=file,
            code="too-many",
            hint="is it the right file?",
        )


def too_large(node: Sized) -> str:
    """Say that an object is larger than any that a cluster holds; empty for all others."""
    size = node.size()
    if size > LARGEST_OBJECT:
        return f"an object of {size:,} bytes, and {LARGEST_OBJECT:,} is the most that kplan reads"
    if size > _COUNTED and (parts := node.parts()) > MOST_PARTS:
        return f"an object of {parts:,} values, and {MOST_PARTS:,} is the most that kplan reads"
    return ""
