"""Defaults of a pod: those of decoding, before admission, and those of its pod-level resources after it."""

from collections.abc import Iterable

from kplan.objects.models import Container, Pod
from kplan.objects.models.pod import PodSpec
from kplan.objects.quantity import canonical, format_sum, nanos
from kplan.objects.request_sums import RequestRules, container_limits, container_requests
from kplan.objects.requests import set_resource_defaults as _set_resource_defaults
from kplan.objects.resource_names import is_hugepages_resource, is_pod_level_resource

_GRACE_SECONDS = 30
_PROBED_EVERY = 10
"""Seconds between two looks of a probe."""
_DEFAULT_SCHEDULER = "default-scheduler"


def containers_of(spec: PodSpec) -> Iterable[Container]:
    """Yield init containers and containers."""
    yield from spec.init_containers or ()
    yield from spec.containers or ()


def set_spec_defaults(spec: PodSpec) -> None:
    """Fill in what a pod spec gets wherever it stands, in a template too, in place.

    Source: SetDefaults_PodSpec, SetDefaults_ContainerPort, SetDefaults_Probe in pkg/apis/core/v1/defaults.go.
    """
    spec.scheduler_name = spec.scheduler_name or _DEFAULT_SCHEDULER
    spec.restart_policy = spec.restart_policy or "Always"
    if spec.termination_grace_period_seconds is None:
        spec.termination_grace_period_seconds = _GRACE_SECONDS
    for container in containers_of(spec):
        for port in container.ports or ():
            port.protocol = port.protocol or "TCP"
        for probe in filter(None, (container.readiness_probe, container.startup_probe)):
            probe.period_seconds = probe.period_seconds or _PROBED_EVERY
            probe.success_threshold = probe.success_threshold or 1
    for volume in spec.volumes or ():
        claim = volume.ephemeral.volume_claim_template if volume.ephemeral else None
        if claim is not None and claim.spec is not None:
            claim.spec.volume_mode = claim.spec.volume_mode or "Filesystem"


def set_pod_defaults(pod: Pod, rules: RequestRules) -> list[str]:
    """Fill in what decoding a pod fills in, in place; return what matters of it, a phrase each.

    Args:
        pod: as its controller sends it.
        rules: how the version counts requests.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: SetDefaults_Pod, SetDefaults_PodSpec in pkg/apis/core/v1/defaults.go.
    """
    set_spec_defaults(pod.spec)
    if (pod.spec.termination_grace_period_seconds or 0) < 0:
        pod.spec.termination_grace_period_seconds = 1
    added = []
    for container in containers_of(pod.spec):
        limits = (container.resources.limits if container.resources else None) or {}
        requests = (container.resources.requests if container.resources else None) or {}
        added += [
            f"{name} request {canonical(raw)} of {container.name} from its limit"
            for name, raw in limits.items()
            if name not in requests
        ]
    before = _level_requests(pod)
    _set_resource_defaults(pod, rules)
    added += _told(pod, before, "request")
    _write_canonical(pod)
    if pod.spec.host_network:
        for container in containers_of(pod.spec):
            for port in container.ports or ():
                if not port.host_port and port.container_port:
                    port.host_port = port.container_port
                    added.append(f"hostPort {port.host_port} of {container.name} from hostNetwork")
    return added


def set_pod_level_defaults(pod: Pod, rules: RequestRules) -> list[str]:
    """Fill in requests and limits of the pod itself, after admission (1.37), in place; return what was added.

    Raises:
        QuantityError: a quantity cannot be read.

    Source: DefaultPodLevelResources in pkg/api/pod/util.go v1.37.2; 1.34-1.36 do less of it while decoding.
    """
    level = pod.spec.resources
    if rules.pod_level_defaults or not rules.pod_level_resources or level is None:
        return []
    if not (level.requests or level.limits):
        return []
    before, before_limits = _level_requests(pod), dict(level.limits or {})
    limits, requests = dict(level.limits or {}), dict(level.requests or {})
    totals = container_limits(pod)
    for name, amount in totals.items():
        if is_hugepages_resource(name) and name not in requests and name not in limits:
            limits[name] = format_sum(name, amount)
    for name, amount in container_requests(pod).items():
        if is_pod_level_resource(name) and not is_hugepages_resource(name):
            requests.setdefault(name, format_sum(name, amount))
    for name, raw in limits.items():
        if is_pod_level_resource(name):
            requests.setdefault(name, raw)
    for name, raw in requests.items():
        limited = all(
            container.resources is not None and name in (container.resources.limits or {})
            for container in containers_of(pod.spec)
        )
        if is_pod_level_resource(name) and name not in limits and limited and name in totals:
            limits[name] = raw if nanos(raw) > totals[name] else format_sum(name, totals[name])
    level.requests, level.limits = requests or level.requests, limits or level.limits
    return _told(pod, before, "request") + [
        f"pod-level {name} limit {canonical(raw)} from its containers"
        for name, raw in limits.items()
        if name not in before_limits
    ]


def _write_canonical(pod: Pod) -> None:
    """Write every quantity as the API server gives it back: ``1536Mi`` for ``1.5Gi``."""
    holders = [container.resources for container in containers_of(pod.spec)] + [pod.spec.resources]
    listed = [amounts for holder in holders if holder for amounts in (holder.requests, holder.limits)]
    for quantities in (*listed, pod.spec.overhead):
        for name, raw in (quantities or {}).items():
            (quantities or {})[name] = canonical(raw)


def _level_requests(pod: Pod) -> dict[str, str | int | float]:
    return dict((pod.spec.resources.requests if pod.spec.resources else None) or {})


def _told(pod: Pod, before: dict[str, str | int | float], word: str) -> list[str]:
    return [
        f"pod-level {name} {word} {canonical(raw)} from its containers and limits"
        for name, raw in _level_requests(pod).items()
        if name not in before
    ]
