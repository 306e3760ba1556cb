"""What is kept about volumes and claims while a plan changes them is what a cluster of the same objects says anew."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import Cluster, build, to_state
from kplan.cluster.changes import Put
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.plugins.node_volume_limits.attachments import volume_uses
from kplan.plugins.volume_binding.volume_index import FreeKind, volume_index
from tests.builders import make, node, pod

SIZES, NAMES, CLAIMS = ("1Gi", "1024Mi", "5Gi", "10Gi"), "uvwxyz", ("c", "d", "e")
KINDS = [
    FreeKind(storage_class, mode, "", None, frozenset(modes))
    for storage_class in ("fast", "slow")
    for mode in ("Filesystem", "Block")
    for modes in ((), ("ReadWriteOnce",))
]


def volume(name: str, size: str, storage_class: str, mode: str, phase: str, claim: str) -> Object:
    csi = {"driver": "csi.example", "volumeHandle": name}
    spec = {"capacity": {"storage": size}, "storageClassName": storage_class, "volumeMode": mode, "csi": csi}
    if claim:
        spec["claimRef"] = {"namespace": "default", "name": claim}
    if size != "5Gi":
        spec["accessModes"] = ["ReadWriteOnce"]
    return make("PersistentVolume", name, spec=spec, status={"phase": phase})


def claim(name: str, volume_name: str, selected: str) -> Object:
    annotations = {"volume.kubernetes.io/selected-node": selected} if selected else {}
    spec = {"storageClassName": "fast", **({"volumeName": volume_name} if volume_name else {})}
    return make("PersistentVolumeClaim", name, namespace="default", spec=spec, metadata={"annotations": annotations})


VOLUMES = st.builds(
    volume,
    st.sampled_from(NAMES),
    st.sampled_from(SIZES),
    st.sampled_from(("fast", "slow")),
    st.sampled_from(("Filesystem", "Block")),
    st.sampled_from(("Available", "Bound")),
    st.sampled_from(("", "", *CLAIMS)),
)
OBJECTS = VOLUMES | st.builds(claim, st.sampled_from(CLAIMS), st.sampled_from(("", *NAMES)), st.sampled_from(("", "a")))
GONE = st.sampled_from(
    [Put("persistent_volumes", name, None) for name in NAMES]
    + [Put("persistent_volume_claims", f"default/{name}", None) for name in CLAIMS]
)


def said(cluster: Cluster) -> object:
    """All that the indexes say; numbers of volumes and drivers are read as their names."""
    index, uses = volume_index(cluster), volume_uses(cluster)
    volumes, drivers = {n: name for name, n in uses.volumes.items()}, {n: name for name, n in uses.drivers.items()}
    counted = zip(uses.pod.tolist(), uses.volume.tolist(), uses.driver.tolist(), strict=True)
    return (
        [[item.name for item in index.of_class(name)] for name in ("fast", "slow", "")],
        [[item.name for item in index.reserved("default", name)] for name in CLAIMS],
        [[item.name for item in index.free(kind, size)] for kind in KINDS for size in (0, 2 * 1024**3 * 10**9)],
        sorted((cluster.pods[row].key, volumes[number], drivers[driver]) for row, number, driver in counted),
        {cluster.pods[row].key: told for row, told in uses.problems.items()},
    )


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    first=st.lists(OBJECTS, max_size=12, unique_by=lambda item: item.name),
    steps=st.lists(st.lists(OBJECTS.map(Put.of) | GONE, min_size=1, max_size=3), max_size=6),
    back=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_what_is_kept_is_what_the_objects_say(
    first: list[Object], steps: Sequence[list[Put]], back: list[bool]
) -> None:
    storage_class = make("StorageClass", "fast", provisioner="csi.example")
    users = [
        pod(f"user-{name}", node="a", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": name}}])
        for name in CLAIMS
    ]
    cluster = build(ClusterState.of([node("a"), storage_class, *users, *first]))
    said(cluster)  # makes the indexes, which follow from here
    for changes, undone in zip(steps, back, strict=False):
        before = said(cluster)
        undo = cluster.apply(changes)
        assert said(cluster) == said(build(to_state(cluster)))
        if undone:
            cluster.undo(undo)
            assert said(cluster) == before
