"""Devices: what each node lacks for the claims of a pod, told apart by what that is and what for.

The scheduler says "cannot allocate all claims" of all of them. Nodes that are alike in all that the search looks at are
asked about once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kplan.framework.findings import About, Facts
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts, Lack, NodeClaims
from kplan.plugins.dynamic_resources.searching import Choices
from kplan.reasons.run_cycle import RunCycle

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

PLUGIN = "DynamicResources"
CODES: dict[Lack, ReasonCode] = {
    Lack.IN_USE: ReasonCode.DEVICES_IN_USE,
    Lack.TAINT: ReasonCode.DEVICE_TAINT,
    Lack.COUNTERS: ReasonCode.DEVICE_COUNTERS,
    Lack.CAPACITY: ReasonCode.DEVICE_CAPACITY,
    Lack.CONSTRAINT: ReasonCode.DEVICE_CONSTRAINT,
    Lack.TOGETHER: ReasonCode.DEVICES_TOGETHER,
    Lack.FEATURE: ReasonCode.DEVICE_FEATURE,
    Lack.FAILS: ReasonCode.DEVICE_SELECTOR_FAILS,
    Lack.POOL: ReasonCode.DEVICE_POOL_INCOMPLETE,
    Lack.SELECTOR: ReasonCode.DEVICE_SELECTOR,
    Lack.TOO_FEW: ReasonCode.TOO_FEW_DEVICES,
    Lack.NO_DEVICE: ReasonCode.NO_DEVICE_OF_CLASS,
}
"""The code of what a node lacks."""
LACKS: frozenset[str] = frozenset(CODES.values())
_MOST = 2000
"""Kinds of nodes that are told apart; of more, in a cluster where no two nodes are alike, the rest is not."""


def by_lack(
    asked: RunCycle, rows: Rows, whole: Mask, about: tuple[About, ...]
) -> Iterator[tuple[ReasonCode, tuple[About, ...], Mask]]:
    """Split nodes by what they lack: a code, what it is about, and bool[M].

    Args:
        asked: the pod's cycle.
        rows: intp[M], the rows asked about.
        whole: bool[M], those on which devices are not found.
        about: what the plugin said that is about.
    """
    choices = asked.cycle.choices.get(PLUGIN)
    if not isinstance(choices, Choices):
        return
    where = np.flatnonzero(whole)
    distinct, first, inverse = np.unique(choices.numbers(rows[where]), return_index=True, return_inverse=True)
    known = (distinct >= 0) & (np.arange(len(distinct)) < _MOST)
    facts = asked.facts_of(PLUGIN, rows[where[first[known]]])
    if not isinstance(facts, DynamicResourcesFacts):
        return
    by_node = {node.node: node for node in facts.nodes}
    parts: dict[tuple[ReasonCode, tuple[About, ...]], Mask] = {}
    for number in np.flatnonzero(known).tolist():
        node = by_node.get(asked.cluster.node_name(int(rows[where[first[number]]])))
        if node is None or node.lack is None:
            continue
        key = CODES[node.lack], _about(node, about)
        mask = parts.setdefault(key, np.zeros(len(rows), dtype=np.bool_))
        mask[where[inverse.reshape(-1) == number]] = True
    for (code, mine), mask in parts.items():
        yield code, mine, mask


def _about(node: NodeClaims, about: tuple[About, ...]) -> tuple[About, ...]:
    """The claim that something is lacking for, or the resource where the scheduler makes that claim; the request."""
    request = node.request
    if request is None:
        return about
    claim = About(AboutKind.DEVICE_CLAIM, request.claim)
    of_class = About(AboutKind.DEVICE_CLASS, request.device_class)
    if claim in about or not any(subject.kind is AboutKind.DEVICE_RESOURCE for subject in about):
        return claim, About(AboutKind.DEVICE_REQUEST, request.request), of_class
    return (*(subject for subject in about if subject.kind is AboutKind.DEVICE_RESOURCE), of_class)


def short_of(facts: Facts) -> dict[str, int]:
    """How many devices each node lacks; nodes where that is not the question are left out."""
    if not isinstance(facts, DynamicResourcesFacts):
        return {}
    return {
        node.node: max(node.request.count - node.request.usable, 0) for node in facts.nodes if node.request is not None
    }
