"""``--k8s-version A,B``: the answer under A, and what differs under B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

import click
import msgspec
import typer

from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import LayOut, show
from kplan.cli.progress import ACTIVITY
from kplan.cli.session import Session, open_sessions
from kplan.cli.whatif import Asked, imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.documents import VersionedDocument

AnswerDocument = TypeVar("AnswerDocument", bound="VersionedDocument")


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
        return worst([of(document) for document in (self.document, self.other) if document is not None])

    def end(self, lay_out: LayOut, shown: Shown, of: Callable[[AnswerDocument], ExitCode]) -> NoReturn:
        """Write the answer, as ``show`` does, and end the command with its exit code."""
        show(self.document, self.session, lay_out, shown)
        raise typer.Exit(self.code(of))


Ask = Callable[[Session], AnswerDocument]
"""Answers from a state and rules."""


def imagined(
    session: Session, ask: Ask[AnswerDocument], namespace: str, *, preempt: bool = True, compete: Asked | None = None
) -> tuple[Session, AnswerDocument]:
    """Ask about the state that the what-ifs of the command leave; see ``imagine``. Also give the session of it."""
    after = imagine(session, namespace, preempt=preempt, compete=compete)
    document = ask(after)
    if getattr(document, "what_if", None) == ():  # a check tells the steps in its plan, simulate those it is about
        document = msgspec.structs.replace(document, what_if=after.what_if)
    return after, document


def answered(
    source: Source,
    rules: Rules,
    ask: Ask[AnswerDocument],
    namespace: str,
    *,
    preempt: bool = True,
    compete: Asked | None = None,
) -> Answered[AnswerDocument]:
    """Ask under each version that is named.

    Args:
        source: file, folder or cluster; it is read once.
        rules: with one version or two.
        ask: answers.
        namespace: of names without one in what-ifs.
        preempt: whether what-ifs carry out preemptions.
        compete: see ``imagine``.

    Raises:
        UsageError: two versions would read standard input twice; and as ``open_sessions`` and the question.
    """
    if "," in rules.k8s_version and "-" in _words(click.get_current_context().params):
        hint = "name a file: the manifest is read for each of the two versions"
        raise UsageError(
            f"--k8s-version {rules.k8s_version}: standard input is read once", code="two-readers", hint=hint
        )
    from kplan.course.trial.attempts import Attempts

    first, *rest = open_sessions(source, rules)
    Attempts.tell = ACTIVITY.tell
    with ACTIVITY.stopped_at_once():
        session, document = imagined(first, ask, namespace, preempt=preempt, compete=compete)
        if not rest:
            return Answered(session, document, None)
        from kplan.studies.versions import with_other

        _, other = imagined(rest[0], ask, namespace, preempt=preempt, compete=compete)
    return Answered(session, with_other(document, other), other)


def until_now(session: Session, lay_out: LayOut, shown: Shown) -> Callable[[Callable[[], VersionedDocument]], None]:
    """Give what takes note of how an answer is made of what is done so far: an interrupt writes it as ``show`` does."""

    def known(make: Callable[[], VersionedDocument]) -> None:
        ACTIVITY.known(lambda: show(make(), session, lay_out, shown))

    return known


def _words(given: dict[str, object]) -> list[object]:
    """All values of the options and arguments."""
    return [word for value in given.values() for word in (value if isinstance(value, list | tuple) else [value])]
