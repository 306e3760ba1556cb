"""How the scheduler of a cluster is set up: looked for, not assumed, as long as anything says what it is.

A kube-scheduler shows its arguments in its pod, a static pod or one of a Deployment. ``--config`` there proves only
that a file exists on the node, unless the pod mounts it from a ConfigMap; without it, the defaults are known to hold.
The flags of 1.22 and earlier name a Policy or a provider instead. Where no such pod is to be seen (a managed control
plane), ConfigMaps with the usual names are tried. What is named and cannot be read is a doubt.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct, field

from kplan.errors import SourceError
from kplan.objects.state import KnownScheduler
from kplan.sources.yaml_events import documents

DOUBT = "scheduler-config-assumed"
"""Code of the doubt that the scheduler may be configured otherwise."""
ASSUMED = "the defaults are assumed (--config FILE names it)"
"""How that doubt ends: what is done, and what lifts it."""

NAMESPACE = "kube-system"
OPENSHIFT = "openshift-kube-scheduler"
CONFIG_MAPS = (
    "kube-scheduler",
    "kube-scheduler-config",
    "kube-scheduler-configuration",
    "scheduler-config",
    "scheduler-configuration",
    "my-scheduler-config",
)
"""Usual names, tried in this order."""

CONFIGURATION, POLICY = "KubeSchedulerConfiguration", "Policy"
KINDS = (CONFIGURATION, POLICY)
GROUP = "kubescheduler.config.k8s.io"
POLICY_KEY = "policy.cfg"
"""Key of a ConfigMap under which a Policy stands."""

_PROGRAM = "kube-scheduler"
_CONFIG_MAP_FOLDER = "configmaps"
"""OpenShift copies ConfigMaps to ``.../configmaps/NAME/KEY`` on the node."""

Texts = Callable[[str, str], Mapping[str, str] | None]
"""Gives the data of a ConfigMap by namespace and name; None if there is none, or no access to it."""


UNKNOWN = KnownScheduler(
    doubt=f"no pod of kube-scheduler and no ConfigMap with its configuration can be read: {ASSUMED}"
)
"""A cluster that shows nothing of its scheduler."""


class Runner(Struct, frozen=True):
    """A pod that runs kube-scheduler, or a workload whose pods do.

    Attributes:
        kind: ``Pod``, ``Deployment`` ...
        namespace: its namespace.
        name: its name.
        flags: (name, value) of its command line, in order.
        mounts: (path, subPath, volume) of the container.
        volumes: by name, the ConfigMap of a volume, with its items (key by path); None for another source.
        main: whether it is the cluster's own scheduler by its labels or name, and not one beside it.
    """

    kind: str
    namespace: str
    name: str
    flags: tuple[tuple[str, str], ...]
    mounts: tuple[tuple[str, str, str], ...] = ()
    volumes: Mapping[str, tuple[str, Mapping[str, str]] | None] = field(default_factory=dict)
    main: bool = False

    def flag(self, name: str) -> str:
        """The last value given for a flag; empty if it is not given."""
        return next((value for flag, value in reversed(self.flags) if flag == name), "")

    @property
    def place(self) -> str:
        """How it is named to the user."""
        return f"{'pod' if self.kind == 'Pod' else self.kind} {self.namespace}/{self.name}"

    def config_map(self, file: str) -> tuple[str, str] | None:
        """Name the ConfigMap and the key that a file of the container is mounted from; None for another file."""
        path = PurePosixPath(file)
        for mount_path, sub_path, volume in sorted(self.mounts, key=lambda mount: len(mount[0]), reverse=True):
            if not path.is_relative_to(mount_path):
                continue
            source = self.volumes.get(volume)
            if source is None:
                break
            name, items = source
            inside = sub_path or str(path.relative_to(mount_path))
            return name, items.get(inside, inside)
        parts = path.parts
        if _CONFIG_MAP_FOLDER in parts[:-2]:
            return parts[parts.index(_CONFIG_MAP_FOLDER) + 1], path.name
        return None


def runner(value: object, kind: str) -> Runner | None:
    """Read the command line of an object; None if it runs no kube-scheduler.

    Args:
        value: a pod, or a workload with a pod template, as read.
        kind: its kind.
    """
    metadata, spec = _map(value, "metadata"), _map(value, "spec")
    template = spec if kind == "Pod" else _map(_map(spec, "template"), "spec")
    for container in _maps(template.get("containers")):
        words = [*_texts(container.get("command")), *_texts(container.get("args"))]
        at = next((i for i, word in enumerate(words[:2]) if PurePosixPath(word).name == _PROGRAM), None)
        if at is None:
            continue
        labels = _map(metadata, "labels")
        name, namespace = str(metadata.get("name") or ""), str(metadata.get("namespace") or "")
        return Runner(
            kind,
            namespace,
            name,
            tuple(flags(words[at + 1 :])),
            tuple(
                (str(mount.get("mountPath") or ""), str(mount.get("subPath") or ""), str(mount.get("name") or ""))
                for mount in _maps(container.get("volumeMounts"))
            ),
            {str(volume.get("name")): _config_map_of(volume) for volume in _maps(template.get("volumes"))},
            main=namespace == OPENSHIFT
            or (namespace == NAMESPACE and (labels.get("component") == _PROGRAM or name.startswith(_PROGRAM))),
        )
    return None


def known(runners: Iterable[Runner], texts: Texts) -> KnownScheduler:
    """Find out how the cluster's own scheduler is set up.

    Args:
        runners: whoever runs kube-scheduler; of several, pods first, by namespace and name.
        texts: gives ConfigMaps.
    """
    main = sorted(
        (process for process in runners if process.main),
        key=lambda process: (process.kind != "Pod", process.namespace, process.name),
    )
    if not main:
        return _of_usual_names(texts)
    scheduler = _of_runner(main[0], texts)
    others = [
        process for process in main[1:] if process.kind == main[0].kind and set(process.flags) != set(main[0].flags)
    ]
    if others and not scheduler.doubt:
        doubt = f"{others[0].place} has other arguments than {main[0].place}, which is taken: their leader decides"
        return msgspec.structs.replace(scheduler, doubt=doubt)
    return scheduler


def configurations(data: Mapping[str, str]) -> Iterator[Mapping[str, object]]:
    """Yield the configurations and policies in the data of a ConfigMap, by key."""
    for key, text in sorted(data.items()):
        if key == POLICY_KEY:
            yield from read_maps(text)
        elif any(kind in text for kind in KINDS):
            yield from filter(is_configuration, read_maps(text))


def is_configuration(tree: Mapping[str, object]) -> bool:
    """Tell a configuration or Policy of a scheduler from other things of these kinds, such as policies of audits."""
    group, kind = str(tree.get("apiVersion") or "").rpartition("/")[0], tree.get("kind")
    return kind in KINDS and group in ("", GROUP)


def read_maps(text: str) -> Iterator[Mapping[str, object]]:
    """Read the documents of a YAML or JSON text that are maps; none where it cannot be read."""
    try:
        values = [document.value for document in documents(text, "")]
    except SourceError:
        return
    yield from (value for value in values if isinstance(value, dict))


def flags(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Read ``--name=value`` and ``--name value``."""
    for i, word in enumerate(words):
        if word.startswith("-"):
            name, given, value = word.lstrip("-").partition("=")
            following = words[i + 1] if i + 1 < len(words) else ""
            yield name, value if given or following.startswith("-") else following


def _of_usual_names(texts: Texts) -> KnownScheduler:
    for name in CONFIG_MAPS:
        config = next(configurations(texts(NAMESPACE, name) or {}), None)
        if config:
            return KnownScheduler(config, origin=f"ConfigMap {NAMESPACE}/{name}")
    return UNKNOWN


def _of_runner(process: Runner, texts: Texts) -> KnownScheduler:
    gates = {name: on for flag, text in process.flags if flag == "feature-gates" for name, on in _gates(text)}
    arguments = f"arguments of {process.place}"
    file, maps = process.flag("config"), process.flag("policy-configmap")
    if not file and maps and not _is_true(process.flag("use-legacy-policy-config")):
        namespace = process.flag("policy-configmap-namespace") or NAMESPACE
        return _of_config_map(process, gates, f"ConfigMap {namespace}/{maps}", texts(namespace, maps), POLICY_KEY)
    file = file or process.flag("policy-config-file")
    if not file:
        provider = process.flag("algorithm-provider")
        config = {"apiVersion": "v1", "kind": POLICY, "algorithmProvider": provider} if provider else None
        return KnownScheduler(config, gates, arguments)
    mounted = process.config_map(file)
    if mounted is None:
        return _out_of_reach(process, gates, f"the file {file} on its node")
    name, key = mounted
    where = f"ConfigMap {process.namespace}/{name}"
    return _of_config_map(process, gates, where, texts(process.namespace, name), key)


def _of_config_map(
    process: Runner, gates: Mapping[str, bool], where: str, data: Mapping[str, str] | None, key: str
) -> KnownScheduler:
    if data is None:
        return _out_of_reach(process, gates, where)
    config = next(read_maps(data[key]), None) if key in data else next(configurations(data), None)
    return (
        KnownScheduler(config, gates, f"{where}, which {process.place} uses")
        if config
        else _out_of_reach(process, gates, where)
    )


def _out_of_reach(process: Runner, gates: Mapping[str, bool], where: str) -> KnownScheduler:
    doubt = f"{process.place} reads its configuration from {where}, out of reach: {ASSUMED}"
    return KnownScheduler(None, gates, f"arguments of {process.place}", doubt)


def _gates(text: str) -> Iterator[tuple[str, bool]]:
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        yield name.strip(), _is_true(value.strip())


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "t", "1")


def _config_map_of(volume: Mapping[str, Any]) -> tuple[str, Mapping[str, str]] | None:
    source = volume.get("configMap")
    if not isinstance(source, dict):
        return None
    items = {str(item.get("path")): str(item.get("key")) for item in _maps(source.get("items"))}
    return str(source.get("name") or ""), items


def _map(value: object, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _maps(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
