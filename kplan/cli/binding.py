"""From the options of ``kplan bind`` to a plan, a question, a run and an exit code."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic, perf_counter, strftime
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.options import Rules, Shown
from kplan.cli.output import write
from kplan.cli.selectors import parse_selector
from kplan.cli.session import read_gates, session_of
from kplan.cli.source import Found, Progress
from kplan.errors import BindError, ConfigError, UsageError

if TYPE_CHECKING:
    from kplan.bind.client import Client
    from kplan.bind.flags import Flags
    from kplan.bind.journal import Journal
    from kplan.bind.stop import Stop
    from kplan.bind.workbench import Targets, Workbench
    from kplan.result.document_bind import BindPlan, BindResult

_REPLANS = 5


@dataclass(frozen=True)
class Where:
    """Options that name the cluster and the rules."""

    snapshot: str
    context: str
    kubeconfig: str
    rules: Rules


@dataclass(frozen=True)
class How:
    """Options of a run that the plan does not depend on."""

    shown: Shown
    apply: bool = False
    yes: bool = False
    dry_run: bool = False
    journal: str = ""
    replan: bool = False
    strict: bool = False


def show_or_apply(meant: Targets, plan: str, save: str, where: Where, flags: Flags, how: How) -> ExitCode:
    """Show, and with ``--apply`` write.

    Args:
        meant: which pods.
        plan: name of a plan that was saved; empty for none.
        save: where to save what is shown; empty for nowhere.
        where: the cluster and the rules.
        flags: what may be done.
        how: how it is shown.
    """
    from kplan.bind.plan_file import load_plan, save_plan
    from kplan.bind.stop import Stop

    saved = load_plan(plan) if plan else None
    bench = _open(where, flags, Stop())
    if saved is not None:
        shown = bench.again(saved, flags, plan, dry_run=how.dry_run)
    else:
        shown = bench.plan(meant, flags, dry_run=how.dry_run)
    if save:
        if shown.attempt:
            shown = msgspec.structs.replace(shown, attempt=_attempt(save, shown, flags))
        save_plan(shown, save)
    if not how.apply:
        _show_plan(shown, how)
        return _shown_code(shown, strict=how.strict)
    if saved is None:
        _tell_plan(shown, how)
    return _apply(bench, shown, where, flags, how)


def _apply(bench: Workbench, shown: BindPlan, where: Where, flags: Flags, how: How) -> ExitCode:
    """Ask, write, and where wanted plan again what was held back."""
    from kplan.bind.prepare import new_run

    result: BindResult | None = None
    for number in range(_REPLANS):
        if shown.verdict == "NOTHING":
            break
        _allowed(shown)
        _confirm(shown, how)
        _still_fresh(bench, flags)
        journal, name = _journal(how.journal, number), new_run()
        journal.start(_plain(shown), name, flags.plain())
        result = _merged(result, bench.run(shown, flags, journal, name, progress=_bar))
        held = [pod.pod for pod in result.pods if pod.result == "held-back"]
        if not how.replan or not held or result.verdict == "STOPPED" or bench.client is None:
            break
        bench = _open(where, flags, bench.client.stop)
        shown = bench.plan(_again(held), flags)
        _tell_plan(shown, how)
    if result is None:
        _show_plan(shown, how)
        return ExitCode.NO_FIT if shown.pods else ExitCode.OK
    return _finish(result, how)


def resume_run(path: str, where: Where, how: How) -> ExitCode:
    """Go on with a run that stopped; the server is asked first what happened.

    Args:
        path: name of its journal.
        where: the cluster and the rules.
        how: how it is shown.
    """
    from kplan.bind.flags import Flags
    from kplan.bind.journal import Journal, read_journal
    from kplan.bind.plan_file import plan_of
    from kplan.bind.stop import Stop

    record = read_journal(path)
    flags, plan = Flags.of(record.options), plan_of(record.plan)
    bench = _open(where, flags, Stop())
    shown = bench.again(plan, flags, path, resumed=True)
    _allowed(shown)
    _confirm(shown, how, lead=f"Go on with {path} ({record.writes} writes, {len(record.unanswered)} unanswered). ")
    journal = Journal(path, resumed=True)
    return _finish(bench.run(plan, flags, journal, record.run, before=record.pods, progress=_bar), how)


def _open(where: Where, flags: Flags, stop: Stop) -> Workbench:
    """Read the cluster, or the snapshot that is spelled out."""
    from kplan.bind import prepare
    from kplan.bind.workbench import Workbench
    from kplan.cli.notes import tell_completeness
    from kplan.sources import live

    started = perf_counter()
    gates, text = read_gates(where.rules.feature_gates), _text(where.rules.config)
    client: Client | None = None
    if where.snapshot and (where.context or where.kubeconfig):
        named = "--context" if where.context else "--kubeconfig"
        raise UsageError(f"--snapshot names a file, and {named} a cluster", code="two-sources", hint="leave one out")
    if where.snapshot:
        from kplan.sources import load

        found = Found(load(where.snapshot))
        identity = prepare.of_state(found.state, _seconds(found.state.taken))
    else:
        client = _connect(where, flags, stop)
        identity = prepare.identify(client)
        progress = Progress()
        try:
            reading = live.read(
                where.context, where.kubeconfig, qps=flags.qps, burst=flags.burst, progress=progress.tell
            )
        finally:
            progress.clear()
        found = Found(reading.state, "" if where.context else "current context", live=True)
    if not identity.uid:  # whoever may not get it by name may have listed it
        identity = prepare.Identity(prepare.of_state(found.state, 0).uid, identity.time)
    tell_completeness(found.state.completeness)
    session = session_of(found, where.rules, gates, text, started)
    return Workbench(
        state=session.state,
        scheduler=session.scheduler,
        origin=session.origin,
        doubts=session.doubts,
        identity=identity,
        configuration=text if text is not None else session.state.scheduler_configuration,
        client=client,
        command=_command(),
        read_at=monotonic() - (perf_counter() - started),
    )


def _connect(where: Where, flags: Flags, stop: Stop) -> Client:
    from kplan.bind.client import Client
    from kplan.sources.live.connection import connect

    connection = connect(where.context, where.kubeconfig)
    return Client.over(connection, stop, qps=flags.qps, burst=flags.burst)


def targets_of(names: list[str], files: list[str], namespace: str, selector: str, *, everywhere: bool) -> Targets:
    """Read which pods are meant."""
    from kplan.bind.workbench import Targets
    from kplan.studies.names import Scope

    return Targets(names, Scope(namespace, everywhere, parse_selector(selector)), files, namespace)


def _again(held: list[str]) -> Targets:
    from kplan.bind.workbench import Targets

    return Targets(names=[f"pod/{key}" for key in held])


def one_target(meant: Targets, plan: str, resume: str, how: How, snapshot: str) -> None:
    """Refuse a command that names no target, or two of them.

    Raises:
        UsageError: it does.
    """
    scope = meant.scope
    pods = bool(meant.names or meant.files or scope.everywhere or scope.selector is not None or scope.namespace)
    if not (pods or plan or resume):
        raise UsageError(
            "bind needs a target",
            code="no-target",
            hint="name it: POD..., -l, -n NAMESPACE, -A, -f FILE or --plan FILE",
        )
    if bool(pods) + bool(plan) + bool(resume) > 1:
        raise UsageError("bind takes one target", code="two-targets", hint="pods, or --plan FILE, or --resume JOURNAL")
    if snapshot and (how.apply or resume or plan):
        raise UsageError(
            "a snapshot can be shown, not written to",
            code="snapshot-apply",
            hint="--save-plan FILE here; then, in the cluster it was taken of: kplan bind --plan FILE --apply",
        )


def _allowed(shown: BindPlan) -> None:
    if shown.verdict == "REFUSED":
        text = shown.because.text if shown.because is not None else shown.sentence
        raise BindError(f"refused: {text}", code="refused", hint=shown.attempt or "nothing was written")


def _confirm(shown: BindPlan, how: How, lead: str = "") -> None:
    """Ask before the first write.

    Raises:
        BindError: nobody is there to ask.
        typer.Exit: the answer is no.
    """
    from kplan.render.text_bind import question

    if how.yes:
        return
    if not sys.stdin.isatty():
        raise BindError("nobody is there to ask: standard input is no terminal", code="no-terminal", hint="--yes")
    sys.stderr.write(f"{lead}{question(shown.totals, shown.cluster.context)} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        sys.stderr.write("nothing was written\n")
        raise typer.Exit(ExitCode.NO_FIT)


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


def _journal(path: str, number: int) -> Journal:
    from kplan.bind.journal import Journal

    name = path or f"kplan-bind-{strftime('%Y%m%d-%H%M%S')}.jsonl"
    if number:
        name = f"{name.removesuffix('.jsonl')}-{number + 1}.jsonl"
    return Journal(name)


def _attempt(save: str, shown: BindPlan, flags: Flags) -> str:
    """What to run next with a saved plan."""
    needs = "".join(f" {guard.flag}" for guard in shown.guards if guard.state == "needs")
    return f"kplan bind --plan {shlex.quote(save)}{flags.words()}{needs} --apply"


def _show_plan(shown: BindPlan, how: How) -> None:
    """Write a plan; as YAML it is the Binding objects that would be sent."""
    from kplan.render.text_bind import bind_plan

    write(shown, bind_plan, how.shown)


def _tell_plan(shown: BindPlan, how: How) -> None:
    """Show a plan before the question, on standard error: standard output is for the result."""
    from kplan.render.text import Style
    from kplan.render.text_bind import bind_plan

    if not how.shown.quiet:
        sys.stderr.write(bind_plan(shown, Style()) + "\n")


def _finish(result: BindResult, how: How) -> ExitCode:
    """Write what became of the pods."""
    from kplan.render.text_bind import bind_result

    write(result, bind_result, how.shown)
    if result.verdict == "STOPPED":
        interrupted = result.because is not None and result.because.code == "interrupted"
        return ExitCode.INTERRUPTED if interrupted else ExitCode.LIVE
    return ExitCode.OK if result.verdict == "BOUND" else ExitCode.NO_FIT


def _shown_code(shown: BindPlan, *, strict: bool) -> ExitCode:
    codes = [ExitCode.OK]
    if strict and shown.doubts:
        codes.append(ExitCode.DOUBT)
    if any(pod.result in ("pending", "failed", "refused") for pod in shown.pods):
        codes.append(ExitCode.NO_FIT)
    return worst(codes)


def _merged(former: BindResult | None, result: BindResult) -> BindResult:
    """Put the result of pods that were planned again in the place of what held them back."""
    if former is None:
        return result
    from kplan.bind.run import summary

    later = {pod.pod: pod for pod in result.pods}
    pods = [later.get(pod.pod, pod) for pod in former.pods]
    verdict, sentence, cause = summary(pods, "", None)
    return msgspec.structs.replace(
        result,
        pods=tuple(pods),
        verdict=result.verdict if result.verdict == "STOPPED" else verdict,
        sentence=sentence,
        because=result.because if result.verdict == "STOPPED" else cause,
        started=former.started,
        writes=former.writes + result.writes,
        journal=f"{former.journal}, {result.journal}",
    )


def _plain(shown: BindPlan) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(shown)
    return found


def _bar(done: int, total: int) -> None:
    """Say on a terminal's standard error how far the run has come."""
    if not sys.stderr.isatty():
        return
    if done >= total:
        sys.stderr.write("\r\x1b[K")
    else:
        full = 30 * done // max(total, 1)
        sys.stderr.write(f"\r\x1b[K[{'#' * full}{'.' * (30 - full)}] {done:,} of {total:,} pods")
    sys.stderr.flush()


def _text(path: str) -> str | None:
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}", code="config-unreadable") from error


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _command() -> str:
    """The command as it was typed, without ``--apply`` and where to save the plan."""
    words, skip = [], False
    for word in sys.argv[1:]:
        if skip or word in ("--apply", "--server-dry-run", "--yes") or word.startswith("--save-plan="):
            skip = False
            continue
        skip = word == "--save-plan"
        if not skip:
            words.append(shlex.quote(word))
    return " ".join(["kplan", *words]) if words[:1] == ["bind"] else "kplan bind"
