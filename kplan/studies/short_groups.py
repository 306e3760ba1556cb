"""Groups that are left with fewer pods than they need at one time, as their pods leave one by one."""

from __future__ import annotations

from collections.abc import Mapping

from kplan.cluster import Cluster
from kplan.pipeline import Planner
from kplan.plugins.shared.pod_groups import GATE, pod_groups, quorum, scheduled
from kplan.wording.pod_groups import left_short_text


def whole_groups(planner: Planner) -> Mapping[str, int]:
    """How many pods each group needs that has as many, by key; none where groups are off."""
    features = next((pipeline.features for pipeline in planner.pipelines.values()), None)
    if features is None or not features.since(36) or not features.enabled(GATE):
        return {}
    cluster = planner.cluster
    wanted = {key: quorum(group.spec.scheduling_policy) for key, group in pod_groups(cluster).items()}
    return {key: number for key, number in wanted.items() if number > 1 and scheduled(key, cluster) >= number}


def left_short(cluster: Cluster, before: Mapping[str, int]) -> tuple[str, ...]:
    """Tell of groups that had what they need and hold a part of it now.

    Args:
        cluster: as it is left.
        before: what ``whole_groups`` gave before.
    """
    now = {key: scheduled(key, cluster) for key in before}
    return tuple(left_short_text(key, now[key], wanted) for key, wanted in before.items() if 0 < now[key] < wanted)
