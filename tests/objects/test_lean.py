"""Models have lean forms for dense clusters; who reads one sees no difference, and who changes one gets a whole one."""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kplan.objects.lean import FORMS as BY_MODEL
from kplan.objects.lean import WHOLE, replace, whole, whole_type
from kplan.objects.models import Container, ObjectMeta, OwnerReference, Pod, PodSpec, ResourceRequirements, Toleration
from kplan.sources import load, load_values, repeated_texts
from kplan.sources.snapshot import snapshot_bytes
from tests.hostile.compact import COMPACT, cluster

ROOT = Path(__file__).parents[2]
OTHERS = {"workbench.py", "follow.py"}
"""Modules that copy what is no model, whose fields have such names."""
FORMS = [pytest.param(small, large, id=large.__name__) for small, large in WHOLE.items()]


def lean(value: Any) -> Any:
    """The lean form of what says no more."""
    form = BY_MODEL[type(value)]
    return form.lean(*form.common(value))


def written() -> list[Any]:
    requests = ResourceRequirements(requests={"cpu": "1"})
    container = Container(name="c", image="i", resources=requests)
    return [
        ObjectMeta(name="p", namespace="d", uid="u"),
        container,
        PodSpec(node_name="n", priority=3, containers=[container]),
    ]


@pytest.mark.parametrize(("small", "large"), FORMS)
def test_a_lean_form_has_the_first_fields_in_their_order_and_says_none_of_all_others(small: Any, large: Any) -> None:
    common = small.__struct_fields__
    assert large.__struct_fields__[: len(common)] == common
    assert {getattr(small(), name) for name in large.__struct_fields__[len(common) :]} == {None}
    assert sys.getsizeof(small()) < 0.6 * sys.getsizeof(large())


@pytest.mark.parametrize("value", written(), ids=lambda value: type(value).__name__)
def test_a_lean_model_is_equal_and_written_alike_and_a_copy_that_says_more_is_whole(value: Any) -> None:
    small = lean(value)
    assert whole_type(type(small)) is type(value) is not type(small)
    assert (small == value, value == small, small == lean(value), small != value) == (True, True, True, False)
    assert msgspec.json.encode(small) == msgspec.json.encode(value)
    assert whole(small) == value
    assert type(whole(small)) is type(value)
    common, rare = small.__struct_fields__[0], value.__struct_fields__[-1]
    assert type(replace(small, **{common: "x"})) is type(small)
    assert getattr(replace(small, **{rare: []}), rare) == []
    assert replace(small, **{common: "x"}) != value


def shared(metadata: ObjectMeta, **spec: Any) -> Pod:
    pod = Pod(metadata=metadata, spec=PodSpec(**spec))
    repeated_texts.share(pod)
    return pod


@pytest.mark.parametrize("field", ["labels", "owner_references"], ids=["what is written most", "another field"])
def test_what_says_more_stays_whole(field: str) -> None:
    more: dict[str, Any] = {"labels": {"a": "b"}, "owner_references": [OwnerReference(name="o")]}
    tolerations = [Toleration(operator="Exists")]
    pod = shared(ObjectMeta(name="p", **{field: more[field]}), containers=[], tolerations=tolerations)
    assert (type(pod.metadata), type(pod.spec)) == (ObjectMeta, PodSpec)
    assert (getattr(pod.metadata, field), pod.spec.tolerations) == (more[field], tolerations)


def test_what_says_no_more_is_lean_wherever_it_stands() -> None:
    containers = [Container(name=name, image="i") for name in "cd"]
    alone, two = shared(ObjectMeta(name="p"), containers=containers[:1]), shared(ObjectMeta(), containers=containers)
    pods = [(pod.metadata, pod.spec, *(pod.spec.containers or ())) for pod in (alone, two)]
    assert [tuple(whole_type(type(part)) is not type(part) for part in pod) for pod in pods] == [
        (True,) * 3,
        (True,) * 4,
    ]


@pytest.mark.parametrize("shape", COMPACT)
def test_a_cluster_of_lean_objects_is_written_as_one_of_whole_objects(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.json"
    data = cluster(COMPACT[shape], 20_000)
    file.write_bytes(data)
    monkeypatch.setattr("kplan.sources.scale._DENSE", 0)
    read, held = load(file), load_values(msgspec.json.decode(data)["items"])
    assert snapshot_bytes(read) == snapshot_bytes(held)
    assert list(read.objects()) == list(held.objects())
    assert {type(item.metadata) for item in held.objects()} == {ObjectMeta}


def replaced(text: str) -> list[ast.Call]:
    """Calls of msgspec's own function that copies a struct with other fields."""
    if not re.search(r"structs\.replace|msgspec\.structs import .*replace", text):
        return []
    nodes = list(ast.walk(ast.parse(text)))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "msgspec.structs"]
    ours = {name.asname or name.name for node in imports for name in node.names}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    of_module = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "replace"]
    return [call for call in of_module if ast.unparse(call.func.value).endswith("structs")] + [
        call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ours
    ]


def test_fields_that_a_lean_form_lacks_are_changed_by_replace_of_objects() -> None:
    """``msgspec.structs.replace`` refuses them where a cluster is dense."""
    lacking = {name for large in WHOLE.values() for name in large.__struct_fields__} - {
        name for small in WHOLE for name in small.__struct_fields__
    }
    wrong = [
        f"{path.name}: {ast.unparse(call)}"
        for path in sorted((ROOT / "kplan").rglob("*.py"))
        if path.parent.name != "config" and path.name not in OTHERS
        for call in replaced(path.read_text())
        if lacking & {keyword.arg for keyword in call.keywords}
    ]
    assert not wrong
