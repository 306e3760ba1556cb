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


class LandingSide(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Where a pod lands on one side of a comparison.

    Attributes:
        examined: nodes that are looked at.
        of: nodes in question.
        node: the likeliest.
        share: how often it is taken.
        nodes: how many may be taken.
    """

    examined: int
    of: int
    node: str
    share: float
    nodes: int


class DiffLanding(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A pod that lands elsewhere in some cases, as another number of nodes is looked at.

    Attributes:
        pod: ``namespace/name``, the first of those that are alike.
        owner: its controller, in words.
        alike: how many there are of it.
        evicts: whether it is about the node to evict on.
        moved: in which part of all cases it is elsewhere, at least.
        a: on side A.
        b: on side B.
        text: in words.
    """

    pod: str
    owner: str
    alike: int
    evicts: bool
    moved: float
    a: LandingSide
    b: LandingSide
    text: str
