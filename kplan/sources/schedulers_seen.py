"""Schedulers among the objects of a dump: who runs kube-scheduler, and ConfigMaps that hold a configuration."""

from collections.abc import Mapping

from kplan.objects.models import DaemonSet, Deployment, Object, Pod, PodSpec, StatefulSet
from kplan.objects.state import KnownScheduler
from kplan.sources.records import Record
from kplan.sources.schedulers import Runner, configurations, known, runner

_WORKLOADS = (Deployment, StatefulSet, DaemonSet)
_HINT = "scheduler"
_CONFIG_MAP = ("v1", "ConfigMap")


class Schedulers:
    """Looks at objects as they are read, and remembers what says how a scheduler is set up."""

    def __init__(self) -> None:
        self._runners: list[Runner] = []
        self._data: dict[tuple[str, str], Mapping[str, str]] = {}

    def read(self, item: Object, record: Record) -> None:
        """Look at an object of a kind that is read; most are passed over by their name and images."""
        if isinstance(item, Pod):
            spec: PodSpec | None = None if item.ended else item.spec
        elif isinstance(item, _WORKLOADS) and item.spec.template is not None:
            spec = item.spec.template.spec
        else:
            return
        if spec is None or not _may_run(item.name, spec):
            return
        scheduler = runner(record.node.value(), record.kind)
        if scheduler is not None:
            self._runners.append(scheduler)

    def unread(self, record: Record) -> None:
        """Look at an object of a kind that is not read: a ConfigMap may hold a configuration."""
        if (record.api_version, record.kind) != _CONFIG_MAP:
            return
        value = record.node.value()
        data = value.get("data") if isinstance(value, dict) else None
        if not isinstance(data, dict):
            return
        texts = {str(key): text for key, text in data.items() if isinstance(text, str)}
        if any(True for _ in configurations(texts)):
            namespace, _, name = record.key.rpartition("/")
            self._data[namespace, name] = texts

    def known(self) -> KnownScheduler | None:
        """What is known of the cluster's own scheduler; None if the dump shows nothing of it."""
        scheduler = known(self._runners, lambda namespace, name: self._data.get((namespace, name)))
        return scheduler if scheduler.origin else None

    def config_maps(self) -> dict[str, Mapping[str, object]]:
        """Configurations by ``namespace/name`` of their ConfigMap."""
        return {
            f"{namespace}/{name}": next(configurations(data)) for (namespace, name), data in sorted(self._data.items())
        }


def _may_run(name: str, spec: PodSpec) -> bool:
    if _HINT in name:
        return True
    for container in spec.containers or ():  # noqa: SIM110 - asked of each pod that is read: any() takes twice as long
        if _HINT in (container.image or ""):
            return True
    return False
