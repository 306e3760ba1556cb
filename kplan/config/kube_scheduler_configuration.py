"""KubeSchedulerConfiguration: read strictly, defaulted, checked and expanded to profiles, as kube-scheduler does.

Text or parsed value -> (an older version is written anew) -> decode -> defaults -> validation -> extenders ->
profiles; ``load`` is the way in. A Policy takes another way to the same end, in ``policy``.
Differs from kube-scheduler: certificates of extenders are neither read from files nor parsed.
Source: kubernetes v1.37.2 pkg/scheduler/apis/config/v1/defaults.go; pkg/scheduler/scheduler.go New, buildExtenders;
pkg/scheduler/profile/profile.go NewMap; kube-scheduler v0.37.2 config/v1/types.go DecodeNestedObjects.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.config import policy_wire, text, validation
from kplan.config.decode import Decoder
from kplan.config.extenders import extender_doubt
from kplan.config.older import LAST, Conversion, converted, is_older
from kplan.config.plugin_args import default_args, with_defaults
from kplan.config.policy import LAST_MINOR, choose, minor_of
from kplan.config.policy import build as build_policy
from kplan.config.policy_wire import is_policy
from kplan.config.profile import MULTI_POINT, Builder, Profile, merge_with_defaults
from kplan.config.validation import DefaultedProfile
from kplan.config.versions import extension_points
from kplan.config.wire import API_VERSION, KIND, KubeSchedulerConfiguration, KubeSchedulerProfile
from kplan.errors import ConfigError
from kplan.framework.args import PLUGIN_ARGS, Args, Extender, NodeResourcesFitArgs
from kplan.framework.doubt import Doubt
from kplan.framework.features import Features
from kplan.words import aggregate

DEFAULT_SCHEDULER_NAME = "default-scheduler"
DEFAULT_PARALLELISM = 16
_EXTENDER_TIMEOUT = 5 * 10**9  # [ns]
_NO_START = "kube-scheduler would not start with this configuration"


class SchedulerConfiguration(Struct, frozen=True):
    """What a scheduler runs with.

    Attributes:
        profiles: in file order; scheduler names are unique.
        extenders: in the order they are asked: those that may fail (ignorable) last.
        parallelism: goroutines of the live scheduler; of no effect on a plan.
        percentage_of_nodes_to_score: of profiles without their own; 0 for adaptive [percent].
        doubts: what was let pass because of ``unknown="doubt"``, what an older version or a Policy leaves open, and
            extenders that are asked about every pod; of those with managed resources it depends on the pod.
        form: what it was written as: ``v1``, ``v1beta3``, ``v1beta2``, ``Policy`` or the name of a provider; empty for
            the defaults.
    """

    profiles: tuple[Profile, ...]
    extenders: tuple[Extender, ...] = ()
    parallelism: int = DEFAULT_PARALLELISM
    percentage_of_nodes_to_score: int = 0
    doubts: tuple[Doubt, ...] = ()
    form: str = ""

    def profile(self, scheduler_name: str) -> Profile | None:
        """The profile of a scheduler name; None if pods with it are another scheduler's."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)


def load(
    source: str | bytes | Mapping[str, Any],
    features: Features,
    *,
    validate: bool = False,
    unknown: Literal["refuse", "doubt"] = "refuse",
    file: str = "",
    asked: int | None = None,
    others: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> SchedulerConfiguration:
    """Read a configuration, or a Policy.

    Args:
        source: YAML or JSON text, or what it parses to.
        features: version and gates of the scheduler it is for.
        validate: also check what the kube-scheduler command checks at start (for a real cluster's file). Without,
            only what making the scheduler checks, which is what a program that embeds it gets: arguments of
            plugins that are not enabled, percentages, backoffs and extenders' fields then pass.
        unknown: what to do about enabled plugins that are not built into kube-scheduler, older versions and policies:
            refuse the configuration as it does, or leave the plugins out, read the others by their meaning, and say so
            in ``doubts``.
        file: its name, for messages.
        asked: the minor asked for, which may be older than those of ``features``; None for none. A Policy is read as
            that minor read it.
        others: plugins that packages bring, with their extension points; they are known then.

    Raises:
        ConfigError: when kube-scheduler of that version refuses it, in its words where they are short.
    """
    try:
        tree = parse(source)
        lenient = unknown == "doubt"
        if lenient and is_policy(tree):
            return _of_policy(tree, features, asked)
        return _of_configuration(tree, features, others, validate=validate, allow_unknown=lenient)
    except ConfigError as error:
        if not file:
            raise
        raise ConfigError(f"{file}: {error.message}", code=error.code, hint=error.hint) from error


def _of_configuration(
    tree: Any, features: Features, others: Mapping[str, frozenset[str]], *, validate: bool, allow_unknown: bool
) -> SchedulerConfiguration:
    conversion = converted(tree) if allow_unknown and is_older(tree) else None
    wire, arguments = _decode(tree if conversion is None else conversion.tree, features.version.minor)
    # a file without any profile has one that says nothing
    numbers = range(len(wire.profiles) or 1)
    drafts = [_with_defaults(wire, i, arguments[i] if arguments else (), features) for i in numbers]
    if validate and (errors := validation.validate(wire, drafts, features)):
        raise ConfigError(aggregate(errors), code="config-invalid", hint=_NO_START)
    extenders, drafts = _extenders(wire.extenders, drafts)
    percentage = wire.percentage_of_nodes_to_score or 0
    profiles = _build(drafts, features, percentage, others, allow_unknown=allow_unknown, old=conversion is not None)
    if wire.pod_initial_backoff_seconds is not None:
        profiles = tuple(replace(profile, first_backoff=wire.pod_initial_backoff_seconds) for profile in profiles)
    doubts = [doubt for profile in profiles for doubt in _doubts(profile)]
    if conversion is not None:
        doubts.append(_converted_doubt(conversion, features))
    return SchedulerConfiguration(
        profiles=profiles,
        extenders=extenders,
        parallelism=DEFAULT_PARALLELISM if wire.parallelism is None else wire.parallelism,
        percentage_of_nodes_to_score=percentage,
        doubts=(*doubts, *_asked_about_all(extenders)),
        form=str(tree["apiVersion"]).rpartition("/")[2],
    )


def _of_policy(tree: Mapping[str, Any], features: Features, asked: int | None) -> SchedulerConfiguration:
    policy = policy_wire.decode(tree)
    minor = minor_of(asked)
    chosen = choose(policy, minor)
    extenders, _ = _extenders(policy.extenders, [])
    doubts = [] if asked is not None and asked <= LAST_MINOR else [_policy_doubt(features)]
    return SchedulerConfiguration(
        profiles=(build_policy(chosen, policy, features, minor, DEFAULT_SCHEDULER_NAME),),
        extenders=extenders,
        doubts=(*doubts, *_asked_about_all(extenders)),
        form=policy.algorithm_provider or policy_wire.POLICY,
    )


def _converted_doubt(conversion: Conversion, features: Features) -> Doubt:
    version, last = conversion.version.rpartition("/")[2], LAST[conversion.version]
    refused = f"kube-scheduler {features.version} does not read {version} (since after {last})"
    return Doubt("config-converted", f"{refused}: planned with what kplan config migrate makes of it")


def _policy_doubt(features: Features) -> Doubt:
    refused = f"kube-scheduler reads no Policy since 1.{LAST_MINOR + 1}"
    meant = f"planned by its meaning in 1.{LAST_MINOR} with plugins of {features.version}"
    return Doubt("policy-removed", f"{refused}: {meant}")


def default_configuration(features: Features) -> SchedulerConfiguration:
    """What a scheduler runs with that is given no configuration file."""
    return load({"apiVersion": API_VERSION, "kind": KIND}, features)


def default_profile(features: Features) -> Profile:
    """The only profile of a scheduler that is given no configuration file."""
    return default_configuration(features).profiles[0]


# --- decoding

Arguments = Sequence[tuple[str, Any]]
"""Plugins and their arguments in file order: ``Args``, or raw values for a plugin that takes none."""


def parse(source: str | bytes | Mapping[str, Any]) -> Any:
    """Parse the text of a configuration; what is parsed already is given back.

    Raises:
        ConfigError: it is neither YAML nor JSON.
    """
    if isinstance(source, bytes):
        source = source.decode("utf-8", errors="replace")
    return text.parse(source) if isinstance(source, str) else source


def _decode(tree: Any, minor: int) -> tuple[KubeSchedulerConfiguration, list[Arguments]]:
    _check_header(tree)
    decoder = Decoder(minor)
    wire = decoder.struct(KubeSchedulerConfiguration, tree)
    arguments = [_arguments(decoder, profile, f"profiles[{i}]") for i, profile in enumerate(wire.profiles)]
    decoder.check_unknown()
    return wire, arguments


def _check_header(tree: Any) -> None:
    kind, version = (tree.get("kind"), tree.get("apiVersion")) if isinstance(tree, Mapping) else (None, None)
    if not kind or not version:
        raise ConfigError(
            f"Object {'apiVersion' if kind else 'Kind'!r} is missing",
            code="config-kind",
            hint=f"it must start with apiVersion: {API_VERSION} and kind: {KIND}",
        )
    if (version, kind) != (API_VERSION, KIND):
        raise ConfigError(
            f'no kind "{kind}" is registered for version "{version}"',
            code="config-kind",
            hint=f"use {KIND} of {API_VERSION}: kplan config migrate converts older ones",
        )


def _arguments(decoder: Decoder, profile: KubeSchedulerProfile, path: str) -> Arguments:
    return [
        (config.name, _plugin_args(decoder, config.name, config.args, f"{path}.pluginConfig[{j}].args"))
        for j, config in enumerate(profile.plugin_config)
    ]


def _plugin_args(decoder: Decoder, name: str, raw: Any, path: str) -> Any:
    cls = PLUGIN_ARGS.get(name)
    if cls is None or raw is None:
        return raw if cls is None else cls()
    fields = dict(raw) if isinstance(raw, Mapping) else raw
    if isinstance(fields, dict):
        kind, version = fields.pop("kind", None) or f"{name}Args", fields.pop("apiVersion", None) or API_VERSION
        if (version, kind) != (API_VERSION, f"{name}Args"):
            raise ConfigError(
                f"{path}: args for plugin {name} were not of type {name}Args of {API_VERSION}, got {kind} of {version}",
                code="config-kind",
                hint="leave kind and apiVersion of args out",
            )
    return decoder.struct(cls, fields, path)


# --- defaults


def _with_defaults(
    wire: KubeSchedulerConfiguration, index: int, arguments: Arguments, features: Features
) -> DefaultedProfile:
    """Source: SetDefaults_KubeSchedulerConfiguration, setDefaults_KubeSchedulerProfile."""
    given = wire.profiles[index] if wire.profiles else KubeSchedulerProfile()
    name = given.scheduler_name
    if name is None:
        # Of several profiles each must be named: validation and NewMap see to it.
        name = DEFAULT_SCHEDULER_NAME if len(wire.profiles) < 2 else ""
    sets = merge_with_defaults(given.plugins, features)
    configs = [
        (plugin, with_defaults(args, features) if isinstance(args, Args) else args) for plugin, args in arguments
    ]
    configured = {plugin for plugin, _ in configs}
    points = [MULTI_POINT, *(p.name for p in extension_points(features.version.minor) if p.gives_args)]
    enabled = {plugin.name for point in points for plugin in sets[point].enabled}
    for plugin in sorted(enabled - configured):
        if (args := default_args(plugin, features)) is not None:
            configs.append((plugin, args))
    return DefaultedProfile(name, given.percentage_of_nodes_to_score, sets, configs)


# --- extenders


def _extenders(
    given: Sequence[Extender], drafts: list[DefaultedProfile]
) -> tuple[tuple[Extender, ...], list[DefaultedProfile]]:
    """Order extenders, and have every profile ignore the resources they keep from the scheduler."""
    extenders = [
        extender if extender.http_timeout else msgspec.structs.replace(extender, http_timeout=_EXTENDER_TIMEOUT)
        for extender in given
    ]
    for extender in extenders:
        tls = extender.tls_config
        if tls is not None and tls.insecure and (tls.ca_file or tls.ca_data):
            problem = "specifying a root certificates file with the insecure flag is not allowed"
            raise ConfigError(f"couldn't build extenders: {problem}", code="config-refused", hint=_NO_START)
    ignored = tuple(
        resource.name
        for extender in extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    )
    if ignored and drafts:
        drafts = [_ignoring(draft, ignored) for draft in drafts]
    return tuple(sorted(extenders, key=lambda extender: extender.ignorable)), drafts


def _ignoring(draft: DefaultedProfile, resources: tuple[str, ...]) -> DefaultedProfile:
    """Put these in the place of the resources that NodeResourcesFit ignores."""
    configs = list(draft.configs)
    for i, (plugin, args) in enumerate(configs):
        if isinstance(args, NodeResourcesFitArgs):
            configs[i] = (plugin, msgspec.structs.replace(args, ignored_resources=resources))
            return replace(draft, configs=configs)
    problem = "can't find NodeResourcesFitArgs in plugin config"
    raise ConfigError(f"couldn't build extenders: {problem}", code="config-refused", hint=_NO_START)


def _asked_about_all(extenders: Sequence[Extender]) -> list[Doubt]:
    """Doubts about extenders that no pod escapes."""
    doubts = (extender_doubt(extender) for extender in extenders if not extender.managed_resources)
    return [doubt for doubt in doubts if doubt is not None]


# --- profiles


def _build(
    drafts: Sequence[DefaultedProfile],
    features: Features,
    percentage: int,
    others: Mapping[str, frozenset[str]],
    *,
    allow_unknown: bool,
    old: bool,
) -> tuple[Profile, ...]:
    profiles: dict[str, Profile] = {}
    sorts: list[tuple[str, Any]] = []
    for draft in drafts:
        args: dict[str, Any] = {}
        for plugin, given in draft.configs:
            if plugin in args:
                place = f"creating profile for scheduler name {draft.name}"
                raise _refused(f"{place}: repeated config for plugin {plugin}")
            args[plugin] = given
        typed = {plugin: given for plugin, given in args.items() if isinstance(given, Args)}
        raw = {plugin: given for plugin, given in args.items() if not isinstance(given, Args)}
        builder = Builder(
            draft.name,
            features,
            draft.sets,
            typed,
            allow_unknown=allow_unknown,
            old=old,
            others=others,
            raw_args=raw,
        )
        own = draft.percentage_of_nodes_to_score
        profile = builder.build(percentage if own is None else own)
        if not draft.name:
            raise _refused("scheduler name is needed")
        if draft.name in profiles:
            raise _refused(f'duplicate profile with scheduler name "{draft.name}"')
        sorts += [(name, args.get(name)) for name in profile.plugins["queueSort"]]
        _check_sorts(draft.name, sorts)
        profiles[draft.name] = profile
    return tuple(profiles.values())


def _check_sorts(profile: str, sorts: Sequence[tuple[str, Any]]) -> None:
    if not sorts:
        return
    (first, first_args), (last, last_args) = sorts[0], sorts[-1]
    if first != last:
        raise _refused(f'different queue sort plugins for profile "{profile}": "{last}", first: "{first}"')
    if first_args != last_args:
        raise _refused(f'different queue sort plugin args for profile "{profile}"')


def _refused(problem: str) -> ConfigError:
    return ConfigError(f"initializing profiles: {problem}", code="config-refused", hint=_NO_START)


def _doubts(profile: Profile) -> list[Doubt]:
    doubts = [
        Doubt(
            "plugin-not-modelled",
            f"plugin {name} of profile {profile.scheduler_name} is not built into kube-scheduler: planned without it",
        )
        for name in profile.unknown_plugins
    ]
    if not profile.plugins["queueSort"]:
        sort = f"profile {profile.scheduler_name} sorts its queue by a plugin that is not built into kube-scheduler"
        doubts.append(Doubt("queue-sort-assumed", f"{sort}: PrioritySort's order is assumed"))
    return doubts
