"""Node labels as columns, and masks of the nodes that selectors choose."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.objects.models import Node, NodeSelector, Pod
from kplan.objects.selectors import NodeTerm, Requirement, compile_node_term

Mask = NDArray[np.bool_]


class LabelColumn(Struct, frozen=True, eq=False):
    """One label key over all nodes.

    Attributes:
        codes: int32[N], index in ``values``, -1 where a node lacks the label.
        values: distinct values, in order of first appearance.
        index: code by value.
    """

    codes: NDArray[np.int32]
    values: tuple[str, ...]
    index: Mapping[str, int]

    @property
    def present(self) -> Mask:
        """bool[N], True where the node has the label."""
        return self.codes >= 0

    def lookup(self, table: NDArray[np.generic]) -> NDArray[np.generic]:
        """Gather ``table[V + 1]`` by code; its last entry stands for nodes without the label."""
        return table[self.codes]

    def code(self, value: str) -> int:
        """Code of a value, or -2 if no node has it."""
        return self.index.get(value, -2)


class NodeLabels:
    """Label columns made on demand, and node masks by compiled term.

    Both depend only on names and labels of nodes; a change of nodes makes a new NodeLabels.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._columns: dict[str, LabelColumn] = {}
        self._masks: dict[Requirement | NodeTerm, Mask] = {}

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {node.name: row for row, node in enumerate(self._nodes)}

    def column(self, key: str) -> LabelColumn:
        """Return the column of a label key."""
        column = self._columns.get(key)
        if column is None:
            index: dict[str, int] = {}
            codes = np.full(len(self._nodes), -1, dtype=np.int32)
            for i, node in enumerate(self._nodes):
                value = node.labels.get(key)
                if value is not None:
                    codes[i] = index.setdefault(value, len(index))
            column = self._columns[key] = LabelColumn(codes, tuple(index), index)
        return column

    def requirement(self, requirement: Requirement) -> Mask:
        """bool[N] of the nodes whose labels meet a requirement."""
        mask = self._masks.get(requirement)
        if mask is None:
            column = self.column(requirement.key)
            if requirement.operator in ("In", "NotIn"):  # by code: a hostname label has as many values as nodes
                codes = [column.code(value) for value in requirement.values]
                chosen = np.isin(column.codes, codes) if len(codes) != 1 else column.codes == codes[0]
                mask = chosen if requirement.operator == "In" else ~chosen
            else:
                accepts = [*map(requirement.accepts, column.values), requirement.accepts(None)]
                mask = np.array(accepts, dtype=np.bool_)[column.codes]
            self._masks[requirement] = mask
        return mask

    def term(self, term: NodeTerm) -> Mask:
        """bool[N] of the nodes that a compiled node selector term selects."""
        mask = self._masks.get(term)
        if mask is None:
            nothing = term.empty or term.invalid
            mask = np.full(len(self._nodes), not nothing, dtype=np.bool_)
            for requirement in () if nothing else term.labels:
                mask &= self.requirement(requirement)
            for requirement in () if nothing else term.names:
                mask &= self._named(requirement)
            self._masks[term] = mask
        return mask

    def selector(self, selector: NodeSelector | None) -> Mask:
        """bool[N] of the nodes that one of the terms selects; no selector selects all, no term none."""
        if selector is None:
            return np.ones(len(self._nodes), dtype=np.bool_)
        mask = np.zeros(len(self._nodes), dtype=np.bool_)
        for term in selector.node_selector_terms or ():
            mask |= self.term(compile_node_term(term))
        return mask

    def required(self, pod: Pod) -> Mask:
        """bool[N] of the nodes that nodeSelector and required node affinity of a pod allow.

        Source: component-helpers v0.37.2 scheduling/corev1/nodeaffinity GetRequiredNodeAffinity.Match.
        """
        mask = np.ones(len(self._nodes), dtype=np.bool_)
        for key, value in (pod.spec.node_selector or {}).items():
            mask &= self.requirement(Requirement(key, "In", (value,)))
        affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
        if affinity is not None and affinity.required is not None:
            mask &= self.selector(affinity.required)
        return mask

    def _named(self, requirement: Requirement) -> Mask:
        """bool[N] of the nodes whose name meets a matchFields requirement."""
        equal = np.zeros(len(self._nodes), dtype=np.bool_)
        row = self._rows.get(requirement.values[0])
        if row is not None:
            equal[row] = True
        return equal if requirement.operator == "In" else ~equal
