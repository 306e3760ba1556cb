"""What the pipeline asks of an HTTP extender, whoever carries it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from kplan.framework.args import Extender
from kplan.framework.preemption import Victims

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo


class ExtenderError(Exception):
    """An extender gave no answer that can be used; its text is the scheduler's."""


class NotAskedError(ExtenderError):
    """An extender was not asked, as the budget is spent: no answer, not even that of one that may be passed over."""


class ExtenderVerdict(Struct, frozen=True):
    """What an extender said of nodes.

    Attributes:
        passed: rows of the nodes that it takes, in the order of the answer.
        failed: why it refuses others, by name; an eviction may help.
        unresolvable: why it refuses others for good, by name; these come before ``failed``.
    """

    passed: tuple[int, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    unresolvable: Mapping[str, str] = field(default_factory=dict)


class ExtenderCaller(Protocol):
    """One extender that is asked.

    Attributes:
        config: how it is configured.
    """

    config: Extender

    def filter(self, pod: PodInfo, cluster: Cluster, rows: Sequence[int]) -> ExtenderVerdict:
        """Ask which nodes take a pod.

        Raises:
            ExtenderError: no answer that can be used.
        """

    def prioritize(self, pod: PodInfo, cluster: Cluster, rows: Sequence[int]) -> Mapping[str, int]:
        """Ask how good nodes are: scores by name, as answered; of a node named twice, the sum.

        Raises:
            ExtenderError: no answer that can be used.
        """

    def preempt(self, pod: PodInfo, cluster: Cluster, victims: Mapping[int, Victims]) -> dict[int, Victims]:
        """Ask which evictions may be; by node row, those that are left, with the victims as answered.

        Raises:
            ExtenderError: no answer that can be used.
        """

    def bind(self, namespace: str, name: str, uid: str, node: str) -> None:
        """Have a pod bound to a node; sent once, and never answered from memory.

        Raises:
            ExtenderError: it says that it failed, or there is no answer that tells.
        """
