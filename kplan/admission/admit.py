"""One pod through the API server: defaults, admission, the registry's changes and the checks, in the server's order.

Not modelled: webhooks and admission policies of a cluster, PodSecurity (it refuses, but never changes where a pod
goes; what it plainly refuses is doubted, see policies/pod_security.py), ServiceAccount (its token volume does not
matter to the scheduler), PodNodeSelector, PodTolerationRestriction, ExtendedResourceToleration and AlwaysPullImages
(off unless a cluster turns them on).
"""

from kplan.admission.policies.defaults import set_pod_defaults, set_pod_level_defaults
from kplan.admission.policies.held import HeldAgainst
from kplan.admission.policies.limit_ranger import check_pod_limits, set_limit_range_defaults, with_origin
from kplan.admission.policies.lookup import Policies
from kplan.admission.policies.match_label_keys import keys_read, merge_label_keys
from kplan.admission.policies.priority import set_priority
from kplan.admission.policies.runtime_class import set_runtime_class
from kplan.admission.policies.tolerations import add_default_tolerations
from kplan.admission.raw import copied
from kplan.admission.refusal import AdmissionRefusal
from kplan.admission.validation.pods import check_pod
from kplan.objects.limit_defaults import LIMIT_RANGER
from kplan.objects.models import Pod
from kplan.objects.models.meta import Condition
from kplan.objects.models.pod import PodSpec
from kplan.objects.requests import RequestRules

_Key = tuple[int, str, tuple[tuple[str, str | None], ...]]
_Answer = tuple[PodSpec, tuple[str, ...], str] | AdmissionRefusal


class Admission:
    """Admits pods; of those that share a spec, and the labels that matter, only the first is worked out."""

    def __init__(self, policies: Policies, rules: RequestRules) -> None:
        """Take what admission looks up, and how the version counts requests."""
        self._policies = policies
        self._rules = rules
        self._answers: dict[_Key, _Answer] = {}
        self._kept: list[PodSpec] = []
        self._held = HeldAgainst("LimitRange")

    def admit(self, pod: Pod, *, complete: bool = True) -> tuple[str, ...]:
        """Make of a pod what the API server stores, in place; return what was added, a phrase each.

        Its spec is replaced by one that is shared with equal pods and must not be changed after.

        Args:
            pod: as its controller sends it.
            complete: False for a pod of an operator, which may add volumes that the template only mounts.

        Raises:
            Refusal: it would be refused.
        """
        read = keys_read(pod)
        key = (id(pod.spec), pod.namespace, tuple((name, pod.labels.get(name)) for name in sorted(read)))
        answer = self._answers.get(key)
        if answer is None:
            self._kept.append(pod.spec)
            answer = self._answers[key] = self._answer(pod, complete)
        if isinstance(answer, AdmissionRefusal):
            raise AdmissionRefusal(answer.message, answer.problems)
        pod.spec, added, limited = answer
        if limited:
            pod.metadata.annotations = {**pod.annotations, LIMIT_RANGER: limited}
        pod.status.phase = pod.status.phase or "Pending"
        if pod.spec.scheduling_gates:
            words = "Scheduling is blocked due to non-empty scheduling gates"
            gated = Condition(type="PodScheduled", status="False", reason="SchedulingGated", message=words)
            pod.status.conditions = [gated]
        return added

    def _answer(self, pod: Pod, complete: bool) -> _Answer:
        copy = Pod(metadata=copied(pod.metadata), spec=copied(pod.spec))
        try:
            added = tuple(self._admit(copy, complete))
            return copy.spec, added, copy.annotations.get(LIMIT_RANGER, "")
        except AdmissionRefusal as refusal:
            return refusal

    def _admit(self, pod: Pod, complete: bool) -> list[str]:
        ranges = self._held.against(self._policies.limit_ranges.get(pod.namespace, ()), pod.namespace)
        added = set_pod_defaults(pod, self._rules)
        defaulted = set_limit_range_defaults(pod, ranges)
        added += defaulted
        added += set_priority(pod.spec, self._policies.priority_classes)
        add_default_tolerations(pod.spec)
        added += set_runtime_class(pod.spec, self._policies.runtime_classes)
        added += merge_label_keys(pod)
        added += set_pod_level_defaults(pod, self._rules)
        try:
            check_pod(pod, complete=complete)
        except AdmissionRefusal as refusal:
            raise with_origin(refusal, pod, defaulted) from None
        check_pod_limits(pod, ranges, pod_level_resources=self._rules.pod_level_resources)
        return added
