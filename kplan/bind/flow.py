"""The flow of ``kplan bind``: plan, show, ask, write, and plan again what was held back.

How a person is shown things and asked is the caller's; what may follow on what is decided here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, strftime
from typing import Any, Protocol

import msgspec

from kplan.bind.flags import Flags
from kplan.bind.journal import Journal, Record, read_journal
from kplan.bind.manifests import created_resources, read_manifests
from kplan.bind.plan import attempt_of
from kplan.bind.plan_file import load_plan, plan_of, save_plan
from kplan.bind.resources import PODS
from kplan.bind.results import left_to_plan, merged
from kplan.bind.rights import Needs, cluster_role, nominates
from kplan.bind.workbench import Targets, Workbench
from kplan.errors import BindError, UsageError
from kplan.framework.features import Features
from kplan.result.document_bind import BindPlan, BindResult

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


@dataclass(frozen=True)
class Command:
    """What is asked for.

    Attributes:
        targets: which pods.
        plan: name of a plan that was saved; empty for none.
        save: where to save what is shown; empty for nowhere.
        resume: name of the journal of a run that stopped; empty for none.
        apply: write what was shown.
        dry_run: let the server try the writes before anything is asked.
        journal: where to keep the journal; empty for a name with the time.
        replan: plan again what was held back.
    """

    targets: Targets
    plan: str = ""
    save: str = ""
    resume: str = ""
    apply: bool = False
    dry_run: bool = False
    journal: str = ""
    replan: bool = False

    def check(self, snapshot: str) -> None:
        """Refuse a command that names no target, two of them, or a snapshot to write to.

        Args:
            snapshot: name of the file or folder that is read instead of a cluster; empty for none.

        Raises:
            UsageError: it does.
        """
        if not (self.targets.any or self.plan or self.resume):
            raise UsageError(
                "bind needs a target",
                code="no-target",
                hint="name it: POD..., -l, -n NAMESPACE, -A, -f FILE or --plan FILE",
            )
        if self.targets.any + bool(self.plan) + bool(self.resume) > 1:
            raise UsageError(
                "bind takes one target", code="two-targets", hint="pods, or --plan FILE, or --resume JOURNAL"
            )
        if snapshot and (self.apply or self.resume or self.plan):
            raise UsageError(
                "a snapshot can be shown, not written to",
                code="snapshot-apply",
                hint="--save-plan FILE here; then, in the cluster it was taken of: kplan bind --plan FILE --apply",
            )


def go(asked: Command, flags: Flags, open_bench: OpenBench, person: Person) -> BindPlan | BindResult | None:
    """Do what is asked.

    Args:
        asked: what is asked.
        flags: what may be done; those of the journal where a run is resumed.
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
        return _resume(asked.resume, open_bench, person)
    saved = load_plan(asked.plan) if asked.plan else None
    bench = open_bench(flags)
    if saved is not None:
        shown = bench.again(saved, flags, asked.plan, dry_run=asked.dry_run)
    else:
        shown = bench.plan(asked.targets, flags, dry_run=asked.dry_run)
    if asked.save:
        shown = msgspec.structs.replace(shown, attempt=attempt_of(shown, asked.save, flags))
        save_plan(shown, asked.save)
    if not asked.apply:
        return shown
    if saved is None:
        person.show(shown)
    return _apply(asked, flags, bench, shown, open_bench, person)


def _apply(
    asked: Command, flags: Flags, bench: Workbench, shown: BindPlan, open_bench: OpenBench, person: Person
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
        journal, name = Journal(_journal(asked.journal, number)), secrets.token_hex(4)
        journal.start(_plain(shown), name, flags.plain())
        result = merged(result, bench.run(shown, flags, journal, name, progress=person.progress))
        held = left_to_plan(result)
        if not asked.replan or not held or result.verdict == "STOPPED":
            break
        bench = open_bench(flags)
        shown = bench.plan(Targets(names=[f"pod/{key}" for key in held]), flags)
        person.show(shown)
    return result or shown


def _resume(path: str, open_bench: OpenBench, person: Person) -> BindResult | None:
    """Go on with a run that stopped; the server is asked first what happened."""
    record = read_journal(path)
    flags, plan = Flags.of(record.options), plan_of(record.plan)
    bench = open_bench(flags)
    shown = bench.again(plan, flags, path, resumed=True)
    _refuse(shown)
    if not person.agrees(shown, _told(path, record)):
        return None
    journal = Journal(path, resumed=True)
    return bench.run(plan, flags, journal, record.run, former=record, progress=person.progress)


def _told(path: str, record: Record) -> str:
    return f"Go on with {path} ({record.writes} writes, {len(record.unanswered)} unanswered). "


def _refuse(shown: BindPlan) -> None:
    """Stop where a flag or a right is missing.

    Raises:
        BindError: it is.
    """
    if shown.verdict == "REFUSED":
        text = shown.because.text if shown.because is not None else shown.sentence
        raise BindError(f"refused: {text}", code="refused", hint=shown.attempt or "nothing was written")


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
            hint="show it again; --max-age allows more",
        )


def _journal(path: str, number: int) -> str:
    name = path or f"kplan-bind-{strftime('%Y%m%d-%H%M%S')}.jsonl"
    return f"{name.removesuffix('.jsonl')}-{number + 1}.jsonl" if number else name


def rights(targets: Targets, flags: Flags, features: Features) -> str:
    """Write the rights that binding with these flags needs, and creating what manifests hold, as a ClusterRole.

    Claims and volumes count, as any pod may have them.

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
        preempt=flags.preempt,
        nominate=flags.preempt or nominates(features),
        creates=creates,
        events=flags.events,
    )
    return cluster_role(needs, features)


def _plain(shown: BindPlan) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(shown)
    return found
