"""Documents: how often a pod lands on which node, where that is not certain."""

from __future__ import annotations

from kplan.result.document_base import Part


class LandingNode(Part, frozen=True, kw_only=True):
    """A node and how often it is taken, from 0 to 1."""

    node: str
    share: float


class LandingOthers(Part, frozen=True, kw_only=True):
    """Nodes that are not named, and how often one of them is taken.

    Attributes:
        count: nodes.
        share: of all of them together.
        labels: values of labels that they share and no other node has.
    """

    count: int
    share: float
    labels: tuple[str, ...] = ()


class Landing(Part, frozen=True, kw_only=True):
    """How often each node is taken: the scheduler looks at some of them alone, and draws among equals.

    Attributes:
        examined: how many of the nodes in question it looks at (percentageOfNodesToScore, minCandidateNodes*).
        of: how many there are: nodes that fit, or nodes on which evictions help.
        nodes: the likeliest.
        others: all others that may be taken; None for none.
        text: in words, where not all are looked at; empty for a tie alone.
    """

    examined: int
    of: int
    nodes: tuple[LandingNode, ...]
    others: LandingOthers | None = None
    text: str = ""
