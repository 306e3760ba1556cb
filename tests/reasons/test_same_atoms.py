"""Nodes are one group where the same reasons hold for them, however many reasons there are."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.framework.reason_codes import ReasonCode
from kplan.reasons.groups import Atom, _by_atoms

SETS = st.integers(1, 70).flatmap(
    lambda atoms: st.tuples(st.just(atoms), st.lists(st.sets(st.integers(0, atoms - 1), max_size=3), max_size=12))
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SETS)
def test_nodes_of_the_same_reasons_are_one_group(drawn: tuple[int, list[set[int]]]) -> None:
    number, nodes = drawn
    atoms = tuple(
        Atom("P", ReasonCode.INSUFFICIENT_RESOURCE, (), str(at), True, np.array([at in mine for mine in nodes], bool))
        for at in range(number)
    )
    expected = defaultdict(list)
    for row, mine in enumerate(nodes):
        if mine:
            expected[tuple(str(at) for at in sorted(mine))].append(100 + row)
    groups = _by_atoms(atoms, np.arange(100, 100 + len(nodes)))
    assert {tuple(atom.message for atom in group.atoms): group.rows.tolist() for group in groups} == expected
