"""Nodes: one more, uncordoned, without a taint, with a label, with a higher pod limit."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kplan.cluster import AddPods, Change, PutNode
from kplan.objects.models import Node, Taint
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.reasons.groups import Found
from kplan.remedies.candidate import Candidate, Case, Cost
from kplan.remedies.meant import other_purpose
from kplan.remedies.requests import written
from kplan.remedies.spec_rules import CONTROL_PLANE, OF_THE_NODE_ITSELF, short_taint, taints_in_the_way
from kplan.scenario.add_node import AddNode
from kplan.scenario.nodes import cordoned, labelled, tainted
from kplan.words import amounts, joined, short_key

SHAPES = 3
"""How many nodes are tried as the model of a new one."""
NODES = 2
"""How many nodes of a kind are changed, each for itself."""
_OF_STORAGE = ("no-volume-to-bind", "no-storage-capacity", "storage-class-missing", "volume-missing")
NEW_DOMAIN = "kplan-new"
"""Value of a topology label that no node has."""
_ZONE = "topology.kubernetes.io/zone"
_OTHER_NAME = {
    "failure-domain.beta.kubernetes.io/zone": _ZONE,
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    _ZONE: "failure-domain.beta.kubernetes.io/zone",
    "topology.kubernetes.io/region": "failure-domain.beta.kubernetes.io/region",
}
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


def put(node: Node) -> PutNode:
    """Put a node in place of the one of its name."""
    return PutNode(node.name, node)


def _uncordon(case: Case) -> Iterator[Candidate]:
    for row in case.nearest(NODES, "node-cordoned"):
        node = case.cluster.nodes[row]
        yield Candidate(
            "uncordon",
            Cost.UNCORDON,
            f"uncordon {node.name}",
            changes=(put(cordoned(node, on=False)),),
            commands=(f"kubectl uncordon {node.name}",),
            failed=f"uncordoning {node.name}",
        )


def _one_more(case: Case) -> Iterator[Candidate]:
    if case.with_code("left-out-by-name") or _names_a_node(case) or case.nowhere:
        return
    for row, group in _models(case):
        name = case.cluster.node_name(row)
        about = _about(case, group, row)
        variants: list[tuple[str, dict[str, str]]] = []
        placed = _placed_elsewhere(case, row)
        if placed:
            where = joined(f"{short_key(key)} {value}" for key, value in _told(placed).items())
            variants.append((f", {where}", placed))
        for key, value in _domains(case, row).items():
            where = f", another {short_key(key)}" if value == NEW_DOMAIN else f", {short_key(key)} {value}"
            variants.append((where, {key: value}))
        plain = one_more(case, name, about)
        tainted_model = any(atom.code in ("taint-not-tolerated", "node-cordoned") for atom in group.atoms)
        failed = (
            ""
            if tainted_model or _about_claims(group)
            else f"one more node like {name}{about or (' as it is' if variants else '')}"
        )
        yield dataclasses.replace(plain, failed=failed)
        for where, labels in variants:
            yield one_more(case, name, where, labels=labels)
        larger = _larger(case, group, row)
        if larger:
            told = joined(f"{amounts(key, amount)[0]} {key}" for key, amount in larger.items())
            sizes = {key: written(key, amount) for key, amount in larger.items()}
            more = one_more(case, name, f", with {told}", allocatable=sizes)
            yield dataclasses.replace(more, code="larger-node", unless="one-more-node")


def _about_claims(group: Found) -> bool:
    """Whether it is claims that are in the way: nobody adds a node for those."""
    return any(atom.code.startswith("claim-") or atom.code in _OF_STORAGE for atom in group.atoms)


def _names_a_node(case: Case) -> bool:
    affinity = case.spec.affinity.node_affinity if case.spec.affinity else None
    terms = (affinity.required.node_selector_terms or ()) if affinity and affinity.required else ()
    return bool(terms) and all(term.match_fields for term in terms)


def one_more(
    case: Case,
    name: str,
    about: str,
    labels: Mapping[str, str] | None = None,
    allocatable: Mapping[str, str] | None = None,
) -> Candidate:
    """Add a node like one that is there; pods of its DaemonSets run on it from the start."""
    verb = AddNode(like=name, labels=dict(labels or {}), allocatable=dict(allocatable or {}))
    changes = tuple(bound(verb.effect(case.cluster).changes))
    new = next(change.name for change in changes if isinstance(change, PutNode))
    return Candidate(
        "one-more-node",
        Cost.ADD_NODE,
        f"one more node like {name}{about}",
        changes=changes,
        commands=(
            "# a node of that shape, by the cloud or the autoscaler; what it would do:",
            f"kplan explain pod {case.pod.key} {shlex.join(verb.flag.split(' ', 1))}",
        ),
        new_node=new,
    )


def bound(changes: tuple[Change, ...]) -> Iterator[Change]:
    """Put the pods of DaemonSets on the node they are for."""
    node = ""
    for change in changes:
        if isinstance(change, PutNode):
            node = change.name
        if isinstance(change, AddPods):
            pods = [replace(pod, spec=replace(pod.spec, node_name=node)) for pod in change.pods]
            yield AddPods(tuple(pods))
        else:
            yield change


def _models(case: Case) -> Iterator[tuple[int, Found]]:
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


def _about(case: Case, group: Found, row: int) -> str:
    """What of the node matters: its size in what is short, or its volume limit."""
    short = [atom.resource for atom in group.atoms if atom.resource and atom.resource != "pods"]
    limited = any(atom.code == "volume-limit" for atom in group.atoms)
    if len(short) == 1 and not limited:
        at = case.cluster.resources.get(short[0])
        whole = int(case.cluster.allocatable[at, row]) if at is not None else 0
        return f" ({amounts(short[0], whole)[0]} {short[0]})"
    if limited:
        facts = case.facts([row]).get("NodeVolumeLimits")
        limits = facts.usage if isinstance(facts, NodeVolumeLimitsFacts) else ()
        over = [use.limit for use in limits if use.limit is not None and use.attached + len(use.new) > use.limit]
        return f" (limit {over[0]})" if over else ""
    return ""


def _placed_elsewhere(case: Case, row: int) -> dict[str, str]:
    """Labels of the place that bound volumes of the pod ask for, and the node does not have."""
    groups = case.with_code("volume-out-of-reach", "volume-zone")
    if not groups:
        return {}
    facts = case.facts([int(group.rows[0]) for group in groups]).get("VolumeBinding")
    labels = case.cluster.nodes[row].labels
    wanted: dict[str, str] = {}
    for volume in facts.bound if isinstance(facts, VolumeBindingFacts) else ():
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


def _domains(case: Case, row: int) -> dict[str, str]:
    """Domains a new node would have to be in for the spread: the emptiest, or one more where there are too few."""
    groups = case.with_code("spread-skew")
    facts = case.facts([int(groups[0].rows[0])]).get("PodTopologySpread") if groups else None
    wanted: dict[str, str] = {}
    if isinstance(facts, SpreadFacts):
        for number in dict.fromkeys(refused.constraint for refused in facts.refused):
            told = facts.constraints[number]
            if told.topology_key == "kubernetes.io/hostname" or not told.domains:
                continue
            value = NEW_DOMAIN if told.too_few_domains else told.domains[0].value
            if case.cluster.nodes[row].labels.get(told.topology_key) != value:
                wanted[told.topology_key] = value
    return wanted


def _told(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels once each, under their short names."""
    return {short_key(key): value for key, value in labels.items()}


def _larger(case: Case, group: Found, row: int) -> dict[str, int]:
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
        yield Candidate(
            "pod-limit",
            Cost.NODE,
            f"pod limit of {node.name} {limit} (now {old})",
            changes=(put(replace(node, status=replace(node.status, allocatable=allocatable))),),
            commands=(f"# kubelet of {node.name}: maxPods: {limit} in its KubeletConfiguration, then restart it",),
        )


def _taints(case: Case) -> Iterator[Candidate]:
    seen: dict[tuple[str, ...], int] = {}
    for row in case.nearest(4 * NODES, "taint-not-tolerated"):
        taints = taints_in_the_way(case, row)
        if not taints or seen.get(taints, 0) >= NODES:
            continue
        seen[taints] = seen.get(taints, 0) + 1
        yield _without(case.cluster.nodes[row], taints, other_purpose(case, row, taints))


def _without(node: Node, taints: tuple[str, ...], purpose: str) -> Candidate:
    """Take taints off a node; ``purpose`` tells which pods it is meant for, if it is not this one."""
    changed = node
    for text in taints:
        head, _, effect = text.rpartition(":")
        key, _, value = head.partition("=")
        changed = tainted(changed, Taint(key=key, value=value or None, effect=effect), remove=True)
    own = [taint for taint in taints if taint.startswith(OF_THE_NODE_ITSELF)]
    names = joined(short_taint(taint) for taint in taints)
    if own and len(own) == len(taints):
        word = joined(taint.removeprefix(OF_THE_NODE_ITSELF).partition(":")[0] for taint in own)
        return Candidate(
            "node-healthy",
            Cost.NODE,
            f"{node.name} healthy again ({word})",
            changes=(put(changed),),
            commands=(f"kubectl describe node {node.name}",),
        )
    ours = any(taint.partition(":")[0].partition("=")[0] in CONTROL_PLANE for taint in taints)
    return Candidate(
        "remove-taint",
        Cost.NOT_MEANT if purpose else Cost.LEAVE_OUT if ours else Cost.NODE,
        f"remove taint {names} from {node.name}",
        changes=(put(changed),),
        commands=tuple(f"kubectl taint nodes {node.name} {taint}-" for taint in taints),
        failed="" if ours or purpose else f"removing taint {names} from {node.name}",
        note=purpose,
    )


def _labels(case: Case) -> Iterator[Candidate]:
    for group in case.with_code("node-selector", "node-affinity"):
        wanted = _missing_labels(case, group)
        if not wanted or any(_set_by_others(key) for key in wanted):
            continue
        for row in group.rows[:NODES].tolist():
            node = case.cluster.nodes[row]
            changed = node
            for key, value in wanted.items():
                changed = labelled(changed, key, value)
            text = " ".join(f"{key}={value}" for key, value in wanted.items())
            over = " --overwrite" if any(key in node.labels for key in wanted) else ""
            yield Candidate(
                "label-node",
                Cost.NODE,
                f"label {node.name} {text}",
                changes=(put(changed),),
                commands=(f"kubectl label node {node.name} {text}{over}",),
                failed=f"labelling {node.name} {text}",
            )
    yield from _spread_labels(case)


def _set_by_others(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    return bool(slash) and domain.endswith(_SET_BY_OTHERS) and domain != "node-role.kubernetes.io"


def _missing_labels(case: Case, group: Found) -> dict[str, str]:
    """Labels that a node of the group would need; those of the first term where there are several."""
    texts = {atom.text for atom in group.atoms}
    wanted = {
        key: value for key, value in (case.spec.node_selector or {}).items() if f"nodeSelector {key}={value}" in texts
    }
    affinity = case.spec.affinity.node_affinity if case.spec.affinity else None
    terms = (affinity.required.node_selector_terms or ()) if affinity and affinity.required else ()
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
                yield Candidate(
                    "label-node",
                    Cost.NODE,
                    f"label {node.name} {key}={value}",
                    changes=(put(labelled(node, key, value)),),
                    commands=(f"kubectl label node {node.name} {key}={value}",),
                )


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
        yield Candidate(
            "remove-node",
            Cost.LOSS,
            f"remove node {name}",
            changes=(PutNode(name, None),),
            commands=(f"kubectl delete node {name}",),
            failed=f"removing {name}",
        )
        return
