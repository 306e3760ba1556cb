"""Which object of manifests a plan tells of: several may begin on one line, as in JSON."""

from __future__ import annotations

from msgspec import Struct

from kplan.admission.controllers.workloads import namespace_of, word_of
from kplan.admission.raw import dig_text, read_template
from kplan.objects.lean import replace
from kplan.objects.models import Pod
from kplan.remedies.fields import template_specs
from kplan.sources import Manifests
from kplan.sources.fit import Misfit
from kplan.sources.manifests import ManifestObject
from kplan.studies.by_object import Mine


class _Named(Struct, frozen=True):
    """Objects of manifests by what a plan tells of them, each in order."""

    at: dict[str, list[ManifestObject]]
    by_name: dict[str, list[ManifestObject]]
    made_up: tuple[tuple[str, ManifestObject], ...]
    """Those whose names are made up, each with what those begin with."""

    @classmethod
    def of(cls, manifests: Manifests) -> _Named:
        """Look at each object once."""
        at: dict[str, list[ManifestObject]] = {}
        by_name: dict[str, list[ManifestObject]] = {}
        made_up = []
        for manifest in manifests.objects:
            at.setdefault(manifest.place, []).append(manifest)
            word, name = word_of(manifest, manifests.namespace), dig_text(manifest.raw, "metadata.name")
            by_name.setdefault(word, []).append(manifest)
            if name:
                in_full = f"{manifest.kind} {namespace_of(manifest, manifests.namespace)}/{name}"
                by_name.setdefault(in_full, []).append(manifest)
            else:
                made_up.append((word, manifest))
        return cls(at, by_name, tuple(made_up))


def manifest_of(manifests: Manifests, workload: str, place: str) -> ManifestObject | None:
    """Find the object of a workload.

    Args:
        manifests: the manifests, as they were read.
        workload: ``deploy/shop/web``, or ``Deployment shop/web`` as one is called that is refused itself.
        place: ``file:line`` where it begins, or of a field of it that is refused.

    Returns:
        The object, of several of one name the last, which counts; None where its name was made up for it, and others
        of its line are named likewise.
    """
    known = manifests.derived("named", lambda: _Named.of(manifests))
    there = known.at.get(place, ())
    if len(there) == 1:
        return there[0]
    named = [manifest for manifest in known.by_name.get(workload, ()) if not there or manifest.place == place]
    if named:
        return named[-1]
    made_up = [
        manifest
        for word, manifest in known.made_up
        if workload.startswith(word) and (not there or manifest.place == place)
    ]
    return made_up[0] if len(made_up) == 1 else None


def name_of(manifests: Manifests, item: Mine) -> str:
    """Name of an object once it is let in: one that is refused itself has none as a workload."""
    refused = item.change.refused and not item.change.workload
    manifest = manifest_of(manifests, item.name, item.change.place) if refused else None
    return item.name if manifest is None else word_of(manifest, manifests.namespace)


def refused_template(manifests: Manifests, item: Mine) -> Pod | None:
    """The only pod template of an object, as a pod in its namespace; None where there is none, or are several."""
    manifest = manifest_of(manifests, item.name, item.change.place)
    templates = template_specs(manifest) if manifest is not None else []
    if manifest is None or len(templates) != 1:
        return None
    try:
        pod = read_template({"spec": templates[0]}, "")
    except Misfit:
        return None
    return replace(pod, metadata=replace(pod.metadata, namespace=namespace_of(manifest, manifests.namespace)))
