"""What ``-o json`` writes is what the schema says, and the schema of the last release still holds.

    python -m tests.test_schema_compat     at a release: write down the schemas of now (make schema-release)

Fields are added, never renamed and never of another type: who reads ``kplan.dev/v1`` goes on reading it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kplan.cli.main import main
from kplan.render.data import json_schema
from kplan.result.document_base import Document, VerdictDocument
from kplan.result.documents import DOCUMENTS
from tests.schema_changes import broken

ROOT = Path(__file__).parents[1]
RELEASED = ROOT / "kplan" / "data" / "schemas" / "v1.json"
READ_BACK = frozenset({"CheckResult", "BindPlan"})
"""Kinds that kplan reads again: a baseline, a plan."""


def by_kind(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The schema of each kind, of one that accepts any of them."""
    kinds = [one["$ref"] for one in schema["anyOf"]]
    return {ref.rpartition("/")[2]: {"$ref": ref, "$defs": schema["$defs"]} for ref in kinds}


def test_nothing_of_the_last_release_is_gone_or_of_another_type() -> None:
    released, now = json.loads(RELEASED.read_text()), json.loads(json_schema())
    breaks = broken(by_kind(released), by_kind(now), READ_BACK)
    assert breaks == [], "these break who reads the documents: add a field beside the old one instead"


def test_the_released_schemas_are_schemas_and_come_with_the_package() -> None:
    import tomllib

    released = json.loads(RELEASED.read_text())
    Draft202012Validator.check_schema(released)
    assert set(by_kind(released)) == set(DOCUMENTS)
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["kplan"]
    assert any(RELEASED.relative_to(ROOT / "kplan").match(pattern) for pattern in data)


def test_every_document_is_in_the_table_by_its_own_name() -> None:
    kinds = {*Document.__subclasses__(), *VerdictDocument.__subclasses__()} - {VerdictDocument}
    assert {kind.__name__: kind for kind in kinds} == DOCUMENTS


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_each_kind_names_itself_its_version_and_nothing_undefined(kind: str) -> None:
    schema = json.loads(json_schema(kind))
    Draft202012Validator.check_schema(schema)
    root = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    assert root["properties"]["kind"]["enum"] == [kind]
    assert root["properties"]["apiVersion"]["enum"] == ["kplan.dev/v1"]
    assert {"apiVersion", "kind"} <= set(root["required"])
    named = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema)))
    assert named <= set(schema["$defs"])


# --- what each command writes is what the schema says

DEMO = ["--snapshot", str(ROOT / "kplan" / "data" / "demo.yaml")]
WEB = str(ROOT / "fixtures" / "manifests" / "web.yaml")
CHECKOUT = str(ROOT / "fixtures" / "examples" / "checkout.yaml")
COMMANDS: dict[str, list[list[str]]] = {
    "PodExplanation": [
        ["explain", "pod", "shop/search-0", *DEMO],
        ["explain", "pod", "shop/db-2", "--cordon", "node-a", *DEMO],
    ],
    "PodExplanations": [["explain", "pod", "-A", *DEMO]],
    "AuditReport": [["explain", "-A", "--audit", *DEMO]],
    "NodeExplanation": [["explain", "node", "node-a", *DEMO]],
    "NodeList": [["nodes", *DEMO]],
    "SimulationPlan": [
        ["simulate", *DEMO],
        ["simulate", WEB, "--remove-node", "node-a", *DEMO],
        ["simulate", "--timings", *DEMO],
        ["simulate", "--sample", "--runs", "2", *DEMO],
    ],
    "CheckResult": [
        ["check", WEB, *DEMO],
        ["check", WEB, "--survive", "zone", "--headroom", "30%", "--require-zones", "3", "--quota", *DEMO],
        ["check", str(ROOT / "fixtures" / "manifests" / "refused.yaml"), "--max-age", "1d", *DEMO],
    ],
    "CapacityReport": [
        ["capacity", "deploy/web", "-n", "shop", *DEMO],
        ["capacity", "--cheapest", str(ROOT / "fixtures" / "examples" / "nodes.yaml"), *DEMO],
    ],
    "DrainPlan": [["drain", "node-b", *DEMO], ["drain", "--find", *DEMO]],
    "MovesPlan": [["moves", "shop/search-0", *DEMO], ["moves", "shop/db-2", "--most", "0", *DEMO]],
    "PackPlan": [["pack", *DEMO], ["pack", "pool=infra", "--keep-free", "10%", *DEMO]],
    "FailReport": [["fail", "node-b", *DEMO], ["fail", "--each", "zone", *DEMO]],
    "SweepReport": [["sweep", *DEMO], ["sweep", "--pool", "like=node-a", "-f", CHECKOUT, *DEMO]],
    "ClusterDiff": [["diff", DEMO[1], DEMO[1]], ["diff", *DEMO, "--k8s-version", "1.34,1.37"]],
    "BindPlan": [["bind", "-A", *DEMO]],
    "PluginReference": [["plugins"]],
    "ConfigReport": [["config", *DEMO], ["config", "--config", "DefaultProvider"]],
    "ConfigMigration": [["config", "migrate", "ClusterAutoscalerProvider"]],
}
NEED_A_SERVER = {"BindResult"}
"""Kinds that only an API server gives; tests of the live source make them."""


def invocations() -> list[Any]:
    made = []
    for kind, commands in COMMANDS.items():
        for words in commands:
            shown = [word for word in words if not word.startswith("/") and word != "--snapshot"]
            made.append(pytest.param(kind, words, id=" ".join(shown)))
    return made


@pytest.mark.parametrize(("kind", "words"), invocations())
def test_what_a_command_writes_is_valid(kind: str, words: list[str], tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "result.json"
    assert main([*words, "-o", f"json={file}"]) in (0, 1, 3, 4), capsys.readouterr().err
    result = json.loads(file.read_text())
    assert result["kind"] == kind
    schema = json.loads(json_schema(kind))
    errors = Draft202012Validator(schema).iter_errors(result)
    assert [f"{error.json_path}: {error.message}" for error in errors] == []
    assert unknown_fields(schema, result) == []


def test_every_kind_of_document_is_written_by_a_command_here() -> None:
    assert set(DOCUMENTS) - set(COMMANDS) - NEED_A_SERVER == set()


def unknown_fields(schema: dict[str, Any], result: Any) -> list[str]:
    """Fields of a document that its schema does not name: JSON Schema itself lets them pass."""
    definitions = schema["$defs"]

    def walk(part: dict[str, Any], value: Any, at: str) -> Iterator[str]:
        if "$ref" in part:
            part = definitions[part["$ref"].rpartition("/")[2]]
        if "anyOf" in part:
            named = [one for one in part["anyOf"] if one.get("type") != "null"]
            if value is not None and len(named) == 1:
                yield from walk(named[0], value, at)
            return
        if isinstance(value, dict):
            known = part.get("properties", {})
            rest = part.get("additionalProperties")
            for name, below in value.items():
                if name in known:
                    yield from walk(known[name], below, f"{at}.{name}")
                elif isinstance(rest, dict):
                    yield from walk(rest, below, f"{at}.{name}")
                elif known:
                    yield f"{at}.{name}"
        elif isinstance(value, list) and isinstance(part.get("items"), dict):
            for below in value:
                yield from walk(part["items"], below, f"{at}[]")

    return list(walk(schema, result, "$"))


# --- what counts as a break

BEFORE = {
    "Doc": {
        "$ref": "#/$defs/Doc",
        "$defs": {
            "Doc": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "count": {"type": "integer", "default": 0},
                    "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
                    "by": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "one": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}], "default": None},
                },
                "required": ["name"],
            },
            "Part": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        },
    }
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The schema with one place set to another value; None takes it out."""
    made = json.loads(json.dumps(BEFORE))
    *above, last = path.split("/")
    place = made["Doc"]["$defs"]
    for name in above:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        pytest.param("Doc/properties/more", {"type": "string"}, [], id="a field is added"),
        pytest.param("Doc/properties/name/description", "its name", [], id="words change"),
        pytest.param("Doc/properties/count/default", 1, [], id="a default changes"),
        pytest.param("Doc/properties/count", None, ["Doc.count: removed or renamed"], id="a field is removed"),
        pytest.param(
            "Part/properties/text",
            None,
            ["Doc.parts[].text: removed or renamed"],
            id="a field of a part is removed, and is told once",
        ),
        pytest.param(
            "Doc/properties/count/type",
            "string",
            ["Doc.count: type was 'integer', is 'string'"],
            id="a type changes",
        ),
        pytest.param("Doc/properties/name/enum", ["a"], ["Doc.name: enum was None, is ['a']"], id="a type is narrowed"),
        pytest.param(
            "Doc/properties/count",
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            ["Doc.count: one of 1 was integer, is integer, null"],
            id="a type is widened",
        ),
        pytest.param(
            "Doc/properties/one",
            {"$ref": "#/$defs/Part"},
            ["Doc.one: one of 2 was #/$defs/Part, null, is object"],
            id="what could be missing may not be null any more",
        ),
        pytest.param("Doc/required", [], ["Doc.name: was always there, may be missing"], id="a field may be missing"),
        pytest.param(
            "Doc/properties/by/additionalProperties",
            {"type": "string"},
            ["Doc.by[]: type was 'integer', is 'string'"],
            id="values of a mapping change",
        ),
    ],
)
def test_what_breaks_readers_is_found(path: str, value: Any, expected: list[str]) -> None:
    assert broken(BEFORE, changed(path, value)) == expected


def test_a_kind_that_is_gone_is_found_and_a_new_one_is_none() -> None:
    assert broken(BEFORE, {}) == ["Doc: removed or renamed"]
    assert broken({}, BEFORE) == []


def test_a_part_may_have_another_name() -> None:
    made = json.loads(json.dumps(BEFORE).replace("Part", "Piece"))
    assert broken(BEFORE, made) == []


def test_a_new_required_field_breaks_only_what_is_read_back() -> None:
    made = changed("Doc/properties/more", {"type": "string"})
    made["Doc"]["$defs"]["Doc"]["required"] = ["name", "more"]
    assert broken(BEFORE, made) == []
    assert broken(BEFORE, made, frozenset({"Doc"})) == [
        "Doc.more: must be there, and a document of the last release has it not"
    ]


if __name__ == "__main__":
    RELEASED.write_text(json_schema())
