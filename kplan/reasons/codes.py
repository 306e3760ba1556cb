"""Codes and texts of reasons as documents have them."""

import re

_POD = re.compile(r'^pod "[^"]*": ')


def without_pod(message: str) -> str:
    """A text that begins with the name of the pod, without it: the same for all pods that wait for the same."""
    return _POD.sub("", message)


def public_code(code: str, resource: str) -> str:
    """Code of a reason as documents have it: a shortage of a native resource by its name."""
    native = resource in ("cpu", "memory", "ephemeral-storage")
    return f"insufficient-{resource}" if code == "insufficient-resource" and native else code
