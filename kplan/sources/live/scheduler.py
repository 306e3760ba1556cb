"""The configuration of the live scheduler: looked for, not assumed, as long as anything says what it is.

A kube-scheduler that runs as a static pod shows its arguments. ``--config`` there proves only that a file exists on
the node, unless the pod mounts it from a ConfigMap; without it, the defaults are known to hold. Where no such pod is
to be seen (a managed control plane), ConfigMaps of kube-system with the usual names are tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import msgspec

from kplan.errors import SourceError
from kplan.sources.live.connection import Connection
from kplan.sources.live.failures import Answer
from kplan.sources.yaml_events import documents

DOUBT = "scheduler-config-assumed"
"""Code of the doubt that the live scheduler may be configured otherwise."""

NAMESPACE = "kube-system"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
OF_SCHEDULER = {"labelSelector": "component=kube-scheduler"}
CONFIG_MAPS = (
    "kube-scheduler",
    "kube-scheduler-config",
    "kube-scheduler-configuration",
    "scheduler-config",
    "scheduler-configuration",
    "my-scheduler-config",
)
"""Usual names, tried in this order."""

_KIND = "KubeSchedulerConfiguration"


@dataclass(frozen=True, slots=True)
class LiveScheduler:
    """What is known of the scheduler of a cluster.

    Attributes:
        config: its KubeSchedulerConfiguration; None for the defaults.
        feature_gates: gates on its command line.
        origin: where that is known from; empty if it is not.
        doubt: why the defaults are only assumed; empty if they are not (its code is DOUBT).
    """

    config: Mapping[str, object] | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    origin: str = ""
    doubt: str = ""


class _Named(msgspec.Struct):
    name: str = ""


class _Mount(msgspec.Struct, rename="camel"):
    name: str = ""
    mount_path: str = ""


class _Volume(msgspec.Struct, rename="camel"):
    name: str = ""
    config_map: _Named | None = None


class _Container(msgspec.Struct, rename="camel"):
    command: list[str] | None = None
    args: list[str] | None = None
    volume_mounts: list[_Mount] | None = None


class _Spec(msgspec.Struct):
    containers: list[_Container] = msgspec.field(default_factory=list)
    volumes: list[_Volume] | None = None


class _Status(msgspec.Struct):
    phase: str = ""


class _Pod(msgspec.Struct):
    metadata: _Named
    spec: _Spec
    status: _Status = msgspec.field(default_factory=_Status)


class _Pods(msgspec.Struct):
    items: list[_Pod] | None = None


class _ConfigMap(msgspec.Struct):
    data: dict[str, str] | None = None


_pods = msgspec.json.Decoder(_Pods)
_config_map_of = msgspec.json.Decoder(_ConfigMap)


def find_scheduler(connection: Connection) -> LiveScheduler:
    """Look for the configuration of the scheduler that serves this cluster.

    Raises:
        LiveError: the server gives no answer at all; a refusal is no error but a doubt.
    """
    for pod, container, words in _schedulers(_scheduler_pods(connection)):
        return _of_pod(connection, pod, container, words)
    for name in CONFIG_MAPS:
        config = _configuration(connection, name)
        if config:
            return LiveScheduler(config, origin=f"ConfigMap {NAMESPACE}/{name}")
    return LiveScheduler(
        doubt="no pod of kube-scheduler and no ConfigMap with its configuration can be read: the defaults are assumed"
    )


def without_election(data: bytes, *, elects: bool) -> str:
    """Name a pod of kube-scheduler that runs and holds no lease, as it was told not to; empty for none.

    Args:
        data: the pods of OF_SCHEDULER, as the server lists them.
        elects: whether the configuration has it elect a leader; its flag counts before that.
    """
    try:
        pods = _pods.decode(data).items or []
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    for pod, _, words in _schedulers(pods):
        flag = dict(_flags(words[1:])).get("leader-elect")
        told = elects if flag is None else flag.lower() not in ("false", "f", "0")
        if pod.status.phase == "Running" and not told:
            return pod.metadata.name
    return ""


def _schedulers(pods: Sequence[_Pod]) -> Iterator[tuple[_Pod, _Container, list[str]]]:
    """Yield pods of kube-scheduler with the container, and its command line."""
    for pod in pods:
        for container in pod.spec.containers:
            words = [*(container.command or ()), *(container.args or ())]
            if words and PurePosixPath(words[0]).name == "kube-scheduler":
                yield pod, container, words


def _of_pod(connection: Connection, pod: _Pod, container: _Container, words: Sequence[str]) -> LiveScheduler:
    flags = dict(_flags(words[1:]))
    gates = _gates(flags.get("feature-gates", ""))
    origin = f"pod {NAMESPACE}/{pod.metadata.name}"
    file = flags.get("config", "")
    if not file:
        return LiveScheduler(feature_gates=gates, origin=f"arguments of {origin}")
    name = _config_map(pod, container, file)
    config = _configuration(connection, name, PurePosixPath(file).name) if name else None
    if config:
        return LiveScheduler(config, gates, f"ConfigMap {NAMESPACE}/{name}, which {origin} mounts")
    where = f"ConfigMap {NAMESPACE}/{name}" if name else f"the file {file} on its node"
    return LiveScheduler(
        feature_gates=gates,
        origin=f"arguments of {origin}",
        doubt=f"{origin} reads its configuration from {where}, out of reach: the defaults are assumed",
    )


def _scheduler_pods(connection: Connection) -> list[_Pod]:
    try:
        data = connection.get(PODS, OF_SCHEDULER, what="looking for the scheduler")
        return _pods.decode(data).items or []
    except (Answer, msgspec.MsgspecError):
        return []


def _configuration(connection: Connection, name: str, key: str = "") -> Mapping[str, object] | None:
    """Read the configuration in a ConfigMap; None if there is none, or no access to it."""
    try:
        data = connection.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{name}", what="looking for the scheduler")
        texts = _config_map_of.decode(data).data or {}
    except (Answer, msgspec.MsgspecError):
        return None
    if key in texts:
        return next(_maps(texts[key]), None)
    maps = (found for _, text in sorted(texts.items()) if _KIND in text for found in _maps(text))
    return next((found for found in maps if found.get("kind") == _KIND), None)


def _maps(text: str) -> Iterator[Mapping[str, object]]:
    """Read the documents of a YAML or JSON text that are maps; none where it cannot be read."""
    try:
        values = [document.value for document in documents(text, "")]
    except SourceError:
        return
    yield from (value for value in values if isinstance(value, dict))


def _config_map(pod: _Pod, container: _Container, file: str) -> str:
    """Name the ConfigMap that a file of a container is mounted from; empty for another file."""
    sources = {volume.name: volume.config_map for volume in pod.spec.volumes or ()}
    mounts = sorted(container.volume_mounts or (), key=lambda mount: len(mount.mount_path), reverse=True)
    for mount in mounts:
        if PurePosixPath(file).is_relative_to(mount.mount_path):
            source = sources.get(mount.name)
            return source.name if source else ""
    return ""


def _flags(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Read ``--name=value`` and ``--name value``."""
    for i, word in enumerate(words):
        if word.startswith("-"):
            name, given, value = word.lstrip("-").partition("=")
            following = words[i + 1] if i + 1 < len(words) else ""
            yield name, value if given or following.startswith("-") else following


def _gates(text: str) -> dict[str, bool]:
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {name.strip(): value.strip().lower() in ("true", "t", "1") for name, _, value in pairs}
