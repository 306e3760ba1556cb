"""The API server: it completes and lets in the pods and claims that manifests bring, or refuses them."""

from collections.abc import Iterable

from kplan.admission.admit import Admission
from kplan.admission.controllers.changes import WorkloadChange
from kplan.admission.controllers.device_claims import device_claims, name_device_claims
from kplan.admission.controllers.workloads import Draft
from kplan.admission.expansion import ExpandedPod
from kplan.admission.policies.claims import ephemeral_claims, set_claim_defaults
from kplan.admission.policies.limit_ranger import check_claim_limits
from kplan.admission.policies.lookup import Policies
from kplan.admission.policies.quota import Quotas
from kplan.admission.refusal import AdmissionRefusal, Refusals, claim_refusal
from kplan.objects.kind_words import WORKLOAD_WORDS, kind_word
from kplan.objects.models import Object, PersistentVolumeClaim, Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState

_OWN_WORDS = frozenset(map(kind_word, ("Pod", *WORKLOAD_WORDS)))


class Server:
    """One API server while manifests land.

    Args:
        state: what is there already.
        policies: of the state and of the manifests.
        rules: how the version counts requests.

    Attributes:
        admission: completes pods.
        quotas: with all that was let in.
        pods: those that were let in.
        pods_without_owner: those of them that nothing controls, by namespace.
        objects: the others.
        notes: what else to say.
    """

    def __init__(self, state: ClusterState, policies: Policies, rules: RequestRules) -> None:
        self._policies = policies
        self._claims = {claim.key for claim in state.persistent_volume_claims}
        self._owners = {pod.key: _owner_of(pod) for pod in state.pods}
        self._ending = {space.name for space in state.namespaces if space.metadata.deletion_timestamp}
        self.admission = Admission(policies, rules)
        self.quotas = Quotas(policies.resource_quotas, rules, state.pods)
        self.pods: list[ExpandedPod] = []
        self.pods_without_owner: dict[str, list[Pod]] = {}
        self.objects: list[Object] = []
        self.notes: list[str] = []

    def ending(self, namespace: str) -> str:
        """What is said of what is new in a namespace that is being deleted; empty of others.

        Source: Admit in apiserver v0.37.2 pkg/admission/plugin/namespace/lifecycle/admission.go.
        """
        if namespace not in self._ending:
            return ""
        return f"unable to create new content in namespace {namespace} because it is being terminated"

    def let_in_claim(self, claim: PersistentVolumeClaim) -> list[str]:
        """Complete a claim and hold it against limits and quotas, unless it is there; return what was added to it.

        Raises:
            Refusal: it is refused; then nothing is counted.
        """
        if claim.key in self._claims:
            return []
        added = set_claim_defaults(claim, self._policies.storage_classes.values())
        check_claim_limits(claim, self._policies.limit_ranges.get(claim.namespace, []))
        self.quotas.let_in_claim(claim)
        self._claims.add(claim.key)
        self.objects.append(claim)
        return added

    def adopt(self, pods: Iterable[Pod], kind: str, name: str) -> None:
        """Take note of who owns pods now: one that it makes again has the name of one that left."""
        self._owners.update((pod.key, (kind, name)) for pod in pods)

    def let_in_pod(self, draft: Draft, change: WorkloadChange, refusals: Refusals, *, deadline: bool) -> bool:
        """Complete a pod that a controller sends, with its claims; tell whether it was let in.

        Args:
            draft: the pod, and the claims that are sent before it.
            change: its workload.
            refusals: takes what is said where it is refused.
            deadline: whether it has an activeDeadlineSeconds.
        """
        pod = draft.pod
        added: list[str] = []
        if self._owners.get(pod.key, _owner_of(pod)) != _owner_of(pod):
            # of a name that a controller chooses, another pod may be there: it tries in vain until that is gone
            refusals.add(AdmissionRefusal(pod.name), f'pods "{pod.name}" already exists')
            return False
        if said := self.ending(pod.namespace):
            refusals.add(AdmissionRefusal(pod.name), f'pods "{pod.name}" is forbidden: {said}')
            return False
        for claim in draft.claims:
            try:
                added += self.let_in_claim(claim)
            except AdmissionRefusal as refusal:
                refusals.add(refusal, claim_refusal(claim, refusal))
                return False
        try:
            added = [*self.admission.admit(pod, complete=change.workload.partition("/")[0] in _OWN_WORDS), *added]
            if change.verdict not in ("changed", "continues"):  # a rollout is held against quotas as it goes on
                self.quotas.let_in_pod(pod, terminating=deadline)
        except AdmissionRefusal as refusal:
            what = f'Pod "{pod.name}" is invalid' if refusal.problems else f'pods "{pod.name}" is forbidden'
            refusals.add(refusal, f"{what}: {refusal.message}")
            return False
        self._owners[pod.key] = _owner_of(pod)
        added += name_device_claims(pod, self._policies.claim_templates)
        for made in device_claims(pod, self._policies.claim_templates):
            if isinstance(made, str):
                self.notes.append(f"{change.workload} waits: {made}")
            else:
                self.objects.append(made)
        for claim in ephemeral_claims(pod):
            try:
                added += self.let_in_claim(claim)
            except AdmissionRefusal as refusal:
                self.notes.append(f"pod {pod.key} waits: {claim_refusal(claim, refusal)}")
        self.pods.append(ExpandedPod(pod, change.workload, change.place, tuple(added)))
        if pod.controller is None:
            self.pods_without_owner.setdefault(pod.namespace, []).append(pod)
        return True


def _owner_of(pod: Pod) -> tuple[str, str]:
    """Kind and name of the controller of a pod, by which two of one name are told apart; empty for one without."""
    owner = pod.controller
    return (owner.kind or "", owner.name or "") if owner is not None else ("", "")
