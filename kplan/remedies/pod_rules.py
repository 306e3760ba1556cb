"""Rules about other pods, and host ports: affinity, anti-affinity, ports of the node."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.objects.lean import replace
from kplan.objects.models import Affinity, Container, PodAffinity, PodSpec, WeightedPodAffinityTerm
from kplan.objects.selectors import compile_selector
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Case, Edit, RemedyCost
from kplan.remedies.spec_rules import DROPPED
from kplan.remedies.specs import with_containers
from kplan.words import short_key

_HOSTNAME = "kubernetes.io/hostname"
NODES = 8


def propose(case: Case) -> Iterator[Candidate]:
    """Make a required term preferred, look closer for anti-affinity, leave a host port out."""
    if case.with_code("pod-affinity"):
        yield from _terms(case, anti=False)
    if case.with_code("pod-anti-affinity"):
        yield from _terms(case, anti=True)
    if case.with_code("port-taken"):
        yield from _ports(case)


def _terms(case: Case, *, anti: bool) -> Iterator[Candidate]:
    affinity, side = case.spec.affinity, "pod_anti_affinity" if anti else "pod_affinity"
    part: PodAffinity | None = getattr(affinity, side) if affinity is not None else None
    terms = part.required or [] if part is not None else []
    failing = _failing(case, not anti)
    code = "prefer-pod-anti-affinity" if anti else "prefer-pod-affinity"
    for place, term in enumerate(terms):
        name = f"{compile_selector(term.label_selector)}"
        if failing and (name, term.topology_key) not in failing:
            continue
        if anti and term.topology_key != _HOSTNAME:
            by_node = about.Named(name=name, key=short_key(term.topology_key))
            yield Candidate("anti-affinity-by-node", RemedyCost.LOOSEN, by_node, edits=(_by_hostname(place),))
        preferred = (_preferred(side, (place,)),)
        yield Candidate(code, RemedyCost.LOOSEN, about.Named(name=name), edits=preferred, named=True, loss=DROPPED)
    if len(terms) > 1:
        preferred = (_preferred(side, tuple(range(len(terms)))),)
        yield Candidate(
            code,
            RemedyCost.LOOSEN,
            about.Named("both" if len(terms) == 2 else "all", old=len(terms)),
            edits=preferred,
            loss=DROPPED,
        )


def _failing(case: Case, affinity: bool) -> set[tuple[str, str]]:
    code = "pod-affinity" if affinity else "pod-anti-affinity"
    facts = case.facts_of(InterPodAffinityFacts, case.nearest(NODES, code))
    return {
        (term.term.selector, term.term.topology_key)
        for conflict in (facts.nodes if facts is not None else ())
        if conflict.code == code
        for term in conflict.terms
    }


def _preferred(side: str, places: tuple[int, ...]) -> Edit:
    def edit(spec: PodSpec) -> PodSpec:
        affinity = spec.affinity or Affinity()
        part: PodAffinity | None = getattr(affinity, side)
        if part is None:
            return spec
        required = list(part.required or ())
        moved = [required[place] for place in places if place < len(required)]
        rest = [term for place, term in enumerate(required) if place not in places]
        preferred = [WeightedPodAffinityTerm(weight=100, pod_affinity_term=term) for term in moved]
        changed = replace(part, required=rest or None, preferred=[*(part.preferred or ()), *preferred])
        return replace(spec, affinity=replace(affinity, **{side: changed}))

    return edit


def _by_hostname(place: int) -> Edit:
    def edit(spec: PodSpec) -> PodSpec:
        affinity = spec.affinity or Affinity()
        part = affinity.pod_anti_affinity
        if part is None or place >= len(part.required or ()):
            return spec
        required = list(part.required or ())
        required[place] = replace(required[place], topology_key=_HOSTNAME)
        return replace(spec, affinity=replace(affinity, pod_anti_affinity=replace(part, required=required)))

    return edit


def _ports(case: Case) -> Iterator[Candidate]:
    ports = sorted({port.port for port in case.pod.pod_class.host_ports})
    if not ports:
        return
    if case.spec.host_network:

        def off(spec: PodSpec) -> PodSpec:
            return replace(_without_ports(spec), host_network=None)

        yield Candidate("no-host-network", RemedyCost.LEAVE_OUT, about.Named(), edits=(off,))
        return
    yield Candidate(
        "no-host-port", RemedyCost.LEAVE_OUT, about.Named(names=tuple(map(str, ports))), edits=(_without_ports,)
    )


def _without_ports(spec: PodSpec) -> PodSpec:
    def closed(container: Container) -> Container:
        ports = container.ports or ()
        if not any(port.host_port for port in ports):
            return container
        return replace(container, ports=[replace(port, host_port=None) for port in ports])

    return with_containers(spec, closed)
