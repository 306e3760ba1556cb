"""Change objects as a remedy says: fields of manifests, merge patches, commands of kubectl; whose pods are whose."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import yaml

Json = dict[str, Any]
_PART = re.compile(r"([^.\[\]]+)|\[([^\]]+)\]")
_TABLES = {"pdb": "PodDisruptionBudget", "resourcequota": "ResourceQuota", "pod": "Pod", "pvc": "PersistentVolumeClaim"}
KIND_WORDS = {
    "Deployment": "deploy", "ReplicaSet": "rs", "StatefulSet": "sts", "DaemonSet": "ds", "Job": "job",
    "CronJob": "cronjob", "ReplicationController": "rc", "Pod": "pod",
}  # fmt: skip
_BEHIND = {"ReplicaSet": "Deployment", "Job": "CronJob"}


def key_of(item: Json) -> str:
    """``namespace/name``."""
    return f"{item['metadata'].get('namespace', 'default')}/{item['metadata']['name']}"


def waits(item: Json) -> bool:
    """Whether an object is a pod that no node has and none is promised to."""
    promised = item.get("status", {}).get("nominatedNodeName")
    return item["kind"] == "Pod" and not item["spec"].get("nodeName") and not promised


def told_name(item: Json) -> str:
    """``deploy/shop/web``, as a command line calls an object."""
    return f"{KIND_WORDS.get(item['kind'], item['kind'].lower())}/{key_of(item)}"


def owner_of(pod: Json, cluster: Sequence[Json]) -> str:
    """``deploy/shop/web``: the outermost controller of a pod, or the pod itself."""
    kind, name = _controller(pod)
    space = pod["metadata"].get("namespace", "default")
    if not kind:
        return told_name(pod)
    mine = [item for item in cluster if item["kind"] == kind and key_of(item) == f"{space}/{name}"]
    if mine and _controller(mine[0])[0] == _BEHIND.get(kind, "-"):
        kind, name = _controller(mine[0])
    stamp = pod["metadata"].get("labels", {}).get("pod-template-hash", "-")
    if not mine and kind == "ReplicaSet" and name.endswith(f"-{stamp}"):
        kind, name = "Deployment", name.removesuffix(f"-{stamp}")
    return f"{KIND_WORDS.get(kind, kind.lower())}/{space}/{name}"


def _controller(item: Json) -> tuple[str, str]:
    owners = [one for one in item["metadata"].get("ownerReferences", ()) if one.get("controller")]
    return (owners[0]["kind"], owners[0]["name"]) if owners else ("", "")


def template_of(item: Json, path: str = "") -> Json | None:
    """The pod template of an object, where its kind has it or a path says.

    Args:
        item: the object.
        path: as ``spec.template``; empty for where kinds of Kubernetes have it.
    """
    if path:
        here: Any = item
        for part in path.split("."):
            here = here.get(part, {})
        return here or None
    spec = item.get("spec", {})
    if item["kind"] == "CronJob":
        spec = spec.get("jobTemplate", {}).get("spec", {})
    found = spec.get("template")
    return found if isinstance(found, dict) and "spec" in found else None


def patch_pods(
    cluster: Sequence[Json], owners: Collection[str], pods: Collection[str], patch: Json, patches: Mapping[str, Json]
) -> None:
    """Give a patch to pods that wait, and to the templates that they are made of.

    Args:
        cluster: its objects; they are changed.
        owners: whose pods are changed.
        pods: pods that are changed beside, ``namespace/name``.
        patch: the patch of their specs.
        patches: the patch of the pods of each owner, where they are not changed alike.
    """
    for item in cluster:
        if item["kind"] == "Pod":
            owner = owner_of(item, cluster)
            if key_of(item) in pods or (waits(item) and owner in owners):
                item["spec"] = merged(item["spec"], patches.get(owner, patch))
        elif told_name(item) in owners:
            body = template_of(item)
            if body is not None:
                body["spec"] = merged(body["spec"], patches.get(told_name(item), patch))


def merged(old: Any, patch: Any) -> Any:
    """A merge patch, carried out (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new


def edited(manifest: Sequence[Json], edits: Sequence[Json]) -> list[Json]:
    """Write fields of the documents whose lines they are on."""
    changed: list[Json] = json.loads(json.dumps(list(manifest)))
    starts = [number for number, _ in enumerate(manifest)]
    lines = yaml.safe_dump_all(manifest).splitlines()
    breaks = [0, *(number for number, line in enumerate(lines, 1) if line == "---")]
    for edit in edits:
        place = max(number for number in starts if breaks[number] <= edit["line"])
        *path, last = [_step(part) for part in _PART.finditer(edit["path"])]
        here: Any = changed[place]
        for key, following in zip(path, (*path[1:], last), strict=True):
            if isinstance(here, dict) and key not in here:
                here[key] = [] if isinstance(following, int) else {}
            here = here[key]
        if not edit.get("new"):
            del here[last]
        elif isinstance(here, list) and last == len(here):
            here.append(json.loads(edit["new"]))
        else:
            here[last] = json.loads(edit["new"])
    return changed


def _step(part: re.Match[str]) -> str | int:
    name, inside = part.groups()
    return name if name is not None else int(inside) if inside.isdecimal() else inside


def _let_go(cluster: list[Json], uids: Sequence[str | None], *, orphan: bool) -> None:
    """Delete what objects that are gone owned, or leave it without an owner."""
    owned = [
        item
        for item in cluster
        if any(one["uid"] in uids for one in item["metadata"].get("ownerReferences", ()) if one.get("uid"))
    ]
    for item in owned:
        if orphan:
            item["metadata"]["ownerReferences"] = []
        else:
            cluster.remove(item)
    if owned and not orphan:
        _let_go(cluster, [item["metadata"].get("uid") for item in owned], orphan=False)


def run_kubectl(cluster: list[Json], line: str) -> None:
    """Carry out a command of kubectl; a line that is a remark alone does nothing."""
    words = shlex.split(line, comments=True)
    if not words:
        return
    kubectl, verb, *named = words
    assert kubectl == "kubectl", words
    kind, name, *rest = [*named[0].split("/"), *named[1:]]
    space = rest[rest.index("-n") + 1]
    of = _TABLES.get(kind) or next(of for of, word in KIND_WORDS.items() if kind in (word, of.lower()))
    (item,) = [item for item in cluster if (item["kind"], key_of(item)) == (of, f"{space}/{name}")]
    if verb == "delete":
        cluster.remove(item)
        _let_go(cluster, [item["metadata"].get("uid")], orphan="--cascade=orphan" in rest)
        return
    assert verb == "patch", words
    patch = json.loads(rest[rest.index("-p") + 1])
    if "--type=json" in rest:
        changed = json.loads(json.dumps(item))
        for step in patch:
            *path, last = step["path"].split("/")[1:]
            here = changed
            for part in path:
                here = here[part]
            assert step["op"] == "remove", step
            del here[last]
    else:
        changed = merged(item, patch)
    if of == "ResourceQuota":  # its controller writes the status
        changed["status"] = merged(changed.get("status"), {"hard": patch["spec"]["hard"]})
    for behind in cluster:  # its controller replaces them
        if _BEHIND.get(behind["kind"]) == of and _controller(behind) == (of, name):
            behind["spec"] = {**behind["spec"], "template": changed["spec"]["template"]}
    cluster[cluster.index(item)] = changed
