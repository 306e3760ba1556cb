"""Permit plugins of profiles that kplan does not know: they may hold a pod, so such profiles are not bound for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from kplan.plugins.registry import REGISTRY


def permit_plugins(configuration: Mapping[str, Any] | str | None) -> dict[str, tuple[str, ...]]:
    """Name the unknown plugins that a configuration enables at Permit, by scheduler name.

    Args:
        configuration: a KubeSchedulerConfiguration that was accepted, parsed or as text; None for the default.
    """
    parsed = yaml.safe_load(configuration) if isinstance(configuration, str) else configuration
    found: dict[str, tuple[str, ...]] = {}
    for profile in (parsed or {}).get("profiles") or ():
        plugins = (profile.get("plugins") or {}).get("permit") or {}
        names = tuple(one["name"] for one in plugins.get("enabled") or () if one["name"] not in REGISTRY)
        if names:
            found[profile.get("schedulerName") or "default-scheduler"] = names
    return found
