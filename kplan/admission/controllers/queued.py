"""Workloads that Kueue holds back: suspended until it admits them, and planned as if it had."""

from __future__ import annotations

import dataclasses

from kplan.admission.raw import dig
from kplan.sources import ManifestObject

QUEUE = "kueue.x-k8s.io/queue-name"
AS_ADMITTED = "suspended until Kueue admits it: planned as if it had"


def as_admitted(manifest: ManifestObject) -> tuple[ManifestObject, tuple[str, ...]]:
    """A suspended workload of a queue of Kueue as it is once admitted, with a note; any other as it is.

    Args:
        manifest: a Job, JobSet, or a job of an operator.
    """
    labels, spec = dig(manifest.raw, "metadata.labels"), dig(manifest.raw, "spec")
    if not isinstance(labels, dict) or QUEUE not in labels or not isinstance(spec, dict):
        return manifest, ()
    policy = spec.get("runPolicy")
    inner = isinstance(policy, dict) and policy.get("suspend") is True
    if spec.get("suspend") is not True and not inner:
        return manifest, ()
    started = {key: value for key, value in spec.items() if key != "suspend"}
    if isinstance(policy, dict):
        started["runPolicy"] = {key: value for key, value in policy.items() if key != "suspend"}
    return dataclasses.replace(manifest, raw={**manifest.raw, "spec": started}), (AS_ADMITTED,)
