"""Words of warning: rules that select nothing, requests that are not there, nodes that report trouble."""

from __future__ import annotations

from kplan.reasons.careful import Warned
from kplan.reasons.racing import RacesWith
from kplan.words import amounts, count, joined, short_key


def careful_text(warned: Warned | RacesWith) -> str:
    """Put a warning in words."""
    if isinstance(warned, RacesWith):
        pods = count(warned.pods, "pod")
        many = f"{pods} of scheduler {warned.scheduler} {'waits' if warned.pods == 1 else 'wait'} for the same room"
        nodes = f"{warned.node} and {count(warned.more, 'more node')}" if warned.more else warned.node
        return f"{many} on {nodes}: whoever binds first gets it"
    match warned.what, warned.names:
        case "keeps-nothing-away", (selector,):
            return f"its anti-affinity term {selector} selects no pod, not even its own: it keeps nothing away"
        case "counts-others", (key, selector):
            return (
                f"its spread by {short_key(key)} counts pods {selector}, not itself: pods like it are not spread by it"
            )
        case "requests-nothing", _:
            left = joined(f"{amounts(name, amount)[0]} {name}" for name, amount in warned.free)
            return f"it requests nothing, so it fits anywhere: {warned.node} has only {left} that is not requested"
        case "no-limit", (driver,):
            many = f"and has {warned.attached:,}: one more may not attach"
            return f"{warned.node} reports no limit for volumes of {driver}, {many}"
    told = joined((*(() if warned.ready else ("not Ready",)), *warned.names))
    return f"{warned.node} reports {told}: the scheduler takes it, its kubelet may refuse the pod"


def node_is_not_there(pod: str, node: str) -> str:
    """Say that a pod names a node that does not exist."""
    return f"{pod} names node {node} itself, which is not there: nothing runs it, and it is deleted again"


def node_has_no_room(pod: str, node: str, resource: str, wants: int, free: int) -> str:
    """Say that a kubelet refuses a pod that names its node.

    Args:
        pod: ``namespace/name``.
        node: its node.
        resource: of which too little is free.
        wants: what it requests of that.
        free: what is free without it.
    """
    asked, left = amounts(resource, wants, free)
    told = "no slot for a pod" if resource == "pods" else f"{left} {resource} free, and it wants {asked}"
    return f"{pod} names node {node} itself, so no scheduler is asked; its kubelet refuses it (OutOf{resource}): {told}"
