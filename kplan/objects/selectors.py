"""Label selectors, node selectors and tolerations: what they mean for one set of labels or taints.

Compiled forms are hashable and canonical, so that equal rules share one counter or one column look-up.
"""

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from kplan.objects.models import LabelSelector, NodeSelectorTerm, Taint, Toleration
from kplan.objects.whole_numbers import parse_int


class Requirement(Struct, frozen=True):
    """One requirement on one label: ``operator`` is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """Tell whether a label with this value (None: absent) meets the requirement.

        Source: apimachinery v0.37.2 pkg/labels/selector.go Requirement.Matches (NotIn and DoesNotExist hold
        for an absent label; Gt and Lt compare as int64 and fail on anything else).
        """
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return value is not None and self._compare(value)
        return False

    def _compare(self, value: str) -> bool:
        left = parse_int(value)
        right = parse_int(self.values[0]) if len(self.values) == 1 else None
        if left is None or right is None:
            return False
        return left > right if self.operator == "Gt" else left < right

    def __str__(self) -> str:
        match self.operator:
            case "In" if len(self.values) == 1:
                return f"{self.key}={self.values[0]}"
            case "In" | "NotIn":
                word = "in" if self.operator == "In" else "not in"
                return f"{self.key} {word} ({', '.join(self.values)})"
            case "Exists":
                return f"{self.key} exists"
            case "DoesNotExist":
                return f"{self.key} does not exist"
            case "Gt" | "Lt":
                return f"{self.key} {'>' if self.operator == 'Gt' else '<'} {', '.join(self.values)}"
        return f"{self.key} {self.operator} {', '.join(self.values)}"


class Selector(Struct, frozen=True):
    """A compiled label selector.

    Attributes:
        requirements: all must hold; none at all selects everything.
        nothing: True for an absent selector, which selects nothing.
    """

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    @property
    def empty(self) -> bool:
        """True when it has no requirement: it selects everything, or nothing when absent."""
        return not self.requirements

    @property
    def hooks(self) -> list[list[tuple[str, str]]]:
        """For each requirement that lists values, the labels of which one is needed to be selected."""
        return [[(r.key, value) for value in r.values] for r in self.requirements if r.operator == "In"]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether these labels are selected."""
        if self.nothing:
            return False
        return all(requirement.accepts(labels.get(requirement.key)) for requirement in self.requirements)

    def plus(self, requirements: Iterable[Requirement]) -> "Selector":
        """Add requirements; a selector of nothing stays one.

        Source: apimachinery v0.37.2 pkg/labels/selector.go Selector.Add, nothing.Add.
        """
        return self if self.nothing else Selector(_canonical((*self.requirements, *requirements)))

    def __str__(self) -> str:
        if self.nothing:
            return "no pod (no selector)"
        return ", ".join(map(str, self.requirements)) or "every pod"


NOTHING = Selector(nothing=True)


def _canonical(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    return tuple(sorted(set(requirements), key=lambda r: (r.key, r.operator, r.values)))


def compile_labels(labels: Mapping[str, str] | None) -> Selector:
    """Compile a plain ``key: value`` map (a Service's selector); absent or empty selects everything."""
    return Selector(_canonical(Requirement(k, "In", (v,)) for k, v in (labels or {}).items()))


def compile_selector(selector: LabelSelector | None) -> Selector:
    """Compile a ``metav1.LabelSelector``: absent selects nothing, empty everything.

    Source: apimachinery v0.37.2 pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector.
    """
    if selector is None:
        return NOTHING
    requirements = [Requirement(k, "In", (v,)) for k, v in (selector.match_labels or {}).items()]
    for expression in selector.match_expressions or ():
        values = tuple(sorted(set(expression.values or ())))
        requirements.append(Requirement(expression.key, expression.operator, values))
    return Selector(_canonical(requirements))


class NodeTerm(Struct, frozen=True):
    """A compiled node selector term.

    Attributes:
        labels: requirements on node labels.
        names: requirements on ``metadata.name`` (matchFields).
        invalid: True when it holds a requirement Kubernetes cannot evaluate: the term matches no node.
    """

    labels: tuple[Requirement, ...]
    names: tuple[Requirement, ...]
    invalid: bool = False

    @property
    def empty(self) -> bool:
        """True without any requirement: such a term matches no node."""
        return not self.labels and not self.names

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Tell whether the node with this name and these labels is selected."""
        if self.empty or self.invalid:
            return False
        return all(r.accepts(labels.get(r.key)) for r in self.labels) and all(r.accepts(name) for r in self.names)

    def __str__(self) -> str:
        return ", ".join(map(str, (*self.labels, *self.names))) or "an empty term"


def compile_node_term(term: NodeSelectorTerm | None) -> NodeTerm:
    """Compile a node selector term.

    Source: component-helpers v0.37.2 scheduling/corev1/nodeaffinity/nodeaffinity.go newNodeSelectorTerm,
    apimachinery pkg/labels/selector.go NewRequirement (which operators take which values).
    """
    if term is None:
        return NodeTerm((), ())
    labels = tuple(Requirement(e.key, e.operator, tuple(e.values or ())) for e in term.match_expressions or ())
    names = tuple(Requirement(e.key, e.operator, tuple(e.values or ())) for e in term.match_fields or ())
    return NodeTerm(labels, names, invalid=not all(map(_evaluable, labels)) or not all(map(_name_evaluable, names)))


def _evaluable(requirement: Requirement) -> bool:
    match requirement.operator:
        case "In" | "NotIn":
            return bool(requirement.values)
        case "Exists" | "DoesNotExist":
            return not requirement.values
        case "Gt" | "Lt":
            return len(requirement.values) == 1 and parse_int(requirement.values[0]) is not None
    return False


def _name_evaluable(requirement: Requirement) -> bool:
    known = requirement.key == "metadata.name" and requirement.operator in ("In", "NotIn")
    return known and len(requirement.values) == 1


def tolerates(toleration: Toleration, taint: Taint, *, comparison: bool = False) -> bool:
    """Tell whether a toleration tolerates a taint.

    Args:
        toleration: one toleration of the pod.
        taint: one taint of the node.
        comparison: the gate TaintTolerationComparisonOperators: whether Gt and Lt compare integers.

    Source: k8s.io/api v0.37.2 core/v1/toleration.go Toleration.ToleratesTaint.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator or "Equal":
        case "Equal":
            return (toleration.value or "") == (taint.value or "")
        case "Exists":
            return True
        case "Gt" | "Lt" if comparison:
            wanted, given = _strict_int64(toleration.value or ""), _strict_int64(taint.value or "")
            if wanted is None or given is None:
                return False
            return given > wanted if toleration.operator == "Gt" else given < wanted
    return False


@lru_cache(maxsize=1024)
def _strict_int64(text: str) -> int | None:
    """Read an int64 without leading zeros or a plus sign, as comparison tolerations require."""
    number = parse_int(text)
    return number if number is not None and str(number) == text else None


def tolerated(tolerations: Iterable[Toleration], taint: Taint, *, comparison: bool = False) -> bool:
    """Tell whether any of the tolerations tolerates the taint."""
    return any(tolerates(toleration, taint, comparison=comparison) for toleration in tolerations)


def read_tolerations(tolerations: Iterable[Toleration]) -> Hashable:
    """Give what of tolerations decides which taints they tolerate, as a key."""
    return tuple((t.key, t.operator, t.value, t.effect) for t in tolerations)
