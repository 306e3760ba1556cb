"""Requests: the greatest one that fits, exactly, and what a little less would open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kplan.cluster import PodInfo
from kplan.objects import models
from kplan.objects.lean import replace
from kplan.objects.models import Container, PodSpec, ResourceRequirements
from kplan.objects.quantity import format_bytes, format_cpu
from kplan.objects.requests import RequestRules, pod_requests, scheduler_units
from kplan.reasons.groups import NodeGroup
from kplan.remedies.about import Lower, LowerRequest, PodPart
from kplan.remedies.candidate import Candidate, Case, Edit, RemedyCost
from kplan.remedies.keepers import sizes

_Count = Callable[[PodSpec], dict[str, int]]

MOST_LOST = 0.5
"""Share of a request that may be given up: less than half of what was asked for is another program."""
_MOST_CHANGED = 20
"""Containers that are looked at for one resource, where init containers or the pod's own requests have a say."""
_MOST_NAMES = 10
"""Resources that are lowered so."""
DIGITS = 2
"""Digits kept where a request is rounded down to let more nodes fit."""


def propose(case: Case) -> Iterator[Candidate]:
    """Lower what is short on the nearest nodes to what is free there; nothing that an autoscaler would set again."""
    if sizes(case.cluster, case.pod):
        return
    seen: set[tuple[tuple[str, int], ...]] = set()
    for group in case.with_code("insufficient-resource"):
        short = [atom.resource for atom in group.atoms if atom.resource and atom.resource != "pods"]
        targets = _targets(case, group, short)
        key = tuple(sorted(targets.items()))
        if targets and key not in seen:
            seen.add(key)
            yield _lower(case, targets)
    first = next((atom.resource for atom in case.groups[0].atoms if atom.resource not in ("", "pods")), "")
    if not seen and first:
        # nothing is free on any node: shown to be so by a request of the smallest amount
        yield _lower(case, {first: 1}, least=True)


def _targets(case: Case, group: NodeGroup, short: list[str]) -> dict[str, int]:
    """What is free on the node of a group where the least has to be given up; empty where a resource is all used."""
    best: dict[str, int] = {}
    loss = 2.0
    for row in group.rows[:64].tolist():
        room: dict[str, int] = {}
        worst = 0.0
        for atom in group.atoms:
            if atom.resource in short:
                needs, free, _ = case.asked.amounts(atom.resource, kept=atom.kept)
                room[atom.resource] = int(free[row])
                worst = max(worst, (needs - int(free[row])) / max(needs, 1))
        if all(amount > 0 for amount in room.values()) and worst < loss:
            best, loss = room, worst
    return best


def _lower(case: Case, targets: Mapping[str, int], *, least: bool = False) -> Candidate:
    needs = {name: case.pod.requests.get(name, 0) for name in targets}
    edit = lower(case.cluster.rules, targets)
    after = edit(case.spec)
    requests = [_change(case.spec, after, name, (amount, needs[name])) for name, amount in targets.items()]
    lost = max((needs[name] - amount) / max(needs[name], 1) for name, amount in targets.items())
    larger: tuple[tuple[LowerRequest, Edit], ...] = ()
    if len(targets) == 1:
        name, amount = next(iter(targets.items()))
        rounded = _rounded(name, amount)
        if 0 < rounded < amount:
            larger = ((LowerRequest(name, PodPart(), rounded, amount), lower(case.cluster.rules, {name: rounded})),)
    return Candidate(
        "lower-request",
        RemedyCost.REQUEST if lost <= MOST_LOST else RemedyCost.LEAVE_OUT,
        Lower(tuple(requests), least),
        edits=(edit,),
        named=least,
        larger=larger,
        loss=lost,
        unless=() if lost <= MOST_LOST else ("lower-request",),
    )


def lowered(before: PodSpec, after: PodSpec, rules: RequestRules) -> Lower | None:
    """What of the requests of a pod was lowered; None where nothing was, or too much."""
    old, new = (pod_requests(models.Pod(spec=spec), rules, use_status=False) for spec in (before, after))
    if any(old[name] - new.get(name, 0) > MOST_LOST * old[name] for name in old):
        return None
    less = [_change(before, after, name, (new.get(name, 0), old[name])) for name in old if new.get(name, 0) < old[name]]
    return Lower(tuple(less)) if less else None


def lowered_of(pods: Sequence[PodInfo], what: Lower, edited: Edit, rules: RequestRules) -> Lower:
    """What a change lowers of several pods, which may ask for different amounts: from the least to the most of them.

    Args:
        pods: the pods.
        what: what it lowers of one of them.
        edited: the change.
        rules: how requests are counted.
    """
    specs = {id(pod.pod.spec): pod for pod in pods}.values()
    return Lower(tuple(_range(specs, one, edited, rules) for one in what.requests), what.least)


def _range(pods: Iterable[PodInfo], one: LowerRequest, edited: Edit, rules: RequestRules) -> LowerRequest:
    """One request, told of the pods as a whole where not the same container of all of them has it."""
    of_pods: list[tuple[int, int]] = []
    of_parts: list[LowerRequest] = []
    for pod in pods:
        after = edited(pod.pod.spec)
        whole = pod_requests(models.Pod(spec=after), rules, use_status=False).get(one.resource, 0)
        if whole < pod.requests.get(one.resource, 0):
            of_pods.append((whole, pod.requests[one.resource]))
            of_parts.append(_change(pod.pod.spec, after, one.resource, of_pods[-1]))
    if not of_pods:
        return one
    alike = all(part.part.alone or part.part == one.part for part in of_parts) and len({p.new for p in of_parts}) == 1
    numbers = [(part.new, part.old) for part in of_parts] if alike else of_pods
    least, most = min(old for _, old in numbers), max(old for _, old in numbers)
    part = of_parts[0].part if alike else PodPart()
    return LowerRequest(one.resource, part, max(new for new, _ in numbers), least, most if most > least else 0)


def _change(old: PodSpec, new: PodSpec, name: str, whole: tuple[int, int]) -> LowerRequest:
    """Which container changes, its new request and its old one; those of the pod where several change."""
    if old.resources == new.resources:
        changed = [
            (field, before, after)
            for field in ("init_containers", "containers")
            for before, after in zip(getattr(old, field) or (), getattr(new, field) or (), strict=True)
            if _request(before, name) != _request(after, name)
        ]
        if len(changed) == 1:
            field, before, after = changed[0]
            alone = len(old.containers or ()) + len(old.init_containers or ()) == 1
            part = PodPart(before.name, init=field == "init_containers", alone=alone)
            return LowerRequest(name, part, _request(after, name), _request(before, name))
    return LowerRequest(name, PodPart(), *whole)


def _rounded(name: str, amount: int) -> int:
    """Round down to a number people would write: two digits, in Mi for bytes."""
    unit = 1 if name == "cpu" or not name.startswith(("memory", "ephemeral-storage", "hugepages")) else 1 << 20
    whole = amount // unit
    power = max(0, len(str(whole)) - DIGITS)
    step: int = 10**power
    return whole // step * step * unit


def lower(rules: RequestRules, targets: Mapping[str, int]) -> Edit:
    """Lower the largest containers until the pod asks for no more than ``targets``, in the scheduler's units."""

    def count(spec: PodSpec) -> dict[str, int]:
        return pod_requests(models.Pod(spec=spec), rules, use_status=False)

    def edit(spec: PodSpec) -> PodSpec:
        if not spec.init_containers and spec.resources is None:
            whole = count(spec)
            spec = _at_once(spec, {name: whole.get(name, 0) - target for name, target in targets.items()})
        whole = count(spec)
        left = [name for name, target in targets.items() if whole.get(name, 0) > target]
        for name in left[:_MOST_NAMES]:
            spec = _lowered(spec, name, targets[name], count)
        return spec

    return edit


def _at_once(spec: PodSpec, over: Mapping[str, int]) -> PodSpec:
    """Take what is over from the largest containers of a pod in which each counts in full."""
    containers = list(spec.containers or ())
    sizes = [scheduler_units(container.resources.requests if container.resources else None) for container in containers]
    for name, amount in over.items():
        sized = sorted((-size[name], place) for place, size in enumerate(sizes) if size.get(name))
        for size, place in sized:
            if amount <= 0:
                break
            less = max(0, -size - amount)
            amount -= -size - less
            containers[place] = _with_amount(containers[place], name, less)
    return replace(spec, containers=containers) if spec.containers else spec


def _lowered(spec: PodSpec, name: str, target: int, count: _Count) -> PodSpec:
    if spec.resources is not None and name in (spec.resources.requests or {}):
        return replace(spec, resources=_with_request(spec.resources, name, target))
    for _ in range(_MOST_CHANGED):
        over = count(spec).get(name, 0) - target
        if over <= 0:
            break
        place = _largest(spec, name, over, count)
        if place is None:
            break
        spec = place
    return spec


def _largest(spec: PodSpec, name: str, over: int, count: _Count) -> PodSpec | None:
    """Take as much as is over from the largest container that counts; None where none counts."""
    whole = count(spec).get(name, 0)
    sized = sorted(
        (
            (-_request(container, name), field, place)
            for field in ("containers", "init_containers")
            for place, container in enumerate(getattr(spec, field) or ())
            if _request(container, name)
        ),
    )
    for size, field, place in sized[:_MOST_CHANGED]:
        less = _with_container(spec, field, place, name, max(0, -size - over))
        if count(less).get(name, 0) < whole:
            return less
    return None


def _request(container: Container, name: str) -> int:
    requested: dict[str, int] = scheduler_units(container.resources.requests if container.resources else None)
    return requested.get(name, 0)


def _with_container(spec: PodSpec, field: str, place: int, name: str, amount: int) -> PodSpec:
    containers = list(getattr(spec, field))
    containers[place] = _with_amount(containers[place], name, amount)
    return replace(spec, **{field: containers})


def _with_amount(container: Container, name: str, amount: int) -> Container:
    return replace(container, resources=_with_request(container.resources or ResourceRequirements(), name, amount))


def _with_request(resources: ResourceRequirements, name: str, amount: int) -> ResourceRequirements:
    text = written(name, amount)
    changed = replace(resources, requests={**(resources.requests or {}), name: text})
    limits = resources.limits or {}
    if name in limits and name not in ("cpu", "memory", "ephemeral-storage"):
        # devices and huge pages are not overcommitted: the limit is the request
        changed = replace(changed, limits={**limits, name: text})
    return changed


def written(name: str, amount: int) -> str:
    """An amount in the scheduler's units as a quantity."""
    if name == "cpu":
        return format_cpu(amount)
    if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-"):
        return format_bytes(amount)
    return str(amount)
