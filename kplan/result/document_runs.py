"""Documents: what becomes of a plan over many runs of a live scheduler."""

from __future__ import annotations

from kplan.result.document_base import Part


class Spread(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A number over all runs."""

    minimum: int
    median: int
    maximum: int


class AtRisk(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A pod that some runs place and others do not.

    Attributes:
        pod: ``namespace/name``.
        owner: its controller, in words.
        placed: in how many runs it is placed.
        share: the same as a part of all.
    """

    pod: str
    owner: str
    placed: int
    share: float


class Runs(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The spread of a plan.

    Attributes:
        runs: how many were made.
        seed: of the first; each of the others has the next.
        pods: how many were tried.
        placed: how many of them have a node in the end.
        evicted: how many pods are evicted.
        at_risk: pods that some runs place and others do not, those first that are placed least often.
        text: the counts in words.
        risks: pods at risk in words, by owner, a line each.
    """

    runs: int
    seed: int
    pods: int
    placed: Spread
    evicted: Spread
    at_risk: tuple[AtRisk, ...] = ()
    text: str = ""
    risks: tuple[str, ...] = ()
