"""The public Python API: what the commands are made of.

state = kplan.load("snapshot.json")
scheduler = kplan.Scheduler.of("1.36")
for outcome in kplan.explain(state, scheduler=scheduler):
    print(outcome.pod, "gated" if outcome.gated else outcome.fit_error or "fits")
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from kplan.cluster import Cluster, PodInfo, build
from kplan.config import EXTENDER_DOUBT, Doubt, SchedulerConfiguration, default_configuration, features
from kplan.config import load as load_configuration
from kplan.errors import UsageError
from kplan.extenders import Budget, HttpExtender
from kplan.extenders.http import Originals
from kplan.framework.extender import ExtenderCaller
from kplan.framework.features import Features
from kplan.objects.requests import RequestRules, set_resource_defaults
from kplan.objects.state import ClusterState
from kplan.pipeline import Pipeline, Planner, bind_profiles
from kplan.plugins.others import names, other, points_of
from kplan.result import Outcome, Plan
from kplan.sources import load


@dataclass(frozen=True)
class Scheduler:
    """The rules a plan is made by: version, gates and configuration.

    Attributes:
        features: version and feature gates.
        configuration: profiles.
        doubts: what about version or configuration kplan does not model.
        asked: the minor asked for, which may be older than that of the rules; None for none.
        callers: what asks its extenders; they are not asked if there are none.
        instead: schedulerName that every pod is taken to have; empty for its own.
    """

    features: Features
    configuration: SchedulerConfiguration
    doubts: tuple[Doubt, ...] = ()
    asked: int | None = None
    callers: tuple[ExtenderCaller, ...] = ()
    instead: str = ""

    @classmethod
    def of(
        cls,
        version: str = "",
        *,
        gates: Mapping[str, bool] | None = None,
        config: str | bytes | Mapping[str, Any] | None = None,
        unknown: Literal["refuse", "doubt"] = "doubt",
        validate: bool = True,
        file: str = "",
    ) -> Scheduler:
        """Make a scheduler.

        Args:
            version: ``1.36``, ``v1.36.3``; empty for the newest.
            gates: feature gates that differ from the defaults of that version.
            config: a KubeSchedulerConfiguration or a Policy, as text or parsed; None for the default.
            unknown: what to do about plugins that are not built into kube-scheduler, older versions and policies.
            validate: check what the kube-scheduler command checks at start.
            file: name of the configuration, for messages.

        Raises:
            ConfigError: version, gates or configuration are refused.
        """
        release = features(version, gates)
        asked = release.asked.minor if release.asked is not None else None
        if config is None:
            configuration = default_configuration(release.features)
        else:
            others = _others(config) if unknown == "doubt" else {}
            configuration = load_configuration(
                config, release.features, validate=validate, unknown=unknown, file=file, asked=asked, others=others
            )
        doubts = (*((release.doubt,) if release.doubt else ()), *configuration.doubts)
        return cls(release.features, configuration, doubts, asked)

    def calling(self, budget: Budget | None = None, originals: Originals = lambda item: None) -> Scheduler:
        """Ask extenders from here on; the doubts that they are not asked are gone.

        Args:
            budget: how many requests may be sent; as by default if None.
            originals: gives objects as they were read, with what the models leave out.

        Raises:
            ConfigError: certificates of an extender cannot be used.
        """
        shared = budget or Budget()
        callers = tuple(HttpExtender(extender, shared, originals) for extender in self.configuration.extenders)
        left = tuple(doubt for doubt in self.doubts if doubt.code != EXTENDER_DOUBT)
        return dataclasses.replace(self, callers=callers, doubts=left)

    def for_all(self, name: str) -> Scheduler:
        """Take every pod for one of a schedulerName, whatever its own is.

        Args:
            name: of a profile.

        Raises:
            UsageError: no profile has it.
        """
        known = [profile.scheduler_name for profile in self.configuration.profiles]
        if name not in known:
            raise UsageError(
                f"no profile is called {name}", code="no-such-profile", hint=f"profiles: {', '.join(known)}"
            )
        return dataclasses.replace(self, instead=name)

    @cached_property
    def pipelines(self) -> dict[str, Pipeline]:
        """Plugins of each profile by scheduler name."""
        return bind_profiles(self.configuration, self.features, self.callers)

    @property
    def request_rules(self) -> RequestRules:
        """How this version counts what pods request."""
        f = self.features
        return RequestRules(
            minor=f.version.minor,
            pod_level_resources=f.enabled("PodLevelResources"),
            container_status=f.enabled("InPlacePodVerticalScaling"),
            status_per_pod=f.since(37),
            pod_level_status=f.enabled("InPlacePodLevelResourcesVerticalScaling"),
            pod_level_defaults=not f.enabled("PodLevelResourcesFixDefaulting"),
            claimed_node_resources=f.enabled("DRANodeAllocatableResources"),
            sets_unavailable=f.enabled("MaxUnavailableStatefulSet"),
            sets_recreate=f.enabled("StatefulSetRecreateStrategy"),
        )

    def cluster(self, state: ClusterState) -> Cluster:
        """Build the columns of a state by the rules of this version."""
        return build(state, self.request_rules, self.instead)

    def planner(self, state: ClusterState | Cluster, **options: Any) -> Planner:
        """Make a planner over a state (or over columns built before)."""
        cluster = state if isinstance(state, Cluster) else self.cluster(state)
        return Planner(cluster, self.pipelines, **options)


def _others(config: str | bytes | Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Extension points of the plugins of others that a configuration names; the rest of them are not loaded."""
    installed = names()
    if not installed:
        return {}
    text = config if isinstance(config, str) else config.decode() if isinstance(config, bytes) else repr(config)
    plugins = {name: other(name) for name in sorted(installed) if name in text}
    return {name: points_of(plugin) for name, plugin in plugins.items() if plugin is not None}


def find_pods(planner: Planner, names: Sequence[str]) -> list[PodInfo]:
    """Find pods by ``namespace/name``; a text alone names one.

    Raises:
        UsageError: there is no such pod, or it is no profile's.
    """
    pods = []
    for name in [names] if isinstance(names, str) else names:
        row = planner.cluster.pod_index.get(name)
        if row is None:
            raise UsageError(f"no pod {name}", code="no-such-pod")
        pod = planner.cluster.pods[row]
        if pod.scheduler_name not in planner.pipelines:
            raise UsageError(f'profile not found for scheduler name "{pod.scheduler_name}"', code="other-scheduler")
        pods.append(pod)
    return pods


def explain(
    state: ClusterState, pods: Sequence[str] | None = None, *, scheduler: Scheduler | None = None
) -> tuple[Outcome, ...]:
    """Answer for each pod against the state as it is; the waiting pods in queue order if None are named.

    Raises:
        UsageError: a named pod is not there.
    """
    planner = (scheduler or Scheduler.of()).planner(state)
    asked = planner.waiting() if pods is None else find_pods(planner, pods)
    return tuple(planner.explain(pod) for pod in asked)


def simulate(
    state: ClusterState,
    pods: Sequence[str] | None = None,
    *,
    scheduler: Scheduler | None = None,
    preempt: bool = True,
    ambiguous: bool = True,
) -> Plan:
    """Try pods one after another, each placement assumed before the next.

    Args:
        state: the state; it is not changed.
        pods: ``namespace/name`` of the pods to try, in this order; the queue if None.
        scheduler: the rules; those of the newest version if None.
        preempt: carry out preemptions.
        ambiguous: carry out a preemption also when the scheduler would have to draw.

    Raises:
        UsageError: a named pod is not there.
    """
    planner = (scheduler or Scheduler.of()).planner(state, preempt=preempt, ambiguous=ambiguous)
    return planner.simulate(None if pods is None else find_pods(planner, pods))


def fill_in(state: ClusterState, scheduler: Scheduler) -> None:
    """Fill in requests of the pods of a state as the API server does; those it has seen have them already.

    Raises:
        QuantityError: a quantity cannot be read.
    """
    rules = scheduler.request_rules
    done: set[tuple[int, ...]] = set()
    for pod in state.pods:
        spec, status = pod.spec, pod.status
        own = (spec.resources, spec.overhead, status.resources, status.allocated_resources)
        if own == (None, None, None, None):  # all there is to fill in is in parts that pods of one workload may share
            statuses = (id(status.container_statuses), id(status.init_container_statuses))
            parts = (id(spec.containers), id(spec.init_containers), *statuses)
            if parts in done:
                continue
            done.add(parts)
        set_resource_defaults(pod, rules)


__all__ = ["Scheduler", "explain", "fill_in", "find_pods", "load", "simulate"]
