"""``kplan check``: simulate for CI, with a policy and a baseline; a doubt is exit code 4 unless it is allowed."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated

import click
import typer

from kplan.cli import options
from kplan.cli.exit_codes import check_code
from kplan.cli.options import RulesOfCheck, ShownInTime, Source, known
from kplan.cli.session import Session
from kplan.cli.settings import settings
from kplan.cli.simulate import QUEUES, manifest_plan, template_paths
from kplan.cli.source import VARIABLE, home
from kplan.cli.versions import answered
from kplan.cli.whatif import GIVEN as WHAT_IFS
from kplan.errors import UsageError
from kplan.visible import without_credentials

if TYPE_CHECKING:
    from kplan.pipeline import Planner
    from kplan.result.document_check import CheckResult
    from kplan.studies.check.policy import CheckPolicy


@dataclass(frozen=True)
class CheckAsked:
    """What a check is asked for, as given.

    Attributes:
        files: manifests.
        namespace: of objects that name none.
        own: whether the cluster's own waiting pods are tried first.
        policy: rules of the policy file and of flags.
        baseline: name of the baseline; empty for none.
        command: what gives this result again.
        templates: dotted path of the pod template by kind, for kinds that kplan does not know.
        all_fixes: whether what helps is looked for of everything that fails.
    """

    files: list[str]
    namespace: str
    own: bool
    policy: CheckPolicy
    baseline: str = ""
    command: str = ""
    templates: dict[str, str] | None = None
    all_fixes: bool = False


def check(
    manifests: Annotated[list[str] | None, typer.Argument(metavar="MANIFEST...", help="What would land.")] = None,
    filename: options.Files = [],
    namespace: options.Namespace = "",
    pod_template: options.PodTemplate = [],
    queue: options.Queue = "all",
    policy: Annotated[str, typer.Option("--policy", metavar="FILE", help="The rules below, in a YAML file.")] = "",
    require_zones: Annotated[
        int | None, typer.Option("--require-zones", metavar="N", help="Replicas of each workload in N zones.")
    ] = None,
    no_preemption: Annotated[bool, typer.Option("--no-preemption", help="Nothing may be evicted.")] = False,
    max_victims: Annotated[
        int | None, typer.Option("--max-victims", metavar="N", help="At most N pods may be evicted.")
    ] = None,
    headroom: Annotated[
        str | None,
        typer.Option("--headroom", metavar="20%", help="This share stays free, in each pool, too."),
    ] = None,
    survive: Annotated[
        list[str],
        typer.Option("--survive", metavar="zone,node", help="All pods must be placed again when one is lost."),
    ] = [],
    quota: Annotated[bool, typer.Option("--quota", help="Quotas have room for rollouts at their peak.")] = False,
    strict_kinds: Annotated[
        bool, typer.Option("--strict-kinds", help="Custom resources without pods are doubts.")
    ] = False,
    max_age: Annotated[
        str | None, typer.Option("--max-age", metavar="24h", help="An older snapshot is a doubt.")
    ] = None,
    allow_doubt: Annotated[
        list[str], typer.Option("--allow-doubt", metavar="CODE", help="Accept this doubt; may be given again.")
    ] = [],
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="FILE", help="A result of main: only what got worse fails.")
    ] = "",
    all_fixes: Annotated[
        bool, typer.Option("--all-fixes", help="Look for what helps of all, not of the first 3.")
    ] = False,
    *,
    source: Source,
    rules: RulesOfCheck,
    shown: ShownInTime,
) -> None:
    """Does it fit, and does it keep the rules? For CI: exit code 1 if not, 3 if only by preemption, 4 for a doubt.

    Besides the formats of every command there are -o junit, sarif, github and codeclimate; -o name tells what fails.
    """
    from kplan.render.text.check import result
    from kplan.studies.check.policy import CheckPolicy, read_policy
    from kplan.studies.check.policy import policy as flags

    known("--queue", queue, QUEUES)
    namespace = home(source, namespace)
    files = [*(manifests or []), *filename]
    given = flags(
        {
            "require-zones": require_zones,
            "no-preemption": no_preemption or None,
            "max-victims": max_victims,
            "headroom": headroom,
            "survive": survive or None,
            "quota": quota or None,
            "strict-kinds": strict_kinds or None,
            "max-age": max_age,
            "allow-doubt": allow_doubt or None,
        }
    )
    asked = CheckAsked(
        files,
        namespace,
        own=queue == "all",
        policy=given.over(read_policy(rules_file) if (rules_file := policy or settings().policy) else CheckPolicy()),
        baseline=baseline,
        command=again(click.get_current_context().params, files),
        templates=template_paths(pod_template),
        all_fixes=all_fixes,
    )

    answered(source, rules, lambda session: answer(session, asked), namespace).end(
        result,
        shown,
        check_code,
    )


def answer(session: Session, asked: CheckAsked, now: datetime | None = None) -> CheckResult:
    """Plan the manifests, and hold the plan against policy and baseline.

    Args:
        session: state and rules.
        asked: what is asked for.
        now: the time that ages are counted to; the present if None.

    Raises:
        SourceError: a manifest or the baseline cannot be read.
        UsageError: there is nothing to check.
    """
    from kplan.studies.check import CheckOptions
    from kplan.studies.check import check as check_plan
    from kplan.studies.check.baseline import read_baseline
    from kplan.studies.simulate import SimulateOptions

    if not asked.files:
        raise UsageError("no manifest to check", code="no-manifest", hint="kplan check FILE... or DIR...")
    baseline = read_baseline(asked.baseline) if asked.baseline else None
    # where losses are held against those before the change, what waits is planned with the manifests and without them
    plans = 2 if asked.own and asked.policy.survive else 1
    how = SimulateOptions(doubts=session.doubts, plans=plans)
    manifests = manifest_plan(session, asked.files, asked.namespace, how, own=asked.own, templates=asked.templates)
    played = manifests.first()
    session.planned = played.planner.cluster

    @cache
    def before() -> Planner:
        without = session.scheduler.planner(session.state, everything=False)
        without.cluster.work.share(plans)
        if asked.own:
            without.simulate()
        return without

    now, steps = now or datetime.now(UTC), session.what_if
    options = CheckOptions(asked.policy, now, baseline, asked.baseline, asked.command, steps, asked.all_fixes)
    return check_plan(played, manifests, before, options)


_TOLD = (
    "namespace",
    "snapshot",
    "context",
    "queue",
    "pod_template",
    "policy",
    "require_zones",
    "no_preemption",
    "max_victims",
    "headroom",
    "survive",
    "quota",
    "strict_kinds",
    "max_age",
    "allow_doubt",
    "baseline",
    "all_fixes",
    "config",
    "k8s_version",
    "feature_gates",
)
"""Options that change the result, as they are told."""


def again(given: dict[str, object], files: list[str]) -> str:
    """Write the command that gives a result again: manifests and the options that change it.

    Args:
        given: values of the options by name.
        files: manifests.
    """
    words = ["kplan", "check", *files]
    given = {**given, "snapshot": given["snapshot"] or os.environ.get(VARIABLE, "")}
    for name in _TOLD:
        value = given[name]
        flag = f"--{name.replace('_', '-')}"
        if name == "queue" and value == "all":
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, tuple):
            words += [part for item in value for part in (flag, str(item))]
        elif value is not None and value is not False and value != "":
            words += [flag, str(value)]
    for name, value in click.get_current_context().meta.get(WHAT_IFS, []):
        words += [f"--{name}", value]
    return shlex.join(map(without_credentials, words))
