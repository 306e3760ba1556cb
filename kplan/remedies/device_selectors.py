"""Selectors of devices that say something a little else: a value that a device has, a name or an operator put right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kplan.objects.whole_numbers import is_natural
from kplan.plugins.dynamic_resources.facts import DeviceVerdict, RequestFacts, Why
from kplan.plugins.shared.devices.cel import compile_problem, expression
from kplan.remedies.about_devices import ClaimName, Kind, OtherSelector
from kplan.remedies.candidate import Candidate, Case, Cost
from kplan.remedies.device_claims import ClaimsChanged, ClassChanged, alike, in_request, with_selector
from kplan.scenario import Step

VALUES = 3


def selector_changes(case: Case, claim: ClaimName, request: RequestFacts) -> Iterator[Candidate]:
    """Change a selector that refuses devices.

    Args:
        case: the pod.
        claim: whose request it is.
        request: what devices of a node it refuses.
    """
    seen: set[str] = set()
    for device in request.devices:
        if device.why is Why.CLAIM and len(seen) < VALUES:
            changes = _other_values(device)
        elif device.why is Why.FAILS:
            changes = _put_right(device)
        else:
            continue
        for kind, subject, new, old, text in changes:
            if text in seen:
                continue
            seen.add(text)
            of_class = request.device_class if device.of_class else ""
            what = OtherSelector(claim, request.request, of_class, kind, subject, new, old, text)
            step: Step = (
                ClassChanged(of_class, device.expression, text)
                if of_class
                else ClaimsChanged(
                    alike(case, claim), in_request(request.request, with_selector(device.expression, text))
                )
            )
            cost = Cost.REQUEST if kind == "value" else Cost.LOOSEN
            yield Candidate(f"device-selector-{kind}", cost, what, steps=(step,))


class _Other(NamedTuple):
    """See OtherSelector."""

    kind: Kind
    subject: str
    new: str
    old: str
    text: str


def _other_values(device: DeviceVerdict) -> Iterator[_Other]:
    """The values of a device in place of those that are asked for."""
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
                    yield _Other("value", name.rpartition("/")[2], value, literal, text)


def _of_one_kind(one: str, other: str) -> bool:
    """Whether one text may stand for another: both begin with a digit, or neither does."""
    return is_natural(one[:1]) == is_natural(other[:1])


def _put_right(device: DeviceVerdict) -> Iterator[_Other]:
    """The attribute that is meant in place of one that is not there; ``==`` in place of ``=``."""
    source = expression(device.expression).source
    if device.missing and device.close:
        text = source.with_name(device.missing, device.close)
        yield _Other("name", "", device.close, device.missing, text)
    if device.spots:
        spot = device.spots[0]
        lines = device.expression.splitlines()
        line = lines[spot.line - 1] if 0 < spot.line <= len(lines) else ""
        at = spot.column - 1
        if line[at : at + 1] == "=":
            lines[spot.line - 1] = f"{line[:at]}=={line[at + 1 :]}"
            text = "\n".join(lines)
            if compile_problem(text) is None:
                yield _Other("operator", "", "==", "=", text)
