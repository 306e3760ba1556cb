"""Groups of nodes that are refused for the same set of reasons, nearest first; arrays over the nodes asked about."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from kplan.framework.findings import About, Facts
from kplan.framework.reason_codes import AboutKind, ReasonCode, plugin_code
from kplan.objects.models import NodeSelector, NodeSelectorTerm, PodSpec
from kplan.objects.selectors import Requirement, compile_node_term
from kplan.objects.well_known import UNSCHEDULABLE
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.taint_toleration import TaintTolerationFacts
from kplan.reasons.devices import LACKS, by_lack, short_of
from kplan.reasons.run_cycle import RunCycle
from kplan.result import Diagnosis, PluginFindings

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

_NONE: Mapping[About, str] = MappingProxyType({})
_NATIVE = frozenset({"cpu", "memory", "ephemeral-storage"})
_CORDON = About(AboutKind.TAINT, f"{UNSCHEDULABLE}:NoSchedule")
_LIFTED_BY_A_NUMBER = frozenset(
    {
        ReasonCode.INSUFFICIENT_RESOURCE,
        ReasonCode.TOO_MANY_PODS,
        ReasonCode.VOLUME_LIMIT,
        ReasonCode.SPREAD_SKEW,
        ReasonCode.DEVICES_IN_USE,
        ReasonCode.DEVICE_COUNTERS,
        ReasonCode.DEVICE_CAPACITY,
    }
)
_FAR = frozenset({ReasonCode.NO_DEVICE_OF_CLASS})
"""Reasons that nothing but another node lifts: those nodes come after others that one would rather change."""
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
"""How taints begin that keep nodes for the control plane: of nodes equally near, others are nearer."""
_BY_FACTS = frozenset({ReasonCode.VOLUME_LIMIT, ReasonCode.SPREAD_SKEW})
_SORTED_BY_FACTS = 64
"""Nodes of a group that are sorted by numbers which have to be looked up node by node."""


class Atom(Struct, frozen=True, eq=False):
    """One reason, as fine as it is told apart.

    Attributes:
        plugin: name of the plugin.
        code: what is wrong: a ReasonCode, or the name of a plugin in kebab case for what goes wrong inside it.
        about: what with; of taints and of what a pod selects, those of every node of the mask.
        message: the scheduler's exact text.
        evictable: whether an eviction may lift it.
        mask: bool[M] over the rows asked about.
        requirement: what of nodeSelector or node affinity is not met; None for others.
        kept: whether it holds only with nominated pods counted.
    """

    plugin: str
    code: str
    about: tuple[About, ...]
    message: str
    evictable: bool
    mask: Mask
    requirement: Requirement | None = None
    kept: bool = False

    @property
    def resource(self) -> str:
        """The resource it is about, ``pods`` for the number of pods; empty for others."""
        return next((subject.name for subject in self.about if subject.kind is AboutKind.RESOURCE), "")

    @property
    def lifted_by_a_number(self) -> bool:
        """Whether less asked for, or less used, lifts it; more of a resource than the node is stays too much."""
        larger_than_the_node = self.code == ReasonCode.INSUFFICIENT_RESOURCE and not self.evictable
        return self.code in _LIFTED_BY_A_NUMBER and not larger_than_the_node

    @property
    def public_code(self) -> str:
        """Code as documents have it: a shortage of a native resource has the name of the resource in it."""
        native = self.code == ReasonCode.INSUFFICIENT_RESOURCE and self.resource in _NATIVE
        return f"insufficient-{self.resource}" if native else self.code

    def same(self, own: Mapping[About, str] = _NONE) -> Hashable:
        """What atoms have in common that are one reason.

        Args:
            own: claims that are made for the pod alone, with their entries in its spec: such are the same for all pods
                of that spec.
        """
        about = tuple(
            About(subject.kind, f"of {own[subject]}") if subject in own else subject for subject in self.about
        )
        return self.code, about, self.requirement

    @property
    def refined(self) -> bool:
        """Whether it says which taints, or what that the pod selects, are in the way of every node of the mask."""
        kinds = {subject.kind for subject in self.about}
        return self.requirement is not None or (bool(kinds & _REFINED) and self.code in _REFINED_CODES)


_REFINED = frozenset({AboutKind.TAINT, AboutKind.UNREADABLE, AboutKind.TERMS})
_REFINED_CODES = frozenset({ReasonCode.TAINT_NOT_TOLERATED, ReasonCode.NODE_AFFINITY})


class NodeGroup(Struct, frozen=True, eq=False):
    """Nodes with the same atoms, nearest first.

    Attributes:
        atoms: what is wrong, without those that only repeat another.
        rows: intp[K], node rows.
        short: how much the pod asks for above what is free on the nearest of them, as a share of what it asks for; of
            several resources the one that lacks most.
    """

    atoms: tuple[Atom, ...]
    rows: Rows
    short: float = 0.0

    @property
    def left_out(self) -> bool:
        """Whether no plugin was asked about these nodes: the pod, or its volumes, name others."""
        return any(atom.code == ReasonCode.LEFT_OUT_BY_NAME for atom in self.atoms)


def find_groups(asked: RunCycle) -> list[NodeGroup]:
    """Group the refused nodes, those nearest to fitting first."""
    diagnosis = asked.outcome.diagnosis
    if diagnosis is None:
        return []
    if diagnosis.pre_filter is not None:
        status = diagnosis.pre_filter
        every = asked.cluster.all_rows
        everywhere = np.ones(len(every), np.bool_)
        atoms = tuple(Atom(status.plugin, why.code, why.about, why.reason, False, everywhere) for why in status.whys)
        return [NodeGroup(atoms, every)] if len(every) else []
    atoms = tuple(_merged(_atoms(asked, diagnosis)))
    groups = [_sorted(asked, group) for group in _by_atoms(atoms, diagnosis.rows)]
    groups.sort(key=_order)
    groups = [group for _, alike in groupby(groups, key=_rank) for group in _least_first(list(alike))]
    if diagnosis.left_out:
        groups.append(_left_out(asked, diagnosis))
    return groups


def narrowed(groups: Iterable[NodeGroup], row: int) -> NodeGroup | None:
    """Find the group that a node is in, narrowed down to this node; None where it is in none."""
    group = next((group for group in groups if row in group.rows), None)
    return replace(group, rows=np.array([row], dtype=np.intp)) if group is not None else None


def _order(group: NodeGroup) -> tuple[tuple[bool, int, bool, bool], int, int]:
    """Nearer ones first, of equally near ones those of more nodes."""
    return _rank(group), -len(group.rows), int(group.rows[0])


def _least_first(groups: list[NodeGroup]) -> list[NodeGroup]:
    """Of equally near groups those that lack some of a resource stand by how much, in the places that they have."""
    short = iter(sorted((group for group in groups if group.short > 0), key=lambda group: group.short))
    return [next(short) if group.short > 0 else group for group in groups]


def _rank(group: NodeGroup) -> tuple[bool, int, bool, bool]:
    """Fewer reasons are nearer, then what an eviction or a number lifts."""
    liftable = all(atom.evictable or atom.lifted_by_a_number for atom in group.atoms)
    far = any(atom.code in _FAR for atom in group.atoms)
    apart = any(atom.about and atom.about[0].name.startswith(_CONTROL_PLANE) for atom in group.atoms)
    return far, len(group.atoms), not liftable, apart


_WORD = 8
"""Bytes of the longest whole number that sorting knows."""


def _by_atoms(atoms: tuple[Atom, ...], rows: Rows) -> Iterator[NodeGroup]:
    """Split the rows by which atoms hold."""
    if not atoms or not len(rows):
        return
    held = np.stack([atom.mask for atom in atoms])
    packed = np.packbits(held, axis=0)
    if len(packed) <= _WORD:  # whole numbers are sorted ten times as fast as rows of bytes
        packed = np.pad(packed, ((0, (1 << (len(packed) - 1).bit_length()) - len(packed)), (0, 0)))
        keys = np.ascontiguousarray(packed.T).view(f"u{len(packed)}").ravel()
    else:
        packed = np.ascontiguousarray(packed.T)
        keys = packed.view([("", packed.dtype)] * packed.shape[1]).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    for number, at in enumerate(first):
        mine = tuple(atom for atom, here in zip(atoms, held[:, at], strict=True) if here)
        if mine:
            yield NodeGroup(_without_echoes(mine), rows[np.flatnonzero(inverse.ravel() == number)])


def _without_echoes(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Leave out what only repeats another reason: the taint of a cordon, the zone of a volume that is out of reach."""
    codes = {atom.code for atom in atoms}

    def repeats(atom: Atom) -> bool:
        if atom.code == ReasonCode.TAINT_NOT_TOLERATED and atom.about == (_CORDON,):
            return ReasonCode.NODE_CORDONED in codes
        return atom.code == ReasonCode.VOLUME_ZONE and ReasonCode.VOLUME_OUT_OF_REACH in codes

    return tuple(atom for atom in atoms if not repeats(atom))


def _left_out(asked: RunCycle, diagnosis: Diagnosis) -> NodeGroup:
    """Nodes that no plugin was asked about, with who named others, and which."""
    rest = np.setdiff1d(np.arange(len(asked.cluster.nodes), dtype=np.intp), diagnosis.rows)
    plugins = diagnosis.pre_filter_plugins[:1]
    about = (
        *(About(AboutKind.PLUGIN, name) for name in plugins),
        *(About(AboutKind.NODE, name) for name in diagnosis.pre_filter_nodes),
    )
    code, nothing = ReasonCode.LEFT_OUT_BY_NAME, np.zeros(0, np.bool_)
    return NodeGroup(
        (Atom(plugins[0] if plugins else "", code, about, diagnosis.left_out_reason, False, nothing),), rest
    )


def _atoms(asked: RunCycle, diagnosis: Diagnosis) -> Iterator[Atom]:
    for failing in diagnosis.failing:
        for whole, unresolvable in _refusals(failing, len(diagnosis.rows)):
            for evictable in (True, False):
                here = whole.mask & (unresolvable != evictable)
                if here.any():
                    yield from _refined(asked, diagnosis, replace(whole, evictable=evictable, mask=here))
    yield from _kept(diagnosis)


def _refusals(failing: PluginFindings, count: int) -> Iterator[tuple[Atom, Mask]]:
    """Reasons of one plugin with where each holds, and bool[M] where its code is UnschedulableAndUnresolvable."""
    unresolvable = np.zeros(count, dtype=np.bool_)
    unresolvable[failing.positions] = failing.findings.unresolvable
    for refusal in failing.findings.refusals:
        mask = np.zeros(count, dtype=np.bool_)
        mask[failing.positions] = refusal.rows
        yield Atom(failing.plugin, refusal.code, refusal.about, refusal.reason, False, mask), unresolvable
    errors: dict[str, Atom] = {}
    for error in failing.findings.errors:
        code = error.code or plugin_code(failing.plugin)
        # a selector that fails names another device on each node, and is one thing to mend
        same = code if code == ReasonCode.DEVICE_SELECTOR_FAILS else error.message
        atom = errors.setdefault(same, Atom(failing.plugin, code, (), error.message, False, np.zeros(count, np.bool_)))
        atom.mask[failing.positions[error.row]] = True
    for atom in errors.values():
        yield atom, np.ones(count, dtype=np.bool_)


def _refined(asked: RunCycle, diagnosis: Diagnosis, whole: Atom) -> Iterator[Atom]:
    """Tell an atom apart by what it is about on each node, where its plugin knows that."""
    parts: Iterable[Atom] = ()
    if whole.code == ReasonCode.TAINT_NOT_TOLERATED:
        parts = _by_taints(asked, diagnosis.rows, whole)
    elif whole.code == ReasonCode.NODE_AFFINITY:
        parts = _by_requirement(asked, diagnosis.rows, whole)
    elif whole.code in (ReasonCode.DEVICES_NOT_FOUND, ReasonCode.DEVICE_SELECTOR_FAILS):
        lacks = by_lack(asked, diagnosis.rows, whole.mask, whole.about)
        parts = (replace(whole, code=code, about=about, mask=mask) for code, about, mask in lacks)
    rest = whole.mask
    for part in parts:
        yield part
        rest = rest & ~part.mask
    if rest.any():
        yield replace(whole, mask=rest, about=() if whole.code == ReasonCode.TAINT_NOT_TOLERATED else whole.about)


def _by_taints(asked: RunCycle, rows: Rows, whole: Atom) -> Iterator[Atom]:
    """Split by the taints in the way; one node of each set of taints is asked."""
    sets = asked.cluster.taint_set[rows]
    where = np.flatnonzero(whole.mask)
    distinct, first = np.unique(sets[where], return_index=True)
    facts = asked.facts_of("TaintToleration", rows[where[first]])
    if not isinstance(facts, TaintTolerationFacts):
        return
    parts: dict[tuple[str, ...], Mask] = {}
    taints = {name: group.taints for group in facts.groups for name in group.nodes}
    for number, at in zip(distinct, first, strict=True):
        blocking = taints.get(asked.cluster.node_name(int(rows[where[at]])), ())
        parts[blocking] = parts.get(blocking, np.zeros(len(rows), np.bool_)) | (whole.mask & (sets == number))
    for blocking, mask in parts.items():
        yield replace(whole, about=tuple(About(AboutKind.TAINT, taint) for taint in blocking), mask=mask)


def required_nodes(spec: PodSpec) -> NodeSelector | None:
    """What a pod's node affinity requires; None for nothing."""
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    return affinity.required if affinity is not None else None


def node_terms(spec: PodSpec) -> Sequence[NodeSelectorTerm]:
    """The terms of it, one of which has to hold."""
    required = required_nodes(spec)
    return (required.node_selector_terms or ()) if required is not None else ()


def _by_requirement(asked: RunCycle, rows: Rows, whole: Atom) -> Iterator[Atom]:
    """Split by each requirement of nodeSelector, and of a node affinity of one term."""
    labels, spec = asked.cluster.labels, asked.pod.pod.spec
    parts: list[Atom] = []

    def part(kind: AboutKind, met: Mask, requirement: Requirement | None = None) -> None:
        code = ReasonCode.NODE_SELECTOR if kind is AboutKind.SELECTOR else whole.code
        about = (About(kind, requirement.key if requirement is not None else ""),)
        parts.append(replace(whole, code=code, about=about, mask=whole.mask & ~met, requirement=requirement))

    for key, value in sorted((spec.node_selector or {}).items()):
        wanted = Requirement(key, "In", (value,))
        part(AboutKind.SELECTOR, labels.requirement(wanted)[rows], wanted)
    required, terms = required_nodes(spec), node_terms(spec)
    if len(terms) == 1:
        term = compile_node_term(terms[0])
        if term.invalid:
            part(AboutKind.UNREADABLE, np.zeros(len(rows), np.bool_))
        for requirement in dict.fromkeys(() if term.empty or term.invalid else term.labels):
            part(AboutKind.REQUIREMENT, labels.requirement(requirement)[rows], requirement)
    elif required is not None and terms:
        part(AboutKind.TERMS, labels.selector(required)[rows])
    yield from (atom for atom in parts if atom.mask.any())


def _merged(atoms: Iterable[Atom]) -> list[Atom]:
    """Take for one what nodes lack in the same way, whatever the scheduler says: devices, which may be its error."""
    merged: dict[Hashable, Atom] = {}
    for number, atom in enumerate(atoms):
        key = (atom.plugin, atom.same()) if atom.code in LACKS else number
        known = merged.get(key)
        merged[key] = atom if known is None else replace(known, mask=known.mask | atom.mask)
    return list(merged.values())


def _kept(diagnosis: Diagnosis) -> Iterator[Atom]:
    """What fails only with nominated pods counted."""
    plain = np.zeros(len(diagnosis.rows), dtype=np.bool_)
    for failing in diagnosis.failing:
        plain[failing.positions] |= failing.findings.failed
    masks: dict[tuple[str, str, tuple[About, ...], str, bool], Mask] = {}
    for position in np.flatnonzero(~diagnosis.feasible & ~plain).tolist():
        status, evictable = diagnosis.status[position], bool(diagnosis.unschedulable[position])
        told = [(why.code.value, why.about, why.reason) for why in status.whys]
        if status.message:
            told.append((plugin_code(status.plugin), (), status.message))
        for code, about, reason in told:
            key = (status.plugin, code, about, reason, evictable)
            masks.setdefault(key, np.zeros(len(plain), np.bool_))[position] = True
    for (plugin, code, about, reason, evictable), mask in masks.items():
        yield Atom(plugin, code, about, reason, evictable, mask, kept=True)


def _sorted(asked: RunCycle, group: NodeGroup) -> NodeGroup:
    """Sort nodes by the smallest relative shortfall, then by name."""
    short = np.zeros(len(group.rows))
    for atom in group.atoms:
        if atom.resource:
            needs, free, _ = asked.amounts(atom.resource, kept=atom.kept)
            short = np.maximum(short, (needs - free[group.rows]) / max(needs, 1))
    nearest = float(short.min())
    for atom in group.atoms if len(group.rows) <= _SORTED_BY_FACTS else ():
        facts = asked.facts_of(atom.plugin, group.rows) if atom.code in _BY_FACTS or atom.code in LACKS else None
        if facts is not None:
            over = short_of(facts) if atom.code in LACKS else _over(facts)
            short = np.maximum(short, [over.get(asked.cluster.node_name(int(row)), 0) for row in group.rows])
    return NodeGroup(group.atoms, group.rows[np.lexsort((group.rows, short))], nearest)


def _over(facts: Facts) -> dict[str, int]:
    """By how much each node is over a limit of volumes, or the skew that it would come to."""
    over: dict[str, int] = {}
    if isinstance(facts, NodeVolumeLimitsFacts):
        for use in facts.usage:
            if use.limit is not None:
                over[use.node] = max(over.get(use.node, 0), use.attached + len(use.new) - use.limit)
    elif isinstance(facts, SpreadFacts):
        for refused in facts.refused:
            over[refused.node] = max(over.get(refused.node, 0), refused.skew)
    return over
