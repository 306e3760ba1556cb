"""Groups of pods that others than kube-scheduler decide about: what they say of how many have to start together."""

import msgspec

from kplan.objects.models.meta import Int32, Model, Object


class MinimalGroupSpec(Model):
    """``spec`` of a PodGroup of scheduler-plugins or Volcano: so many of its pods at one time, or none."""

    min_member: Int32 | None = None
    min_task_member: dict[str, Int32] | None = None
    """Volcano: so many of each task of the job, by name."""


class CoschedulingPodGroup(Object):
    """A PodGroup of scheduling.x-k8s.io, as the coscheduling plugin reads it."""

    spec: MinimalGroupSpec = msgspec.field(default_factory=MinimalGroupSpec)


class VolcanoPodGroup(Object):
    """A PodGroup of scheduling.volcano.sh."""

    spec: MinimalGroupSpec = msgspec.field(default_factory=MinimalGroupSpec)


class KueuePodSet(Model):
    """``spec.podSets[]`` of a Workload: pods that are alike."""

    name: str | None = None
    count: Int32 | None = None
    min_count: Int32 | None = None
    """So many are enough, where the workload may be admitted in part."""


class KueueWorkloadSpec(Model):
    """``spec`` of a Workload."""

    pod_sets: list[KueuePodSet] | None = None


class KueueWorkload(Object):
    """A Workload of kueue.x-k8s.io: what Kueue admits as one."""

    spec: KueueWorkloadSpec = msgspec.field(default_factory=KueueWorkloadSpec)
