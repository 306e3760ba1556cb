"""What an API server answers when it refuses an object, or fields of it."""

from collections import Counter

from msgspec import Struct, field

from kplan.objects.models import PersistentVolumeClaim
from kplan.sources.fit import Path


class Key(str):
    """A key of a map whose keys are names (resources), written in brackets."""

    __slots__ = ()


class Problem(Struct, frozen=True):
    """One field that the API server refuses.

    Attributes:
        path: keys and indexes from the root of the object.
        body: what is wrong, without the field.
        place: where it is written, if the server calls it by another path.
        hint: what to write instead; empty for nothing known.
    """

    path: Path
    body: str
    place: Path = ()
    hint: str = ""

    def __str__(self) -> str:
        return f"{written(self.path)}: {self.body}"

    def under(self, *steps: str | int) -> "Problem":
        """Put the place of an inner object before its path."""
        return Problem((*steps, *self.path), self.body, (*steps, *self.place) if self.place else (), self.hint)

    def written_at(self, place: Path) -> "Problem":
        """Say where it is written."""
        return Problem(self.path, self.body, place, self.hint)


def written(path: Path) -> str:
    """Write a path as the API server does: ``spec.containers[0].resources.limits[example.com/gpu]``.

    Source: Path.String in apimachinery v0.37.2 pkg/util/validation/field/path.go.
    """
    steps = (f"[{step}]" if isinstance(step, int | Key) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


class AdmissionRefusal(Exception):
    """An object that the API server would refuse; never leaves the package.

    Attributes:
        message: the server's own words, without the object's name.
        problems: the fields that are wrong; empty where it is not a field that is refused.
        by_quota: whether a quota refuses it.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = (), *, by_quota: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.problems = problems
        self.by_quota = by_quota


class Refusals(Struct):
    """Refused pods of one workload, folded by message.

    Attributes:
        counts: pods by message.
        first: what is said of the first pod of each.
        refusals: the first of each message.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, AdmissionRefusal] = field(default_factory=dict)

    def add(self, refusal: AdmissionRefusal, told: str) -> None:
        """Take one, and what is said of its pod."""
        self.counts[refusal.message] += 1
        self.first.setdefault(refusal.message, told)
        self.refusals.setdefault(refusal.message, refusal)


def claim_refusal(claim: PersistentVolumeClaim, refusal: AdmissionRefusal) -> str:
    """Say of a claim that it is refused, as the server does."""
    return f'persistentvolumeclaims "{claim.name}" is forbidden: {refusal.message}'
