"""What an API server answers when it refuses an object."""

from collections import Counter
from dataclasses import dataclass, field

from kplan.admission.validation.problems import Problem
from kplan.objects.models import PersistentVolumeClaim


class Refusal(Exception):
    """An object that the API server would refuse; never leaves the package.

    Attributes:
        message: the server's own words, without the object's name.
        problems: the fields that are wrong; empty where it is not a field that is refused.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.problems = problems


@dataclass(slots=True)
class Refusals:
    """Refused pods of one workload, folded by message."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)

    def add(self, message: str, pod: str, problems: tuple[Problem, ...] = ()) -> None:
        """Take one; of equal messages the first pod is named."""
        self.counts[message] += 1
        self.first.setdefault(message, pod)
        self.problems.setdefault(message, problems)


def claim_refusal(claim: PersistentVolumeClaim, refusal: Refusal) -> str:
    """Say of a claim that it is refused, as the server does."""
    return f'persistentvolumeclaims "{claim.name}" is forbidden: {refusal.message}'
