"""Quotas on how many objects there are, as ``count/deployments.apps``, and on Services by their type.

What controllers make counts, too: a Deployment's ReplicaSet, a CronJob's Job.

Not modelled: an update that makes a Service of another type; revisions of StatefulSets and DaemonSets. Of kinds that
kplan does not read it cannot tell what is there already: objects of them count as new, unless a workload of the same
manifests runs in their namespace.
"""

from kplan.admission.policies.quota import Quotas
from kplan.admission.raw import dig, dig_text, group_of
from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.kinds import find
from kplan.objects.quantity import NANO_PER_UNIT
from kplan.objects.request_sums import Amounts
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject


def quota_refusal(
    manifest: ManifestObject, namespace: str, name: str, state: ClusterState, quotas: Quotas, *, new: bool
) -> str:
    """Count a new object that is no pod, or give what the API server says; empty where it is let in.

    What runs already is not counted again, nor what may run: of a kind that the source does not hold it is noted what
    a quota may refuse.

    Args:
        manifest: the object.
        namespace: it lands in.
        name: of the object.
        state: what is there.
        quotas: that it is held against.
        new: whether an object counts as new of a kind that kplan does not read, or the source does not hold.
    """
    kind = find(manifest.api_version, manifest.kind)
    if kind is None:
        return charged(quotas, (_plural(manifest.kind), group_of(manifest)), namespace, name) if new else ""
    if not kind.namespaced or kind.name == "Pod":
        return ""
    more = _of_service(manifest.raw.get("spec")) if kind.name == "Service" else {}
    if not state.completeness.has(kind.name):
        if new:
            quotas.may_refuse(kind.plural, kind.group, namespace, name, more)
        return ""
    if any(there.name == name and there.namespace == namespace for there in getattr(state, kind.attribute)):
        return ""
    return charged(quotas, (kind.plural, kind.group), namespace, name, more)


def charged(quotas: Quotas, resource: tuple[str, str], namespace: str, name: str, more: Amounts | None = None) -> str:
    """Count a new object, or give what the API server says; empty where it is let in.

    Args:
        quotas: that it is held against.
        resource: its plural and its group.
        namespace: it lands in.
        name: of the object.
        more: what it counts for besides.
    """
    try:
        quotas.let_in_object(*resource, namespace, name, more or {})
    except AdmissionRefusal as refusal:
        return f'{".".join(filter(None, resource))} "{name}" is forbidden: {refusal.message}'
    return ""


def _of_service(spec: object) -> Amounts:
    """Count what a Service asks for by its type.

    Source: serviceEvaluator.Usage in pkg/quota/v1/evaluator/core/services.go.
    """
    written = dig(spec, "ports")
    ports = written if isinstance(written, list) else []
    kind = dig_text(spec, "type")
    if kind not in ("NodePort", "LoadBalancer"):
        return {}
    if kind == "LoadBalancer" and dig(spec, "allocateLoadBalancerNodePorts") is False:
        ports = [port for port in ports if dig(port, "nodePort")]
    counts = {"services.nodeports": len(ports) * NANO_PER_UNIT}
    return {**counts, "services.loadbalancers": NANO_PER_UNIT} if kind == "LoadBalancer" else counts


def _plural(kind: str) -> str:
    """Guess the resource of a kind as apimachinery does.

    Source: UnsafeGuessKindToResource in apimachinery v0.37.2 pkg/api/meta/restmapper.go.
    """
    word = kind.lower()
    if word.endswith("s"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
