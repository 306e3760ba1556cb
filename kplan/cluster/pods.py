"""PodInfo: a pod read once, and PodClass: what pods share that are alike to every selector."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import lru_cache

import msgspec
from msgspec import Struct, field

from kplan.cluster.affinity import AffinityTerm, WeightedTerm, has_terms, preferred_terms, required_terms
from kplan.objects.models import Pod

NO_TIME = 2**63 - 1
"""pod_start of a pod without status.startTime."""

DEFAULT_SCHEDULER = "default-scheduler"
NOBODY = ("", "")
"""Kind and name of the controller of a pod that has none."""

_encode = msgspec.json.Encoder().encode


class HostPort(Struct, frozen=True):
    """A port of the node that a container asks for; ``ip`` is 0.0.0.0 where none is given."""

    protocol: str
    ip: str
    port: int


class PodClass(Struct, frozen=True, eq=False):
    """Pods of one namespace with the same labels, affinity terms and host ports: alike to every counter.

    Attributes:
        index: its number, as in the column pod_class.
        namespace: namespace of the pods.
        labels: labels of the pods.
        terminating: whether they have a deletion timestamp.
        affinity: required pod affinity terms.
        anti_affinity: required pod anti-affinity terms.
        preferred_affinity: weighted terms.
        preferred_anti_affinity: weighted terms.
        host_ports: host ports asked for.
        ports: their addresses by (protocol, number).
    """

    index: int
    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    affinity: tuple[AffinityTerm, ...] = ()
    anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_affinity: tuple[WeightedTerm, ...] = ()
    preferred_anti_affinity: tuple[WeightedTerm, ...] = ()
    host_ports: tuple[HostPort, ...] = ()
    ports: Mapping[tuple[str, int], AbstractSet[str]] = field(default_factory=dict)


class PodInfo(Struct, eq=False):
    """A pod of the cluster, as plugins see it.

    Attributes:
        row: its row in the pod columns.
        pod: the object.
        key: ``namespace/name``.
        namespace: ``metadata.namespace``.
        name: ``metadata.name``.
        uid: ``metadata.uid``, or the key where absent.
        priority: ``spec.priority``, 0 where absent.
        scheduler_name: ``spec.schedulerName``, the default scheduler where absent.
        pod_class: what selectors see.
        requests: what it asks for, by resource, in the scheduler's units (without status of a resize).
        non_zero: (cpu millicores, memory bytes) with defaults for containers that request none.
        bound: whether it has (or was given) a node.
        gone: whether it was removed from the cluster.
        controlled_by: kind and name of its controller, which no change of a pod makes another.
        annotated: whether it has annotations, likewise.
    """

    row: int
    pod: Pod
    key: str
    namespace: str
    name: str
    uid: str
    priority: int
    scheduler_name: str
    pod_class: PodClass
    requests: Mapping[str, int] = field(default_factory=dict)
    non_zero: tuple[int, int] = (0, 0)
    bound: bool = False
    gone: bool = False
    controlled_by: tuple[str, str] = NOBODY
    annotated: bool = False

    @property
    def labels(self) -> Mapping[str, str]:
        """``metadata.labels``; an empty dict where absent."""
        return self.pod_class.labels

    @property
    def terminating(self) -> bool:
        """Whether it has a deletion timestamp."""
        return self.pod_class.terminating

    @property
    def waiting(self) -> bool:
        """Whether a scheduler still has to find a node for it."""
        return not self.bound and not self.gone and not self.terminating


@lru_cache(maxsize=65536)
def seconds(timestamp: str) -> int:
    """Read an RFC 3339 time as whole seconds since 1970; metav1.Time keeps no finer."""
    try:
        return int(datetime.fromisoformat(timestamp).timestamp())
    except ValueError:
        return 0


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """List the host ports of a pod: of containers, then of restartable init containers.

    Source: v1.37.2 pkg/scheduler/util/utils.go GetHostPorts; framework/types.go HostPortInfo.sanitize.
    """
    spec = pod.spec
    holders = [container for container in spec.containers or () if container.ports]
    if spec.init_containers:
        holders += [c for c in spec.init_containers if c.ports and c.restart_policy == "Always"]
    if not holders:
        return ()
    ports: dict[HostPort, None] = {}
    for container in holders:
        for port in container.ports or ():
            number = port.host_port or (port.container_port if spec.host_network else 0) or 0
            if number > 0:
                ports[HostPort(port.protocol or "TCP", port.host_ip or "0.0.0.0", number)] = None
    return tuple(ports)


def _by_number(ports: Iterable[HostPort]) -> dict[tuple[str, int], set[str]]:
    addresses: dict[tuple[str, int], set[str]] = {}
    for port in ports:
        addresses.setdefault((port.protocol, port.port), set()).add(port.ip)
    return addresses


class PodClasses:
    """Interns PodClass by what makes it."""

    def __init__(self) -> None:
        self.items: list[PodClass] = []
        self._index: dict[object, PodClass] = {}
        self._as_written: dict[object, PodClass] = {}
        """The same, by labels in the order in which they are written."""

    def of(self, pod: Pod) -> PodClass:
        """Return the class of a pod, made on first sight."""
        spec, metadata = pod.spec, pod.metadata
        affinity = spec.affinity if has_terms(pod) else None
        ports = host_ports(pod)
        terminating = metadata.deletion_timestamp is not None
        namespace = metadata.namespace or ""
        told = (terminating, _encode(affinity) if affinity else b"", ports)
        as_written = (namespace, tuple((metadata.labels or {}).items()), *told)
        known = self._as_written.get(as_written)
        if known is not None:
            return known
        key = (namespace, tuple(sorted(as_written[1])), *told)
        known = self._index.get(key)
        if known is None:
            near = affinity.pod_affinity if affinity else None
            apart = affinity.pod_anti_affinity if affinity else None
            known = PodClass(
                len(self.items),
                namespace,
                dict(key[1]),
                terminating,
                required_terms(near, namespace),
                required_terms(apart, namespace),
                preferred_terms(near, namespace),
                preferred_terms(apart, namespace),
                ports,
                _by_number(ports),
            )
            self.items.append(known)
            self._index[key] = known
        self._as_written[as_written] = known
        return known
