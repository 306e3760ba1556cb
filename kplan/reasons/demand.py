"""Where a pod's request comes from when it is not just the sum of its containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kplan.objects.models import Pod
from kplan.objects.requests import RequestRules, pod_requests
from kplan.words import amounts


def demand(pod: Pod, resource: str, rules: RequestRules) -> str:
    """Say what a request is made of, in a few words; empty for the plain sum of containers and sidecars.

    Args:
        pod: the pod.
        resource: name of the resource.
        rules: how requests are counted.
    """
    spec = pod.spec

    def asked(**changes: Any) -> int:
        changed = replace(pod, spec=replace(spec, **changes))
        return pod_requests(changed, rules, use_status=False).get(resource, 0)

    if spec.resources is not None and resource in (spec.resources.requests or {}):
        base, source = asked(overhead=None), "of the pod as a whole"
    else:
        base, source = asked(overhead=None), _init_container(pod, asked)
    overhead = asked() - base
    if overhead:
        most, rest = amounts(resource, base)[0], amounts(resource, overhead)[0]
        return f"{most}{' ' + source if source else ''} and {rest} of overhead"
    return source


def _init_container(pod: Pod, asked: Callable[..., int]) -> str:
    """Name the init container that asks for more than all containers together, if one does."""
    init = pod.spec.init_containers or []
    sidecars = [container for container in init if container.restart_policy == "Always"]
    total = asked(overhead=None)
    if total <= asked(overhead=None, init_containers=sidecars):
        return ""
    for container in init:
        if asked(overhead=None, init_containers=[c for c in init if c is not container]) < total:
            return f"of its init container {container.name}, finished or not"
    return "of its init containers, finished or not"
