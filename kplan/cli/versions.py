"""``--k8s-version A,B``: the answer under A, and what differs under B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

import click
import typer

from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import LayOut, show
from kplan.cli.session import Session, open_sessions
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document import PodExplanation, PodExplanations
    from kplan.result.document_capacity import CapacityReport
    from kplan.result.document_check import CheckResult
    from kplan.result.document_drain import DrainPlan
    from kplan.result.document_fail import FailReport
    from kplan.result.document_moves import MovesPlan
    from kplan.result.document_pack import PackPlan
    from kplan.result.document_plan import SimulationPlan

AnswerDocument = TypeVar(
    "AnswerDocument",
    "PodExplanation | PodExplanations",
    "SimulationPlan",
    "CheckResult",
    "CapacityReport",
    "DrainPlan",
    "FailReport",
    "MovesPlan",
    "PackPlan",
)


@dataclass(frozen=True)
class Answered(Generic[AnswerDocument]):
    """An answer under one version, or two.

    Attributes:
        session: what the first was answered from.
        document: the answer, with what differs under the other version where there is one.
        other: the answer under that one; None where there is none.
    """

    session: Session
    document: AnswerDocument
    other: AnswerDocument | None

    def code(self, of: Callable[[AnswerDocument], ExitCode]) -> ExitCode:
        """The exit code: of two answers the worse one's."""
        return worst([of(one) for one in (self.document, self.other) if one is not None])

    def end(
        self, lay_out: LayOut, shown: Shown, of: Callable[[AnswerDocument], ExitCode], *, timings: bool
    ) -> NoReturn:
        """Write the answer, as ``show`` does, and end the command with its exit code."""
        show(self.document, self.session, lay_out, shown, timings=timings)
        raise typer.Exit(self.code(of))


def answered(
    source: Source, rules: Rules, ask: Callable[[Session], tuple[Session, AnswerDocument]]
) -> Answered[AnswerDocument]:
    """Ask under each version that is named.

    Args:
        source: file, folder or cluster; it is read once.
        rules: with one version or two.
        ask: answers from a state and rules; also gives the session it answered from.

    Raises:
        UsageError: two versions would read standard input twice; and as ``open_sessions`` and the question.
    """
    if "," in rules.k8s_version and "-" in _words(click.get_current_context().params):
        hint = "name a file: the manifest is read for each of the two versions"
        raise UsageError(
            f"--k8s-version {rules.k8s_version}: standard input is read once", code="two-readers", hint=hint
        )
    first, *rest = open_sessions(source, rules)
    session, document = ask(first)
    if not rest:
        return Answered(session, document, None)
    from kplan.studies.versions import with_other

    _, other = ask(rest[0])
    return Answered(session, with_other(document, other), other)


def _words(given: dict[str, object]) -> list[object]:
    """All values of the options and arguments."""
    return [word for value in given.values() for word in (value if isinstance(value, list | tuple) else [value])]
