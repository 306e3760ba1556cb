"""ResourceQuota: what a namespace has used, what new objects add, and which of them are refused.

Not modelled: scope VolumeAttributesClass matches nothing; what the pods of a state use in the scope Terminating, and
how many objects other than pods there are, is known only from the quota's own status.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from kplan.admission.policies.held import HeldAgainst
from kplan.admission.policies.quota_scopes import in_scope, scopes
from kplan.admission.policies.quota_usage import claim_resources, claim_usage, missing_amounts, pod_resources, pod_usage
from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.models import PersistentVolumeClaim, Pod, ResourceQuota
from kplan.objects.quantity import NANO_PER_UNIT, QuantityFormat, canonical, format_nanos, nanos, parse
from kplan.objects.request_sums import Amounts, RequestRules, add_to, amounts_of
from kplan.objects.resource_names import MEMORY

_KIBI = 1024
_OLD_COUNTS = ("services", "replicationcontrollers", "resourcequotas", "configmaps", "secrets")
"""Kinds that a quota may also call by their plural alone."""

_BYTES = (MEMORY, "storage")


class QuotaAmounts(Struct, frozen=True):
    """One resource of a quota, in canonical quantities.

    Attributes:
        resource: name as in the quota.
        used: before.
        added: by the pods and claims that were let in, less those that left; may be negative.
        hard: the limit.
        then: used in the end.
        peak: used at most, at any time.
        touched: whether what was let in counts in it.
        share: the peak as a part of the limit, for an order of rows; 0 where the limit is none.
    """

    resource: str
    used: str
    added: str
    hard: str
    then: str = ""
    peak: str = ""
    touched: bool = True
    share: float = 0.0


class QuotaUse(Struct, frozen=True):
    """What one quota would count.

    Attributes:
        namespace: of the quota.
        name: of the quota.
        resources: by name.
        refused: what it says to each object that it refuses.
    """

    namespace: str
    name: str
    resources: tuple[QuotaAmounts, ...]
    refused: tuple["_OverQuota", ...]

    def refusals(self, resource: str) -> tuple[str, ...]:
        """Give the messages that one of its resources is the reason of."""
        return tuple(refusal.message for refusal in self.refused if resource in refusal.resources)


class UnsureCount(Struct, frozen=True):
    """A new object that a quota refuses if it is not there already, or if there are as many as may be.

    Attributes:
        namespace: of the quota.
        quota: its name.
        resource: as the quota calls it.
        name: of the object.
        used: how many there are by the status of the quota; empty where it has none.
        hard: how many there may be.
    """

    namespace: str
    quota: str
    resource: str
    name: str
    used: str
    hard: str


class _OverQuota(NamedTuple):
    message: str
    resources: frozenset[str]


class _Account(Struct):
    quota: ResourceQuota
    hard: dict[str, str | int | float]
    used: Amounts
    added: Amounts = field(default_factory=dict)
    peak: Amounts = field(default_factory=dict)
    refused: dict[str, _OverQuota] = field(default_factory=dict)
    of_pods: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.of_pods = pod_resources(self.hard)

    def form(self, resource: str) -> QuantityFormat:
        return parse(self.hard[resource]).form

    def text(self, resource: str, amount: int) -> str:
        """Write an amount as a sum of requests would be: in powers of 1024 where it is one of bytes that fits."""
        whole = amount % (_KIBI * NANO_PER_UNIT) == 0 and resource.endswith(_BYTES)
        return format_nanos(amount, QuantityFormat.BINARY_SI if whole else self.form(resource))

    def total(self, resource: str) -> int:
        """How much is used now [10^-9]."""
        return self.used.get(resource, 0) + self.added.get(resource, 0)

    def use(self, resource: str) -> QuotaAmounts:
        """Tell what one of its resources has come to."""
        raw = self.hard[resource]
        before, limit = self.used.get(resource, 0), nanos(raw)
        peak = self.peak.get(resource, before)
        return QuotaAmounts(
            resource,
            self.text(resource, before),
            self.text(resource, self.added.get(resource, 0)),
            canonical(raw),
            self.text(resource, self.total(resource)),
            self.text(resource, peak),
            resource in self.added,
            peak / limit if limit else 0.0,
        )


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
        self.unsure: list[UnsureCount] = []
        self._may_come: dict[tuple[str, str], int] = {}
        self._accounts: dict[str, list[_Account]] = {}
        self._held = HeldAgainst("ResourceQuota")
        existing: dict[str, list[Pod]] = {}
        for pod in pods:
            existing.setdefault(pod.namespace, []).append(pod)
        counted: dict[tuple[str, Hashable], Amounts] = {}
        for quota in sorted(quotas, key=lambda resource_quota: (resource_quota.namespace, resource_quota.name)):
            hard = quota.status.hard or quota.spec.hard or {}
            account = _Account(quota, dict(hard), amounts_of(quota.status.used))
            if quota.status.used is None:
                key = quota.namespace, tuple(map(repr, scopes(quota)))
                if key not in counted:  # quotas of the same scopes count the same pods
                    counted[key] = self._usage(quota, existing.get(quota.namespace, ()))
                add_to(account.used, {name: used for name, used in counted[key].items() if name in account.hard})
            self._accounts.setdefault(quota.namespace, []).append(account)

    def _of(self, namespace: str) -> Sequence[_Account]:
        """The accounts of a namespace, against which one more object is held.

        Raises:
            SourceError: objects times quotas are more than any cluster has.
        """
        return self._held.against(self._accounts.get(namespace, ()), namespace)

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
        mine = self._of(pod.namespace)
        matching = []
        for account in mine:
            if account.of_pods and self._matches(account.quota, pod, terminating=terminating):
                missing = missing_amounts(pod, account.of_pods, self._rules)
                if missing:
                    texts = "; ".join(f"{name} for: {','.join(containers)}" for name, containers in missing.items())
                    message = f"failed quota: {account.quota.name}: must specify {texts}"
                    self._refuse(account, pod.key, message, missing)
                matching.append(account)
        if matching:
            self._charge(matching, pod.key, pod_usage(pod, self._rules), pod_resources)

    def refuses_pod(self, pod: Pod) -> str:
        """Count a new pod if no quota refuses it; return what the one that does says, empty for none."""
        try:
            self.let_in_pod(pod)
        except AdmissionRefusal as refusal:
            return refusal.message
        return ""

    def let_out_pod(self, pod: Pod) -> None:
        """Stop counting a pod that leaves.

        Source: a quota's controller counts again once a pod is gone, syncResourceQuota in
        pkg/controller/resourcequota/resource_quota_controller.go.
        """
        usage = pod_usage(pod, self._rules)
        for account in self._accounts.get(pod.namespace, ()):
            if self._matches(account.quota, pod, terminating=False):
                names = pod_resources(account.hard)
                add_to(account.added, {name: -amount for name, amount in usage.items() if name in names and amount})

    def let_in_claim(self, claim: PersistentVolumeClaim) -> None:
        """Count a new claim.

        Raises:
            Refusal: a quota refuses it; then nothing is counted.

        Source: pvcEvaluator in pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
        """
        self._charge_all(claim.namespace, claim.key, claim_usage(claim), claim_resources)

    def let_in_object(self, plural: str, group: str, namespace: str, name: str, more: Amounts) -> None:
        """Count a new object that is neither a pod nor a claim.

        Args:
            plural: its resource.
            group: its API group; empty for core.
            namespace: it is in.
            name: of the object.
            more: what it counts as besides one of its kind.

        Raises:
            Refusal: a quota refuses it; then nothing is counted.

        Source: objectCountEvaluator in apiserver pkg/quota/v1/generic/evaluator.go; legacyObjectCountAliases in
        pkg/quota/v1/evaluator/core/registry.go.
        """
        usage = _object_usage(plural, group, more)
        counted = frozenset(usage)

        def covers(hard: Mapping[str, object]) -> frozenset[str]:
            return counted & hard.keys()

        self._charge_all(namespace, f"{namespace}/{name}", usage, covers)

    def may_refuse(self, plural: str, group: str, namespace: str, name: str, more: Amounts) -> None:
        """Note which quotas may refuse an object of a kind of which it is not known what is there.

        Args:
            plural: its resource.
            group: its API group; empty for core.
            namespace: it is in.
            name: of the object.
            more: what it counts as besides one of its kind.
        """
        for resource, amount in _object_usage(plural, group, more).items():
            come = self._may_come[namespace, resource] = self._may_come.get((namespace, resource), 0) + amount
            for account in self._of(namespace):
                if resource not in account.hard or scopes(account.quota) or not amount:
                    continue
                known = account.quota.status.used is not None and resource in account.used
                if not known or account.total(resource) + come > nanos(account.hard[resource]):
                    used = account.text(resource, account.total(resource)) if known else ""
                    hard = canonical(account.hard[resource])
                    self.unsure.append(UnsureCount(namespace, account.quota.name, resource, name, used, hard))

    def uses(self) -> tuple[QuotaUse, ...]:
        """Tell what every quota that something was held against has come to."""
        return tuple(
            QuotaUse(
                account.quota.namespace,
                account.quota.name,
                tuple(map(account.use, sorted(account.hard))),
                tuple(account.refused.values()),
            )
            for accounts in self._accounts.values()
            for account in accounts
            if account.added or account.refused
        )

    def _usage(self, quota: ResourceQuota, pods: Iterable[Pod]) -> Amounts:
        """What pods of its namespace that exist come to, of all that a quota may count."""
        usage: Amounts = {}
        for pod in pods:
            if self._matches(quota, pod, terminating=False):
                add_to(usage, {"count/pods": NANO_PER_UNIT} if pod.ended else pod_usage(pod, self._rules))
        return usage

    def _charge_all(
        self,
        namespace: str,
        key: str,
        usage: Amounts,
        covers: Callable[[Mapping[str, object]], frozenset[str]],
    ) -> None:
        """Count a usage in every account of a namespace that covers any of it and has no scopes, or in none."""
        accounts = self._of(namespace)
        matching = [account for account in accounts if covers(account.hard) and not scopes(account.quota)]
        if matching:
            self._charge(matching, key, usage, covers)

    def _charge(
        self,
        accounts: list[_Account],
        key: str,
        usage: Amounts,
        covers: Callable[[Mapping[str, object]], frozenset[str]],
    ) -> None:
        """Count a usage in several accounts, or in none."""
        asked = []
        for account in accounts:
            names = covers(account.hard)
            wanted = {name: amount for name, amount in usage.items() if name in names and amount}
            total = {name: account.total(name) for name in wanted}
            exceeded = sorted(name for name in wanted if total[name] + wanted[name] > nanos(account.hard[name]))
            if exceeded:
                requested = ",".join(f"{name}={account.text(name, wanted[name])}" for name in exceeded)
                used = ",".join(f"{name}={account.text(name, total[name])}" for name in exceeded)
                limited = ",".join(f"{name}={canonical(account.hard[name])}" for name in exceeded)
                self._refuse(
                    account,
                    key,
                    f"exceeded quota: {account.quota.name}, requested: {requested}, used: {used}, limited: {limited}",
                    exceeded,
                )
            asked.append((account, wanted))
        for account, wanted in asked:
            account.refused.pop(key, None)  # a controller tried again, and others had left
            add_to(account.added, wanted)
            for name in wanted:
                account.peak[name] = max(account.peak.get(name, account.used.get(name, 0)), account.total(name))

    def _refuse(self, account: _Account, key: str, message: str, resources: Iterable[str]) -> None:
        account.refused.setdefault(key, _OverQuota(message, frozenset(resources)))
        raise AdmissionRefusal(message, by_quota=True)

    def _matches(self, quota: ResourceQuota, pod: Pod, *, terminating: bool) -> bool:
        return all(in_scope(scope, pod, terminating=terminating, rules=self._rules) for scope in scopes(quota))


def _object_usage(plural: str, group: str, more: Amounts) -> Amounts:
    """What an object that is neither a pod nor a claim counts as."""
    usage = {f"count/{'.'.join(filter(None, (plural, group)))}": NANO_PER_UNIT, **more}
    return {**usage, plural: NANO_PER_UNIT} if not group and plural in _OLD_COUNTS else usage
