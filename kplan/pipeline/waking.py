"""What wakes a pod that the scheduler has refused: which plugins did, and which of them ask to hear of what happened.

Source: v1.37.2 pkg/scheduler/backend/queue/scheduling_queue.go isPodWorthRequeuing, eventhandlers.go
getLEPriorityPreCheck; v1.36.3 scheduler.go buildQueueingHintMap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.objects.models import Pod
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.statuses import Statuses
from kplan.result import Outcome

_TAINTS = Interest(Resource.NODE, Action.NODE_TAINT)
EXTENDERS = "extenders"
"""Stands for any extender among those that refuse: whatever happens wakes the pod then."""


def rejectors(outcome: Outcome) -> frozenset[str]:
    """Names of the plugins that a refused pod waits for; none where its cycle failed, and then anything wakes it.

    Those are the first to refuse any node, the one that refused the pod as a whole, and those that named nodes.
    """
    if outcome.pre_enqueue is not None and outcome.kept_out:
        return frozenset((outcome.pre_enqueue.plugin,))
    diagnosis = outcome.diagnosis
    if diagnosis is None or outcome.error:
        return frozenset()
    if diagnosis.pre_filter is not None:
        named = (about.name for why in diagnosis.pre_filter.whys for about in why.about)
        return frozenset((diagnosis.pre_filter.plugin,) if diagnosis.pre_filter.plugin else named)
    plugins = set(diagnosis.pre_filter_plugins)
    if isinstance(diagnosis.status, Statuses):
        # a status without a plugin is an extender's
        plugins |= {plugin or EXTENDERS for plugin in diagnosis.status.plugins()}
    if diagnosis.nominated_outside is not None:
        plugins.add(diagnosis.nominated_outside.plugin)
    return frozenset(plugins)


class Waking(Struct, frozen=True):
    """What one refused pod waits for.

    Attributes:
        pipeline: plugins of its profile.
        pod: the pod.
        plugins: those that refused it.
    """

    pipeline: Pipeline
    pod: PodInfo
    plugins: frozenset[str]

    def interests(self) -> Iterator[tuple[str, Interest]]:
        """Yield what each of them asks to hear of, by its name."""
        for plugin in self._those():
            asked = _asked(plugin)
            for interest in (*asked, _TAINTS) if self._taints_too(asked) else asked:
                yield plugin.name, interest

    def by(self, cluster: Cluster, happened: Iterable[Happened]) -> str:
        """Name the first of them that something wakes the pod for; empty for none.

        Args:
            cluster: as it is after it.
            happened: one thing after the other.
        """
        events = [event for event in happened if self._is_told(event)]
        if not self.plugins or EXTENDERS in self.plugins:
            return (EXTENDERS if self.plugins else "any") if events else ""
        for plugin in self._those():
            asked = _asked(plugin)
            if any(self._takes(plugin, asked, cluster, event) for event in events):
                name: str = plugin.name
                return name
        return ""

    def _takes(self, plugin: Any, asked: tuple[Interest, ...], cluster: Cluster, happened: Happened) -> bool:
        """Whether a plugin takes one thing for a chance."""
        if _TAINTS.covers(happened) and self._taints_too(asked):
            return True
        asks = any(interest.covers(happened) for interest in asked)
        return asks and (not hasattr(plugin, "wakes") or plugin.wakes(self.pod, cluster, happened))

    def _taints_too(self, asked: tuple[Interest, ...]) -> bool:
        """Whether taints that change wake it unseen: up to 1.36, where a plugin hears of new nodes but not of them."""
        nodes = [interest.actions for interest in asked if interest.resource is Resource.NODE]
        if self.pipeline.features.since(37):
            return False
        return any(Action.ADD in actions for actions in nodes) and not any(Action.NODE_TAINT in a for a in nodes)

    def _those(self) -> Iterator[Any]:
        return (plugin for name, plugin in self.pipeline.plugins.items() if name in self.plugins)

    def _is_told(self, happened: Happened) -> bool:
        """Of a pod without a node that gave up the one it was promised, those hear that are no more important."""
        gone = happened.old if happened.resource is Resource.ASSIGNED_POD and happened.action is Action.DELETE else None
        return not isinstance(gone, Pod) or bool(gone.spec.node_name) or self.pod.priority <= (gone.spec.priority or 0)


def _asked(plugin: Any) -> tuple[Interest, ...]:
    """What a plugin asks to hear of."""
    asked: tuple[Interest, ...] = plugin.interests() if hasattr(plugin, "interests") else ()
    return asked
