"""Names that are there more than once.

Of an object that manifests write again the last counts, as it does when kubectl applies them in order.
"""

from collections.abc import Iterable

from kplan.admission.controllers.operators import group_of
from kplan.admission.left_out import key_of
from kplan.admission.raw import dig_text
from kplan.objects.models import Pod
from kplan.sources import ManifestObject


def written_again(manifests: Iterable[ManifestObject], default: str) -> dict[int, ManifestObject]:
    """Find the objects that one further down replaces: by their ``id``, the one that counts.

    Args:
        manifests: what would be sent to the API server, in order.
        default: namespace of objects that name none.
    """
    last: dict[tuple[str, str, str], ManifestObject] = {}
    replaced: list[tuple[ManifestObject, tuple[str, str, str]]] = []
    for manifest in manifests:
        if not dig_text(manifest.raw, "metadata.name"):
            continue  # with a generateName alone each is another object
        # the extensions group had the kinds that are now in apps
        key = (group_of(manifest).replace("extensions", "apps"), manifest.kind, key_of(manifest, default))
        if key in last:
            replaced.append((last[key], key))
        last[key] = manifest
    return {id(manifest): last[key] for manifest, key in replaced}


def owner_of_pod(pod: Pod) -> tuple[str, str]:
    """Kind and name of the controller of a pod, by which two of one name are told apart; empty for one without."""
    owner = pod.controller
    return (owner.kind or "", owner.name or "") if owner is not None else ("", "")
