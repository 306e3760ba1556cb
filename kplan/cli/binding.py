"""What ``kplan bind`` is on a terminal: the cluster it reads, the person it asks, and its exit code."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.options import Rules, Source
from kplan.cli.progress import ACTIVITY
from kplan.cli.rules_given import read_gates
from kplan.cli.session import session_of
from kplan.cli.source import StateRead, named_file, read_cluster, read_source
from kplan.errors import BindError, UsageError
from kplan.objects.selector_text import parse_selector
from kplan.sources.moments import seconds_of
from kplan.visible import visible, without_commands, without_credentials

if TYPE_CHECKING:
    from kplan.bind.flags import Flags
    from kplan.bind.plan.targets import Targets
    from kplan.bind.workbench import Workbench
    from kplan.cli.options import Shown
    from kplan.result.document_bind import BindPlan, BindResult
    from kplan.result.document_usage import Drawing


class Opener:
    """Reads the cluster, or the snapshot that is spelled out.

    Args:
        source: options that name it.
        rules: options of the scheduler's rules.

    Raises:
        UsageError: a file and a cluster are both named.
    """

    def __init__(self, source: Source, rules: Rules) -> None:
        from kplan.bind.wire.stop import Stop

        if rules.as_scheduler:  # whose pods they are decides which scheduler is asked to step aside
            hint = "name its rules: --config FILE with a profile of that schedulerName"
            raise UsageError("--as-scheduler: not where pods are bound", code="not-as-another", hint=hint)
        if source.snapshot:
            named_file(source)
        self._source, self._rules, self._stop = source, rules, Stop()
        self._first: Workbench | None = None

    def _read(self) -> StateRead:
        """Read the cluster; an interrupt of the first reading ends the process right there, as nothing was written."""
        if self._first is not None:
            return read_cluster(self._source)
        with ACTIVITY.stopped_at_once():
            return read_cluster(self._source)

    def open(self, flags: Flags) -> Workbench:
        """Read it as it is now.

        Raises:
            UsageError: there is no such file or cluster.
            SourceError: the file is broken.
            LiveError: the cluster gives no answer.
            ConfigError: version, gates or configuration are refused.
        """
        from kplan.bind.wire.client import Client
        from kplan.bind.wire.identity import Identity, identify, of_state
        from kplan.bind.workbench import Workbench
        from kplan.cli.notes import tell_completeness
        from kplan.sources.live.kubeconfig import find_access, namespace_of

        source, started, read_at = self._source, perf_counter(), monotonic()
        gates, text = read_gates(flags.feature_gates), flags.config
        rules = dataclasses.replace(
            self._rules, k8s_version=flags.k8s_version
        )  # those of the journal where a run is resumed
        if source.snapshot:
            client, reading = None, read_source(source)
            identity = of_state(reading.state, seconds_of(reading.state.taken) or 0.0)
        else:
            access = find_access(source.context, source.kubeconfig)
            client = Client(access, self._stop, qps=flags.qps, burst=flags.burst)
            identity = identify(client)
            reading = self._read()
        if not identity.uid:  # whoever may not get it by name may have listed it
            identity = Identity(of_state(reading.state, 0).uid, identity.time)
        tell_completeness(reading.state.completeness)
        session = session_of(reading, rules, gates, text, started)
        bench = Workbench(
            state=session.state,
            scheduler=session.scheduler,
            origin=session.origin,
            doubts=session.doubts,
            identity=identity,
            configuration=session.configuration,
            client=client,
            command=command_line(),
            cluster_words=_words({"--context": source.context, "--kubeconfig": source.kubeconfig}),
            rules_words=_words(
                {
                    "--k8s-version": self._rules.k8s_version,
                    "--feature-gates": self._rules.feature_gates,
                    "--config": self._rules.config,
                    "--policy": self._rules.policy,
                }
            ),
            read_at=read_at,
            namespace="" if source.snapshot else namespace_of(source.context, source.kubeconfig),
        )
        self._first = self._first or bench
        return bench

    def drawing(self, document: BindPlan | BindResult) -> Drawing:
        """Give what the HTML report draws: how full nodes were, and are once the pods of a document are bound."""
        from kplan.api import fill_in
        from kplan.bind.plan.after import state_after
        from kplan.result.document_usage import Drawing
        from kplan.studies.usage import usage

        bench = self._first
        assert bench is not None
        after = state_after(bench.state, document)
        fill_in(after, bench.scheduler)
        before = usage(bench.scheduler.cluster(bench.state))
        return Drawing(nodes=usage(bench.scheduler.cluster(after), before))


def _words(options: Mapping[str, str]) -> str:
    """Options as they are typed, each with a space before it."""
    return "".join(f" {name} {shlex.quote(value)}" for name, value in options.items() if value)


_FORMATS = ("text", "wide", "json", "yaml", "markdown", "html")


def check_output(shown: Shown, kept: Mapping[str, str]) -> None:
    """Refuse, before anything is written to a cluster, an output that could not be written afterwards.

    Args:
        shown: where reports go.
        kept: by option, the plan and the journal, which no report may take the place of.

    Raises:
        UsageError: a format that no document of bind has, a file for which there is no folder, or two outputs in one.
    """
    from kplan.cli.targets import same_output

    files = {**{f"-o {target.format}": target.file for target in shown.to if target.file}, **kept}
    named = [(option, file) for option, file in files.items() if file]
    for number, (option, file) in enumerate(named):
        for other, before in named[:number]:
            if same_output(file, before):
                hint = "name another file"
                raise UsageError(f"two outputs on {file}: {other} and {option}", code="two-outputs", hint=hint)
    for target in shown.to:
        if target.format not in _FORMATS:
            hint = f"one of: {', '.join(_FORMATS)}"
            raise UsageError(f"-o {target.format}: bind has no such format", code="bad-format", hint=hint)
        folder = Path(target.file).parent
        if target.file and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise UsageError(f"{target.file}: cannot be written: no folder to write to", code="unwritable")


def targets_of(names: list[str], files: list[str], namespace: str, selector: str, *, everywhere: bool) -> Targets:
    """Read which pods are meant."""
    from kplan.bind.plan.targets import Targets
    from kplan.scenario.names import Scope

    return Targets(names, Scope(namespace, everywhere, parse_selector(selector)), files, namespace)


class Terminal:
    """Who runs the command: shown plans and asked on standard error, as standard output is for the result.

    Args:
        yes: whether everything is agreed to.
        quiet: whether only what answers is shown.
    """

    def __init__(self, *, yes: bool, quiet: bool) -> None:
        self._yes, self._quiet = yes, quiet

    def show(self, plan: BindPlan) -> None:
        """Show a plan before the question."""
        from kplan.cli.notes import NOTES
        from kplan.render.seen import seen
        from kplan.render.text import Style
        from kplan.render.text.bind import bind_plan

        if not self._quiet:
            sys.stderr.write(without_commands(bind_plan(seen(plan), Style())) + "\n")
            NOTES.tell()

    def agrees(self, plan: BindPlan, lead: str) -> bool:
        """Ask before the first write.

        Raises:
            BindError: nobody is there to ask.
        """
        from kplan.render.text.bind import question

        if self._yes:
            return True
        if not sys.stdin.isatty():
            raise BindError(
                "nobody is there to ask: standard input is not a terminal", code="no-terminal", hint="--yes"
            )
        sys.stderr.write(f"{lead}{visible(question(plan.totals, plan.cluster.context))} [y/N] ")
        sys.stderr.flush()
        agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
        if not agreed:
            sys.stderr.write("nothing was written\n")
        return agreed

    def progress(self, done: int, total: int) -> None:
        """Draw a bar, or where all is done take it away."""
        from kplan.render.text.bind import bar

        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{bar(done, total) if done < total else ''}")
            sys.stderr.flush()


def plan_code(shown: BindPlan, *, applied: bool, strict: bool) -> ExitCode:
    """Exit code of a plan: NO_FIT where a pod would not be bound, or not even be made.

    Args:
        shown: the plan.
        applied: whether it was to be written, so that gated pods count, too.
        strict: whether doubts count.
    """
    codes = [ExitCode.OK]
    if strict and shown.doubts:
        codes.append(ExitCode.DOUBT)
    unbound = ("pending", "failed", "refused", *(["gated"] if applied else []))
    if any(pod.result in unbound for pod in shown.pods) or any(item.refused_pods for item in shown.objects):
        codes.append(ExitCode.NO_FIT)
    return worst(codes)


def result_code(result: BindResult) -> ExitCode:
    """Exit code of a run: NO_FIT where a pod was held back."""
    if result.verdict == "STOPPED":
        why = result.because.code if result.because is not None else ""
        return {"interrupted": ExitCode.INTERRUPTED, "journal": ExitCode.USAGE}.get(why, ExitCode.LIVE)
    return ExitCode.OK if result.verdict == "BOUND" else ExitCode.NO_FIT


_NOT_AGAIN = ("--apply", "--server-dry-run", "--yes")


def command_line() -> str:
    """The command as it was typed, without ``--apply`` and where to save the plan."""
    words, skip = [], False
    for word in sys.argv[1:]:
        if skip or word in _NOT_AGAIN or word.startswith("--save-plan="):
            skip = False
            continue
        skip = word == "--save-plan"
        if not skip:
            words.append(shlex.quote(without_credentials(word)))
    return " ".join(["kplan", *words]) if words[:1] == ["bind"] else "kplan bind"
