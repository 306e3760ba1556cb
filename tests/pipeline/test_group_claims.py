"""Claims that a group brings along: reserved for the group; expected values are those of kube-scheduler 1.37.2."""

from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import make, node, pod
from tests.pipeline.test_groups import group, told

ON = {"GenericWorkload": True}
CLAIM = {"name": "gpu", "resourceClaimName": "all"}
TEMPLATE = {"name": "gpu", "resourceClaimTemplateName": "tmpl"}
GROUP = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "name": "g", "uid": "u", "controller": True}


def planner(*objects: Object, gate: bool = True) -> Planner:
    devices = {
        "driver": "gpu.example.com",
        "nodeName": "a",
        "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}],
    }
    there = (node("a"), make("DeviceClass", "gpu", spec={}), make("ResourceSlice", "a-gpus", spec=devices))
    scheduler = kplan.Scheduler.of("1.37", gates={**ON, "DRAWorkloadResourceClaims": gate})
    return scheduler.planner(ClusterState.of([*there, *objects]))


def claim(**metadata: Any) -> Object:
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    spec = {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}
    return make("ResourceClaim", "all", namespace="default", metadata=metadata, spec=spec)


def of_group(number: int, entry: dict[str, str]) -> Object:
    made = [{"name": "gpu", "resourceClaimName": "all"}]
    fields = {"schedulingGroup": {"podGroupName": "g"}, "resourceClaims": [entry]}
    return pod(f"g-{number}", status={"resourceClaimStatuses": made}, **fields)


def consumers(planned: Planner) -> list[tuple[str, str]]:
    item = planned.cluster.objects.table("resource_claims")["default/all"]
    return [(one.resource, one.name) for one in item.status.reserved_for or ()]


def kept_out(planned: Planner) -> tuple[str, ...]:
    """Why the one pod is not let into the queue."""
    [event] = planned.simulate().events
    return event.outcome.pre_enqueue.reasons if event.outcome.pre_enqueue is not None else ()


def test_a_claim_that_the_group_brings_along_is_reserved_for_it_once() -> None:
    planned = planner(group("g", 2, resourceClaims=[CLAIM]), claim(), of_group(0, CLAIM), of_group(1, CLAIM))
    assert told(planned) == {"g-0": "a", "g-1": "a"}
    assert consumers(planned) == [("podgroups", "g")]


def test_one_that_only_its_pods_name_is_reserved_for_each() -> None:
    planned = planner(group("g", 2), claim(), of_group(0, CLAIM), of_group(1, CLAIM))
    told(planned)
    assert consumers(planned) == [("pods", "g-0"), ("pods", "g-1")]


def test_one_made_for_the_group_serves_its_pods() -> None:
    own = group("g", 1, resourceClaims=[TEMPLATE])
    planned = planner(own, claim(ownerReferences=[GROUP]), of_group(0, TEMPLATE))
    assert told(planned) == {"g-0": "a"}


def test_one_made_for_another_does_not() -> None:
    other = claim(ownerReferences=[{**GROUP, "name": "h"}])
    planned = planner(group("g", 1, resourceClaims=[TEMPLATE]), other, of_group(0, TEMPLATE))
    assert kept_out(planned) == (
        "ResourceClaim default/all was not created for Pod default/g-0 (neither Pod nor PodGroup g is the owner)",
    )


def test_with_the_gate_off_a_claim_of_a_group_is_nobodys() -> None:
    own = group("g", 1, resourceClaims=[TEMPLATE])
    planned = planner(own, claim(ownerReferences=[GROUP]), of_group(0, TEMPLATE), gate=False)
    assert kept_out(planned) == ("ResourceClaim default/all was not created for Pod default/g-0 (Pod is not owner)",)
