"""Claims that are made for one pod alone, named after it: those of ephemeral volumes, and of templates of devices."""

from __future__ import annotations

from kplan.framework.findings import About
from kplan.framework.reason_codes import AboutKind
from kplan.objects.models import Pod
from kplan.plugins.shared.claims import claim_uses


def own_claims(pod: Pod) -> dict[About, str]:
    """Give each claim that is made for a pod, as reasons are about it, with its entry in the pod's spec.

    Pods that are alike but for their names have the same entries, each with claims of its own.
    """
    own = {About(AboutKind.CLAIM, use.name): use.volume for use in claim_uses(pod) if use.ephemeral}
    made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses or ()}
    for entry in pod.spec.resource_claims or ():
        if entry.resource_claim_name is None:
            name = made.get(entry.name)
            own[About(AboutKind.DEVICE_CLAIM, f"{pod.namespace}/{name}" if name else entry.name)] = entry.name
    return own
