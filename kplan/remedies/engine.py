"""The engine: candidates are tried one after the other, each by a measure that says what comes of it.

One pod, many pods, manifests as a whole, a drain, a loss and a capacity question differ in what they propose and in
their measure; what is tried, in which order, and when it is enough is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.course.readiness.serving import OwnerOfPods
from kplan.objects.models import PodSpec
from kplan.remedies.candidate import Candidate, Further

T = TypeVar("T")


class Tried(Struct, Generic[T], frozen=True):
    """A candidate that was carried out, and what came of it.

    Attributes:
        candidate: the change; of nodes that are added as many as were found to be needed.
        found: what came of it.
    """

    candidate: Candidate
    found: T


def tried(candidate: Candidate, measured: T | None) -> Tried[T] | None:
    """A candidate with what came of it; None where it could not be carried out."""
    return None if measured is None else Tried(candidate, measured)


class Measure(Struct, Generic[T], frozen=True):
    """What is asked of each candidate.

    Attributes:
        of: carries a candidate out, asks, and takes it back; gives None where it cannot be carried out.
        helps: whether what came of a candidate is what is wanted; by itself nothing is, as another may do more.
        exhausted: whether no more may be tried.
    """

    of: Callable[[Candidate], Tried[T] | None]
    helps: Callable[[T], bool] = lambda measured: False
    exhausted: Callable[[], bool] = lambda: False


class Sifted(Struct, Generic[T]):
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
        return {helped.candidate.code for helped in self.helps}


def sift(candidates: Iterable[Candidate], measure: Measure[T], *, most: int | None = None) -> Sifted[T]:
    """Try each candidate, and part those that help from those that do not.

    Args:
        candidates: smallest first; one that a smaller one which helps makes pointless is not tried.
        measure: what is asked.
        most: of how many that help no more are looked for; None for no limit.
    """
    sifted: Sifted[T] = Sifted()
    for candidate in distinct(candidates):
        if measure.exhausted() or len(sifted.helps) == most:
            break
        if sifted.codes.intersection(candidate.unless):
            continue
        came = None if candidate.empty else measure.of(candidate)
        if came is not None and measure.helps(came.found):
            sifted.helps.append(came)
            continue
        sifted.fails.append(candidate)
        if came is not None:
            sifted.found.append(came)
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
    chosen: Tried[T] | None = None
    for candidate in candidates:
        if measure.exhausted():
            break
        came = measure.of(candidate)
        if came is not None and worth(came.found) > than:
            chosen, than = came, worth(came.found)
            if measure.helps(came.found):
                break
    return chosen


def by_steps(measure: Measure[T]) -> Measure[T]:
    """Ask of a change of a number with one more, and more, until it helps; then for the least number that does.

    What does not help at any number is as it is with one.
    """

    def of(candidate: Candidate) -> Tried[T] | None:
        came = measure.of(candidate)
        if candidate.further is None or (came is not None and measure.helps(came.found)):
            return came
        return _least(candidate.further, measure) or came

    return replace(measure, of=of)


def _least(further: Further, measure: Measure[T]) -> Tried[T] | None:
    """Find the least number that helps, twice as many at a time, then between the last two."""
    few, number, least = 1, 2, None
    while few < further.most and least is None:
        number = min(number, further.most)
        least = _helping(further.of(number), measure)
        few, number = (few, number) if least is not None else (number, number * 2)
    while least is not None and number - few > 1:
        middle = (few + number) // 2
        less = _helping(further.of(middle), measure)
        few, number, least = (few, middle, less) if less is not None else (middle, number, least)
    return least


def _helping(candidate: Candidate, measure: Measure[T]) -> Tried[T] | None:
    came = None if measure.exhausted() else measure.of(candidate)
    return came if came is not None and measure.helps(came.found) else None


def distinct(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Leave out what is there already: candidates of one code that are about the same."""
    seen = set()
    for candidate in candidates:
        key = (candidate.code, candidate.about, tuple(part.about for part in candidate.parts))
        if key not in seen:
            seen.add(key)
            yield candidate


class Fits(Struct, frozen=True):
    """How many of some pods fit.

    Attributes:
        fits: how many.
        total: of how many that were tried.
        few: fewer nodes than are needed for all, and how many fit with them; None where that is not told.
        most: more nodes, with which no more fit; 0 for none.
        untried: how many more pods there are.
        changed: workloads whose pods are changed, where they are several, each with a spec of its pods as it was.
        first: groups and pods that wait, too, and take room of the change.
    """

    fits: int
    total: int
    few: tuple[int, int] | None = None
    most: int = 0
    untried: int = 0
    changed: tuple[tuple[OwnerOfPods, PodSpec], ...] = ()
    first: tuple[str, ...] = ()


class Worse(Struct, frozen=True):
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


class Lands(Struct, frozen=True):
    """How many pods of an object land.

    Attributes:
        name: of the object, as ``deploy/shop/web``.
        landed: how many.
        wanted: of how many.
        done: whether all do, and its rollout does not stall.
        replicas: whether its pods are copies of each other.
        scaled: whether the manifest changes nothing but how many there are.
        worse: what is worse than without the change.
        together: the node that all of them end on though there are others; empty where they are on several.
        serving: fewest pods that serve meanwhile, and of how many; None where that is not told.
    """

    name: str
    landed: int
    wanted: int
    done: bool
    replicas: bool
    scaled: bool
    worse: Worse
    together: str = ""
    serving: tuple[int, int] | None = None
