"""A sweep that is carried out: a bar on a terminal, results in a file, and an interrupt that loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kplan.cli.notes import note, note_now
from kplan.cli.options import of_output
from kplan.cli.progress import ACTIVITY
from kplan.errors import UsageError
from kplan.words import count

if TYPE_CHECKING:
    from kplan.cli.sweep_rules import Opened
    from kplan.result.document_sweep import SweepOutcome
    from kplan.studies.sweep import Workers


@dataclass(frozen=True)
class ResultFile:
    """Options of where results are kept."""

    results: Annotated[str, of_output(metavar="FILE", help="Also write each result as it comes, a line of JSON.")] = ""
    resume: Annotated[str, of_output(metavar="FILE", help="Go on where this file of results ends.")] = ""

    def __post_init__(self) -> None:
        """Refuse two files."""
        if self.results and self.resume:
            hint = "--resume FILE goes on writing to it"
            raise UsageError("--results and --resume name two files", code="two-results", hint=hint)


def carry_out(
    opened: Opened, workers: Workers, kept: ResultFile, so_far: Callable[[list[SweepOutcome]], None]
) -> list[SweepOutcome]:
    """Carry out what is not done yet; return what every scenario came to that is tried.

    Args:
        opened: the sweep.
        workers: who carries it out.
        kept: where results are kept.
        so_far: writes what is done, where it is interrupted.

    Raises:
        UsageError: the file is of another sweep or cannot be written, or there are no workers.
        KeyboardInterrupt: it was interrupted; what is done is on disk, and how to go on is said.
    """
    from kplan.result.document_sweep import INTERNAL_ERROR
    from kplan.studies.sweep import Allowance, digests, sweep
    from kplan.studies.sweep.results import more_results, new_results, read_results, start_of

    grid, total = opened.grid, len(opened.grid)
    allowance = Allowance.of(opened.bench, grid)
    told = digests(opened.bench.base, grid.scenarios())
    start = start_of(told, total, opened.origin.source)
    done: dict[int, SweepOutcome] = {}
    now: dict[int, SweepOutcome] = {}
    with ExitStack() as stack:
        writes: list[Callable[[SweepOutcome], None]] = []
        if kept.resume:
            earlier = read_results(kept.resume, start)
            done |= earlier.outcomes
            if earlier.dropped:
                note_now(f"{kept.resume}: its last line is half written; that scenario is done again")
            note_now(f"{len(done):,} of {count(total, 'scenario')} are done already")
            writes.append(stack.enter_context(more_results(kept.resume, start, earlier)).add)
        elif kept.results:
            writes.append(stack.enter_context(new_results(kept.results, start)).add)
        rest = (scenario for scenario in grid.scenarios() if scenario.number not in done)
        step = stack.enter_context(_bar(total, len(done)))
        try:
            for outcome in sweep(rest, total - len(done), opened.bench, told.base, workers, allowance):
                now[outcome.number] = outcome
                for tell in (*writes, step):
                    tell(outcome)
        except KeyboardInterrupt:
            file = kept.resume or kept.results
            how = f"go on with: --resume {file}" if file else "none is kept: --results FILE keeps them"
            done |= now
            note(f"interrupted; {len(done):,} of {count(total, 'scenario')} are done; {how}")
            if done:
                so_far([done[number] for number in sorted(done)])
            raise
    done |= allowance.tried(now)
    for sweep_outcome in done.values():
        if sweep_outcome.because is not None and sweep_outcome.because.code == INTERNAL_ERROR:
            note(f"{sweep_outcome.name} shows a bug of kplan: please report it: {sweep_outcome.because.text}")
            break
    return [done[number] for number in sorted(done)]


@contextmanager
def _bar(total: int, done: int) -> Iterator[Callable[[SweepOutcome], None]]:
    """Show on a terminal how far it has come, how long it takes, and the worst so far; nothing elsewhere."""
    ACTIVITY.end()
    if not sys.stderr.isatty():
        yield lambda outcome: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from kplan.result.document_sweep import badness

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    worst: list[SweepOutcome] = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("sweeping", total=total, completed=done)

        def step(outcome: SweepOutcome) -> None:
            worst[:] = [min([*worst, outcome], key=badness)]
            told = f"worst: {worst[0].verdict} {worst[0].name}" if worst[0].verdict != "FITS" else "all fit so far"
            progress.update(task, advance=1, description=told)

        yield step
