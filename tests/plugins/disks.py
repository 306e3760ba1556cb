"""What the four limits of in-tree disks are asked alike: answers worked out by hand from kube-scheduler 1.20.15."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kplan.objects.models import Pod
from kplan.plugins.shared.disk_limits import REASON
from tests.builders import make, node, pod
from tests.plugins.ask import rejected

Case = tuple[Pod, tuple[Any, ...], Mapping[str, list[str]]]


def using(name: str, *volumes: dict[str, Any], on: str = "") -> Pod:
    return pod(name, node=on, volumes=[{"name": f"v{i}", **volume} for i, volume in enumerate(volumes)])


def claim(name: str) -> dict[str, Any]:
    return {"persistentVolumeClaim": {"claimName": name}}


def claimed(storage_class: str = "disks", **spec: str) -> Any:
    spec["storageClassName"] = storage_class
    return make("PersistentVolumeClaim", "data", namespace="default", spec=spec)


def volume(**spec: Any) -> Any:
    return make("PersistentVolume", "pv", spec=spec)


@dataclass(frozen=True)
class Disks:
    """A kind of disk: its field in a volume, the field of its id, its in-tree plugin, the amount of a node's limit."""

    field: str
    id_field: str
    plugin: str
    resource: str

    def disk(self, number: int) -> dict[str, Any]:
        return {self.field: {self.id_field: f"d{number}"}}

    def cases(self) -> dict[str, Case]:
        """What is rejected on a node ``a`` that takes two."""
        disk, data = self.disk, using("new", claim("data"))
        two = using("old", disk(1), disk(2), on="a")
        disks = make("StorageClass", "disks", provisioner=self.plugin)
        migrated = {"storage.alpha.kubernetes.io/migrated-plugins": f"x,{self.plugin}"}
        taken_over = make("CSINode", "a", metadata={"annotations": migrated}, spec={"drivers": []})
        bound = claimed(volumeName="pv")
        full = {"a": [REASON]}
        return {
            "room for one more": (using("new", disk(2)), (using("old", disk(1), on="a"),), {}),
            "no room": (using("new", disk(3)), (two,), full),
            "a disk that is there already counts once": (using("new", disk(2)), (two,), {}),
            "more at once than there is room for": (using("new", disk(1), disk(2), disk(3)), (), full),
            "volumes of other kinds do not count": (using("new", {"emptyDir": {}}), (two,), {}),
            "a claim stands for its volume": (data, (two, bound, volume(**disk(3))), full),
            "a claim for a disk that is there": (data, (two, bound, volume(**disk(1))), {}),
            "a claim for another kind": (data, (two, bound, volume(csi={"driver": "x"})), {}),
            "a claim that is not bound counts by its class": (data, (two, disks, claimed()), full),
            "not bound, of another class": (data, (two, disks, claimed("x")), {}),
            "a claim that is not there": (data, (two,), {}),
            "a volume that is not there counts by the class of its claim": (data, (two, disks, bound), full),
            "the CSI driver has taken over": (using("new", disk(3)), (two, taken_over), {}),
        }

    def rejected(self, plugin: Any, new: Pod, others: tuple[Any, ...]) -> Any:
        return rejected(plugin, new, node("a", allocatable={self.resource: "2"}), *others)

    def takes(self, plugin: Any, labels: dict[str, str], limit: int) -> tuple[Any, ...]:
        """What is rejected as the last disk comes, and as one more comes, where a node tells no limit."""
        there = node("a", labels=labels)
        full = using("old", *(self.disk(number) for number in range(limit - 1)), on="a")
        last, more = self.disk(limit), self.disk(limit + 1)
        return rejected(plugin, using("new", last), there, full), rejected(
            plugin, using("new", last, more), there, full
        )
