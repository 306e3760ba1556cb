"""Which kinds, versions and fields a real API server knows: what kplan holds manifests against, and the answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.admission.validation.api import api_of
from kplan.objects.state import ClusterState
from tests.live.controllers import Json, documents, expanded, need_assets, url_of
from tests.live.controlplane import ApiError, ControlPlane

MANIFESTS = Path(__file__).parent / "manifests"
API = api_of(37)
NOWHERE = ClusterState.of([])
PLURALS = {"NetworkPolicy": "networkpolicies", "PriorityClass": "priorityclasses"}


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A server that is told nothing of versions."""
    need_assets()
    with ControlPlane(audit=False) as running:
        yield running


def served(plane: ControlPlane) -> dict[str, set[str]]:
    """The versions in which a server has each kind, by its own account."""
    versions = ["v1", *(one["groupVersion"] for g in plane.get("/apis")["groups"] for one in g["versions"])]
    found: dict[str, set[str]] = {}
    for version in versions:
        for resource in plane.get(f"/{'apis' if '/' in version else 'api'}/{version}")["resources"]:
            if "/" not in resource["name"]:
                found.setdefault(resource["kind"], set()).add(version)
    return found


def test_the_kinds_that_are_served(plane: ControlPlane) -> None:
    assert {kind: set(versions) for kind, versions in API.served().items()} == served(plane)


def test_the_fields_of_every_kind_that_is_served(plane: ControlPlane) -> None:
    """Held against the OpenAPI that the server publishes of itself."""
    definitions = plane.get("/openapi/v2")["definitions"]
    tops = {
        (f"{of['group']}/{of['version']}".removeprefix("/"), of["kind"]): name
        for name, schema in definitions.items()
        for of in schema.get("x-kubernetes-group-version-kind", ())
    }
    seen: dict[str, str] = {}
    for kind, versions in API.served().items():
        for version in versions:
            seen[API.type_of(version, kind)] = tops[version, kind]
    left = list(seen.items())
    while left:
        mine, real = left.pop()
        properties = definitions[real].get("properties", {})
        assert set(API.fields(mine)) == set(properties), real
        for field, schema in properties.items():
            target = (schema.get("items") or schema.get("additionalProperties") or schema).get("$ref", "")
            name, known = target.rpartition("/")[2], API.fields(mine)[field]
            assert bool(known.type) == bool(definitions.get(name, {}).get("properties")), (real, field)
            if known.type and known.type not in seen:
                seen[known.type] = name
                left.append((known.type, name))
    assert len(seen) > 400


UNKNOWN = documents(MANIFESTS / "refused" / "unknown-fields.yaml")


@pytest.mark.parametrize("item", UNKNOWN, ids=lambda item: f"{item['kind']}-{item['metadata']['name']}")
def test_unknown_fields_are_refused_in_the_servers_words(item: Json, plane: ControlPlane, tmp_path: Path) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(yaml.safe_dump(item))
    (told,) = expanded(path, NOWHERE, "default").refused
    assert told.why == answer(plane, item)


def answer(plane: ControlPlane, item: Json) -> str:
    """The answer to what ``kubectl create`` sends: fields sorted, none but those that there are."""
    plural = PLURALS.get(item["kind"])
    url = url_of(item, "default")
    url = f"{url.rpartition('/')[0]}/{plural}" if plural else url
    with pytest.raises(ApiError) as caught:
        plane.post(url, json.dumps(item, sort_keys=True), query={"fieldValidation": "Strict"})
    return str(caught.value.message)


def test_manifests_of_other_tests_have_no_unknown_field(plane: ControlPlane) -> None:
    """What the server takes, kplan does not refuse."""
    checked = 0
    for path in sorted(MANIFESTS.glob("*.yaml")):
        for item in documents(path):
            url = url_of(item, "default").replace("networkpolicys", "networkpolicies")
            body = json.dumps(item, sort_keys=True)
            query: dict[str, Any] = {"fieldValidation": "Strict", "dryRun": "All"}
            _, told = plane.request("POST", url, body, query=query)
            strict = "strict decoding error" in str(told)
            found = expanded(path, NOWHERE, "default").refused
            assert strict == any("strict decoding error" in one.why for one in found), (path, told)
            checked += 1
    assert checked > 40
