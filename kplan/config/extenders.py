"""HTTP extenders: about which pods the scheduler asks one, and the doubt that is left where it is not asked."""

from __future__ import annotations

from kplan.framework.args import Extender
from kplan.framework.doubt import Doubt
from kplan.objects.models import Pod

DOUBT = "extender-not-asked"


def is_interested(extender: Extender, pod: Pod) -> bool:
    """Tell whether an extender is asked about a pod: about all, or those that ask for a resource it manages.

    Source: kubernetes v1.37.2 pkg/scheduler/extender.go IsInterested, hasManagedResources.
    """
    managed = {resource.name for resource in extender.managed_resources}
    if not managed:
        return True
    containers = (*(pod.spec.containers or ()), *(pod.spec.init_containers or ()))
    for container in containers:
        asked = container.resources
        if asked is not None and managed & {*(asked.requests or {}), *(asked.limits or {})}:
            return True
    return False


def extender_doubt(extender: Extender) -> Doubt | None:
    """Say what an extender may change about a verdict; None for one that says nothing before a pod is bound.

    One that is ignorable is no less of a doubt: it is passed over only while it does not answer.

    Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go findNodesThatPassExtenders, prioritizeNodes;
    pkg/scheduler/framework/preemption/preemption.go callExtenders.
    """
    verbs = ((extender.filter_verb, "refuse nodes"), (extender.prioritize_verb, "prefer others"))
    may = [told for verb, told in (*verbs, (extender.preempt_verb, "keep pods from being evicted")) if verb]
    if not may:
        return None
    what = f"{', '.join(may[:-1])} or {may[-1]}" if len(may) > 1 else may[0]
    return Doubt(DOUBT, f"extender {extender.shown} is not asked: it may {what}")
