"""Which pods are meant, by name, by namespace and labels, or by the manifests that bring them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.bind.plan.manifests import ManifestPods
from kplan.cluster import PodInfo
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.scenario.names import Scope, resolve


class Targets(Struct, frozen=True):
    """Which pods are meant.

    Attributes:
        names: pods and owners by name.
        scope: namespaces and labels.
        files: manifests.
        namespace: of objects in manifests that name none.
    """

    names: Sequence[str] = ()
    scope: Scope = field(default_factory=Scope)
    files: Sequence[str] = ()
    namespace: str = ""

    @property
    def any(self) -> bool:
        """Whether pods are meant at all."""
        scope = self.scope
        chosen = scope.everywhere or scope.selector is not None or scope.namespace
        return bool(self.names or self.files or chosen)

    def at_home(self, namespace: str) -> Targets:
        """The same targets where a namespace is meant unless one is given; an empty one changes nothing."""
        scope = self.scope
        if not scope.namespace and not scope.everywhere:
            scope = replace(scope, namespace=namespace)
        return replace(self, scope=scope, namespace=self.namespace or namespace)

    def no_namespace(self, state: ClusterState) -> Iterator[str]:
        """Say of a namespace that it is not there, so that a name that was mistyped does not pass for an empty one."""
        there = {item.name for item in state.namespaces}
        if there and not self.files and self.scope.namespace not in ("", *there):
            yield f"there is no namespace {self.scope.namespace}"


def meant(planner: Planner, targets: Targets, landing: ManifestPods) -> list[PodInfo]:
    """Pods that are meant: those that are there in the order of the queue, then those that are not, as they land."""
    cluster = planner.cluster
    pods = {key: cluster.pods[cluster.pod_index[key]] for key in landing.pods if key in cluster.pod_index}
    if targets.names:
        pods |= {pod.key: pod for pod in resolve(cluster, targets.names, targets.scope)}
    if not targets.files and not targets.names:
        pods |= {pod.key: pod for pod in cluster.pods if pod.waiting and targets.scope.has(pod)}
    there = [pod for key, pod in pods.items() if key not in landing.planned]
    landed = [pod for key, pod in pods.items() if key in landing.planned]
    return [*planner.queue.sort(there), *sorted(landed, key=lambda pod: -pod.priority)]
