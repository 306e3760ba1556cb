"""ResourceQuota: what a namespace has used, what new objects add, and which of them are refused.

Not modelled: quotas on objects other than pods and claims (services, secrets, ``count/...`` of other kinds) are shown
as they stand; scope VolumeAttributesClass matches nothing; what the pods of a state use in the scope Terminating is
known only from the quota's own status.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kplan.admission.claims import storage_request
from kplan.admission.refusal import Refusal
from kplan.objects.models import Container, PersistentVolumeClaim, Pod, PodAffinity, ResourceQuota, ResourceRequirements
from kplan.objects.models.policy import ScopedResourceSelectorRequirement
from kplan.objects.quantity import NANO_PER_UNIT, Form, canonical, format_nanos, nanos, parse, value_of
from kplan.objects.request_sums import Amounts, RequestRules, add_to, all_containers, amounts_of, container_limits
from kplan.objects.requests import request_amounts
from kplan.objects.resource_names import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    is_dra_extended_resource,
    is_hugepages_resource,
    is_pod_level_resource,
)

_KIBI = 1024
_BYTES = (MEMORY, "storage")
_COMPUTE = (CPU, MEMORY, EPHEMERAL_STORAGE)
_REQUIRED = frozenset({"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"})
"""Names for which a quota refuses containers that say nothing."""

_POD_NAMES = frozenset(
    {"count/pods", "pods", *_COMPUTE, *(f"{word}.{name}" for word in ("requests", "limits") for name in _COMPUTE)}
)
_CLASS = ".storageclass.storage.k8s.io/"
_CLAIM_NAMES = ("persistentvolumeclaims", "requests.storage")
_OLD_CLASS = "volume.beta.kubernetes.io/storage-class"


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """One resource of a quota, in canonical quantities.

    Attributes:
        resource: name as in the quota.
        used: before.
        added: by the pods and claims that were let in.
        hard: the limit.
    """

    resource: str
    used: str
    added: str
    hard: str


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """What one quota would count.

    Attributes:
        namespace: of the quota.
        name: of the quota.
        resources: by name.
        refused: how many objects it refuses.
        message: the first refusal; empty for none.
    """

    namespace: str
    name: str
    resources: tuple[ResourceUse, ...]
    refused: int
    message: str


@dataclass(slots=True)
class _Account:
    quota: ResourceQuota
    hard: dict[str, str | int | float]
    used: Amounts
    added: Amounts = field(default_factory=dict)
    refused: int = 0
    message: str = ""

    def form(self, resource: str) -> Form:
        return parse(self.hard[resource]).form

    def text(self, resource: str, amount: int) -> str:
        """Write an amount as a sum of requests would be: in powers of 1024 where it is one of bytes that fits."""
        whole = amount % (_KIBI * NANO_PER_UNIT) == 0 and resource.endswith(_BYTES)
        return format_nanos(amount, Form.BINARY_SI if whole else self.form(resource))


class Quotas:
    """The quotas of a cluster while new objects are let in one after the other."""

    def __init__(self, quotas: Iterable[ResourceQuota], rules: RequestRules, pods: Iterable[Pod]) -> None:
        """Open an account for each quota.

        Args:
            quotas: of any namespace.
            rules: how the version counts requests.
            pods: that exist, for quotas without a status.
        """
        self._rules = rules
        self._accounts: dict[str, list[_Account]] = {}
        existing = list(pods)
        for quota in sorted(quotas, key=lambda one: (one.namespace, one.name)):
            hard = quota.status.hard or quota.spec.hard or {}
            account = _Account(quota, dict(hard), amounts_of(quota.status.used))
            if quota.status.used is None:
                self._count_existing(account, existing)
            self._accounts.setdefault(quota.namespace, []).append(account)

    def let_in_pod(self, pod: Pod, *, terminating: bool = False) -> None:
        """Count a new pod.

        Args:
            pod: with defaults and admission applied.
            terminating: whether it has ``activeDeadlineSeconds``.

        Raises:
            Refusal: a quota refuses it; then nothing is counted.

        Source: CheckRequest in apiserver pkg/admission/plugin/resourcequota/controller.go, podEvaluator in
        pkg/quota/v1/evaluator/core/pods.go.
        """
        mine = self._accounts.get(pod.namespace, ())
        matching = []
        for account in mine:
            if self._matches(account.quota, pod, terminating=terminating) and _pod_resources(account.hard):
                missing = _missing(pod, _pod_resources(account.hard), self._rules)
                if missing:
                    self._refuse(account, f"failed quota: {account.quota.name}: {missing}")
                matching.append(account)
        if matching:
            self._charge(matching, pod_usage(pod, self._rules), _pod_resources)

    def let_in_claim(self, claim: PersistentVolumeClaim) -> None:
        """Count a new claim.

        Raises:
            Refusal: a quota refuses it; then nothing is counted.

        Source: pvcEvaluator in pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
        """
        matching = [
            account
            for account in self._accounts.get(claim.namespace, ())
            if _claim_resources(account.hard) and not _scopes(account.quota)
        ]
        if matching:
            self._charge(matching, claim_usage(claim), _claim_resources)

    def uses(self) -> tuple[QuotaUse, ...]:
        """Tell what every quota that something was held against has come to."""
        return tuple(
            QuotaUse(
                account.quota.namespace,
                account.quota.name,
                tuple(
                    ResourceUse(
                        name,
                        account.text(name, account.used.get(name, 0)),
                        account.text(name, account.added.get(name, 0)),
                        canonical(raw),
                    )
                    for name, raw in sorted(account.hard.items())
                ),
                account.refused,
                account.message,
            )
            for accounts in self._accounts.values()
            for account in accounts
            if account.added or account.refused
        )

    def _count_existing(self, account: _Account, pods: list[Pod]) -> None:
        for pod in pods:
            finished = pod.status.phase in ("Succeeded", "Failed")
            if pod.namespace == account.quota.namespace and self._matches(account.quota, pod, terminating=False):
                usage = {"count/pods": NANO_PER_UNIT} if finished else pod_usage(pod, self._rules)
                add_to(account.used, {name: amount for name, amount in usage.items() if name in account.hard})

    def _charge(
        self, accounts: list[_Account], usage: Amounts, covers: Callable[[Mapping[str, object]], frozenset[str]]
    ) -> None:
        """Count a usage in several accounts, or in none."""
        asked = []
        for account in accounts:
            names = covers(account.hard)
            wanted = {name: amount for name, amount in usage.items() if name in names and amount}
            total = {name: account.used.get(name, 0) + account.added.get(name, 0) for name in wanted}
            exceeded = sorted(name for name in wanted if total[name] + wanted[name] > nanos(account.hard[name]))
            if exceeded:
                requested = ",".join(f"{name}={account.text(name, wanted[name])}" for name in exceeded)
                used = ",".join(f"{name}={account.text(name, total[name])}" for name in exceeded)
                limited = ",".join(f"{name}={canonical(account.hard[name])}" for name in exceeded)
                self._refuse(
                    account,
                    f"exceeded quota: {account.quota.name}, requested: {requested}, used: {used}, limited: {limited}",
                )
            asked.append((account, wanted))
        for account, wanted in asked:
            add_to(account.added, wanted)

    def _refuse(self, account: _Account, message: str) -> None:
        account.refused += 1
        account.message = account.message or message
        raise Refusal(message)

    def _matches(self, quota: ResourceQuota, pod: Pod, *, terminating: bool) -> bool:
        return all(_in_scope(scope, pod, terminating=terminating, rules=self._rules) for scope in _scopes(quota))


def pod_usage(pod: Pod, rules: RequestRules) -> Amounts:
    """Return what a quota counts for a pod, by the quota's resource names [10^-9].

    Source: PodUsageFunc, podComputeUsageHelper in pkg/quota/v1/evaluator/core/pods.go.
    """
    limits = container_limits(pod)
    level = pod.spec.resources
    if rules.pod_level_resources and level is not None:
        limits.update(
            {name: amount for name, amount in amounts_of(level.limits).items() if is_pod_level_resource(name)}
        )
    if pod.spec.overhead:
        overhead = amounts_of(pod.spec.overhead)
        add_to(limits, {name: amount for name, amount in overhead.items() if limits.get(name)})
    usage = _usage(request_amounts(pod, rules, use_status=True), limits)
    return {**usage, "count/pods": NANO_PER_UNIT}


def _usage(requests: Amounts, limits: Amounts) -> Amounts:
    usage: Amounts = {"pods": NANO_PER_UNIT}
    for name, amount in requests.items():
        if name in _COMPUTE or is_hugepages_resource(name):
            usage[name] = usage[f"requests.{name}"] = amount
        elif is_dra_extended_resource(name):
            usage[f"requests.{name}"] = amount
    usage.update({f"limits.{name}": limits[name] for name in _COMPUTE if name in limits})
    return usage


def claim_usage(claim: PersistentVolumeClaim) -> Amounts:
    """Return what a quota counts for a claim, by the quota's resource names [10^-9].

    Source: pvcEvaluator.Usage: storage in whole bytes, rounded up; once in all and once by class.
    """
    counted = {"persistentvolumeclaims": NANO_PER_UNIT}
    storage = storage_request(claim).get("storage")
    if storage is not None:
        counted["requests.storage"] = value_of(nanos(storage)) * NANO_PER_UNIT
    name = claim.annotations.get(_OLD_CLASS) or claim.spec.storage_class_name
    by_class = {f"{name}{_CLASS}{resource}": amount for resource, amount in counted.items()} if name else {}
    return {**counted, **by_class, "count/persistentvolumeclaims": NANO_PER_UNIT}


def _pod_resources(hard: Mapping[str, object]) -> frozenset[str]:
    """Names in a quota that count pods.

    Source: podEvaluator.MatchingResources.
    """
    return frozenset(
        name
        for name in hard
        if name in _POD_NAMES
        or name.startswith(("hugepages-", "requests.hugepages-"))
        or (name.startswith("requests.") and is_dra_extended_resource(name.removeprefix("requests.")))
    )


def _claim_resources(hard: Mapping[str, object]) -> frozenset[str]:
    """Names in a quota that count claims."""
    return frozenset(
        name
        for name in hard
        if name == "count/persistentvolumeclaims"
        or name in _CLAIM_NAMES
        or any(name.endswith(_CLASS + resource) for resource in _CLAIM_NAMES)
    )


def _missing(pod: Pod, names: frozenset[str], rules: RequestRules) -> str:
    """Say which requests or limits a quota wants that containers do not name; empty for none.

    Source: podEvaluator.Constraints.
    """
    level = pod.spec.resources
    level_names = (*(level.requests or ()), *(level.limits or ())) if level is not None else ()
    if rules.pod_level_resources and any(map(is_pod_level_resource, level_names)):
        return ""
    missing: dict[str, set[str]] = {}
    for container in all_containers(pod):
        usage = _usage(*_amounts(container))
        for name in names & _REQUIRED - usage.keys():
            missing.setdefault(name, set()).add(container.name)
    texts = (f"{name} for: {','.join(sorted(containers))}" for name, containers in sorted(missing.items()))
    return f"must specify {'; '.join(texts)}" if missing else ""


def _amounts(container: Container) -> tuple[Amounts, Amounts]:
    resources = container.resources or ResourceRequirements()
    return amounts_of(resources.requests), amounts_of(resources.limits)


def _scopes(quota: ResourceQuota) -> list[ScopedResourceSelectorRequirement]:
    """List the scopes of a quota, plain and selected.

    Source: getScopeSelectorsFromQuota.
    """
    plain = [ScopedResourceSelectorRequirement(scope_name=name, operator="Exists") for name in quota.spec.scopes or ()]
    selected = quota.spec.scope_selector.match_expressions if quota.spec.scope_selector else None
    return plain + list(selected or ())


def _in_scope(scope: ScopedResourceSelectorRequirement, pod: Pod, *, terminating: bool, rules: RequestRules) -> bool:
    """Tell whether a pod is in a scope.

    Source: podMatchesScopeFunc.
    """
    match scope.scope_name:
        case "Terminating":
            return terminating
        case "NotTerminating":
            return not terminating
        case "BestEffort":
            return is_best_effort(pod, rules)
        case "NotBestEffort":
            return not is_best_effort(pod, rules)
        case "PriorityClass":
            return _of_class(scope, pod.spec.priority_class_name or "")
        case "CrossNamespacePodAffinity":
            return _crosses_namespaces(pod)
    return False


def _of_class(scope: ScopedResourceSelectorRequirement, name: str) -> bool:
    match scope.operator:
        case "Exists":
            return bool(name)
        case "DoesNotExist":
            return not name
        case "In":
            return bool(name) and name in (scope.values or ())
        case "NotIn":
            return name not in (scope.values or ())
    return False


def is_best_effort(pod: Pod, rules: RequestRules) -> bool:
    """Tell whether a pod names no cpu and no memory at all.

    Source: ComputePodQOS in pkg/apis/core/helper/qos/qos.go.
    """
    level = pod.spec.resources
    parts = [container.resources for container in all_containers(pod)]
    if rules.pod_level_resources and level is not None and (level.requests or level.limits):
        parts = [level]
    return not any(
        nanos(raw)
        for part in parts
        if part is not None
        for listed in (part.requests, part.limits)
        for name, raw in (listed or {}).items()
        if name in (CPU, MEMORY)
    )


def _crosses_namespaces(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    kinds: tuple[PodAffinity | None, ...] = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ()
    terms = [term for kind in kinds if kind for term in kind.required or ()]
    terms += [
        weighted.pod_affinity_term
        for kind in kinds
        if kind
        for weighted in kind.preferred or ()
        if weighted.pod_affinity_term
    ]
    return any(term.namespaces or term.namespace_selector is not None for term in terms)
