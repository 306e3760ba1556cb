"""Sources without workloads: what runs is told from its pods, so that nothing is counted twice."""

import msgspec
import pytest

from kplan.objects.models import Object, Pod
from tests.admission.manifests import deployment, expand_text
from tests.builders import node

DAEMON = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec: {containers: [{name: main, image: a, resources: {requests: {cpu: CPU}}}]}
"""


def pods_of(manifest: str, *nodes: Object) -> list[Object]:
    """Pods as a dump holds them once a manifest was applied: admitted, placed, with a token mounted."""
    found = expand_text(manifest, *nodes)
    pods: list[Object] = []
    for entry in found.pods:
        pod = msgspec.json.decode(msgspec.json.encode(entry.pod), type=Pod)
        token = {"name": "kube-api-access-x7k2p"}
        body = msgspec.to_builtins(pod)
        body["spec"]["nodeName"] = "n"
        body["spec"]["volumes"] = [*(body["spec"].get("volumes") or []), token]
        body["spec"]["containers"][0]["volumeMounts"] = [{**token, "mountPath": "/var/run/secrets"}]
        body["status"] = {"phase": "Running"}
        pods.append(msgspec.convert(body, Pod))
    return pods


@pytest.mark.parametrize(
    ("manifest", "verdict", "new"),
    [
        pytest.param(deployment(3, cpu="1"), "unchanged", 0, id="the same"),
        pytest.param(deployment(5, cpu="1"), "scaled", 2, id="more of them"),
        pytest.param(deployment(1, cpu="1"), "scaled", 0, id="fewer of them"),
        pytest.param(deployment(3, cpu="2"), "changed", 3, id="another request"),
        pytest.param(deployment(3, cpu="1", image="b"), "changed", 3, id="another image"),
    ],
)
def test_a_deployment_known_from_its_pods(manifest: str, verdict: str, new: int) -> None:
    found = expand_text(manifest, *pods_of(deployment(3, cpu="1")))
    (change,) = found.changes
    assert (change.verdict, change.before, len(found.pods)) == (verdict, 3, new)
    told = "the source holds no Deployments: deploy/default/web is compared with its pods that run"
    assert [note for note in found.notes if "is not certain" not in note] == [told]
    # pods without times are all alike: which of them leave is chance
    assert any("is not certain" in note for note in found.notes) == (change.verdict == "scaled" and not new)


def test_pods_that_are_added_belong_to_the_set_of_those_that_run() -> None:
    there = pods_of(deployment(2, cpu="1"))
    owners = {(o.name, o.uid) for pod in there for o in pod.metadata.owner_references or ()}
    (added,) = expand_text(deployment(3, cpu="1"), *there).pods
    assert {(o.name, o.uid) for o in added.pod.metadata.owner_references or ()} == owners


def test_what_differs_is_told_without_what_admission_added() -> None:
    found = expand_text(deployment(3, cpu="1500m"), *pods_of(deployment(3, cpu="1")))
    assert [fleet.differences for fleet in found.fleets] == [("cpu 1 -> 1500m",)]


@pytest.mark.parametrize(("cpu", "verdict"), [("1", "unchanged"), ("2", "changed")])
def test_a_daemon_set_known_from_its_pods(cpu: str, verdict: str) -> None:
    nodes = [node("n-1"), node("n-2")]
    found = expand_text(DAEMON.replace("CPU", cpu), *nodes, *pods_of(DAEMON.replace("CPU", "1"), *nodes))
    assert [change.verdict for change in found.changes] == [verdict]


def test_pods_of_others_do_not_count() -> None:
    other = pods_of(deployment(2, cpu="1").replace("name: web", "name: shop"))
    assert [change.verdict for change in expand_text(deployment(2, cpu="1"), *other).changes] == ["new"]
