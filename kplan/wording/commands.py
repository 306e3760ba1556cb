"""Commands: what would carry a remedy out, as kubectl takes it; a patch of the owner's template where a pod has one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

import msgspec

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.objects.models import PodSpec
from kplan.objects.well_known import HOSTNAME
from kplan.plugins.shared.claims import SELECTED_NODE
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Edit
from kplan.remedies.specs import merge_patch
from kplan.wording.moving import journey_commands

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
    lines = [line for part in candidate.parts or (candidate,) for line in _lines(part, pod)]
    if candidate.edits:
        lines += patch_lines(candidate.edited, pod, cluster)
    return tuple(lines)


def _lines(candidate: Candidate, pod: PodInfo) -> Iterator[str]:
    what = candidate.about
    if isinstance(what, about.NewNode):
        yield "# a node of that shape, by the cloud or the autoscaler; what it would do:"
        for flag in candidate.flags:
            yield f"kplan explain pod {pod.key} {shlex.join(flag.split(' ', 1))}"
    elif isinstance(what, about.Policy | about.Priority):
        level = what.level if isinstance(what, about.Priority) else what.value
        if level is not None and not what.class_name:
            yield f"kubectl create priorityclass kplan-{level} --value={level}"
    elif isinstance(what, about.Moves):
        yield from journey_commands(what.journey)
    else:
        yield from _of_pods(candidate) or _of_nodes(candidate) or _of_volumes(what)


def _of_pods(candidate: Candidate) -> list[str]:
    what = candidate.about
    keys = what.pods if isinstance(what, about.Pods) else (what.pod,) if isinstance(what, about.Evicted) else ()
    pods = [(name, namespace) for namespace, _, name in (key.partition("/") for key in keys)]
    if candidate.code == "wait":
        return [f"kubectl wait --for=delete pod/{name} -n {namespace}" for name, namespace in pods]
    if candidate.code == "clear-nomination":
        patch = """--subresource=status --type=merge -p '{"status":{"nominatedNodeName":null}}'"""
        return [f"kubectl patch pod {name} -n {namespace} {patch}" for name, namespace in pods]
    deletes = [f"kubectl delete pod {name} -n {namespace}" for name, namespace in pods]
    if isinstance(what, about.Evicted) and candidate.code == "move-pod":
        back = f"kubectl uncordon {what.node}  # once it runs on {what.to}"
        return [f"kubectl cordon {what.node}", *deletes, back]
    return deletes


def _of_nodes(candidate: Candidate) -> list[str]:
    match candidate.about:
        case about.OneNode(node=node):
            return [f"kubectl uncordon {node}" if candidate.code == "uncordon" else f"kubectl delete node {node}"]
        case about.PodLimit(node=node, limit=limit):
            return [f"# kubelet of {node}: maxPods: {limit} in its KubeletConfiguration, then restart it"]
        case about.Labels(node=node, pairs=pairs, over=over):
            labels = " ".join(f"{key}={value}" for key, value in pairs)
            return [f"kubectl label node {node} {labels}{' --overwrite' if over else ''}"]
        case about.Taints(node=node, taints=taints) if node:
            if candidate.code == "node-healthy":
                return [f"kubectl describe node {node}"]
            return [f"kubectl taint nodes {node} {taint}-" for taint in taints]
        case about.Budget(budget=name, namespace=namespace):
            return [f"kubectl edit pdb {name} -n {namespace}"]
    return []


def _of_volumes(what: about.About | None) -> list[str]:
    match what:
        case about.VolumeLimit(node=node, limits=limits):
            how = "(an option of most drivers, or a larger machine)"
            return [f"# driver {driver} on {node}: let it report a limit of {most} {how}" for driver, most, _ in limits]
        case about.Drivers(node=node, drivers=drivers):
            return [f"kubectl get csinode {node} -o yaml  # why is {', '.join(drivers)} not registered there?"]
        case about.Detached(attachments=keys):
            return [f"kubectl delete volumeattachment {key}" for key in keys]
        case about.StorageClass(storage_class=name):
            how = f"delete {name} and make it anew without allowedTopologies"
            return [f"# a StorageClass cannot be changed: {how}"]
        case about.LocalVolume():
            where = f"nodeAffinity {HOSTNAME} In [{what.host}]"
            how = f"{what.size}, {'/'.join(what.modes)}, storageClassName {what.storage_class}, {where}"
            return [f"# a PersistentVolume: {how}"]
        case about.Reported():
            return ["kubectl get csistoragecapacities -A  # the driver writes these; none is large enough"]
        case about.Driver(driver=name):
            return [
                f"""kubectl patch csidriver {name} --type=merge -p '{{"spec":{{"storageCapacity":false}}}}'""",
                "# the scheduler then no longer looks how much is left; the driver may still refuse",
            ]
    return _of_claims(what)


def _of_claims(what: about.About | None) -> list[str]:
    match what:
        case about.NewClaim():
            late = " (a copy of the class with volumeBindingMode: WaitForFirstConsumer)" if what.late else ""
            asks = f"{what.size}, {'/'.join(what.modes)}, storageClassName {what.storage_class}{late}"
            made = f"# then a claim {what.claim}: {asks}"
            return [made] if what.created else [f"kubectl delete pvc {what.claim} -n {what.namespace}", made]
        case about.BoundClaim(new=True):
            return [f"# claim {what.claim} in namespace {what.namespace}, and a volume it is bound to"]
        case about.BoundClaim():
            return [f"kubectl describe pvc {what.claim} -n {what.namespace}"]
        case about.SmallClaim():
            delete = f"kubectl delete pvc {what.claim} -n {what.namespace}"
            return [delete, f"# then the same claim with requests.storage: {what.size}"]
        case about.SelectedNode():
            return [f"kubectl annotate pvc {what.claim} -n {what.namespace} {SELECTED_NODE}-"]
    return []


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
