"""How long pods take, as far as their specs say: until they are ready, and until they are gone.

Not modelled: images to be pulled, what a container needs to start and to end, probes that fail at first, init
containers, the time of the scheduler and of controllers. Both ends of a span are counted without these.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from kplan.objects.models import Container, Pod
from kplan.objects.models.pod import Probe

GRACE = 30
"""Seconds. Source: DefaultTerminationGracePeriodSeconds in staging/src/k8s.io/api/core/v1/types.go."""
_PERIOD = 10
"""Seconds from one probe to the next. Source: SetDefaults_Probe in pkg/apis/core/v1/defaults.go."""


class Span(NamedTuple):
    """Seconds, at least and at most, that specs tell of."""

    least: int = 0
    most: int = 0


AT_ONCE = Span()


class Paces(Struct, frozen=True):
    """What specs say of the durations of a workload's pods.

    Attributes:
        ready: seconds from the start of a pod until it may be ready at the earliest.
        available: seconds that it has to be ready to count as available (minReadySeconds).
        written: whether a pod says itself how long it may take to end.
        volumes: whether its pods have volumes that are attached to one node alone: how long it takes until one is
            detached there and attached here is not known.
    """

    ready: int = 0
    available: int = 0
    written: bool = False
    volumes: bool = False

    @property
    def each(self) -> int:
        """Seconds from the start of a pod until it counts as available, at least."""
        return self.ready + self.available


def until_ready(pod: Pod) -> int:
    """Seconds from the start of a pod until it may be ready at the earliest.

    Sidecars start one after the other, each once the one before has started; containers all together. A readiness probe
    begins once the startup probe has succeeded.

    Source: doProbe in pkg/kubelet/prober/worker.go, computeInitContainerActions in
    pkg/kubelet/kuberuntime/kuberuntime_container.go.
    """
    sidecars = [container for container in pod.spec.init_containers or () if container.restart_policy == "Always"]
    before = last = 0
    for sidecar in sidecars:
        last = max(last, before + _ready(sidecar))
        before += _delay(sidecar.startup_probe)
    return max([last, *(before + _ready(container) for container in pod.spec.containers or ())])


def _ready(container: Container) -> int:
    probe = container.readiness_probe
    times = max(1, probe.success_threshold or 1) - 1 if probe is not None else 0
    period = (probe.period_seconds or _PERIOD) if probe is not None else 0
    return max(_delay(container.startup_probe), _delay(probe)) + times * period


def _delay(probe: Probe | None) -> int:
    return max(0, probe.initial_delay_seconds or 0) if probe is not None else 0


def grace_of(pod: Pod) -> int:
    """Seconds that a pod may take to end once it is deleted."""
    written = pod.spec.termination_grace_period_seconds
    return GRACE if written is None else max(0, written)
