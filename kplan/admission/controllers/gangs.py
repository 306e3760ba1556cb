"""Groups of pods that others than kube-scheduler know of: read from labels, annotations and owners, never guessed.

scheduler-plugins, Koordinator, Volcano and Kueue place pods of a group together, or let them start together; JobSet,
LeaderWorkerSet and the training operators make pods that are of use only together, and leave the rest to a scheduler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from kplan.admission.controllers.queued import QUEUE
from kplan.objects.models import CoschedulingPodGroup, Job, KueueWorkload, Pod, VolcanoPodGroup
from kplan.objects.well_known import KOORDINATOR_GROUP, LEAST_OF_GROUP, VOLCANO_GROUPS, VOLCANO_TASK
from kplan.objects.whole_numbers import parse_int

Tables = Callable[[str], Mapping[str, Any]]
"""Gives the objects of a kind by ``namespace/name``, see ``ClusterTables.table``."""


class Decider(StrEnum):
    """Who decides whether the pods of a group start together."""

    COSCHEDULING = "coscheduling"
    VOLCANO = "volcano"
    KUEUE = "kueue"
    NOBODY = "nobody"
    """No scheduler that kplan sees: pods are placed one by one."""


class Gang(Struct, frozen=True):
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
    *((name, "podgroup", Decider.VOLCANO) for name in VOLCANO_GROUPS),
    (KOORDINATOR_GROUP, "podgroup", Decider.COSCHEDULING),
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


class Least(Struct, frozen=True):
    """How many pods of a group have to start together.

    Attributes:
        pods: so many of all; 0 where nothing says how many.
        tasks: so many of each task, by name; empty where that does not matter.
    """

    pods: int = 0
    tasks: Mapping[str, int] = field(default_factory=dict)

    def met(self, starting: Sequence[Pod]) -> bool:
        """Whether pods that start, or run, are enough."""
        tasks = Counter(task_of(pod) for pod in starting)
        return len(starting) >= self.pods and all(tasks[task] >= wanted for task, wanted in self.tasks.items())


def least_of(pods: Iterable[Pod], gang: Gang, tables: Tables) -> Least:
    """How many pods of a group have to start together: as its object says, else as its pods do.

    Args:
        pods: its pods.
        gang: the group.
        tables: objects by kind and key.
    """
    word, _, key = gang.name.partition("/")
    least = _of_object(word, key, gang.decider, tables)
    return least or Least(max((_own(pod) for pod in pods), default=0))


def task_of(pod: Pod) -> str:
    """The task of a Volcano Job that a pod is of; empty for none."""
    return pod.labels.get(VOLCANO_TASK) or pod.annotations.get(VOLCANO_TASK) or ""


def _of_object(word: str, key: str, decider: Decider, tables: Tables) -> Least | None:
    if decider is Decider.KUEUE:
        return _admitted(_workload(word, key, tables))
    kinds = ("volcano_pod_groups", "coscheduling_pod_groups")
    for kind in kinds if decider is Decider.VOLCANO else reversed(kinds):
        group: CoschedulingPodGroup | VolcanoPodGroup | None = tables(kind).get(key) if word == "podgroup" else None
        if group is not None and (group.spec.min_member or group.spec.min_task_member):
            tasks = {task: wanted for task, wanted in (group.spec.min_task_member or {}).items() if wanted > 0}
            return Least(max(group.spec.min_member or 0, sum(tasks.values())), tasks)
    return None


def _workload(word: str, key: str, tables: Tables) -> KueueWorkload | None:
    """What Kueue admits for a group of pods, or for a Job."""
    workloads: Mapping[str, KueueWorkload] = tables("kueue_workloads")
    if word == "podgroup":
        return workloads.get(key)
    namespace, _, name = key.partition("/")
    for workload in workloads.values():
        owners = workload.metadata.owner_references or ()
        if workload.namespace == namespace and any((owner.kind, owner.name) == ("Job", name) for owner in owners):
            return workload
    return None


def _admitted(workload: KueueWorkload | None) -> Least | None:
    sets = (workload.spec.pod_sets if workload is not None else None) or ()
    wanted = sum(
        (kueue_pod_set.min_count if kueue_pod_set.min_count is not None else kueue_pod_set.count) or 0
        for kueue_pod_set in sets
    )
    return Least(wanted) if wanted else None


def _own(pod: Pod) -> int:
    """How many pods of its group a pod says have to start together; 0 where it does not say."""
    for key in LEAST_OF_GROUP:
        text = pod.annotations.get(key) or pod.labels.get(key) or ""
        number = parse_int(text, 32)
        if number is not None and number > 0:
            return number
    return 0
