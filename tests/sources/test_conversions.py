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
        [
            {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", "metadata": {"name": "a"}},
            {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": "b"}},
        ]
    ).completeness.unknown
    assert unknown == {"resource.k8s.io/v1beta1/ResourceClaim": 1, "scheduling.k8s.io/v1alpha1/Workload": 1}
