"""JSONPath as kubectl takes it: expected values are those of the examples of its documentation, or read off by hand."""

import json

import pytest

from kplan.errors import UsageError
from kplan.render.jsonpath import JsonPath

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
