"""PrioritySort: pods of higher priority are scheduled first.

What it checks:  nothing: it orders the queue by spec.priority, highest first, then by age.
Rejects with:    nothing.
Not modelled:    the time a pod was queued, which the scheduler compares at equal priority; the creation time stands for
                 it, then namespace and name. Backoff and requeueing.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/queuesort/priority_sort.go (equal in 1.34 to 1.37)
"""

from typing import ClassVar

from kplan.cluster import PodInfo
from kplan.cluster.pods import seconds
from kplan.framework.codes import Reads
from kplan.framework.plugin import ColumnPlugin

_BEFORE_ALL = -(2**63)
"""Creation time of a pod without one: Go's zero time comes before any other."""


class PrioritySort(ColumnPlugin[None]):
    """Orders the queue."""

    name: ClassVar[str] = "PrioritySort"
    needs: ClassVar[Reads] = Reads(0)

    def sort_key(self, pod: PodInfo) -> tuple[int, int, bytes, bytes]:
        """Return (priority reversed, creation time [s], namespace, name), compared ascending.

        Differs from kube-scheduler: equal priority and age are ordered by name, where the scheduler has no order.
        """
        created = pod.pod.metadata.creation_timestamp
        age = seconds(created) if created else _BEFORE_ALL
        return (-pod.priority, age, pod.namespace.encode(), pod.name.encode())
