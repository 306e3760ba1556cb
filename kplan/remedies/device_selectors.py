"""Selectors of devices that say something else: what lets the nearest devices in, or no longer fails on them."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.objects.whole_numbers import is_natural
from kplan.plugins.dynamic_resources.facts import DeviceVerdict, DeviceWhy, RequestFacts
from kplan.plugins.shared.devices.cel import compile_problem, expression
from kplan.plugins.shared.devices.cel_edits import Edit, Edited, guarded, letting_in, operator_put_right
from kplan.remedies.about_devices import ClaimName, OtherSelector
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.device_claims import ClaimsChanged, ClassChanged, alike, in_request, with_selector
from kplan.scenario import Step

VALUES = 3
_REFUSED = (DeviceWhy.CLASS, DeviceWhy.CLAIM, DeviceWhy.FAILS)


def selector_changes(case: Case, claim: ClaimName, request: RequestFacts, *, of_class: bool) -> Iterator[Candidate]:
    """Change a selector that refuses devices.

    Args:
        case: the pod.
        claim: whose request it is.
        request: what devices of a node it refuses.
        of_class: whether selectors of the class alone may be changed, as the scheduler makes the claim.
    """
    seen: set[str] = set()
    for device in request.devices:
        if device.why not in _REFUSED or len(seen) >= VALUES:
            continue
        changed = request.device_class if device.of_class or device.why is DeviceWhy.CLASS else ""
        if of_class and not changed:
            continue
        for other in _changes(device, every=not changed):
            if other.text not in seen:
                seen.add(other.text)
                yield _candidate(case, claim, request, device, changed, other)


def _changes(device: DeviceVerdict, *, every: bool) -> Iterator[Edited]:
    """Selectors that refuse a device no more, or fail on it no more; those first that change the least."""
    if device.spots:
        right = operator_put_right(device.expression, device.spots[0].line, device.spots[0].column)
        yield from (right,) if right is not None else ()
        return
    if device.seen is None:
        return
    letting = letting_in(device.expression, device.seen)
    of_parts = letting is not None and any(edit.kind == "part" for edit in letting.edits)
    guard = guarded(device.expression, device.seen) if device.why is DeviceWhy.FAILS else None
    if letting is not None and not of_parts:
        yield letting
    elif every and device.why is DeviceWhy.CLAIM:
        yield from _other_literals(device)
    yield from (guard,) if guard is not None else ()
    if letting is not None and of_parts:
        yield letting


def _candidate(
    case: Case, claim: ClaimName, request: RequestFacts, device: DeviceVerdict, of_class: str, other: Edited
) -> Candidate:
    what = OtherSelector(claim, request.request, of_class, other.edits, other.text)
    step: Step = (
        ClassChanged(of_class, device.expression, other.text)
        if of_class
        else ClaimsChanged(
            alike(case, claim), in_request(request.request, with_selector(device.expression, other.text))
        )
    )
    kinds = {edit.kind for edit in other.edits}
    kind = next(kind for kind in ("part", "guard", "name", "operator", "value") if kind in kinds)
    cost = RemedyCost.LEAVE_OUT if kind == "part" else RemedyCost.REQUEST if kind == "value" else RemedyCost.LOOSEN
    if of_class and kind == "value":
        cost = RemedyCost.NODE  # other claims of the class get such devices, too
    return Candidate(f"device-selector-{kind}", cost, what, steps=(step,))


def _other_literals(device: DeviceVerdict) -> Iterator[Edited]:
    """The values of a device in place of texts that are asked for, however the expression compares them."""
    source = expression(device.expression).source
    named = {name.rpartition("/")[2] for name, _ in device.values} | {name for name, _ in device.values}
    domains = {name.rpartition("/")[0] for name, _ in device.values}
    for literal in source.literals:
        if literal in named | domains or not literal:
            continue
        for name, value in device.values:
            if value != literal and _of_one_kind(value, literal):
                text = source.with_literal(literal, value)
                if compile_problem(text) is None:
                    yield Edited((Edit("value", name.rpartition("/")[2], value, literal),), text)


def _of_one_kind(one: str, other: str) -> bool:
    """Whether one text may stand for another: both begin with a digit, or neither does."""
    return is_natural(one[:1]) == is_natural(other[:1])
