"""NodeAffinity: a pod's nodeSelector and node affinity choose nodes by label or name.

What it checks:  every label of spec.nodeSelector, and one of the terms of required node affinity; addedAffinity of the
                 plugin's arguments as well. Scores nodes by the weights of the preferred terms that select them.
Rejects with:    "node(s) didn't match Pod's node affinity/selector",
                 "node(s) didn't match scheduler-enforced node affinity" (addedAffinity; it comes first),
                 "pod affinity terms conflict" (before any filter: no name satisfies the metadata.name requirements);
                 all UnschedulableAndUnresolvable
Not modelled:    placed pods with a deferred resize (gate InPlacePodVerticalScalingSchedulerPreemption, off by default).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (equal 1.34 to 1.37);
                 component-helpers v0.37.2 scheduling/corev1/nodeaffinity/nodeaffinity.go
"""

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import ClassVar

import msgspec
import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import TERM
from kplan.framework.args import NodeAffinityArgs
from kplan.framework.codes import Compares, Point
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import Facts, Failed, Findings, Mask, Ready, Refusal, Refused, Skip
from kplan.framework.plugin import ColumnPlugin, Scores, default_normalize
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.objects.models import Node, NodeSelector, NodeSelectorTerm, Pod, PreferredSchedulingTerm
from kplan.objects.models import NodeAffinity as NodeAffinityModel
from kplan.objects.selectors import Requirement, compile_node_term
from kplan.objects.whole_numbers import parse_int

REASON_POD = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"

_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_NODE_NAME = "metadata.name"
_encode = msgspec.json.Encoder().encode


class NodeAffinityState(Struct, frozen=True):
    """What PreFilter found.

    Attributes:
        allowed: bool[N], True where nodeSelector and required node affinity of the pod hold.
    """

    allowed: Mask


class PreferredTerms(Struct, frozen=True):
    """What PreScore found: the pod's preferred terms, weighted and not empty."""

    terms: tuple[PreferredSchedulingTerm, ...]


class UnmetRequirement(Struct, frozen=True):
    """One requirement that a node does not meet.

    Attributes:
        rule: ``nodeSelector``, ``nodeAffinity`` or ``addedAffinity``.
        term: position among the terms, of which one has to hold; -1 for nodeSelector.
        key: label, or ``metadata.name``; empty for a term that is empty or cannot be evaluated and selects no node.
        operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.
        values: what the requirement names.
        node_value: what the node has; None if it lacks the label.
    """

    rule: str
    term: int
    key: str
    operator: str
    values: tuple[str, ...]
    node_value: str | None


class AffinityGroup(Struct, frozen=True):
    """Nodes that fail in the same way.

    Attributes:
        unmet: requirements not met, in the order of the pod.
        nodes: names, in the order asked.
    """

    unmet: tuple[UnmetRequirement, ...]
    nodes: tuple[str, ...]


class NodeAffinityFacts(Facts, frozen=True):
    """Which requirements nodes do not meet, and what they have instead."""

    groups: tuple[AffinityGroup, ...]


class NodeAffinity(ColumnPlugin[NodeAffinityArgs]):
    """Refuses nodes that the pod does not select, and ranks those it prefers."""

    name: ClassVar[str] = "NodeAffinity"
    compares: ClassVar[Compares] = Compares.EXTREMES
    by_taints: ClassVar[bool] = False

    @property
    def _added(self) -> NodeAffinityModel:
        added = self.args.added_affinity if self.args else None
        return added or NodeAffinityModel()

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Refused | Ready[NodeAffinityState]:
        """Find the nodes allowed, and the only names where every term names some.

        Source: v1.37.2 NodeAffinity.PreFilter.
        """
        required = _required(pod.pod)
        if required is None and self._added.required is None and pod.pod.spec.node_selector is None:
            return Skip()
        terms = () if required is None else required.node_selector_terms or ()
        cluster.work.charge(TERM * len(terms))
        names = None if required is None else _names(terms)
        if names is not None and not names:
            return Refused.of(ReasonCode.NODE_NAMES_CONFLICT, REASON_CONFLICT)
        return Ready(NodeAffinityState(cluster.labels.required(pod.pod)), names)

    def filter(self, pod: PodInfo, state: NodeAffinityState | None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes not selected: by addedAffinity, else by the pod. Without PreFilter the pod is read here."""
        allowed = cluster.labels.required(pod.pod) if state is None else state.allowed
        enforced = cluster.labels.selector(self._added.required)[worlds.rows]
        refusals = (
            Refusal(ReasonCode.ADDED_AFFINITY, (), REASON_ENFORCED, ~enforced),
            Refusal(ReasonCode.NODE_AFFINITY, (), REASON_POD, enforced & ~allowed[worlds.rows]),
        )
        return Findings(refusals, np.ones(len(worlds), dtype=np.bool_))

    def read_of(self, point: Point, pod: PodInfo, state: object) -> Hashable:
        """The node selector and the node affinity."""
        affinity = pod.pod.spec.affinity.node_affinity if pod.pod.spec.affinity else None
        return _encode((pod.pod.spec.node_selector, affinity))

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new or have other labels."""
        return (Interest(Resource.NODE, Action.ADD | Action.NODE_LABEL),)

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A node that is selected now and was not before; one that addedAffinity refuses never does."""
        old, new = happened.old, happened.new
        if not isinstance(new, Node) or not selects(self._added.required, new) or not allows(pod.pod, new):
            return False
        return not isinstance(old, Node) or not allows(pod.pod, old)

    def pre_score(
        self, pod: PodInfo, state: NodeAffinityState | None, cluster: Cluster, rows: Rows
    ) -> Skip | Failed | Ready[PreferredTerms]:
        """Collect the preferred terms; without any, of the pod or added, it skips.

        Source: v1.37.2 NodeAffinity.PreScore; component-helpers v0.37.2 NewPreferredSchedulingTerms.
        """
        affinity = pod.pod.spec.affinity.node_affinity if pod.pod.spec.affinity else None
        preferred = affinity.preferred if affinity else None
        if preferred is None and not self._added.preferred:
            return Skip()
        problems = list(_problems(preferred or ()))
        if problems:
            return Failed(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
        return Ready(PreferredTerms(tuple(preferred or ())))

    def score(
        self, pod: PodInfo, state: PreferredTerms | None, cluster: Cluster, rows: Rows, choice: None
    ) -> Scores | Failed:
        """Sum the weights of the preferred terms that select each node: int64[F].

        Without PreScore (a profile may turn it off) the pod is read here.
        """
        if not isinstance(state, PreferredTerms):
            read = self.pre_score(pod, None, cluster, rows)
            if isinstance(read, Failed):
                return read
            state = read.state if isinstance(read, Ready) else PreferredTerms(())
        total = np.zeros(len(rows), dtype=np.int64)
        for preferred in (*(self._added.preferred or ()), *state.terms):
            total += preferred.weight * cluster.labels.term(compile_node_term(preferred.preference))[rows]
        return total

    def normalize(
        self, pod: PodInfo, state: PreferredTerms | None, cluster: Cluster, rows: Rows, raw: Scores
    ) -> Scores:
        """Scale to 0..100."""
        return default_normalize(raw)

    def explain(
        self,
        pod: PodInfo,
        state: NodeAffinityState | None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> NodeAffinityFacts:
        """Group nodes by the requirements they do not meet; where addedAffinity refuses, only its own are told."""
        groups: dict[tuple[UnmetRequirement, ...], list[str]] = {}
        for row in rows:
            node = cluster.nodes[int(worlds.rows[row])]
            unmet = tuple(_unmet_terms(self._added.required, "addedAffinity", node)) or tuple(_unmet(pod.pod, node))
            if unmet:
                groups.setdefault(unmet, []).append(node.name)
        return NodeAffinityFacts(tuple(AffinityGroup(unmet, tuple(nodes)) for unmet, nodes in groups.items()))


def allows(pod: Pod, node: Node) -> bool:
    """Tell whether nodeSelector and required node affinity of a pod allow a node."""
    wanted = (pod.spec.node_selector or {}).items()
    return wanted <= node.labels.items() and selects(_required(pod), node)


def selects(selector: NodeSelector | None, node: Node) -> bool:
    """Tell whether a node selector selects a node; None selects all."""
    if selector is None:
        return True
    terms = map(compile_node_term, selector.node_selector_terms or ())
    return any(term.matches(node.name, node.labels) for term in terms)


def _required(pod: Pod) -> NodeSelector | None:
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    return affinity.required if affinity else None


def _names(terms: Sequence[NodeSelectorTerm]) -> frozenset[str] | None:
    """Collect the names that terms are about; None if there is no term, or one that names none."""
    names: set[str] = set()
    for term in terms:
        wanted = [
            set(field.values or ())
            for field in term.match_fields or ()
            if field.key == _NODE_NAME and field.operator == "In"
        ]
        if not wanted:
            return None
        names |= set.intersection(*wanted)
    return frozenset(names) if terms else None


def _problems(terms: Iterable[PreferredSchedulingTerm]) -> Iterator[str]:
    """Say what the scheduler cannot evaluate in preferred terms; the API server lets these two through.

    Source: apimachinery v0.37.2 pkg/labels/selector.go NewRequirement, validateLabelValue.
    """
    for i, preferred in enumerate(terms):
        expressions = preferred.preference.match_expressions if preferred.preference else None
        for j, expression in enumerate(expressions or () if preferred.weight else ()):
            for k, value in enumerate(expression.values or ()):
                place = f"[{i}].matchExpressions[{j}].values[{k}]"
                quoted = json.dumps(value, ensure_ascii=False)
                if expression.operator in ("Gt", "Lt") and parse_int(value) is None:
                    yield f"{place}: Invalid value: {quoted}: for 'Gt', 'Lt' operators, the value must be an integer"
                problem = _label_problem(value)
                if problem:
                    yield f"{place}[{expression.key}]: Invalid value: {quoted}: {problem}"


def _label_problem(value: str) -> str:
    """Say why no label can have this value; empty if one can."""
    problems = ["must be no more than 63 bytes"] if len(value.encode()) > 63 else []
    if not _LABEL_VALUE.fullmatch(value):
        problems.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
            f"validation is '{_LABEL_VALUE.pattern}')"
        )
    return "; ".join(problems)


def _unmet(pod: Pod, node: Node) -> Iterator[UnmetRequirement]:
    """List what a node lacks of nodeSelector and required node affinity."""
    for key, value in sorted((pod.spec.node_selector or {}).items()):
        if node.labels.get(key) != value:
            yield UnmetRequirement("nodeSelector", -1, key, "In", (value,), node.labels.get(key))
    yield from _unmet_terms(_required(pod), "nodeAffinity", node)


def _unmet_terms(selector: NodeSelector | None, rule: str, node: Node) -> Iterator[UnmetRequirement]:
    """List what a node lacks of each term; nothing if one term selects it."""
    if selector is None:
        return
    terms = [compile_node_term(term) for term in selector.node_selector_terms or ()]
    if any(term.matches(node.name, node.labels) for term in terms):
        return
    if not terms:
        yield UnmetRequirement(rule, 0, "", "", (), None)
    for position, term in enumerate(terms):
        if term.empty or term.invalid:
            yield UnmetRequirement(rule, position, "", "", (), None)
            continue
        has = [(requirement, node.labels.get(requirement.key)) for requirement in term.labels]
        has += [(requirement, node.name) for requirement in term.names]
        yield from (_lacking(rule, position, r, value) for r, value in has if not r.accepts(value))


def _lacking(rule: str, term: int, requirement: Requirement, value: str | None) -> UnmetRequirement:
    return UnmetRequirement(rule, term, requirement.key, requirement.operator, requirement.values, value)
