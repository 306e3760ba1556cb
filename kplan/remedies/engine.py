"""The engine: candidates are tried one after the other, each by a measure that says what comes of it.

One pod, many pods, manifests as a whole, a drain, a loss and a capacity question differ in what they propose and in
their measure; what is tried, in which order, and when it is enough is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from kplan.remedies.candidate import Candidate

T = TypeVar("T")


@dataclass(frozen=True)
class Tried(Generic[T]):
    """A candidate that was carried out, and what came of it.

    Attributes:
        candidate: the change; of nodes that are added as many as were found to be needed.
        found: what came of it.
    """

    candidate: Candidate
    found: T


class Measure(Protocol[T]):
    """What is asked of each candidate."""

    @property
    def exhausted(self) -> bool:
        """Whether no more may be tried."""

    def of(self, candidate: Candidate) -> Tried[T] | None:
        """Carry a candidate out, ask, and take it back; None where it cannot be carried out."""

    def helps(self, found: T) -> bool:
        """Whether what came of a candidate is what is wanted."""


@dataclass
class Sifted(Generic[T]):
    """Candidates that were tried.

    Attributes:
        helps: those that help, in the order in which they were tried.
        fails: those that do not.
        found: what came of those that do not help and could be carried out.
    """

    helps: list[Tried[T]] = field(default_factory=list)
    fails: list[Candidate] = field(default_factory=list)
    found: list[Tried[T]] = field(default_factory=list)

    @property
    def codes(self) -> set[str]:
        """Codes of those that help."""
        return {one.candidate.code for one in self.helps}


def sift(candidates: Iterable[Candidate], measure: Measure[T], *, most: int | None = None) -> Sifted[T]:
    """Try each candidate, and part those that help from those that do not.

    Args:
        candidates: smallest first; one that a smaller one which helps makes pointless is not tried.
        measure: what is asked.
        most: of how many that help no more are looked for; None for no limit.
    """
    sifted: Sifted[T] = Sifted()
    for candidate in distinct(candidates):
        if measure.exhausted or len(sifted.helps) == most:
            break
        if sifted.codes.intersection(candidate.unless):
            continue
        tried = None if candidate.empty else measure.of(candidate)
        if tried is not None and measure.helps(tried.found):
            sifted.helps.append(tried)
            continue
        sifted.fails.append(candidate)
        if tried is not None:
            sifted.found.append(tried)
    return sifted


def best(
    candidates: Iterable[Candidate], measure: Measure[T], worth: Callable[[T], tuple[int, ...]], than: tuple[int, ...]
) -> Tried[T] | None:
    """Try candidates until one helps, and choose the best; None where nothing is better than things are.

    Args:
        candidates: smallest first.
        measure: what is asked.
        worth: how good what came of a candidate is; of equals the first is chosen.
        than: how good it has to be at least, and better.
    """
    found: Tried[T] | None = None
    for candidate in candidates:
        tried = measure.of(candidate)
        if tried is not None and worth(tried.found) > than:
            found, than = tried, worth(tried.found)
            if measure.helps(tried.found):
                break
    return found


def distinct(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Leave out what is there already: candidates of one code that are about the same."""
    seen = set()
    for candidate in candidates:
        key = (candidate.code, candidate.about, tuple(part.about for part in candidate.parts))
        if key not in seen:
            seen.add(key)
            yield candidate
