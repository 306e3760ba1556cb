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
    found = re.findall(r"^function (?:restored|fromColumns|podNames)\(.*?^}\n", source, re.MULTILINE | re.DOTALL)
    assert len(found) == 3
    return "".join(found)


def test_columns_are_put_together_as_they_were(opened: Open) -> None:
    data = page_data(DOCUMENT, Drawing(nodes=NODES))
    assert "#t" in data["document"]["rows"]
    assert data["document"]["rows"]["c"]["same"] == {"#s": "always this"}
    assert data["document"]["names"] == {"#p": [0, 1] * 6}
    assert data["document"]["few"] == [{"a": 1}, {"a": 2}]
    shown = opened(pages.explained("huge"))
    code = f"([root, shared, POD_NAMES]) => {{ {functions()} return restored(root, shared); }}"
    names = ["shop/web-0", "shop/web-1"]
    assert shown.page.evaluate(code, [data["document"], data["shared"], names]) == DOCUMENT


def test_a_document_with_keys_like_those_of_columns_is_left_as_it_is() -> None:
    document = {"kind": "Made", "rows": [{"#p": i} for i in range(9)]}
    assert page_data(document, Drawing(nodes=NODES))["document"] == document


def test_a_page_whose_names_are_places_opens(opened: Open) -> None:
    html = commands.large("fail")
    assert '"#p"' in html or '"#i"' in html
    assert opened(html).page.locator("#pods tbody tr").count() > 1
