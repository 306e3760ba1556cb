"""From manifests to pods: the driver that takes each object through its controller, admission and quota."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kplan.admission.admit import Admission
from kplan.admission.changes import WorkloadChange, compare, current_replica_set, find_running, new_drafts, owned_pods
from kplan.admission.claim_validation import claim_problems
from kplan.admission.claims import ephemeral_claims, name_device_claims, set_claim_defaults
from kplan.admission.daemons import expand_daemon_set
from kplan.admission.decoding import Decoding
from kplan.admission.device_claims import device_claims
from kplan.admission.expansion import ExpandedPod, Expansion, LeftOut
from kplan.admission.field_problems import Problem
from kplan.admission.fleets import Fleet, fleet_of
from kplan.admission.label_validation import metadata_problems
from kplan.admission.left_out import from_broken, in_template, key_of, left_out, why_unknown
from kplan.admission.limit_ranger import check_claim_limits
from kplan.admission.names import Names
from kplan.admission.operators import PLACES, expand_at, expand_operator, group_of, missing_template
from kplan.admission.policies import Policies
from kplan.admission.quota import Quotas
from kplan.admission.raw import copied, dig, dig_text
from kplan.admission.refusal import Refusal
from kplan.admission.stand_ins import stand_in
from kplan.admission.validation import refusal_text, workload_problems
from kplan.admission.workloads import (
    Draft,
    Expand,
    Surroundings,
    Workload,
    expand_cron_job,
    expand_deployment,
    expand_job,
    expand_pod,
    expand_pod_template,
    expand_replicas,
    expand_stateful_set,
    namespace_of,
)
from kplan.objects.kind_words import WORKLOAD_WORDS, kind_word
from kplan.objects.kinds import find
from kplan.objects.models import Object, PersistentVolumeClaim, Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject, Manifests
from kplan.sources.fit import Misfit, write_path

CONTROLLERS: dict[tuple[str, str], Expand] = {
    ("", "Pod"): expand_pod,
    ("", "PodTemplate"): expand_pod_template,
    ("", "ReplicationController"): expand_replicas,
    ("apps", "Deployment"): expand_deployment,
    ("apps", "ReplicaSet"): expand_replicas,
    ("apps", "StatefulSet"): expand_stateful_set,
    ("apps", "DaemonSet"): expand_daemon_set,
    ("batch", "Job"): expand_job,
    ("batch", "CronJob"): expand_cron_job,
}
"""THE table of Kubernetes' own kinds that make pods, by group and kind; those of operators are ``operators.PLACES``."""

_OWN_WORDS = frozenset(map(kind_word, ("Pod", *WORKLOAD_WORDS)))
_HOOK = "helm.sh/hook"


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
    run = _Run(manifests, state, rules, namespace, comparison, dict(pod_templates or {}))
    for manifest in manifests.objects:
        run.take(manifest)
    run.refused += map(from_broken, manifests.broken_objects)
    return run.expansion()


@dataclass(slots=True)
class _Refusals:
    """Refused pods of one workload, folded by message."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)

    def add(self, message: str, pod: str, problems: tuple[Problem, ...] = ()) -> None:
        """Take one; of equal messages the first pod is named."""
        self.counts[message] += 1
        self.first.setdefault(message, pod)
        self.problems.setdefault(message, problems)


class _Run:
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
        self.decoding = Decoding(rules.minor, state)
        landing = [m for m in manifests.objects if not _hook(m) and self.decoding.refusal(m) is None]
        brought = [m.item for m in landing if m.item is not None]
        self.state = state
        self.namespace = namespace
        self.pod_templates = pod_templates
        self.policies = Policies.of(state, brought)
        self.admission = Admission(self.policies, rules)
        self.quotas = Quotas(self.policies.resource_quotas, rules, state.pods)
        self.claims = {claim.key for claim in state.persistent_volume_claims}
        self.namespaces = {item.name for item in state.namespaces} | {
            item.name for item in brought if type(item).__name__ == "Namespace"
        }
        names = Names({pod.key for pod in state.pods})
        self.around = Surroundings(names, self.policies.nodes, comparison=comparison, namespace=namespace)
        self.pods: list[ExpandedPod] = []
        self.objects: list[Object] = []
        self.not_expanded: list[LeftOut] = []
        self.refused: list[LeftOut] = []
        self.notes: list[str] = list(manifests.notes)
        self.changes: list[WorkloadChange] = []
        self.fleets: list[Fleet] = []
        self.silent = 0

    def expansion(self) -> Expansion:
        """Make the answer."""
        return Expansion(
            tuple(self.pods),
            tuple(self.objects),
            tuple(self.not_expanded),
            tuple(self.refused),
            tuple(dict.fromkeys(self.notes)),
            tuple(self.changes),
            self.quotas.uses(),
            tuple(self.fleets),
            self.quotas,
            self.silent,
        )

    def take(self, manifest: ManifestObject) -> None:
        """Take one object of the manifests."""
        hook = _hook(manifest)
        if hook:
            head = f"{manifest.kind} {key_of(manifest, self.namespace)} ({manifest.file}:{manifest.line})"
            self.notes.append(f"{head}: left out, a Helm hook ({hook})")
            return
        unread = self.decoding.refusal(manifest)
        if unread is not None:
            self._refuse(manifest, *unread)
            return
        self.notes += self.decoding.notes(manifest)
        key = (group_of(manifest), manifest.kind)
        if key[0] == "extensions":
            key = ("apps", key[1])
        if key in CONTROLLERS:
            self._take_workload(manifest, CONTROLLERS[key])
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
            else:
                self.silent += 1
                self.objects.append(manifest.item)
        elif why := why_unknown(manifest):
            self._leave_out(manifest, why)
        else:
            self.silent += 1

    def _leave_out(self, manifest: ManifestObject, why: str, problems: Sequence[Problem] = ()) -> None:
        self.not_expanded.append(left_out(manifest, self.namespace, why, problems))

    def _refuse(self, manifest: ManifestObject, why: str, problems: Sequence[Problem] = (), pods: int = 0) -> None:
        self.refused.append(left_out(manifest, self.namespace, why, problems, pods))

    def _misfit(self, manifest: ManifestObject, misfit: Misfit) -> None:
        """Refuse an object of Kubernetes' own that does not decode; leave one of an operator out."""
        say = self._leave_out if _is_foreign(manifest) else self._refuse
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
            if claim.key not in self.claims:
                self._let_in_claim(claim)
            self.silent += 1
        except Refusal as refusal:
            self._refuse(manifest, _claim_refusal(claim, refusal))

    def _let_in_claim(self, claim: PersistentVolumeClaim) -> list[str]:
        """Complete a new claim, and hold it against limits and quotas."""
        added = set_claim_defaults(claim, self.policies.storage_classes.values())
        check_claim_limits(claim, self.policies.limit_ranges.get(claim.namespace, []))
        self.quotas.let_in_claim(claim)
        self.claims.add(claim.key)
        self.objects.append(claim)
        return added

    def _refuse_fields(self, manifest: ManifestObject, name: str, problems: list[Problem]) -> None:
        self._refuse(manifest, refusal_text(manifest, name, problems), problems)

    def _take_foreign(self, manifest: ManifestObject, path: str) -> None:
        """Take a workload of an operator, by the table or by the user's path."""
        why = missing_template(manifest)
        if why:
            self._leave_out(manifest, why)
            return
        try:
            made = expand_at(path, manifest, self.around) if path else expand_operator(manifest, self.around)
        except Misfit as misfit:
            self._misfit(manifest, misfit)
            return
        word = self._word(manifest)
        change = WorkloadChange(word, _place(manifest), "new", 0, len(made.drafts))
        self._admit(manifest, made, list(made.drafts), change)

    def _word(self, manifest: ManifestObject) -> str:
        name = dig_text(manifest.raw, "metadata.name") or dig_text(manifest.raw, "metadata.generateName")
        space = namespace_of(manifest, self.namespace)
        return f"{kind_word(manifest.kind)}/{space}/{name}"

    def _take_workload(self, manifest: ManifestObject, make: Expand) -> None:
        """Take a workload of Kubernetes' own."""
        name = dig_text(manifest.raw, "metadata.name")
        word, place = self._word(manifest), _place(manifest)
        try:
            problems = workload_problems(manifest)
            if problems:
                shown = name or dig_text(manifest.raw, "metadata.generateName")
                self._refuse_fields(manifest, shown, problems)
                return
            space = namespace_of(manifest, self.namespace)
            known = self._stand_in(manifest, space, name, make)
            running = find_running(manifest, space, name, self.state)
            change = None
            if running is not None:
                change = compare(manifest, running, word, place, self.state)
                self._surround(manifest, running, change)
            if change is not None and change.verdict == "unchanged":
                self.changes.append(change)
                return
            made = make(manifest, self.around)
        except Misfit as misfit:
            self._misfit(manifest, misfit)
            return
        drafts = list(made.drafts)
        pods: tuple[Pod, ...] = ()
        if running is not None and change is not None:
            pods = owned_pods(running, self.state)
            drafts = new_drafts(drafts, change, pods, manifest.kind)
        change = change or WorkloadChange(word, place, "new", 0, len(drafts))
        admitted = len(self.pods)
        self._admit(manifest, made, drafts, change)
        mine = tuple(entry.pod for entry in self.pods[admitted:])
        fleet = fleet_of(manifest, change, running, pods, mine, from_pods=known)
        if fleet is not None:
            self.fleets.append(fleet)

    def _stand_in(self, manifest: ManifestObject, space: str, name: str, make: Expand) -> bool:
        """Put what runs into the state where only its pods tell of it; tell whether that was so."""
        apart = Surroundings(Names(), self.policies.nodes, comparison=self.around.comparison, namespace=self.namespace)
        found = stand_in(manifest, space, name, self.state, self.admission, lambda: make(manifest, apart))
        if found is None:
            return False
        self.state = found.state
        self.objects += found.objects
        self.notes.append(
            f"the source holds no {manifest.kind}s: {self._word(manifest)} is compared with its pods that run"
        )
        return True

    def _surround(self, manifest: ManifestObject, running: Object, change: WorkloadChange) -> None:
        self.around.running[f"{manifest.kind} {running.key}"] = running
        if manifest.kind == "Deployment" and change.verdict != "changed":
            current = current_replica_set(running, self.state)
            if current is not None:
                self.around.replica_sets[running.key] = current

    def _admit(self, manifest: ManifestObject, made: Workload, drafts: list[Draft], change: WorkloadChange) -> None:
        """Take the pods of a workload through admission, one after the other."""
        self.changes.append(change)
        if not drafts or manifest.kind != "StatefulSet":  # the steps of one are told, not noted
            self.notes += [f"{change.workload}: {note}" for note in made.notes]
        space = namespace_of(manifest, self.namespace)
        if self.state.completeness.has("Namespace") and space not in self.namespaces:
            self.notes.append(f"namespace {space} does not exist: it has to be made before {change.workload}")
        if manifest.item is not None and not isinstance(manifest.item, Pod):
            self.objects.append(manifest.item)
        self.objects += made.objects
        refusals = _Refusals()
        deadline = _has_deadline(manifest.raw)
        for draft in drafts:
            self._admit_pod(draft, change, deadline, refusals)
        for message, count in refusals.counts.items():
            share = f"{count} of {len(drafts)} pods: " if len(drafts) > 1 else ""
            problems = in_template(manifest.kind, not _is_foreign(manifest), refusals.problems[message])
            pods = 0 if manifest.kind == "Pod" else count  # the server has taken the object, and its controller tries
            self._refuse(manifest, f"{share}{refusals.first[message]}", problems, pods)

    def _admit_pod(self, draft: Draft, change: WorkloadChange, deadline: bool, refusals: _Refusals) -> None:
        pod = draft.pod
        added: list[str] = []
        try:
            for claim in draft.claims:
                if claim.key not in self.claims:
                    added += self._let_in_claim(claim)
        except Refusal as refusal:
            refusals.add(refusal.message, _claim_refusal(claim, refusal))
            return
        try:
            added = [*self.admission.admit(pod, complete=change.workload.partition("/")[0] in _OWN_WORDS), *added]
            if change.verdict != "changed":  # a rollout is held against quotas as it goes on
                self.quotas.let_in_pod(pod, terminating=deadline)
        except Refusal as refusal:
            what = f'Pod "{pod.name}" is invalid' if refusal.problems else f'pods "{pod.name}" is forbidden'
            refusals.add(refusal.message, f"{what}: {refusal.message}", refusal.problems)
            return
        added += name_device_claims(pod)
        for made in device_claims(pod, self.policies.claim_templates):
            if isinstance(made, str):
                self.notes.append(f"{change.workload} waits: {made}")
            else:
                self.objects.append(made)
        for claim in ephemeral_claims(pod):
            try:
                if claim.key not in self.claims:
                    added += self._let_in_claim(claim)
            except Refusal as refusal:
                self.notes.append(f"pod {pod.key} waits: {_claim_refusal(claim, refusal)}")
        self.pods.append(ExpandedPod(pod, change.workload, change.place, tuple(added)))


def _hook(manifest: ManifestObject) -> str:
    annotations = dig(manifest.raw, "metadata.annotations")
    value = annotations.get(_HOOK) if isinstance(annotations, dict) else None
    return value if isinstance(value, str) else ""


def _place(manifest: ManifestObject) -> str:
    return f"{manifest.file}:{manifest.line}"


def _is_foreign(manifest: ManifestObject) -> bool:
    return (group_of(manifest).replace("extensions", "apps"), manifest.kind) not in CONTROLLERS


def _has_deadline(raw: object) -> bool:
    """Tell whether the pods of an object have an activeDeadlineSeconds of their own."""
    if isinstance(raw, dict) and raw.get("kind") == "Pod":
        return dig(raw, "spec.activeDeadlineSeconds") is not None
    paths = ("spec.template.spec", "spec.jobTemplate.spec.template.spec", "template.spec")
    return any(dig(raw, f"{path}.activeDeadlineSeconds") is not None for path in paths)


def _claim_refusal(claim: PersistentVolumeClaim, refusal: Refusal) -> str:
    return f'persistentvolumeclaims "{claim.name}" is forbidden: {refusal.message}'
