"""Short ways to write configurations in tests."""

from typing import Any

import pytest

from kplan import config
from kplan.config import Profile, SchedulerConfiguration
from kplan.errors import ConfigError

HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def refs(text: str) -> list[dict[str, Any]]:
    """``"A B=3"`` as plugins A and B, B with weight 3."""
    pairs = [item.partition("=") for item in text.split()]
    return [{"name": name, "weight": int(weight)} if sign else {"name": name} for name, sign, weight in pairs]


def plugins(**points: str) -> dict[str, Any]:
    """Lists by extension point: ``score="-NodeAffinity TaintToleration=7"``; a minus disables."""
    lists = {}
    for point, text in points.items():
        words = text.split()
        lists[point] = {
            "disabled": refs(" ".join(word[1:] for word in words if word.startswith("-"))),
            "enabled": refs(" ".join(word for word in words if not word.startswith("-"))),
        }
    return lists


def args(plugin: str, **fields: Any) -> dict[str, Any]:
    """A profile that gives one plugin arguments."""
    return {"pluginConfig": [{"name": plugin, "args": fields}]}


def load(
    *profiles: dict[str, Any],
    version: str = "1.37",
    gates: dict[str, bool] | None = None,
    validate: bool = True,
    unknown: Any = "refuse",
    **fields: Any,
) -> SchedulerConfiguration:
    """Load a configuration of these profiles and other fields."""
    source = {**HEADER, **({"profiles": list(profiles)} if profiles else {}), **fields}
    return config.load(source, config.features(version, gates).features, validate=validate, unknown=unknown)


def profile(version: str = "1.37", **points: str) -> Profile:
    """The profile that such plugin lists make."""
    return load({"plugins": plugins(**points)}, version=version).profiles[0]


def refused(source: Any, version: str = "1.37", **options: Any) -> ConfigError:
    """The error, with a hint, that loading a configuration ends in."""
    with pytest.raises(ConfigError) as caught:
        config.load(source, config.features(version).features, **options)
    assert caught.value.hint
    return caught.value


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    """``addedAffinity`` that requires one of some terms."""
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
