"""Options of ``kplan bind``: what it may do, and how what was shown is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli.options import known

if TYPE_CHECKING:
    from kplan.bind.flags import Flags
    from kplan.bind.plan.command import CommandLine
    from kplan.bind.plan.targets import Targets
    from kplan.cli.options import Rules, Source

PDB = ("refuse", "wait")


@dataclass(frozen=True)
class Writing:
    """Options of how what was shown is kept and written.

    Attributes:
        plan: name of a plan that was saved; empty for none.
        save_plan: where to save what is shown; empty for nowhere.
        apply: write what was shown.
        yes: do not ask.
        resume: name of the journal of a run that stopped; empty for none.
        journal: where to keep the journal; empty for a name with the time.
        replan: plan again what was held back.
        server_dry_run: let the server try the writes before anything is asked.
    """

    plan: Annotated[str, typer.Option(metavar="FILE", help="A plan that --save-plan wrote.")] = ""
    save_plan: Annotated[str, typer.Option(metavar="FILE", help="Write what is shown to a file.")] = ""
    apply: Annotated[bool, typer.Option("--apply", help="Write what was shown, after a question.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    resume: Annotated[str, typer.Option(metavar="JOURNAL", help="Go on with a run that stopped.")] = ""
    journal: Annotated[str, typer.Option(metavar="FILE", help="Where to keep the journal.")] = ""
    replan: Annotated[bool, typer.Option("--replan", help="Plan again what was held back, and ask again.")] = False
    server_dry_run: Annotated[
        bool, typer.Option("--server-dry-run", help="Let the server try the writes without keeping them.")
    ] = False

    def command(self, targets: Targets) -> CommandLine:
        """What is asked for."""
        from kplan.bind.plan.command import CommandLine

        given = {name: value for name, value in vars(self).items() if name != "yes"}
        return CommandLine(targets, **given)


@dataclass(frozen=True)
class Allowed:
    """Options of what may be done; see ``kplan.bind.flags``.

    Raises:
        UsageError: a choice that there is not.
    """

    preempt: Annotated[bool, typer.Option("--preempt", help="Evict for pods that fit only that way.")] = False
    pdb: Annotated[str, typer.Option(metavar="refuse|wait", help="What if a budget refuses.")] = "refuse"
    create: Annotated[bool, typer.Option("--create", help="Create manifests' objects that do not exist yet.")] = False
    take_over: Annotated[bool, typer.Option("--take-over", help="Bind pods of a live scheduler, too.")] = False
    accept_doubt: Annotated[list[str], typer.Option(metavar="CODE", help="Bind in spite of a doubt; all for any.")] = (
        field(default_factory=list)
    )
    events: Annotated[bool, typer.Option("--events", help="Report Scheduled and FailedScheduling.")] = False
    max_pods: Annotated[int, typer.Option(metavar="N", help="Bind at most this many pods; 0: no limit.", min=0)] = 0
    max_age: Annotated[float, typer.Option(metavar="S", help="How old a plan may be; 0: any.", min=0)] = 600
    volume_timeout: Annotated[float, typer.Option(metavar="S", help="Longest wait for claims.", min=0)] = 0
    evict_timeout: Annotated[float, typer.Option(metavar="S", help="Longest wait for victims and budgets.", min=0)] = (
        300
    )
    create_timeout: Annotated[float, typer.Option(metavar="S", help="Longest wait for created pods.", min=0)] = 300

    def __post_init__(self) -> None:
        """Refuse a choice before anything is read."""
        known("--pdb", self.pdb, PDB)

    def flags(self, source: Source, rules: Rules) -> Flags:
        """As the plan and the journal keep them.

        Raises:
            ConfigError: the configuration cannot be read.
        """
        from kplan.bind.flags import Flags
        from kplan.cli.rules_given import configuration_file, read_configuration

        return msgspec.structs.replace(
            msgspec.convert(self, Flags, from_attributes=True),
            qps=source.qps,
            burst=source.burst,
            k8s_version=rules.k8s_version,
            feature_gates=rules.feature_gates,
            config=read_configuration(rules),
            config_file=configuration_file(rules),
        )
