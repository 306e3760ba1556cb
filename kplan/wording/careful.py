"""Words of warning: rules that select nothing, requests that are not there, nodes that report trouble."""

from __future__ import annotations

from kplan.reasons.careful import CountsOthers, InTrouble, KeepsNothingAway, RequestsNothing, Warned
from kplan.words import amounts, joined, short_key


def careful_text(warned: Warned) -> str:
    """Put a warning in words."""
    match warned:
        case KeepsNothingAway(selector):
            return f"its anti-affinity term {selector} selects no pod, not even its own: it keeps nothing away"
        case CountsOthers(key, selector):
            return (
                f"its spread by {short_key(key)} counts pods {selector}, not itself: pods like it are not spread by it"
            )
        case RequestsNothing(node, free):
            left = joined(f"{amounts(name, amount)[0]} {name}" for name, amount in free)
            return f"it requests nothing, so it fits anywhere: {node} has only {left} that is not requested"
        case InTrouble(node, ready, pressure):
            told = joined((*(() if ready else ("not Ready",)), *pressure))
            return f"{node} reports {told}: the scheduler takes it, its kubelet may refuse the pod"
