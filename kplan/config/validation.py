"""The rules kube-scheduler checks a whole configuration by when it starts.

Source: kubernetes v1.37.2 pkg/scheduler/apis/config/validation/validation.go ValidateKubeSchedulerConfiguration;
component-base v0.37.2 config/validation/validation.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from kplan.config.durations import format_duration
from kplan.config.field_errors import (
    duplicate,
    invalid,
    required,
)
from kplan.config.plugin_args import check
from kplan.config.wire import (
    API_VERSION,
    FIRST_BACKOFF,
    ClientConnection,
    KubeSchedulerConfiguration,
    LeaderElection,
    PluginSet,
)
from kplan.framework.args import Args, Extender
from kplan.framework.features import Features
from kplan.objects.formats import label_key
from kplan.objects.resource_names import is_extended_resource

_SECOND = 10**9
_REMOVED = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")
_WAS_INVALID = f'was invalid in version "v1" (KubeSchedulerConfiguration is version "{API_VERSION}")'
# Where removed plugins are looked for: not at multiPoint and the placement points.
_CHECKED_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
    "podGroupPostFilter",
)


class DefaultedProfile(Struct, frozen=True):
    """A profile with every default filled in, before it is built.

    Attributes:
        name: its scheduler name, possibly empty.
        percentage_of_nodes_to_score: None for the configuration's.
        sets: merged lists: ``multiPoint`` and every extension point of the version.
        configs: (plugin, arguments) in file order, then the defaults of plugins without an entry; arguments are
            raw values for a plugin that takes none.
    """

    name: str
    percentage_of_nodes_to_score: int | None
    sets: Mapping[str, PluginSet]
    configs: Sequence[tuple[str, Any]]

    def config(self, plugin: str) -> Any:
        """The first arguments given for a plugin; None if there are none."""
        return next((args for name, args in self.configs if name == plugin), None)


def validate(wire: KubeSchedulerConfiguration, profiles: Sequence[DefaultedProfile], features: Features) -> list[str]:
    """Check everything and return the field errors, in the order kube-scheduler lists them."""
    errors = _client_connection(wire.client_connection) + _leader_election(wire.leader_election)
    if wire.parallelism is not None and wire.parallelism <= 0:
        errors.append(invalid("parallelism", wire.parallelism, "should be an integer value greater than zero"))
    first: dict[str, int] = {}
    for i, profile in enumerate(profiles):
        path = f"profiles[{i}]"
        errors += _profile(profile, features, path)
        if profile.name in first:
            errors.append(duplicate(f"{path}.schedulerName", {}))
        first[profile.name] = i
    errors += _common_queue_sort(profiles)
    errors += _percentage("percentageOfNodesToScore", wire.percentage_of_nodes_to_score)
    return errors + _backoff(wire) + validate_extenders(wire.extenders)


def _client_connection(connection: ClientConnection) -> list[str]:
    if connection.burst >= 0:
        return []
    return [invalid("clientConnection.burst", connection.burst, "must be non-negative")]


def _leader_election(election: LeaderElection) -> list[str]:
    if election.leader_elect is False:
        return []
    lease = election.lease_duration or 15 * _SECOND
    renew = election.renew_deadline or 10 * _SECOND
    durations = (
        ("leaseDuration", lease),
        ("renewDeadline", renew),
        ("retryPeriod", election.retry_period or 2 * _SECOND),
    )
    errors = [
        invalid(f"leaderElection.{name}", format_duration(duration), "must be greater than zero")
        for name, duration in durations
        if duration <= 0
    ]
    if lease <= renew:
        # The scheduler shows the deadline here, not the lease.
        shown = format_duration(renew)
        errors.append(invalid("leaderElection.leaseDuration", shown, "must be greater than `RenewDeadline`"))
    if election.resource_lock not in ("", "leases"):
        detail = 'resourceLock value must be "leases"'
        errors.append(invalid("leaderElection.resourceLock", election.resource_lock, detail))
    return errors


def _percentage(path: str, percentage: int | None) -> list[str]:
    if percentage is None or 0 <= percentage <= 100:
        return []
    return [invalid(path, percentage, "not in valid range [0-100]")]


def _backoff(wire: KubeSchedulerConfiguration) -> list[str]:
    initial = FIRST_BACKOFF if wire.pod_initial_backoff_seconds is None else wire.pod_initial_backoff_seconds
    longest = 10 if wire.pod_max_backoff_seconds is None else wire.pod_max_backoff_seconds
    errors = []
    if initial <= 0:
        errors.append(invalid("podInitialBackoffSeconds", initial, "must be greater than 0"))
    if longest < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        errors.append(invalid("podMaxBackoffSeconds", longest, detail))
    return errors


def _profile(profile: DefaultedProfile, features: Features, path: str) -> list[str]:
    errors = [] if profile.name else [required(f"{path}.schedulerName")]
    errors += _percentage(f"{path}.percentageOfNodesToScore", profile.percentage_of_nodes_to_score)
    for point in _CHECKED_POINTS:
        for i, plugin in enumerate(profile.sets[point].enabled if point in profile.sets else ()):
            if plugin.name in _REMOVED:
                errors.append(invalid(f"{path}.plugins.{point}.enabled[{i}]", plugin.name, _WAS_INVALID))
    seen: set[str] = set()
    for i, (name, args) in enumerate(profile.configs):
        where = f"{path}.pluginConfig[{i}]"
        if name in seen:
            errors.append(duplicate(where, name))
        seen.add(name)
        if name in _REMOVED:
            errors.append(invalid(where, name, _WAS_INVALID))
        elif isinstance(args, Args) and name != "NodeResourcesFit":
            # The scheduler's table misspells NodeResourcesFit: its arguments are checked when the plugin is made.
            errors += check(name, args, features, f"{where}.args")
    return errors


def _common_queue_sort(profiles: Sequence[DefaultedProfile]) -> list[str]:
    """All profiles share one queue, so they sort it alike."""
    first = profiles[0].sets["queueSort"]
    name = first.enabled[0].name if first.enabled else ""
    args = profiles[0].config(name)
    errors = []
    if len(first.enabled) > 1:
        detail = "only one queue sort plugin can be enabled"
        errors.append(invalid("profiles[0].plugins.queueSort.Enabled", len(first.enabled), detail))
    for i, profile in enumerate(profiles[1:], start=1):
        other = profile.sets["queueSort"]
        if _shown(other) != _shown(first):
            detail = "must be the same for all profiles"
            errors.append(invalid(f"profiles[{i}].plugins.queueSort", _shown(other), detail))
        for config, given in profile.configs:
            if config == name and given != args:
                detail = "queueSort must be the same for all profiles"
                errors.append(invalid(f"profiles[{i}].pluginConfig.args", given, detail))
    return errors


def _shown(plugin_set: PluginSet) -> dict[str, Any]:
    """A list as the scheduler prints it, where no plugins are null."""
    lists = {"Enabled": plugin_set.enabled, "Disabled": plugin_set.disabled}
    return {
        key: [{"Name": plugin.name, "Weight": (plugin.weight or 0) if key == "Enabled" else 0} for plugin in plugins]
        or None
        for key, plugins in lists.items()
    }


def validate_extenders(extenders: Sequence[Extender]) -> list[str]:
    """Check extenders, of a configuration or of a Policy."""
    errors: list[str] = []
    managed: set[str] = set()
    for i, extender in enumerate(extenders):
        path = f"extenders[{i}]"
        if extender.prioritize_verb and extender.weight <= 0:
            errors.append(invalid(f"{path}.weight", extender.weight, "must have a positive weight applied to it"))
        for j, resource in enumerate(extender.managed_resources):
            where = f"{path}.managedResources[{j}].name"
            problems = label_key(resource.name)
            if not problems and not is_extended_resource(resource.name):
                problems = ["is an invalid extended resource name"]
            errors += [invalid(where, resource.name, problem) for problem in problems]
            if resource.name in managed:
                errors.append(invalid(where, resource.name, "duplicate extender managed resource name"))
            managed.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        value = f"found {binders} extenders implementing bind"
        errors.append(invalid("extenders", value, "only one extender can implement bind"))
    return errors
