"""What the API server refuses in numbers: of pods, of seconds, and shares of a whole."""

from collections.abc import Iterator

from kplan.admission.raw import dig
from kplan.admission.refusal import Problem
from kplan.admission.validation.problems import NEGATIVE, invalid
from kplan.objects.formats import percentage
from kplan.objects.whole_numbers import natural
from kplan.sources.fit import Path

_ALL = 100
_LONGEST_DEADLINE = 2**31 - 1


def count_problems(value: object, *fields: str, where: Path = ("spec",)) -> Iterator[Problem]:
    """Check that numbers are not negative."""
    for field in fields:
        number = dig(value, ".".join(map(str, (*where, field))))
        if isinstance(number, int) and number < 0:
            yield invalid((*where, field), number, NEGATIVE)


def deadline_problems(spec: object, path: Path) -> Iterator[Problem]:
    """Check activeDeadlineSeconds, which scheduling does not read.

    Source: ValidatePodSpec in pkg/apis/core/validation/validation.go.
    """
    seconds = dig(spec, "activeDeadlineSeconds")
    if isinstance(seconds, int) and not 1 <= seconds <= _LONGEST_DEADLINE:
        yield invalid(
            (*path, "activeDeadlineSeconds"), seconds, f"must be between 1 and {_LONGEST_DEADLINE}, inclusive"
        )


def given_or(value: object, path: str, default: object) -> object:
    """Follow a path; the default where there is nothing."""
    given = dig(value, path)
    return default if given is None else given


def number_of(value: object) -> int:
    """Read a number or a percentage as the server compares it with nought."""
    if isinstance(value, int):
        return value
    return (natural(value[:-1]) or 0) if isinstance(value, str) else 0


def share_problems(path: Path, **shares: object) -> Iterator[Problem]:
    """Check numbers or percentages: none is negative, none is more than all.

    Source: ValidatePositiveIntOrPercent, IsNotMoreThan100Percent.
    """
    for key, value in shares.items():
        if isinstance(value, str):
            yield from (invalid((*path, key), value, words) for words in percentage(value))
        elif isinstance(value, int) and value < 0:
            yield invalid((*path, key), value, NEGATIVE)
    for key, value in shares.items():
        if isinstance(value, str) and number_of(value) > _ALL:
            yield invalid((*path, key), value, "must not be greater than 100%")
