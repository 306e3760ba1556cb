"""Groups of nodes that are refused for the same set of reasons, nearest first; arrays over the nodes asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.facts import Facts
from kplan.framework.findings import About
from kplan.framework.reason_codes import AboutKind, plugin_code
from kplan.objects.selectors import Requirement, compile_node_term
from kplan.objects.well_known import UNSCHEDULABLE
from kplan.pipeline import Cycle, Planner
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.taint_toleration import TaintTolerationFacts
from kplan.reasons.codes import without_pod
from kplan.result import Diagnosis, Outcome, PluginFindings

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

_UNSCHEDULABLE_TAINT = f"taint {UNSCHEDULABLE}:NoSchedule, not tolerated"
_LIFTED_BY_A_NUMBER = frozenset({"insufficient-resource", "too-many-pods", "volume-limit", "spread-skew"})
_SORTED_BY_FACTS = 64
"""Nodes of a group that are sorted by numbers which have to be looked up node by node."""


@dataclass(frozen=True, eq=False)
class Atom:
    """One reason, as fine as it is told apart.

    Attributes:
        plugin: name of the plugin.
        code: stable code.
        message: the scheduler's exact text.
        text: plain words that hold for every node of the mask; empty where the numbers say it.
        evictable: whether an eviction may lift it.
        mask: bool[M] over the rows asked about.
        resource: resource it is about; empty for others.
        kept: whether it holds only with nominated pods counted.
    """

    plugin: str
    code: str
    message: str
    text: str
    evictable: bool
    mask: Mask
    resource: str = ""
    kept: bool = False


@dataclass(frozen=True, eq=False)
class Found:
    """Nodes with the same atoms, nearest first.

    Attributes:
        atoms: what is wrong, without those that only repeat another.
        rows: intp[K], node rows.
        text: words for nodes no plugin was asked about; empty for others.
    """

    atoms: tuple[Atom, ...]
    rows: Rows
    text: str = ""


@dataclass
class Asked:
    """One pod's cycle that has been run, while the cluster has not changed."""

    cluster: Cluster
    pod: PodInfo
    cycle: Cycle
    outcome: Outcome

    @classmethod
    def of(cls, planner: Planner, pod: PodInfo) -> Asked:
        """Ask every plugin about every node; preemption is left out."""
        cycle = planner.cycle(pod, everything=True)
        return cls(planner.cluster, pod, cycle, cycle.explain(preempt=False))

    def facts(self, rows: Rows) -> dict[str, Facts]:
        """Facts about some node rows, by plugin."""
        return self.cycle.facts(self.outcome, [int(row) for row in rows])

    def amounts(self, resource: str, *, kept: bool = False) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """What the pod needs of a resource, and int64[N] what is free and what there is.

        Args:
            resource: name, or ``pods``.
            kept: whether what is kept for nominated pods is taken off what is free.
        """
        cluster = self.cluster
        if resource == "pods":
            needs, capacity, used = 1, cluster.allowed_pods, cluster.pod_count
        else:
            row = cluster.resources.get(resource)
            needs = self.pod.requests.get(resource, 0)
            if row is None:
                nothing = np.zeros(len(cluster.nodes), dtype=np.int64)
                return needs, nothing, nothing
            capacity, used = cluster.allocatable[row], cluster.requested[row]
        free = capacity - used
        if kept:
            free = free.copy()
            for node, amount in self.kept(resource).items():
                free[node] -= amount
        return needs, free, capacity

    def kept(self, resource: str) -> dict[int, int]:
        """What is kept of a resource for nominated pods, by node row."""
        row = self.cluster.resources.get(resource)
        found: dict[int, int] = {}
        nominated = self.cycle.filters.nominated if self.cycle.filters is not None else {}
        for node, pods in nominated.items():
            if resource == "pods":
                found[node] = len(pods)
            elif row is not None:
                found[node] = sum(int(self.cluster.pod_request[row, pod]) for pod in pods)
        return found


def find_groups(asked: Asked) -> list[Found]:
    """Group the refused nodes, those nearest to fitting first."""
    diagnosis = asked.outcome.diagnosis
    if diagnosis is None:
        return []
    if diagnosis.pre_filter is not None:
        status = diagnosis.pre_filter
        every = asked.cluster.all_rows
        atoms = tuple(
            Atom(
                status.plugin,
                why.code,
                why.reason,
                without_pod(why.reason),
                False,
                np.ones(len(every), np.bool_),
            )
            for why in status.whys
        )
        return [Found(atoms, every)] if len(every) else []
    atoms = tuple(_atoms(asked, diagnosis))
    groups = [_sorted(asked, group) for group in _by_atoms(atoms, diagnosis.rows)]
    groups.sort(key=_order)
    if diagnosis.left_out:
        groups.append(_left_out(asked, diagnosis))
    return groups


def narrowed(groups: Iterable[Found], row: int) -> Found | None:
    """Find the group that a node is in, narrowed down to this node; None where it is in none."""
    group = next((group for group in groups if row in group.rows), None)
    return replace(group, rows=np.array([row], dtype=np.intp)) if group is not None else None


def _order(group: Found) -> tuple[int, bool, int, int]:
    liftable = all(atom.evictable or atom.code in _LIFTED_BY_A_NUMBER for atom in group.atoms)
    return len(group.atoms), not liftable, -len(group.rows), int(group.rows[0])


def _by_atoms(atoms: tuple[Atom, ...], rows: Rows) -> Iterator[Found]:
    """Split the rows by which atoms hold."""
    if not atoms or not len(rows):
        return
    held = np.stack([atom.mask for atom in atoms])
    packed = np.ascontiguousarray(np.packbits(held, axis=0).T)
    keys = packed.view([("", packed.dtype)] * packed.shape[1]).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    for number, at in enumerate(first):
        mine = tuple(atom for atom, here in zip(atoms, held[:, at], strict=True) if here)
        if mine:
            yield Found(_without_echoes(mine), rows[np.flatnonzero(inverse.ravel() == number)])


def _without_echoes(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Leave out what only repeats another reason: the taint of a cordon, the zone of a volume that is out of reach."""
    codes = {atom.code for atom in atoms}

    def repeats(atom: Atom) -> bool:
        if atom.code == "taint-not-tolerated" and atom.text == _UNSCHEDULABLE_TAINT:
            return "node-cordoned" in codes
        return atom.code == "volume-zone" and "volume-out-of-reach" in codes

    return tuple(atom for atom in atoms if not repeats(atom))


def _left_out(asked: Asked, diagnosis: Diagnosis) -> Found:
    count = len(asked.cluster.nodes)
    rest = np.setdiff1d(np.arange(count, dtype=np.intp), diagnosis.rows)
    plugin = diagnosis.pre_filter_plugins[0] if diagnosis.pre_filter_plugins else ""
    names = ", ".join(diagnosis.pre_filter_nodes[:3])
    by = "volumes of the pod" if plugin.startswith("Volume") else "the pod" if plugin == "NodeName" else "node affinity"
    text = f"not looked at: {by} named only {names}" if names else "not looked at"
    atom = Atom(plugin, "left-out-by-name", diagnosis.left_out_reason, text, False, np.zeros(0, np.bool_))
    return Found((atom,), rest, text)


def _atoms(asked: Asked, diagnosis: Diagnosis) -> Iterator[Atom]:
    for failing in diagnosis.failing:
        for code, resource, reason, mask, unresolvable in _refusals(failing, len(diagnosis.rows)):
            for evictable in (True, False):
                here = mask & (unresolvable != evictable)
                if here.any():
                    yield from _refined(asked, diagnosis, failing.plugin, code, resource, reason, here, evictable)
    yield from _kept(diagnosis)


def _refusals(failing: PluginFindings, count: int) -> Iterator[tuple[str, str, str, Mask, Mask]]:
    """Reasons of one plugin, where each holds and where its code is UnschedulableAndUnresolvable: bool[M] each."""
    unresolvable = np.zeros(count, dtype=np.bool_)
    unresolvable[failing.positions] = failing.findings.unresolvable
    for refusal in failing.findings.refusals:
        mask = np.zeros(count, dtype=np.bool_)
        mask[failing.positions] = refusal.rows
        yield refusal.code, _resource(refusal.about), refusal.reason, mask, unresolvable
    for error in failing.findings.errors:
        mask = np.zeros(count, dtype=np.bool_)
        mask[failing.positions[error.row]] = True
        code = error.code or plugin_code(failing.plugin)
        yield code, "", error.message, mask, np.ones(count, dtype=np.bool_)


def _resource(about: Iterable[About]) -> str:
    """The resource that a reason is about; empty if it is about none."""
    return next((one.name for one in about if one.kind is AboutKind.RESOURCE), "")


def _refined(
    asked: Asked,
    diagnosis: Diagnosis,
    plugin: str,
    code: str,
    resource: str,
    reason: str,
    mask: Mask,
    evictable: bool,
) -> Iterator[Atom]:
    parts: dict[str, Mask] = {}
    if code == "taint-not-tolerated":
        parts = _by_taints(asked, diagnosis.rows, mask)
    elif code == "node-affinity":
        parts = _by_requirement(asked, diagnosis.rows, mask)
    for text, where in parts.items():
        which = "node-selector" if text.startswith("nodeSelector") else code
        yield Atom(plugin, which, reason, text, evictable, where)
        mask = mask & ~where
    if mask.any():
        yield Atom(plugin, code, reason, "", evictable, mask, resource)


def _by_taints(asked: Asked, rows: Rows, mask: Mask) -> dict[str, Mask]:
    """Nodes by the taints in the way; one node of each set of taints is asked."""
    sets = asked.cluster.taint_set[rows]
    where = np.flatnonzero(mask)
    distinct, first = np.unique(sets[where], return_index=True)
    facts = asked.facts(rows[where[first]]).get("TaintToleration")
    parts: dict[str, Mask] = {}
    if isinstance(facts, TaintTolerationFacts):
        taints = {name: group.taints for group in facts.groups for name in group.nodes}
        for number, at in zip(distinct, first, strict=True):
            found = taints.get(asked.cluster.node_name(int(rows[where[at]])), ())
            word = "taint" if len(found) == 1 else "taints"
            text = f"{word} {' and '.join(found)}, not tolerated"
            parts[text] = parts.get(text, np.zeros(len(rows), np.bool_)) | (mask & (sets == number))
    return parts


def _by_requirement(asked: Asked, rows: Rows, mask: Mask) -> dict[str, Mask]:
    """Nodes by each requirement of nodeSelector, and of a node affinity of one term."""
    labels, spec = asked.cluster.labels, asked.pod.pod.spec
    parts: dict[str, Mask] = {}
    for key, value in sorted((spec.node_selector or {}).items()):
        parts[f"nodeSelector {key}={value}"] = mask & ~labels.requirement(Requirement(key, "In", (value,)))[rows]
    affinity = spec.affinity.node_affinity if spec.affinity else None
    required = affinity.required if affinity else None
    terms = required.node_selector_terms or () if required else ()
    if len(terms) == 1:
        term = compile_node_term(terms[0])
        if term.invalid:
            expressions = terms[0].match_expressions or ()
            text = ", ".join(f"{e.key} {e.operator} {'/'.join(e.values or ())}" for e in expressions)
            parts[f"node affinity {text}: cannot be evaluated, so it selects no node"] = mask.copy()
        for requirement in () if term.empty or term.invalid else term.labels:
            parts[f"node affinity {requirement}"] = mask & ~labels.requirement(requirement)[rows]
    elif required is not None and terms:
        parts[f"node affinity, none of its {len(terms)} terms"] = mask & ~labels.selector(required)[rows]
    return {text: where for text, where in parts.items() if where.any()}


def _kept(diagnosis: Diagnosis) -> Iterator[Atom]:
    """What fails only with nominated pods counted."""
    plain = np.zeros(len(diagnosis.rows), dtype=np.bool_)
    for failing in diagnosis.failing:
        plain[failing.positions] |= failing.findings.failed
    found: dict[tuple[str, str, str, str, bool], Mask] = {}
    for position in np.flatnonzero(~diagnosis.feasible & ~plain).tolist():
        status = diagnosis.status[position]
        evictable = bool(diagnosis.unschedulable[position])
        told: list[tuple[str, str, str]] = [(why.code, why.reason, _resource(why.about)) for why in status.whys]
        if status.message:
            told.append((plugin_code(status.plugin), status.message, ""))
        for code, reason, resource in told:
            key = (status.plugin, code, reason, resource, evictable)
            found.setdefault(key, np.zeros(len(plain), np.bool_))[position] = True
    for (plugin, code, reason, resource, evictable), mask in found.items():
        yield Atom(plugin, code, reason, "", evictable, mask, resource, kept=True)


def _sorted(asked: Asked, group: Found) -> Found:
    """Sort nodes by the smallest relative shortfall, then by name."""
    short = np.zeros(len(group.rows))
    for atom in group.atoms:
        if atom.resource:
            needs, free, _ = asked.amounts(atom.resource, kept=atom.kept)
            short = np.maximum(short, (needs - free[group.rows]) / max(needs, 1))
    by_facts: dict[str, Callable[[Facts], dict[str, int]]] = {"volume-limit": _over_limit, "spread-skew": _skew}
    for atom in group.atoms if len(group.rows) <= _SORTED_BY_FACTS else ():
        facts = asked.facts(group.rows).get(atom.plugin) if atom.code in by_facts else None
        if facts is not None:
            over = by_facts[atom.code](facts)
            short = np.maximum(short, [over.get(asked.cluster.node_name(int(row)), 0) for row in group.rows])
    return Found(group.atoms, group.rows[np.lexsort((group.rows, short))], group.text)


def _over_limit(facts: Facts) -> dict[str, int]:
    over: dict[str, int] = {}
    for use in facts.usage if isinstance(facts, NodeVolumeLimitsFacts) else ():
        if use.limit is not None:
            over[use.node] = max(over.get(use.node, 0), use.attached + len(use.new) - use.limit)
    return over


def _skew(facts: Facts) -> dict[str, int]:
    over: dict[str, int] = {}
    for refused in facts.refused if isinstance(facts, SpreadFacts) else ():
        over[refused.node] = max(over.get(refused.node, 0), refused.skew)
    return over
