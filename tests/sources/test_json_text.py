"""JSON texts cut into documents, their errors, and places inside of them."""

import json

import pytest

from kplan.errors import SourceError
from kplan.sources import json_text
from kplan.sources.json_text import Lines, find, loads, pieces, readable

CUTS = [
    ("one document", b'{"a":1}\n', [(b'{"a":1}', 0)]),
    ("one a line", b'{"a":1}\n{"b":2}\n', [(b'{"a":1}', 0), (b'{"b":2}', 8)]),
    ("one after another", b'{"a":1}{"b":2}', [(b'{"a":1}', 0), (b'{"b":2}', 7)]),
    ("separators of YAML between", b'---\n{"a":1}\n--- # x\n{"b":2}\n---\n', [(b'{"a":1}', 4), (b'{"b":2}', 20)]),
    ("white space around", b" \n [1, 2] \n", [(b"[1, 2]", 3)]),
    ("a surrogate pair", b'{"a":"\\ud83d\\ude00"}', [(b'{"a":"\\ud83d\\ude00"}', 0)]),
    ("half a surrogate pair", b'{"a":"\\ud83d x"}', [(b'{"a":"\\ufffd x"}', 0)]),
    ("the other half", b'{"a":"\\udE00\\ud83d\\ude00"}', [(b'{"a":"\\ufffd\\ud83d\\ude00"}', 0)]),
    ("an escaped backslash before a u", b'{"a":"\\\\ud83d","b":"\\ud83d"}', [(b'{"a":"\\\\ud83d","b":"\\ufffd"}', 0)]),
]


@pytest.mark.parametrize(("text", "wanted"), [row[1:] for row in CUTS], ids=[row[0] for row in CUTS])
def test_a_text_is_cut_into_documents(text, wanted):
    # msgspec leaves white space after a document in its raw text
    assert [(bytes(raw).strip(), at) for raw, at in pieces(readable(text), "f")] == wanted


BROKEN = [
    ("cut in the middle", b'{"a":1}\n{"b":\n', "f:2", "truncated"),
    ("a comma too many", b'{"a":1,}', "f:1:8", "json-syntax"),
    ("a comma missing", b'{"a":1\n"b":2}', "f:2:1", "json-syntax"),
    ("a word", b'{"a":\n nope}', "f:2:3", "json-syntax"),
    ("a line break in a string", b'{"a":"x\ny"}', "f:1:8", "json-syntax"),
    ("not a number", b'{"a":NaN}', "f:1:6", "json-syntax"),
    ("in the third document", b'{}\n{}\n{"a" 1}', "f:3:6", "json-syntax"),
    ("after characters of several bytes", '{"é":"é", x}'.encode(), "f:1:11", "json-syntax"),
    ("nested without end", b"[" * 100_000, "f:1", "too-deep"),
]


@pytest.mark.parametrize(("text", "place", "code"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_text_is_refused_at(text, place, code):
    with pytest.raises(SourceError) as caught:
        list(pieces(text, "f"))
    assert caught.value.place == place
    assert caught.value.code == code
    assert len(caught.value.message) < 100


TEXT = '{"a": [1, {"b": "x,]}", "c\\u0041": {"d": 5}}, 3], "z": null}'


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        ((), '{"a"'),
        (("a",), "[1,"),
        (("a", 1), '{"b"'),
        (("a", 1, "cA", "d"), "5}"),
        (("a", 2), "3]"),
        (("z",), "null"),
        (("a", 1, "missing"), '{"b"'),
        (("missing",), '{"a"'),
    ],
)
def test_a_place_inside_is_found_or_the_deepest_part_of_it(path, begins):
    assert TEXT[find(TEXT, [path])[0] :].startswith(begins)


def test_lines_and_columns_count_characters_and_may_be_asked_in_any_order():
    lines = Lines("aé\nbé c\n\nd".encode())
    assert [lines.at(byte) for byte in (0, 3, 4, 8, 10, 11, 4)] == [
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 4),
        (3, 1),
        (4, 1),
        (2, 1),
    ]


def test_a_column_far_into_a_long_line_counts_bytes():
    assert Lines(b"x" * 1_000_000).at(999_999) == (1, 1_000_000)


def test_bytes_that_are_not_utf8_are_replaced():
    assert loads(b'{"a":"\xe9"}') == {"a": "\ufffd"}


LISTS = {
    "none": "[ ]",
    "one": '[{"a": 1}]',
    "alike": '[{"a":1},{"a":2},{"a":3},{"a":4}]',
    "between lines": '[\n  {"a": 1},\n  {"a": 2},\n  {"a": 3}\n]',
    "the like inside": '[{"a":1},{"a":[{"a":2},{"a":3}]},{"a":[{"a":4},{"a":5}],"b":"},{\\"a\\""},{"a":6}]',
    "inside a text": '[{"a":1},{"a":2},{"a":"x},{\\"a\\":1"},{"b":"},{"},{"a":3}]',
    "otherwise later": '[{"a":1},{"a":2} , {"a":3},\n{"a":4},{"b":5},{"a":6}]',
    "all kinds": '[1,"a,b",null,[{"a":1},{"a":2}],{"a":3},{"a":4},true,{"a":5},-1.5e3,[]]',
    "a long one": '[{"a":1},{"a":2},{"a":"%s"},{"a":3}]' % ("x" * 100_000),
    "many that are none": "[{}]".format(",".join(['{"a":1},{"a":[{"a":2},{"a":3}]}'] * 100)),
}


@pytest.mark.parametrize("case", LISTS)
def test_a_list_is_cut_into_its_elements(case: str) -> None:
    text = LISTS[case].encode()
    cut = list(json_text.elements(memoryview(text)))
    assert [json.loads(bytes(raw)) for raw, _ in cut] == json.loads(text)
    assert all(text[at : at + len(bytes(raw))] == bytes(raw) for raw, at in cut)
    assert json_text.is_empty_list(memoryview(text)) == (json.loads(text) == [])


def test_elements_that_are_alike_are_cut_without_looking_for_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    first = json_text._first
    monkeypatch.setattr(json_text, "_first", lambda view: searched.append(len(view)) or first(view))
    text = b"[%s]" % b",\n".join(b'{"apiVersion":"v1","metadata":{"name":"p%d"}}' % number for number in range(1000))
    assert len(list(json_text.elements(memoryview(text)))) == 1000
    assert len(searched) == 2  # the first, and the last
