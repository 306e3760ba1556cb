"""What lets in a manifest that changes what may not be changed: its object is deleted, and made again of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kplan.admission.controllers.changes import find_running, owned_pods, same_template, strategy_of
from kplan.admission.controllers.workloads import namespace_of, word_of
from kplan.admission.raw import dig_text
from kplan.objects.lean import replace
from kplan.objects.models import Object, Pod, StatefulSet
from kplan.objects.state import ClusterState
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, RemedyCost
from kplan.sources import ManifestObject
from kplan.sources.fit import Misfit

_DELETE = "Delete"


def made_again(manifest: ManifestObject, namespace: str, state: ClusterState) -> Iterator[Candidate]:
    """Propose to delete the object of a manifest first, its pods with it; those of a StatefulSet may stay.

    Which fields are refused is not asked: whether the manifest is let in then is tried as all remedies are.

    Args:
        manifest: the manifest, which is refused.
        namespace: of objects that name none.
        state: what runs.
    """
    name, space = dig_text(manifest.raw, "metadata.name"), namespace_of(manifest, namespace)
    running = find_running(manifest, space, name, state) if name else None
    if running is None:
        return
    word, key = word_of(manifest, namespace), manifest.kind.lower()
    pods = 1 if isinstance(running, Pod) else len(owned_pods(running, state))
    if isinstance(running, StatefulSet) and isinstance(manifest.item, StatefulSet) and pods:
        what = about.Named(_stay(manifest, running), name=word, names=(running.key,), key=key, new=pods)
        yield Candidate("made-again", RemedyCost.LOOSEN, what, brought=(_with_fixed_fields(running, manifest.item),))
    policy = running.spec.persistent_volume_claim_retention_policy if isinstance(running, StatefulSet) else None
    lost = (policy or {}).get("whenDeleted") == _DELETE
    what = about.Named({0: "idle", 1: "one"}.get(pods, ""), name=word, names=(running.key,), key=key, new=pods)
    yield Candidate("made-again", RemedyCost.LOSS, what, deleted=(running,), harm="loses-data" if lost else "")


def _stay(manifest: ManifestObject, running: StatefulSet) -> str:
    """Whether pods that are taken over stay: the controller replaces those of another template."""
    try:
        alike = same_template(manifest, running)
    except Misfit:
        alike = False
    replaces = strategy_of(manifest.kind, manifest.raw.get("spec")) != "OnDelete"
    return "replaced" if replaces and not alike else "kept"


def _with_fixed_fields(running: StatefulSet, wanted: StatefulSet) -> StatefulSet:
    """A set with the fields of another that cannot be changed in it: one that is made anew takes its pods over.

    Its selector stays: pods that it does not match are not taken over.
    """
    spec = replace(
        running.spec,
        volume_claim_templates=wanted.spec.volume_claim_templates,
        service_name=wanted.spec.service_name,
        pod_management_policy=wanted.spec.pod_management_policy,
    )
    return replace(running, spec=spec)


def without(state: ClusterState, deleted: Collection[Object]) -> ClusterState:
    """Delete objects from a state, with all that they own alone; it is not changed itself.

    Source: attemptToDeleteItem in pkg/controller/garbagecollector/garbagecollector.go: what another owner holds stays.
    """
    if not deleted:
        return state
    everything = list(state.objects())
    gone = {id(item) for item in everything for one in deleted if type(item) is type(one) and item.key == one.key}
    uids = {item.metadata.uid for item in everything if id(item) in gone} - {None}
    owned = [(item, {owner.uid for owner in item.metadata.owner_references or ()}) for item in everything]
    more = True
    while more:
        more = False
        for item, owners in owned:
            if owners and owners <= uids and id(item) not in gone:
                gone.add(id(item))
                uids |= {item.metadata.uid} - {None}
                more = True
    return state.having(item for item in everything if id(item) not in gone)
