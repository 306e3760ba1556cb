"""What the words of a remedy are, and the words that several kinds of remedies share."""

from __future__ import annotations

from dataclasses import dataclass

from kplan.remedies.about import NEW_DOMAIN, Amount, NewNode
from kplan.words import amounts, count, joined


@dataclass(frozen=True)
class Words:
    """A remedy in words.

    Attributes:
        text: the change.
        short: the same for one line with what comes of it, where that reads better.
        failed: how it is named where it does not help; as ``text`` if empty.
        note: what else comes of it.
    """

    text: str
    short: str = ""
    failed: str = ""
    note: str = ""


def new_node(what: NewNode) -> str:
    """``one more node like a (4 cpu)``, ``3 more nodes like a, zone b``."""
    number = "one more node" if what.number == 1 else f"{what.number:,} more nodes"
    each = f" in each of {count(what.each[1], what.each[0])}" if what.each is not None else ""
    return f"{number} like {what.like}{_differs(what)}{each}"


def _differs(what: NewNode) -> str:
    if what.size is not None:
        return f" ({amount(what.size)})"
    if what.limit is not None:
        return f" (limit {what.limit})"
    place = [f"another {key}" if value == NEW_DOMAIN else f"{key} {value}" for key, value in what.place]
    sizes = f", with {joined(map(amount, what.sizes))}" if what.sizes else ""
    return (f", {joined(place)}" if place else "") + sizes


def as_is(what: NewNode) -> str:
    """The same where it stands beside others that differ in something; empty where it differs itself."""
    return f"{new_node(what)} as it is" if what.as_is and not _differs(what) else ""


def amount(what: Amount) -> str:
    """``4 cpu``."""
    return f"{amounts(what.resource, what.amount)[0]} {what.resource}"
