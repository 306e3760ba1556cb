"""From manifests to pods: the driver that takes each object through its controller, admission and quota."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kplan.admission.admit import Admission
from kplan.admission.changes import WorkloadChange, compare, current_replica_set, find_running, owned_pods
from kplan.admission.claims import ephemeral_claims, name_device_claims, set_claim_defaults
from kplan.admission.daemons import expand_daemon_set, node_of
from kplan.admission.expansion import ExpandedPod, Expansion
from kplan.admission.field_problems import Problem
from kplan.admission.limit_ranger import check_claim_limits
from kplan.admission.names import Names
from kplan.admission.operators import PLACES, expand_at, expand_operator, group_of, missing_template
from kplan.admission.policies import Policies
from kplan.admission.quota import Quotas
from kplan.admission.raw import copied, dig, dig_text
from kplan.admission.refusal import Refusal
from kplan.admission.validation import claim_problems, refusal_text, workload_problems
from kplan.admission.workloads import (
    WORDS,
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
from kplan.objects.kinds import find
from kplan.objects.models import Object, PersistentVolumeClaim, Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import ManifestObject, Manifests
from kplan.sources.fit import Misfit, Path, write_path

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

_OWN_WORDS = frozenset(WORDS.values())
_HOOK = "helm.sh/hook"
_SILENT_KINDS = frozenset({"Secret", "ConfigMap", "ServiceAccount", "Event", "Endpoints"})
_SILENT_GROUPS = (
    "rbac.authorization.k8s.io",
    "networking.k8s.io",
    "admissionregistration.k8s.io",
    "apiregistration.k8s.io",
    "discovery.k8s.io",
    "coordination.k8s.io",
    "certificates.k8s.io",
    "autoscaling",
    "policy",
    "flowcontrol.apiserver.k8s.io",
    "gateway.networking.k8s.io",
    "monitoring.coreos.com",
    "cert-manager.io",
)
"""Groups whose objects make no pods and do not matter to the scheduler."""


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
    for broken in manifests.broken_objects:
        run.refused.append(f"{broken.kind} {broken.key} ({broken.place}): {broken.problem}")
    return run.expansion()


@dataclass(slots=True)
class _Refusals:
    """Refused pods of one workload, folded by message."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    path: Path = ()

    def add(self, message: str, pod: str, path: Path = ()) -> None:
        """Take one; of equal messages the first pod is named."""
        self.counts[message] += 1
        self.first.setdefault(message, pod)
        self.path = self.path or path


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
        landing = [m for m in manifests.objects if not _hook(m)]
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
        self.not_expanded: list[str] = []
        self.refused: list[str] = []
        self.notes: list[str] = list(manifests.notes)
        self.changes: list[WorkloadChange] = []

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
        )

    def take(self, manifest: ManifestObject) -> None:
        """Take one object of the manifests."""
        hook = _hook(manifest)
        if hook:
            self.notes.append(f"{self._head(manifest)}: left out, a Helm hook ({hook})")
            return
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
            self.objects.append(manifest.item)
        else:
            self._take_unknown(manifest, key)

    def _take_unknown(self, manifest: ManifestObject, key: tuple[str, str]) -> None:
        if manifest.kind == "CustomResourceDefinition":
            self._leave_out(manifest, "a CustomResourceDefinition makes no pods")
        elif manifest.kind in _SILENT_KINDS or key[0] in _SILENT_GROUPS:
            return
        else:
            hint = "" if key[0] in ("", "resource.k8s.io") else "; --pod-template says where its pod template is"
            self._leave_out(manifest, f"kplan does not know what {manifest.api_version} {manifest.kind} makes{hint}")

    def _leave_out(self, manifest: ManifestObject, why: str) -> None:
        self.not_expanded.append(f"{self._head(manifest)}: {why}")

    def _head(self, manifest: ManifestObject, path: Path = ()) -> str:
        name = dig_text(manifest.raw, "metadata.name") or dig_text(manifest.raw, "metadata.generateName")
        known = find(manifest.api_version, manifest.kind)
        space = namespace_of(manifest, self.namespace if known is None or known.namespaced else "")
        scoped = f"{space}/{name}" if space and (known is None or known.namespaced) else name
        return f"{manifest.kind} {scoped} ({_place(manifest, path)})"

    def _take_claim(self, manifest: ManifestObject, item: PersistentVolumeClaim) -> None:
        problems = list(claim_problems(manifest.raw.get("spec"), ("spec",)))
        if problems:
            self._refuse_fields(manifest, item.name, problems)
            return
        claim = copied(item)
        if claim.key in self.claims:
            return
        try:
            self._let_in_claim(claim)
        except Refusal as refusal:
            self.refused.append(f"{self._head(manifest)}: {_claim_refusal(claim, refusal)}")

    def _let_in_claim(self, claim: PersistentVolumeClaim) -> list[str]:
        """Complete a new claim, and hold it against limits and quotas."""
        added = set_claim_defaults(claim, self.policies.storage_classes.values())
        check_claim_limits(claim, self.policies.limit_ranges.get(claim.namespace, []))
        self.quotas.let_in_claim(claim)
        self.claims.add(claim.key)
        self.objects.append(claim)
        return added

    def _refuse_fields(self, manifest: ManifestObject, name: str, problems: list[Problem]) -> None:
        head = self._head(manifest, problems[0].path)
        self.refused.append(f"{head}: {refusal_text(manifest, name, problems)}")

    def _take_foreign(self, manifest: ManifestObject, path: str) -> None:
        """Take a workload of an operator, by the table or by the user's path."""
        why = missing_template(manifest)
        if why:
            self._leave_out(manifest, why)
            return
        try:
            made = expand_at(path, manifest, self.around) if path else expand_operator(manifest, self.around)
        except Misfit as misfit:
            self._leave_out(manifest, f"{write_path(misfit.path)}: {misfit.problem}")
            return
        word = self._word(manifest)
        change = WorkloadChange(word, _place(manifest), "new", 0, len(made.drafts))
        self._admit(manifest, made, list(made.drafts), change)

    def _word(self, manifest: ManifestObject) -> str:
        name = dig_text(manifest.raw, "metadata.name") or dig_text(manifest.raw, "metadata.generateName")
        space = namespace_of(manifest, self.namespace)
        return f"{WORDS.get(manifest.kind, manifest.kind.lower())}/{space}/{name}"

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
            self.refused.append(f"{self._head(manifest, misfit.path)}: {write_path(misfit.path)}: {misfit.problem}")
            return
        drafts = list(made.drafts)
        if running is not None and change is not None:
            drafts = _new_drafts(drafts, change, owned_pods(running, self.state), manifest.kind)
        self._admit(manifest, made, drafts, change or WorkloadChange(word, place, "new", 0, len(drafts)))

    def _surround(self, manifest: ManifestObject, running: Object, change: WorkloadChange) -> None:
        self.around.running[f"{manifest.kind} {running.key}"] = running
        if manifest.kind == "Deployment" and change.verdict != "changed":
            current = current_replica_set(running, self.state)
            if current is not None:
                self.around.replica_sets[running.key] = current

    def _admit(self, manifest: ManifestObject, made: Workload, drafts: list[Draft], change: WorkloadChange) -> None:
        """Take the pods of a workload through admission, one after the other."""
        self.changes.append(change)
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
            path = refusals.path if manifest.kind == "Pod" else ()
            self.refused.append(f"{self._head(manifest, path)}: {share}{refusals.first[message]}")

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
            self.quotas.let_in_pod(pod, terminating=deadline)
        except Refusal as refusal:
            what = f'Pod "{pod.name}" is invalid' if refusal.path else f'pods "{pod.name}" is forbidden'
            refusals.add(refusal.message, f"{what}: {refusal.message}", refusal.path)
            return
        added += name_device_claims(pod)
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


def _place(manifest: ManifestObject, path: Path = ()) -> str:
    """Write ``file:line``; the line of a field where the source can tell it."""
    line = manifest.line
    locate = getattr(manifest, "at", None)
    if path and callable(locate):
        line = locate(path)[0]
    return f"{manifest.file}:{line}"


def _has_deadline(raw: object) -> bool:
    """Tell whether the pods of an object have an activeDeadlineSeconds of their own."""
    if isinstance(raw, dict) and raw.get("kind") == "Pod":
        return dig(raw, "spec.activeDeadlineSeconds") is not None
    paths = ("spec.template.spec", "spec.jobTemplate.spec.template.spec", "template.spec")
    return any(dig(raw, f"{path}.activeDeadlineSeconds") is not None for path in paths)


def _claim_refusal(claim: PersistentVolumeClaim, refusal: Refusal) -> str:
    return f'persistentvolumeclaims "{claim.name}" is forbidden: {refusal.message}'


def _new_drafts(drafts: list[Draft], change: WorkloadChange, pods: tuple[Pod, ...], kind: str) -> list[Draft]:
    """Choose the pods that a controller makes for a workload that runs already."""
    if change.verdict == "changed":
        return drafts if change.rollout is None or change.rollout.strategy != "OnDelete" else []
    if kind == "StatefulSet":
        have = {pod.key for pod in pods}
        return [draft for draft in drafts if draft.pod.key not in have]
    if kind == "DaemonSet":
        served = {node_of(pod) for pod in pods}
        return [draft for draft in drafts if node_of(draft.pod) not in served]
    return drafts[len(drafts) - max(0, change.after - change.before) :]
