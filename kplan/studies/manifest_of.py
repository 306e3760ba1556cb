"""Which object of manifests a plan tells of: several may begin on one line, as in JSON."""

from __future__ import annotations

from kplan.admission.controllers.workloads import word_of
from kplan.admission.raw import dig_text
from kplan.sources import Manifests
from kplan.sources.manifests import ManifestObject


def manifest_of(manifests: Manifests, workload: str, place: str) -> ManifestObject | None:
    """Find the object of a workload.

    Args:
        manifests: the manifests, as they were read.
        workload: ``deploy/shop/web``.
        place: ``file:line``.

    Returns:
        The object, of several of one name the last, which counts; None where its name was made up for it, and others
        of its line are named likewise.
    """
    there = [manifest for manifest in manifests.objects if manifest.place == place]
    if len(there) < 2:
        return next(iter(there), None)
    words = {id(manifest): word_of(manifest, manifests.namespace) for manifest in there}
    named = [manifest for manifest in there if words[id(manifest)] == workload]
    if named:
        return named[-1]
    made_up = [
        manifest
        for manifest in there
        if not dig_text(manifest.raw, "metadata.name") and workload.startswith(words[id(manifest)])
    ]
    return made_up[0] if len(made_up) == 1 else None
