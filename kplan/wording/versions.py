"""Words of an answer under two versions: what of it is told side by side."""

from __future__ import annotations

GOES = "goes to"
CAN_GO = "can go"


def refused(reason: str) -> str:
    """A group of nodes that refuse the pod."""
    return f"refused: {reason}"


def score(node: str) -> str:
    """The score of a node."""
    return f"score of {node}"


def remedy(change: str) -> str:
    """A change that helps."""
    return f"remedy: {change}"


def placed_again(placed: int, pods: int) -> str:
    """How many of the pods of a loss have a node again."""
    return f"{placed} of {pods} placed again"


def lands(node: str, evicts: int) -> str:
    """Where a pod goes, and how many it evicts there."""
    return f"{node}{f', evicts {evicts}' if evicts else ''}"


def more(number: int) -> str:
    """How many more fit on a node."""
    return f"{number:,} more"


def other_rules(version: str, how: str) -> str:
    """Say that the rules are not those of a version, which kplan does not know, and how that version is known."""
    return f"{version}, {how}, is not modelled"
