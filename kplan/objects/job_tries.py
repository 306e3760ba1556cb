"""Whether a Job has ended, and how many of its pods may still fail before it does."""

from __future__ import annotations

from kplan.objects.models import Job, Pod
from kplan.objects.whole_numbers import natural

INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count"
BACKOFF_LIMIT = 6
"""Source: SetDefaults_Job in pkg/apis/batch/v1/defaults.go; with a limit for each index there is none for all."""


def ended(job: Job) -> str:
    """Why a Job has ended: ``Complete``, ``Failed: BackoffLimitExceeded``; empty where it has not.

    Source: IsJobFinished in pkg/controller/job/util/utils.go.
    """
    for condition in job.status.conditions or ():
        if condition.type in ("Complete", "Failed") and condition.status == "True":
            return f"{condition.type}: {condition.reason}" if condition.reason else condition.type
    return ""


def tries_left(job: Job, limit: int | None = None) -> int | None:
    """How many more pods of a Job may fail before it fails itself, negative once it does; None for any number.

    Args:
        job: that runs.
        limit: backoffLimit, where it is another than the one that runs.
    """
    most = limit if limit is not None else job.spec.backoff_limit
    if most is None and job.spec.backoff_limit_per_index is not None:
        return None
    return (BACKOFF_LIMIT if most is None else most) - (job.status.failed or 0)


def replaces_failed_alone(job: Job) -> bool:
    """Whether a pod that is Terminating counts until it has failed: by default where a policy tells of failures."""
    policy = job.spec.pod_replacement_policy
    return policy == "Failed" if policy is not None else job.spec.pod_failure_policy is not None


def fails_with_its_pod(job: Job) -> bool:
    """Whether a Job fails once a pod of it is evicted or deleted: that counts as a failure, unless a policy ignores it.

    Source: isPodFailed, matchPodFailurePolicy in pkg/controller/job; an eviction gives the pod the condition
    DisruptionTarget.
    """
    left = tries_left(job)
    spent = left is not None and left <= 0
    action = _of_disruption(job)
    return spent if action is None else action == "FailJob" or (action == "Count" and spent)


def index_fails_with_its_pod(job: Job, pod: Pod) -> bool:
    """Whether the index of a pod fails once that is evicted or deleted: no pod is made for it again, others go on.

    Source: getNewIndexFailureCounts, isIndexFailed in pkg/controller/job/indexed_job_utils.go.
    """
    limit = job.spec.backoff_limit_per_index
    if limit is None:
        return False
    action = _of_disruption(job)
    if action in ("Ignore", "FailIndex"):
        return action == "FailIndex"
    return (natural(pod.annotations.get(INDEX_FAILURES, "")) or 0) + 1 > limit


def _of_disruption(job: Job) -> str | None:
    """What the policy of a Job does with a pod that is evicted; None where no rule of it matches."""
    policy = job.spec.pod_failure_policy
    for rule in (policy.rules if policy is not None else None) or ():
        patterns = rule.on_pod_conditions or ()
        if any(pattern.type == "DisruptionTarget" and (pattern.status or "True") == "True" for pattern in patterns):
            return rule.action
    return None
