"""Which pods a user means: names, prefixes, ``ns/name``, ``pod/NAME``, ``deploy/x``, label selectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from kplan.cluster import Cluster, PodInfo
from kplan.errors import UsageError
from kplan.objects.selectors import Selector
from kplan.studies.owners import controller, top_owner

DEFAULT_NAMESPACE = "default"

_KINDS = {
    word: kind
    for kind, words in {
        "Pod": ("pod", "pods", "po"),
        "Deployment": ("deploy", "deployment", "deployments"),
        "ReplicaSet": ("rs", "replicaset", "replicasets"),
        "StatefulSet": ("sts", "statefulset", "statefulsets"),
        "DaemonSet": ("ds", "daemonset", "daemonsets"),
        "Job": ("job", "jobs"),
        "CronJob": ("cj", "cronjob", "cronjobs"),
        "ReplicationController": ("rc", "replicationcontroller", "replicationcontrollers"),
    }.items()
    for word in words
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Where pods are looked for.

    Attributes:
        namespace: as given with ``-n``; empty if it was not.
        everywhere: whether ``-A`` was given.
        selector: as given with ``-l``.
    """

    namespace: str = ""
    everywhere: bool = False
    selector: Selector | None = None

    def has(self, pod: PodInfo) -> bool:
        """Whether a pod is in scope when pods are not named."""
        if not self.everywhere and pod.namespace != (self.namespace or DEFAULT_NAMESPACE):
            return False
        return self.selector is None or self.selector.matches(pod.labels)


def resolve(cluster: Cluster, names: Sequence[str], scope: Scope) -> list[PodInfo]:
    """Find the pods that names mean, each once, in the order named.

    Raises:
        UsageError: a name means no pod, or several; the hint names close ones.
    """
    found: dict[int, PodInfo] = {}
    for name in names:
        for pod in _resolve(cluster, name, scope):
            found[pod.row] = pod
    return list(found.values())


def _resolve(cluster: Cluster, name: str, scope: Scope) -> list[PodInfo]:
    first, _, rest = name.partition("/")
    kind = _KINDS.get(first.lower()) if rest else None
    namespace, text = scope.namespace, name
    if kind is not None:
        text = rest
    if "/" in text:
        namespace, _, text = text.partition("/")
    if kind is not None and kind != "Pod":
        return _of_owner(cluster, kind, text, namespace, name)
    return [_named(cluster, text, namespace, scope, name)]


def _of_owner(cluster: Cluster, kind: str, name: str, namespace: str, asked: str) -> list[PodInfo]:
    owned = [
        pod
        for pod in cluster.pods
        if not pod.gone
        and (not namespace or pod.namespace == namespace)
        and (kind, name) in (controller(pod), top_owner(pod, cluster))
    ]
    waiting = [pod for pod in owned if pod.waiting]
    if not owned:
        raise UsageError(f"{asked} owns no pod here", code="no-such-pod", hint="kplan explain pod -A lists what waits")
    return waiting or owned


def _named(cluster: Cluster, name: str, namespace: str, scope: Scope, asked: str) -> PodInfo:
    exact = cluster.pod_index.get(f"{namespace or DEFAULT_NAMESPACE}/{name}")
    if exact is not None:
        return cluster.pods[exact]
    near = [pod for pod in cluster.pods if not pod.gone and (not namespace or pod.namespace == namespace)]
    same = [pod for pod in near if pod.name == name]
    starts = same or [pod for pod in near if pod.name.startswith(name)]
    waiting = [pod for pod in starts if pod.waiting]
    choices = waiting if len(waiting) == 1 else starts
    if len(choices) == 1:
        return choices[0]
    where = f" in namespace {namespace}" if namespace else ""
    if choices:
        shown = ", ".join(pod.key for pod in choices[:3]) + (f", +{len(choices) - 3}" if len(choices) > 3 else "")
        raise UsageError(f"{asked} means {len(choices)} pods{where}", code="ambiguous-pod", hint=f"one of: {shown}")
    raise UsageError(f"no pod {asked}{where}", code="no-such-pod", hint=_hint(cluster, name))


def _hint(cluster: Cluster, name: str) -> str:
    names = {pod.name: pod.key for pod in cluster.pods}
    close = get_close_matches(name, list(names), n=3, cutoff=0.6)
    for item in cluster.state.pods:
        if item.name == name and item.status.phase in ("Succeeded", "Failed"):
            return f"{item.key} has ended ({item.status.phase}): the scheduler does not look at it"
    if close:
        return f"did you mean {', '.join(names[other] for other in close)}?"
    return "kplan explain pod -A lists every pod that waits"
