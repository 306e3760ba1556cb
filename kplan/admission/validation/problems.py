"""What is wrong with a field, in the words of the API server.

Source: Error.ErrorBody in apimachinery v0.37.2 pkg/util/validation/field/errors.go.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from kplan.sources.fit import Path

NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"


class Key(str):
    """A key of a map whose keys are names (resources), written in brackets."""

    __slots__ = ()


class Fields(dict[str, object]):
    """What the server shows as a struct: in the order of its fields, where a map is shown in that of its keys."""


@dataclass(frozen=True, slots=True)
class Problem:
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


def required(path: Path, detail: str = "") -> Problem:
    """Say that a field is missing."""
    return Problem(path, _with("Required value", detail))


def invalid(path: Path, value: object, detail: str) -> Problem:
    """Say that a value is not acceptable."""
    return Problem(path, _with(f"Invalid value: {_shown(value)}", detail))


def unsupported(path: Path, value: object, supported: Iterable[str]) -> Problem:
    """Say that a value is not one of a few."""
    known = ", ".join(f'"{word}"' for word in supported)
    return Problem(path, f"Unsupported value: {_shown(value)}: supported values: {known}")


def duplicate(path: Path, value: object) -> Problem:
    """Say that a value is there twice."""
    return Problem(path, f"Duplicate value: {_shown(value)}")


def forbidden(path: Path, detail: str) -> Problem:
    """Say that a field may not be there."""
    return Problem(path, _with("Forbidden", detail))


def not_found(path: Path, value: object, detail: str = "") -> Problem:
    """Say that what a value names is not there."""
    return Problem(path, _with(f"Not found: {_shown(value)}", detail))


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def _shown(value: object) -> str:
    in_order = not isinstance(value, Fields)
    return json.dumps(value, separators=(",", ":"), sort_keys=in_order, ensure_ascii=False)
