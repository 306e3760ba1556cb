"""An answer about one pod, with what answers about pods like it are made from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from kplan.result.document import Answer
from kplan.result.document_base import Cause


@dataclass(frozen=True, slots=True)
class Explained:
    """An answer with more than the document has of it.

    Attributes:
        answer: the answer.
        says: its sentence, without the pod that it begins with.
        shape: what pods have in common, beside the verdict and the code, whose cause is told once.
        cause: the cause in words that are true of all of them; None where there is none.
    """

    answer: Answer
    says: str
    shape: Hashable = None
    cause: Cause | None = None
