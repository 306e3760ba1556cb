"""The flow of ``kplan bind``: plan, show, ask, write, and plan again what was held back.

How a person is shown things and asked is the caller's; what may follow on what is decided here.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable
from time import monotonic, strftime
from typing import Protocol

import msgspec

from kplan.bind.flags import Flags
from kplan.bind.plan.command import CommandLine
from kplan.bind.plan.document import attempt_of, refusal
from kplan.bind.plan.file import load_plan, plan_of, save_plan
from kplan.bind.plan.guards import WATCH
from kplan.bind.plan.kept import again_words, made_whole, to_keep
from kplan.bind.plan.manifests import created_resources, read_manifests
from kplan.bind.plan.rights import Needs, cluster_role, granular, nominates
from kplan.bind.plan.targets import Targets
from kplan.bind.run.journal import Journal, not_there
from kplan.bind.run.record import JournalRecord, read_journal
from kplan.bind.run.results import again, left_to_plan, merged
from kplan.bind.wire.resources import PODS
from kplan.bind.workbench import Workbench
from kplan.errors import BindError, KplanError, UsageError
from kplan.framework.features import Features
from kplan.result.document_bind import BindPlan, BindResult
from kplan.words import count

_REPLANS = 5
"""How often what was held back is planned again."""

OpenBench = Callable[[Flags], Workbench]
"""Reads the cluster, or the snapshot that is spelled out."""


class Person(Protocol):
    """Whoever runs the command."""

    def show(self, plan: BindPlan) -> None:
        """Show a plan before a question about it."""

    def agrees(self, plan: BindPlan, lead: str) -> bool:
        """Ask whether it is to be written; ``lead`` is said first.

        Raises:
            BindError: nobody is there to ask.
        """

    def progress(self, done: int, total: int) -> None:
        """Say how many pods are settled."""


def go(asked: CommandLine, flags: Flags, open_bench: OpenBench, person: Person) -> BindPlan | BindResult | None:
    """Do what is asked.

    Args:
        asked: what is asked.
        flags: what may be done; where a run is resumed, on top of what its journal says.
        open_bench: reads the cluster.
        person: who runs the command.

    Returns:
        The plan where nothing was to be written, or nothing could be; the result; None where the answer was no.

    Raises:
        BindError: the plan needs flags or rights that are missing, is too old, or is for another cluster.
        UsageError: a file is broken, or a name means no pod.
        LiveError: the server does not answer.
    """
    if asked.resume:
        return _resume(asked, flags, open_bench, person)
    saved = made_whole(load_plan(asked.plan), asked.targets.files, asked.plan) if asked.plan else None
    if asked.apply and asked.journal:
        not_there(asked.journal)  # before anything is asked, not after
    bench = open_bench(flags)
    if saved is not None:
        shown = bench.again(saved, flags, asked.plan, dry_run=asked.server_dry_run)
    else:
        shown = bench.plan(asked.targets, flags, dry_run=asked.server_dry_run)
    if asked.save_plan:
        words = f"{again_words(shown)}{bench.cluster_words}{bench.rules_words}"
        shown = msgspec.structs.replace(shown, attempt=attempt_of(shown, asked.save_plan, flags, words))
        save_plan(shown, asked.save_plan)
    if not asked.apply:
        return shown
    if saved is None and shown.verdict != "NOTHING":
        person.show(_asked_about(shown))
    return _apply(asked, flags, bench, shown, open_bench, person)


def _apply(
    asked: CommandLine, flags: Flags, bench: Workbench, shown: BindPlan, open_bench: OpenBench, person: Person
) -> BindPlan | BindResult | None:
    """Ask, write, and where wanted plan again what was held back."""
    result: BindResult | None = None
    for number in range(_REPLANS):
        if result is None:
            _refuse(shown)
        if shown.verdict != "READY":
            break
        if not person.agrees(shown, ""):
            return result
        _still_fresh(bench, flags)
        name = secrets.token_hex(4)
        journal = Journal(_journal(asked.journal, number, name))
        journal.start(to_keep(shown), name, flags.to_keep())
        done = bench.run(shown, flags, journal, name, progress=person.progress)
        result = merged(result, _on(bench, shown, done, flags, again_words(shown)))
        held = left_to_plan(result)
        if not asked.replan or not held or result.verdict == "STOPPED":
            break
        try:
            bench = open_bench(flags)
            there = {pod.key for pod in bench.state.pods}
            again = [f"pod/{key}" for key in held if key in there]
            if not again:
                break
            shown = bench.plan(Targets(names=again), flags)
        except KplanError as error:  # what was written before is told all the same
            note = f"not planned again: {error.message}"
            return msgspec.structs.replace(result, notes=(*result.notes, note))
        person.show(_asked_about(shown))
    return result or shown


def _asked_about(shown: BindPlan) -> BindPlan:
    """A plan as it is shown before the question: what comes next is known."""
    if shown.verdict != "READY":
        return shown
    coming = "comes next, before the first write"
    guards = (
        msgspec.structs.replace(guard, text=coming) if (guard.name, guard.state) == ("dry run", "--") else guard
        for guard in shown.guards
    )
    return msgspec.structs.replace(shown, attempt="", guards=tuple(guards))


def _on(bench: Workbench, shown: BindPlan, result: BindResult, flags: Flags, resume: str) -> BindResult:
    """Say what to run next, naming the cluster, and what of the cluster could not be seen.

    Args:
        bench: what it was carried out with.
        shown: the plan as it was shown.
        result: of the run.
        flags: what it might do.
        resume: options that it takes to resume it, if it stopped.
    """
    attempt, rules = result.attempt, resume
    if result.verdict != "STOPPED":
        attempt, rules = again(result, flags), bench.rules_words
    words = f"{bench.cluster_words}{rules}" if attempt else ""
    blind = (guard.text for guard in shown.guards if guard.name == WATCH)
    return msgspec.structs.replace(result, attempt=f"{attempt}{words}", notes=(*result.notes, *blind))


def _resume(asked: CommandLine, given: Flags, open_bench: OpenBench, person: Person) -> BindResult | None:
    """Go on with a run that stopped; the server is asked first what happened."""
    if given.max_pods:
        raise UsageError(
            "--max-pods has no effect on a resumed run, which follows its plan", code="resume-flag", hint="leave it out"
        )
    path, files = asked.resume, asked.targets.files
    record = read_journal(path)
    flags, plan = Flags.of(record.options).again(given).made_whole(), made_whole(plan_of(record.plan), files, path)
    bench = open_bench(flags)
    shown = bench.again(plan, flags, path, resumed=True)
    _refuse(shown)
    if not person.agrees(shown, _told(path, record)):
        return None
    journal = Journal(path, resumed=True)
    done = bench.run(plan, flags, journal, record.run, former=record, progress=person.progress)
    words = "".join(f" -f {shlex.quote(file)}" for file in files) or again_words(plan)
    return _on(bench, shown, done, flags, f"{words}{bench.rules_words}")


def _told(path: str, record: JournalRecord) -> str:
    writes = f"{count(record.writes, 'write')}, {len(record.unanswered):,} unanswered"
    return f"Go on with {path} ({writes}; {count(len(record.pods), 'pod')} settled). "


def _refuse(shown: BindPlan) -> None:
    """Stop where a flag or a right is missing.

    Raises:
        BindError: it is.
    """
    if shown.verdict == "REFUSED":
        raise BindError(f"refused: {refusal(shown)}", code="refused", hint=shown.attempt or "nothing was written")


def _still_fresh(bench: Workbench, flags: Flags) -> None:
    """Hold the time that the question was left open against ``--max-age``.

    Raises:
        BindError: the state is too old by now.
    """
    age = monotonic() - bench.read_at
    if flags.max_age and age > flags.max_age:
        raise BindError(
            f"the cluster was read {age / 60:.0f} min before the question was answered",
            code="too-old",
            hint="plan again, or allow more with --max-age",
        )


def _journal(path: str, number: int, run: str) -> str:
    """Name a journal: the one that is given, with the number of a run that plans again, or one that no other has."""
    if not path:
        return f"kplan-bind-{strftime('%Y%m%d-%H%M%S')}-{run}.jsonl"
    return f"{path.removesuffix('.jsonl')}-{number + 1}.jsonl" if number else path


def rights(targets: Targets, flags: Flags, features: Features) -> str:
    """Write the rights that binding with these flags needs, and creating what manifests hold, as a ClusterRole.

    Claims, volumes and device claims count, as any pod may have them.

    Raises:
        SourceError: a manifest cannot be read.
        UsageError: one is broken.
    """
    creates = frozenset({PODS} if flags.create else ())
    if flags.create and targets.files:
        creates = created_resources(read_manifests(targets.files, targets.namespace))
    needs = Needs(
        claims=True,
        volumes=True,
        devices=True,
        device_makes=features.enabled("DRAExtendedResource"),
        granular=granular(features),
        preempt=flags.preempt,
        nominate=flags.preempt or nominates(features),
        creates=creates,
        events=flags.events,
    )
    return cluster_role(needs, features)
