"""Label columns and masks, against matching one node at a time."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster.labels import NodeLabels
from kplan.objects.models import Node, NodeSelector, NodeSelectorTerm
from kplan.objects.selectors import compile_node_term
from tests.builders import node, pod

KEYS = ("zone", "disk", "size", "kubernetes.io/hostname")
VALUES = ("a", "b", "7", "12", "-3", "")
NAMES = ("n0", "n1", "n2", "n3")

labels = st.dictionaries(st.sampled_from(KEYS[:3]), st.sampled_from(VALUES), max_size=3)
nodes = st.lists(labels, min_size=0, max_size=4).map(
    lambda found: [node(name, labels=mine) for name, mine in zip(NAMES, found, strict=False)]
)
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Nonsense")


def expressions(keys: tuple[str, ...], values: tuple[str, ...], operators: tuple[str, ...]) -> Any:
    return st.lists(
        st.fixed_dictionaries(
            {
                "key": st.sampled_from(keys),
                "operator": st.sampled_from(operators),
                "values": st.lists(st.sampled_from(values), max_size=3),
            }
        ),
        max_size=3,
    )


terms = st.fixed_dictionaries(
    {
        "matchExpressions": expressions(KEYS, VALUES, OPERATORS),
        "matchFields": expressions(("metadata.name",), NAMES, ("In", "NotIn")).map(
            lambda found: [{**e, "values": e["values"][:1] or ["n1"]} for e in found]
        ),
    }
).map(lambda body: msgspec.convert(body, NodeSelectorTerm))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(nodes, terms)
def test_a_mask_says_of_each_node_what_the_term_says(nodes: list[Node], term: NodeSelectorTerm) -> None:
    compiled = compile_node_term(term)
    mask = NodeLabels(nodes).term(compiled)
    assert mask.tolist() == [compiled.matches(one.name, one.labels) for one in nodes]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(nodes, st.lists(terms, max_size=3))
def test_a_selector_selects_where_one_of_its_terms_does(nodes: list[Node], terms: list[NodeSelectorTerm]) -> None:
    columns = NodeLabels(nodes)
    mask = columns.selector(NodeSelector(node_selector_terms=terms))
    assert mask.tolist() == [
        any(compile_node_term(term).matches(one.name, one.labels) for term in terms) for one in nodes
    ]


def test_no_selector_selects_all_and_no_term_none() -> None:
    columns = NodeLabels([node("a"), node("b")])
    assert columns.selector(None).tolist() == [True, True]
    assert columns.selector(NodeSelector(node_selector_terms=[])).tolist() == [False, False]


def test_a_term_that_cannot_be_evaluated_selects_nothing() -> None:
    columns = NodeLabels([node("a")])
    without_value = msgspec.convert(
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": []}]}, NodeSelectorTerm
    )
    assert columns.term(compile_node_term(without_value)).tolist() == [False]


def test_a_column_holds_a_code_for_each_value_in_order_of_appearance() -> None:
    columns = NodeLabels([node("a", labels={"zone": "z"}), node("b"), node("c", labels={"zone": "y"})])
    column = columns.column("zone")
    assert (column.codes.tolist(), column.values) == ([0, -1, 1], ("z", "y"))
    assert (column.present.tolist(), column.code("y"), column.code("x")) == ([True, False, True], 1, -2)
    assert columns.column("zone") is column


def test_required_joins_the_node_selector_and_the_affinity() -> None:
    columns = NodeLabels(
        [node("a", labels={"x": "1"}), node("b", labels={"x": "1", "y": "2"}), node("c", labels={"y": "2"})]
    )
    term = {"matchExpressions": [{"key": "y", "operator": "Exists"}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    assert columns.required(pod("p")).tolist() == [True, True, True]
    assert columns.required(pod("p", nodeSelector={"x": "1"})).tolist() == [True, True, False]
    assert columns.required(pod("p", nodeSelector={"x": "1"}, affinity=affinity)).tolist() == [False, True, False]
