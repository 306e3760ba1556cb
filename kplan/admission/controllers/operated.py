"""Workloads of operators that run: known from their pods, as kplan does not read their objects.

Not modelled: how an operator replaces pods of an old template; they stay, and the plan has a doubt.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kplan.admission.controllers.changes import WorkloadChange, standing_of
from kplan.admission.controllers.leaving import leaving_order
from kplan.admission.controllers.operators import PLACES, SLOT_LABELS
from kplan.admission.controllers.workloads import INDEX_LABEL, Draft
from kplan.objects.models import Pod
from kplan.objects.quantity import canonical, nanos
from kplan.objects.request_sums import all_containers
from kplan.objects.state import ClusterState

OPERATED = "operated"
"""What the workload of an operator is among the kinds of fleets."""

_RANKED = ("Rollout", "DeploymentConfig", "CloneSet")
"""Kinds whose surplus pods are chosen as a ReplicaSet's controller does, or much like it."""


class Operated(Struct, frozen=True):
    """What a manifest does to an operator's workload that runs.

    Attributes:
        change: in numbers, with the pods that leave.
        drafts: pods that are made.
        pods: those that run.
    """

    change: WorkloadChange
    drafts: tuple[Draft, ...]
    pods: tuple[Pod, ...]


def operated(
    key: tuple[str, str, str, str], workload: str, place: str, drafts: Sequence[Draft], state: ClusterState
) -> Operated | None:
    """Compare an operator's object with its pods that are there; None where there are none.

    Args:
        key: group, kind, namespace and name of the object.
        workload: in words.
        place: of the manifest.
        drafts: pods that the manifest makes.
        state: what runs.
    """
    group, kind, namespace, name = key
    every = _pods_of(kind, namespace, name, state)
    pods = tuple(pod for pod in every if not pod.ended)
    if not pods:
        return None
    slots = _slots((group, kind), drafts, pods)
    new: list[Draft] = []
    leaving: list[str] = []
    chosen = False
    for slot in dict.fromkeys([*map(slots.of, pods), *(slots.of(draft.pod) for draft in drafts)]):
        have = [pod for pod in pods if slots.of(pod) == slot]
        want = [draft for draft in drafts if slots.of(draft.pod) == slot]
        done = sum(pod.status.phase == "Succeeded" and slots.of(pod) == slot for pod in every)
        new += want[len(have) + done :]
        surplus = len(have) - len(want)
        if surplus > 0:
            standing = [standing_of(pod) for pod in have]
            leaving += [leaver.pod.key for leaver in leaving_order(standing, standing, state.taken)[:surplus]]
            chosen = chosen or bool(want)
    differs = _differences(slots, drafts, pods)
    unsure = []
    if chosen and kind not in _RANKED:
        unsure.append("which pods its operator removes is not known: those that a ReplicaSet would first are taken")
    if differs:
        told = ", ".join(differs[:3])
        unsure.append(
            f"its template changes ({told}): how its operator replaces pods is not known, those that run stay"
        )
    verdict = "scaled" if leaving or new else "unchanged"
    text = "; ".join(unsure)
    after = len(pods) - len(leaving) + len(new)
    change = WorkloadChange(workload, place, verdict, len(pods), after, tuple(sorted(leaving)), unsure=text)
    return Operated(change, tuple(new), pods)


def _pods_of(kind: str, namespace: str, name: str, state: ClusterState) -> tuple[Pod, ...]:
    """Find the pods of an object, by name; what stands between, a StatefulSet or a leader, is looked through."""
    owned: dict[tuple[str, str], None] = {}
    within: list[tuple[str, str]] = [(kind, name)]
    while within:
        owner, its_name = within.pop()
        more = [item for item in state.owned_names.get((namespace, owner, its_name), ()) if item not in owned]
        owned |= dict.fromkeys(more)
        within += more
    names = sorted((its_name for owner, its_name in owned if owner == "Pod"), key=str.encode)
    pods = (state.named("pods", namespace, its_name) for its_name in names)
    return tuple(pod for pod in pods if isinstance(pod, Pod) and not pod.metadata.deletion_timestamp)


class _Slots(Struct, frozen=True):
    """How pods are told apart: by name, by what the operator's labels say of their group, or not at all."""

    by: str

    def of(self, pod: Pod) -> object:
        if self.by == "name":
            return pod.name
        return _group_of(pod) if self.by == "group" else ()


def _group_of(pod: Pod) -> tuple[str, ...]:
    return (*(pod.labels.get(label, "") for label in SLOT_LABELS), pod.annotations.get(INDEX_LABEL, ""))


def _slots(kind: tuple[str, str], drafts: Sequence[Draft], pods: Sequence[Pod]) -> _Slots:
    """Find how pods of a kind are told apart; not at all where none that runs is like a planned one."""
    places = PLACES.get(kind)
    named = places is not None and not any(place.job or place.name.endswith("-") for place in places)
    for by in ("name", "group") if named else ("group",):
        slots = _Slots(by)
        planned = {slots.of(draft.pod) for draft in drafts}
        if not planned or any(slots.of(pod) in planned for pod in pods):
            return slots
    return _Slots("")


def _differences(slots: _Slots, drafts: Sequence[Draft], pods: Sequence[Pod]) -> list[str]:
    """Tell what the manifest writes of its pods that those that run do not have; operators add to both."""
    planned: Mapping[object, Pod] = {slots.of(draft.pod): draft.pod for draft in drafts}
    phrases: dict[str, None] = {}
    for slot, pod in {slots.of(pod): pod for pod in pods}.items():
        if slot in planned:
            phrases.update(dict.fromkeys(_phrases(pod, planned[slot])))
    return list(phrases)


def _phrases(old: Pod, new: Pod) -> Iterator[str]:
    before = {container.name: container for container in all_containers(old)}
    for container in all_containers(new):
        known = before.get(container.name)
        if known is None:
            yield f"container {container.name} is new"
            continue
        for name, now in ((container.resources.requests if container.resources else None) or {}).items():
            was = ((known.resources.requests if known.resources else None) or {}).get(name)
            if was is None or nanos(was) != nanos(now):
                yield f"{name} {'none' if was is None else canonical(was)} -> {canonical(now)}"
        if container.image and known.image and container.image != known.image:
            yield f"image {known.image} -> {container.image}"
    spec, has = new.spec, old.spec
    if not (spec.node_selector or {}).items() <= (has.node_selector or {}).items():
        yield "nodeSelector"
    if any(toleration not in (has.tolerations or ()) for toleration in spec.tolerations or ()):
        yield "tolerations"
    if spec.priority_class_name and spec.priority_class_name != has.priority_class_name:
        yield "priorityClassName"
