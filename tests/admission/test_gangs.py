"""Groups that others than kube-scheduler know of: recognised by what their controllers write, never guessed."""

from typing import Any

import pytest

from kplan.admission.controllers.gangs import Decider, Gang, gang_of
from kplan.objects.models import Job, Pod
from tests.builders import make, pod


def owned(kind: str, version: str, **fields: Any) -> Pod:
    owner = {"kind": kind, "apiVersion": version, "name": "train", "controller": True, "uid": "1"}
    return pod("p", metadata={"ownerReferences": [owner]}, **fields)


GANGS: dict[str, tuple[Pod, Gang | None]] = {
    "a pod of nothing": (pod("p", labels={"app": "web"}), None),
    "scheduler-plugins": (
        pod("p", labels={"scheduling.x-k8s.io/pod-group": "g"}),
        Gang("podgroup/default/g", Decider.COSCHEDULING),
    ),
    "scheduler-plugins of old": (
        pod("p", labels={"pod-group.scheduling.sigs.k8s.io": "g"}),
        Gang("podgroup/default/g", Decider.COSCHEDULING),
    ),
    "Volcano's PodGroup": (
        pod("p", metadata={"annotations": {"scheduling.k8s.io/group-name": "g"}}),
        Gang("podgroup/default/g", Decider.VOLCANO),
    ),
    "Koordinator's PodGroup": (
        pod("p", metadata={"annotations": {"gang.scheduling.koordinator.sh/name": "g"}}),
        Gang("podgroup/default/g", Decider.COSCHEDULING),
    ),
    "Volcano's Job": (
        owned("Job", "batch.volcano.sh/v1alpha1"),
        Gang("volcanojob/default/train", Decider.VOLCANO),
    ),
    "a group of plain pods of Kueue": (
        pod("p", labels={"kueue.x-k8s.io/pod-group-name": "g"}),
        Gang("podgroup/default/g", Decider.KUEUE),
    ),
    "a Job of a queue of Kueue": (owned("Job", "batch/v1"), Gang("job/default/train", Decider.KUEUE)),
    "a JobSet": (pod("p", labels={"jobset.sigs.k8s.io/jobset-name": "js"}), Gang("jobset/default/js", Decider.NOBODY)),
    "one group of a LeaderWorkerSet": (
        pod(
            "p",
            labels={"leaderworkerset.sigs.k8s.io/name": "llm", "leaderworkerset.sigs.k8s.io/group-index": "2"},
        ),
        Gang("leaderworkerset/default/llm-2", Decider.NOBODY),
    ),
    "an MPIJob": (owned("MPIJob", "kubeflow.org/v2beta1"), Gang("trainingjob/default/train", Decider.NOBODY)),
    "a training job whose pods Volcano schedules": (
        owned("PyTorchJob", "kubeflow.org/v1", schedulerName="volcano"),
        Gang("trainingjob/default/train", Decider.VOLCANO),
    ),
}


@pytest.mark.parametrize(("item", "wanted"), GANGS.values(), ids=GANGS)
def test_gang_of(item: Pod, wanted: Gang | None) -> None:
    job = make("Job", "train", namespace="default", metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}})
    assert isinstance(job, Job)
    assert gang_of(item, {job.key: job}) == wanted


def test_a_job_without_a_queue_is_no_group() -> None:
    job = make("Job", "train", namespace="default")
    assert isinstance(job, Job)
    assert gang_of(owned("Job", "batch/v1"), {job.key: job}) is None
