"""RuntimeClass: overhead, node selector and tolerations of the runtime that a pod asks for."""

from collections.abc import Mapping

from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.models import RuntimeClass, Toleration
from kplan.objects.models.pod import PodSpec
from kplan.objects.quantity import canonical, nanos


def set_runtime_class(spec: PodSpec, classes: Mapping[str, RuntimeClass]) -> list[str]:
    """Add what a pod's RuntimeClass brings, in place; return what was added, a phrase each.

    Args:
        spec: of the pod.
        classes: by name.

    Raises:
        Refusal: an unknown class, an overhead of the pod's own that differs, or a conflicting node selector.

    Source: setOverhead, setScheduling, validateOverhead in plugin/pkg/admission/runtimeclass/admission.go.
    """
    runtime = None
    if spec.runtime_class_name is not None:
        runtime = classes.get(spec.runtime_class_name)
        if runtime is None:
            raise AdmissionRefusal(f'pod rejected: RuntimeClass "{spec.runtime_class_name}" not found')
    if (runtime is None or runtime.overhead is None) and spec.overhead is not None:
        raise AdmissionRefusal("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
    origin = f"RuntimeClass {spec.runtime_class_name}"
    added = _set_overhead(spec, runtime, origin) if runtime is not None and runtime.overhead is not None else []
    if runtime is not None and runtime.scheduling is not None:
        added += _set_node_selector(spec, runtime.scheduling.node_selector or {}, origin)
        extra = runtime.scheduling.tolerations or []
        before = len(spec.tolerations or ())
        if extra or spec.tolerations:
            spec.tolerations = merge_tolerations([*(spec.tolerations or ()), *extra])
        if len(spec.tolerations or ()) > before:
            added.append(f"{len(spec.tolerations or ()) - before} tolerations from {origin}")
    return added


def _set_overhead(spec: PodSpec, runtime_class: RuntimeClass, origin: str) -> list[str]:
    given = (runtime_class.overhead.pod_fixed if runtime_class.overhead else None) or {}
    fixed: dict[str, str | int | float] = {name: canonical(raw) for name, raw in given.items()}
    if spec.overhead and _amounts(spec.overhead) != _amounts(fixed):
        raise AdmissionRefusal("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    added = [] if spec.overhead else [f"{name} overhead {raw} from {origin}" for name, raw in fixed.items()]
    spec.overhead = fixed
    return added


def _amounts(resources: Mapping[str, str | int | float]) -> dict[str, int]:
    return {name: nanos(raw) for name, raw in resources.items()}


def _set_node_selector(spec: PodSpec, wanted: Mapping[str, str], origin: str) -> list[str]:
    given = dict(spec.node_selector or {})
    for key, value in sorted(wanted.items()):
        if given.get(key, value) != value:
            raise AdmissionRefusal(
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {given[key]}"
            )
    if wanted:
        spec.node_selector = {**given, **wanted}
    return [f"nodeSelector {key}={value} from {origin}" for key, value in wanted.items() if key not in given]


def merge_tolerations(tolerations: list[Toleration]) -> list[Toleration]:
    """Leave out tolerations that another covers; of equal ones the first stays.

    Source: MergeTolerations in pkg/util/tolerations/tolerations.go.
    """
    merged: list[Toleration] = []
    for number, toleration in enumerate(tolerations):
        later = [other for other in tolerations[number + 1 :] if other != toleration]
        if not any(_covers(other, toleration) for other in (*merged, *later)):
            merged.append(toleration)
    return merged


def _covers(wide: Toleration, narrow: Toleration) -> bool:
    """Tell whether a toleration tolerates all that another does.

    Source: isSuperset; an empty operator in the narrow one is not taken for Equal there.
    """
    if wide == narrow:
        return True
    if (narrow.key or "") != (wide.key or "") and (wide.key or wide.operator != "Exists"):
        return False
    if (narrow.effect or "") != (wide.effect or "") and wide.effect:
        return False
    if wide.effect == "NoExecute" and wide.toleration_seconds is not None:
        seconds = narrow.toleration_seconds
        if seconds is None or seconds > wide.toleration_seconds:
            return False
    if wide.operator in (None, "", "Equal"):
        return narrow.operator == "Equal" and (narrow.value or "") == (wide.value or "")
    return wide.operator == "Exists"
