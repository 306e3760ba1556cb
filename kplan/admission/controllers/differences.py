"""What differs between two pod templates, or two strategies, in a phrase each: ``cpu 1 -> 1500m``."""

from collections.abc import Iterator, Mapping

import msgspec

from kplan.admission.policies.defaults import set_spec_defaults
from kplan.admission.raw import copied, dig
from kplan.objects.models import Container, Object, Pod
from kplan.objects.models.pod import PodTemplateSpec
from kplan.objects.plain import filled
from kplan.objects.quantity import canonical, nanos
from kplan.objects.request_sums import all_containers

_Amounts = Mapping[str, str | int | float]


def template_differences(old: PodTemplateSpec, new: Pod) -> tuple[str, ...]:
    """Tell what differs, numbers first.

    Args:
        old: template that runs.
        new: template of the manifest, or a pod of it.
    """
    former = Pod(metadata=copied(old).metadata, spec=copied(old.spec))
    pod = Pod(metadata=new.metadata, spec=copied(new.spec))
    for template in (former, pod):
        set_spec_defaults(template.spec)
    differences = [*_containers(former, pod), *_parts(former, pod)]
    return tuple(dict.fromkeys(differences)) or ("its template",)


def rule_differences(kind: str, spec: object, running: Object) -> tuple[str, ...]:
    """Tell what differs of the rules by which a workload replaces its pods.

    Args:
        kind: of the workload.
        spec: as the manifest has it.
        running: the workload that runs.
    """
    there = msgspec.to_builtins(running).get("spec", {})
    name = "strategy" if kind == "Deployment" else "updateStrategy"
    differences = []
    for path, otherwise in _rules(kind, name):
        old, new = (dig(side, path) for side in (there, spec))
        old, new = (otherwise if value is None else value for value in (old, new))
        if old != new:
            differences.append(f"{path.rpartition('.')[2]} {_rule(old)} -> {_rule(new)}")
    return tuple(differences)


def _rules(kind: str, name: str) -> Iterator[tuple[str, object]]:
    yield f"{name}.type", "RollingUpdate"
    share = "25%" if kind == "Deployment" else 1
    yield f"{name}.rollingUpdate.maxUnavailable", share
    if kind != "StatefulSet":
        yield f"{name}.rollingUpdate.maxSurge", "25%" if kind == "Deployment" else 0
    else:
        yield f"{name}.rollingUpdate.partition", 0
    if kind == "Deployment":
        yield "paused", False


def _rule(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _containers(old: Pod, new: Pod) -> Iterator[str]:
    before = {container.name: container for container in all_containers(old)}
    after = {container.name: container for container in all_containers(new)}
    alone = len(before) == len(after) == 1
    for name, container in after.items():
        if name not in before:
            yield f"container {name} is new"
            continue
        of = "" if alone else f"{name} "
        for phrase in _resources(before[name], container):
            yield f"{of}{phrase}"
        if before[name].image != container.image:
            yield f"{of}image {before[name].image or 'none'} -> {container.image or 'none'}"
    for name in before:
        if name not in after:
            yield f"container {name} is gone"


def _resources(old: Container, new: Container) -> Iterator[str]:
    for key, word in (("requests", ""), ("limits", " limit")):
        before: _Amounts = getattr(old.resources, key, None) or {}
        after: _Amounts = getattr(new.resources, key, None) or {}
        for name in dict.fromkeys([*before, *after]):
            was, now = before.get(name), after.get(name)
            if (was is None) != (now is None) or (was is not None and now is not None and nanos(was) != nanos(now)):
                yield f"{name}{word} {_amount(was)} -> {_amount(now)}"


def _amount(raw: str | int | float | None) -> str:
    return "none" if raw is None else canonical(raw)


def _parts(old: Pod, new: Pod) -> Iterator[str]:
    """Name other fields of the template that differ."""
    if old.labels != new.labels:
        yield "labels"
    before, after = (filled(msgspec.to_builtins(pod.spec)) for pod in (old, new))
    for key in dict.fromkeys([*after, *before]):
        if key not in ("containers", "initContainers") and before.get(key) != after.get(key):
            yield key
