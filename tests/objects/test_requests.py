"""What pods request, by version; rows agree with component-helpers and the scheduler's PodInfo of that version."""

from typing import Any

import msgspec
import pytest

from kplan.errors import QuantityError
from kplan.objects import models, requests, resource_names
from kplan.objects.requests import RequestRules
from tests.builders import pod

V1_34 = RequestRules(status_per_pod=False, pod_level_status=False, pod_level_defaults=True)
V1_36 = RequestRules(status_per_pod=False, pod_level_defaults=True)
V1_37 = RequestRules()
EVERY_VERSION = (V1_34, V1_36, V1_37)

MI = 1024**2
GI = 1024**3


def container(name: str = "main", **requested: Any) -> dict[str, Any]:
    """A container with requests; ``ephemeral_storage`` stands for ``ephemeral-storage``."""
    return {"name": name, "resources": {"requests": {k.replace("_", "-"): v for k, v in requested.items()}}}


def sidecar(name: str, **requested: Any) -> dict[str, Any]:
    """An init container that restarts always."""
    return container(name, **requested) | {"restartPolicy": "Always"}


def reported(name: str, actual: dict[str, str] | None, allocated: dict[str, str] | None) -> dict[str, Any]:
    """A container status."""
    status: dict[str, Any] = {"name": name}
    if actual is not None:
        status["resources"] = {"requests": actual}
    if allocated is not None:
        status["allocatedResources"] = allocated
    return status


INFEASIBLE = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
DEFERRED = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]


SPEC_ROWS = [
    pytest.param(pod("p"), {}, id="a pod without requests requests nothing"),
    pytest.param(pod("p", containers=[{"name": "main"}]), {}, id="a container may have no resources at all"),
    pytest.param(
        pod("p", containers=[container("a", cpu="500m", memory="1Gi"), container("b", cpu=1, memory="512Mi")]),
        {"cpu": 1500, "memory": 1536 * MI},
        id="containers add up",
    ),
    pytest.param(
        pod("p", containers=[container("a", cpu="100u"), container("b", cpu="900u")]),
        {"cpu": 1},
        id="sums are exact and rounded up once",
    ),
    pytest.param(
        pod("p", requests={"cpu": "0.1", "memory": "0.5", "ephemeral-storage": "1.5Ki", "nvidia.com/gpu": "2"}),
        {"cpu": 100, "memory": 1, "ephemeral-storage": 1536, "nvidia.com/gpu": 2},
        id="cpu is in millis, all else in whole units rounded up",
    ),
    pytest.param(
        pod("p", requests={"storage": "1Gi", "pods": "3", "mystery": "1", "hugepages-2Mi": "4Mi", "cpu": "0"}),
        {"hugepages-2Mi": 4 * MI, "cpu": 0},
        id="names the scheduler does not count are left out, zeros stay",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="1")], initContainers=[container("i", cpu="3", memory="1Gi")]),
        {"cpu": 3000, "memory": GI},
        id="an init container counts where it needs more than the containers",
    ),
    pytest.param(
        pod(
            "p",
            containers=[container(cpu="1")],
            initContainers=[container("i1", cpu="2"), container("i2", cpu="1500m", memory="1Gi")],
        ),
        {"cpu": 2000, "memory": GI},
        id="init containers run one after another",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="1")], initContainers=[sidecar("s", cpu="200m", memory="1Gi")]),
        {"cpu": 1200, "memory": GI},
        id="a sidecar adds to the containers",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="1")], initContainers=[sidecar("s", cpu="500m"), container("i", cpu="1")]),
        {"cpu": 1500},
        id="an init container runs beside the sidecars before it",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="1")], initContainers=[container("i", cpu="2"), sidecar("s", cpu="500m")]),
        {"cpu": 2000},
        id="an init container runs without the sidecars after it",
    ),
    pytest.param(
        pod(
            "p",
            containers=[container(cpu="1")],
            initContainers=[sidecar("s1", cpu="1"), sidecar("s2", cpu="1"), container("i", cpu="1500m")],
        ),
        {"cpu": 3500},
        id="sidecars pile up before the init container",
    ),
    pytest.param(
        pod(
            "p",
            containers=[container(cpu="1")],
            initContainers=[container("i", cpu="2")],
            overhead={"cpu": "250m", "memory": "64Mi"},
        ),
        {"cpu": 2250, "memory": 64 * MI},
        id="overhead comes on top of whatever is largest",
    ),
    pytest.param(
        pod(
            "p",
            containers=[container(cpu="1", memory="1Gi", ephemeral_storage="2Gi")],
            resources={"requests": {"cpu": "3", "nvidia.com/gpu": "1"}},
            overhead={"cpu": "250m"},
        ),
        {"cpu": 3250, "memory": GI, "ephemeral-storage": 2 * GI},
        id="a pod-level request replaces the sum of that resource, overhead on top",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="2")], resources={"requests": {"hugepages-1Gi": "1Gi", "cpu": "1"}}),
        {"cpu": 1000, "hugepages-1Gi": GI},
        id="a pod-level request may be smaller than the sum, and of huge pages",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="2")], resources={"limits": {"cpu": "4"}}),
        {"cpu": 2000},
        id="pod-level limits alone change nothing once decoded",
    ),
]


@pytest.mark.parametrize("rules", EVERY_VERSION, ids=["1.34", "1.36", "1.37"])
@pytest.mark.parametrize(("subject", "expected"), SPEC_ROWS)
def test_spec_counts_alike_in_every_version(subject: models.Pod, rules: RequestRules, expected: dict[str, int]) -> None:
    assert requests.pod_requests(subject, rules, use_status=False) == expected
    assert requests.pod_requests(subject, rules, use_status=True) == expected


def test_pod_level_resources_do_not_count_with_their_gate_off() -> None:
    subject = pod("p", requests={"cpu": "1"}, resources={"requests": {"cpu": "3"}})
    rules = RequestRules(pod_level_resources=False)
    assert requests.pod_requests(subject, rules, use_status=False) == {"cpu": 1000}
    assert requests.non_zero_requests(subject, rules, use_status=False) == (1000, 200 * MI)


def _resized(conditions: list[dict[str, str]] | None = None, **fields: Any) -> models.Pod:
    """A placed pod of containers ``a`` and ``b`` that ask for 1 core each, with a status."""
    return pod(
        "p",
        node="n",
        containers=[container("a", cpu="1"), container("b", cpu="1")],
        status={"conditions": conditions or [], **fields},
    )


# pod, expected cpu of the placed pod [millicores] in 1.34 (as in 1.35), 1.36 and 1.37
RESIZE_ROWS = [
    pytest.param(
        _resized(containerStatuses=[reported("a", {"cpu": "2"}, {"cpu": "2"}), reported("b", {"cpu": "1"}, None)]),
        (3000, 3000, 3000),
        id="a container that has not shrunk yet counts what it has",
    ),
    pytest.param(
        _resized(
            containerStatuses=[
                reported("a", {"cpu": "500m"}, {"cpu": "500m"}),
                reported("b", {"cpu": "1500m"}, {"cpu": "1500m"}),
            ]
        ),
        (2500, 2500, 2000),
        id="one grows while the other shrinks: per container up to 1.36, per pod in 1.37",
    ),
    pytest.param(
        _resized(containerStatuses=[reported("a", None, {"cpu": "3"}), reported("b", None, {"cpu": "1"})]),
        (2000, 2000, 4000),
        id="allocated resources without resources count from 1.37 only",
    ),
    pytest.param(
        _resized(containerStatuses=[reported("a", {"cpu": "1"}, {"cpu": "3"}), reported("b", {"cpu": "1"}, None)]),
        (4000, 4000, 4000),
        id="what is allocated counts before it is actual",
    ),
    pytest.param(
        _resized(
            INFEASIBLE,
            containerStatuses=[
                reported("a", {"cpu": "500m"}, {"cpu": "500m"}),
                reported("b", {"cpu": "250m"}, {"cpu": "500m"}),
            ],
        ),
        (1000, 1000, 1000),
        id="an infeasible resize leaves the spec out",
    ),
    pytest.param(
        _resized(DEFERRED, containerStatuses=[reported("a", {"cpu": "500m"}, {"cpu": "500m"})]),
        (2000, 2000, 2000),
        id="a deferred resize counts the spec",
    ),
    pytest.param(
        _resized(INFEASIBLE, containerStatuses=[reported("a", {"cpu": "500m"}, {"cpu": "500m"})]),
        (1500, 1500, 500),
        id="infeasible and without a status: the spec up to 1.36, nothing in 1.37",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            initContainers=[container("i", cpu="1")],
            status={
                "containerStatuses": [reported("a", {"cpu": "1"}, {"cpu": "1"})],
                "initContainerStatuses": [reported("i", {"cpu": "3"}, {"cpu": "3"})],
            },
        ),
        (1000, 1000, 3000),
        id="the status of an init container counts from 1.37 only",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            initContainers=[sidecar("s", cpu="1")],
            status={"initContainerStatuses": [reported("s", {"cpu": "3"}, {"cpu": "3"})]},
        ),
        (4000, 4000, 4000),
        id="the status of a sidecar counts in every version",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            resources={"requests": {"cpu": "2"}},
            status={"resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "4"}},
        ),
        (2000, 4000, 4000),
        id="pod-level status counts from 1.36",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            resources={"requests": {"cpu": "5"}},
            status={
                "conditions": INFEASIBLE,
                "resources": {"requests": {"cpu": "3"}},
                "allocatedResources": {"cpu": "4"},
            },
        ),
        (5000, 4000, 4000),
        id="an infeasible pod-level resize leaves the spec out from 1.36",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            resources={"requests": {"memory": "1Gi"}},
            status={"resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"memory": "1Gi"}},
        ),
        (1000, 1000, 3000),
        id="a name only the pod-level status has counts from 1.37",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            resources={"requests": {"cpu": "2"}},
            status={"conditions": INFEASIBLE, "resources": {"requests": {"memory": "1Gi"}}},
        ),
        (2000, 0, 0),
        id="infeasible with a pod-level status that does not name the resource",
    ),
    pytest.param(
        pod(
            "p",
            node="n",
            containers=[container("a", cpu="1")],
            status={
                "containerStatuses": [reported("a", {"cpu": "7"}, {"cpu": "7"})],
                "resources": {"requests": {"cpu": "3"}},
                "allocatedResources": {"cpu": "2"},
            },
        ),
        (7000, 7000, 3000),
        id="totals of the pod's status take the place of its containers' from 1.37",
    ),
]


@pytest.mark.parametrize(("subject", "expected"), RESIZE_ROWS)
def test_placed_pods_count_resizes_under_way(subject: models.Pod, expected: tuple[int, int, int]) -> None:
    found = tuple(requests.pod_requests(subject, rules, use_status=True).get("cpu", 0) for rules in EVERY_VERSION)
    assert found == expected


@pytest.mark.parametrize("rules", EVERY_VERSION, ids=["1.34", "1.36", "1.37"])
def test_the_pod_to_be_scheduled_counts_by_its_spec(rules: RequestRules) -> None:
    subject = _resized(containerStatuses=[reported("a", {"cpu": "9"}, {"cpu": "9"})])
    assert requests.pod_requests(subject, rules, use_status=False) == {"cpu": 2000}


def test_status_does_not_count_with_its_gate_off() -> None:
    subject = _resized(INFEASIBLE, containerStatuses=[reported("a", {"cpu": "9"}, {"cpu": "9"})])
    rules = RequestRules(container_status=False)
    assert requests.pod_requests(subject, rules, use_status=True) == {"cpu": 2000}


NON_ZERO_ROWS = [
    pytest.param(pod("p"), (100, 200 * MI), id="a container without requests counts for the defaults"),
    pytest.param(
        pod("p", containers=[container("a", cpu="1"), container("b", memory="1Gi")]),
        (1100, 1224 * MI),
        id="the defaults are per container",
    ),
    pytest.param(pod("p", requests={"cpu": "0", "memory": "0"}), (0, 0), id="an explicit zero stays zero"),
    pytest.param(
        pod("p", containers=[container(cpu="1", memory="1Gi")], initContainers=[container("i")] * 2),
        (1000, GI),
        id="init containers have defaults too, and run one after another",
    ),
    pytest.param(
        pod("p", containers=[container(cpu="1", memory="1Gi")], initContainers=[sidecar("s")]),
        (1100, 1224 * MI),
        id="so do sidecars",
    ),
    pytest.param(
        pod("p", containers=[container("a"), container("b")], overhead={"cpu": "50m"}),
        (250, 400 * MI),
        id="overhead comes on top of the defaults",
    ),
    pytest.param(
        pod("p", containers=[container("a"), container("b")], resources={"requests": {"cpu": "2", "memory": "1Gi"}}),
        (2000, GI),
        id="pod-level requests leave no room for defaults",
    ),
    pytest.param(
        pod("p", containers=[container("a"), container("b")], resources={"requests": {"cpu": "2"}}),
        (2000, 400 * MI),
        id="what neither pod nor containers request gets the defaults",
    ),
    pytest.param(
        pod("p", containers=[container("a", memory="1Gi"), container("b")], resources={"requests": {"cpu": "2"}}),
        (2000, GI),
        id="with pod-level requests one container's request keeps the others from the default",
    ),
]


@pytest.mark.parametrize(("subject", "expected"), NON_ZERO_ROWS)
def test_non_zero_requests(subject: models.Pod, expected: tuple[int, int]) -> None:
    for rules in EVERY_VERSION:
        assert requests.non_zero_requests(subject, rules, use_status=True) == expected
        assert requests.non_zero_requests(subject, rules, use_status=False) == expected


def test_defaults_meet_resizes_container_by_container() -> None:
    subject = pod(
        "p",
        node="n",
        containers=[container("a", cpu="1", memory="1Gi"), container("b")],
        status={"containerStatuses": [reported("a", {"cpu": "2"}, {"cpu": "2"})]},
    )
    # 1.37: spec 1100m and 1224Mi; allocated and actual 2100m and 400Mi
    for rules in (V1_37, V1_34):
        assert requests.pod_requests(subject, rules, use_status=True) == {"cpu": 2000, "memory": GI}
        assert requests.non_zero_requests(subject, rules, use_status=True) == (2100, 1224 * MI)


def test_the_fit_score_sees_neither_pod_level_resources_nor_status() -> None:
    subject = pod(
        "p",
        containers=[container("a", cpu="1"), container("b", ephemeral_storage="1Gi")],
        resources={"requests": {"cpu": "4", "memory": "8Gi"}},
        overhead={"cpu": "50m", "storage": "3"},
        status={"containerStatuses": [reported("a", {"cpu": "2"}, {"cpu": "2"})]},
    )
    assert requests.fit_score_requests(subject) == {
        "cpu": 1150,
        "memory": 400 * MI,
        "ephemeral-storage": GI,
        "storage": 3,
    }


def test_the_balanced_score_sees_both_and_has_no_defaults() -> None:
    subject = pod(
        "p",
        containers=[container("a", cpu="1"), container("b")],
        resources={"requests": {"memory": "8Gi"}},
        status={"containerStatuses": [reported("a", {"cpu": "2"}, {"cpu": "2"})]},
    )
    assert requests.balanced_score_requests(subject, V1_37) == {"cpu": 2000, "memory": 8 * GI}


def test_a_nodes_allocatable_is_in_the_same_units() -> None:
    listed: models.ResourceList = {
        "cpu": "3920m",
        "memory": "1.5Gi",
        "pods": 110,
        "ephemeral-storage": "47093746742",
        "nvidia.com/gpu": "4",
        "mystery": "1",
    }
    assert requests.scheduler_units(listed) == {
        "cpu": 3920,
        "memory": 1536 * MI,
        "pods": 110,
        "ephemeral-storage": 47093746742,
        "nvidia.com/gpu": 4,
    }
    assert requests.scheduler_units(None) == {}


def test_a_quantity_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(QuantityError, match=r"'1\.\.5Gi' is not a resource quantity"):
        requests.pod_requests(pod("p", requests={"memory": "1..5Gi"}), V1_37, use_status=False)


# name, extended, counted by the scheduler, served by a device class, allowed at pod level
NAMES = [
    ("cpu", False, False, False, True),
    ("memory", False, False, False, True),
    ("ephemeral-storage", False, False, False, False),
    ("storage", False, False, False, False),
    ("hugepages-2Mi", False, True, False, True),
    ("attachable-volumes-aws-ebs", False, True, False, False),
    ("nvidia.com/gpu", True, True, True, False),
    ("example.com/Fancy_Device.v1", True, True, True, False),
    ("Example.com/gpu", False, False, False, False),
    ("example.com/gpu_", False, False, False, False),
    ("example.com/" + "x" * 63, True, True, True, False),
    ("example.com/" + "x" * 64, False, False, False, False),
    ("x" * 245 + ".com/gpu", False, False, False, False),
    ("example.com/a/b", False, False, False, False),
    ("/gpu", False, False, False, False),
    ("example.com/", False, False, False, False),
    ("requests.example.com/gpu", False, False, False, False),
    ("kubernetes.io/thing", False, True, False, False),
    ("node.kubernetes.io/thing", False, True, False, False),
    ("deviceclass.resource.kubernetes.io/gpu", False, True, True, False),
    ("gpu", False, False, False, False),
]


@pytest.mark.parametrize(("name", "extended", "scalar", "dra", "pod_level"), NAMES, ids=[row[0][:40] for row in NAMES])
def test_kinds_of_resource_names(name: str, extended: bool, scalar: bool, dra: bool, pod_level: bool) -> None:
    assert resource_names.is_extended_resource(name) is extended
    assert resource_names.is_scalar_resource(name) is scalar
    assert resource_names.is_dra_extended_resource(name) is dra
    assert resource_names.is_pod_level_resource(name) is pod_level


def defaulted(subject: models.Pod, rules: RequestRules) -> Any:
    """The spec after decoding, as plain data."""
    requests.set_resource_defaults(subject, rules)
    return msgspec.to_builtins(subject)["spec"]


def test_requests_come_from_limits_in_containers_and_init_containers() -> None:
    limited = {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}}
    subject = pod(
        "p",
        containers=[{"name": "a", "resources": limited}, {"name": "b"}],
        initContainers=[{"name": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
    )
    spec = defaulted(subject, V1_37)
    assert spec["containers"][0]["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}
    assert "resources" not in spec["containers"][1]
    assert spec["initContainers"][0]["resources"]["requests"] == {"nvidia.com/gpu": "1"}


def test_quantities_are_rounded_up_to_milli_everywhere() -> None:
    fine = {"cpu": "100u"}
    subject = pod(
        "p",
        containers=[{"name": "a", "resources": {"requests": dict(fine), "limits": {"cpu": "1.0001"}}}],
        overhead=dict(fine),
        resources={"requests": dict(fine), "limits": {"cpu": "1500u"}},
        status={
            "containerStatuses": [reported("a", dict(fine), dict(fine))],
            "resources": {"requests": dict(fine)},
            "allocatedResources": dict(fine),
        },
    )
    requests.set_resource_defaults(subject, V1_37)
    assert msgspec.to_builtins(subject.spec)["containers"][0]["resources"] == {
        "requests": {"cpu": "1m"},
        "limits": {"cpu": "1001m"},
    }
    assert subject.spec.overhead == {"cpu": "1m"}
    assert msgspec.to_builtins(subject.spec.resources) == {"requests": {"cpu": "1m"}, "limits": {"cpu": "2m"}}
    assert msgspec.to_builtins(subject.status) == {
        "containerStatuses": [
            {"name": "a", "resources": {"requests": {"cpu": "1m"}}, "allocatedResources": {"cpu": "1m"}}
        ],
        "resources": {"requests": {"cpu": "1m"}},
        "allocatedResources": {"cpu": "1m"},
    }


# containers, the pod's own resources, what decoding makes of them up to 1.36
POD_LEVEL_ROWS = [
    pytest.param(
        [container("a", cpu="1", memory="1Gi"), container("b", cpu="500m")],
        {"limits": {"cpu": "4", "memory": "8Gi"}},
        {"requests": {"cpu": "1500m", "memory": "1Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}},
        id="the containers' total becomes the pod's request",
    ),
    pytest.param(
        [container("a", ephemeral_storage="1Gi")],
        {"limits": {"cpu": "4"}},
        {"requests": {"cpu": "4"}, "limits": {"cpu": "4"}},
        id="else its limit does; other resources have no pod level",
    ),
    pytest.param(
        [container("a", cpu="1", memory="1Gi")],
        {"requests": {"cpu": "3"}, "limits": {"memory": "2Gi"}},
        {"requests": {"cpu": "3", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
        id="a request that is given stays",
    ),
    pytest.param(
        [container("a", cpu="1", memory="1Gi")],
        {"requests": {"cpu": "3"}},
        {"requests": {"cpu": "3"}},
        id="without a limit nothing is filled in",
    ),
    pytest.param(
        [{"name": "a", "resources": {"limits": {"hugepages-2Mi": "4Mi"}}}] * 2,
        {"requests": {"cpu": "3"}},
        {"requests": {"cpu": "3", "hugepages-2Mi": "8Mi"}, "limits": {"hugepages-2Mi": "8Mi"}},
        id="the containers' huge pages become the pod's limit, and so its request",
    ),
    pytest.param(
        [{"name": "a", "resources": {"limits": {"hugepages-2Mi": "4Mi"}}}],
        {"requests": {"hugepages-2Mi": "6Mi"}},
        {"requests": {"hugepages-2Mi": "6Mi"}},
        id="huge pages that the pod requests have no limit filled in",
    ),
    pytest.param(
        [{"name": "a", "resources": {"limits": {"hugepages-2Mi": "4Mi"}}}],
        {},
        {},
        id="empty pod-level resources stay empty",
    ),
]


@pytest.mark.parametrize(("containers", "level", "filled"), POD_LEVEL_ROWS)
def test_decoding_fills_in_pod_level_resources_up_to_1_36(
    containers: list[dict[str, Any]], level: dict[str, Any], filled: dict[str, Any]
) -> None:
    for rules in (V1_34, V1_36):
        assert defaulted(pod("p", containers=containers, resources=level), rules).get("resources", {}) == filled
    assert defaulted(pod("p", containers=containers, resources=level), V1_37).get("resources", {}) == level


def test_a_pod_without_resources_of_its_own_gets_none() -> None:
    assert "resources" not in defaulted(pod("p", requests={"cpu": "1"}), V1_34)
