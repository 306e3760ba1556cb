"""Priority: the number behind a priorityClassName, and whether the pod may preempt."""

from collections.abc import Mapping

from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.models import PriorityClass
from kplan.objects.models.pod import PodSpec

BUILT_IN: Mapping[str, int] = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Classes that every API server makes.

Source: pkg/apis/scheduling/v1/helpers.go.
"""


def set_priority(spec: PodSpec, classes: Mapping[str, PriorityClass]) -> list[str]:
    """Set the priority of a pod from its class, in place; return what was added, a phrase each.

    Args:
        spec: of the pod.
        classes: by name.

    Raises:
        Refusal: an unknown class, or a priority or preemptionPolicy of the pod's own that differs.

    Source: Plugin.admitPod in plugin/pkg/admission/priority/admission.go.
    """
    priority, policy, origin = _establish(spec, classes)
    if spec.priority is not None and spec.priority != priority:
        raise AdmissionRefusal(
            f"the integer value of priority ({spec.priority}) must not be provided in pod spec; priority admission "
            f"controller computed {priority} from the given PriorityClass name"
        )
    if policy and spec.preemption_policy and spec.preemption_policy != policy:
        raise AdmissionRefusal(
            f"the string value of PreemptionPolicy ({spec.preemption_policy}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
    added = []
    if origin:
        never = ", preemptionPolicy Never" if policy == "Never" and spec.preemption_policy != "Never" else ""
        added = [f"priority {priority}{never} from {origin}"]
    spec.priority = priority
    if policy:
        spec.preemption_policy = policy
    return added


def _establish(spec: PodSpec, classes: Mapping[str, PriorityClass]) -> tuple[int, str | None, str]:
    """Find priority, preemptionPolicy and where they come from.

    Source: establishPriority, getDefaultPriority: of several global defaults the one with the lowest value.
    """
    name = spec.priority_class_name
    if name:
        priority_class = classes.get(name)
        if priority_class is None and name in BUILT_IN:
            return BUILT_IN[name], "PreemptLowerPriority", f"PriorityClass {name}"
        if priority_class is None:
            raise AdmissionRefusal(f"no PriorityClass with name {name} was found")
        return priority_class.value, priority_class.preemption_policy or "PreemptLowerPriority", f"PriorityClass {name}"
    defaults = [class_ for class_ in classes.values() if class_.global_default]
    if not defaults:
        return 0, "PreemptLowerPriority", ""
    best = min(defaults, key=lambda priority_class: (priority_class.value, priority_class.name))
    spec.priority_class_name = best.name
    return best.value, best.preemption_policy or "PreemptLowerPriority", f"PriorityClass {best.name} (global default)"
