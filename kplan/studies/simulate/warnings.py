"""Warnings about the manifest of a workload: what it does not do though it seems to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kplan.objects.models import LabelSelector, Pod, PodAffinityTerm
from kplan.objects.requests import RequestRules, pod_requests
from kplan.objects.selectors import compile_selector

_COUNTED = ("cpu", "memory")


def warnings_of(workload: str, pod: Pod, others: Sequence[Pod], rules: RequestRules) -> Iterator[str]:
    """Warn about the pods of one workload.

    Args:
        workload: ``deploy/shop/web``.
        pod: one of them, as the scheduler sees it.
        others: pods of the cluster, these among them.
        rules: how requests are counted.
    """
    requests = pod_requests(pod, rules, use_status=False)
    if not any(requests.get(name) for name in _COUNTED):
        yield f"{workload} requests no cpu and no memory: to the scheduler its pods need next to nothing"
    affinity = pod.spec.affinity
    for word, side, means in (
        ("affinity", affinity.pod_affinity if affinity else None, "it can never be met"),
        ("anti-affinity", affinity.pod_anti_affinity if affinity else None, "it keeps nothing apart"),
    ):
        for term in (side.required if side else None) or ():
            if not _selects(term, pod, others):
                what = _selector(term.label_selector)
                yield f"{workload}: pod {word} {what} selects no pod, not even its own: {means}"
    for constraint in pod.spec.topology_spread_constraints or ():
        selector = constraint.label_selector
        if selector is not None and not compile_selector(selector).matches(pod.labels):
            what = _selector(selector)
            yield f"{workload}: spread by {constraint.topology_key} counts {what}, which its own pods are not"


def _selects(term: PodAffinityTerm, pod: Pod, others: Iterable[Pod]) -> bool:
    if term.label_selector is None:
        return False
    selector = compile_selector(term.label_selector)
    anywhere = term.namespace_selector is not None
    spaces = set(term.namespaces or ()) or {pod.namespace}
    if selector.matches(pod.labels) and (anywhere or pod.namespace in spaces):
        return True
    return any(selector.matches(other.labels) for other in others if anywhere or other.namespace in spaces)


def _selector(selector: LabelSelector | None) -> str:
    """Write a selector as it would be typed."""
    if selector is None:
        return "without a selector"
    parts = [f"{key}={value}" for key, value in sorted((selector.match_labels or {}).items())]
    for one in selector.match_expressions or ():
        values = f" ({', '.join(one.values)})" if one.values else ""
        parts.append(f"{one.key} {one.operator}{values}")
    return ", ".join(parts) or "of everything"
