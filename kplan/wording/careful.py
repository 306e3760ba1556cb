"""Words of warning: rules that select nothing, requests that are not there, nodes that report trouble."""

from __future__ import annotations

from kplan.course.trial.kubelet import NO_NODE, NotAdmitted
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


def not_admitted(why: NotAdmitted) -> str:
    """Say that nothing runs a pod on the node that it names."""
    names = f"{why.pod} names node {why.node} itself"
    if why.reason == NO_NODE:
        return f"{names}, which is not there: nothing runs it, and it is deleted again"
    return f"{names}, so no scheduler is asked; its kubelet {refuses(why)}"


def refuses(why: NotAdmitted) -> str:
    """Say why a kubelet does not take a pod: ``refuses it (OutOfcpu): 0 cpu free, and it wants 1``."""
    return f"refuses it ({why.reason}): {_told(why)}"


def evicts_on_its_node(pod: str, node: str) -> str:
    """Say that a critical pod makes its kubelet evict others."""
    return f"{pod} names node {node} itself and is critical: where room lacks the kubelet evicts other pods for it"


def _told(why: NotAdmitted) -> str:
    match why.reason:
        case "OutOfpods":
            return "no slot for a pod"
        case "NodeAffinity":
            return "the node does not match its node affinity/selector"
        case "NodePorts":
            return f"port {why.about} is taken there"
        case "TaintToleration":
            return f"it does not tolerate taint {why.about}"
        case "PodFeatureUnsupported":
            return f"the node does not declare {why.about}"
        case "PodOSNotSupported" | "PodOSSelectorNodeLabelDoesNotMatch":
            return f"it is for {why.about}, which the node does not run"
    asked, left = amounts(why.about, why.wants, why.free)
    return f"{left} {why.about} free, and it wants {asked}"
