"""The contract of a plugin: one protocol per extension point, a plugin has only those it implements.

A plugin is frozen. It is made once per profile as ``Plugin(args, features)``. Its PreFilter looks at the pod
and the cluster as it is and returns a frozen state of its own; its Filter answers about *worlds* (see
``framework.worlds``) for all nodes at once. Facts are worked out by ``explain``, lazily, for what is shown.

The cycle asks a plugin only what it has: presence of the method is what counts, and a plugin that has a
PreFilter which answered ``Skip`` is not asked to filter. One without PreFilter gets ``None`` as its state.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kplan.framework.closing import Closing
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.comparing import Compared, NodeSets
from kplan.framework.events import Happened, Interest
from kplan.framework.features import Features
from kplan.framework.findings import Facts, Failed, Findings, Ready, Refused, Reserved, Skip
from kplan.framework.worlds import Rows, Worlds

if TYPE_CHECKING:
    from kplan.cluster import Change, Cluster, PodInfo
    from kplan.framework.preemption import PostFilterResult, PreemptionHandle
    from kplan.framework.writes import AnyWrite

Scores = NDArray[np.int64]
MAX_NODE_SCORE = 100
Args = TypeVar("Args")


class Plugin(Protocol):
    """What every plugin has."""

    name: ClassVar[str]
    cost: ClassVar[Cost]

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Tell what the answer at this point depends on for this pod."""


@dataclass(frozen=True, slots=True)
class ColumnPlugin(Generic[Args]):
    """What a plugin of kplan is made of that keeps what it is made with, and reads the same about every pod.

    Attributes:
        needs: what its answers depend on, at every point.
        args: its arguments; None for the defaults, or where it takes none.
        features: of the version.
    """

    cost: ClassVar[Cost] = Cost.COLUMNS
    needs: ClassVar[Reads] = Reads.NODE

    args: Args | None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Answer with ``needs``."""
        return self.needs


@runtime_checkable
class IdlePlugin(Protocol):
    """Knows about whom it has nothing to say, however many pods like it are placed."""

    def stays_idle(self, pod: PodInfo) -> bool:
        """Tell whether, having skipped a pod in PreFilter or PreScore, it skips one like it once that was placed."""


@runtime_checkable
class FollowingPlugin(Protocol):
    """Makes the state of PreScore for the next pod of a template out of that for the last."""

    def follow(self, pod: PodInfo, made: Any, cluster: Cluster, row: int) -> Ready[Any] | None:
        """Return what PreScore makes of a pod like one that was placed on a node; None where it is to be asked.

        Nothing else has changed, and the same nodes are scored.

        Args:
            pod: the pod.
            made: what PreScore made of the other one: its state, or Skip.
            cluster: with the other one placed.
            row: where that is.
        """


@runtime_checkable
class RecallingPlugin(Protocol):
    """Says at Filter or Score all that it takes of the pod, so that pods of several templates are asked about once.

    Attributes:
        by_taints: whether taints and the cordon of a node matter to what it says.
    """

    by_taints: ClassVar[bool]

    def read_of(self, point: Point, pod: PodInfo, state: Any) -> Hashable | None:
        """Return what its answer about a node depends on besides the node; None where that is more.

        Args:
            point: Filter or Score.
            pod: the pod.
            state: its state at that point, as ``filter`` or ``score`` gets it.
        """


@runtime_checkable
class ClosingPlugin(Protocol):
    """A Filter plugin that can tell how others may close nodes to a pod; of one without it, anything may."""

    def closes(self, pod: PodInfo, state: Any, cluster: Cluster) -> Closing | None:
        """Tell it of the cluster as it is, whose placed pods may leave and come back; None where it cannot be told.

        Args:
            pod: the pod.
            state: what PreFilter made of it; None where it skipped the pod.
            cluster: where.
        """


@runtime_checkable
class PreEnqueuePlugin(Protocol):
    """Decides whether a pod may enter the queue."""

    def pre_enqueue(self, pod: PodInfo, cluster: Cluster) -> Refused | None:
        """Return why the pod is kept out, or None."""


@runtime_checkable
class QueueSortPlugin(Protocol):
    """Orders the queue."""

    def sort_key(self, pod: PodInfo) -> Any:
        """Return what pods are compared by, ascending."""


@runtime_checkable
class PreFilterPlugin(Protocol):
    """Looks at the pod and the whole cluster once, before any node."""

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Failed | Ready[Any]:
        """Return the plugin's own state for this pod, or why there is none."""


@runtime_checkable
class FilterPlugin(Protocol):
    """Refuses nodes."""

    def filter(self, pod: PodInfo, state: Any, cluster: Cluster, worlds: Worlds) -> Findings[Any]:
        """Answer for each world; the base is the cluster, moved pods are added by ``worlds.total``."""


@runtime_checkable
class PreScorePlugin(Protocol):
    """Prepares scoring, once the feasible nodes are known."""

    def pre_score(self, pod: PodInfo, state: Any, cluster: Cluster, rows: Rows) -> Skip | Failed | Ready[Any]:
        """Return the state for ``score``; ``rows`` is intp[F], the feasible nodes."""


@runtime_checkable
class ScorePlugin(Protocol):
    """Ranks feasible nodes."""

    def score(self, pod: PodInfo, state: Any, cluster: Cluster, rows: Rows, choice: Any) -> Scores | Failed:
        """Return raw scores int64[F].

        ``rows`` is intp[F], the feasible nodes; ``state`` that of PreScore, or of PreFilter for a plugin without
        PreScore; ``choice`` the ``Findings.choice`` of its own Filter: by node row, or None.
        """


@runtime_checkable
class NormalizePlugin(Protocol):
    """Scales raw scores to 0..100; a Score plugin without it has its raw scores weighted as they are.

    One that says what its scores depend on (``compares``) is asked about many sets of nodes at one time: raw scores are
    int64[S, F] then, of which it scales each row by itself.
    """

    def normalize(self, pod: PodInfo, state: Any, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """Return int64[..., F] within 0..100."""


@runtime_checkable
class ComparingPlugin(Protocol):
    """A Score plugin (``Compares.SET``) that says which sets of nodes it scores alike; else each is asked anew."""

    def compared(self, pod: PodInfo, state: Any, cluster: Cluster, rows: Rows, sets: NodeSets) -> Compared:
        """Tell what of sets of nodes matters; ``rows`` is intp[F], ``state`` that of PreFilter."""


@runtime_checkable
class SetScoringPlugin(ComparingPlugin, Protocol):
    """One that scores many sets at one time; else PreScore and Score run for each kind of set."""

    def score_sets(self, pod: PodInfo, state: Any, cluster: Cluster, rows: Rows, keys: Scores) -> Scores:
        """Return raw scores int64[S, F] in sets with these int64[S, C] of ``compared``; ``state`` is PreScore's.

        That of any set has to do, for this and to normalise with.
        """


@runtime_checkable
class PostFilterPlugin(Protocol):
    """Tries to make room when no node is feasible."""

    def post_filter(self, pod: PodInfo, state: Any, handle: PreemptionHandle) -> PostFilterResult:
        """Return what could be done and the text for the event."""


@runtime_checkable
class ReservePlugin(Protocol):
    """Takes what the pod needs beyond room on the node: volumes, devices."""

    def reserve(self, pod: PodInfo, state: Any, cluster: Cluster, row: int, choice: Any) -> Reserved | Failed | Refused:
        """Return what placing the pod on node ``row`` brings; ``choice`` is its entry of that row."""


@runtime_checkable
class PermitPlugin(Protocol):
    """May hold a placed pod back."""

    def permit(self, pod: PodInfo, cluster: Cluster, row: int) -> Refused | None:
        """Return why the pod has to wait, or None."""


@runtime_checkable
class PreBindPlugin(Protocol):
    """Has objects written before the pod is bound; a plan writes nothing, only ``kplan bind`` does."""

    def pre_bind(self, pod: PodInfo, state: Any, cluster: Cluster, row: int, choice: Any) -> tuple[AnyWrite, ...]:
        """Return what is written, and what is waited for after it; the pod is reserved on node ``row``."""


@runtime_checkable
class SettlePlugin(Protocol):
    """A PreBind plugin whose writes the next pods of a plan see: what stands in the cluster once the pod is bound."""

    def settle(self, pod: PodInfo, state: Any, cluster: Cluster, row: int, choice: Any) -> tuple[Change, ...]:
        """Return what PreBind changes; the pod is reserved on node ``row``."""


@runtime_checkable
class WakingPlugin(Protocol):
    """Says what may make room for a pod that it refused; one without it has the pod tried again by time alone."""

    def interests(self) -> tuple[Interest, ...]:
        """Return what it asks to hear of.

        Source: EventsToRegister; the gate SchedulerQueueingHints is on in all minors from 1.34.
        """


@runtime_checkable
class HintingPlugin(Protocol):
    """Looks closer at what happened; without it all that a plugin is interested in wakes the pod."""

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """Tell whether what happened may make the pod fit, as far as this plugin goes; it is one of its interests."""


@runtime_checkable
class ExplainPlugin(Protocol):
    """Works out the numbers and names behind refusals."""

    def explain(
        self, pod: PodInfo, state: Any, cluster: Cluster, worlds: Worlds, findings: Findings[Any], rows: Sequence[int]
    ) -> Facts | None:
        """Return typed facts about the worlds at positions ``rows``; None if there are none to tell."""


def default_normalize(raw: Scores, *, reverse: bool = False) -> Scores:
    """Scale to 0..100 by the maximum over the feasible nodes; all 0 stays 0 (100 when reversed).

    Args:
        raw: int64[..., F], raw scores of the feasible nodes, none negative.
        reverse: whether the lowest raw score is the best.

    Source: v1.37.2 framework/plugins/helper/normalize_score.go DefaultNormalizeScore.
    """
    highest = raw.max(axis=-1, keepdims=True, initial=1)
    score: Scores = MAX_NODE_SCORE * raw // highest
    return MAX_NODE_SCORE - score if reverse else score
