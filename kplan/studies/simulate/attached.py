"""Pods of a plan that are placed and do not start, as another node has their volume."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kplan.cluster import Cluster, PodInfo
from kplan.course.rollout import StalledBy
from kplan.course.volumes.held import not_starting
from kplan.framework.doubt import Doubt
from kplan.result.document_plan import RolloutPlan
from kplan.wording.rollouts import do_not_start


def attached_elsewhere(
    cluster: Cluster,
    landed: Iterable[PodInfo],
    started: Collection[int],
    told: Iterable[RolloutPlan],
    made: Collection[str],
) -> Iterator[Doubt]:
    """Doubt whether pods run that are placed, where another node holds their volume and no stall tells of it.

    Args:
        cluster: as the plan left it.
        landed: pods that the plan placed, in order.
        started: rows of those that are known to start.
        told: its rollouts.
        made: pods that what-ifs made before it, of which those that have a node were placed first.
    """
    stalled = {plan.stalled_at for plan in told if plan.stalled_by == StalledBy.VOLUME}
    before = (cluster.pods[cluster.pod_index[key]] for key in sorted(made) if key in cluster.pod_index)
    placed = [pod for pod in before if cluster.home_of(pod.row)]
    placed += [pod for pod in landed if pod.key not in made]
    stuck = [(pod, held) for pod, held in not_starting(cluster, placed, started) if pod.key not in stalled]
    if stuck:
        yield Doubt(code="volume-attached", text=do_not_start([pod.key for pod, _ in stuck], stuck[0][1]))
