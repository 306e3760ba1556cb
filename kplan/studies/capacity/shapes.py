"""Shapes: how many pods of made-up sizes fit, one size at a time.

shapes:
  - {name: small, cpu: 500m, memory: 1Gi}
  - {name: trainer, cpu: 8, memory: 64Gi, nvidia.com/gpu: 1}
"""

from __future__ import annotations

from collections.abc import Mapping

from kplan.course.capacity.counting import count_sets
from kplan.course.capacity.supply import Supply
from kplan.errors import SourceError
from kplan.objects.models import Pod
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.pod import Container, PodSpec, PodStatus, ResourceRequirements
from kplan.objects.quantity import parse
from kplan.pipeline import Planner
from kplan.result.document_capacity import ShapeRoom
from kplan.sources.plain_yaml import read_plain_yaml
from kplan.wording.capacity import SHAPES_EXAMPLE
from kplan.wording.failing import failure


def load_shapes(file: str) -> dict[str, dict[str, str]]:
    """Read shapes: requests by name.

    Raises:
        SourceError: the file cannot be read, or holds no shapes.
        QuantityError: an amount cannot be read.
    """
    document = read_plain_yaml(file)
    listed = document.get("shapes") if isinstance(document, dict) else document
    if not isinstance(listed, list) or not listed:
        raise SourceError("no shapes", file=file, code="bad-shapes", hint=SHAPES_EXAMPLE)
    shapes: dict[str, dict[str, str]] = {}
    for number, entry in enumerate(listed):
        if not isinstance(entry, dict):
            raise SourceError(
                "a shape is a mapping", file=file, path=f"shapes[{number}]", code="bad-shapes", hint=SHAPES_EXAMPLE
            )
        amounts = {str(key): str(value) for key, value in entry.items() if key != "name"}
        for amount in amounts.values():
            parse(amount)
        shapes[str(entry.get("name") or f"shape-{number + 1}")] = amounts
    return shapes


def shape_room(planner: Planner, name: str, requests: Mapping[str, str]) -> ShapeRoom:
    """Count the pods of one shape that fit beside what runs."""
    supply = Supply(name, shape_pod(name, requests, "default"))
    counted = count_sets(planner, [supply], [1], why=failure)
    return ShapeRoom(
        name=name,
        requests=", ".join(f"{key} {amount}" for key, amount in requests.items()),
        fits=counted.sets,
        stopped_by=counted.failure.because if counted.failure is not None else None,
        bounded=counted.bounded,
    )


def shape_pod(name: str, requests: Mapping[str, str], namespace: str = "default") -> Pod:
    """Make a pod that asks for some amounts and nothing else."""
    resources = ResourceRequirements(requests=dict(requests))
    container = Container(name="main", image="shape", resources=resources)
    return Pod(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=PodSpec(containers=[container]),
        status=PodStatus(phase="Pending"),
    )
