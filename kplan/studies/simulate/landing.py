"""Landing: a state with what manifests bring added, and which of its pods are theirs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from kplan.admission import Expansion, Fleet, LeftOut, Quotas, expand
from kplan.admission.policies.quota import UnsureCount
from kplan.admission.raw import dig
from kplan.cluster.work import EXPANDED
from kplan.framework.doubt import Doubt
from kplan.objects.kind_words import kind_word
from kplan.objects.models import Object, Pod, PodAffinityTerm
from kplan.objects.quantity import nanos
from kplan.objects.request_sums import all_containers
from kplan.objects.requests import RequestRules, pod_requests
from kplan.objects.selectors import compile_selector
from kplan.objects.state import ClusterState
from kplan.result.document_base import part_of
from kplan.result.document_plan import Expanded, FieldRefusal
from kplan.scenario.autoscaling import autoscalers_with, target_of
from kplan.sources import Manifests, load_objects
from kplan.studies.simulate.unread_fields import gated_readiness, secured
from kplan.studies.simulate.unread_rules import unread_rules
from kplan.wording.manifests import (
    changed,
    count_unknown,
    owned_replicas,
    part_of_a_byte,
    request_nothing,
    requests_nothing,
    selects_no_pod,
    spreads_others,
)

_NAMED = 3
_DEFINITION = "CustomResourceDefinition"
"""What makes no pods by itself."""


class Landed(Struct, frozen=True):
    """A state after manifests landed.

    Attributes:
        state: the state with their objects, and with the pods that are there at once.
        pods: ``namespace/name`` of those pods, in order.
        change: what each object came to.
        notes: what else to say.
        fleets: workloads whose controllers make or remove pods step by step; their new pods are not in the state yet.
        ledger: quotas with what was let in.
        silent: how many objects make no pods; definitions of kinds are told among the changes.
        told: what changes of each object, in phrases, by its name and place.
        definitions: names of those that only define a kind.
        trusted: those that are of kinds of other projects, each with what it is about instead of pods.
        doubts: about what of the changes is not known.
    """

    state: ClusterState
    pods: tuple[str, ...] = ()
    change: tuple[Expanded, ...] = ()
    notes: tuple[str, ...] = ()
    fleets: tuple[Fleet, ...] = ()
    ledger: Quotas | None = None
    silent: int = 0
    told: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    definitions: frozenset[str] = frozenset()
    trusted: tuple[tuple[str, str], ...] = ()
    doubts: tuple[Doubt, ...] = ()


def nothing(state: ClusterState) -> Landed:
    """The state as it is."""
    return Landed(state)


def land(
    state: ClusterState,
    files: list[str],
    rules: RequestRules,
    namespace: str = "",
    pod_templates: Mapping[str, str] | None = None,
) -> Landed:
    """Add what manifests bring to a state.

    Args:
        state: the state; it is not changed.
        files: names of files and folders, ``-`` for standard input.
        rules: how requests are counted.
        namespace: of objects that name none.
        pod_templates: dotted path of the pod template by kind, for kinds that kplan does not know.

    Raises:
        SourceError: a manifest cannot be read.
    """
    return land_objects(state, read_manifests(files, namespace), rules, pod_templates)


def read_manifests(files: list[str], namespace: str = "") -> Manifests:
    """Read manifests.

    Args:
        files: names of files and folders, ``-`` for standard input.
        namespace: of objects that name none.

    Raises:
        SourceError: a manifest cannot be read.
    """
    paths: list[str | Path] = list(files)
    return load_objects(paths, namespace=namespace or "default")


def land_objects(
    state: ClusterState, manifests: Manifests, rules: RequestRules, pod_templates: Mapping[str, str] | None = None
) -> Landed:
    """Add what manifests bring that were read before; see ``land``."""
    expansion = expand(manifests, state, rules, namespace=manifests.namespace, pod_templates=pod_templates)
    later = {(fleet.workload, fleet.place) for fleet in expansion.fleets if fleet.pods}
    pods = [entry.pod for entry in expansion.pods if (entry.workload, entry.place) not in later]
    merged = with_objects(state, (*expansion.objects, *pods))
    merged = dataclasses.replace(merged, worked=merged.worked + EXPANDED * len(manifests.objects))
    may_refuse, refuses = secured(merged, manifests, expansion)
    ready = gated_readiness(manifests, expansion)
    notes = (*expansion.notes, *may_refuse, *_autoscaled(manifests, state, rules.minor), *ready)
    changes = list(_changes(expansion, merged.pods, rules))
    return Landed(
        merged,
        tuple(pod.key for pod in pods),
        tuple(entry for entry, _ in changes),
        notes,
        expansion.fleets,
        expansion.ledger,
        expansion.silent,
        {(entry.object, entry.place): told for entry, told in changes},
        frozenset(_name(out) for out in expansion.not_expanded if out.kind == _DEFINITION),
        tuple((_name(left), left.why) for left in expansion.trusted),
        (
            *(
                Doubt(code="change-not-modelled", text=f"{change.workload}: {change.unsure}")
                for change in expansion.changes
                if change.unsure
            ),
            *_uncounted(expansion.ledger),
            *unread_rules(manifests, state),
            *refuses,
        ),
    )


def _uncounted(ledger: Quotas | None) -> Iterator[Doubt]:
    """Doubt what a quota of objects says where the source does not hold those that are there."""
    of: dict[tuple[str, str], list[UnsureCount]] = {}
    for entry in ledger.unsure if ledger is not None else ():
        of.setdefault((entry.quota, entry.resource), []).append(entry)
    yield from (Doubt(code="quota-count-unknown", text=count_unknown(some)) for some in of.values())


def with_objects(state: ClusterState, brought: Iterable[Object]) -> ClusterState:
    """Add objects to a state, in place of those of their kind and name; it is not changed itself."""
    objects: dict[tuple[type[Object], str], Object] = {(type(item), item.key): item for item in state.objects()}
    objects.update(((type(item), item.key), item) for item in brought)
    return state.having(objects.values())


def _changes(
    expansion: Expansion, there: Sequence[Pod], rules: RequestRules
) -> Iterable[tuple[Expanded, Sequence[str]]]:
    """Tell what each object came to, and beside it the first that there is to say of that, in phrases."""
    pods: dict[tuple[str, str], list[Pod]] = {}
    added: dict[tuple[str, str], dict[str, None]] = {}
    for entry in expansion.pods:
        key = (entry.workload, entry.place)
        pods.setdefault(key, []).append(entry.pod)
        added.setdefault(key, {}).update(dict.fromkeys(entry.added))
    fleets = {(fleet.workload, fleet.place): fleet for fleet in expansion.fleets}
    everyone = [*there, *(pod for fleet in expansion.fleets for pod in fleet.pods)]
    refused = {f"{kind_word(out.kind)}/{out.key}" for out in expansion.refused}
    for change in expansion.changes:
        key = (change.workload, change.place)
        if change.workload in refused and key not in pods and change.verdict == "new":
            continue  # told among what is refused
        fleet = fleets.get(key)
        clauses = [some for some in (*changed(change, fleet), _few(list(added.get(key, ())))) if some]
        file, _, line = change.place.rpartition(":")
        bare = key in pods and requests_neither(pods[key][0], rules)
        told_of = Expanded(
            object=change.workload,
            verdict=change.verdict,
            pods=len(pods.get(key, ())),
            place=change.place,
            note="; ".join(map(", ".join, clauses)),
            file=file,
            line=int(line),
            careful=tuple(warnings_of(change.workload, pods[key][0], everyone, bare=bare)) if key in pods else (),
            bare=bare,
        )
        yield told_of, next(iter(clauses), ())
    for left_out in expansion.refused:
        yield _left_out(left_out, refused=True), ()
    for left_out in expansion.not_expanded:
        yield _left_out(left_out, refused=False), ()


def _name(out: LeftOut) -> str:
    return f"{out.kind} {out.key}".strip()


def _left_out(out: LeftOut, *, refused: bool) -> Expanded:
    return Expanded(
        object=_name(out),
        place=out.place,
        note=out.told,
        refused=refused,
        refused_pods=out.pods,
        refused_by="quota" if out.by_quota else "",
        unmade=out.unmade,
        workload=f"{kind_word(out.kind)}/{out.key}" if out.pods else "",
        expanded=refused,
        file=out.file,
        line=out.line,
        column=out.column,
        problems=tuple(part_of(FieldRefusal, problem) for problem in out.problems),
        careful=(f"{out.place}: {out.told}",) if out.unbuilt else (),
    )


def _few(phrases: list[str]) -> list[str]:
    """Phrases, and how many more there are."""
    return [*phrases[:_NAMED], f"+{len(phrases) - _NAMED}"] if len(phrases) > _NAMED else phrases


def _autoscaled(manifests: Manifests, state: ClusterState, minor: int) -> Iterator[str]:
    """Name autoscalers, beside a manifest or in the cluster, that own a number of replicas which it sets."""
    if manifests.autoscaled:
        return
    owners = {autoscaler.target: autoscaler for autoscaler in autoscalers_with(manifests, state, minor)}
    for manifest in manifests.objects:
        owner = owners.get(target_of(manifest, manifests.namespace))
        if owner is not None and not owner.paused and dig(manifest.raw, "spec.replicas") is not None:
            yield owned_replicas(f"{owner.kind} {owner.workload}", owner.name, owner.least, owner.most)


_COUNTED = ("cpu", "memory")
_BYTES = ("memory", "ephemeral-storage")


def careful_lines(change: Sequence[Expanded]) -> Iterator[str]:
    """What manifests do not do though they seem to; workloads without requests in one line."""
    bare = [one.object for one in change if one.bare]
    if bare:
        yield request_nothing(bare)
    for one in change:
        yield from one.careful[1 if one.bare else 0 :]


def requests_neither(pod: Pod, rules: RequestRules) -> bool:
    """Whether a pod requests neither cpu nor memory, as the scheduler counts requests."""
    requests = pod_requests(pod, rules, use_status=False)
    return not any(requests.get(name) for name in _COUNTED)


def warnings_of(workload: str, pod: Pod, others: Sequence[Pod], *, bare: bool) -> Iterator[str]:
    """Warn about the pods of one workload.

    Args:
        workload: ``deploy/shop/web``.
        pod: one of them, as the scheduler sees it.
        others: pods of the cluster, these among them.
        bare: whether it requests neither cpu nor memory.
    """
    if bare:
        yield requests_nothing(workload)
    yield from _parts_of_bytes(workload, pod)
    affinity = pod.spec.affinity
    for word, side in (
        ("affinity", affinity.pod_affinity if affinity else None),
        ("anti-affinity", affinity.pod_anti_affinity if affinity else None),
    ):
        for term in (side.required if side else None) or ():
            if not _selects(term, pod, others):
                yield selects_no_pod(workload, word, term.label_selector)
    for constraint in pod.spec.topology_spread_constraints or ():
        selector = constraint.label_selector
        if selector is not None and not compile_selector(selector).matches(pod.labels):
            yield spreads_others(workload, constraint.topology_key, selector)


def _parts_of_bytes(workload: str, pod: Pod) -> Iterator[str]:
    for container in all_containers(pod):
        asked = container.resources
        if asked is None:
            continue
        for name in _BYTES:
            amounts = dict.fromkeys(str(part[name]) for part in (asked.requests, asked.limits) if part and name in part)
            for amount in amounts:
                if nanos(amount) % nanos(1):
                    yield part_of_a_byte(workload, container.name or "", name, amount)


def _selects(term: PodAffinityTerm, pod: Pod, others: Iterable[Pod]) -> bool:
    if term.label_selector is None:
        return False
    selector = compile_selector(term.label_selector)
    anywhere = term.namespace_selector is not None
    spaces = set(term.namespaces or ()) or {pod.namespace}
    if selector.matches(pod.labels) and (anywhere or pod.namespace in spaces):
        return True
    return any(selector.matches(other.labels) for other in others if anywhere or other.namespace in spaces)
