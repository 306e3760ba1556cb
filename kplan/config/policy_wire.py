"""Policy as its file spells it (``v1``), before any default: how a scheduler was set up until 1.22.

Absent and null predicates or priorities mean the defaults, empty ones mean none. Unknown fields are passed over, as
kube-scheduler did; keys of extenders may be written in any case.
Source: kube-scheduler v0.20.15 config/v1/types.go.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from kplan.config.decode import Decoder
from kplan.config.gates import MINORS
from kplan.config.policy_table import PROVIDERS
from kplan.errors import ConfigError
from kplan.framework.args import (
    INT32,
    Args,
    Extender,
    ExtenderManagedResource,
    ExtenderTLSConfig,
    ResourceSpec,
    UtilizationShapePoint,
)

POLICY = "Policy"
API_VERSIONS = ("v1", "kubescheduler.config.k8s.io/v1")
PROVIDER = "algorithmProvider"
"""A field of kplan's own: what ``--algorithm-provider`` named, in place of predicates and priorities."""


class LabelsPresence(Args, frozen=True):
    """Labels that nodes must have, or must not have."""

    labels: tuple[str, ...] = ()
    presence: bool = False


class ServiceAffinityArgument(Args, frozen=True):
    """Labels in which the nodes of a Service's pods are alike."""

    labels: tuple[str, ...] = ()


class PredicateArgument(Args, frozen=True):
    """Argument of a predicate of one's own: exactly one of them."""

    service_affinity: ServiceAffinityArgument | None = None
    labels_presence: LabelsPresence | None = None


class PredicatePolicy(Args, frozen=True):
    """One predicate."""

    name: str = ""
    argument: PredicateArgument | None = None


class ServiceAntiAffinity(Args, frozen=True):
    """A label over whose values the pods of a Service are spread."""

    label: str = ""


class LabelPreference(Args, frozen=True):
    """A label that makes a node better, or worse."""

    label: str = ""
    presence: bool = False


class RequestedToCapacityRatioArguments(Args, frozen=True):
    """A score function over utilization."""

    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()


class PriorityArgument(Args, frozen=True):
    """Argument of a priority of one's own: exactly one of them."""

    service_anti_affinity: ServiceAntiAffinity | None = None
    label_preference: LabelPreference | None = None
    requested_to_capacity_ratio_arguments: RequestedToCapacityRatioArguments | None = None


class PriorityPolicy(Args, frozen=True):
    """One priority."""

    name: str = ""
    weight: int = 0
    argument: PriorityArgument | None = None


class _Extender(Extender, frozen=True):
    """An extender; its timeout is a number of nanoseconds here."""

    enable_https: bool = msgspec.field(default=False, name="enableHttps")
    http_timeout: int = 0


class Policy(Args, frozen=True):
    """The whole file.

    Attributes:
        predicates: None for the defaults.
        priorities: None for the defaults.
        extenders: in the order of the file.
        hard_pod_affinity_symmetric_weight: 0 for the default.
        always_check_all_predicates: see ``Profile.every_filter``.
        algorithm_provider: see ``PROVIDER``.
    """

    predicates: tuple[PredicatePolicy, ...] | None = None
    priorities: tuple[PriorityPolicy, ...] | None = None
    extenders: tuple[Extender, ...] = ()
    hard_pod_affinity_symmetric_weight: Annotated[int, INT32] = 0
    always_check_all_predicates: bool = False
    algorithm_provider: str = ""


def provider_policy(name: str) -> str:
    """Write a provider as a Policy, in JSON; empty for a name that is none of a provider."""
    if name not in PROVIDERS:
        return ""
    return json.dumps({"apiVersion": API_VERSIONS[0], "kind": POLICY, PROVIDER: name})


def is_policy(tree: object) -> bool:
    """Tell whether a file is a Policy: by its kind, or by what only a Policy has."""
    if not isinstance(tree, Mapping):
        return False
    kind, version = tree.get("kind"), tree.get("apiVersion")
    if kind == POLICY:
        return version in API_VERSIONS or not version
    return not kind and ("predicates" in tree or "priorities" in tree)


def decode(tree: Mapping[str, Any]) -> Policy:
    """Decode a Policy.

    Raises:
        ConfigError: ``config-field-type``, for a value of the wrong type.
    """
    decoder = Decoder(MINORS[-1])
    fields = {name: value for name, value in tree.items() if name not in ("apiVersion", "kind", "extenders")}
    policy = decoder.struct(Policy, fields)
    given = tree.get("extenders") or ()
    if not isinstance(given, list | tuple):
        raise ConfigError("extenders: expected a list", code="config-field-type", hint="begin each with a dash")
    extenders = tuple(_extender(decoder, extender, f"extenders[{i}]") for i, extender in enumerate(given))
    return msgspec.structs.replace(policy, extenders=extenders)


def _extender(decoder: Decoder, value: object, path: str) -> Extender:
    return Extender(**msgspec.structs.asdict(decoder.struct(_Extender, _known_case(_Extender, value), path)))


def _known_case(cls: type[Args], value: object) -> object:
    """Write keys as the struct has them, whatever their case."""
    if not isinstance(value, Mapping):
        return value
    names = {field.encode_name.lower(): field.encode_name for field in msgspec.structs.fields(cls)}
    made = {names.get(str(key).lower(), str(key)): item for key, item in value.items()}
    if isinstance(made.get("tlsConfig"), Mapping):
        made["tlsConfig"] = _known_case(ExtenderTLSConfig, made["tlsConfig"])
    resources = made.get("managedResources")
    if isinstance(resources, list):
        made["managedResources"] = [_known_case(ExtenderManagedResource, resource) for resource in resources]
    return made
