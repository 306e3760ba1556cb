"""Text of bindings: what would be written, and what was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kplan.render.data import yaml_of
from kplan.render.text.cells import wrapped
from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.shared import cause_lines, doubts, notes, origin
from kplan.render.text.style import Style
from kplan.render.tones import harm
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BindTotals, BoundPod
from kplan.visible import visible
from kplan.words import count, joined

PODS_SHOWN = 20
NARROW = 24
"""Columns that a text needs at least beside others."""


def bind_document(document: BindPlan | BindResult, style: Style) -> str:
    """Lay out what would be bound, or what was."""
    return bind_plan(document, style) if isinstance(document, BindPlan) else bind_result(document, style)


def bind_plan(document: BindPlan, style: Style) -> str:
    """Lay out what would be bound."""
    page = style.page()
    page.verdict(document.verdict, document.sentence)
    if style.quiet:
        doubts(page, document.doubts)  # else they are told among the guards
    cause_lines(page, document.because, document.attempt)
    if style.quiet:
        return page.text()
    page.blank()
    ordered = sorted(document.pods, key=lambda pod: harm([pod.result]))
    shown = ordered if style.wide else ordered[:PODS_SHOWN]
    rows = [(pod.pod, pod.node or "-", _also(pod)) for pod in shown]
    _rows(page, ("pod", "node", "also writes"), rows)
    page.more(len(document.pods) - len(shown), "pods", "-o wide, -o json")
    told = ((item, "" if item.result == "refused" else item.text) for item in document.objects)  # a guard says why
    _objects(page, [(item.object, item.result, text) for item, text in told])
    for number, guard in enumerate(sorted(document.guards, key=lambda guard: harm([guard.state]))):
        flag = f" ({guard.flag})" if guard.flag else ""
        _hanging(page, "Guards" if not number else "", f"{guard.state:<5}  {guard.name:<9}  ", f"{guard.text}{flag}")
    if any(pod.owner for pod in document.pods):
        page.part("Note", "pods that controllers make get other names than these, and the same nodes")
    notes(page, document.notes)
    _origin(page, document)
    return page.text()


def _also(pod: BindPod) -> str:
    """What is written beside the binding, or why there is none."""
    if pod.result != "bind":
        return f"{pod.result}: {pod.because.text}" if pod.because is not None else pod.result
    told = ["created first"] if pod.create is not None else []
    told += [f"made by {pod.owner}"] if pod.owner else []
    told += [f"with its group {'/'.join(pod.group.rsplit('/', 2)[-2:])}, whose status is written"] if pod.group else []
    for claim in pod.claims:
        name = claim.claim.partition("/")[2]
        told.append(f"pv {claim.volume}: for pvc {name}" if claim.volume else f"pvc {name}: selected-node {pod.node}")
    for device in pod.devices:
        name = device.claim.partition("/")[2]
        names = ", ".join(name.partition("/")[2] for name in device.devices)
        made = "new " if device.create is not None else ""
        told.append(f"{made}claim {name}: {names}" if names else f"reserves claim {name}")
    for counted in pod.node_amounts:
        told.append(f"claim {counted['resourceClaimName']} takes {_amounts(counted)} of the node")
    for victim in pod.evicts:
        broken = f", breaks budget {victim.budget}" if victim.budget else ""
        none = f", 0 ready of {victim.unserved} then" if victim.unserved else ""
        told.append(f"evicts {victim.pod} (priority {victim.priority}{broken}{none})")
    told += [f"clears the nomination of {key}" for key in pod.clears]
    return ", ".join(told) or (f"one of {pod.tie} that tie" if pod.tie else "-")


def _amounts(counted: dict[str, Any]) -> str:
    """What devices stand for, and what they take besides: ``cpu 2, memory 1Gi besides``."""
    told = [f"{name} {amount}" for name, amount in (counted.get("resources") or {}).items()]
    told += [f"{amount['name']} {amount['quantity']}" for amount in counted.get("mapping") or ()]
    for overhead in counted.get("overhead") or ():
        each = [*([overhead["perPod"]] if "perPod" in overhead else [])]
        each += [f"{overhead['perContainer']} a container"] if "perContainer" in overhead else []
        told.append(f"{overhead['name']} {' and '.join(each)} besides")
    return joined(told)


def _objects(page: Page, rows: Sequence[tuple[str, str, str]]) -> None:
    """List what is created of manifests and what is there, in the order in which it is created."""
    wide = max((len(name) for name, _, _ in rows), default=0)
    for number, (name, result, text) in enumerate(rows):
        told = f"{result.replace('-', ' ')}{f': {text}' if text else ''}"
        _hanging(page, "Objects" if not number else "", f"{name:<{wide}}  ", told)


def _origin(page: Page, document: BindPlan) -> None:
    origin(page, document.origin)
    if document.cluster.uid:
        page.part("", f"kube-system uid {document.cluster.uid}")


def _rows(page: Page, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Write a table, or where it is too wide, a wrapped line for each row."""
    if not rows or page.table("Pods", heads, rows, fitting=Fitting(names=(0, 1), wraps=(2,))):
        return
    pod, node = (max(len(row[i]) for row in rows) for i in range(2))
    for number, row in enumerate(rows):
        _hanging(page, "Pods" if not number else "", f"{row[0]:<{pod}}  {row[1]:<{node}}  ", row[2])


def _hanging(page: Page, label: str, head: str, text: str) -> None:
    """Write a line of columns whose last one is wrapped under itself, or where there is no room, below."""
    room = page.width - LABEL - len(head)
    if room < NARROW:
        page.part(label, head.rstrip())
        page.detail(text)
        return
    first, *rest = wrapped(text, room) or [""]
    page.part(label, head + first)
    for line in rest:
        page.detail(line, LABEL + len(head))


def bind_result(document: BindResult, style: Style) -> str:
    """Lay out what was bound."""
    page = style.page()
    page.verdict(document.verdict, document.sentence)
    cause_lines(page, document.because, document.attempt)
    if style.quiet:
        return page.text()
    page.blank()
    ordered = sorted(document.pods, key=lambda pod: harm([pod.result]))
    shown = ordered if style.wide else ordered[:PODS_SHOWN]
    _rows(page, ("pod", "node", "result"), [(pod.real or pod.pod, pod.node, _became(pod)) for pod in shown])
    page.more(len(document.pods) - len(shown), "pods", "-o wide, -o json")
    _objects(page, [(item.object, item.result, item.text) for item in document.objects])
    notes(page, document.notes)
    journal = f"; journal {document.journal}" if document.journal else ""
    page.part("From", f"{document.cluster.context}, {document.started[11:19]} to {document.ended[11:19]}{journal}")
    return page.text()


def _became(pod: BoundPod) -> str:
    kept = f"; kept: {', '.join(pod.kept)}" if pod.kept else ""
    if pod.result == "bound":
        at = f" {pod.at[11:19]}" if pod.at else ""
        return f"bound{at}{', confirmed' if pod.confirmed else ', not confirmed'}{f' ({pod.text})' if pod.text else ''}"
    if pod.result in ("not-tried", "open"):
        return f"{pod.result.replace('-', ' ')}{f': {pod.text}' if pod.text else ''}{kept}"
    return f"held back: {pod.text}{kept}"


def question(totals: BindTotals, where: str) -> str:
    """Ask before anything is written, with the numbers."""
    told = [count(totals.bindings, "binding")]
    told += [count(totals.creations, "new pod")] if totals.creations else []
    told += [count(totals.objects, "new object")] if totals.objects else []
    told += [count(totals.claims, "claim")] if totals.claims else []
    told += [count(totals.volumes, "volume")] if totals.volumes else []
    told += [count(totals.device_claims, "device claim")] if totals.device_claims else []
    what = joined(told)
    evict = f"evict {count(totals.evictions, 'pod')}" if totals.evictions else "evict nothing"
    return f"Write {what} to {where}, {evict}?"


def bar(done: int, total: int) -> str:
    """Draw how many pods are settled."""
    full = 30 * done // max(total, 1)
    return f"[{'#' * full}{'.' * (30 - full)}] {done:,} of {total:,} pods"


def bindings_yaml(document: BindPlan) -> str:
    """Write the Binding objects of a plan, as they would be sent, one document each."""
    objects = []
    for pod in document.pods:
        if pod.result == "bind":
            namespace, _, name = pod.pod.partition("/")
            metadata = {"name": name, "namespace": namespace, **({"uid": pod.uid} if pod.uid else {})}
            target = {"apiVersion": "v1", "kind": "Node", "name": pod.node}
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
            text = yaml_of(binding)
            objects.append(
                f"# {visible(pod.owner)} is yet to make this pod, under another name.\n{text}" if pod.owner else text
            )
    return "---\n".join(objects)
