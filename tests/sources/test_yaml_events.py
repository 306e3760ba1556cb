"""The event reader; what is accepted, and what it amounts to, is what sigs.k8s.io/yaml v1.6.0 answers."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.errors import SourceError
from kplan.sources.yaml_events import documents


def read(text):
    return [document.value for document in documents(text.encode(), "f.yaml")]


VALUES = [
    (
        "a merge key adds to later keys",
        "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n",
        {"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 3}},
    ),
    (
        "a merge key replaces earlier keys",
        "a: &x {p: 1, q: 2}\nb:\n  q: 3\n  <<: *x\n",
        {"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 2}},
    ),
    ("of several merged maps the first wins", "c:\n  <<: [{a: 1}, {a: 2, b: 3}]\n", {"c": {"a": 1, "b": 3}}),
    ("a quoted << is a key", 'c:\n  "<<": 5\n', {"c": {"<<": 5}}),
    ("a << tagged as string is a key", "c:\n  !!str <<: {a: 1}\n", {"c": {"<<": {"a": 1}}}),
    ("the last of equal keys wins", "a: {b: 1}\na: {c: 1}\n", {"a": {"c": 1}}),
    ("an anchor may be set again", "a: &x v\nb: &x z\nc: *x\n", {"a": "v", "b": "z", "c": "z"}),
    ("an anchor may stand on a key", "&k foo: *k\n", {"foo": "foo"}),
    ("an alias may be a key", "a: &n foo\n*n : x\n", {"a": "foo", "foo": "x"}),
    ("an anchored list is shared", "a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
    ("a quoted scalar is a string", "a: 'on'\nb: \"5\"\n", {"a": "on", "b": "5"}),
    ("the non-specific tag makes a string", 'a: ! 5\nb: ! "5"\n', {"a": "5", "b": "5"}),
    ("an unknown tag on a map is passed over", "a: !foo {b: c}\n", {"a": {"b": "c"}}),
    ("an explicit tag wins over quotes", 'a: !!int "5"\nb: !!str 5\n', {"a": 5, "b": "5"}),
    ("a literal block keeps its lines", "a: |\n  x\n   y\nb: c\n", {"a": "x\n y\n", "b": "c"}),
    ("a folded block joins its lines", "b: >-\n  x\n  y\n\n  z\n", {"b": "x y\nz"}),
    ("a double-quoted scalar may run over lines", 'a: "x\n  y"\n', {"a": "x y"}),
    (
        "a list may stand in the column of its key",
        "a:\n- b\n- - c\n  - d\n-\n- e: f\n  g: h\n",
        {"a": ["b", ["c", "d"], None, {"e": "f", "g": "h"}]},
    ),
    ("a single key stands for a null value in flow style", "{a: 1, c}\n", {"a": 1, "c": None}),
    ("a colon inside a plain scalar is text", "a: http://x:80/y\nb: c#d\n", {"a": "http://x:80/y", "b": "c#d"}),
    ("a comment is passed over", "a: x #y\n# z\n", {"a": "x"}),
    ("keys that are no strings become strings", "y: n\n1.5: a\n0x10: c\n", {"true": False, "1.5": "a", "16": "c"}),
]


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_a_document_amounts_to(text, value):
    assert read(text) == [value]


def test_documents_of_a_stream_come_one_by_one_and_anchors_end_with_them():
    assert read("---\na: &x 1\n---\n# nothing\n---\nb: 2\n...\n") == [{"a": 1}, None, {"b": 2}]
    with pytest.raises(SourceError, match="unknown anchor: put a value that begins with"):
        read("a: &x 1\n---\nb: *x\n")


def test_utf8_with_a_mark_is_read():
    assert [d.value for d in documents(b"\xef\xbb\xbfa: \xc3\xa9\n", "f")] == [{"a": "é"}]


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED = [
    ("a syntax error", "a: [1, 2\n", "f.yaml:2:1", "yaml-syntax", "did not find expected ',' or ']'"),
    ("a tab for indentation", "a:\n\tb: c\n", "f.yaml:2:1", "yaml-syntax", "cannot start any token"),
    ("two maps in one line", "a: b: c\n", "f.yaml:1:5", "yaml-syntax", "mapping values are not allowed"),
    ("a null key", "x: 1\n~: x\n", "f.yaml:2:1", "bad-input", "unsupported map key: null"),
    ("a list as a key", "? [a]\n: b\n", "f.yaml:1:3", "bad-input", "cannot be the key of a map"),
    ("an alias of null as a key", "a: &n ~\n*n : x\n", "f.yaml:2:1", "bad-input", "unsupported map key: null"),
    ("an unknown anchor", "a: *zz\n", "f.yaml:1:4", "bad-input", "unknown anchor: put a value that begins with"),
    ("an anchor inside of itself", "a: &b [*b]\n", "f.yaml:1:8", "alias-bomb", "contains itself"),
    ("an alias bomb", BOMB, "f.yaml:4:", "alias-bomb", "aliases repeat so much"),
    ("a merge of a scalar", "c:\n  <<: 5\n", "f.yaml:2:7", "bad-input", "a merge key (<<) needs a map"),
    ("a merge of an aliased list", "a: &s [{b: 1}]\nc:\n  <<: *s\n", "f.yaml:3:7", "bad-input", "a merge key (<<)"),
    ("not a number", "a: .nan\n", "f.yaml:1:4", "bad-input", "JSON has no NaN"),
    ("a tag that does not fit", "a: !!int x\n", "f.yaml:1:4", "bad-input", "cannot decode !!str `x` as a !!int"),
    ("a surrogate pair as JSON escapes it", 'a: "\\ud83d\\ude00"\n', "f.yaml:1:", "yaml-syntax", "invalid Unicode"),
    ("nesting without end", "- " * 5000, "f.yaml:1:", "yaml-syntax", "nesting depth"),
    ("a control character", "a: b\nc: \x01\n", "f.yaml:2", "not-text", "not text"),
]


@pytest.mark.parametrize(
    ("text", "place", "code", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_document_is_refused_at(text, place, code, message):
    with pytest.raises(SourceError) as caught:
        read(text)
    assert str(caught.value).startswith(place)
    assert caught.value.code == code
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: c\n", "tabs"),
        ("a: b\n{{- if .x }}\nc: d\n", "render it first"),
        ("name: {{ .Values.name }}\n", "render it first"),
        ('a: "b\nc: d\n', "cut off"),
    ],
)
def test_a_hint_says_what_to_do_about_it(text, hint):
    with pytest.raises(SourceError) as caught:
        read(text)
    assert hint in caught.value.hint


def test_a_bomb_within_the_limits_of_go_yaml_is_shared_and_not_copied():
    (value,) = read("a: &a [1, 2]\nb: [*a, *a, *a]\n")
    assert value["b"][0] is value["b"][2]


def test_maps_of_the_first_levels_know_where_they_begin():
    (document,) = documents(b"# x\nitems:\n- kind: a\n- kind: b\n  c:\n    d: e\n", "f")
    marks = [document.marks[id(item)] for item in document.value["items"]]
    assert [(mark.line, mark.column) for mark in marks] == [(2, 2), (3, 2)]
    assert (document.mark.line, document.mark.column) == (1, 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-(2.0**53), 2.0**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(json_values)
def test_json_written_as_yaml_with_quotes_reads_back_as_json(value):
    try:
        text = yaml.safe_dump(value, default_style='"', allow_unicode=True)
    except yaml.YAMLError:  # PyYAML does not write some characters
        return
    assert read(text) == [json.loads(json.dumps(value))]
