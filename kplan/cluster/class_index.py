"""Which classes of pods have a label or a host port: so a rule is asked only about classes that it may be for."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence

from kplan.cluster.pods import PodClass

Mark = Hashable
"""A label as ``(key, value)``, a host port as ``(protocol, number)``, or a term as ``(its list, term)``."""
Hooks = Sequence[Collection[Mark]]
"""Lists of marks: a class that a rule is for has one of each list. No list at all: it may be for any class."""


def marks_of(pod_class: PodClass) -> Collection[Mark]:
    """Every mark of a class, each once."""
    return [*pod_class.labels.items(), *pod_class.ports, *_terms_of(pod_class)]


def _terms_of(pod_class: PodClass) -> Iterable[Mark]:
    """The terms that the pods of a class have, each once, by the list that it is in."""
    marks: dict[Mark, None] = {}
    for name, terms in (("affinity", pod_class.affinity), ("anti-affinity", pod_class.anti_affinity)):
        marks |= {(name, term): None for term in terms}
    preferred = pod_class.preferred_affinity, pod_class.preferred_anti_affinity
    for name, weighted in zip(("preferred affinity", "preferred anti-affinity"), preferred, strict=True):
        marks |= {(name, one.term): None for one in weighted}
    return marks


class ClassIndex:
    """Classes by mark. Classes are only ever added; they are taken up when somebody asks.

    Args:
        classes: all classes, by number; grows.
    """

    def __init__(self, classes: list[PodClass]) -> None:
        self._classes = classes
        self._taken = 0
        self._marked: dict[Mark, list[PodClass]] = {}

    def having(self, hooks: Hooks, size: int) -> Sequence[PodClass]:
        """List the classes that a rule may be for, among the first ``size``."""
        if not hooks:
            return self._classes[:size]
        lists = self._marked_with(self.narrowest(hooks))
        return [pod_class for list_ in lists for pod_class in list_ if pod_class.index < size]

    def narrowest(self, hooks: Hooks) -> Collection[Mark]:
        """Of these lists of marks, the one that the fewest classes have."""
        self._take_up()
        return min(hooks, key=lambda marks: sum(map(len, self._marked_with(marks))))

    def _marked_with(self, marks: Collection[Mark]) -> list[list[PodClass]]:
        return [self._marked.get(mark, []) for mark in marks]

    def _take_up(self) -> None:
        for pod_class in self._classes[self._taken :]:
            for mark in marks_of(pod_class):
                self._marked.setdefault(mark, []).append(pod_class)
        self._taken = len(self._classes)
