"""Text of the devices that a pod's claims do not get: by request and node, what refuses each."""

from __future__ import annotations

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import DETAIL, Page
from kplan.result.document_devices import AllocatedClaim, CelError, DeviceConstraint, DeviceRequest, Devices, DeviceSet
from kplan.words import count, listed, short_key

_REQUESTS, _NODES, _SETS, _NAMES = 3, 4, 4, 3
_EXPRESSIONS = 2
_HEADS = ("node", "device", "what refuses it")


def devices(page: Page, told: Devices | None, *, everything: bool) -> None:
    """Write the requests, each with its nodes, constraints, and claims that have their devices elsewhere.

    Args:
        page: the page.
        told: the devices; nothing is written for None.
        everything: leave nothing out.
    """
    if told is None:
        return
    shown = told.requests if everything else told.requests[:_REQUESTS]
    label = "Devices"
    for request in shown:
        label = _request(page, request, label, everything=everything)
    if len(told.requests) > len(shown):
        page.part("", f"{count(len(told.requests) - len(shown), 'more request')} (-o wide)")
    for constraint in told.constraints if everything else told.constraints[:_NODES]:
        label = _part(page, label, _constraint(constraint))
    for claim in told.allocated:
        label = _part(page, label, _allocated(claim))


def _part(page: Page, label: str, text: str) -> str:
    page.part(label, text)
    return ""


def _request(page: Page, request: DeviceRequest, label: str, *, everything: bool) -> str:
    number = f"{request.count:,}" if request.count else "all"
    name = f", request {request.request}" if request.request else ""
    claim = short_key(request.claim)
    whose = "extended resources" if claim.startswith("<") else f"claim {claim}"  # its claim is only thought of
    page.part(label, f"{whose}{name}: {number} of class {request.device_class}")
    broken = _broken(request)
    for text in request.selectors[:_EXPRESSIONS]:
        page.detail(" ".join(text.split()))
    if broken is not None:
        for error in broken.errors[: None if everything else 1]:
            caret(page, broken.expression, error)
    rows = []
    nodes = request.nodes if everything else request.nodes[:_NODES]
    for device_nodes in nodes:
        names = listed(device_nodes.nodes, most=_NAMES)
        sets = device_nodes.sets if everything else device_nodes.sets[:_SETS]
        if not sets:
            rows.append((names, "-", "; ".join(device_nodes.notes) or "no devices"))
        for each in sets:
            rows.append((names, _names(each), each.text))
            names = ""
        if len(device_nodes.sets) > len(sets):
            rows.append(("", f"+{len(device_nodes.sets) - len(sets)}", "others (-o wide)"))
        rows += [("", "", note) for note in (device_nodes.notes if sets else ())]
    if rows and not page.table("", _HEADS, rows, fitting=Fitting(names=(0,), wraps=(2,))):
        for node, device, text in rows:
            page.detail("  ".join(filter(None, (node, device, text))))
    if len(request.nodes) > len(nodes):
        page.detail(f"+{len(request.nodes) - len(nodes)} kinds of nodes (-o wide)")
    return ""


def _names(each: DeviceSet) -> str:
    """Devices by name; by number where they are many."""
    names = [name.rpartition("/")[2] for name in each.devices]
    return ", ".join(names) if len(names) <= _NAMES else f"{names[0]} to {names[-1]} ({len(names)})"


def _broken(request: DeviceRequest) -> DeviceSet | None:
    """The first device on which a selector does not compile."""
    return next((each for node in request.nodes for each in node.sets if each.errors), None)


def caret(page: Page, expression: str, error: CelError) -> None:
    """Write the line of an expression that does not compile, and a caret under the place, in pieces that fit."""
    lines = expression.splitlines()
    if not 0 < error.line <= len(lines):
        page.detail(error.text)
        return
    line, at = lines[error.line - 1].replace("\t", " "), error.column - 1
    width = max(page.width - DETAIL, 20)
    for start in range(0, max(len(line), at + 1), width):
        page.lines.append(f"{' ' * DETAIL}{line[start : start + width]}".rstrip())
        if start <= at < start + width:
            page.lines.append(f"{' ' * (DETAIL + at - start)}^")
    page.detail(error.text)


def _constraint(rule: DeviceConstraint) -> str:
    verb = "differ in" if rule.rule == "distinctAttribute" else "share"
    values = ", ".join(f"{value or 'without it'}: {number}" for value, number in list(rule.values.items())[:6])
    return f"claim {short_key(rule.claim)}: devices {verb} {rule.attribute}; {rule.node} has free {values or 'none'}"


def _allocated(claim: AllocatedClaim) -> str:
    names = [name.partition("/")[2] for name in claim.devices]
    pods = f", used by {listed(claim.pods)}" if claim.pods else ", used by no pod"
    where = "its devices could not be attached" if claim.failed else f"available on {listed(claim.nodes) or 'no node'}"
    return f"claim {short_key(claim.claim)} has {listed(names)}{pods}: {where}"
