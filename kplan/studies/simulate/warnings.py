"""Warnings about the manifest of a workload: what it does not do though it seems to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kplan.objects.models import Pod, PodAffinityTerm
from kplan.objects.requests import RequestRules, pod_requests
from kplan.objects.selectors import compile_selector
from kplan.wording.manifests import requests_nothing, selects_no_pod, spreads_others

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
        yield requests_nothing(workload)
    affinity = pod.spec.affinity
    for word, side in (
        ("affinity", affinity.pod_affinity if affinity else None),
        ("anti-affinity", affinity.pod_anti_affinity if affinity else None),
    ):
        for term in (side.required if side else None) or ():
            if not _selects(term, pod, others):
                yield selects_no_pod(workload, word, term.label_selector)
    for constraint in pod.spec.topology_spread_constraints or ():
        selector = constraint.label_selector
        if selector is not None and not compile_selector(selector).matches(pod.labels):
            yield spreads_others(workload, constraint.topology_key, selector)


def _selects(term: PodAffinityTerm, pod: Pod, others: Iterable[Pod]) -> bool:
    if term.label_selector is None:
        return False
    selector = compile_selector(term.label_selector)
    anywhere = term.namespace_selector is not None
    spaces = set(term.namespaces or ()) or {pod.namespace}
    if selector.matches(pod.labels) and (anywhere or pod.namespace in spaces):
        return True
    return any(selector.matches(other.labels) for other in others if anywhere or other.namespace in spaces)
