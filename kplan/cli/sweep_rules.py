"""What a sweep begins with: one state, read once, by one or several sets of rules; and the scenarios over it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import msgspec

from kplan.cli.options import FeatureGates, Rules, Source, of_rules
from kplan.cli.session import Session, make_session
from kplan.cli.source import named_file, read_source
from kplan.cli.whatif import imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.framework.doubt import Doubt
    from kplan.result.document_base import Origin
    from kplan.studies.sweep import AskedAxis, Axis, Grid, ScenarioBench

NOTHING_ASKED = {"drain": ("node",)}
"""What is swept over if nothing is said."""


@dataclass(frozen=True)
class RulesOfSome:
    """Options that choose the scheduler's rules, several of which may be compared."""

    k8s_version: Annotated[
        str, of_rules(metavar="V[,V]", help="Rules of this Kubernetes version, or of each of some.")
    ] = ""
    feature_gates: FeatureGates = ""
    config: Annotated[
        list[str],
        of_rules(
            metavar="FILE|default", help="A KubeSchedulerConfiguration, or the one in use; given again, each of them."
        ),
    ] = field(default_factory=list)
    policy: Annotated[
        str,
        of_rules(
            metavar="FILE|PROVIDER",
            help="A Policy of 1.22 or earlier, configmap/NS/NAME, or DefaultProvider.",
        ),
    ] = ""
    as_scheduler: Annotated[
        str,
        of_rules(metavar="NAME", help="Take every pod for one of this schedulerName."),
    ] = ""
    call_extenders: Annotated[
        bool,
        of_rules("--call-extenders", help="Ask the HTTP extenders of the configuration."),
    ] = False
    extender_calls: Annotated[
        int,
        of_rules(metavar="N", help="Each process sends extenders at most this many requests.", min=1),
    ] = 500


@dataclass(frozen=True)
class Opened:
    """A sweep before its first scenario.

    Attributes:
        session: the state by the first rules, after what-ifs.
        bench: a bench over the base.
        grid: the scenarios.
        origin: where the state is from, and all the rules.
        doubts: about any of them.
    """

    session: Session
    bench: ScenarioBench
    grid: Grid
    origin: Origin
    doubts: tuple[Doubt, ...]


def open_sweep(
    source: Source, rules: RulesOfSome, asked: Sequence[AskedAxis], namespace: str, replicas: int | None
) -> Opened:
    """Read the state and make the scenarios.

    Args:
        source: file, folder or cluster.
        rules: versions, gates and configurations.
        asked: axes of flags and files, each name once.
        namespace: of names without one.
        replicas: of each workload; None for what manifests say.

    Raises:
        UsageError: something named is not there.
        SourceError: a file is broken.
        LiveError: the cluster gives no answer.
        ConfigError: a version, gates or a configuration are refused.
    """
    from kplan.studies.sweep import RULES as OF_RULES
    from kplan.studies.sweep import AskedAxis, Base, Grid, Points, ScenarioBench, SweepRules, Waiting

    by_name = {axis.name: axis.values for axis in asked}
    configs, versions = by_name.get("config", ("",)), by_name.get("version", ("",))
    sessions = [imagine(session, namespace) for session in _sessions(source, configs, versions, rules)]
    made = [(session.scheduler, session.state) for session in sessions]
    more = (rules.extender_calls if rules.call_extenders else 0, named_file(source), rules.as_scheduler)
    base = Base(tuple(SweepRules(s.features, s.configuration, s.request_rules, state, *more) for s, state in made))
    bench = ScenarioBench(base)
    compared = [*_rule_axes(configs, versions)]
    others = [axis for axis in asked if axis.name not in OF_RULES]
    if not others and not compared:
        others = [AskedAxis(name, values) for name, values in NOTHING_ASKED.items()]
    points = Points(bench.planner().cluster, namespace, replicas, sized="pool" in by_name)
    questions = prod(max(1, len(axis.values) + len(axis.inline)) for axis in asked)
    grid = Grid((*compared, *points.axes(others)), Waiting(), questions)
    grid.check()
    doubts = tuple(dict.fromkeys(doubt for session in sessions for doubt in session.doubts))
    return Opened(sessions[0], bench, grid, _origin(sessions), doubts)


def asked_axes(
    rules: RulesOfSome, files: Sequence[str], given: Mapping[str, Sequence[str]]
) -> tuple[list[AskedAxis], int | None]:
    """Put flags and files together; return the axes, and the replicas that files ask for.

    Args:
        rules: versions and configurations of flags.
        files: of kind Sweep or Scenario.
        given: values of the other flags, by axis.

    Raises:
        UsageError: rules are named both by a flag and a file.
        SourceError: a file is broken.
    """
    from kplan.studies.sweep import RULES as OF_RULES
    from kplan.studies.sweep import AskedAxis, load_sweep, merged

    versions = tuple(filter(None, rules.k8s_version.split(",")))
    flags = [AskedAxis("config", tuple(rules.config)), AskedAxis("version", versions)]
    read = [load_sweep(file) for file in files]
    in_files = [axis for file in read for axis in file.axes]
    for flag in flags:
        if flag.values and any(axis.name == flag.name for axis in in_files):
            raise UsageError(f"{flag.name} by a flag and in a file", code="two-rules", hint="leave one out")
    flags += [AskedAxis(name, tuple(values)) for name, values in given.items()]
    said = next((file.replicas for file in read if file.replicas is not None), None)
    order = merged([*flags[: len(OF_RULES)], *in_files, *flags[len(OF_RULES) :]])
    return order, said


def _sessions(source: Source, configs: Sequence[str], versions: Sequence[str], rules: RulesOfSome) -> Iterator[Session]:
    """Make the rules of each configuration by each version; versions have states of their own, read once."""
    from kplan.cli.notes import tell_completeness
    from kplan.studies.sweep import DEFAULT, apart

    started = perf_counter()
    state_read = read_source(source)
    if rules.call_extenders and state_read.live:
        hint = "take one: kplan snapshot FILE, then --snapshot FILE"
        raise UsageError("--call-extenders: a sweep asks about a snapshot alone", code="not-live", hint=hint)
    tell_completeness(state_read.state.completeness)
    # a version fills in requests in its own way, in place
    states = {version: apart(state_read.state) if len(versions) > 1 else state_read.state for version in versions}
    for config, version in product(configs, versions):
        file = "" if config == DEFAULT else config
        asked = Rules(
            version,
            rules.feature_gates,
            file,
            rules.policy,
            rules.as_scheduler,
            rules.call_extenders,
            rules.extender_calls,
        )
        yield make_session(dataclasses.replace(state_read, state=states[version]), asked, started)


def _rule_axes(configs: Sequence[str], versions: Sequence[str]) -> Iterator[Axis]:
    """Axes of the rules of which there are several, numbered as ``_sessions`` makes them."""
    from kplan.studies.sweep import Axis, GridPoint

    if len(configs) > 1:
        names = enumerate(_short(configs))
        points = [GridPoint(f"config {name}", rules=number * len(versions)) for number, name in names]
        yield Axis("config", tuple(points))
    if len(versions) > 1:
        yield Axis("version", tuple(GridPoint(version, rules=number) for number, version in enumerate(versions)))


def _short(files: Sequence[str]) -> list[str]:
    """Names of files, without the folders where none is called like another."""
    names = [Path(file).name for file in files]
    return names if len(set(names)) == len(set(files)) else list(files)


def _origin(sessions: Sequence[Session]) -> Origin:
    rules = dict.fromkeys(session.origin.rules for session in sessions)
    return msgspec.structs.replace(sessions[0].origin, rules=" and ".join(rules))
