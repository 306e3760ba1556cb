"""KubeSchedulerConfiguration as its file spells it (``kubescheduler.config.k8s.io/v1``), before any default.

A field that is absent or null has the default written here; None where the scheduler tells absent from zero.
Source: kube-scheduler v0.37.2 config/v1/types.go; component-base v0.37.2 config/v1alpha1/types.go.
"""

from typing import Any

import msgspec

from kplan.config.versions import extension_points
from kplan.framework.args import Args, Duration, DynamicResourcesArgs, Extender, Int32

GROUP = "kubescheduler.config.k8s.io"
FIRST_BACKOFF = 1
"""podInitialBackoffSeconds of a configuration that does not say [s]."""
API_VERSION = f"{GROUP}/v1"
KIND = "KubeSchedulerConfiguration"


class PluginEntry(Args, frozen=True):
    """A plugin in a list."""

    name: str = ""
    weight: Int32 | None = None


class PluginSet(Args, frozen=True):
    """What one list adds to the defaults and takes from them (``*``: all)."""

    enabled: tuple[PluginEntry, ...] = ()
    disabled: tuple[PluginEntry, ...] = ()


class Plugins(Args, frozen=True):
    """The lists of a profile, one an extension point, and ``multiPoint`` for all points at once."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()
    pod_group_post_filter: PluginSet = PluginSet()

    def at(self, point: str) -> PluginSet:
        """The list of an extension point by the name it has in the file."""
        plugin_set: PluginSet = getattr(self, _ATTRIBUTES[point])
        return plugin_set


_ATTRIBUTES = {field.encode_name: field.name for field in msgspec.structs.fields(Plugins)}


class PluginConfig(Args, frozen=True):
    """Arguments of a plugin, as read from the file."""

    name: str = ""
    args: Any = None


class KubeSchedulerProfile(Args, frozen=True):
    """One profile."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins | None = None
    plugin_config: tuple[PluginConfig, ...] = ()


class LeaderElection(Args, frozen=True):
    """Which of several schedulers works; checked, and of no effect on a plan."""

    leader_elect: bool | None = None
    lease_duration: Duration = 0
    renew_deadline: Duration = 0
    retry_period: Duration = 0
    resource_lock: str = ""
    resource_name: str = ""
    resource_namespace: str = ""


class ClientConnection(Args, frozen=True):
    """How the scheduler talks to the API server; checked, and of no effect on a plan."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    qps: float = 0.0
    burst: Int32 = 0


class KubeSchedulerConfiguration(Args, frozen=True):
    """The whole file."""

    api_version: str = ""
    kind: str = ""
    parallelism: Int32 | None = None
    leader_election: LeaderElection = LeaderElection()
    client_connection: ClientConnection = ClientConnection()
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    pod_initial_backoff_seconds: int | None = None
    pod_max_backoff_seconds: int | None = None
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[Extender, ...] = ()
    delay_cache_until_active: bool = False


def unknown_fields(minor: int) -> frozenset[tuple[type, str]]:
    """Fields above and in the arguments that a minor does not have yet, as (struct, name in the file)."""
    known = {"multiPoint", *(point.name for point in extension_points(minor))}
    later: set[tuple[type, str]] = {(Plugins, name) for name in _ATTRIBUTES if name not in known}
    if minor < 35:
        later.add((DynamicResourcesArgs, "bindingTimeout"))
    return frozenset(later)
