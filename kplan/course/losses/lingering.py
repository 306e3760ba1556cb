"""Lost nodes that are still there: they count as domains, and pods that end on them keep others away.

Nobody may delete a node for long after it fell silent: a cloud does once the machine is gone, a person where there is
no cloud. Until then no pod is placed there, but a spread constraint counts its domain (nodeTaintsPolicy Ignore is the
default), and its pods, Terminating as no kubelet says that they have ended, are looked at by pod affinity and hold
their ReadWriteOncePod claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from kplan.cluster import Change, Cluster, PodInfo, PutNode, Terminate, leave
from kplan.cluster.pods import PodClass
from kplan.cluster.silence import UNREACHABLE, ends_at_once
from kplan.course.losses.clock import Pace, pace
from kplan.course.losses.loss import FailRun, LostPod, lost_pods, waves_of
from kplan.course.trial.attempts import Attempts, W, Why
from kplan.objects.models import Node, Taint
from kplan.objects.selectors import NOTHING
from kplan.pipeline import Planner
from kplan.plugins.shared.claims import claim_uses
from kplan.scenario.nodes import node_of, tainted

_ONE_POD = "ReadWriteOncePod"


def while_there(planner: Planner, nodes: Sequence[str], why: Why[W] | None = None) -> dict[str, W | None]:
    """Tell which pods of lost nodes, made anew elsewhere, stay Pending as long as these nodes are there.

    Args:
        planner: planner over the cluster before the loss, which is as before afterwards.
        nodes: names of the nodes.
        why: asked about pods that find no node.

    Returns:
        What the observer said, by ``namespace/name`` of the pod that was lost; None where nobody asks.

    Source: v1.37.2 podtopologyspread calPreFilterState (nodes count whatever their taints) and
    countPodsMatchSelector (pods that are being deleted do not), interpodaffinity filtering.go (those do).
    """
    cluster = planner.cluster
    there = [cluster.pods[row] for name in nodes for row in cluster.pods_on(cluster.node_index[name])]
    if not any(pod.pod_class.anti_affinity or _may_wait(cluster, pod) for pod in there):
        return {}
    rate = pace(cluster, nodes)
    pods: list[LostPod[W]] = lost_pods(cluster, nodes, rate)
    early = [pod for pod in pods if pod.fate == "returns" and not pod.late]
    kept_away = _kept_away(pod.pod for pod in pods)
    early = [pod for pod in early if kept_away(pod.pod.pod_class) or _may_wait(cluster, pod.pod)]
    if not early:
        return {}
    with planner.trial() as trial:
        trial.apply([*_fall_silent(cluster, nodes, rate, pods)])
        attempts = Attempts(trial, why)
        waiting: list[PodInfo] = []
        for wave in waves_of(early):
            made = attempts.come_back({pod.pod.row: pod.node for pod in wave}, anew=True)
            attempts.place(trial.queue.sort([*waiting, *made]))
            waiting = [landing.pod for landing in attempts.landings.values() if landing.pod.waiting]
        left = [landing for landing in attempts.landings.values() if not landing.node and not landing.elsewhere]
        return {landing.began_as: landing.why for landing in left}


def mark(run: FailRun[W], waiting: Mapping[str, W | None]) -> None:
    """Note of pods that a loss places what keeps them until its nodes are deleted.

    Args:
        run: the loss, with the nodes gone.
        waiting: what ``while_there`` told.
    """
    for pod in run.back:
        if pod.placed and not pod.late and pod.pod.key in waiting:
            pod.lingers, pod.until_gone = True, waiting[pod.pod.key]


def _kept_away(ending: Iterable[PodInfo]) -> Callable[[PodClass], bool]:
    """Tell of which pods those that end may be in the way: by their terms, or by terms of what comes.

    Labels of namespaces are not asked: where a term selects by them, it may be about any.
    """
    terms = list(dict.fromkeys(term for pod in ending for term in pod.pod_class.anti_affinity))

    @cache
    def kept_away(pods: PodClass) -> bool:
        return bool(pods.anti_affinity or pods.affinity) or any(
            term.selector.matches(pods.labels)
            and (pods.namespace in term.namespaces or term.namespace_selector is not NOTHING)
            for term in terms
        )

    return kept_away


def _may_wait(cluster: Cluster, pod: PodInfo) -> bool:
    """Whether a pod has anything by which its node, or the pod that ends there, may be in the way of the next one."""
    spec = pod.pod.spec
    if any(constraint.when_unsatisfiable == "DoNotSchedule" for constraint in spec.topology_spread_constraints or ()):
        return True
    claims = cluster.objects.table("persistent_volume_claims")
    held = (claims.get(use.key) for use in (claim_uses(pod.pod) if spec.volumes else ()))
    return any(claim is not None and _ONE_POD in (claim.spec.access_modes or ()) for claim in held)


def _fall_silent(cluster: Cluster, nodes: Sequence[str], rate: Pace, pods: Sequence[LostPod[W]]) -> Iterable[Change]:
    """Nodes that are tainted and have not gone, with the pods there that are deleted by now."""
    for name in nodes:
        yield PutNode(name, _silent(node_of(cluster, name), evicts=name not in rate.stopped))
    for pod in pods:
        if pod.stay.seconds is None or pod.pod.terminating:
            continue
        yield from leave(cluster, (pod.pod.row,)) if ends_at_once(pod.pod.pod) else (Terminate(pod.pod.row),)


def _silent(node: Node, *, evicts: bool) -> Node:
    effects: Sequence[str] = ("NoSchedule", "NoExecute") if evicts else ("NoSchedule",)
    for effect in effects:
        node = tainted(node, Taint(key=UNREACHABLE, effect=effect))
    return node
