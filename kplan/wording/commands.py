"""Commands: what would carry a remedy out, as kubectl takes it; a patch of the owner's template where a pod has one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.objects.kinds import KINDS
from kplan.objects.lean import replace
from kplan.objects.models import PodSpec
from kplan.objects.well_known import HOSTNAME
from kplan.plugins.shared.claims import SELECTED_NODE
from kplan.remedies.about import GivenAmounts, Lower, Moves, Named, NewClaim, NewNode
from kplan.remedies.candidate import Candidate, Edit
from kplan.remedies.specs import merge_patch
from kplan.wording.moving import journey_commands
from kplan.wording.remedies import harm_of
from kplan.wording.remedies_devices import device_commands
from kplan.wording.remedies_table import fill, of_code

_WITH_TEMPLATE = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob")
_TABLES = {kind.name: kind.attribute for kind in KINDS if kind.name in _WITH_TEMPLATE}
"""Tables of the kinds that a patch of their template changes."""
_ADDED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints that admission lets every pod tolerate for a while; no template needs to say so."""


def commands_of(candidate: Candidate, pod: PodInfo, cluster: Cluster) -> tuple[str, ...]:
    """List the commands and notes of a remedy, the patch of the pod or of its owner first.

    Args:
        candidate: the remedy.
        pod: the pod it is for.
        cluster: the cluster, for the owner's template.
    """
    parts = candidate.parts or (candidate,)
    lines = [with_loss(line, part) for part in parts for line in _lines(part, pod)]
    if candidate.edits:
        lines += patch_lines(candidate.edited, pod, cluster)
    return tuple(lines)


def cluster_commands(candidate: Candidate) -> tuple[str, ...]:
    """List the commands of a remedy that changes the cluster alone, whatever pod it is for."""
    parts = candidate.parts or (candidate,)
    return tuple(with_loss(line, part) for part in parts for line in _lines(part, None))


def with_loss(line: str, candidate: Candidate) -> str:
    """Spell out what a command destroys, if it does and says nothing of it."""
    loss = harm_of(candidate)
    return f"{line}  # {loss}" if loss and line.startswith("kubectl delete") and "#" not in line else line


def _lines(candidate: Candidate, pod: PodInfo | None) -> Iterator[str]:
    match candidate.about:
        case NewNode():
            if pod is None:  # its flags say it
                return
            yield "# a node of that shape, by the cloud or the autoscaler; what it would do:"
            for flag in candidate.flags:
                yield f"kplan explain pod {pod.key} {shlex.join(flag.split(' ', 1))}"
        case NewClaim() as what:
            late = " (a copy of the class with volumeBindingMode: WaitForFirstConsumer)" if what.late else ""
            asks = f"{what.size}, {'/'.join(what.modes)}, storageClassName {what.storage_class}{late}"
            if not what.created:
                yield f"kubectl delete pvc {what.claim} -n {what.namespace}"
            yield f"# then a claim {what.claim}: {asks}"
        case Named() as what:
            yield from _filled(candidate.code, what)
        case Lower() | GivenAmounts() | None:
            pass
        case Moves() as what:
            yield from journey_commands(what.journey)
        case what:
            yield from device_commands(what)


def _filled(code: str, what: Named) -> Iterator[str]:
    """Fill in the lines of a code; one that is about one of several is told for each of them."""
    lines = of_code(_LINES, code, what) or ()
    told: dict[str, None] = {}
    for name in what.keys or what.limits or what.names or ("",):
        namespace, _, pod = str(name).partition("/")
        given = {**vars(what), "one": name, "its_namespace": namespace, "pod": pod}
        told.update(dict.fromkeys(fill(line, given) for line in lines))
    return iter(told)


_DELETE = "kubectl delete pod {pod} -n {its_namespace}"
_CLASS = "kubectl create priorityclass kplan-{new} --value={new}"
_LINES: Mapping[str, tuple[str, ...]] = {
    "wait": ("kubectl wait --for=delete pod/{pod} -n {its_namespace}",),
    "clear-nomination": (
        "kubectl patch pod {pod} -n {its_namespace} --subresource=status --type=merge "
        """-p '{{"status":{{"nominatedNodeName":null}}}}'""",
    ),
    "delete-nominated": (_DELETE,),
    "delete-pod": (_DELETE,),
    "evict-pod": (_DELETE,),
    "evict-pods": (_DELETE,),
    "move-pod": ("kubectl cordon {node}", _DELETE, "kubectl uncordon {node}  # once it runs on {to}"),
    "preemption-policy": (_CLASS,),
    "preemption-policy class": (),
    "raise-priority": (_CLASS,),
    "raise-priority class": (),
    "budget-allows": ("kubectl edit pdb {name} -n {namespace}",),
    "template-without-node": (
        "kubectl patch {pod} -n {its_namespace} --type=json "
        """-p '[{{"op":"remove","path":"/spec/template/spec/nodeName"}}]'""",
    ),
    "always-allow": (
        "kubectl patch pdb {name} -n {namespace} --type=merge "
        """-p '{{"spec":{{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}}}'""",
    ),
    "one-budget": ("kubectl delete pdb {one} -n {namespace}  # its pods are guarded by {name} alone then",),
    "delete-by-force": (
        f"{_DELETE} --force --grace-period=0  # if its node is not off, two of it may run, and lose data",
    ),
    "larger-quota": (
        "kubectl patch resourcequota {name} -n {namespace} --type=merge "
        """-p '{{"spec":{{"hard":{{"{key}":"{new}"}}}}}}'""",
    ),
    "uncordon": ("kubectl uncordon {node}",),
    "remove-node": ("kubectl delete node {node}  # its pods go with it",),
    "pod-limit": ("# kubelet of {node}: maxPods: {new} in its KubeletConfiguration, then restart it",),
    "label-node": ("kubectl label node {node} {pairs:pairs}",),
    "label-node over": ("kubectl label node {node} {pairs:pairs} --overwrite",),
    "node-healthy": ("kubectl describe node {node}",),
    "node-mended": ("kubectl describe node {node}",),
    "remove-taint": ("kubectl taint nodes {node} {one}-",),
    "volume-limit": (
        "# driver {one[0]} on {node}: let it report a limit of {one[1]} "
        "(an option of most drivers, or a larger machine)",
    ),
    "install-driver": ("kubectl get csinode {node} -o yaml  # why is {names:all} not registered there?",),
    "detach-volume": ("kubectl delete volumeattachment {one}",),
    "class-topologies": (
        "# a StorageClass cannot be changed: delete {storage_class} and create it again without allowedTopologies",
    ),
    "local-volume": (
        "# a PersistentVolume: {new}, {names:modes}, storageClassName {storage_class}, "
        f"nodeAffinity {HOSTNAME} In [{{to}}]",
    ),
    "capacity-reported": ("kubectl get csistoragecapacities -A  # the driver writes these; none is large enough",),
    "capacity-untracked": (
        """kubectl patch csidriver {name} --type=merge -p '{{"spec":{{"storageCapacity":false}}}}'""",
        "# the scheduler then no longer checks how much is left; the driver may still refuse",
    ),
    "claim-bound": ("kubectl describe pvc {name} -n {namespace}",),
    "claim-bound new": ("# claim {name} in namespace {namespace}, and a volume it is bound to",),
    "smaller-claim": (
        "kubectl delete pvc {name} -n {namespace}",
        "# then the same claim with requests.storage: {new}",
    ),
    "made-again": ("kubectl delete {key} {pod} -n {its_namespace}",),
    "made-again kept": ("kubectl delete {key} {pod} -n {its_namespace} --cascade=orphan",),
    "made-again replaced": ("kubectl delete {key} {pod} -n {its_namespace} --cascade=orphan",),
    "selected-node": (f"kubectl annotate pvc {{name}} -n {{namespace}} {SELECTED_NODE}-",),
}
"""Lines of each change, by its code and variant; by the code alone for variants that have none of their own."""


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
        yield "# most of a pod's spec cannot be changed: it is created again"
        yield f"{get} | {local} | kubectl replace --force -f -"
        return
    before = _template(pod, cluster, kind, name) or _written_by_people(pod.pod.spec)
    changed = {"template": {"spec": merge_patch(before, edit(before))}}
    if kind == "CronJob":
        changed = {"jobTemplate": {"spec": changed}}
    patch = json.dumps({"spec": changed})
    if kind == "Job":
        yield "# the template of a Job cannot be changed: delete it and create it again with"
        yield f"# {patch}"
        return
    if kind not in _TABLES:
        yield f"# the pod template of {kind} {name}, wherever its kind keeps it:"
        yield f"# {patch}"
        return
    yield f"kubectl patch {kind.lower()} {name} -n {pod.namespace} --type=strategic -p {shlex.quote(patch)}"
    if kind in ("ReplicaSet", "ReplicationController"):
        yield f"kubectl delete pod {pod.name} -n {pod.namespace}  # its pods are not replaced by themselves"


def _template(pod: PodInfo, cluster: Cluster, kind: str, name: str) -> PodSpec | None:
    """The owner's template, if the state holds the owner."""
    if kind not in _TABLES or controller(pod)[0] == "":
        return None
    owner = cluster.objects.table(_TABLES[kind]).get(f"{pod.namespace}/{name}")
    spec = getattr(owner, "spec", None)
    if kind == "CronJob":
        spec = getattr(getattr(spec, "job_template", None), "spec", None)
    template = getattr(spec, "template", None)
    pod_spec = getattr(template, "spec", None)
    return pod_spec if isinstance(pod_spec, PodSpec) and pod_spec.containers else None


def _written_by_people(spec: PodSpec) -> PodSpec:
    """A spec without what admission has added."""
    tolerations = [t for t in spec.tolerations or () if not (t.key in _ADDED and t.effect == "NoExecute")]
    return replace(spec, tolerations=tolerations or None)
