"""Words of remedies that change the pod: its requests, rules, ports, claims and priority."""

from __future__ import annotations

from kplan.remedies import about
from kplan.wording.remedies_words import Words
from kplan.words import amounts, joined, listed

_LONG = 22
"""Characters of labels beyond which their keys alone are told."""


def pod_words(code: str, what: about.About) -> Words | None:
    """Put a change of the pod in words; None for other changes."""
    match what:
        case about.Lower():
            return _lower(what)
        case about.Taints(node=""):
            names = short_taints(what.taints)
            return Words(f"tolerate {names}", failed=f"tolerating {names}")
        case about.Selector():
            return _selector(what)
        case about.NodeAffinity() | about.WholeNumber() | about.AlsoValue():
            return _affinity(what)
        case about.Spread():
            return _spread(code, what)
        case about.PodTerm() | about.PodTerms():
            return _terms(what)
        case about.HostPorts():
            word = "hostPort" if len(what.ports) == 1 else "hostPorts"
            names = f"{word} {joined(map(str, what.ports))}" if what.ports else "hostNetwork"
            return Words(f"the pod without {names}")
        case about.Claim():
            return Words(f"the pod without claim {what.claim}")
        case about.Policy():
            return Words("preemptionPolicy PreemptLowerPriority (now Never)")
        case about.Priority():
            known = f" (class {what.class_name}: {what.value})" if what.class_name else ""
            return Words(f"priority {what.level} or more{known}", short=f"priority {what.level}")
    return None


def short_taints(taints: tuple[str, ...]) -> str:
    """Taints without the usual effect."""
    return joined(taint.removesuffix(":NoSchedule") for taint in taints)


def _lower(what: about.Lower) -> Words:
    told, short = [], []
    for request in what.requests:
        new, old = amounts(request.resource, request.new, request.old)
        name = f"{request.resource} request{_part(request)}"
        told.append(f"{name} of at most {new} (now {old})")
        short.append(f"{name} {new} (now {old})")
    least = f"any {what.requests[0].resource} request above 0" if what.least else ""
    return Words(joined(told), short=joined(short), failed=least)


def _part(request: about.LowerRequest) -> str:
    part = request.part
    if not part.name:
        return " of the pod"
    return "" if part.alone else f" of {'init container' if part.init else 'container'} {part.name}"


def lower_amount(request: about.LowerRequest) -> str:
    """The lower amount, in the unit of the two."""
    return amounts(request.resource, request.new, request.old)[0]


def _selector(what: about.Selector) -> Words:
    keys = joined(key for key, _ in what.pairs)
    names = joined(f"{key}={value}" for key, value in what.pairs)
    return Words(f"drop nodeSelector {keys if len(names) > _LONG else names}", failed=f"dropping nodeSelector {keys}")


def _affinity(what: about.NodeAffinity | about.WholeNumber | about.AlsoValue) -> Words:
    match what:
        case about.NodeAffinity(requirement=None):
            return Words("drop the required node affinity", failed="dropping node affinity")
        case about.NodeAffinity(requirement=about.Requirement() as requirement):
            words = f"{requirement.key} {requirement.operator} {listed(requirement.values, most=2)}".strip()
            return Words(f"drop node affinity {words}", failed=f"dropping node affinity {words}")
        case about.WholeNumber(requirement=one):
            now = f"now {(one.values or ('',))[0]}: whole numbers only"
            return Words(f"node affinity {one.key} {one.operator} {what.number} ({now})")
        case about.AlsoValue():
            return Words(f"node affinity: allow {what.key} {what.value} too")
    raise AssertionError(what)


def _spread(code: str, what: about.Spread) -> Words:
    text, short = "", ""
    if code == "spread-taints-policy":
        text, short = "nodeTaintsPolicy: Honor", "nodeTaintsPolicy: Honor on that constraint"
    elif code == "spread-affinity-policy":
        text = "nodeAffinityPolicy: Honor"
    elif code == "spread-min-domains":
        text = f"{'no minDomains' if what.new is None else f'minDomains: {what.new}'} (now {what.old})"
    elif code == "spread-max-skew":
        text = f"maxSkew: {what.new} (now {what.old})"
    else:
        text = "whenUnsatisfiable: ScheduleAnyway"
    return Words(text + (f" (spread by {what.key})" if what.key else ""), short=short)


def _terms(what: about.PodTerm | about.PodTerms) -> Words:
    rule = "pod anti-affinity" if what.anti else "pod affinity"
    if isinstance(what, about.PodTerms):
        return Words(f"all {what.number} {rule} terms preferred, not required")
    if what.key:
        return Words(f"{rule} {what.selector} by hostname (now {what.key})")
    return Words(f"{rule} {what.selector} preferred, not required", failed=f"{rule} {what.selector} preferred")
