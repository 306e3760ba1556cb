"""Why the scheduler's recorded text of a pod is another than kplan's, as far as the state tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.fit_error import FitText, read
from kplan.objects.models import Object
from kplan.pipeline import Pipeline
from kplan.plugins.shared.reason_texts import is_old, refused_by, unknown_reasons


class WhyCode(StrEnum):
    """Why two texts differ."""

    FITS_NOW = "fits-now"
    STATE = "state-changed"
    VERSION = "other-version"
    CONFIGURATION = "other-configuration"
    PREEMPTION = "preemption"
    UNKNOWN = "unknown"


class ChangedReason(Struct, frozen=True):
    """What of a reason is different.

    Attributes:
        reason: the scheduler's text.
        recorded: nodes it held for; 0 for none.
        now: nodes it holds for.
    """

    reason: str
    recorded: int
    now: int


class TextDifference(Struct, frozen=True):
    """Why a recorded text differs.

    Attributes:
        code: the kind of why.
        versions: minors that say it word for word; none for one that is older than all of them.
        plugins: plugins that gave a reason and that the profile does not run.
        unknown: reasons that no plugin of kube-scheduler gives.
        nodes: how many nodes there were then, and are now, where that differs.
        reasons: reasons that hold for other numbers of nodes.
        newer_nodes: names of nodes that came after the pod was first refused.
        newer_pods: how many pods were started since.
        preemption: what was said of preemption then, and is now, where only that differs.
    """

    code: WhyCode
    versions: tuple[int, ...] = ()
    plugins: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    nodes: tuple[int, int] | None = None
    reasons: tuple[ChangedReason, ...] = ()
    newer_nodes: tuple[str, ...] = ()
    newer_pods: int = 0
    preemption: tuple[str, str] | None = None


def difference(
    recorded: str, now: str, since: str, pod: PodInfo, cluster: Cluster, pipeline: Pipeline, by_version: VersionText
) -> TextDifference:
    """Find out why a recorded text is another than kplan's.

    Args:
        recorded: the scheduler's text.
        now: kplan's; empty where the pod fits.
        since: when the pod was first refused, RFC 3339; empty if unknown.
        pod: the pod.
        cluster: the cluster.
        pipeline: plugins of its profile.
        by_version: gives the minors whose rules give a text, of those that are not the cluster's.
    """
    versions = tuple(sorted(by_version(pod.key, recorded)))
    if versions or is_old(recorded):
        return TextDifference(WhyCode.VERSION, versions=versions)
    then, today = read(recorded), read(now)
    foreign = tuple(sorted(refused_by(recorded) - pipeline.plugins.keys()))
    unknown = unknown_reasons(recorded)
    newer = tuple(node.name for node in cluster.nodes if _is_newer(node, since))
    started = sum(1 for other in cluster.pods if other.bound and (other.pod.status.start_time or "") > since > "")
    if foreign or unknown:
        return TextDifference(WhyCode.CONFIGURATION, plugins=foreign, unknown=unknown)
    nodes = _nodes(then, today, len(cluster.nodes))
    if not now:
        return TextDifference(WhyCode.FITS_NOW, nodes=nodes, newer_nodes=newer, newer_pods=started)
    if then is None or today is None:
        return TextDifference(WhyCode.UNKNOWN)
    reasons = tuple(_changed(then, today))
    if not reasons and nodes is None:
        return TextDifference(WhyCode.PREEMPTION, preemption=(then.post_filter, today.post_filter))
    return TextDifference(WhyCode.STATE, nodes=nodes, reasons=reasons, newer_nodes=newer, newer_pods=started)


VersionText = Callable[[str, str], Iterable[int]]
"""Minors whose rules say a text of a pod."""


def _is_newer(item: Object, since: str) -> bool:
    return bool(since) and (item.metadata.creation_timestamp or "") > since


def _nodes(then: FitText | None, today: FitText | None, there: int) -> tuple[int, int] | None:
    if then is None:
        return None
    now = today.nodes if today is not None else there
    return (then.nodes, now) if then.nodes != now else None


def _changed(then: FitText, today: FitText) -> Iterable[ChangedReason]:
    for reason in dict.fromkeys((*then.reasons, *today.reasons)):
        one, other = then.reasons.get(reason), today.reasons.get(reason)
        if one != other:
            yield ChangedReason(reason, one or 0, other or 0)
