"""Groups of pods that others than kube-scheduler know of: read from labels, annotations and owners, never guessed.

scheduler-plugins, Koordinator, Volcano and Kueue place pods of a group together, or let them start together; JobSet,
LeaderWorkerSet and the training operators make pods that are of use only together, and leave the rest to a scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from kplan.admission.controllers.queued import QUEUE
from kplan.objects.models import Job, Pod
from kplan.objects.whole_numbers import parse_int


class Decider(StrEnum):
    """Who decides whether the pods of a group start together."""

    COSCHEDULING = "coscheduling"
    VOLCANO = "volcano"
    KUEUE = "kueue"
    NOBODY = "nobody"
    """No scheduler that kplan sees: pods are placed one by one."""


@dataclass(frozen=True, slots=True)
class Gang:
    """A group that a pod is of.

    Attributes:
        name: ``volcano/shop/train``: what makes it, namespace, name.
        decider: who decides.
    """

    name: str
    decider: Decider


_LABELS: tuple[tuple[str, str, Decider], ...] = (
    ("scheduling.x-k8s.io/pod-group", "podgroup", Decider.COSCHEDULING),
    ("pod-group.scheduling.sigs.k8s.io", "podgroup", Decider.COSCHEDULING),
    ("pod-group.scheduling.sigs.k8s.io/name", "podgroup", Decider.COSCHEDULING),
    ("volcano.sh/job-name", "volcanojob", Decider.VOLCANO),
    ("kueue.x-k8s.io/pod-group-name", "podgroup", Decider.KUEUE),
    ("jobset.sigs.k8s.io/jobset-name", "jobset", Decider.NOBODY),
    ("training.kubeflow.org/job-name", "trainingjob", Decider.NOBODY),
)
_ANNOTATIONS: tuple[tuple[str, str, Decider], ...] = (
    ("scheduling.k8s.io/group-name", "podgroup", Decider.VOLCANO),
    ("scheduling.volcano.sh/group-name", "podgroup", Decider.VOLCANO),
    ("gang.scheduling.koordinator.sh/name", "podgroup", Decider.COSCHEDULING),
)
_OWNERS: tuple[tuple[str, str, Decider], ...] = (
    ("batch.volcano.sh/", "volcanojob", Decider.VOLCANO),
    ("kubeflow.org/", "trainingjob", Decider.NOBODY),
)
_SET, _INDEX = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"
_BY_SCHEDULER = {"volcano": Decider.VOLCANO, "scheduler-plugins-scheduler": Decider.COSCHEDULING}


def gang_of(pod: Pod, jobs: Mapping[str, Job]) -> Gang | None:
    """The group that a pod says it is of; None for none that is known.

    Args:
        pod: the pod.
        jobs: Jobs by ``namespace/name``: one of a queue of Kueue starts whole.
    """
    namespace = pod.metadata.namespace or "default"
    by_scheduler = _BY_SCHEDULER.get(pod.spec.scheduler_name or "")
    for table, rules in ((pod.annotations, _ANNOTATIONS), (pod.labels, _LABELS)):
        for key, word, decider in rules:
            if table.get(key):
                return Gang(f"{word}/{namespace}/{table[key]}", by_scheduler or decider)
    if pod.labels.get(_SET) and pod.labels.get(_INDEX):
        name = f"leaderworkerset/{namespace}/{pod.labels[_SET]}-{pod.labels[_INDEX]}"
        return Gang(name, by_scheduler or Decider.NOBODY)
    owner = pod.controller
    for prefix, word, decider in _OWNERS:
        if owner is not None and (owner.api_version or "").startswith(prefix):
            return Gang(f"{word}/{namespace}/{owner.name}", by_scheduler or decider)
    job = jobs.get(f"{namespace}/{owner.name}") if owner is not None and owner.kind == "Job" else None
    if job is not None and job.labels.get(QUEUE):
        return Gang(f"job/{namespace}/{job.name}", Decider.KUEUE)
    return None


_LEAST = (
    "gang.scheduling.koordinator.sh/min-available",
    "pod-group.scheduling.sigs.k8s.io/min-available",
    "kueue.x-k8s.io/pod-group-total-count",
)
"""Annotations and labels that say how many pods of a group have to start together."""


def least_of(pod: Pod) -> int:
    """How many pods of its group a pod says have to start together; 0 where it does not say."""
    for key in _LEAST:
        text = pod.annotations.get(key) or pod.labels.get(key) or ""
        number = parse_int(text, 32)
        if number is not None and number > 0:
            return number
    return 0
