"""``/snapshotz`` of cluster-autoscaler: nodes with their pods, pods that wait, and a template for each node group."""

from collections.abc import Iterator

from kplan.objects.kinds import Kind
from kplan.objects.models import Node as KubernetesNode
from kplan.objects.models import Object, Pod
from kplan.sources.collect import TAKEN, typed
from kplan.sources.documents import DumpFacts, Form, Hint, Sink
from kplan.sources.layouts.base import BY_PLURAL, hint_of
from kplan.sources.nodes import TextNode
from kplan.sources.records import Record
from kplan.sources.texts import Text

_NODE, _POD = BY_PLURAL["nodes"], BY_PLURAL["pods"]
_MARKS = frozenset({"UnscheduledPodsCanBeScheduled", "TemplateNodes", "StartTimestamp"})

Templates = dict[str, tuple[KubernetesNode, tuple[Pod, ...]]]


class AutoscalerSnapshot(Form):
    """See the module."""

    def recognises(self, text: Text) -> bool:
        """See Form."""
        return "NodeList" in text.keys and bool(text.keys & _MARKS)

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form."""
        for document in documents:
            fields = document.fields()
            error = fields["Error"].value() if "Error" in fields else ""
            time = fields["EndTimestamp"].value() if "EndTimestamp" in fields else ""
            if isinstance(time, str) and not time.startswith("0001-"):
                sink.recorded({TAKEN: time})
            templates = _templates(fields["TemplateNodes"], file, sink) if "TemplateNodes" in fields else {}
            sink.described(
                DumpFacts(
                    "cluster-autoscaler snapshot",
                    absent={
                        "PersistentVolumeClaim": "cluster-autoscaler records no volumes and no claims: a pod with a "
                        "claim is refused everywhere",
                        "PodDisruptionBudget": "cluster-autoscaler records no budgets: evictions may be refused that "
                        "look allowed",
                    },
                    partial={
                        "Pod": "cluster-autoscaler records the waiting pods that would fit, not those that would not"
                    },
                    notes=(f"cluster-autoscaler recorded an error: {error}",) if error else (),
                    templates=templates,
                )
            )
            yield from _of_nodes(fields.get("NodeList"))
            if "UnscheduledPodsCanBeScheduled" in fields:
                yield fields["UnscheduledPodsCanBeScheduled"], hint_of(_POD)


def _of_nodes(nodes: TextNode | None) -> Iterator[tuple[TextNode, Hint]]:
    for entry in (nodes.array() if nodes else None) or ():
        fields = entry.fields()
        if "Node" in fields:
            yield fields["Node"], hint_of(_NODE)
        if "Pods" in fields:
            yield fields["Pods"], hint_of(_POD)


def _templates(groups: TextNode, file: str, sink: Sink) -> Templates:
    """Decode the templates; what is broken is told to the sink and left out."""
    templates: Templates = {}
    for name, entry in groups.fields().items():
        fields = entry.fields()
        node = _decoded(fields["Node"], _NODE, file, sink) if "Node" in fields else None
        pods = [_decoded(pod, _POD, file, sink) for pod in fields["Pods"].array() or ()] if "Pods" in fields else []
        if isinstance(node, KubernetesNode):
            templates[name] = (node, tuple(pod for pod in pods if isinstance(pod, Pod)))
    return templates


def _decoded(node: TextNode, kind: Kind, file: str, sink: Sink) -> Object | None:
    if node.identity() is None:
        return None
    item = typed(Record(*hint_of(kind), node, file), kind)
    if isinstance(item, Object):
        return item
    sink.broken(item)
    return None
