"""Device claims of pods that leave, and of those that are made in their place."""

from __future__ import annotations

from kplan.cluster import Cluster, arrive, build, leave, released
from kplan.objects.models import Object, Pod, ResourceClaim
from kplan.objects.state import ClusterState
from kplan.plugins.shared.devices.usage import device_usage
from kplan.scenario import parse_step
from kplan.scenario.manifests import fresh_copy
from tests.builders import make, node, pod
from tests.plugins.devices.world import DRIVER, claim, claiming, device, device_class, given, request, slice_of

TEMPLATE = make(
    "ResourceClaimTemplate", "one", namespace="default", spec={"spec": {"devices": {"requests": [request(count=1)]}}}
)


def made_for(name: str, *devices: str) -> ResourceClaim:
    """A claim that was made for a pod, with devices of node ``a``."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"default/{name}", "controller": True}
    found = claim(f"{name}-gpu-x", request(), status=given("a", *devices, users=[name]) if devices else None)
    assert isinstance(found, ResourceClaim)
    found.metadata.owner_references = make("Pod", "x", metadata={"ownerReferences": [owner]}).metadata.owner_references
    return found


def of_template(name: str, at: str = "") -> Pod:
    """A pod whose claim is made of a template."""
    entries = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    return pod(
        name,
        node=at or None,
        resourceClaims=entries,
        status={"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": f"{name}-gpu-x"}]},
    )


def cluster_of(*objects: Object) -> Cluster:
    devices = [device("g0"), device("g1")]
    return build(ClusterState.of([node("a"), node("b"), slice_of("a", *devices), device_class(), *objects]))


def held(cluster: Cluster) -> list[str]:
    return sorted(device.name for device in device_usage(cluster, consumable=True).holders)


def claims(cluster: Cluster) -> list[str]:
    return [key.partition("/")[2] for key in cluster.objects.table("resource_claims")]


def test_a_claim_that_was_made_for_a_pod_leaves_with_it_and_is_back_when_that_is_undone() -> None:
    cluster = cluster_of(of_template("p", "a"), made_for("p", "g0"))
    undo = cluster.apply(leave(cluster, [cluster.pod_index["default/p"]]))
    assert (claims(cluster), held(cluster)) == ([], [])
    cluster.undo(undo)
    assert (claims(cluster), held(cluster)) == (["p-gpu-x"], ["g0"])


def test_a_shared_claim_keeps_its_devices_until_the_last_pod_leaves() -> None:
    cluster = cluster_of(
        claiming("p", "c", node="a"),
        claiming("q", "c", node="a"),
        claim("c", request(), status=given("a", "g0", users=["p", "q"])),
    )
    rows = [cluster.pod_index[f"default/{name}"] for name in ("p", "q")]
    cluster.apply(leave(cluster, rows[:1]))
    assert held(cluster) == ["g0"]
    cluster.apply(leave(cluster, rows[1:]))
    assert (claims(cluster), held(cluster)) == (["c"], [])


def test_pods_that_leave_together_let_go_together() -> None:
    cluster = cluster_of(
        claiming("p", "c", node="a"),
        claiming("q", "c", node="a"),
        claim("c", request(), status=given("a", "g0", users=["p", "q"])),
    )
    cluster.apply(leave(cluster, [cluster.pod_index["default/p"], cluster.pod_index["default/q"]]))
    assert held(cluster) == []


def test_a_copy_has_a_claim_of_its_own_from_the_template() -> None:
    cluster = cluster_of(of_template("p", "a"), made_for("p", "g0"), TEMPLATE)
    original = cluster.pods[cluster.pod_index["default/p"]]
    cluster.apply(arrive(cluster, [fresh_copy(original.pod, "p-2")]))
    copy = cluster.pods[cluster.pod_index["default/p-2"]]
    (entry,) = copy.pod.status.resource_claim_statuses or ()
    assert entry.resource_claim_name is not None
    assert entry.resource_claim_name.startswith("p-2-gpu-")
    new = cluster.objects.table("resource_claims")[f"default/{entry.resource_claim_name}"]
    (owner,) = new.metadata.owner_references or ()
    assert (owner.name, owner.uid, new.status.allocation) == ("p-2", copy.uid, None)
    assert held(cluster) == ["g0"]


def test_without_the_template_a_copy_asks_for_what_the_other_asked_for() -> None:
    cluster = cluster_of(of_template("p", "a"), made_for("p", "g0"))
    cluster.apply(arrive(cluster, [fresh_copy(cluster.pods[0].pod, "p-2")]))
    assert [name.rpartition("-")[0] for name in claims(cluster)] == ["p-2-gpu", "p-gpu"]


def test_a_pod_that_is_asked_about_as_new_keeps_its_claim_without_devices() -> None:
    cluster = cluster_of(of_template("p", "a"), made_for("p", "g0"))
    cluster.apply(released(cluster, 0))
    assert (claims(cluster), held(cluster)) == (["p-gpu-x"], [])


def test_what_ifs_give_devices_back() -> None:
    objects = (claiming("p", "c", node="a"), claim("c", request(), status=given("a", "g0", users=["p"])))
    for flag, value in (
        ("delete", "pod/default/p"), ("evict", "pod/default/p"), ("drain", "a"), ("taint", "a:x:NoExecute"),
    ):  # fmt: skip
        cluster = cluster_of(*objects)
        cluster.apply(parse_step(flag, value).effect(cluster).changes)
        assert held(cluster) == [], flag


def test_a_node_that_is_removed_takes_its_slices_along() -> None:
    cluster = cluster_of()
    cluster.apply(parse_step("remove-node", "a").effect(cluster).changes)
    assert list(cluster.objects.table("resource_slices")) == []


def test_a_node_like_another_has_devices_of_its_own() -> None:
    cluster = cluster_of(claim("c", request(), status=given("a", "g0")))
    cluster.apply(parse_step("add-node", "like=a,count=2").effect(cluster).changes)
    slices = cluster.objects.table("resource_slices").values()
    assert [(one.name, one.spec.node_name, one.spec.pool.name, len(one.spec.devices)) for one in slices] == [
        (f"a-{DRIVER}", "a", "a", 2),
        (f"a-new-1-{DRIVER}", "a-new-1", "a-new-1", 2),
        (f"a-new-2-{DRIVER}", "a-new-2", "a-new-2", 2),
    ]


def test_a_node_like_one_without_devices_has_none() -> None:
    cluster = cluster_of()
    cluster.apply(parse_step("add-node", "like=b").effect(cluster).changes)
    assert len(cluster.objects.table("resource_slices")) == 1
