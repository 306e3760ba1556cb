"""Labels by which spread constraints of pods select pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter

from kplan.objects.models import LabelSelector, Pod

_CONSTRAINTS = attrgetter("spec.topology_spread_constraints")


def labels_spread_by(pods: Iterable[Pod]) -> set[str]:
    """Keys of all labels that constraints of some pods name: in a selector, or in matchLabelKeys."""
    keys: set[str] = set()
    for constraints in filter(None, map(_CONSTRAINTS, pods)):
        for constraint in constraints:
            keys.update(constraint.match_label_keys or (), selected_by(constraint.label_selector))
    return keys


def selected_by(selector: LabelSelector | None) -> Iterator[str]:
    """Yield the keys that a selector names."""
    if selector is not None:
        yield from selector.match_labels or ()
        yield from (expression.key for expression in selector.match_expressions or ())
