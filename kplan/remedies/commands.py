"""Commands: what would carry a remedy out, as kubectl takes it; a patch of the owner's template where a pod has one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.objects.models import PodSpec
from kplan.remedies.candidate import Candidate, Edit

_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "topologySpreadConstraints": "topologyKey",
}
"""Lists that a strategic merge patch merges, and by which key; all others are replaced as a whole."""
_TEMPLATES = {
    "Deployment": ("deployments", "deployment"),
    "StatefulSet": ("stateful_sets", "statefulset"),
    "DaemonSet": ("daemon_sets", "daemonset"),
    "ReplicaSet": ("replica_sets", "replicaset"),
    "ReplicationController": ("replication_controllers", "replicationcontroller"),
    "Job": ("jobs", "job"),
    "CronJob": ("cron_jobs", "cronjob"),
}
_ADDED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints that admission lets every pod tolerate for a while; no template needs to say so."""


def commands_of(candidate: Candidate, pod: PodInfo, cluster: Cluster) -> tuple[str, ...]:
    """List the commands and notes of a remedy, the patch of the pod or of its owner first.

    Args:
        candidate: the remedy.
        pod: the pod it is for.
        cluster: the cluster, for the owner's template.
    """
    lines = list(candidate.commands)
    if candidate.edit is not None:
        lines += patch_lines(candidate.edit, pod, cluster)
    return tuple(lines)


def patch_lines(edit: Edit, pod: PodInfo, cluster: Cluster) -> Iterator[str]:
    """Write the patch that makes an edit, and what it is given to."""
    kind, name = top_owner(pod, cluster)
    if not kind:
        before = _written_by_people(pod.pod.spec)
        changed = merge_patch(before, edit(before))
        if "priorityClassName" in changed:
            # the API server refuses a pod whose numbers are not those of its class
            changed |= {"priority": None, "preemptionPolicy": None}
        patch = json.dumps({"spec": changed})
        get = f"kubectl get pod {pod.name} -n {pod.namespace} -o json"
        local = f"kubectl patch --local -f - --type=strategic -o json -p {shlex.quote(patch)}"
        yield "# most of a pod's spec cannot be changed: it is made anew"
        yield f"{get} | {local} | kubectl replace --force -f -"
        return
    before = _template(pod, cluster, kind, name) or _written_by_people(pod.pod.spec)
    changed = {"template": {"spec": merge_patch(before, edit(before))}}
    word = _TEMPLATES.get(kind, ("", kind.lower()))[1]
    if kind == "CronJob":
        changed = {"jobTemplate": {"spec": changed}}
    patch = json.dumps({"spec": changed})
    if kind == "Job":
        yield "# the template of a Job cannot be changed: delete it and make it anew with"
        yield f"# {patch}"
        return
    if kind not in _TEMPLATES:
        yield f"# the pod template of {kind} {name}, wherever its kind keeps it:"
        yield f"# {patch}"
        return
    yield f"kubectl patch {word} {name} -n {pod.namespace} --type=strategic -p {shlex.quote(patch)}"
    if kind in ("ReplicaSet", "ReplicationController"):
        yield f"kubectl delete pod {pod.name} -n {pod.namespace}  # its pods are not replaced by themselves"


def _template(pod: PodInfo, cluster: Cluster, kind: str, name: str) -> PodSpec | None:
    """The owner's template, if the state holds the owner."""
    attribute = _TEMPLATES.get(kind, ("", ""))[0]
    if not attribute or controller(pod)[0] == "":
        return None
    owner = cluster.objects.table(attribute).get(f"{pod.namespace}/{name}")
    spec = getattr(owner, "spec", None)
    if kind == "CronJob":
        spec = getattr(getattr(spec, "job_template", None), "spec", None)
    template = getattr(spec, "template", None)
    found = getattr(template, "spec", None)
    return found if isinstance(found, PodSpec) and found.containers else None


def _written_by_people(spec: PodSpec) -> PodSpec:
    """A spec without what admission has added."""
    tolerations = [t for t in spec.tolerations or () if not (t.key in _ADDED and t.effect == "NoExecute")]
    return msgspec.structs.replace(spec, tolerations=tolerations or None)


def merge_patch(before: PodSpec, after: PodSpec) -> dict[str, Any]:
    """Make the strategic merge patch that turns one spec into another.

    ``priority`` is left out: the API server sets it from ``priorityClassName``.
    """
    patch: dict[str, Any] = _difference(_plain(before), _plain(after))
    patch.pop("priority", None)
    return patch


def _plain(spec: PodSpec) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(spec)
    return found


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if new is None:
            patch[key] = None
        elif isinstance(old, dict) and isinstance(new, dict):
            patch[key] = _difference(old, new)
        elif isinstance(old, list) and isinstance(new, list) and key in _MERGE_KEYS:
            patch[key] = _of_lists(old, new, _MERGE_KEYS[key])
        else:
            patch[key] = new
    return patch


def _of_lists(old: list[Any], new: list[Any], key: str) -> list[Any]:
    """Entries that changed, by their merge key; the whole list where the keys do not tell entries apart."""
    names = [entry.get(key) for entry in old]
    if len(set(names)) != len(names):
        return [*new, {"$patch": "replace"}]
    known = {entry.get(key): entry for entry in old}
    kept = {entry.get(key) for entry in new}
    made: list[Any] = []
    for entry in new:
        former = known.get(entry.get(key))
        if former is None:
            made.append(entry)
        elif former != entry:
            made.append({key: entry.get(key), **_difference(former, entry)})
    made += [{"$patch": "delete", key: name} for name in names if name not in kept]
    return made
