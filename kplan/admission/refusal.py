"""What an API server answers when it refuses an object."""

from collections import Counter
from dataclasses import dataclass, field

from kplan.admission.validation.problems import Problem
from kplan.objects.models import PersistentVolumeClaim


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


@dataclass(slots=True)
class Refusals:
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
