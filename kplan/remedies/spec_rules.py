"""Rules of the pod: taints to tolerate, labels it asks for, spread constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kplan.objects.lean import replace
from kplan.objects.models import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    Toleration,
    TopologySpreadConstraint,
)
from kplan.objects.whole_numbers import parse_int
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.taint_toleration import TaintTolerationFacts
from kplan.reasons.groups import node_terms
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Case, Edit, RemedyCost
from kplan.remedies.meant import not_asked_for, other_purpose
from kplan.words import short_key

OF_THE_NODE_ITSELF = "node.kubernetes.io/"
"""Taints that say what state a node is in: no pod of a user tolerates those to get a place."""
CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
VALUES = 3
NODES = 8
HASH = "pod-template-hash"
"""Label by which the pods of one template of a Deployment are told from those of another."""
DROPPED = 0.5
"""How much is given up where a rule goes altogether, against one that is widened."""


def propose(case: Case) -> Iterator[Candidate]:
    """Loosen one rule of the pod, for the nearest nodes first."""
    yield from _tolerations(case)
    yield from _node_selector(case)
    yield from _node_affinity(case)
    yield from _spread(case)


def taints_in_the_way(case: Case, row: int) -> tuple[str, ...]:
    """Taints of a node that the pod does not tolerate, as ``key=value:effect``."""
    facts = case.facts_of(TaintTolerationFacts, [row])
    return facts.groups[0].taints if facts is not None and facts.groups else ()


def parts_of(taint: str) -> tuple[str, str, str]:
    """Key, value and effect of a taint that is written ``key=value:effect``."""
    head, _, effect = taint.rpartition(":")
    key, _, value = head.partition("=")
    return key, value, effect


def of_taints(code: str, cost: RemedyCost, what: about.Named, meant: tuple[about.Purpose, ...]) -> Candidate:
    """A change by which taints are no obstacle; of nodes of the control plane, or meant for others, one of the last."""
    ours = any(parts_of(taint)[0] in CONTROL_PLANE for taint in what.names)
    cost = RemedyCost.NOT_MEANT if meant else RemedyCost.LEAVE_OUT if ours else cost
    return Candidate(code, cost, what, named=not (ours or meant), meant=meant)


def _toleration(taint: str) -> Toleration:
    key, value, effect = parts_of(taint)
    if value:
        return Toleration(key=key, operator="Equal", value=value, effect=effect)
    return Toleration(key=key, operator="Exists", effect=effect)


def _tolerations(case: Case) -> Iterator[Candidate]:
    for group in case.with_code("taint-not-tolerated"):
        taints = taints_in_the_way(case, int(group.rows[0]))
        if taints and not any(taint.startswith(OF_THE_NODE_ITSELF) for taint in taints):
            yield _tolerate(taints, other_purpose(case, int(group.rows[0]), taints))


def _tolerate(taints: tuple[str, ...], meant: tuple[about.Purpose, ...]) -> Candidate:
    """Tolerate taints of a node that is meant for other pods, if it is."""
    new = [_toleration(taint) for taint in taints]

    def edit(spec: PodSpec) -> PodSpec:
        return replace(spec, tolerations=[*(spec.tolerations or ()), *new])

    return replace(of_taints("tolerate-taint", RemedyCost.LOOSEN, about.Named(names=taints), meant), edits=(edit,))


def _node_selector(case: Case) -> Iterator[Candidate]:
    if not case.with_code("node-selector"):
        return
    selector = case.spec.node_selector or {}
    unmet = {
        subject.name
        for group in case.groups
        for atom in group.atoms
        for subject in atom.about
        if subject.kind == "selector"
    }
    failing = [key for key in sorted(selector) if key in unmet]
    for key in failing:
        yield _without_labels((key,), selector)
    if len(failing) > 1:
        yield _without_labels(tuple(failing), selector)


def _without_labels(keys: tuple[str, ...], selector: dict[str, str]) -> Candidate:
    def edit(spec: PodSpec) -> PodSpec:
        rest = {key: value for key, value in (spec.node_selector or {}).items() if key not in keys}
        return replace(spec, node_selector=rest or None)

    meant = not_asked_for((key, (selector[key],)) for key in keys)
    return Candidate(
        "drop-node-selector",
        RemedyCost.NOT_MEANT if meant else RemedyCost.LOOSEN,
        about.Named(pairs=tuple((key, selector[key]) for key in keys)),
        edits=(edit,),
        named=len(keys) == 1 and not meant,
        loss=DROPPED,
        meant=meant,
    )


def _node_affinity(case: Case) -> Iterator[Candidate]:
    if not case.with_code("node-affinity"):
        return
    terms = node_terms(case.spec)
    if not terms or any(term.match_fields for term in terms):
        return  # a DaemonSet's pod is for that one node
    every = [
        (requirement, (place, number))
        for place, term in enumerate(terms)
        for number, requirement in enumerate(term.match_expressions or ())
    ]
    for requirement, at in every:
        yield from _widened(case, requirement, at)
    for requirement, at in every:
        yield _dropped(about.Named(requirement=_told(requirement)), (requirement,), _swap(at, None))
    if len(terms) == 1 and len(terms[0].match_expressions or ()) == 1:
        return

    def edit(spec: PodSpec) -> PodSpec:
        return _with_terms(spec, None)

    yield _dropped(about.Named("all"), [requirement for requirement, _ in every], edit)


def _dropped(what: about.Named, requirements: Sequence[NodeSelectorRequirement], edit: Edit) -> Candidate:
    """Drop requirements of the node affinity."""
    meant = not_asked_for((requirement.key, requirement.values or ()) for requirement in requirements)
    return Candidate(
        "drop-node-affinity",
        RemedyCost.NOT_MEANT if meant else RemedyCost.LOOSEN,
        what,
        edits=(edit,),
        named=not meant,
        loss=DROPPED,
        meant=meant,
    )


def _widened(case: Case, requirement: NodeSelectorRequirement, at: tuple[int, int]) -> Iterator[Candidate]:
    """Let a requirement hold for more: a whole number where it has another, a value that near nodes have."""
    fixed = _whole_number(requirement)
    if fixed is not None:
        edit = _swap(at, replace(requirement, values=[fixed]))
        yield Candidate(
            "fix-number", RemedyCost.LOOSEN, about.Named(requirement=_told(requirement), new=fixed), edits=(edit,)
        )
    if requirement.operator == "In":
        column = case.cluster.labels.column(requirement.key)
        rows = case.nearest(NODES, "node-affinity")
        values = dict.fromkeys(case.cluster.nodes[row].labels.get(requirement.key, "") for row in rows)
        known = set(requirement.values or ())
        for value in [value for value in values if value and value not in known and value in column.values][:VALUES]:
            wider = replace(requirement, values=[*(requirement.values or ()), value])
            meant = not_asked_for([(requirement.key, requirement.values or ())])
            yield Candidate(
                "allow-value",
                RemedyCost.NOT_MEANT if meant else RemedyCost.LOOSEN,
                about.Named(key=short_key(requirement.key), new=value),
                edits=(_swap(at, wider),),
                meant=meant,
            )


def _told(requirement: NodeSelectorRequirement) -> about.AffinityRequirement:
    return about.AffinityRequirement(requirement.key, requirement.operator, tuple(requirement.values or ()))


def _whole_number(requirement: NodeSelectorRequirement) -> str | None:
    """The whole number that means the same, where Gt or Lt has another kind of number."""
    if requirement.operator not in ("Gt", "Lt") or len(requirement.values or ()) != 1:
        return None
    text = (requirement.values or [""])[0]
    if parse_int(text) is not None:
        return None
    try:
        number = float(text)
        return str(math.floor(number) if requirement.operator == "Gt" else math.ceil(number))
    except (ValueError, OverflowError):
        return None


def _swap(at: tuple[int, int], requirement: NodeSelectorRequirement | None) -> Edit:
    """Replace one requirement of one term; None takes it out, and the term with it if it was the last."""

    def edit(spec: PodSpec) -> PodSpec:
        terms = list(node_terms(spec))
        if at[0] >= len(terms) or at[1] >= len(terms[at[0]].match_expressions or ()):
            return spec
        expressions = list(terms[at[0]].match_expressions or ())
        expressions[at[1] : at[1] + 1] = [requirement] if requirement is not None else []
        if expressions:
            terms[at[0]] = replace(terms[at[0]], match_expressions=expressions)
            return _with_terms(spec, terms)
        # a term without requirements would hold everywhere: then the whole rule says nothing
        return _with_terms(spec, None)

    return edit


def _with_terms(spec: PodSpec, terms: list[NodeSelectorTerm] | None) -> PodSpec:
    affinity = spec.affinity or Affinity()
    node = affinity.node_affinity or NodeAffinity()
    required = NodeSelector(node_selector_terms=terms) if terms else None
    kept: NodeAffinity | None = replace(node, required=required)
    if required is None and not node.preferred:
        kept = None
    changed = replace(affinity, node_affinity=kept)
    if kept is None and changed.pod_affinity is None and changed.pod_anti_affinity is None:
        return replace(spec, affinity=None)
    return replace(spec, affinity=changed)


def _spread(case: Case) -> Iterator[Candidate]:
    facts = case.facts_of(SpreadFacts, case.nearest(NODES, "spread-skew", "spread-label-missing"))
    if facts is None:
        return
    hard = [
        place
        for place, constraint in enumerate(case.spec.topology_spread_constraints or ())
        if constraint.when_unsatisfiable == "DoNotSchedule"
    ]
    for number in dict.fromkeys(refused.constraint for refused in facts.refused):
        if number < len(hard):
            yield from _constraint(case, facts, number, hard[number], many=len(hard) > 1)


def _constraint(case: Case, facts: SpreadFacts, number: int, place: int, *, many: bool) -> Iterator[Candidate]:
    told = facts.constraints[number]
    key = short_key(told.topology_key) if many else ""

    def loosened(
        code: str, what: about.Named, cost: RemedyCost = RemedyCost.LOOSEN, *, named: bool = True, **fields: object
    ) -> Candidate:
        def edit(spec: PodSpec) -> PodSpec:
            return _with_constraint(spec, place, fields)

        return Candidate(code, cost, what, edits=(edit,), named=named)

    if told.node_taints_policy == "Ignore" and told.counted_despite_taints:
        yield loosened("spread-taints-policy", about.Named(key=key), node_taints_policy="Honor")
    if told.node_affinity_policy == "Ignore" and told.counted_despite_affinity:
        yield loosened("spread-affinity-policy", about.Named(key=key), node_affinity_policy="Honor")
    keys = (case.spec.topology_spread_constraints or ())[place].match_label_keys or ()
    if HASH in case.pod.labels and HASH not in keys:
        yield loosened("spread-one-revision", about.Named(key=key), named=False, match_label_keys=[*keys, HASH])
    if told.too_few_domains:
        had = len(told.domains) or None
        yield loosened(
            "spread-min-domains",
            about.Named("" if had else "none", key=key, new=had, old=told.min_domains),
            min_domains=had,
        )
    skews = sorted({refused.skew for refused in facts.refused if refused.constraint == number and refused.domain})
    for skew in skews[:2]:
        yield loosened("spread-max-skew", about.Named(key=key, new=skew, old=told.max_skew), max_skew=skew)
    yield loosened("spread-anyway", about.Named(key=key), RemedyCost.LEAVE_OUT, when_unsatisfiable="ScheduleAnyway")


def _with_constraint(spec: PodSpec, place: int, fields: dict[str, object]) -> PodSpec:
    constraints: list[TopologySpreadConstraint] = list(spec.topology_spread_constraints or ())
    if place >= len(constraints):
        return spec
    if fields.get("when_unsatisfiable") == "ScheduleAnyway" and "min_domains" not in fields:
        fields = {**fields, "min_domains": None}  # the API refuses minDomains beside ScheduleAnyway
    constraints[place] = replace(constraints[place], **fields)
    return replace(spec, topology_spread_constraints=constraints)
