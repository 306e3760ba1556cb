"""Resizes in place, as far as plugins mind them."""

from kplan.cluster import PodInfo


def resize_deferred(pod: PodInfo) -> bool:
    """Tell whether a resize of a placed pod waits for room.

    Source: component-helpers v0.37.2 resource/helpers.go IsPodResizeDeferred.
    """
    pending = (c for c in pod.pod.status.conditions or () if c.type == "PodResizePending")
    condition = next(pending, None)
    return condition is not None and condition.reason == "Deferred"
