"""Whose rules: the version, gates and configuration that are asked for, else those that the source has on record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from kplan.errors import ConfigError, UsageError
from kplan.sources.opening import load, shown

if TYPE_CHECKING:
    from kplan.api import Scheduler
    from kplan.cli.options import Rules
    from kplan.cli.source import StateRead
    from kplan.objects.state import ClusterState

CONFIG_MAP = "configmap/"
"""How a ConfigMap is named in the place of a file: ``configmap/NAMESPACE/NAME``."""
_NAMESPACE = "kube-system"
_HEADS = tuple(
    {"apiVersion": f"kubescheduler.config.k8s.io/{version}", "kind": "KubeSchedulerConfiguration"}
    for version in ("v1", "v1beta3", "v1beta2")
)
"""What some recorders leave out of a configuration: it is of the first version that takes it."""

ALL_GATES = ("AllAlpha", "AllBeta")
"""Gates that stand for all of a stage."""

Configuration = str | Mapping[str, Any] | None
"""The text of a configuration or Policy, or what it parses to; None for the defaults."""


@dataclass(frozen=True)
class RulesGiven:
    """The rules of a session.

    Attributes:
        scheduler: the rules.
        configuration: what they were made of.
        origin: where that is from, as shown to the user; empty for the defaults.
        assumed: why the scheduler of the source may follow others; empty if it is known, or was not asked.
    """

    scheduler: Scheduler
    configuration: Configuration = None
    origin: str = ""
    assumed: str = ""


def read_configuration(rules: Rules) -> str | None:
    """Read what ``--config`` or ``--policy`` names: a file's text, a provider as a Policy, or the name of a ConfigMap.

    Raises:
        ConfigError: a file cannot be read.
        UsageError: both are given.
    """
    if rules.config and rules.policy:
        hint = "a scheduler has one or the other"
        raise UsageError("--config and --policy: each is the whole configuration", code="two-rules", hint=hint)
    named = rules.config or rules.policy
    return _read(named) if named else None


def configuration_file(rules: Rules) -> str:
    """Absolute name of the file that ``--config`` or ``--policy`` names; empty where it is no file."""
    from kplan.config import provider_policy

    named = rules.config or rules.policy
    is_file = named and not named.startswith(CONFIG_MAP) and not provider_policy(named)
    return shown(Path(named).absolute()) if is_file else ""


def _read(path: str) -> str:
    from kplan.config import provider_policy

    if path.startswith(CONFIG_MAP):
        return path
    if provider := provider_policy(path):
        return provider
    try:
        return load(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}", code="config-unreadable") from error


def make_rules(read: StateRead, version: str, gates: Mapping[str, bool], text: str | None, file: str) -> RulesGiven:
    """Make the rules that were asked for, and where nothing was asked those that the source recorded.

    Args:
        read: the state.
        version: see ``studies.origin.version_of``.
        gates: feature gates that are asked for.
        text: see ``read_configuration``.
        file: what the text is from, for messages.

    Raises:
        ConfigError: version, gates or configuration are refused, or there is no such ConfigMap.
    """
    from kplan.api import Scheduler

    state = read.state
    if text is None:
        return _recorded(state, version, gates)
    configuration: Configuration = text
    origin = PurePath(file).name
    if text.startswith(CONFIG_MAP) and "\n" not in text:
        namespace, name = _names(text)
        configuration, origin = _of_config_map(read, namespace, name), f"ConfigMap {namespace}/{name}"
    known, passed_over = _sifted(state.scheduler.gates, version, _where(state))
    scheduler = Scheduler.of(version, gates={**known, **gates}, config=configuration, file=file)
    return RulesGiven(scheduler, configuration, _with_form(origin, scheduler), passed_over)


def _with_form(origin: str, scheduler: Scheduler) -> str:
    form = scheduler.configuration.form
    return origin if form in ("v1", "", origin) else f"{origin} ({form})"


def _names(text: str) -> tuple[str, str]:
    """Namespace and name of ``configmap/NAMESPACE/NAME``, or of ``configmap/NAME`` in kube-system."""
    namespace, slash, name = text.removeprefix(CONFIG_MAP).partition("/")
    if not slash:
        namespace, name = _NAMESPACE, namespace
    if not name or "/" in name:
        raise UsageError(f"{text}: names no ConfigMap", code="bad-config-map", hint="configmap/NAMESPACE/NAME")
    return namespace, name


def _of_config_map(read: StateRead, namespace: str, name: str) -> Mapping[str, Any]:
    """Read the configuration that a ConfigMap holds, of a dump or of the live cluster.

    Raises:
        ConfigError: there is none.
        LiveError: the cluster gives no answer.
    """
    known = read.state.scheduler_config_maps
    key = f"{namespace}/{name}"
    if key in known:
        return known[key]
    if read.live:
        from kplan.sources.live import configuration_of

        held = configuration_of(*read.where, namespace, name)
        if held is not None:
            return held
    have = f"there is one in {', '.join(known)}" if known else "no ConfigMap here holds one that can be read"
    raise ConfigError(f"ConfigMap {key} with a scheduler's configuration: not found", code="no-config-map", hint=have)


def _recorded(state: ClusterState, version: str, gates: Mapping[str, bool]) -> RulesGiven:
    """Make the rules that a source says its scheduler follows, as far as they are not refused."""
    from kplan.api import Scheduler
    from kplan.sources.schedulers import ASSUMED

    refusal: ConfigError | None = None
    where = state.scheduler.origin or ("the source" if state.scheduler.configuration is not None else "")
    known, passed_over = _sifted(state.scheduler.gates, version, _where(state))
    doubt = "; ".join(filter(None, (state.scheduler.doubt, passed_over)))
    for recorded, recorded_gates, whole in _said(state, known):
        try:
            scheduler = Scheduler.of(
                version, gates={**recorded_gates, **gates}, config=recorded, file=where or "the source"
            )
        except ConfigError as error:
            refusal = refusal or error
            continue
        if whole:
            return RulesGiven(scheduler, recorded, _with_form(where, scheduler), doubt)
        assert refusal is not None, "whatever is not all of it comes after what was refused"
        said = f"what {_where(state)} {_verb(where, 'says')} of the scheduler is refused ({refusal.message})"
        return RulesGiven(scheduler, assumed="; ".join(filter(None, (f"{said}: {ASSUMED}", passed_over))))
    assert refusal is not None
    raise refusal


def _where(state: ClusterState) -> str:
    """What says how the scheduler of a source is set up."""
    return state.scheduler.origin or "the source"


def _verb(where: str, verb: str) -> str:
    """The verb of what says it: arguments say, a ConfigMap says."""
    return verb.removesuffix("s") if where.startswith("arguments") else verb


def _sifted(gates: Mapping[str, bool], version: str, where: str) -> tuple[dict[str, bool], str]:
    """Gates of a source that a version can be set to, and a doubt about the others: of another version, some are gone.

    Args:
        gates: as recorded.
        version: whose rules are made.
        where: what sets them.
    """
    from kplan.config import features
    from kplan.config.gates import gates as known_gates

    known = known_gates(features(version).features.version.minor) if gates else {}
    unknown = sorted(gates.keys() - known.keys() - set(ALL_GATES))
    locked = sorted(name for name, on in gates.items() if name in known and known[name].fixed_to(not on))
    sets = f"{where} {_verb(where, 'sets')} feature gates that these rules"
    doubts = []
    if unknown:
        doubts.append(f"{sets} do not know: {', '.join(unknown)}")
    if locked:
        doubts.append(f"{sets} have locked to another value: {', '.join(locked)}")
    return {name: on for name, on in gates.items() if name not in (*unknown, *locked)}, "; ".join(doubts)


def _said(
    state: ClusterState, gates: Mapping[str, bool]
) -> Iterator[tuple[Mapping[str, Any] | None, Mapping[str, bool], bool]]:
    """Yield what a source says of its scheduler, and whether that is all of it: as much as can be had first."""
    recorded = state.scheduler.configuration
    for head in () if recorded is None else _HEADS if "kind" not in recorded else ({},):
        yield {**head, **(recorded or {})}, gates, True
    if gates:
        yield None, gates, recorded is None
    yield None, {}, recorded is None and not gates


def read_gates(text: str) -> dict[str, bool]:
    """Read ``A=true,B=false``.

    Raises:
        UsageError: it is something else.
    """
    gates: dict[str, bool] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if value.lower() not in ("true", "false"):
            raise UsageError(f"--feature-gates: {part!r}", code="bad-gate", hint="write Name=true or Name=false")
        gates[name.strip()] = value.lower() == "true"
    return gates


def calling(scheduler: Scheduler, read: StateRead, calls: int) -> Scheduler:
    """Have the extenders of a scheduler asked, with objects whole as the source has them.

    Args:
        scheduler: the rules.
        read: the state, and where it is from.
        calls: requests at most.

    Raises:
        ConfigError: certificates of an extender cannot be used.
    """
    from kplan.extenders import Budget
    from kplan.sources.originals import FileOriginals

    if read.live:
        from kplan.sources.live import LiveOriginals

        return scheduler.calling(Budget(calls), LiveOriginals(*read.where))
    return scheduler.calling(Budget(calls), FileOriginals(read.path))
