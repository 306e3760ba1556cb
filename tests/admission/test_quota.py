"""Quotas let in as many pods as a real API server does, and refuse the rest in its words (1.37.2)."""

from typing import Any

import pytest

from kplan.admission import Expansion
from kplan.objects.models import Object
from tests.admission.manifests import deployment, expand_text
from tests.builders import make, pod


def quota(hard: dict[str, str], **spec: Any) -> Object:
    zero = dict.fromkeys(hard, "0")
    status = {"hard": hard, "used": {**zero, **spec.pop("used", {})}}
    return make("ResourceQuota", "quota", namespace="default", spec={"hard": hard, **spec}, status=status)


def web(resources: str, count: int = 4) -> str:
    return deployment(count).replace("image: a", f"image: a, resources: {resources}")


@pytest.mark.parametrize(
    ("resources", "item", "let_in", "message"),
    [
        pytest.param(
            "{}", quota({"pods": "2"}), 2,
            "exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2", id="pods",
        ),
        pytest.param(
            "{}", quota({"pods": "2"}, used={"pods": "1"}), 1,
            "exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2", id="some are used",
        ),
        pytest.param(
            "{requests: {cpu: 400m}, limits: {cpu: 1, memory: 512Mi}}",
            quota({"requests.cpu": "1", "limits.memory": "2Gi"}), 2,
            "exceeded quota: quota, requested: requests.cpu=400m, used: requests.cpu=800m, limited: requests.cpu=1",
            id="requests",
        ),
        pytest.param("{}", quota({"cpu": "1"}), 0, "failed quota: quota: must specify cpu for: main", id="none given"),
        pytest.param(
            "{limits: {example.com/gpu: 1}}", quota({"requests.example.com/gpu": "2"}), 2,
            "exceeded quota: quota, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=2, "
            "limited: requests.example.com/gpu=2",
            id="an extended resource",
        ),
        pytest.param(
            "{requests: {memory: 400Mi}}", quota({"requests.memory": "1G"}, scopes=["NotTerminating"]), 2,
            "exceeded quota: quota, requested: requests.memory=400Mi, used: requests.memory=800Mi, "
            "limited: requests.memory=1G",
            id="in its scope, amounts as they were written",
        ),
        pytest.param("{requests: {cpu: 1}}", quota({"pods": "1"}, scopes=["BestEffort"]), 4, "", id="not best effort"),
        pytest.param(
            "{}", quota({"pods": "1"}, scopes=["BestEffort"]), 1,
            "exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1", id="best effort",
        ),
        pytest.param(
            "{}",
            quota({"pods": "1"}, scopeSelector={"matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}), 4, "",
            id="for another priority class",
        ),
    ],
)  # fmt: skip
def test_pods(resources: str, item: Object, let_in: int, message: str) -> None:
    found = expand_text(web(resources), item)
    assert len(found.pods) == let_in
    assert [line.by_quota for line in found.refused] == ([True] if message else [])
    assert [line.why.partition(" is forbidden: ")[2] for line in found.refused] == ([message] if message else [])
    if message and let_in < 4:
        assert f'{4 - let_in} of 4 pods: pods "web-' in found.refused[0].why


def test_a_quota_says_what_it_would_count() -> None:
    found = expand_text(web("{requests: {cpu: 400m}}"), quota({"requests.cpu": "1", "services": "5"}))
    (use,) = found.quotas
    assert [(r.resource, r.used, r.added, r.hard) for r in use.resources] == [
        ("requests.cpu", "0", "800m", "1"),
        ("services", "0", "0", "5"),
    ]
    assert len(use.refusals("requests.cpu")) == 2


def test_a_quota_without_a_status_counts_what_is_there() -> None:
    item = make("ResourceQuota", "quota", namespace="default", spec={"hard": {"pods": "3"}})
    running, done = pod("a", node="n"), pod("b", node="n", status={"phase": "Succeeded"})
    found = expand_text(web("{}"), item, running, done)
    assert len(found.pods) == 2


CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 3Gi}}}
"""


def _claims(hard: dict[str, str]) -> Expansion:
    return expand_text("---".join(CLAIM.replace("NAME", name) for name in "ab"), quota(hard))


@pytest.mark.parametrize(
    ("hard", "let_in"),
    [
        pytest.param({"persistentvolumeclaims": "1"}, 1, id="number"),
        pytest.param({"requests.storage": "5Gi"}, 1, id="storage"),
        pytest.param({"fast.storageclass.storage.k8s.io/requests.storage": "1Gi"}, 0, id="storage of the class"),
        pytest.param({"slow.storageclass.storage.k8s.io/requests.storage": "1Gi"}, 2, id="of another class"),
    ],
)
def test_claims(hard: dict[str, str], let_in: int) -> None:
    found = _claims(hard)
    assert (len(found.objects), len(found.refused)) == (let_in, 2 - let_in)
    assert all(left.by_quota for left in found.refused)


@pytest.mark.parametrize(
    ("hard", "refused"),
    [
        pytest.param({"count/deployments.apps": "1"}, 'deployments.apps "web" is forbidden: exceeded quota: quota, '
            "requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1",
            id="a Deployment"),
        pytest.param({"services": "0", "count/services": "5"}, 'services "web" is forbidden: exceeded quota: quota, '
            "requested: services=1, used: services=0, limited: services=0", id="a Service, by its old name"),
        pytest.param({"count/services": "1", "count/statefulsets.apps": "0"}, "", id="one of each"),
    ],
)  # fmt: skip
def test_objects_are_counted_when_they_are_new(hard: dict[str, str], refused: str) -> None:
    used = {"count/deployments.apps": "1"} if "count/deployments.apps" in hard else {}
    service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}"
    there = [make("Deployment", "other", namespace="default"), make("Service", "other", namespace="default")]
    text = f"{deployment(1)}\n---\n{service}"
    found = expand_text(text, quota(hard, used=used), *there)
    assert [(left.why, left.by_quota) for left in found.refused] == ([(refused, True)] if refused else [])
    again = expand_text(text, quota(hard, used=used), *expand_text(text).objects)
    assert not again.refused, "what is there is not counted again"


SERVICE = "{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {{type: {}, ports: [{}]{}}}}}"
TWO_PORTS = "{port: 80}, {port: 443, nodePort: 30443}"


@pytest.mark.parametrize(
    ("text", "hard", "counted"),
    [
        pytest.param(SERVICE.format("NodePort", TWO_PORTS, ""), "services.nodeports", 2, id="a node port a port"),
        pytest.param(SERVICE.format("LoadBalancer", TWO_PORTS, ""), "services.loadbalancers", 1, id="a load balancer"),
        pytest.param(SERVICE.format("LoadBalancer", TWO_PORTS, ""), "services.nodeports", 2, id="and its node ports"),
        pytest.param(
            SERVICE.format("LoadBalancer", TWO_PORTS, ", allocateLoadBalancerNodePorts: false"),
            "services.nodeports", 1, id="only those that are written, if none is allocated",
        ),
        pytest.param(SERVICE.format("ClusterIP", TWO_PORTS, ""), "services.nodeports", 0, id="inside the cluster"),
        pytest.param("{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}", "configmaps", 1, id="ConfigMaps"),
        pytest.param("{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}", "count/configmaps", 1, id="newer name"),
        pytest.param("{apiVersion: v1, kind: Secret, metadata: {name: s}}", "secrets", 1, id="Secrets"),
        pytest.param(
            "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: s}}",
            "count/networkpolicies.networking.k8s.io", 1, id="a kind that kplan does not read",
        ),
        pytest.param(
            "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: s}}",
            "count/ingresses.networking.k8s.io", 1, id="and one in -es",
        ),
    ],
)  # fmt: skip
def test_objects_without_pods_count(text: str, hard: str, counted: int) -> None:
    service = make("Service", "other", namespace="default")  # the source holds Services
    let_in = expand_text(text, quota({hard: str(counted)}), service)
    assert not let_in.refused
    assert [(row.resource, row.then) for use in let_in.quotas for row in use.resources if row.touched] == (
        [(hard, str(counted))] if counted else []
    )
    if counted:
        (left,) = expand_text(text, quota({hard: str(counted - 1)}), service).refused
        assert left.why.endswith(
            f'"s" is forbidden: exceeded quota: quota, requested: {hard}={counted}, used: {hard}=0, '
            f"limited: {hard}={counted - 1}"
        )


def test_config_maps_of_something_that_runs_are_taken_to_be_there() -> None:
    text = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}}}\n---{deployment(1)}"
    there = expand_text(deployment(1)).objects
    assert len(expand_text(text, quota({"configmaps": "0"})).refused) == 1
    assert not expand_text(text, quota({"configmaps": "0"}), *there).refused


CRON = (
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {schedule: '@daily', jobTemplate: {spec: "
    "{template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}}}"
)


@pytest.mark.parametrize(
    ("text", "hard", "pods", "begins"),
    [
        pytest.param(
            deployment(3), "count/replicasets.apps", 3,
            'its ReplicaSet is refused, so no pod is made: replicasets.apps "web-', id="a Deployment's ReplicaSet",
        ),
        pytest.param(
            CRON, "count/jobs.batch", 1, 'its Job is refused, so no pod is made: jobs.batch "web-',
            id="a CronJob's Job",
        ),
    ],
)  # fmt: skip
def test_what_a_controller_makes_counts(text: str, hard: str, pods: int, begins: str) -> None:
    let_in = expand_text(text, quota({hard: "1"}))
    assert (len(let_in.pods), let_in.refused) == (pods, ())
    found = expand_text(text, quota({hard: "1"}, used={hard: "1"}))
    (left,) = found.refused
    assert (found.pods, left.pods, left.unmade) == ((), pods, begins.split()[1])
    assert left.why.startswith(begins)
    assert left.why.endswith(f"exceeded quota: quota, requested: {hard}=1, used: {hard}=1, limited: {hard}=1")


def test_a_deployment_that_runs_needs_one_more_replica_set_only_for_a_new_template() -> None:
    there = expand_text(deployment(2)).objects
    full = quota({"count/replicasets.apps": "1"}, used={"count/replicasets.apps": "1"})
    assert not expand_text(deployment(5), full, *there).refused
    found = expand_text(deployment(2, image="b"), full, *there)
    assert [(left.pods, change.verdict) for left, change in zip(found.refused, found.changes, strict=True)] == [
        (2, "unchanged")
    ]
    assert (found.fleets, found.changes[0].leaving) == ((), ())
