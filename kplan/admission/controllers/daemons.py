"""DaemonSets: one pod for each node that its rules allow, tied to that node."""

from kplan.admission.controllers.workloads import (
    GENERATION_LABEL,
    REVISION_LABEL,
    Draft,
    ExpandedWorkload,
    Surroundings,
    make_pod,
    namespace_of,
    owner_of,
)
from kplan.admission.raw import copied, dig, read_template
from kplan.objects.generated_names import template_hash
from kplan.objects.lean import replace
from kplan.objects.models import Affinity, Node, NodeAffinity, NodeSelector, NodeSelectorTerm, Pod, Toleration
from kplan.objects.models.meta import NodeSelectorRequirement
from kplan.objects.models.pod import PodSpec
from kplan.objects.selectors import compile_labels, compile_node_term, tolerated
from kplan.sources import ManifestObject

_TAINTS = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")
_HARD = ("NoSchedule", "NoExecute")


def expand_daemon_set(manifest: ManifestObject, around: Surroundings) -> ExpandedWorkload:
    """Make a pod for each node that the DaemonSet's rules allow, by node name.

    Source: nodeShouldRunDaemonPod, syncNodes in pkg/controller/daemon/daemon_controller.go.
    """
    owner = owner_of(manifest, around, namespace_of(manifest, around.namespace))
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    stamp = template_hash(template)
    add_tolerations(template.spec)
    labels = {REVISION_LABEL: stamp, GENERATION_LABEL: "1"}
    drafts = []
    for number, node in enumerate(sorted(around.nodes, key=lambda node: node.name.encode())):
        if not runs_on(template.spec, node, comparison=around.comparison):
            continue
        name = around.names.generate(f"{owner.name}-", owner.namespace, number)
        pod = make_pod(template, owner, name, labels)
        pod.spec = tied_to(template.spec, node.name)
        drafts.append(Draft(pod))
    notes = () if drafts or not around.nodes else ("its nodeSelector, affinity and tolerations match no node",)
    return ExpandedWorkload(tuple(drafts), notes=notes)


def runs_on(spec: PodSpec, node: Node, *, comparison: bool = False) -> bool:
    """Tell whether the controller makes a pod for a node.

    Args:
        spec: of the template, with the controller's tolerations.
        node: the node.
        comparison: gate TaintTolerationComparisonOperators.

    Source: nodeShouldRunDaemonPod, predicates in pkg/controller/daemon/daemon_controller.go.
    """
    if spec.node_name and spec.node_name != node.name:
        return False
    if not compile_labels(spec.node_selector).matches(node.labels):
        return False
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is not None and affinity.required is not None:
        terms = map(compile_node_term, affinity.required.node_selector_terms or ())
        if not any(term.matches(node.name, node.labels) for term in terms):
            return False
    taints = [taint for taint in node.spec.taints or () if taint.effect in _HARD]
    return all(tolerated(spec.tolerations or (), taint, comparison=comparison) for taint in taints)


def add_tolerations(spec: PodSpec) -> None:
    """Give a template the tolerations of every daemon pod, in place.

    Source: AddOrUpdateDaemonPodTolerations in pkg/controller/daemon/util/daemonset_util.go.
    """
    tolerations = list(spec.tolerations or ())
    for key, effect in (*_TAINTS, *([_NETWORK] if spec.host_network else [])):
        wanted = Toleration(key=key, operator="Exists", effect=effect)
        for number, toleration in enumerate(tolerations):
            if (toleration.key, toleration.effect, toleration.operator, toleration.value or "") == (
                key,
                effect,
                "Exists",
                "",
            ):
                tolerations[number] = wanted
                break
        else:
            tolerations.append(wanted)
    spec.tolerations = tolerations


def tied_to(spec: PodSpec, node: str) -> PodSpec:
    """Copy a spec with a required node affinity for one node, in place of what was required.

    Source: ReplaceDaemonSetPodNodeNameNodeAffinity in pkg/controller/daemon/util/daemonset_util.go.
    """
    affinity = copied(spec.affinity) if spec.affinity else Affinity()
    affinity.node_affinity = affinity.node_affinity or NodeAffinity()
    field = NodeSelectorRequirement(key="metadata.name", operator="In", values=[node])
    affinity.node_affinity.required = NodeSelector(node_selector_terms=[NodeSelectorTerm(match_fields=[field])])
    return replace(spec, affinity=affinity)


def node_of(pod: Pod) -> str:
    """Name the node a daemon pod is tied to; empty if it cannot be told.

    Source: GetTargetNodeName in pkg/controller/daemon/util/daemonset_util.go.
    """
    if pod.spec.node_name:
        return pod.spec.node_name
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    for term in (affinity.required.node_selector_terms or ()) if affinity and affinity.required else ():
        for field in term.match_fields or ():
            if field.key == "metadata.name" and field.operator == "In" and len(field.values or ()) == 1:
                return (field.values or [""])[0]
    return ""
