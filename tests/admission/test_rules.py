"""Defaults and admission, rule by rule; pods of the fixtures were compared with those of a real API server (1.37.2)."""

from typing import Any

import msgspec
import pytest

from kplan.admission.admit import Admission
from kplan.admission.policies.claims import set_claim_defaults
from kplan.admission.policies.limit_ranger import check_claim_limits
from kplan.admission.policies.lookup import Policies
from kplan.admission.policies.priority import set_priority
from kplan.admission.policies.runtime_class import merge_tolerations
from kplan.admission.policies.tolerations import add_default_tolerations
from kplan.admission.refusal import AdmissionRefusal
from kplan.objects.models import Object, PersistentVolumeClaim, Pod, PriorityClass, ResourceRequirements, Toleration
from kplan.objects.models.pod import PodSpec
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from tests.admission.manifests import expand_file
from tests.builders import make, pod

OLD = RequestRules(pod_level_defaults=True)


def admit(item: Pod, *objects: Object, rules: RequestRules | None = None) -> tuple[str, ...]:
    policies = Policies.of(ClusterState.of(objects), ())
    return Admission(policies, rules or RequestRules()).admit(item)


def one(*, resources: dict[str, Any] | None = None, **spec: Any) -> Pod:
    return pod("p", containers=[{"name": "c", "image": "x", "resources": resources or {}}], **spec)


def resources_of(item: Pod) -> Any:
    return msgspec.to_builtins((item.spec.containers or [])[0].resources or {})


def limits(**item: Any) -> Object:
    return make("LimitRange", "l", namespace="default", spec={"limits": [item]})


def test_what_is_added_is_said() -> None:
    found = {line.pod.name: line.added for line in expand_file("pods.yaml").pods}
    assert set(found["sandboxed"]) == {
        "memory request 64Mi of main from LimitRange defaults",
        "cpu limit 8 of main from LimitRange defaults",
        "memory limit 256Mi of main from LimitRange defaults",
        "priority 5 from PriorityClass usual (global default)",
        "cpu overhead 250m from RuntimeClass sandbox",
        "memory overhead 120Mi from RuntimeClass sandbox",
        "nodeSelector sandbox=yes from RuntimeClass sandbox",
    }


@pytest.mark.parametrize(
    ("given", "limit_range", "wanted"),
    [
        pytest.param(
            {"limits": {"cpu": "2"}}, None, {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}, id="request from limit"
        ),
        pytest.param(
            {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}},
            None,
            {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}},
            id="a request that is there stays",
        ),
        pytest.param(
            {"requests": {"cpu": "123456u"}}, None, {"requests": {"cpu": "124m"}}, id="rounded up to thousandths"
        ),
        pytest.param({}, {"defaultRequest": {"cpu": "1"}}, {"requests": {"cpu": "1"}}, id="defaultRequest"),
        pytest.param(
            {}, {"default": {"cpu": "1"}}, {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}, id="request from default"
        ),
        pytest.param(
            {}, {"max": {"cpu": "3"}}, {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}, id="default from max"
        ),
        pytest.param({}, {"min": {"cpu": "1"}}, {"requests": {"cpu": "1"}}, id="defaultRequest from min"),
        pytest.param(
            {}, {"min": {"cpu": "1"}, "max": {"cpu": "3"}}, {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}},
            id="max before min",
        ),
        pytest.param(
            {"requests": {"cpu": "500m"}},
            {"default": {"cpu": "1"}},
            {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}},
            id="a limit from LimitRange makes no request",
        ),
    ],
)  # fmt: skip
def test_requests_and_limits(given: dict[str, Any], limit_range: dict[str, Any] | None, wanted: dict[str, Any]) -> None:
    item = one(resources=given)
    admit(item, *([limits(type="Container", **limit_range)] if limit_range else []))
    assert resources_of(item) == wanted


def test_amounts_from_elsewhere_are_written_as_the_api_server_writes_them() -> None:
    item = one(runtimeClassName="sandbox")
    runtime = make("RuntimeClass", "sandbox", handler="h", overhead={"podFixed": {"cpu": 0.25, "memory": "0.5Gi"}})
    admit(item, limits(type="Container", default={"cpu": 2, "memory": "1.5Gi"}), runtime)
    assert resources_of(item)["limits"] == {"cpu": "2", "memory": "1536Mi"}
    assert item.spec.overhead == {"cpu": "250m", "memory": "512Mi"}
    claim = make("PersistentVolumeClaim", "c", namespace="n", spec={"resources": {"requests": {"storage": "1.5Gi"}}})
    assert isinstance(claim, PersistentVolumeClaim)
    set_claim_defaults(claim, ())
    assert claim.spec.resources is not None
    assert claim.spec.resources.requests == {"storage": "1536Mi"}


@pytest.mark.parametrize(
    ("given", "limit_range", "message"),
    [
        pytest.param(
            {"requests": {"cpu": "50m"}}, {"type": "Container", "min": {"cpu": "100m"}},
            "minimum cpu usage per Container is 100m, but request is 50m", id="below min",
        ),
        pytest.param(
            {"limits": {"memory": "2Gi"}}, {"type": "Container", "max": {"memory": "1Gi"}},
            "maximum memory usage per Container is 1Gi, but limit is 2Gi", id="above max",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}},
            {"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}},
            "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000", id="ratio",
        ),
        pytest.param(
            {}, {"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}},
            "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
            id="ratio without a request",
        ),
        pytest.param(
            {}, {"type": "Pod", "max": {"cpu": "3"}},
            "maximum cpu usage per Pod is 3.  No limit is specified", id="a pod's max without a limit",
        ),
        pytest.param(
            {"limits": {"cpu": "4", "memory": "1Gi"}}, {"type": "Pod", "max": {"cpu": "3"}, "min": {"memory": "2Gi"}},
            "[minimum memory usage per Pod is 2Gi, but request is 1Gi, maximum cpu usage per Pod is 3, but limit is 4]",
            id="several are listed",
        ),
    ],
)  # fmt: skip
def test_bounds_of_a_limit_range(given: dict[str, Any], limit_range: dict[str, Any], message: str) -> None:
    with pytest.raises(AdmissionRefusal) as caught:
        admit(one(resources=given), limits(**limit_range))
    assert caught.value.message == message


def test_bounds_of_a_claim() -> None:
    claim = make(
        "PersistentVolumeClaim", "c", namespace="default", spec={"resources": {"requests": {"storage": "5Gi"}}}
    )
    assert isinstance(claim, PersistentVolumeClaim)
    range_ = limits(type="PersistentVolumeClaim", max={"storage": "1Gi"})
    with pytest.raises(
        AdmissionRefusal, match="maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 5Gi"
    ):
        check_claim_limits(claim, [range_])  # type: ignore[list-item]


CLASSES = {
    "high": make("PriorityClass", "high", value=1000),
    "polite": make("PriorityClass", "polite", value=10, preemptionPolicy="Never"),
}
DEFAULTS = {
    **CLASSES,
    "x": make("PriorityClass", "x", value=7, globalDefault=True),
    "y": make("PriorityClass", "y", value=5, globalDefault=True),
}


@pytest.mark.parametrize(
    ("spec", "classes", "priority", "policy"),
    [
        pytest.param({"priorityClassName": "high"}, CLASSES, 1000, "PreemptLowerPriority", id="by class"),
        pytest.param({"priorityClassName": "polite"}, CLASSES, 10, "Never", id="the class does not preempt"),
        pytest.param({}, CLASSES, 0, "PreemptLowerPriority", id="none"),
        pytest.param({}, DEFAULTS, 5, "PreemptLowerPriority", id="the lowest of two global defaults"),
        pytest.param(
            {"priorityClassName": "system-node-critical"}, {}, 2000001000, "PreemptLowerPriority", id="built in"
        ),
        pytest.param({"priority": 1000, "priorityClassName": "high"}, CLASSES, 1000, "PreemptLowerPriority", id="same"),
    ],
)
def test_priority(spec: dict[str, Any], classes: dict[str, PriorityClass], priority: int, policy: str) -> None:
    made = msgspec.convert(spec, PodSpec)
    set_priority(made, classes)
    assert (made.priority, made.preemption_policy) == (priority, policy)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param({"priorityClassName": "nobody"}, "no PriorityClass with name nobody was found", id="unknown"),
        pytest.param(
            {"priority": 3, "priorityClassName": "high"},
            "the integer value of priority (3) must not be provided in pod spec; priority admission controller "
            "computed 1000 from the given PriorityClass name",
            id="another number",
        ),
        pytest.param(
            {"preemptionPolicy": "Never", "priorityClassName": "high"},
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission "
            "controller computed PreemptLowerPriority from the given PriorityClass name",
            id="another policy",
        ),
    ],
)
def test_priorities_that_are_refused(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(AdmissionRefusal) as caught:
        set_priority(msgspec.convert(spec, PodSpec), CLASSES)  # type: ignore[arg-type]
    assert caught.value.message == message


NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"


@pytest.mark.parametrize(
    ("given", "added"),
    [
        pytest.param([], [NOT_READY, UNREACHABLE], id="both"),
        pytest.param(
            [{"key": NOT_READY, "operator": "Exists", "effect": "NoExecute"}], [UNREACHABLE], id="one is there"
        ),
        pytest.param([{"key": NOT_READY, "effect": "NoSchedule"}], [NOT_READY, UNREACHABLE], id="another effect"),
        pytest.param([{"operator": "Exists"}], [], id="everything is tolerated"),
    ],
)
def test_default_tolerations(given: list[dict[str, str]], added: list[str]) -> None:
    spec = msgspec.convert({"tolerations": given}, PodSpec)
    add_default_tolerations(spec)
    new = (spec.tolerations or [])[len(given) :]
    assert [toleration.key for toleration in new] == added
    assert {(t.operator, t.effect, t.toleration_seconds) for t in new} <= {("Exists", "NoExecute", 300)}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param([("a", "Equal", "1"), ("a", "Exists", "")], [1], id="one that covers another comes later"),
        pytest.param([("a", "Exists", ""), ("a", "Equal", "1")], [0], id="or earlier"),
        pytest.param([("a", "Exists", ""), ("a", "Exists", "")], [0], id="of equal ones the first"),
        pytest.param([("a", "Exists", ""), ("b", "Exists", "")], [0, 1], id="different keys"),
    ],
)
def test_merged_tolerations(given: list[tuple[str, str, str]], kept: list[int]) -> None:
    made = [Toleration(key=k, operator=o, value=v, effect="NoSchedule") for k, o, v in given]
    merged = merge_tolerations(made)
    assert [next(i for i, m in enumerate(made) if m is t) for t in merged] == kept


SANDBOX = make("RuntimeClass", "box", overhead={"podFixed": {"cpu": "250m"}}, scheduling={"nodeSelector": {"k": "v"}})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found', id="unknown class"),
        pytest.param(
            {"runtimeClassName": "box", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
            id="another overhead",
        ),
        pytest.param(
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
            id="an overhead without a class",
        ),
        pytest.param(
            {"runtimeClassName": "box", "nodeSelector": {"k": "w"}},
            "conflict: runtimeClass.scheduling.nodeSelector[k] = v; pod.spec.nodeSelector[k] = w",
            id="node selectors that differ",
        ),
    ],
)
def test_runtime_classes_that_refuse(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(AdmissionRefusal) as caught:
        admit(one(**spec), SANDBOX)
    assert caught.value.message == message


def test_a_runtime_class_brings_overhead_and_selector() -> None:
    item = one(runtimeClassName="box")
    admit(item, SANDBOX)
    assert (item.spec.overhead, item.spec.node_selector) == ({"cpu": "250m"}, {"k": "v"})


def test_label_keys_are_merged_into_selectors() -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {},
        "matchLabelKeys": ["a", "absent"],
        "mismatchLabelKeys": ["b"],
    }
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["a"],
    }
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    item = one(affinity={"podAffinity": required}, topologySpreadConstraints=[constraint])
    item.metadata.labels = {"a": "1", "b": "2"}
    admit(item)
    assert item.spec.affinity is not None
    assert item.spec.affinity.pod_affinity is not None
    (merged,) = item.spec.affinity.pod_affinity.required or []
    (spread,) = item.spec.topology_spread_constraints or []
    assert msgspec.to_builtins(merged.label_selector) == {
        "matchExpressions": [
            {"key": "a", "operator": "In", "values": ["1"]},
            {"key": "b", "operator": "NotIn", "values": ["2"]},
        ]
    }
    assert msgspec.to_builtins(spread.label_selector) == {
        "matchExpressions": [{"key": "a", "operator": "In", "values": ["1"]}]
    }


@pytest.mark.parametrize(
    ("rules", "level", "wanted"),
    [
        pytest.param(
            RequestRules(),
            {"limits": {"cpu": "2"}},
            {"requests": {"cpu": "300m", "memory": "100Mi"}, "limits": {"cpu": "2", "memory": "100Mi"}},
            id="1.37: containers' requests, and limits that all of them have",
        ),
        pytest.param(
            OLD,
            {"limits": {"cpu": "2"}},
            {"requests": {"cpu": "300m", "memory": "100Mi"}, "limits": {"cpu": "2"}},
            id="1.36: requests only",
        ),
        pytest.param(
            OLD, {"requests": {"cpu": "2"}}, {"requests": {"cpu": "2"}}, id="1.36: nothing without a pod-level limit"
        ),
        pytest.param(
            RequestRules(),
            {"requests": {"cpu": "2"}},
            {"requests": {"cpu": "2", "memory": "100Mi"}, "limits": {"memory": "100Mi"}},
            id="1.37: also without one",
        ),
    ],
)
def test_pod_level_defaults(rules: RequestRules, level: dict[str, Any], wanted: dict[str, Any]) -> None:
    item = one(resources={"requests": {"cpu": "300m"}, "limits": {"memory": "100Mi"}})
    item.spec.resources = msgspec.convert(level, ResourceRequirements)
    admit(item, rules=rules)
    assert msgspec.to_builtins(item.spec.resources) == wanted


def test_host_network_and_grace_period() -> None:
    scratch = next(one.pod for one in expand_file("pods.yaml").pods if one.pod.name == "scratch")
    (container,) = scratch.spec.containers or []
    assert [(p.container_port, p.host_port, p.protocol) for p in container.ports or ()] == [
        (8080, 8080, "TCP"),
        (53, 53, "UDP"),
    ]
    assert scratch.spec.termination_grace_period_seconds == 1
    assert [(c.type, c.status, c.reason) for c in scratch.status.conditions or ()] == [
        ("PodScheduled", "False", "SchedulingGated")
    ]
