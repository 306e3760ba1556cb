"""Lists that a page holds as columns are put together again as they were, in a browser."""

import re
from pathlib import Path
from typing import Any

import kplan
from kplan.render.html_data import page_data
from kplan.result.document_usage import Drawing, NodeUsage, PodUsage
from tests.browser import commands, pages
from tests.browser.conftest import Open

NODES = (
    NodeUsage(name="node-a", allocatable={}, requested={}, pods=(PodUsage(pod="shop/web-0", amounts={}),)),
    NodeUsage(name="node-b", allocatable={}, requested={}, pods=(PodUsage(pod="shop/web-1", amounts={}),)),
)
DOCUMENT: dict[str, Any] = {
    "kind": "Made",
    "rows": [
        {
            "pod": f"shop/web-{i}",
            "node": "node-a" if i % 2 else "node-b",
            "same": "always this",
            "flag": i > 3,
            "number": i // 4,
            "place": i + 1,
            "use": {"cpu": i * 100, "memory": 1 << 30},
            "on": {f"node-{i}": i},
            "texts": ["one", f"two-{i}"],
            **({"because": {"code": "x", "text": "a sentence that is told of several of them"}} if i in (2, 5) else {}),
            **({"none": None} if i % 3 else {}),
        }
        for i in range(12)
    ],
    "names": ["shop/web-0", "shop/web-1"] * 6,
    "few": [{"a": 1}, {"a": 2}],
    "empty": [],
    "mixed": [1, "1", 1.5, None, True, {"a": []}, [[]], "", "x"],
}


def functions() -> str:
    source = (Path(kplan.__file__).parent / "data/html/script/base/data.js").read_text()
    found = re.findall(
        r"^function (?:restored|fromColumns|knownNames|namesOf)\(.*?^}\n", source, re.MULTILINE | re.DOTALL
    )
    assert len(found) == 4
    return "".join(found)


def test_columns_are_put_together_as_they_were(opened: Open) -> None:
    data = page_data(DOCUMENT, Drawing(nodes=NODES))
    assert "#t" in data["document"]["rows"]
    assert data["document"]["rows"]["c"]["same"] == {"#s": "always this"}
    assert data["document"]["names"] == {"#p": [2, 3] * 6}
    assert data["document"]["few"] == [{"a": 1}, {"a": 2}]
    shown = opened(pages.explained("huge"))
    assert data["document"]["rows"]["c"]["place"] == {"#r": 1}
    made = "const KNOWN_NAMES = namesOf(rows); return restored(root, shared);"
    code = f"([root, shared, rows]) => {{ {functions()} {made} }}"
    assert shown.page.evaluate(code, [data["document"], data["shared"], data["nodes"]["rows"]]) == DOCUMENT


def test_a_pod_that_moved_is_named_once_and_its_replacement_by_it(opened: Open) -> None:
    def on(name: str, *pods: str) -> NodeUsage:
        return NodeUsage(
            name=name, allocatable={}, requested={}, pods=tuple(PodUsage(pod=pod, amounts={}) for pod in pods)
        )

    drawing = Drawing(nodes=(on("a", "x/p-r1", "x/q", "x/s-r1"), on("b", "x/q", "x/p")))
    rows = page_data(DOCUMENT, drawing)["nodes"]["rows"]
    assert [row[11][::2] for row in rows] == [[-5, "x/q", "x/s-r1"], [1, "x/p"]]
    names = opened(pages.explained("huge")).page.evaluate(f"(rows) => {{ {functions()} return namesOf(rows); }}", rows)
    assert names == ["a", "b", "x/p-r1", "x/q", "x/s-r1", "x/q", "x/p"]


def test_a_page_leaves_out_what_its_sections_do_not_show() -> None:
    document = {
        "kind": "PackPlan",
        "steps": ["--drain a"],
        "commands": ["kubectl drain a"],
        "going": ["a"],
        "howTo": {},
    }
    assert page_data(document, Drawing())["document"] == {"kind": "PackPlan", "commands": ["kubectl drain a"]}


def test_a_document_with_keys_like_those_of_columns_is_left_as_it_is() -> None:
    document = {"kind": "Made", "rows": [{"#p": i} for i in range(9)]}
    assert page_data(document, Drawing(nodes=NODES))["document"] == document


def test_a_page_whose_names_are_places_opens(opened: Open) -> None:
    html = commands.large("fail")
    assert '"#p"' in html or '"#i"' in html
    assert opened(html).page.locator("#pods tbody tr").count() > 1
