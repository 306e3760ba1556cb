"""What wakes a pod that the scheduler has refused: which plugins did, and which of them ask to hear of what happened.

Source: v1.37.2 pkg/scheduler/backend/queue/scheduling_queue.go isPodWorthRequeuing, eventhandlers.go;
v1.36.3 scheduling_queue.go getUnschedulablePodsWithCrossTopologyTerm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kplan.cluster import Cluster, PodInfo
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.objects.models import Pod
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.statuses import Statuses
from kplan.result import Outcome

_SPREAD = "PodTopologySpread"
_BY_TERMS = frozenset({Action.ADD, Action.UPDATE, Action.POD_LABEL, Action.POD_TOLERATION, Action.POD_GATES_GONE})
"""What happens to a placed pod that up to 1.36 is told to pods alone that look across nodes."""
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


@dataclass(frozen=True, slots=True)
class Waking:
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
            if hasattr(plugin, "interests"):
                for interest in plugin.interests():
                    yield plugin.name, interest

    def by(self, cluster: Cluster, happened: Iterable[Happened]) -> str:
        """Name the first of them that something wakes the pod for; empty for none.

        Args:
            cluster: as it is after it.
            happened: one thing after the other.
        """
        events = [one for one in happened if self._is_told(cluster, one)]
        if not self.plugins or EXTENDERS in self.plugins:
            return (EXTENDERS if self.plugins else "any") if events else ""
        for plugin in self._those():
            interests = plugin.interests() if hasattr(plugin, "interests") else ()
            for one in events:
                if any(interest.covers(one) for interest in interests) and (
                    not hasattr(plugin, "wakes") or plugin.wakes(self.pod, cluster, one)
                ):
                    name: str = plugin.name
                    return name
        return ""

    def _those(self) -> Iterator[Any]:
        return (plugin for name, plugin in self.pipeline.plugins.items() if name in self.plugins)

    def _is_told(self, cluster: Cluster, one: Happened) -> bool:
        """Up to 1.36, of a placed pod only those hear that spread in its namespace or have a term about it."""
        if self.pipeline.features.since(37) or one.resource is not Resource.ASSIGNED_POD or one.action not in _BY_TERMS:
            return True
        other = one.new
        if not isinstance(other, Pod):
            return True
        if _SPREAD in self.plugins and other.namespace == self.pod.namespace:
            return True
        namespace = cluster.objects.namespaces.get(other.namespace)
        labels = namespace.labels if namespace is not None else {}
        return any(term.matches(other.namespace, other.labels, labels) for term in self.pod.pod_class.affinity)
