"""The facts of the cause, laid out: domains, terms, volumes, attachments, and what is kept for nominated pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kplan.cluster import Cluster
from kplan.framework.findings import Facts
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.selectors import Requirement
from kplan.objects.well_known import HOSTNAME
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import ConstraintFacts, SpreadFacts
from kplan.plugins.volume_binding.facts import BoundVolume, VolumeBindingFacts, WaitingClaim
from kplan.reasons.groups import NodeGroup
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Attachment, Domain, Domains, Kept, Term, Volume
from kplan.result.document_base import part_of
from kplan.wording.volumes import UNSUITABLE
from kplan.words import count, listed


def domains(facts: Mapping[str, Facts]) -> tuple[Domains, ...]:
    """Each spread constraint that refuses a node shown, domains with the most pods first."""
    spread = facts.get("PodTopologySpread")
    if not isinstance(spread, SpreadFacts):
        return ()
    refusing = sorted({refused.constraint for refused in spread.refused if refused.domain is not None})
    return tuple(_domains(spread.constraints[number]) for number in refusing)


def _domains(constraint: ConstraintFacts) -> Domains:
    by_node = constraint.topology_key == HOSTNAME
    rows: dict[tuple[int, str], list[str]] = {}
    for domain in constraint.domains:
        note = _note(constraint, domain.nodes)
        names = domain.nodes if by_node else (domain.value,)
        rows.setdefault((domain.pods, note), []).extend(names)
    ordered = sorted(rows.items(), key=lambda item: (-item[0][0], item[0][1]))
    return part_of(
        Domains,
        constraint,
        rows=tuple(Domain(pods=pods, names=tuple(names), note=note) for (pods, note), names in ordered),
        notes=tuple(_left_out(constraint)),
    )


def _note(constraint: ConstraintFacts, nodes: tuple[str, ...]) -> str:
    tainted = set(constraint.counted_despite_taints)
    if nodes and tainted.issuperset(nodes):
        return "counted though tainted (nodeTaintsPolicy: Ignore, the default)"
    other = set(constraint.counted_despite_affinity)
    if nodes and other.issuperset(nodes):
        return "counted though its nodeSelector or affinity excludes them (nodeAffinityPolicy: Ignore)"
    return ""


def _left_out(constraint: ConstraintFacts) -> Iterator[str]:
    if constraint.too_few_domains:
        domains_word = count(len(constraint.domains), "domain")
        yield f"{domains_word}, minDomains {constraint.min_domains}: the minimum counts as 0"
    if constraint.without_label:
        yield f"no such label: {listed(constraint.without_label)}"
    if constraint.left_out_by_affinity:
        yield f"not counted, for nodeSelector or affinity: {listed(constraint.left_out_by_affinity)}"
    if constraint.left_out_by_taints:
        yield f"not counted, for taints: {listed(constraint.left_out_by_taints)}"


_RULES: dict[str, str] = {
    ReasonCode.POD_AFFINITY: "affinity",
    ReasonCode.POD_ANTI_AFFINITY: "antiAffinity",
    ReasonCode.OTHERS_ANTI_AFFINITY: "antiAffinityOfOthers",
}


def terms(facts: Mapping[str, Facts], asked: RunCycle) -> tuple[Term, ...]:
    """Pod affinity terms that refuse nodes shown."""
    affinity = facts.get("InterPodAffinity")
    if not isinstance(affinity, InterPodAffinityFacts):
        return ()
    made: dict[tuple[str, str, str, str], Term] = {}
    for conflict in affinity.nodes:
        rule = _RULES[conflict.code]
        for term in conflict.terms:
            key = (rule, term.term.selector, term.term.topology_key, term.domain or "")
            made.setdefault(
                key,
                Term(
                    rule=rule,
                    selector=term.term.selector,
                    topology_key=term.term.topology_key,
                    domain=term.domain or "",
                    nodes=_nodes_in(asked.cluster, term.term.topology_key, term.domain),
                    pods=term.pods.shown,
                    pod_count=term.pods.count,
                    namespaces=term.term.namespaces,
                ),
            )
    return tuple(made.values())


def _nodes_in(cluster: Cluster, key: str, domain: str | None) -> int:
    column = cluster.labels.column(key)
    return int((column.codes == (column.code(domain) if domain is not None else -1)).sum())


def volumes(facts: Mapping[str, Facts]) -> tuple[Volume, ...]:
    """Claims of the pod, where its volumes are in the way."""
    binding = facts.get("VolumeBinding")
    if not isinstance(binding, VolumeBindingFacts):
        return ()
    return (*map(_bound, binding.bound), *map(_waiting, binding.waiting))


def _bound(volume: BoundVolume) -> Volume:
    if not volume.exists:
        return Volume(claim=volume.claim, volume=volume.volume, text="the volume does not exist")
    mode = (
        " (Immediate: the place was drawn before the pod was looked at)" if volume.binding_mode == "Immediate" else ""
    )
    storage = f"class {volume.storage_class}{mode}" if volume.storage_class else "no class"
    text = ", ".join(part for part in (volume.size, storage) if part)
    if volume.terms:
        where = listed(volume.reachable, most=2) + (" alone" if len(volume.reachable) == 1 else "")
        text += f"; reachable from {where if volume.reachable else 'no node'}"
    return Volume(claim=volume.claim, volume=volume.volume, text=text, details=tuple(_requirements(volume.terms)))


def _requirements(terms: tuple[tuple[Requirement, ...], ...]) -> Iterator[str]:
    for number, term in enumerate(terms):
        for place, requirement in enumerate(term):
            yield f"{'or ' if number and not place else ''}{requirement}"


def _waiting(claim: WaitingClaim) -> Volume:
    provisioner = f", provisioned by {claim.provisioner}" if claim.provisioner else ", no provisioner"
    size = f"{claim.size}, " if claim.size else ""
    text = f"{size}class {claim.storage_class} (WaitForFirstConsumer){provisioner}"
    allowed = (", ".join(f"{one.key} in ({', '.join(one.values)})" for one in term) for term in claim.topologies)
    details = [f"allowed: {topology}" for topology in allowed]
    if not claim.provisioner:
        details += [f"{volume.volume}: {UNSUITABLE[volume.why]}" for volume in claim.unsuitable[:3]]
    if claim.suitable:
        details.append(f"could have {listed(claim.suitable)}, from other nodes")
    return Volume(claim=claim.claim, text=text, details=tuple(details))


def attachments(facts: Mapping[str, Facts]) -> tuple[Attachment, ...]:
    """Volumes of each driver that is over its limit on a node shown, by node name."""
    limits = facts.get("NodeVolumeLimits")
    if not isinstance(limits, NodeVolumeLimitsFacts):
        return ()
    over = [use for use in limits.usage if use.limit is not None and use.attached + len(use.new) > use.limit]
    return tuple(part_of(Attachment, use) for use in sorted(over, key=lambda use: use.node))


def kept(asked: RunCycle, group: NodeGroup) -> tuple[Kept, ...]:
    """Who has or keeps room on the nearest node of a group that fails for nominated pods alone."""
    resources = [atom.resource for atom in group.atoms if atom.kept and atom.resource]
    if not resources or asked.cycle.filters is None:
        return ()
    cluster, node = asked.cluster, int(group.rows[0])
    name = cluster.node_name(node)

    def row(pod: int, note: str) -> Kept:
        info = cluster.pods[pod]
        rows = {resource: cluster.resources.get(resource) for resource in resources}
        taken = {
            resource: 1 if at is None else int(cluster.pod_request[at, pod])
            for resource, at in rows.items()
            if at is not None or resource == "pods"
        }
        return Kept(node=name, pod=info.key, priority=info.priority, amounts=taken, note=note)

    own = asked.pod
    running = [row(pod, "runs") for pod in cluster.pods_on(node)]
    running = sorted((item for item in running if any(item.amounts.values())), key=lambda item: item.pod)
    waiting = [
        row(pod, f"nominated: {cluster.pods[pod].priority} >= {own.priority}")
        for pod in asked.cycle.filters.nominated.get(node, ())
    ]
    return (*running, *waiting, row(own.row, "this pod"))
