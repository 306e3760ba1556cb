"""Words of what manifests bring: what changes, and what a manifest does not do though it seems to."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.admission import Fleet, WorkloadChange
from kplan.admission.policies.quota import UnsureCount
from kplan.framework.doubt import Doubt
from kplan.objects.models import LabelSelector
from kplan.words import count, listed

_MEANS = {"affinity": "it can never be met", "anti-affinity": "it keeps nothing apart"}


def requests_nothing(workload: str) -> str:
    """Warn of pods that request neither cpu nor memory."""
    return f"{workload} requests no cpu and no memory: to the scheduler its pods need next to nothing"


def request_nothing(workloads: Sequence[str]) -> str:
    """The same of several workloads, in one line."""
    if len(workloads) == 1:
        return requests_nothing(workloads[0])
    told = f"{count(len(workloads), 'workload')} request no cpu and no memory ({listed(workloads)})"
    return f"{told}: to the scheduler their pods need next to nothing"


def part_of_a_byte(workload: str, container: str, resource: str, amount: str) -> str:
    """Warn of an amount of bytes that is no whole number, as ``512m`` is."""
    meant = f": did you mean {amount[:-1]}Mi?" if amount.endswith("m") else ""
    return f"{workload}: {resource} {amount} of container {container} is not a whole number of bytes{meant}"


def selects_no_pod(workload: str, side: str, selector: LabelSelector | None) -> str:
    """Warn of a required term that no pod matches: of ``affinity`` or ``anti-affinity``."""
    return f"{workload}: pod {side} {selected(selector)} selects no pod, not even its own: {_MEANS[side]}"


def spreads_others(workload: str, key: str, selector: LabelSelector) -> str:
    """Warn of a spread that does not count the workload's own pods."""
    return f"{workload}: spread by {key} counts {selected(selector)}, which its own pods are not"


def selected(selector: LabelSelector | None) -> str:
    """Write a selector as it would be typed."""
    if selector is None:
        return "without a selector"
    parts = [f"{key}={value}" for key, value in sorted((selector.match_labels or {}).items())]
    for expression in selector.match_expressions or ():
        values = f" ({', '.join(expression.values)})" if expression.values else ""
        parts.append(f"{expression.key} {expression.operator}{values}")
    return ", ".join(parts) or "of everything"


def changed(change: WorkloadChange, fleet: Fleet | None) -> list[list[str]]:
    """Say what changes, and how, each in phrases: ``cpu 1 -> 1500m``; ``4 replicas``, ``maxSurge 1``."""
    if change.verdict == "scaled":
        return [[f"{change.before:,} -> {change.after:,}"]]
    if fleet is None or not fleet.replaces:
        return []
    if fleet.strategy == "OnDelete":
        return [list(fleet.differences), ["OnDelete: nothing moves until a pod is deleted by hand"]]
    size = count(fleet.replicas, "node" if fleet.kind == "DaemonSet" else "replica")
    if fleet.before != fleet.replicas and fleet.kind != "DaemonSet":
        size += f" (now {fleet.before:,})"
    parts = [size]
    if fleet.strategy != "RollingUpdate":
        parts.append(fleet.strategy)
    elif fleet.kind != "StatefulSet":
        parts += [f"maxSurge {fleet.max_surge}", f"maxUnavailable {fleet.max_unavailable}"]
    else:
        parts += [f"maxUnavailable {fleet.max_unavailable}"] if fleet.max_unavailable > 1 else []
        parts += [f"partition {fleet.partition}"] if fleet.partition else []
    return [list(fleet.differences), parts]


def owned_replicas(workload: str, scaler: str, least: object, most: object) -> str:
    """Say that an autoscaler owns the replicas that a manifest sets.

    Args:
        workload: ``Deployment web``.
        scaler: ``HorizontalPodAutoscaler web``.
        least: fewest replicas, as written; None for the default, 1.
        most: most of them, as written.
    """
    span = f"{1 if least is None else least} to {'any number' if most is None else most}"
    return f"{workload} sets replicas, which {scaler} ({span}) owns: planned as written, it goes on from there"


def no_autoscaler(flag: str) -> Doubt:
    """Doubt an answer about autoscalers at a limit where none is known.

    Args:
        flag: ``--hpa max``.
    """
    what = "VerticalPodAutoscaler" if flag.startswith("--vpa") else "HorizontalPodAutoscaler or ScaledObject"
    return Doubt(code="no-autoscalers", text=f"{flag} changes nothing: no {what} is known here")


def count_unknown(some: Sequence[UnsureCount]) -> str:
    """Doubt that a quota of objects lets in what it may refuse.

    Args:
        some: objects that one resource of a quota counts, at least one.
    """
    first = some[0]
    names, what = listed([entry.name for entry in some], most=2), first.resource.removeprefix("count/")
    there = f"{first.used} of {first.hard} used" if first.used else f"at most {first.hard}"
    are = "is" if len(some) == 1 else "are"
    then = f"{names} {are} refused unless there already" if first.used else f"whether {names} {are} let in is not known"
    none = f"the source holds no {what.partition('.')[0]}"
    return f"quota {first.quota} counts {first.resource} ({there}), and {none}: {then}"


def pod_security(namespace: str, level: str) -> str:
    """Say that what a namespace enforces is not modelled."""
    return f"namespace {namespace} enforces PodSecurity {level}: not modelled, it may refuse pods"


def security_refuses(workload: str, namespace: str, level: str, fields: Sequence[str]) -> str:
    """Doubt that pods are let in which PodSecurity plainly refuses.

    Args:
        workload: ``deploy/shop/web``.
        namespace: its namespace.
        level: what that enforces.
        fields: what of the pods is refused, at least one.
    """
    enforces = f"namespace {namespace} enforces PodSecurity {level}, which forbids {listed(fields, most=2)}"
    return f"{workload}: {enforces}: its pods are refused unless they are exempt"


def needs_readiness(workload: str, conditions: Sequence[str], *, rolls: bool) -> str:
    """Say who else has to act before pods are ready.

    Args:
        workload: ``deploy/shop/web``.
        conditions: that its readinessGates name, at least one.
        rolls: whether pods that run are replaced step by step.
    """
    then = "its rollout goes no further than its first new pods" if rolls else "they are never ready"
    what = listed(list(conditions), most=2)
    return f"{workload}: its pods are ready only once another controller sets {what} (readinessGates); without, {then}"
