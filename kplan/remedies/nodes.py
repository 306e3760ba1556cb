"""Nodes: one more, uncordoned, without a taint, with a label, with a higher pod limit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kplan.cluster import PutNode
from kplan.objects.models import Node
from kplan.objects.resource_names import is_prefixed_native_resource
from kplan.objects.selectors import Requirement
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.reasons.groups import NodeGroup, node_terms
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Objects
from kplan.remedies.meant import MACHINE, SYSTEM, misspelt, other_purpose
from kplan.remedies.more_nodes import one_more
from kplan.remedies.requests import written
from kplan.remedies.spec_rules import CONTROL_PLANE, OF_THE_NODE_ITSELF, of_taints, parts_of, taints_in_the_way
from kplan.remedies.volumes import BROKEN_CLAIM
from kplan.scenario.add_node import AddNode
from kplan.scenario.nodes import Cordon, Label, RemoveNode, SetTaint
from kplan.words import short_key

SHAPES = 3
"""How many nodes are tried as the model of a new one."""
NODES = 2
"""How many nodes of a kind are changed, each for itself."""
_OF_CLAIMS = frozenset({*BROKEN_CLAIM, "claim-in-use", "no-volume-to-bind", "no-storage-capacity"})
"""Reasons that claims are in the way: nobody adds a node for those."""
_ZONE = "topology.kubernetes.io/zone"
_ZONES = (_ZONE, "failure-domain.beta.kubernetes.io/zone")
_OTHER_NAME = {
    "failure-domain.beta.kubernetes.io/zone": _ZONE,
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    _ZONE: "failure-domain.beta.kubernetes.io/zone",
    "topology.kubernetes.io/region": "failure-domain.beta.kubernetes.io/region",
}
_OF_THE_MACHINE = (
    *SYSTEM,
    *MACHINE,
    *CONTROL_PLANE,
    "kubernetes.io/hostname",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/region",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
)
"""Labels by which a node is another machine: one like a node that is there has that node's."""
_SET_BY_OTHERS = ("kubernetes.io", "k8s.io", "amazonaws.com", "google.com", "azure.com", "karpenter.sh", "eksctl.io")
"""Domains of labels that a kubelet or a cloud sets: nobody makes a node what it is not by them."""


def propose(case: Case) -> Iterator[Candidate]:
    """Change the nodes rather than the pod."""
    yield from _uncordon(case)
    yield from _one_more(case)
    yield from _pod_limit(case)
    yield from _taints(case)
    yield from _labels(case)
    yield from _remove(case)


def _uncordon(case: Case) -> Iterator[Candidate]:
    for row in case.nearest(NODES, "node-cordoned"):
        name = case.cluster.node_name(row)
        yield Candidate(
            "uncordon", RemedyCost.UNCORDON, about.Named(node=name), steps=(Cordon(name, on=False),), named=True
        )


def _one_more(case: Case) -> Iterator[Candidate]:
    if case.with_code("left-out-by-name") or _names_a_node(case) or case.nowhere:
        return
    for row, group in _models(case):
        name = case.cluster.node_name(row)
        placed = {**_provisioned_elsewhere(case, row), **_placed_elsewhere(case, row)}
        places = [placed] if placed else []
        places += [{key: value} for key, value in _domains(case, row).items()]
        tainted_model = any(atom.code in ("taint-not-tolerated", "node-cordoned") for atom in group.atoms)
        selected = _of_an_empty_pool(case, group)
        variants = [(place, selected) for place in places or ([{}] if selected else [])]
        plain = dataclasses.replace(_known_by(case, group, row, name), as_is=bool(variants))
        yield one_more(plain, named=not (tainted_model or _about_claims(group)))
        for place, labels in variants:
            zones = {key: value for key, value in labels.items() if key in _ZONES}
            where = {short_key(key): value for key, value in {**zones, **place}.items()}
            others = tuple((key, value) for key, value in labels.items() if key not in zones and key not in place)
            what = about.NewNode(name, place=tuple(where.items()), labels=others)
            yield one_more(what, AddNode(like=name, labels={**labels, **place}))
        larger = _larger(case, group, row)
        if larger and not any(map(is_prefixed_native_resource, larger)):  # those are of device classes, never of a node
            sizes = {key: written(key, amount) for key, amount in larger.items()}
            told = about.NewNode(name, sizes=tuple(about.ResourceAmount(key, amount) for key, amount in larger.items()))
            more = one_more(told, AddNode(like=name, allocatable=sizes))
            yield replace(more, code="larger-node", unless=("one-more-node",))


def _of_an_empty_pool(case: Case, group: NodeGroup) -> dict[str, str]:
    """Labels that a pod selects nodes by and that none has, as of a pool that an autoscaler fills once it is asked to.

    Empty where they make another machine of a node, its taints keep the pod away all the same, or a value is misspelt.
    """
    wanted = _missing_labels(case, group)
    terms = node_terms(case.spec)
    by_value = (item.key for item in (terms[0].match_expressions or () if terms else ()) if item.operator == "In")
    told = {*(case.spec.node_selector or ()), *by_value}
    tainted = any(atom.code == "taint-not-tolerated" for atom in group.atoms)
    if tainted or any(key in _OF_THE_MACHINE or key not in told for key in wanted):
        return {}
    there = {key: case.cluster.labels.column(key).values for key in wanted}
    if any(misspelt(value, there[key]) for key, value in wanted.items()):
        return {}
    return wanted if any(value not in there[key] for key, value in wanted.items()) else {}


def _about_claims(group: NodeGroup) -> bool:
    """Whether it is claims that are in the way: nobody adds a node for those."""
    return any(atom.code in _OF_CLAIMS for atom in group.atoms)


def _names_a_node(case: Case) -> bool:
    terms = node_terms(case.spec)
    return bool(terms) and all(term.match_fields for term in terms)


def _models(case: Case) -> Iterator[tuple[int, NodeGroup]]:
    """Nodes to copy: the nearest of each group, of different shapes."""
    seen: set[tuple[object, ...]] = set()
    for group in case.groups:
        row = int(group.rows[0])
        node = case.cluster.nodes[row]
        shape = (
            tuple(sorted((key, str(value)) for key, value in (node.status.allocatable or {}).items())),
            tuple(sorted(label for label in node.labels.items() if label[0] != "kubernetes.io/hostname")),
            tuple((taint.key, taint.value) for taint in node.spec.taints or ()),
        )
        if any(key[0] == shape[0] and key[2] == shape[2] for key in seen) and len(seen) >= 2:
            continue
        if shape not in seen:
            seen.add(shape)
            yield row, group
        if len(seen) == SHAPES:
            return


def _known_by(case: Case, group: NodeGroup, row: int, name: str) -> about.NewNode:
    """A node like this one, told by what matters of it: its size in what is short, or its volume limit."""
    short = [atom.resource for atom in group.atoms if atom.resource and atom.resource != "pods"]
    limited = any(atom.code == "volume-limit" for atom in group.atoms)
    if len(short) == 1 and not limited:
        at = case.cluster.resources.get(short[0])
        whole = int(case.cluster.allocatable[at, row]) if at is not None else 0
        return about.NewNode(name, size=about.ResourceAmount(short[0], whole))
    if limited:
        facts = case.facts_of(NodeVolumeLimitsFacts, [row])
        limits = facts.usage if facts is not None else ()
        over = [use.limit for use in limits if use.limit is not None and use.attached + len(use.new) > use.limit]
        return about.NewNode(name, limit=over[0] if over else None)
    return about.NewNode(name)


def _placed_elsewhere(case: Case, row: int) -> dict[str, str]:
    """Labels of the place that bound volumes of the pod ask for, and the node does not have."""
    groups = case.with_code("volume-out-of-reach", "volume-zone")
    if not groups:
        return {}
    facts = case.facts_of(VolumeBindingFacts, [int(group.rows[0]) for group in groups])
    labels = case.cluster.nodes[row].labels
    wanted: dict[str, str] = {}
    for volume in facts.bound if facts is not None else ():
        item = case.cluster.objects.persistent_volumes.get(volume.volume)
        affinity = item.spec.node_affinity if item is not None else None
        terms = (affinity.required.node_selector_terms or ()) if affinity and affinity.required else ()
        for requirement in (terms[0].match_expressions or ()) if terms else ():
            values = requirement.values or []
            if requirement.operator == "In" and values and labels.get(requirement.key) not in values:
                if requirement.key == "kubernetes.io/hostname":
                    return {}
                wanted[requirement.key] = values[0]
    for key, value in list(wanted.items()):
        other = _OTHER_NAME.get(key, "")
        if other in labels:
            wanted.setdefault(other, value)
    return wanted


def _provisioned_elsewhere(case: Case, row: int) -> dict[str, str]:
    """Labels of the place that classes make volumes in for claims of the pod, where no node is; empty if one is."""
    groups = case.with_code("no-volume-to-bind")
    facts = case.facts_of(VolumeBindingFacts, [int(group.rows[0]) for group in groups]) if groups else None
    labels = case.cluster.nodes[row].labels
    wanted: dict[str, str] = {}
    for claim in facts.waiting if facts is not None else ():
        terms = [term for term in claim.topologies if term and all(requirement.values for requirement in term)]
        if not claim.provisioner or not terms or any(_some_node_has(case, term) for term in terms):
            continue
        for requirement in terms[0]:
            if requirement.key in _OF_THE_MACHINE:
                return {}
            if labels.get(requirement.key) not in requirement.values:
                wanted[requirement.key] = requirement.values[0]
                if labels.get(requirement.key, "") == labels.get(_ZONE):
                    wanted[_ZONE] = requirement.values[0]
    return wanted


def _some_node_has(case: Case, term: tuple[Requirement, ...]) -> bool:
    return any(all(one.accepts(node.labels.get(one.key)) for one in term) for node in case.cluster.nodes)


def _domains(case: Case, row: int) -> dict[str, str]:
    """Domains a new node would have to be in for the spread: the emptiest, or one more where there are too few."""
    groups = case.with_code("spread-skew")
    facts = case.facts_of(SpreadFacts, [int(groups[0].rows[0])]) if groups else None
    wanted: dict[str, str] = {}
    if facts is not None:
        for number in dict.fromkeys(refused.constraint for refused in facts.refused):
            told = facts.constraints[number]
            if told.topology_key == "kubernetes.io/hostname" or not told.domains:
                continue
            value = about.NEW_DOMAIN if told.too_few_domains else told.domains[0].value
            if case.cluster.nodes[row].labels.get(told.topology_key) != value:
                wanted[told.topology_key] = value
    return wanted


def _larger(case: Case, group: NodeGroup, row: int) -> dict[str, int]:
    """What a node of this kind would have to have where the pod is larger than it; empty where it is not."""
    cluster, wanted = case.cluster, {}
    for atom in group.atoms:
        if not atom.resource or atom.resource == "pods":
            continue
        needs, _, capacity = case.asked.amounts(atom.resource)
        at = cluster.resources.get(atom.resource)
        daemons = sum(
            int(cluster.pod_request[at, pod]) if at is not None else 0
            for pod in cluster.pods_on(row)
            if any(ref.kind == "DaemonSet" for ref in cluster.pods[pod].pod.metadata.owner_references or ())
        )
        if needs + daemons > int(capacity[row]):
            wanted[atom.resource] = needs + daemons
    return wanted


def _pod_limit(case: Case) -> Iterator[Candidate]:
    for row in case.nearest(NODES, "too-many-pods"):
        node = case.cluster.nodes[row]
        kept = case.asked.kept("pods").get(row, 0)
        limit = int(case.cluster.pod_count[row]) + kept + 1
        old = int(case.cluster.allowed_pods[row])
        allocatable = {**(node.status.allocatable or {}), "pods": str(limit)}
        changed = replace(node, status=replace(node.status, allocatable=allocatable))
        steps = (Objects((PutNode(node.name, changed),)),)
        yield Candidate("pod-limit", RemedyCost.NODE, about.Named(node=node.name, new=limit, old=old), steps=steps)


def _taints(case: Case) -> Iterator[Candidate]:
    seen: dict[tuple[str, ...], int] = {}
    for row in case.nearest(4 * NODES, "taint-not-tolerated"):
        taints = taints_in_the_way(case, row)
        if not taints or seen.get(taints, 0) >= NODES:
            continue
        seen[taints] = seen.get(taints, 0) + 1
        yield _without(case.cluster.node_name(row), taints, other_purpose(case, row, taints))


def _without(node: str, taints: tuple[str, ...], meant: tuple[about.Purpose, ...]) -> Candidate:
    """Take taints off a node that is meant for other pods, if it is."""
    steps = tuple(SetTaint(node, *parts_of(taint), remove=True) for taint in taints)
    if taints and all(taint.startswith(OF_THE_NODE_ITSELF) for taint in taints):
        return Candidate("node-healthy", RemedyCost.NODE, about.Named(node=node, names=taints), steps=steps)
    what = about.Named(node=node, names=taints)
    return replace(of_taints("remove-taint", RemedyCost.NODE, what, meant), steps=steps)


def _labels(case: Case) -> Iterator[Candidate]:
    for group in case.with_code("node-selector", "node-affinity"):
        wanted = _missing_labels(case, group)
        if not wanted or any(_set_by_others(key) for key in wanted):
            continue
        for row in group.rows[:NODES].tolist():
            node = case.cluster.nodes[row]
            yield _labelled(node, wanted, named=True)
    yield from _spread_labels(case)


def _labelled(node: Node, labels: Mapping[str, str], *, named: bool = False) -> Candidate:
    over = "over" if any(key in node.labels for key in labels) else ""
    what = about.Named(over, node=node.name, pairs=tuple(labels.items()))
    steps = tuple(Label(node.name, key, value) for key, value in labels.items())
    return Candidate("label-node", RemedyCost.NODE, what, steps=steps, named=named)


def _set_by_others(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    return bool(slash) and domain.endswith(_SET_BY_OTHERS) and domain != "node-role.kubernetes.io"


def _missing_labels(case: Case, group: NodeGroup) -> dict[str, str]:
    """Labels that a node of the group would need; those of the first term where there are several."""
    unmet = {subject.name for atom in group.atoms for subject in atom.about if subject.kind == "selector"}
    wanted = {key: value for key, value in (case.spec.node_selector or {}).items() if key in unmet}
    terms = node_terms(case.spec)
    if terms and any(atom.code == "node-affinity" for atom in group.atoms):
        labels = case.cluster.nodes[int(group.rows[0])].labels
        for requirement in terms[0].match_expressions or ():
            has = labels.get(requirement.key)
            if requirement.operator == "In" and requirement.values and has not in requirement.values:
                wanted[requirement.key] = requirement.values[0]
            elif requirement.operator == "Exists" and has is None:
                wanted[requirement.key] = "true"
    return wanted


def _spread_labels(case: Case) -> Iterator[Candidate]:
    """Give a node the label that a spread constraint makes domains of, each value that others have."""
    for row in case.nearest(NODES, "spread-label-missing"):
        node = case.cluster.nodes[row]
        for constraint in case.spec.topology_spread_constraints or ():
            key = constraint.topology_key
            if constraint.when_unsatisfiable != "DoNotSchedule" or key in node.labels:
                continue
            for value in sorted(case.cluster.labels.column(key).values)[:3] or ["a"]:
                yield _labelled(node, {key: value})


def _remove(case: Case) -> Iterator[Candidate]:
    """Take out a tainted node that counts for the spread: what many try first."""
    if not case.with_code("spread-skew"):
        return
    for group in case.with_code("taint-not-tolerated")[::-1]:
        if len(group.atoms) > 1 or len(group.rows) > 1:
            continue
        row = int(group.rows[0])
        pods = case.cluster.pods_on(row)
        if pods:
            continue
        name = case.cluster.node_name(row)
        yield Candidate("remove-node", RemedyCost.LOSS, about.Named(node=name), steps=(RemoveNode(name),), named=True)
        return
