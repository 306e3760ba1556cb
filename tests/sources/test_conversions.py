"""Objects of old API versions mean what they meant."""

import pytest

from kplan.sources import load_values

TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}


def one(api_version, kind, **fields):
    item = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": "default"}, **fields}
    state = load_values([item])
    assert state.completeness.broken == ()
    (item,) = state.objects()
    return item


BUDGETS = [
    ("an empty selector selects no pod", "policy/v1beta1", {}, [("Exists", True)]),
    ("an empty selector of policy/v1 selects every pod", "policy/v1", {}, []),
    (
        "the selector of old that selects every pod",
        "policy/v1beta1",
        {
            "matchExpressions": [
                {"key": "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "operator": "DoesNotExist"}
            ]
        },
        [],
    ),
]


@pytest.mark.parametrize(
    ("version", "selector", "wanted"), [row[1:] for row in BUDGETS], ids=[row[0] for row in BUDGETS]
)
def test_the_selector_of_a_budget(version, selector, wanted):
    found = one(version, "PodDisruptionBudget", spec={"selector": selector}).spec.selector
    key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
    assert [(e.operator, e.key == key) for e in found.match_expressions or []] == wanted


def test_a_selector_with_labels_is_left_alone():
    budget = one("policy/v1beta1", "PodDisruptionBudget", spec={"selector": {"matchLabels": {"app": "web"}}})
    assert budget.spec.selector.match_labels == {"app": "web"}
    assert not budget.spec.selector.match_expressions


def test_a_budget_without_selector_selects_no_pod_in_every_version():
    assert one("policy/v1beta1", "PodDisruptionBudget", spec={}).spec.selector is None


SELECTORS = [
    ("extensions/v1beta1", "Deployment", {"app": "web"}),
    ("extensions/v1beta1", "ReplicaSet", {"app": "web"}),
    ("extensions/v1beta1", "DaemonSet", {"app": "web"}),
    ("apps/v1beta1", "Deployment", {"app": "web"}),
    ("apps/v1beta1", "StatefulSet", {"app": "web"}),
    ("apps/v1beta2", "Deployment", None),
    ("apps/v1", "Deployment", None),
]


@pytest.mark.parametrize(("version", "kind", "labels"), SELECTORS, ids=[f"{row[1]} of {row[0]}" for row in SELECTORS])
def test_a_selector_that_is_absent_is_that_of_the_template(version, kind, labels):
    selector = one(version, kind, spec={"template": TEMPLATE}).spec.selector
    assert (selector.match_labels if selector else None) == labels


def test_the_rollout_of_a_deployment_of_old_moves_one_pod_at_a_time():
    rolling = one("extensions/v1beta1", "Deployment", spec={"template": TEMPLATE}).spec.strategy.rolling_update
    assert (rolling.max_surge, rolling.max_unavailable) == (1, 1)
    written = {"strategy": {"rollingUpdate": {"maxSurge": "50%"}}, "template": TEMPLATE}
    rolling = one("extensions/v1beta1", "Deployment", spec=written).spec.strategy.rolling_update
    assert (rolling.max_surge, rolling.max_unavailable) == ("50%", 1)
    recreated = {"strategy": {"type": "Recreate"}, "template": TEMPLATE}
    assert one("extensions/v1beta1", "Deployment", spec=recreated).spec.strategy.rolling_update is None
    assert one("apps/v1", "Deployment", spec={"template": TEMPLATE}).spec.strategy is None


@pytest.mark.parametrize(("version", "kind"), [("extensions/v1beta1", "DaemonSet"), ("apps/v1beta1", "StatefulSet")])
def test_pods_of_a_set_of_old_are_replaced_when_they_are_deleted(version, kind):
    assert one(version, kind, spec={"template": TEMPLATE}).spec.update_strategy.type == "OnDelete"


def test_a_runtime_class_of_old_keeps_its_fields_under_spec():
    spec = {
        "runtimeHandler": "gvisor",
        "overhead": {"podFixed": {"cpu": "250m"}},
        "scheduling": {"nodeSelector": {"a": "b"}},
    }
    found = one("node.k8s.io/v1alpha1", "RuntimeClass", spec=spec)
    assert (found.name, found.handler, found.overhead.pod_fixed) == ("x", "gvisor", {"cpu": "250m"})
    assert found.scheduling.node_selector == {"a": "b"}


SAME = [
    ("batch/v1beta1", "CronJob", {"spec": {"schedule": "* * * * *"}}),
    ("storage.k8s.io/v1beta1", "CSINode", {"spec": {"drivers": []}}),
    ("storage.k8s.io/v1beta1", "CSIDriver", {"spec": {"storageCapacity": True}}),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity", {"storageClassName": "fast", "capacity": "1Gi"}),
    ("storage.k8s.io/v1beta1", "StorageClass", {"provisioner": "disk.example"}),
    ("storage.k8s.io/v1beta1", "VolumeAttachment", {"spec": {"attacher": "disk.example"}}),
    ("scheduling.k8s.io/v1beta1", "PriorityClass", {"value": 7}),
    ("node.k8s.io/v1beta1", "RuntimeClass", {"handler": "gvisor"}),
]


@pytest.mark.parametrize(("version", "kind", "fields"), SAME, ids=[f"{row[1]} of {row[0]}" for row in SAME])
def test_a_kind_that_kept_its_fields_is_read_as_it_is(version, kind, fields):
    assert type(one(version, kind, **fields)).__name__ == kind


def test_kinds_without_a_model_are_counted():
    unknown = load_values(
        [{"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "PodGroupClass", "metadata": {"name": "b"}}]
    ).completeness.unknown
    assert unknown == {"scheduling.k8s.io/v1alpha3/PodGroupClass": 1}


CEL = [{"cel": {"expression": "device.driver == 'gpu.example'"}}]
REQUESTS = [
    (
        "a request of v1beta1",
        "resource.k8s.io/v1beta1",
        {"name": "gpu", "deviceClassName": "big", "selectors": CEL, "allocationMode": "ExactCount", "count": 2},
    ),
    (
        "a request of v1alpha3",
        "resource.k8s.io/v1alpha3",
        {"name": "gpu", "deviceClassName": "big", "selectors": CEL, "allocationMode": "ExactCount", "count": 2},
    ),
    (
        "a request of v1beta2",
        "resource.k8s.io/v1beta2",
        {
            "name": "gpu",
            "exactly": {"deviceClassName": "big", "selectors": CEL, "allocationMode": "ExactCount", "count": 2},
        },
    ),
]


@pytest.mark.parametrize(("version", "request_"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS])
def test_a_request_for_devices_is_read_as_that_of_v1(version, request_):
    claim = one(version, "ResourceClaim", spec={"devices": {"requests": [request_]}})
    template = one(version, "ResourceClaimTemplate", spec={"spec": {"devices": {"requests": [request_]}}})
    for found in (claim.spec.devices.requests[0], template.spec.spec.devices.requests[0]):
        exact = found.exactly
        assert (found.name, exact.device_class_name, exact.allocation_mode, exact.count) == (
            "gpu", "big", "ExactCount", 2,
        )  # fmt: skip
        assert exact.selectors[0].cel.expression == "device.driver == 'gpu.example'"


def test_alternatives_of_a_request_of_v1beta1_stay_and_bring_no_request_of_their_own():
    alternatives = [{"name": "large", "deviceClassName": "big"}, {"name": "small", "deviceClassName": "little"}]
    spec = {"devices": {"requests": [{"name": "gpu", "firstAvailable": alternatives}]}}
    (found,) = one("resource.k8s.io/v1beta1", "ResourceClaim", spec=spec).spec.devices.requests
    assert found.exactly is None
    assert [(each.name, each.device_class_name) for each in found.first_available] == [
        ("large", "big"), ("small", "little"),
    ]  # fmt: skip


BASIC = {"attributes": {"model": {"string": "a100"}, "cores": {"int": 6912}}}
SLICES = [
    ("v1alpha3", {**BASIC, "capacity": {"memory": "40Gi"}}),
    ("v1beta1", {**BASIC, "capacity": {"memory": {"value": "40Gi"}}}),
]


@pytest.mark.parametrize(("version", "basic"), SLICES, ids=[row[0] for row in SLICES])
def test_devices_of_old_slices_are_lifted_out_of_basic(version, basic):
    spec = {
        "driver": "gpu.example",
        "pool": {"name": "node-1", "generation": 7, "resourceSliceCount": 1},
        "nodeName": "node-1",
        "allNodes": False,
        "devices": [{"name": "gpu-0", "basic": basic}],
    }
    found = one(f"resource.k8s.io/{version}", "ResourceSlice", spec=spec).spec
    assert (found.driver, found.pool.generation, found.node_name, found.all_nodes) == ("gpu.example", 7, "node-1", None)
    (device,) = found.devices
    assert (device.name, device.attributes["model"].string_value, device.attributes["cores"].int_value) == (
        "gpu-0", "a100", 6912,
    )  # fmt: skip
    assert device.capacity["memory"].value == "40Gi"


def test_a_taint_rule_of_v1alpha3_keeps_its_class_and_selectors():
    selector = {"deviceClassName": "big", "driver": "gpu.example", "selectors": CEL}
    spec = {"deviceSelector": selector, "taint": {"key": "broken", "effect": "NoSchedule"}}
    found = one("resource.k8s.io/v1alpha3", "DeviceTaintRule", spec=spec).spec
    assert (found.device_selector.device_class_name, found.device_selector.driver) == ("big", "gpu.example")
    assert (len(found.device_selector.selectors), found.taint.key) == (1, "broken")


def test_groups_of_1_35_are_the_templates_of_a_workload():
    groups = [{"name": "workers", "policy": {"gang": {"minCount": 4}}}, {"name": "driver", "policy": {"basic": {}}}]
    spec = {"controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "train"}, "podGroups": groups}
    found = one("scheduling.k8s.io/v1alpha1", "Workload", spec=spec).spec
    workers, driver = found.pod_group_templates
    assert (workers.name, workers.scheduling_policy.gang.min_count) == ("workers", 4)
    assert (driver.name, driver.scheduling_policy.basic is not None, driver.scheduling_policy.gang) == (
        "driver", True, None,
    )  # fmt: skip
    assert found.controller_ref.name == "train"


def test_a_group_of_1_36_says_its_workload_and_disruption_as_1_37_does():
    spec = {
        "podGroupTemplateRef": {"workload": {"workloadName": "train", "podGroupTemplateName": "workers"}},
        "schedulingPolicy": {"gang": {"minCount": 4}},
        "disruptionMode": "PodGroup",
    }
    found = one("scheduling.k8s.io/v1alpha2", "PodGroup", spec=spec).spec
    assert (found.workload_ref.workload_name, found.workload_ref.template_name) == ("train", "workers")
    assert (found.disruption_mode.all is not None, found.disruption_mode.single) == (True, None)
    template = {"name": "workers", "schedulingPolicy": {"basic": {}}, "disruptionMode": "Pod"}
    found = one("scheduling.k8s.io/v1alpha2", "Workload", spec={"podGroupTemplates": [template]}).spec
    mode = found.pod_group_templates[0].disruption_mode
    assert (mode.single is not None, mode.all) == (True, None)


BROKEN = [
    (
        "an amount of v1alpha3 that is none",
        "resource.k8s.io/v1alpha3",
        "ResourceSlice",
        {"devices": [{"name": "gpu-0", "basic": {"capacity": {"memory": "much"}}}]},
        "spec.devices[0].basic.capacity.memory",
    ),
    (
        "a number of v1beta1 that is none",
        "resource.k8s.io/v1beta1",
        "ResourceClaim",
        {"devices": {"requests": [{"name": "gpu", "count": "two"}]}},
        "spec.devices.requests[0].count: ",
    ),
    ("no spec but a word", "resource.k8s.io/v1beta1", "ResourceClaim", "all", "spec: "),
]


@pytest.mark.parametrize(
    ("version", "kind", "spec", "place"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_a_broken_object_of_an_old_form_is_said_at_its_place(version, kind, spec, place):
    item = {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "default"}, "spec": spec}
    (broken,) = load_values([item]).completeness.broken
    assert place in f"{broken.place}: "
