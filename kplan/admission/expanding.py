"""From manifests to pods: the driver that takes each object through its controller, admission and quota.

Long because each kind of object is taken through in one place.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec import structs
from msgspec.structs import replace

from kplan.admission.controllers.adoption import adopted_pods, adopted_sets, adopting, with_adopted
from kplan.admission.controllers.changes import (
    WorkloadChange,
    compare,
    find_running,
    keeping_replicas,
    new_drafts,
    owned_pods,
    same_template,
    under_way,
)
from kplan.admission.controllers.daemons import node_of
from kplan.admission.controllers.fleets import Fleet, drafts_of, fleet_of, leaving_fleet
from kplan.admission.controllers.generations import (
    ROLLING,
    Generations,
    generations_adopted,
    generations_of,
    wanted_set,
)
from kplan.admission.controllers.jobs import NEXT_RUN, taken_indexes
from kplan.admission.controllers.kinds import controller_of, is_foreign
from kplan.admission.controllers.makers import maker_of
from kplan.admission.controllers.names import Names
from kplan.admission.controllers.operated import OPERATED, operated
from kplan.admission.controllers.operators import PLACES, expand_at, expand_operator, missing_template
from kplan.admission.controllers.stand_ins import stand_in
from kplan.admission.controllers.stop_of_set import StopOfSet
from kplan.admission.controllers.workloads import (
    Draft,
    Expand,
    ExpandedWorkload,
    Surroundings,
    namespace_of,
    word_of,
)
from kplan.admission.expansion import NO_PODS, Expansion, LeftOut
from kplan.admission.left_out import (
    about_instead,
    defined_for_the_cluster,
    from_broken,
    hook_of,
    in_template,
    key_of,
    left_out,
    why_unknown,
    written_again,
)
from kplan.admission.policies.lookup import Policies
from kplan.admission.policies.object_quota import charged, quota_refusal
from kplan.admission.raw import copied, dig, dig_text, group_of, has_deadline
from kplan.admission.refusal import AdmissionRefusal, Problem, Refusals, claim_refusal
from kplan.admission.server import Server
from kplan.admission.validation.claims import claim_problems
from kplan.admission.validation.decoding import Decoding
from kplan.admission.validation.labels import metadata_problems
from kplan.admission.validation.updates import update_problems
from kplan.admission.validation.workloads import gated_problems, refusal_text, workload_problems
from kplan.objects.kinds import find
from kplan.objects.models import Object, PersistentVolumeClaim, Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject, Manifests
from kplan.sources.fit import Misfit, write_path
from kplan.words import count, listed

_EVERYWHERE = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Namespaces that an API server makes itself."""


def expand(
    manifests: Manifests,
    state: ClusterState,
    rules: RequestRules,
    *,
    namespace: str = "default",
    comparison: bool = False,
    pod_templates: Mapping[str, str] | None = None,
) -> Expansion:
    """Expand manifests to pods, with defaults and admission applied.

    Nothing of the state or of the manifests is changed.

    Args:
        manifests: what ``kplan.sources.load_objects`` read, with the same namespace.
        state: what runs, and the policies it has.
        rules: how the version counts requests.
        namespace: of objects that name none.
        comparison: gate TaintTolerationComparisonOperators.
        pod_templates: dotted path of the pod template by kind, for kinds that kplan does not know; ``""`` as a kind
            stands for all others.
    """
    run = _Expansion(manifests, state, rules, namespace, comparison, dict(pod_templates or {}))
    for manifest in manifests.objects:
        run.take(manifest)
    run.refused += map(from_broken, manifests.broken_objects)
    return run.expansion()


class _Expansion:
    """One expansion under way."""

    def __init__(
        self,
        manifests: Manifests,
        state: ClusterState,
        rules: RequestRules,
        namespace: str,
        comparison: bool,
        pod_templates: dict[str, str],
    ) -> None:
        self.minor, self.rules = rules.minor, rules
        self.decoding = Decoding(rules.minor, state)
        landing = [m for m in manifests.objects if not hook_of(m) and self.decoding.refusal(m) is None]
        self.wide = defined_for_the_cluster(landing)
        self.again = written_again(landing, namespace, self.wide)
        brought = [m.item for m in landing if m.item is not None and id(m) not in self.again]
        self.state = state
        self.namespace = namespace
        self.pod_templates = pod_templates
        self.policies = Policies.of(state, brought)
        self.server = Server(state, self.policies, rules)
        self.namespaces = {item.name for item in state.namespaces} | _EVERYWHERE
        self.namespaces |= {item.name for item in brought if type(item).__name__ == "Namespace"}
        names = Names({pod.key for pod in state.pods})
        self.around = Surroundings(
            names, self.policies.nodes, comparison=comparison, namespace=namespace, time=state.taken
        )
        self.not_expanded: list[LeftOut] = []
        self.refused: list[LeftOut] = []
        self.server.notes += manifests.notes
        self.changes: list[WorkloadChange] = []
        self.fleets: list[Fleet] = []
        self.silent = 0
        self.trusted: list[LeftOut] = []
        placed = [(namespace_of(manifest_object, namespace), manifest_object) for manifest_object in landing]
        self.running = {
            space
            for space, manifest_object in placed
            if find_running(manifest_object, space, dig_text(manifest_object.raw, "metadata.name"), state)
        }

    def expansion(self) -> Expansion:
        """Make the answer."""
        return Expansion(
            tuple(self.server.pods),
            tuple(self.server.objects),
            tuple(self.not_expanded),
            tuple(self.refused),
            tuple(dict.fromkeys(self.server.notes)),
            tuple(self.changes),
            self.server.quotas.uses(),
            tuple(self.fleets),
            self.server.quotas,
            self.silent,
            tuple(self.trusted),
        )

    def take(self, manifest: ManifestObject) -> None:
        """Take one object of the manifests."""
        if self._passes_over(manifest):
            return
        manifest = self._named(manifest)
        self.server.notes += self.decoding.notes(manifest)
        key, make = (group_of(manifest), manifest.kind), controller_of(manifest)
        if make is not None:
            self._take_workload(manifest, make)
        elif manifest.kind in self.pod_templates or (
            key not in PLACES and "" in self.pod_templates and not manifest.item
        ):
            path = self.pod_templates.get(manifest.kind, self.pod_templates.get("", ""))
            self._take_foreign(manifest, path)
        elif key in PLACES:
            self._take_foreign(manifest, "")
        elif isinstance(manifest.item, PersistentVolumeClaim):
            self._take_claim(manifest, manifest.item)
        elif manifest.item is not None:
            known = find(manifest.api_version, manifest.kind)
            spaced = known is None or known.namespaced
            problems = list(metadata_problems(manifest.item.metadata, manifest.kind, namespaced=spaced))
            if problems:
                self._refuse_fields(manifest, manifest.item.name, problems)
            elif self._let_in(manifest, manifest.item.name):
                self.silent += 1
                self.server.objects.append(manifest.item)
        elif self._let_in(manifest, dig_text(manifest.raw, "metadata.name")):
            why = why_unknown(manifest)
            if why:
                self._leave_out(manifest, why)
            self.silent += not why
            if not why and (instead := about_instead(manifest)):
                self.trusted.append(left_out(manifest, self.namespace, instead, wide=self.wide))

    def _named(self, manifest: ManifestObject) -> ManifestObject:
        """Complete a ``generateName`` as the server does on arrival, so that each such object is one of its own."""
        base = dig_text(manifest.raw, "metadata.generateName")
        if not base or dig_text(manifest.raw, "metadata.name"):
            return manifest
        name = self.around.names.generate(base, namespace_of(manifest, self.namespace))
        raw = {**manifest.raw, "metadata": {**cast(dict[str, object], manifest.raw["metadata"]), "name": name}}
        item = manifest.item
        if item is not None:
            item = structs.replace(item, metadata=structs.replace(item.metadata, name=name))
        return dataclasses.replace(manifest, raw=raw, item=item)

    def _passes_over(self, manifest: ManifestObject) -> bool:
        """Pass over what is not sent, what the server cannot read, and what is written again further down."""
        head = f"{manifest.kind} {key_of(manifest, self.namespace, self.wide)} ({manifest.place})"
        hook = hook_of(manifest)
        if hook:
            self.server.notes.append(f"{head}: left out, a Helm hook ({hook})")
            return True
        unread = self.decoding.refusal(manifest)
        if unread is not None:
            self._refuse(manifest, *unread)
            return True
        last = self.again.get(id(manifest))
        if last is not None and last.raw != manifest.raw:
            self.server.notes.append(f"{head}: written again at {last.place}, and the last counts")
        return last is not None

    def _leave_out(self, manifest: ManifestObject, why: str, problems: Sequence[Problem] = ()) -> None:
        self.not_expanded.append(left_out(manifest, self.namespace, why, problems, wide=self.wide))

    def _refuse(
        self,
        manifest: ManifestObject,
        why: str,
        problems: Sequence[Problem] = (),
        pods: int = 0,
        *,
        by_quota: bool = False,
        unmade: str = "",
    ) -> None:
        told = left_out(manifest, self.namespace, why, problems, pods, self.wide)
        self.refused.append(replace(told, by_quota=by_quota, unmade=unmade))

    def _misfit(self, manifest: ManifestObject, misfit: Misfit) -> None:
        """Refuse an object of Kubernetes' own that does not decode; leave one of an operator out."""
        say = self._leave_out if is_foreign(manifest) else self._refuse
        problems = [Problem(misfit.path, misfit.problem)] if misfit.path else []
        say(manifest, f"{write_path(misfit.path)}: {misfit.problem}".removeprefix(": "), problems)

    def _take_claim(self, manifest: ManifestObject, item: PersistentVolumeClaim) -> None:
        problems = [
            *metadata_problems(item.metadata, manifest.kind),
            *claim_problems(manifest.raw.get("spec"), ("spec",)),
        ]
        if problems:
            self._refuse_fields(manifest, item.name, problems)
            return
        claim = copied(item)
        try:
            self.server.let_in_claim(claim)
            self.silent += 1
        except AdmissionRefusal as refusal:
            self._refuse(manifest, claim_refusal(claim, refusal), by_quota=refusal.by_quota)

    def _let_in(self, manifest: ManifestObject, name: str) -> bool:
        """Hold an object that is no pod against the quotas that count its kind; tell whether they let it in."""
        space = namespace_of(manifest, self.namespace)
        if said := self.server.ending(space):
            kind = find(manifest.api_version, manifest.kind)
            what = ".".join(filter(None, (kind.plural, kind.group))) if kind is not None else manifest.kind
            self._refuse(manifest, f'{what} "{name}" is forbidden: {said}')
            return False
        why = quota_refusal(manifest, space, name, self.state, self.server.quotas, new=space not in self.running)
        if why:
            self._refuse(manifest, why, by_quota=True)
        return not why

    def _refuse_fields(self, manifest: ManifestObject, name: str, problems: list[Problem]) -> None:
        self._refuse(manifest, refusal_text(manifest, name, problems), problems)

    def _take_foreign(self, manifest: ManifestObject, path: str) -> None:
        """Take a workload of an operator, by the table or by the user's path."""
        if path == NO_PODS:
            self.silent += 1
            return
        why = missing_template(manifest)
        if why:
            self._leave_out(manifest, why)
            return
        try:
            made = expand_at(path, manifest, self.around) if path else expand_operator(manifest, self.around)
        except Misfit as misfit:
            self._misfit(manifest, misfit)
            return
        word, drafts = word_of(manifest, self.namespace), list(made.drafts)
        space, name = namespace_of(manifest, self.namespace), dig_text(manifest.raw, "metadata.name")
        there = operated((group_of(manifest), manifest.kind, space, name), word, manifest.place, drafts, self.state)
        if there is None and not self._let_in(manifest, name):
            return
        if there is None:
            self._admit(manifest, made, drafts, WorkloadChange(word, manifest.place, "new", 0, len(drafts)))
            return
        self._admit(manifest, ExpandedWorkload(notes=made.notes), list(there.drafts), there.change)
        fleet = leaving_fleet(there.change, OPERATED, there.pods)
        if fleet is not None:
            self.fleets.append(fleet)

    def _take_workload(self, manifest: ManifestObject, make: Expand) -> None:
        """Take a workload of Kubernetes' own."""
        name = dig_text(manifest.raw, "metadata.name")
        word, place = word_of(manifest, self.namespace), manifest.place
        try:
            problems = workload_problems(manifest)
            if problems:
                shown = name or dig_text(manifest.raw, "metadata.generateName")
                self._refuse_fields(manifest, shown, problems)
                return
            space = namespace_of(manifest, self.namespace)
            known = self._stand_in(manifest, space, name, make)
            running = find_running(manifest, space, name, self.state)
            change, grown = None, Generations()
            manifest = keeping_replicas(manifest, running) if running is not None else manifest
            held = running if not known else None
            problems = update_problems(manifest, held, self.minor, same_template)
            problems += gated_problems(manifest, running, recreate=self.rules.sets_recreate)
            if problems:
                self._refuse_fields(manifest, name, problems)
                return
            if running is None and not self._let_in(manifest, name):
                return
            running = running or self._with_sets(manifest, word, space)
            adopted = adopted_pods(manifest, space, self._without_owner(space))
            if running is not None:
                change = compare(manifest, running, word, place, self.state, adopted)
                self._surround(manifest, running)
                mine = (*owned_pods(running, self.state), *adopted)
                grown = self._generations(manifest, running, mine, make)
                change = under_way(change, manifest, running, mine, grown)
                self.server.notes += [f"{word}: {note}" for note in change.notes]
            if change is not None and change.verdict == "unchanged":
                self.changes.append(change)
                return
            made = make(manifest, self.around)
        except Misfit as misfit:
            self._misfit(manifest, misfit)
            return
        drafts = list(
            drafts_of(
                manifest, made, running, change, self.state, lambda manifest_object: make(manifest_object, self.around)
            )
        )
        pods: tuple[Pod, ...] = ()
        if running is not None and change is not None:
            pods = (*owned_pods(running, self.state), *adopted)
            drafts = new_drafts(drafts, change, pods, manifest.kind, grown.kept)
        elif adopted:
            pods = adopted
            named = {draft.pod.name: draft.pod for draft in drafts}
            grown = generations_adopted(manifest, pods, self.state, self.server.admission, named)
            change = adopting(manifest, word, place, pods, drafts, grown, self.state.taken)
            drafts = new_drafts(drafts, change, pods, manifest.kind, grown.kept)
        if adopted:
            names = listed(sorted(pod.name for pod in adopted))
            self.server.adopt(adopted, manifest.kind, name)
            self.server.notes.append(f"{word} adopts {count(len(adopted), 'pod')} without an owner: {names}")
        change = change or WorkloadChange(word, place, "new", 0, len(drafts))
        if self._maker_refused(manifest, made, drafts, change, running):
            return
        known_pods = len(self.server.pods)
        self._admit(manifest, made, drafts, change)
        admitted = tuple(entry.pod for entry in self.server.pods[known_pods:])
        nodes = frozenset(node_of(draft.pod) for draft in made.drafts if manifest.kind == "DaemonSet")
        fleet = fleet_of(manifest, change, running, pods, admitted, grown, nodes, self.rules, from_pods=known)
        if fleet is not None:
            self.fleets.append(fleet)

    def _without_owner(self, namespace: str) -> Iterator[Pod]:
        """Yield the pods of a namespace that a workload may adopt, those of manifests further up among them."""
        yield from self.state.pods_without_owner.get(namespace, ())
        yield from self.server.pods_without_owner.get(namespace, ())

    def _maker_refused(
        self,
        manifest: ManifestObject,
        made: ExpandedWorkload,
        drafts: list[Draft],
        change: WorkloadChange,
        running: Object | None,
    ) -> bool:
        """Hold what a controller makes first of all, a ReplicaSet or Job, against quotas; tell whether it is refused.

        Then there are no pods of it, and those of an old ReplicaSet stay.
        """
        if running is not None and change.verdict not in ("changed", NEXT_RUN):
            return False
        first = maker_of(manifest, made, drafts, self.state if running is not None else None)
        if first is None:
            return False
        why = charged(self.server.quotas, (first.plural, first.group), first.namespace, first.name)
        if not why:
            return False
        self.changes.append(replace(change, leaving=(), strategy="", verdict="new" if running is None else "unchanged"))
        if manifest.item is not None:
            self.server.objects.append(manifest.item)
        told = f"its {first.kind} is refused, so no pod is made: {why}"
        self._refuse(manifest, told, pods=len(drafts), by_quota=True, unmade=first.kind)
        return True

    def _stand_in(self, manifest: ManifestObject, space: str, name: str, make: Expand) -> bool:
        """Put what runs into the state where only its pods tell of it; tell whether that was so."""
        apart = self.around.apart()
        substitute = stand_in(manifest, space, name, self.state, self.server.admission, lambda: make(manifest, apart))
        if substitute is None:
            return False
        self.state = substitute.state
        self.server.objects += substitute.objects
        word = word_of(manifest, self.namespace)
        self.server.notes.append(f"the source holds no {manifest.kind}s: {word} is compared with its pods that run")
        return True

    def _with_sets(self, manifest: ManifestObject, word: str, space: str) -> Object | None:
        """Put a new Deployment into the state with the ReplicaSets that it adopts; None where it adopts none."""
        sets = adopted_sets(manifest, space, self.state)
        if not sets:
            return None
        substitute = with_adopted(manifest, sets, self.state)
        self.state = substitute.state
        self.server.objects += substitute.objects
        names = listed(sorted(one.name for one in sets))
        self.server.notes.append(f"{word} adopts {count(len(sets), 'ReplicaSet')} without an owner: {names}")
        return substitute.objects[0]

    def _surround(self, manifest: ManifestObject, running: Object) -> None:
        self.around.running[f"{manifest.kind} {running.key}"] = running
        self.around.taken = taken_indexes(running, owned_pods(running, self.state))
        if manifest.kind != "Deployment":
            return
        same = dig(manifest.raw, "spec.paused") is True or same_template(manifest, running)
        current = wanted_set(manifest, running, self.state, same=same)
        if current is not None:
            self.around.replica_sets[running.key] = current

    def _generations(
        self, manifest: ManifestObject, running: Object, pods: tuple[Pod, ...], make: Expand
    ) -> Generations:
        """Tell which pods of a workload that runs have the template of its manifest."""
        if manifest.kind not in ROLLING:
            return Generations()
        admission, same = self.server.admission, same_template(manifest, running)
        apart = self.around.apart()
        return generations_of(manifest, running, pods, self.state, admission, lambda: make(manifest, apart), same=same)

    def _admit(
        self, manifest: ManifestObject, made: ExpandedWorkload, drafts: list[Draft], change: WorkloadChange
    ) -> None:
        """Take the pods of a workload through admission, one after the other."""
        self.changes.append(change)
        if not drafts or manifest.kind != "StatefulSet":  # the steps of one are told, not noted
            self.server.notes += [f"{change.workload}: {note}" for note in made.notes]
        space = namespace_of(manifest, self.namespace)
        if self.state.completeness.has("Namespace") and space not in self.namespaces:
            self.server.notes.append(f"namespace {space} does not exist: it has to be made first")
        if manifest.item is not None and not isinstance(manifest.item, Pod):
            self.server.objects.append(manifest.item)
        self.server.objects += made.objects
        refusals = Refusals()
        deadline = has_deadline(manifest.raw)
        stop = StopOfSet(manifest) if manifest.kind == "StatefulSet" and not is_foreign(manifest) else None
        for draft in drafts:
            if stop is not None and stop.skips(draft.pod):
                continue
            if not self.server.let_in_pod(draft, change, refusals, deadline=deadline) and stop is not None:
                stop.refused(draft.pod)
        for message, number in refusals.counts.items():
            share = f"{number} of {len(drafts)} pods: " if len(drafts) > 1 else ""
            refusal = refusals.refusals[message]
            problems = in_template(manifest.kind, not is_foreign(manifest), refusal.problems)
            after = stop.told if stop is not None else ""
            skipped = len(stop.skipped) if stop is not None else 0
            # the server has taken the object, and its controller tries
            pods = 0 if manifest.kind == "Pod" else number + skipped
            why = f"{share}{refusals.first[message]}{after}"
            self._refuse(manifest, why, problems, pods, by_quota=refusal.by_quota)
