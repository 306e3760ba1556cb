"""Objects of old API versions, changed to mean in their kind's present version what they meant in their own.

Most old versions have the fields of the present one and are read as they are: batch/v1beta1 CronJob, the kinds of
storage.k8s.io/v1beta1, scheduling.k8s.io/v1beta1 PriorityClass. Here are those that differ: other defaults, another
meaning, another form. The annotations of old that kube-scheduler still reads (``volume.beta.kubernetes.io/...``) are
no conversion: the plugins read them as it does.

Alpha and beta kinds whose form was another are changed before they are decoded, by ``old_forms``.

Source: kubernetes v1.37.2 ``pkg/apis/{policy,apps,extensions}/v1beta1``, ``apps/v1beta2``: conversion.go, defaults.go.
"""

from collections.abc import Callable

from msgspec import Struct

from kplan.objects import models
from kplan.objects.models.workloads import RollingUpdate, UpdateStrategy, Workload
from kplan.sources.fit import Misfit, fit
from kplan.sources.nodes import TextNode

_EMPTY_SELECTOR = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
"""Key by which policy/v1beta1 says what an empty selector says in policy/v1."""

_Conversion = Callable[[models.Object, TextNode], models.Object]


def converted(api_version: str, item: models.Object, node: TextNode) -> models.Object:
    """Convert an object to the present version of its kind; it is changed in place where that does.

    Args:
        api_version: as written.
        item: decoded by the model of its kind.
        node: the object in its text.
    """
    conversion = _CONVERSIONS.get((api_version, type(item)))
    return conversion(item, node) if conversion else item


def _budget(item: models.Object, node: TextNode) -> models.Object:
    """Give the selector of a v1beta1 budget the meaning it had: an empty one selects no pod.

    Source: ``Convert_v1beta1_PodDisruptionBudget_To_policy_PodDisruptionBudget``.
    """
    assert isinstance(item, models.PodDisruptionBudget)
    selector = item.spec.selector
    if selector is None:
        return item
    requirements = selector.match_expressions or []
    if not requirements and not selector.match_labels:
        none = models.LabelSelectorRequirement(key=_EMPTY_SELECTOR, operator="Exists")
        item.spec.selector = models.LabelSelector(match_expressions=[none])
    else:
        selector.match_expressions = [
            requirement for requirement in requirements if requirement.key != _EMPTY_SELECTOR
        ] or None
    return item


class _Rollout(Struct, frozen=True):
    """Defaults of a workload in an old version where they differ from those of apps/v1.

    Attributes:
        selector: whether a selector that is absent is made of the labels of the template.
        type: of the update strategy; empty if as in apps/v1.
        surge: ``maxSurge`` of a rolling update; None if as in apps/v1.
        unavailable: ``maxUnavailable`` of a rolling update; None if as in apps/v1.
    """

    selector: bool = True
    type: str = ""
    surge: int | None = None
    unavailable: int | None = None

    def __call__(self, item: models.Object, node: TextNode) -> models.Object:
        """Fill in what is absent."""
        assert isinstance(item, Workload)
        spec = item.spec
        labels = spec.template.metadata.labels if spec.template and spec.template.metadata else None
        if self.selector and spec.selector is None and labels:
            spec.selector = models.LabelSelector(match_labels=dict(labels))
        if self.type:
            strategy = spec.update_strategy = spec.update_strategy or UpdateStrategy()
            strategy.type = strategy.type or self.type
        if self.surge is not None:
            self._roll(item)
        return item

    def _roll(self, item: Workload) -> None:
        strategy = item.spec.strategy = item.spec.strategy or UpdateStrategy()
        strategy.type = strategy.type or "RollingUpdate"
        if strategy.type != "RollingUpdate":
            return
        rolling = strategy.rolling_update = strategy.rolling_update or RollingUpdate()
        rolling.max_surge = self.surge if rolling.max_surge is None else rolling.max_surge
        rolling.max_unavailable = self.unavailable if rolling.max_unavailable is None else rolling.max_unavailable


def _runtime_class(item: models.Object, node: TextNode) -> models.Object:
    """Lift what node.k8s.io/v1alpha1 kept under ``spec``."""
    value = node.value()
    spec = value.get("spec") if isinstance(value, dict) else None
    if not isinstance(spec, dict):
        return item
    lifted = {"handler": spec.get("runtimeHandler"), **{key: spec.get(key) for key in ("overhead", "scheduling")}}
    try:
        made = fit(lifted, models.RuntimeClass)
    except Misfit as misfit:
        raise misfit.under("spec") from None
    made.metadata = item.metadata
    return made


_CONVERSIONS: dict[tuple[str, type[models.Object]], _Conversion] = {
    ("policy/v1beta1", models.PodDisruptionBudget): _budget,
    ("node.k8s.io/v1alpha1", models.RuntimeClass): _runtime_class,
    ("extensions/v1beta1", models.Deployment): _Rollout(surge=1, unavailable=1),
    ("extensions/v1beta1", models.ReplicaSet): _Rollout(),
    ("extensions/v1beta1", models.DaemonSet): _Rollout(type="OnDelete"),
    ("apps/v1beta1", models.Deployment): _Rollout(),
    ("apps/v1beta1", models.StatefulSet): _Rollout(type="OnDelete"),
}
