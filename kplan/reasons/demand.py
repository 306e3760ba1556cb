"""Where a pod's request comes from when it is not just the sum of its containers."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from msgspec import Struct

from kplan.objects.lean import replace
from kplan.objects.models import Pod
from kplan.objects.requests import RequestRules, pod_requests


class RequestSource(Enum):
    """What decides a request before overhead."""

    CONTAINERS = auto()
    """The plain sum of containers and sidecars."""
    POD = auto()
    """What the pod asks for as a whole."""
    INIT_CONTAINER = auto()
    INIT_CONTAINERS = auto()
    """Several that ask for as much."""


class RequestDemand(Struct, frozen=True):
    """What a request is made of, in the scheduler's units.

    Attributes:
        resource: its name.
        base: the request without overhead.
        source: what decides it.
        container: name of the init container that does; empty for others.
        beside: whether sidecars that run by then are part of it.
        overhead: what is added to it.
    """

    resource: str
    base: int
    source: RequestSource
    container: str = ""
    overhead: int = 0
    beside: bool = False


def demand_of(pod: Pod, resource: str, rules: RequestRules) -> RequestDemand:
    """Find out what a request is made of.

    Args:
        pod: the pod.
        resource: name of the resource.
        rules: how requests are counted.
    """
    spec = pod.spec

    def asked(**changes: Any) -> int:
        changed = replace(pod, spec=replace(spec, **changes))
        return pod_requests(changed, rules, use_status=False).get(resource, 0)

    base = asked(overhead=None)
    source, container = RequestSource.POD, ""
    if spec.resources is None or resource not in (spec.resources.requests or {}):
        source, container = _init_container(pod, base, asked)
    alone = [init for init in spec.init_containers or () if init.name == container]
    beside = bool(container) and asked(overhead=None, containers=[], init_containers=alone) < base
    return RequestDemand(resource, base, source, container, asked() - base, beside)


def _init_container(pod: Pod, total: int, asked: Callable[..., int]) -> tuple[RequestSource, str]:
    """Find the init container that asks for more than all containers together, if one does."""
    init = pod.spec.init_containers or []
    sidecars = [container for container in init if container.restart_policy == "Always"]
    if total <= asked(overhead=None, init_containers=sidecars):
        return RequestSource.CONTAINERS, ""
    for container in init:
        # a sidecar counts beside what starts after it: it does not decide by itself
        if (
            container.restart_policy != "Always"
            and asked(overhead=None, init_containers=[c for c in init if c is not container]) < total
        ):
            return RequestSource.INIT_CONTAINER, container.name
    return RequestSource.INIT_CONTAINERS, ""
