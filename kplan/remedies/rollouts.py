"""What lets a rollout go on that stalls: other rules of replacing pods, a pod that is deleted, a larger quota."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kplan.cluster import Cluster, PutNode, leave
from kplan.cluster.silence import heard_of, on_silent_node
from kplan.course.rollout import StalledBy
from kplan.course.volumes.held import exclusive
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, ResourceQuota
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, RemedyCost
from kplan.remedies.deeds import Deed, Objects, row_of
from kplan.remedies.keepers import keeper_of
from kplan.result.document_plan import RolloutPlan
from kplan.scenario.budgets import healthy
from kplan.scenario.names import pods_of
from kplan.scenario.nodes import RemoveNode

MANY = "ReadWriteMany"
_STRATEGIES = {"deploy": "strategy", "ds": "updateStrategy"}
"""Where a kind has the rules by which its pods are replaced, for kinds that may make new ones first."""
_SURGE = (StalledBy.POD, StalledBy.QUOTA, StalledBy.VOLUME)


def rollout_ways(cluster: Cluster, rollout: RolloutPlan) -> Iterator[Candidate]:
    """Propose what may let a rollout go on, cheapest first.

    Args:
        cluster: as the plan left it.
        rollout: that stalls.
    """
    word = rollout.workload.partition("/")[0]
    if rollout.stalled_by in _SURGE:
        yield from strategies(rollout)
    if word == "ds" and rollout.stalled_by in (StalledBy.UNREADY, StalledBy.TERMINATING):
        yield from _more_missing(cluster, rollout)
    if rollout.stalled_by == StalledBy.VOLUME:
        yield from _shared(cluster, rollout.stalled_at)
    if (rollout.stalled_by == StalledBy.UNREADY and word == "sts") or rollout.stalled_by == StalledBy.TERMINATING:
        key = rollout.stalled_at
        code = "delete-by-force" if rollout.stalled_by == StalledBy.TERMINATING else "delete-pod"
        gone = Deed(lambda cluster: leave(cluster, (row_of(cluster, key),)))
        yield Candidate(code, RemedyCost.EVICT, about.Named(names=(key,)), steps=(gone,))


def silent_ways(cluster: Cluster, rollout: RolloutPlan) -> Iterator[Candidate]:
    """Propose what to do with a silent node that a rollout stalls at: it leaves for good, or is mended.

    Args:
        cluster: as the plan left it.
        rollout: that stalls.
    """
    if rollout.stalled_by not in (StalledBy.UNREADY, StalledBy.TERMINATING):
        return
    kind, space, name = rollout.workload.split("/")
    rows = [pod.row for pod in pods_of(cluster, "DaemonSet", space, name)] if kind == "ds" else []
    stalled = cluster.pod_index.get(rollout.stalled_at)
    rows += [stalled] if stalled is not None else []
    homes = sorted({int(cluster.pod_node[row]) for row in rows if on_silent_node(cluster, row)})
    for node in map(cluster.nodes.__getitem__, homes):
        what = about.Named(node=node.name)
        yield Candidate("remove-node", RemedyCost.LOSS, what, steps=(RemoveNode(node.name),))
        mended = PutNode(node.name, heard_of(node))
        yield Candidate("node-mended", RemedyCost.NODE, what, steps=(Objects((mended,)),))


def strategies(rollout: RolloutPlan) -> Iterator[Candidate]:
    """Propose that old pods leave before new ones are made; nothing where they do."""
    word = rollout.workload.partition("/")[0]
    where = _STRATEGIES.get(word, "")
    if where and rollout.strategy == "RollingUpdate" and rollout.max_surge:
        missing = max(1, rollout.max_unavailable)
        no_surge = ("maxSurge", 0), ("maxUnavailable", missing)
        fields = tuple((("spec", where, "rollingUpdate", key), value) for key, value in no_surge)
        more = "missing" if missing != rollout.max_unavailable else ""
        what = about.Named(more, key=str(rollout.max_unavailable), new=missing, old=rollout.max_surge)
        yield Candidate("no-surge", RemedyCost.LOOSEN, what, fields=fields)
        if word == "deploy":
            recreate = ((("spec", where), {"type": "Recreate"}),)
            yield Candidate("recreate", RemedyCost.LOOSEN, about.Named(), fields=recreate)


def _more_missing(cluster: Cluster, rollout: RolloutPlan) -> Iterator[Candidate]:
    """Let one pod more be missing than those of a DaemonSet that are not available, so that the others are replaced.

    Source: v1.37.2 pkg/controller/daemon/update.go rollingUpdate: those use maxUnavailable up.
    """
    _, space, name = rollout.workload.split("/")
    pods = [pod for pod in pods_of(cluster, "DaemonSet", space, name) if pod.bound]
    missing = sum(not healthy(pod) or on_silent_node(cluster, pod.row) for pod in pods) + 1
    if rollout.strategy == "RollingUpdate" and not rollout.max_surge and missing > rollout.max_unavailable:
        what = about.Named(key="maxUnavailable", new=missing, old=rollout.max_unavailable)
        fields = ((("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"), missing),)
        yield Candidate("more-unavailable", RemedyCost.LOOSEN, what, fields=fields)


def _shared(cluster: Cluster, key: str) -> Iterator[Candidate]:
    """Let the volumes of a pod be attached to many nodes at once."""
    row = cluster.pod_index.get(key)
    if row is None:
        return
    claims, volumes = (cluster.objects.table(f"persistent_volume{of}s") for of in ("_claim", ""))
    brought: list[PersistentVolumeClaim | PersistentVolume] = []
    names = []
    for claim, volume, _ in exclusive(cluster, cluster.pods[row]):
        item = claims[claim]
        names.append(item.name)
        brought.append(replace(item, spec=replace(item.spec, access_modes=[MANY])))
        if volume in volumes:
            brought.append(replace(volumes[volume], spec=replace(volumes[volume].spec, access_modes=[MANY])))
    if brought:
        yield Candidate("shared-volume", RemedyCost.LEAVE_OUT, about.Named(names=tuple(names)), brought=tuple(brought))


def larger_quotas(cluster: Cluster, amounts: Mapping[tuple[str, str], str]) -> Candidate | None:
    """Quotas that allow other amounts; None where none of them is there.

    Args:
        cluster: the cluster.
        amounts: a quantity by the quota, ``namespace/name``, and the resource as the quota calls it.
    """
    quotas: dict[str, ResourceQuota] = {}
    told: list[tuple[str, Candidate]] = []
    for (name, resource), amount in amounts.items():
        quota = quotas.get(name) or cluster.objects.table("resource_quotas").get(name)
        if not isinstance(quota, ResourceQuota):
            continue
        hard = dict(quota.status.hard or quota.spec.hard or {})
        what = _quota_told(quota, resource, amount, hard)
        told.append((name, Candidate("larger-quota", RemedyCost.REQUEST, what)))
        hard[resource] = amount
        quotas[name] = replace(quota, spec=replace(quota.spec, hard=hard), status=replace(quota.status, hard=hard))
    if not told:
        return None
    parts = tuple(replace(part, brought=(quotas[name],)) for name, part in told)
    if len(parts) == 1:
        return parts[0]
    return Candidate("larger-quotas", RemedyCost.REQUEST, None, brought=tuple(quotas.values()), parts=parts)


def _quota_told(quota: ResourceQuota, resource: str, amount: str, hard: Mapping[str, object]) -> about.Named:
    return about.Named(
        name=quota.name,
        namespace=quota.namespace,
        key=resource,
        new=amount,
        old=str(hard.get(resource, "")),
        keeper=keeper_of(quota),
    )
