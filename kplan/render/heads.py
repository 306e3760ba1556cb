"""THE table of heads of columns, by what they tell: text and page call a number by one word."""

HEADS = {
    "scale": "0     100%",
    "used": "used",
    "requested": "requested",
    "allocatable": "of",
    "free": "free",
    "closed": "closed",
    "largest": "largest",
    "fragmented": "unusable",
    "spread": "imbalance",
    "devices": "devices",
    "tainted": "tainted",
    "blocked": "blocked",
    "pieces": "free on nodes",
    "pods": "pods",
    "nodes": "nodes",
    "placed": "replaced",
    "pending": "Pending",
    "gone": "GONE",
    "evicted": "evicts",
    "verdict": "verdict",
    "because": "because",
}
MEANINGS = (
    "free: on nodes that take pods; closed: on those that do not; largest: the most on one node",
    "unusable: of what is free, the share that the pods of this cluster could not use where it lies",
    "imbalance: standard deviation of used between nodes, in percentage points",
)
"""What heads mean that do not speak for themselves."""


def heads_of(*facts: str) -> list[str]:
    """Heads of columns that tell these facts; an empty name gives an empty head."""
    return [HEADS[fact] if fact else "" for fact in facts]
