"""What comes of a change for more than one pod: how many of some pods fit, how many of an object land."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fits:
    """How many of some pods fit.

    Attributes:
        fits: how many.
        total: of how many that were tried.
        few: fewer nodes than are needed for all, and how many fit with them; None where that is not told.
        most: more nodes, with which no more fit; 0 for none.
        untried: how many more pods there are.
    """

    fits: int
    total: int
    few: tuple[int, int] | None = None
    most: int = 0
    untried: int = 0


@dataclass(frozen=True)
class Worse:
    """What is worse with a change than without.

    Attributes:
        objects: others of the manifests of which fewer pods land: name, how many then, of how many, how many before.
        pushed: pods that waited before and find no node then.
        evicted: how many more pods are evicted.
    """

    objects: tuple[tuple[str, int, int, int], ...] = ()
    pushed: int = 0
    evicted: int = 0

    def __len__(self) -> int:
        """How many things are worse."""
        return len(self.objects) + (self.pushed > 0) + (self.evicted > 0)


@dataclass(frozen=True)
class Lands:
    """How many pods of an object land.

    Attributes:
        name: of the object, as ``deploy/shop/web``.
        landed: how many.
        wanted: of how many.
        done: whether all do, and its rollout does not stall.
        replicas: whether its pods are copies of each other.
        scaled: whether the manifest changes nothing but how many there are.
        worse: what is worse than without the change.
    """

    name: str
    landed: int
    wanted: int
    done: bool
    replicas: bool
    scaled: bool
    worse: Worse
