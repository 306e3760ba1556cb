"""JSONPath as kubectl takes it: expected values are those of the examples of its documentation, or read off by hand."""

import json
from pathlib import Path

import pytest

from kplan.errors import UsageError
from kplan.render.jsonpath import JsonPath
from kplan.render.rows import in_columns

# the example of https://kubernetes.io/docs/reference/kubectl/jsonpath/
DOCUMENT = {
    "kind": "List",
    "items": [
        {
            "kind": "None",
            "metadata": {"name": "127.0.0.1", "labels": {"kubernetes.io/hostname": "127.0.0.1"}},
            "status": {"capacity": {"cpu": "4"}, "addresses": [{"type": "LegacyHostIP", "address": "127.0.0.1"}]},
        },
        {
            "kind": "None",
            "metadata": {"name": "127.0.0.2"},
            "status": {
                "capacity": {"cpu": "8"},
                "addresses": [
                    {"type": "LegacyHostIP", "address": "127.0.0.2"},
                    {"type": "another", "address": "127.0.0.3"},
                ],
            },
        },
    ],
    "users": [
        {"name": "myself", "user": {}},
        {"name": "e2e", "user": {"username": "admin", "password": "secret"}},
    ],
    "count": 3,
    "ready": True,
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("kind is {.kind}", "kind is List"),
        ("{.kind} {@.kind} {['kind']}", "List List List"),
        ("{.items[*].metadata.name}", "127.0.0.1 127.0.0.2"),
        ("{.users[*].name}", "myself e2e"),
        ("{..user.username}", "admin"),
        ("{.users[0].name}", "myself"),
        ("{.users[-1].name}", "e2e"),
        ("{.users[7].name}", ""),
        ("{.items[0:1].metadata.name}", "127.0.0.1"),
        ("{.items[:].metadata.name}", "127.0.0.1 127.0.0.2"),
        ("{.items[*]['metadata.name', 'kind']}", "None None"),
        ("{.users[0,1].name}", "myself e2e"),
        ('{.users[?(@.name=="e2e")].user.password}', "secret"),
        ("{.users[?(@.name != 'e2e')].name}", "myself"),
        ("{.users[?(@.user.username)].name}", "e2e"),
        ('{.items[?(@.status.capacity.cpu=="8")].metadata.name}', "127.0.0.2"),
        ("{.items[0].metadata.labels.kubernetes\\.io/hostname}", "127.0.0.1"),
        ("{.items[0].metadata.labels['kubernetes.io/hostname']}", "127.0.0.1"),
        ("{range .users[*]}[{.name}] {end}", "[myself] [e2e] "),
        ('{range .items[*]}{.metadata.name}{"\\t"}{.status.capacity.cpu}{"\\n"}{end}', "127.0.0.1\t4\n127.0.0.2\t8\n"),
        ("{range .items[*]}{range .status.addresses[*]}{.address};{end}|{end}", "127.0.0.1;|127.0.0.2;127.0.0.3;|"),
        ("{range .users[*]}{$.kind} {end}", "List List "),
        ("{.count} {.ready}", "3 true"),
        ("{.users[0]}", '{"name":"myself","user":{}}'),
        ("kind", "List"),
        (".users[1].name", "e2e"),
        ("{.none}", ""),
        ("{'a}b'}", "a}b"),
    ],
)
def test_a_template_is_read_as_kubectl_reads_it(template: str, text: str) -> None:
    assert JsonPath(template).text(DOCUMENT) == text


def test_the_whole_document() -> None:
    assert json.loads(JsonPath("{}").text(DOCUMENT)) == DOCUMENT
    assert json.loads(JsonPath("{.}").text(DOCUMENT)) == DOCUMENT


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{.kind", "a brace is not closed"),
        ("{range .users[*]}{.name}", "it has no {end}"),
        ("{end}", "no range begins"),
        ("{.users[a]}", "it is neither a number"),
        ("{.users[?(@.name==e2e)]}", "a value is a number"),
        ("{.a b}", "is not a step of a path"),
    ],
)
def test_what_cannot_be_read_is_said(template: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("{", r"\{").replace("(", r"\(")):
        JsonPath(template).text(DOCUMENT)


RECORDED = json.loads((Path(__file__).parent / "kubectl_jsonpath.json").read_text(encoding="utf-8"))
"""What kubectl 1.32.4 printed (annotate --local -f document.json q=1 -o jsonpath=TEMPLATE); None where it failed."""
DELIBERATE = {
    ".verdict": "PARTLY",
    "verdict": "PARTLY",
    "{range .steps[*]}{$.verdict} {end}": "PARTLY PARTLY PARTLY ",
    "{.labels['kubernetes.io/hostname']}": "h1",
    "{.steps[7].pod}": "",
    "{.steps[-7].pod}": "",
    "{.empty[0]}": "",
    "{.steps[1:0].pod}": "",
    "{.steps[2:1].pod}": "",
    "{range .steps[*]}x": None,
}
"""Where kplan goes its own way, as the module says: kubectl fails there, or prints nothing of use."""


@pytest.mark.parametrize(("template", "printed"), RECORDED["templates"])
def test_kubectl_prints_the_same(template: str, printed: str | None) -> None:
    expected = DELIBERATE.get(template, printed)
    if expected is None:
        with pytest.raises(UsageError):
            JsonPath(template).text(RECORDED["document"])
    else:
        assert JsonPath(template).text(RECORDED["document"]) == expected


LISTED = [
    {"metadata": {"name": "a"}, "data": {"pod": "x", "n": "1"}},
    {"metadata": {"name": "long-name"}, "data": {"pod": "y"}},
    {"metadata": {"name": "c"}, "data": {"n": "3"}},
]


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("POD:.metadata.name,NODE:.data.pod", "POD         NODE\na           x\nlong-name   y\nc           <none>\n"),
        ("POD:metadata.name", "POD\na\nlong-name\nc\n"),
        ("POD:{.metadata.name}", "POD\na\nlong-name\nc\n"),
        ("A:.data.n,LONGHEAD:.data.pod", "A        LONGHEAD\n1        x\n<none>   y\n3        <none>\n"),
        ("A:.none", "A\n<none>\n<none>\n<none>\n"),
        ("A:.data['n']", "A\n1\n<none>\n3\n"),
        ("A:.metadata.name,B:.data.*", "A           B\na           1,x\nlong-name   y\nc           3\n"),
    ],
)
def test_columns_are_those_that_kubectl_prints(spec: str, printed: str) -> None:
    # of kubectl 1.32.4 get configmaps -o custom-columns=SPEC; the order of .data.* is nobody's there
    assert in_columns(LISTED, spec).replace("x,1", "1,x") == printed
