"""What-if flags: read in the order in which they were given, whatever flags stand between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import click

from kplan.cli.command import WHAT_IF, Command

if TYPE_CHECKING:
    from kplan.cli.session import Session
    from kplan.cluster import Cluster
    from kplan.scenario import ScenarioStep, Verb
    from kplan.scenario.autoscaling import AutoscaleReplicas, AutoscaleRequests

FLAGS: dict[str, tuple[str, str]] = {
    "add-node": ("like=NODE,count=N", "Nodes appear: like=NODE, template=GROUP, file=F, or cpu=16,memory=64Gi,zone=a."),
    "remove-node": ("NODE", "Nodes leave for good; owners make their pods again."),
    "cordon": ("NODE", "Nodes take no new pods."),
    "uncordon": ("NODE", "Nodes take pods again."),
    "drain": ("NODE", "Nodes are cordoned and emptied, budgets not asked (kplan drain asks them)."),
    "fail": ("NODE|zone=Z", "Nodes are lost with everything that runs there."),
    "label": ("NODE:KEY=VALUE", "Nodes get a label; NODE:KEY- takes it away."),
    "taint": ("NODE:KEY=VALUE:EFFECT", "Nodes get a taint; with - behind they lose it."),
    "scale": ("deploy/x=N", "A workload has N replicas."),
    "hpa": ("min|max|now", "What HPAs and KEDA scale has its fewest or most replicas."),
    "vpa": ("target|upper", "Workloads request what VPAs recommend."),
    "evict": ("POD|deploy/x", "Pods are evicted; their owners make others."),
    "delete": ("POD|deploy/x", "Pods or a workload are gone for good."),
    "priority": ("POD|deploy/x=N", "Pods have another priority; N may be a PriorityClass."),
    "set-pdb": ("NAME:minAvailable=N", "A disruption budget has another minAvailable or maxUnavailable."),
    "add-manifest": ("FILE", "A manifest is applied, and its controllers are done."),
    "scenario": ("FILE", "Steps from a file, each with what is expected of it."),
}
"""What-if flags: what follows each, and its help. NODE is a name or a label selector, as in pool=spot."""

Asked = Callable[["Cluster"], Collection[int]]
"""Gives the rows of pods that a command asks about."""

GIVEN = "kplan.what-ifs"
"""Where the what-ifs of the command that runs are kept, in ``Context.meta``."""


def nobody(cluster: Cluster) -> Collection[int]:
    """Ask about no pod that waits."""
    return ()


class WhatIfCommand(Command):
    """A command that takes what-if flags besides its own."""

    def __init__(self, *args: Any, params: list[click.Parameter] | None = None, **more: Any) -> None:
        mine = [
            click.Option([f"--{name}"], metavar=metavar, help=text, multiple=True, expose_value=False)
            for name, (metavar, text) in FLAGS.items()
        ]
        super().__init__(*args, params=[*(params or []), *mine], **more)
        self._mine = {option.name for option in mine}

    def make_parser(self, ctx: click.Context) -> Any:
        """Make a parser that also notes which flag stood where."""
        parser = super().make_parser(ctx)
        parse: Callable[[list[str]], Any] = parser.parse_args

        def parse_in_order(args: list[str]) -> Any:
            values, rest, order = parse(args)
            ctx.meta[GIVEN] = in_order(values, [param.name or "" for param in order])
            return values, rest, order

        parser.parse_args = parse_in_order  # type: ignore[method-assign]  # no other way in
        return parser

    def section_of(self, option: click.Parameter) -> str:
        """Name the section of help: what-ifs have their own."""
        return WHAT_IF if option.name in self._mine else super().section_of(option)


def in_order(values: dict[str, Any], order: list[str]) -> list[tuple[str, str]]:
    """Put the values of several repeatable options into the order in which they were typed.

    Args:
        values: of each option, in its own order.
        order: names of options, one for each time that one was given.
    """
    rest = {name: iter(given) for name, given in values.items() if name.replace("_", "-") in FLAGS and given}
    return [(name.replace("_", "-"), next(rest[name])) for name in order if name in rest]


def given_steps(namespace: str = "") -> list[Verb | ScenarioStep]:
    """Make the what-ifs of the command that runs.

    Args:
        namespace: of names without one.

    Raises:
        UsageError: one cannot be read.
        SourceError: a scenario file is broken.
    """
    given: list[tuple[str, str]] = click.get_current_context().meta.get(GIVEN, [])
    if not given:
        return []
    from kplan.scenario import load_scenario, parse_step

    steps: list[Verb | ScenarioStep] = []
    for name, text in given:
        steps += load_scenario(text).steps if name == "scenario" else [parse_step(name, text, namespace)]
    return steps


def imagine(session: Session, namespace: str = "", *, preempt: bool = True, compete: Asked | None = None) -> Session:
    """Take the what-ifs of the command that runs; return a session of the state that they leave, with what they did.

    Args:
        session: the state as it is.
        namespace: of names without one.
        preempt: carry out preemptions.
        compete: gives the rows of pods that are asked about; others that wait take what steps make free. None where
            it is all that wait.

    Raises:
        UsageError: a step cannot be read, or names what is not there.
        SourceError: a scenario or manifest is broken.
    """
    steps = given_steps(namespace)
    if not steps:
        return session
    from kplan.cluster import to_state
    from kplan.scenario import ScenarioStep
    from kplan.studies.what_ifs import brought, run

    planner = session.scheduler.planner(session.state, preempt=preempt, everything=False)
    if any(isinstance(step, ScenarioStep) for step in steps):
        compete = None  # the steps of a runbook, and what they expect, come to the same in every command
    asked = compete(planner.cluster) if compete is not None else ()
    taken = run(planner, steps, compete=compete is not None, asked=asked)
    cluster = planner.cluster
    state = to_state(cluster)
    return dataclasses.replace(
        session,
        state=dataclasses.replace(state, brought=brought(taken, cluster), worked=cluster.work.with_building),
        before=session.before or session.state,
        what_if=taken,
        limits=limits_of(steps),
    )


def limits_of(steps: Sequence[Verb | ScenarioStep]) -> tuple[AutoscaleReplicas | AutoscaleRequests, ...]:
    """Pick the steps that take autoscalers to a limit: manifests that land afterwards are taken there, too."""
    from kplan.scenario import ScenarioStep
    from kplan.scenario.autoscaling import AutoscaleReplicas, AutoscaleRequests

    verbs = (step.verb if isinstance(step, ScenarioStep) else step for step in steps)
    return tuple(verb for verb in verbs if isinstance(verb, AutoscaleReplicas | AutoscaleRequests))
