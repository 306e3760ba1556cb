"""The line reader: always equal to the event reader, and asked for it only where lines are irregular."""

import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.errors import SourceError
from kplan.sources import yaml_events, yaml_lines
from kplan.sources.yaml_nodes import YamlNode, YamlText

REAL = pathlib.Path(__file__).resolve().parents[3] / "shared" / "real"

LIST = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      config: |
        {"a":1}
      last: |-
        one

          two
      empty: ""
    labels:
      app: web
      "on": "true"
      version: "6873e98"
    name: web-1
  spec:
    containers:
    - args:
      - --v=2
      - -x
      - a:b
      command: []
      env:
      - name: A
        value: 'it''s'
      - name: B
        value: "quoted \\"x\\" and \\\\"
      name: main
      resources: {}
    nodeName: n1
    nodeSelector:
    priority: 1_000
  status:
    message: '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims
      to deallocate, preemption: 0/1 nodes are available'
    plain: runs over
      two lines
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-2
  matrix:
  - - 1
    - 2
  - - on
kind: List
metadata:
  resourceVersion: ""
"""

WANTED = {
    "apiVersion": "v1",
    "kind": "List",
    "metadata": {"resourceVersion": ""},
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {"config": '{"a":1}\n', "last": "one\n\n  two", "empty": ""},
                "labels": {"app": "web", "on": "true", "version": "6873e98"},
                "name": "web-1",
            },
            "spec": {
                "containers": [
                    {
                        "args": ["--v=2", "-x", "a:b"],
                        "command": [],
                        "env": [{"name": "A", "value": "it's"}, {"name": "B", "value": 'quoted "x" and \\'}],
                        "name": "main",
                        "resources": {},
                    }
                ],
                "nodeName": "n1",
                "nodeSelector": None,
                "priority": 1000,
            },
            "status": {
                "message": "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims"
                " to deallocate, preemption: 0/1 nodes are available",
                "plain": "runs over two lines",
            },
        },
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-2"}, "matrix": [[1, 2], [True]]},
    ],
}


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    monkeypatch.setattr(yaml_lines, "SMALL", 0)


@pytest.fixture
def event_reads(monkeypatch):
    """Texts that the event reader was asked for."""
    asked = []
    plain = yaml_events.documents

    def spy(data, *args, **kwargs):
        asked.append(data)
        return plain(data, *args, **kwargs)

    monkeypatch.setattr(yaml_events, "documents", spy)
    return asked


def by_lines(data, file):
    return yaml_lines.documents(YamlText(data), file)


def everything(reader, data):
    """Values and places of a stream, or the error."""
    try:
        found = [document.whole() for document in reader(data, "f.yaml")]
    except SourceError as error:
        return str(error), error.code, error.hint
    return [
        (document.value, document.mark, [document.marks.get(id(part)) for part in parts(document.value)])
        for document in found
        if document.value is not None
    ]


def parts(value):
    items = value.get("items") if isinstance(value, dict) else None
    return [part for part in [value, *(items if isinstance(items, list) else [])] if isinstance(part, dict)]


def test_a_list_as_kubectl_writes_it(event_reads):
    document = next(by_lines(LIST.encode(), "f.yaml")).whole()
    assert document.value == WANTED
    mark = document.marks[id(document.value["items"][1])]
    assert (mark.line, mark.column, mark.index) == (
        40,
        2,
        LIST.index("apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-2"),
    )
    # one item has a quoted key and is read by events, and so is what stands around the items
    assert len(event_reads) == 2


def test_a_regular_list_needs_the_event_reader_only_for_what_stands_around_its_items(event_reads):
    text = LIST.replace('      "on": "true"\n', "")
    document = next(by_lines(text.encode(), "f.yaml")).whole()
    assert [item["metadata"]["name"] for item in document.value["items"]] == ["web-1", "web-2"]
    assert event_reads == ['apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n']


def test_a_stream_of_objects_needs_no_event_reader(event_reads):
    text = "---\nkind: Pod\nmetadata:\n  name: a\n---\nkind: Node\nspec:\n  taints:\n  - key: x\n"
    found = [document.value for document in by_lines(text.encode(), "f")]
    assert found == [{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Node", "spec": {"taints": [{"key": "x"}]}}]
    assert event_reads == []


def test_a_small_text_is_left_to_the_event_reader(monkeypatch, event_reads):
    monkeypatch.setattr(yaml_lines, "SMALL", 1 << 17)
    list(by_lines(LIST.encode(), "f"))
    assert event_reads == [LIST.encode()]


IRREGULAR = {
    "a comment": "a: b # c\n",
    "a comment line": "# x\na: b\n",
    "flow style": "a: {b: c}\n",
    "an anchor": "a: &x b\nc: *x\n",
    "an anchor of another item": "items:\n- &x {a: b}\n- *x\nkind: List\n",
    "a merge key": "a: &x\n  b: c\nd:\n  <<: *x\n",
    "a tag": "a: !!str 5\n",
    "a scalar on a line of its own": "a:\n  b\n",
    "a folded block": "a: >\n  b\n  c\n",
    "a block with an indent": "a: |2\n   b\n",
    "a block that keeps its end": "a: |+\n  b\n\nc: d\n",
    "an empty block": "a: |\nb: c\n",
    "a block that begins with an empty line": "a: |\n\n  b\n",
    "a quoted scalar with an empty line": "a: 'b\n\n  c'\n",
    "a quoted scalar that looks like items": "items:\n- a: 'b\n- c'\n- d: e\nkind: List\n",
    "an escape that JSON has not": 'a: "\\x41"\n',
    "a break escaped": 'a: "b\\\n  c"\n',
    "an empty item": "items:\n-\n- a: b\nkind: List\n",
    "an item on the line after its dash": "items:\n-\n  a: b\n- c: d\nkind: List\n",
    "an item with two spaces after its dash": "items:\n-  a: b\n   c: d\n- e: f\nkind: List\n",
    "items that are indented": "items:\n  - a: b\n  - c: d\nkind: List\n",
    "items twice": "items:\n- a: b\nkind: List\nitems:\n- c: d\n",
    "another list after the items": "items:\n- a: b\nother:\n- c: d\n",
    "a map and another list after the items": "items:\n- a: b\nkind:\n  c: d\nother:\n- e\n",
    "another list after items that are indented": "items:\n  - a: b\nkind:\n  c: d\nother:\n  - e\n",
    "a tab": "a:\tb\n",
    "carriage returns": "a: b\r\nc:\r\n  d: e\r\n",
    "a line that ends at another break": "a: b\x85c: d\n",
    "a directive": "%YAML 1.1\n---\na: b\n",
    "an end of document": "a: b\n...\n---\nc: d\n",
    "a document on the line of its separator": "--- {a: b}\n",
    "a separator with a comment": "--- # x\na: b\n",
    "a key that is a number": "1: a\n0x10: b\n",
    "a key that is a bool": "on: a\n",
    "a key with a colon": 'f:spec:\n  k:{"a":"b"}:\n    .: {}\n',
    "a key twice": "a:\n  b: c\na: d\n",
    "spaces at the end": "a: b  \nc:  d\n",
    "an unclosed quote": "items:\n- a: 'b\n- c: d\nkind: List\n",
    "a line too deep": "a:\n  b: c\n    d: e\n",
    "a line too shallow": "a:\n    b: c\n  d: e\n",
    "a list that ends early": "a:\n  - b\n c: d\n",
    "a value and a map": "a: b\n  c: d\n",
    "a list in a list in a map": "a:\n- - b: c\n    d: e\n  - f\n",
    "not a number": "a: .nan\n",
    "no end of line": "a: b",
    "only a list": "- a: b\n- c\n",
    "only a scalar": "a\n",
    "nothing": "\n\n",
    "not UTF-8": "a: \udcff\n",
}


@pytest.mark.parametrize("text", IRREGULAR.values(), ids=IRREGULAR.keys())
def test_what_is_irregular_is_read_as_by_events(text):
    data = text.encode("utf-8", "surrogateescape")
    assert everything(by_lines, data) == everything(yaml_events.documents, data)


PIECES = [
    '"',
    "'",
    ": ",
    " #",
    "- ",
    "-",
    "|",
    ">",
    "{}",
    "[a]",
    "&a ",
    "*a",
    "!!str ",
    "\t",
    "  ",
    " ",
    "\n",
    "\n\n",
    "---\n",
]


@st.composite
def damaged(draw):
    """A kubectl-like list in which a few lines were changed."""
    lines = LIST.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        column = draw(st.integers(0, len(lines[at])))
        change = draw(st.sampled_from(["drop", "twice", "deeper", "shallower", "insert", "append", "break"]))
        piece = draw(st.sampled_from(PIECES))
        match change:
            case "drop":
                del lines[at]
            case "twice":
                lines.insert(at, lines[at])
            case "deeper":
                lines[at] = " " * (column % 4 + 1) + lines[at]
            case "shallower":
                lines[at] = lines[at][column % 3 + 1 :]
            case "insert":
                lines[at] = lines[at][:column] + piece + lines[at][column:]
            case "append":
                lines[at] += piece
            case "break":
                lines[at] = lines[at][:column] + "\n" + " " * (column % 13) + lines[at][column:]
        lines = "\n".join(lines).split("\n")
        if len(lines) < 2:
            break
    return "\n".join(lines)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(damaged())
def test_a_damaged_list_is_read_or_refused_as_by_events(text):
    assert everything(by_lines, text.encode()) == everything(yaml_events.documents, text.encode())


@pytest.mark.skipif(not REAL.is_dir(), reason="the real material is not part of the repository")
def test_real_files_are_read_as_by_events():
    files = [path for path in REAL.rglob("*.y*ml") if path.is_file()]
    assert len(files) > 100
    for path in files:
        data = path.read_bytes()
        assert everything(by_lines, data) == everything(yaml_events.documents, data), path


@pytest.mark.parametrize("after", ["a: [", "a: *x", "b: {}\n --- c"])
def test_documents_before_an_error_come_once(after, monkeypatch):
    monkeypatch.setattr(yaml_lines, "SMALL", 0)
    text = f"kind: One long enough\n---\nkind: Two long enough\n---\n{after}\n".encode()
    found = []
    with pytest.raises(SourceError) as told_by_lines:
        found.extend(document.value for document in by_lines(text, "f"))
    with pytest.raises(SourceError) as by_events:
        list(yaml_events.documents(text, "f"))
    assert found == [{"kind": "One long enough"}, {"kind": "Two long enough"}]
    assert str(told_by_lines.value) == str(by_events.value)


def test_items_of_a_list_are_built_one_after_another(monkeypatch):
    monkeypatch.setattr(yaml_lines, "SMALL", 0)
    built = []
    item = yaml_lines._item
    monkeypatch.setattr(yaml_lines, "_item", lambda *given: built.append(given) or item(*given))
    items = "".join(f"- kind: Pod\n  metadata:\n    name: p{number}\n" for number in range(100))
    (document,) = by_lines(f"apiVersion: v1\nitems:\n{items}kind: List\n".encode(), "f")
    node = YamlNode(document.value, document, YamlText(b""))
    first = next(iter(node.head().items))
    assert first.value() == {"kind": "Pod", "metadata": {"name": "p0"}}
    assert (first.at(), len(built)) == ((3, 3), 1)
    assert [part["metadata"]["name"] for part in node.value()["items"]] == [f"p{number}" for number in range(100)]


def test_an_error_in_a_late_item_is_told_as_by_events(monkeypatch):
    monkeypatch.setattr(yaml_lines, "SMALL", 0)
    items = "".join(f"- kind: Pod\n  metadata:\n    name: p{number}\n" for number in range(10))
    text = f"apiVersion: v1\nitems:\n{items}- kind: [\nkind: List\n---\nkind: Pod\n".encode()
    given = []
    items = next(by_lines(text, "f")).items()
    with pytest.raises(SourceError) as told_by_lines:
        given.extend(item["metadata"]["name"] for item, _ in items)
    with pytest.raises(SourceError) as by_events:
        list(yaml_events.documents(text, "f"))
    assert given == [f"p{number}" for number in range(10)]
    assert str(told_by_lines.value) == str(by_events.value)


@pytest.mark.parametrize("before", [0, 60, 3000])
def test_a_part_of_an_item_is_found_however_far_into_it(before):
    """A place is looked for in the first characters of an item, and in more of it where it is not among these."""
    labels = [f"      label-{number:04}: value" for number in range(before)]
    lines = ["items:", "- kind: Pod", "  metadata:", "    labels:", *labels, "      hash: 0190", "  spec: {}", ""]
    text = "\n".join(["# a comment", *lines, "- kind: Pod", "  metadata:", "    labels:", "      hash: 0191"])
    source = YamlText(text.encode())
    (document,) = yaml_events.documents(source.text().encode(), "f")
    first, second = document.value["items"]
    path = ("metadata", "labels", "hash")
    at = [YamlNode(item, document, source).at(path) for item in (first, second)]
    assert at == [(text.splitlines().index("      hash: 0190") + 1, 7), (len(text.splitlines()), 7)]
    assert YamlNode(first, document, source).at(("metadata", "labels", "absent")) == (5, 5)
