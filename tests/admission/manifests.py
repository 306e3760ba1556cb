"""Manifests of tests: read as a stream, expanded against a small state."""

from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from kplan.admission import Expansion, expand
from kplan.objects.models import Deployment, Object, Pod, ReplicaSet
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.sources import load, load_objects

FIXTURES = Path(__file__).parents[2] / "fixtures" / "manifests"


def expand_file(name: str, *objects: Object, **options: Any) -> Expansion:
    """Expand a fixture against the objects and the policies of fixtures/manifests/policies.yaml."""
    policies = load(str(FIXTURES / "policies.yaml"))
    state = ClusterState.of([*policies.objects(), *objects])
    namespace = options.get("namespace", "default")
    return expand(load_objects(str(FIXTURES / name), namespace=namespace), state, RequestRules(), **options)


def expand_text(text: str, *objects: Object, rules: RequestRules | None = None, **options: Any) -> Expansion:
    """Expand a manifest given as text against these objects alone."""
    manifests = load_objects("-", stdin=BytesIO(text.encode()))
    return expand(manifests, ClusterState.of(objects), rules or RequestRules(), **options)


def deployment(replicas: int, image: str = "a", strategy: str = "", cpu: str = "") -> str:
    """A Deployment ``web`` in one line of YAML each."""
    resources = f", resources: {{requests: {{cpu: {cpu}}}}}" if cpu else ""
    return f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  strategy: {strategy or "{}"}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: main, image: {image}{resources}}}]}}
"""


def running(replicas: int) -> list[Object]:
    """What is there once ``deployment(replicas)`` has been applied."""
    found = expand_text(deployment(replicas))
    made: list[Object] = [one for one in found.objects if isinstance(one, Deployment | ReplicaSet)]
    (item,) = [one for one in made if isinstance(one, Deployment)]
    (owner,) = [one for one in made if isinstance(one, ReplicaSet)]
    item.metadata.uid = (owner.metadata.owner_references or [])[0].uid
    pods: list[Pod] = [one.pod for one in found.pods]
    for one in pods:
        one.spec = msgspec.structs.replace(one.spec, node_name="n")
        one.status.phase = "Running"
    return [*made, *pods]
