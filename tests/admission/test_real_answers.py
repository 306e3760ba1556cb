"""What a real API server (1.37.2) answered to broken manifests; tests/live/test_refusals.py asks it again."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.sources import load
from tests.admission.manifests import expand_text

MANIFESTS = Path(__file__).parents[1] / "live" / "manifests"
ANSWERS: dict[str, str] = yaml.safe_load((MANIFESTS / "refused" / "answers.yml").read_text())
CLASSES = tuple(load(str(MANIFESTS / "cluster" / "classes.yaml")).objects())
OBJECTS = [
    pytest.param(item, id=f"{item['kind']} {item['metadata']['name']}")
    for file in ("workloads.yaml", "pods.yaml")
    for item in yaml.safe_load_all((MANIFESTS / "refused" / file).read_text())
]


@pytest.mark.parametrize("item", OBJECTS)
def test_the_answer_is_the_server_s(item: dict[str, Any]) -> None:
    (refused,) = expand_text(yaml.safe_dump(item), *CLASSES).refused
    told = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", refused.why)
    assert told == ANSWERS[f"{item['kind']} {item['metadata']['name']}"]


def test_every_answer_is_of_an_object() -> None:
    assert list(ANSWERS) == [str(one.id) for one in OBJECTS]
