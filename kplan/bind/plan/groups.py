"""Groups of a plan: what is bound of one is all that it needs at one time, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from kplan.bind.wire.groups import bindable
from kplan.cluster import Cluster, PodInfo
from kplan.pipeline import Planner
from kplan.plugins.shared.group_trees import name_of_key, ready
from kplan.plugins.shared.pod_groups import turn_of
from kplan.result.document_base import Cause
from kplan.result.document_bind import BindPod
from kplan.words import count


def not_bound_as_one(planner: Planner, pod: PodInfo) -> Cause | None:
    """Why a pod of a group is not bound, whatever becomes of the group; None for one that may be, or is in none."""
    spec = pod.pod.spec
    if spec.scheduling_group is None and spec.workload_ref is None:
        return None
    pipeline = planner.pipelines.get(pod.scheduler_name)
    if pipeline is None or (spec.scheduling_group is not None and bindable(pipeline.features)):
        return None
    text = "it belongs to a pod group: Permit would hold it for the others"
    return Cause(code="pod-group-not-modelled", text=text)


def of_group(pod: PodInfo) -> bool:
    """Whether a pod names a group."""
    return pod.pod.spec.scheduling_group is not None


def evicting(planner: Planner, pod: PodInfo) -> Cause | None:
    """Why a pod is not bound for whose group others have to leave; the cluster is as before.

    Args:
        planner: planner over the cluster.
        pod: the pod, which may have been placed with another one of its group before.
    """
    if not pod.waiting:
        return None
    with planner.trial(everything=False) as trial:
        turn = trial.step(pod).outcome.group
    if turn is None or not turn.victims:
        return None
    victims, name = count(len(turn.victims), "pod"), name_of_key(turn.group)
    text = (
        f"{victims} would have to leave for its group {name}: a scheduler evicts for all of it at once, bind does not"
    )
    return Cause(code="group-evicts", text=text)


def whole(planner: Planner, shown: Iterable[BindPod], before: Mapping[str, int]) -> list[BindPod]:
    """Refuse pods of groups of which fewer would be bound than they need at one time.

    Args:
        planner: planner over the cluster as the plan left it.
        shown: what would become of each pod.
        before: how many pods of each group had a node before the plan, by key.
    """
    shown = list(shown)
    bound: Counter[str] = Counter()
    members: dict[str, PodInfo] = {}
    for bind_pod in shown:
        row = planner.cluster.pod_index.get(bind_pod.pod)
        if bind_pod.group and bind_pod.result == "bind" and row is not None:
            members[bind_pod.group] = planner.cluster.pods[row]
            bound[_own(planner.cluster.pods[row])] += 1
    short = {key for key, pod in members.items() if not _enough(planner, pod, before, bound)}

    def refused(pod: BindPod) -> BindPod:
        text = f"its group {name_of_key(pod.group)} needs more pods at once than are bound here: name all of them"
        about = BindPod(pod=pod.pod, result="refused", scheduler=pod.scheduler, uid=pod.uid)
        return msgspec.structs.replace(about, because=Cause(code="group-in-part", text=text))

    return [refused(pod) if pod.group in short and pod.result == "bind" else pod for pod in shown]


def _own(pod: PodInfo) -> str:
    named = pod.pod.spec.scheduling_group
    return f"{pod.namespace}/{named.pod_group_name}" if named is not None else ""


def _enough(planner: Planner, pod: PodInfo, before: Mapping[str, int], bound: Mapping[str, int]) -> bool:
    features = planner.pipelines[pod.scheduler_name].features
    root = turn_of(pod, planner.cluster, features)
    return root is not None and ready(
        root, planner.cluster, lambda leaf: before.get(leaf.key, 0) + bound.get(leaf.key, 0)
    )


def with_nodes(cluster: Cluster) -> Mapping[str, int]:
    """How many pods of each group have a node, by key."""
    return Counter(_own(pod) for pod in cluster.pods if pod.bound and not pod.gone and _own(pod))
