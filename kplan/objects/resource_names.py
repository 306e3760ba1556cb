"""Names of resources, and which of them the scheduler counts, a pod may give for itself or a device class may serve."""

import re
from functools import lru_cache

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"

_QUOTA_PREFIX = "requests."
_NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


@lru_cache(maxsize=4096)
def is_extended_resource(name: str) -> bool:
    """Return whether a name is an extended resource: qualified, outside kubernetes.io, no quota name.

    Source: IsExtendedResourceName in kubernetes pkg/apis/core/v1/helper, IsQualifiedName in apimachinery.
    """
    if "/" not in name or is_prefixed_native_resource(name) or name.startswith(_QUOTA_PREFIX):
        return False
    prefix, _, rest = f"{_QUOTA_PREFIX}{name}".partition("/")
    named = len(rest) <= 63 and _NAME_PART.fullmatch(rest) is not None
    return named and len(prefix) <= 253 and _DNS_SUBDOMAIN.fullmatch(prefix) is not None


def is_prefixed_native_resource(name: str) -> bool:
    """Return whether a name has kubernetes.io/ in it.

    Source: IsPrefixedNativeResource.
    """
    return "kubernetes.io/" in name


def is_hugepages_resource(name: str) -> bool:
    """Return whether a name is a size of huge pages.

    Source: IsHugePageResourceName.
    """
    return name.startswith("hugepages-")


def is_attachable_volume_resource(name: str) -> bool:
    """Return whether a name is a limit of attachable volumes.

    Source: IsAttachableVolumeResourceName.
    """
    return name.startswith("attachable-volumes-")


@lru_cache(maxsize=4096)
def is_scalar_resource(name: str) -> bool:
    """Return whether the scheduler counts a resource other than cpu, memory, ephemeral-storage and pods.

    Source: IsScalarResourceName in pkg/scheduler/util.
    """
    return (
        is_extended_resource(name)
        or is_hugepages_resource(name)
        or is_prefixed_native_resource(name)
        or is_attachable_volume_resource(name)
    )


def is_dra_extended_resource(name: str) -> bool:
    """Return whether a device class may serve a resource.

    Source: IsDRAExtendedResourceName in pkg/scheduler/util.
    """
    return is_extended_resource(name) or name.startswith("deviceclass.resource.kubernetes.io/")


def is_pod_level_resource(name: str) -> bool:
    """Return whether a resource may be given at the level of the pod.

    Source: IsSupportedPodLevelResource in component-helpers resource/helpers.go.
    """
    return name in (CPU, MEMORY) or is_hugepages_resource(name)
