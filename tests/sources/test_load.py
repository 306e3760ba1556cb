"""What files hold: the forms objects come in, and bad input, each with one line that names file and place."""

import io
import json

import pytest

from kplan.errors import SourceError
from kplan.sources import load, load_values


def state_of(text, name="f"):
    data = text() if callable(text) else text if isinstance(text, bytes) else text.encode()
    return load("-", stdin=io.BytesIO(data))


def keys(state):
    return [f"{type(item).__name__} {item.key}" for item in state.objects()]


POD = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'
NODE = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}'


def items(*texts, kind="List"):
    """Write a List of objects that are written already."""
    return f'{{"kind":"{kind}","apiVersion":"v1","items":[{",".join(texts)}]}}'


YAML_POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"

FORMS = [
    ("an object in JSON", POD, ["Pod default/a"]),
    ("an object in YAML", YAML_POD, ["Pod default/a"]),
    ("an object in flow style", "{apiVersion: v1, kind: Pod, metadata: {name: a}}", ["Pod default/a"]),
    (
        "JSON with a comment, which is YAML",
        '{"apiVersion":"v1", # x\n"kind":"Pod","metadata":{"name":"a"}}',
        ["Pod default/a"],
    ),
    ("a List in JSON", items(POD, NODE), ["Node n", "Pod default/a"]),
    (
        "a List in YAML",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: node}\nkind: List\n",
        ["Node node"],
    ),
    (
        "a typed list in JSON",
        '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}',
        ["Pod default/a"],
    ),
    (
        "a typed list of a group",
        '{"kind":"ReplicaSetList","apiVersion":"apps/v1","items":[{"metadata":{"name":"a"}}]}',
        ["ReplicaSet default/a"],
    ),
    ("a typed list in YAML", "apiVersion: v1\nitems:\n- metadata: {name: a}\nkind: PodList\n", ["Pod default/a"]),
    (
        "a typed list whose items have kinds",
        items(POD, kind="PodList"),
        ["Pod default/a"],
    ),
    (
        "a typed list whose items have only a kind",
        '{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","metadata":{"name":"a"}}]}',
        ["Pod default/a"],
    ),
    (
        "a typed list whose items say more after",
        '{"items":[{"metadata":{"name":"a"}}],"kind":"PodList","apiVersion":"v1"}',
        ["Pod default/a"],
    ),
    (
        "a list in a List",
        '{"apiVersion":"v1","kind":"List","items":[{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n"}}]}]}',
        ["Node n"],
    ),
    ("a bare array", f"[{POD},{NODE}]", ["Node n", "Pod default/a"]),
    ("a bare list in YAML", "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n", ["Pod default/a"]),
    ("a list without a kind, of objects with one", '{"items":[' + POD + "]}", ["Pod default/a"]),
    ("one object a line", f"{POD}\n{NODE}\n", ["Node n", "Pod default/a"]),
    ("objects one after another", f"{POD}{NODE}", ["Node n", "Pod default/a"]),
    ("a stream of YAML", f"---\n# x\n---\n{YAML_POD}---\n---\n{NODE}\n", ["Node n", "Pod default/a"]),
    ("JSON, then YAML", f"{NODE}\n---\n{YAML_POD}", ["Node n", "Pod default/a"]),
    ("kind before apiVersion", '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}', ["Pod default/a"]),
    ("indented JSON", json.dumps(json.loads(POD), indent=4), ["Pod default/a"]),
    (
        "an old group",
        "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: a}\n",
        ["Deployment default/a"],
    ),
    (
        "an empty typed list beside an object",
        POD + '{"kind":"NodeList","apiVersion":"v1","items":null}',
        ["Pod default/a"],
    ),
    (
        "containers that are null",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: null}\n",
        ["Pod default/a"],
    ),
    ("labels that are null", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {x: }}\n", ["Pod default/a"]),
    ("half a surrogate pair", POD.replace('"a"', '"a","labels":{"x":"\\ud83d"}'), ["Pod default/a"]),
    (
        "bytes that are not UTF-8, in JSON",
        POD.replace('"a"', '"a","labels":{"x":"\udce9"}').encode("utf-8", "surrogateescape"),
        ["Pod default/a"],
    ),
    ("a merge key", "apiVersion: v1\nkind: Pod\nmetadata:\n  <<: {name: b, namespace: x}\n  name: a\n", ["Pod x/a"]),
    ("a key twice", "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nmetadata: {name: a}\n", ["Pod default/a"]),
]


@pytest.mark.parametrize(("text", "wanted"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_objects_are_found_in(text, wanted):
    state = state_of(text)
    assert keys(state) == wanted
    assert state.completeness.broken == ()


BROKEN_FILES = [
    ("nothing", "", "", "empty", "the file is empty"),
    ("white space", " \n\n", "", "empty", "the file is empty"),
    ("comments", "# x\n---\n# y\n", "", "empty", "holds no object"),
    ("JSON that was cut off", POD[:-5], ":1", "truncated", "ends in the middle"),
    (
        "a List in JSON that was cut off",
        '{"kind":"List","apiVersion":"v1",\n"items":[\n' + POD + ",\n" + POD[:-9],
        ":4",
        "truncated",
        "ends in the middle",
    ),
    (
        "JSON after a line of dashes that was cut off",
        "---\n" + POD + "\n---\n" + POD[:-9],
        ":4",
        "truncated",
        "JSON ends",
    ),
    ("JSON after dashes that was cut off in a name", '---\n{"kind": "Po', ":2", "truncated", "JSON ends"),
    ("flow style that was cut off", "---\n{kind: Pod, metadata: ", "", "yaml-syntax", "not valid YAML"),
    (
        "YAML that was cut off in a quote",
        'apiVersion: v1\nkind: "Po',
        ":2:10",
        "yaml-syntax",
        "unexpected end of stream",
    ),
    (
        "a List in YAML that was cut off between items",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n",
        ":1",
        "truncated",
        "no kind",
    ),
    ("JSON with a comma missing", '{"apiVersion":"v1"\n"kind":"Pod"}', ":2:1", "json-syntax", "not valid JSON"),
    ("YAML that is none", "a: b: c\n", ":1:5", "yaml-syntax", "not valid YAML"),
    ("a template", "{{- if .Values.x }}\nkind: Pod\n{{ end }}\n", ":1:2", "bad-input", "cannot be the key of a map"),
    ("binary", b"\x00\x01\x02" * 100, "", "not-text", "a NUL"),
    ("Latin-1", b"kind: \xe9\n", ":1", "not-text", "not text"),
    (
        "an alias bomb",
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"{n}: &{n} [{','.join(['*' + o] * 9)}]\n" for o, n in zip("abcdef", "bcdefg", strict=True)),
        ":4:",
        "alias-bomb",
        "aliases repeat",
    ),
    ("a Table in JSON", '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}', ":1", "table", "a Table"),
    ("a Table in YAML", "---\nkind: Table\napiVersion: meta.k8s.io/v1\n", ":2", "table", "a Table"),
    (
        "a Table in a List",
        '{"kind":"List","apiVersion":"v1","items":[\n{"kind":"Table","apiVersion":"meta.k8s.io/v1"}]}',
        ":2",
        "table",
        "a Table",
    ),
    (
        "the API server's refusal",
        '{"kind":"Status","apiVersion":"v1","message":"Unauthorized","code":401}',
        ":1",
        "status",
        "`Unauthorized`",
    ),
    (
        "the field names of Go",
        '{"SelfLink":"/api","Items":[{"Name":"a","Spec":{}}]}',
        ":1",
        "internal-names",
        "field names of Go",
    ),
    (
        "an empty list with the field names of Go",
        '{"SelfLink":"/api","Items":null}',
        ":1",
        "internal-names",
        "field names of Go",
    ),
    (
        "objects with the field names of Go",
        '[{"ObjectMeta":{"Name":"a"},"Spec":{}}]',
        ":1",
        "internal-names",
        "field names of Go",
    ),
    (
        "the field names of Go in lower case",
        "typemeta: {}\nobjectmeta: {name: x}\nspec: {}\n",
        ":1",
        "internal-names",
        "field names of Go",
    ),
    ("a number", "5\n", ":1", "not-kubernetes", "got the number 5"),
    ("a string", "<html>login</html>\n", ":1", "not-kubernetes", "got a string of 18 characters"),
    ("an empty array", "[]", ":1", "not-kubernetes", "got an empty list"),
    ("an array of numbers", "[1,2]", ":1", "not-kubernetes", "got a list of 2, the first of which is the number 1"),
    ("an empty map", "{}", ":1", "not-kubernetes", "got an empty map"),
    (
        "some other YAML",
        "replicaCount: 1\nimage: {tag: x}\n",
        ":1",
        "not-kubernetes",
        "got a map with replicaCount, image",
    ),
    (
        "a JSON patch",
        "- op: add\n  path: /spec\n  value: 1\n",
        ":1",
        "not-kubernetes",
        "got a map with op, path, value",
    ),
    ("an empty List", '{"kind":"List","apiVersion":"v1","items":[]}', "", "empty", "nothing to read"),
    ("a line of 50 MB", lambda: b"a" * 50_000_000, ":1", "not-kubernetes", "got a string of 50,000,000 characters"),
    (
        "a line of 50 MB that is no YAML",
        lambda: b"a" * 50_000_000 + b": b",
        ":1:50000001",
        "yaml-syntax",
        "not valid YAML",
    ),
    (
        "a line of 50 MB that is no JSON",
        lambda: b'{"kind":"Pod" "x":"' + b"y" * 50_000_000,
        ":1:15",
        "json-syntax",
        "not valid JSON",
    ),
    ("brackets without end", lambda: b"[" * 900_000, ":1", "too-deep", "nested too deeply"),
    ("brackets without end in YAML", lambda: b"a: " + b"[" * 900_000, ":1:", "yaml-syntax", "nesting depth"),
]


@pytest.mark.parametrize(
    ("text", "place", "code", "message"), [row[1:] for row in BROKEN_FILES], ids=[row[0] for row in BROKEN_FILES]
)
def test_a_broken_file_is_refused_with_its_place(text, place, code, message):
    with pytest.raises(SourceError) as caught:
        state_of(text)
    line = str(caught.value)
    assert line.startswith(f"standard input{place}")
    assert caught.value.code == code
    assert message in caught.value.message
    assert "\n" not in line
    assert len(line) < 250


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"kind":"Table","apiVersion":"meta.k8s.io/v1"}', "-o json"),
        ('{"Items":[]}', "-o json"),
        ("{{- if .Values.x }}\na: b\n", "render it first"),
        (POD[:-5], "cut off"),
        ('{"kind":"List","apiVersion":"v1","items":[]}', "kubectl get"),
    ],
)
def test_a_hint_says_what_to_do(text, hint):
    with pytest.raises(SourceError) as caught:
        state_of(text)
    assert hint in caught.value.hint


def pod_with(text):
    return f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: x\n{text}"


BROKEN_OBJECTS = [
    (
        "a quantity",
        pod_with("spec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        memory: 1..5Gi\n"),
        "Pod",
        "x/a",
        ":11:9: spec.containers[0].resources.requests.memory",
        "'1..5Gi' is not a resource quantity",
    ),
    ("a list where a map belongs", pod_with("spec:\n- x\n"), "Pod", "x/a", ":6:1: spec", "expected a map, got a list"),
    (
        "a map where a list belongs",
        pod_with("spec:\n  containers: {a: b}\n"),
        "Pod",
        "x/a",
        ":7:3: spec.containers",
        "expected a list, got a map",
    ),
    (
        "a bool that was meant as a string",
        pod_with("  labels:\n    a: on\n"),
        "Pod",
        "x/a",
        ":7:5: metadata.labels.a",
        "expected a string, got true: put it in quotes",
    ),
    (
        "a name that is a number",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: 0777}\n",
        "Pod",
        "",
        ":3:12: metadata.name",
        "expected a string, got the number 511: put it in quotes",
    ),
    (
        "a placeholder where a number belongs",
        pod_with("spec:\n  priority: HIGH\n"),
        "Pod",
        "x/a",
        ":7:3: spec.priority",
        "expected a number, got the string `HIGH`",
    ),
    ("no name", "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n", "Pod", "", ":3:1: metadata", "name is missing"),
    (
        "an empty name",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: ''}\n",
        "Pod",
        "",
        ":3:1: metadata",
        "name is missing",
    ),
    ("no metadata", "apiVersion: v1\nkind: Node\nspec: {}\n", "Node", "", ":1:1: metadata", "name is missing"),
    (
        "a name yet to be generated",
        "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n",
        "Pod",
        "a-",
        ":3:1: metadata",
        "name is missing; generateName alone names no object of a cluster",
    ),
    ("no apiVersion", "kind: Pod\nmetadata: {name: a}\n", "Pod", "a", ":1:1", "apiVersion is missing"),
    ("no kind", "apiVersion: v1\nmetadata: {name: a}\n", "", "a", ":1:1", "kind is missing"),
    (
        "a kind that is a list",
        "kind: [Pod]\napiVersion: v1\nmetadata: {name: a}\n",
        "",
        "a",
        ":1:1: kind",
        "expected a string, got a list",
    ),
    (
        "an item of a List that is no object",
        "kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: node}\n- 5\n",
        "",
        "",
        ":7:3",
        "expected an object, got the number 5",
    ),
    (
        "a document beside objects that is none",
        f"{YAML_POD}---\nreplicaCount: 1\n",
        "",
        "",
        ":6:1",
        "expected an object with apiVersion and kind, got a map with replicaCount",
    ),
    (
        "in JSON, on its line",
        items("\n" + POD, '\n{"apiVersion":"v1","kind":"Pod",\n"metadata":{"name":"b",\n"labels":{"é":"", "x":1}}}'),
        "Pod",
        "b",
        ":5:23: metadata.labels.x",
        "expected a string, got the number 1: put it in quotes",
    ),
    ("in JSON, null in a List", items(POD, "\n null"), "", "", ":2:2", "expected an object, got null"),
    (
        "in the second document of YAML",
        f"{YAML_POD}---\n{pod_with('spec: 5')}",
        "Pod",
        "x/a",
        ":11:1: spec",
        "expected a map, got the number 5",
    ),
    (
        "in JSON, one of a stream",
        f'{POD}\n\n{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":1}}}}',
        "Pod",
        "",
        ":3:52: metadata.name",
        "expected a string, got the number 1: put it in quotes",
    ),
    (
        "in flow style",
        "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: [x]}}",
        "Pod",
        "a",
        ":1:49: metadata.labels",
        "expected a map, got a list",
    ),
    (
        "under an alias",
        "x: &x {memory: 1..5}\napiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {allocatable: *x}\n",
        "Node",
        "node",
        ":5:10: status.allocatable.memory",
        "'1..5' is not a resource quantity",
    ),
    (
        "a priority that no number holds",
        POD.replace("}}", '},"spec":{"priority":99999999999999999999999}}'),
        "Pod",
        "a",
        ":1:76: spec.priority",
        "the number 99999999999999999999999 is out of range for 32 bits",
    ),
    (
        "a time in words",
        POD.replace('"a"', '"a","creationTimestamp":"yesterday"'),
        "Pod",
        "a",
        ":1:76: metadata.creationTimestamp",
        "expected a time such as 2006-01-02T15:04:05Z, got the string `yesterday`",
    ),
]


@pytest.mark.parametrize(
    ("text", "kind", "key", "place", "problem"),
    [row[1:] for row in BROKEN_OBJECTS],
    ids=[row[0] for row in BROKEN_OBJECTS],
)
def test_a_broken_object_is_left_out_and_named_with_its_place(text, kind, key, place, problem):
    (broken,) = state_of(text).completeness.broken
    assert broken.kind == kind
    assert broken.key == key
    assert broken.place == f"standard input{place}"
    assert broken.problem == problem


def test_the_other_objects_of_a_file_are_read_all_the_same():
    state = state_of(f"{YAML_POD}---\n{pod_with('spec: 5')}\n---\n{NODE}\n")
    assert keys(state) == ["Node n", "Pod default/a"]
    assert state.completeness.counts == {"Node": 1, "Pod": 1}
    assert len(state.completeness.broken) == 1


def test_a_kind_of_which_all_objects_are_broken_is_there_and_not_absent():
    completeness = state_of("apiVersion: v1\nkind: Node\nmetadata: {}\n").completeness
    assert completeness.counts == {"Node": 0}
    assert "Node" not in completeness.absent


def test_a_folder_passes_over_what_is_none_of_its_business_and_says_so(tmp_path):
    (tmp_path / "pods.json").write_text(POD)
    (tmp_path / "values.yaml").write_text("replicaCount: 1\n")
    (tmp_path / "nothing.yaml").write_text("")
    (tmp_path / "denied.json").write_text('{"kind":"Status","apiVersion":"v1","message":"forbidden"}')
    (tmp_path / "package.json").write_text('{"name":"x","items":[{"a":1}]}')
    state = load(tmp_path)
    assert keys(state) == ["Pod default/a"]
    assert state.completeness.broken == ()
    assert [note.removeprefix(f"passed over {tmp_path}/") for note in state.completeness.notes] == [
        "denied.json:1: the API server's answer `forbidden`, not objects",
        "nothing.yaml: the file is empty",
        "package.json:1: not Kubernetes: expected an object with apiVersion and kind, got a map with a",
        "values.yaml:1: not Kubernetes: expected an object with apiVersion and kind, got a map with replicaCount",
    ]


def test_many_files_passed_over_are_counted(tmp_path):
    (tmp_path / "pod.json").write_text(POD)
    for number in range(25):
        (tmp_path / f"x{number:02}.json").write_text('{"a":1}')
    notes = load(tmp_path).completeness.notes
    assert len(notes) == 11
    assert notes[-1] == "passed over 15 more files that hold nothing of Kubernetes"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cut.json", POD[:-5]),
        ("template.yaml", "a: {{ .x }}\n"),
        ("old.json", '{"Items":[]}'),
        ("table.json", '{"kind":"Table","apiVersion":"meta.k8s.io/v1"}'),
    ],
)
def test_a_broken_file_in_a_folder_stops(tmp_path, name, text):
    (tmp_path / "pods.json").write_text(POD)
    (tmp_path / name).write_text(text)
    with pytest.raises(SourceError) as caught:
        load(tmp_path)
    assert caught.value.file == str(tmp_path / name)


def test_a_folder_of_nothing_but_foreign_files_says_what_was_there(tmp_path):
    (tmp_path / "values.yaml").write_text("replicaCount: 1\n")
    with pytest.raises(SourceError) as caught:
        load(tmp_path)
    assert caught.value.file == str(tmp_path)
    assert "nothing to read" in caught.value.message
    assert "values.yaml" in caught.value.message


def test_values_in_memory_are_read_like_a_file():
    state = load_values([json.loads(POD), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}}])
    assert keys(state) == ["Pod default/a"]
    assert state.completeness.broken[0].place == "objects:1:110: metadata.name"


def test_the_collector_of_cycles_runs_again_afterwards():
    import gc

    state_of(POD)
    assert gc.isenabled()
    with pytest.raises(SourceError):
        state_of("")
    assert gc.isenabled()
