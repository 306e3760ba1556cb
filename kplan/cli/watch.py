"""What goes on for as long as nobody ends it: answers that follow a cluster, and a snapshot that is kept current."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli.notes import note_now
from kplan.cli.options import Rules, Source
from kplan.cli.progress import ReadingProgress
from kplan.cli.session import Session, make_session
from kplan.cli.source import CURRENT, StateRead, named_file
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.objects.state import ClusterState
    from kplan.result.document import PodExplanation, PodExplanations

    Explained = PodExplanation | PodExplanations

Watch = Annotated[bool, typer.Option("-w", "--watch", help="Answer again whenever the verdict changes.")]
Follow = Annotated[bool, typer.Option("--follow", help="Follow the cluster and keep the file current.")]
For = Annotated[
    float, typer.Option("--for", metavar="SECONDS", help="End --watch, --follow, --every after this long.", min=0)
]

_FOREVER = float("inf")
_LONGEST_WAIT = 60.0
"""How long is waited at once: a signal must find the process awake [seconds]."""


def states(source: Source, seconds: float = 0, *, rest: Callable[[], float] = lambda: 0.0) -> Iterator[ClusterState]:
    """Yield a cluster as it is, and again after each change that scheduling could notice.

    Args:
        source: the cluster.
        seconds: when to end; never if 0.
        rest: how long to let changes gather before the next is yielded [seconds].

    Raises:
        UsageError: the source is no cluster.
        LiveError: the cluster gives no answer, or is gone for a while.
    """
    from kplan.sources.live import follow

    file = named_file(source)
    if file:
        raise UsageError(
            f"{file} is a file, and there is nothing to follow", code="not-live", hint="leave out --watch, --follow"
        )
    until = monotonic() + seconds if seconds else _FOREVER
    progress = ReadingProgress()
    try:
        following = follow(
            source.context, source.kubeconfig, qps=source.qps, burst=source.burst, progress=progress.tell
        )
    finally:
        progress.clear()
    with following:
        yield following.state()
        while (left := until - monotonic()) > 0:
            if following.wait(min(left, _LONGEST_WAIT)):
                end = monotonic() + min(rest(), max(until - monotonic(), 0))
                while (pause := end - monotonic()) > 0:
                    following.wait(pause)
                yield following.state()


def watch(
    source: Source,
    rules: Rules,
    seconds: float,
    ask: Callable[[Session], tuple[Session, Explained]],
    tell: Callable[[Explained, Session], None],
) -> Explained:
    """Answer, and answer again each time that the verdict has become another.

    Args:
        source: the cluster.
        rules: as for ``open_session``.
        seconds: when to end; never if 0.
        ask: answers about a state; also gives the session it answered from.
        tell: shows an answer.

    Returns:
        the last answer that was shown.

    Raises:
        UsageError: the first answer is refused, or the source is no cluster.
        LiveError: the cluster gives no answer, or is gone for a while.
        ConfigError: the rules are refused.
    """
    former: str | None = None  # an answer about no pod at all comes to an empty verdict, and is shown, too
    shown = None
    for state in states(source, seconds):
        state_read = StateRead(
            state, "" if source.context else CURRENT, live=True, where=(source.context, source.kubeconfig)
        )
        try:
            session, document = ask(make_session(state_read, rules, perf_counter()))
        except UsageError as error:
            if shown is None:
                raise
            if former != error.message:
                note_now(f"{state.taken}: {error.message}")
            former = error.message
            continue
        verdict = verdict_of(document)
        if verdict != former:
            if shown is not None:
                note_now(f"{state.taken}: the verdict has changed")
            tell(document, session)
            sys.stdout.flush()
            former, shown = verdict, document
    assert shown is not None
    return shown


def verdict_of(document: Explained) -> str:
    """Name what an answer comes to: a watch shows it again when this changes."""
    from kplan.result.document import PodExplanation

    answers = (document,) if isinstance(document, PodExplanation) else document.answers
    parts = (
        (answer.pod, answer.verdict, answer.node, answer.runs_on, answer.because.code if answer.because else "")
        for answer in answers
    )
    return "; ".join(" ".join(part) for part in parts)
