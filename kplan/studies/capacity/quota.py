"""Quotas on what is multiplied: places are counted without them, and the report says where a quota stops sooner."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.admission import Quotas
from kplan.cluster import Cluster
from kplan.course.supply import Supply
from kplan.scenario.manifests import fresh_copy
from kplan.wording.capacity import quota_lets_in


def quota_notes(cluster: Cluster, supplies: Sequence[Supply], ratio: Sequence[int], sets: int) -> tuple[str, ...]:
    """Tell which quota lets fewer pods in than find a place; of pods that wait it has let in each already.

    Args:
        cluster: as it is before any pod is added.
        supplies: the workloads.
        ratio: pods of each in a set.
        sets: sets that find a place.
    """
    spaces = {supply.sample.namespace for supply in supplies}
    mine = [quota for quota in cluster.state.resource_quotas if quota.namespace in spaces]
    if not mine:
        return ()
    ledger = Quotas(mine, cluster.rules, (pod.pod for pod in cluster.pods if not pod.gone))
    made = [0] * len(supplies)
    for number in range(sets):
        for which, supply in enumerate(supplies):
            for _ in range(ratio[which]):
                made[which] += 1
                name = f"{supply.sample.name}-more-{made[which]}"
                why = made[which] > len(supply.waiting) and ledger.refuses_pod(fresh_copy(supply.sample, name))
                if why:
                    several = len(supplies) > 1
                    let_in = number if several else made[which] - 1
                    return (quota_lets_in(let_in, sets, why, several=several),)
    return ()
