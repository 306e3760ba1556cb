"""Words of warning: rules that select nothing, requests that are not there, nodes that report trouble."""

from __future__ import annotations

from kplan.reasons.careful import Warned
from kplan.words import amounts, joined, short_key


def careful_text(warned: Warned) -> str:
    """Put a warning in words."""
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
    told = joined((*(() if warned.ready else ("not Ready",)), *warned.names))
    return f"{warned.node} reports {told}: the scheduler takes it, its kubelet may refuse the pod"
