"""Every command at once: what each answers about a small cluster, laid out in any width, for properties of all texts.

The cluster is that of ``tests.browser.commands``, with names as people have them: short ones, those of clouds, and such
as no API server would take but a file may hold (wide letters, emoji, letters that run from right to left).
"""

import contextlib
import io
import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from unittest import mock

from msgspec.structs import replace

from kplan.cli.main import main
from kplan.cli.output import LayOut
from kplan.render.seen import seen
from kplan.render.text import Style
from kplan.result.document_base import Document
from tests.browser import commands

COMMANDS = {
    **commands.SMALL,
    "explain pod, pending": ["explain", "pod", "gpu-0", "-n", "ml"],
    "explain pod, evicts": ["explain", "pod", "urgent", "-n", "shop"],
    "explain pod, scores": ["explain", "pod", "small", "-n", "shop", "--scores", "all"],
    "nodes by zone": ["nodes", "--by", "topology.kubernetes.io/zone"],
    "fail, zone": ["fail", "--zone", "zone-a"],
    "sweep": ["sweep", "-j", "1"],
    "moves": ["moves", "ml/gpu-0"],
    "pack": ["pack"],
    "check, passes": ["check", "small.yaml"],
}
del COMMANDS["plugins"], COMMANDS["config migrate"]  # a page of a manual, and a file
WIDTHS = (60, 80, 120, 200)
CLOUD = {
    **{f"node-{n}": f"ip-10-0-{i}-17.eu-central-1.compute.internal" for i, n in enumerate("abcdef", 101)},
    "web": "checkout-service-frontend-of-the-shop",
    "cart": "cart-of-the-shop-with-a-name-as-long-as-those-of-generated-charts",
    "urgent": "prometheus-kube-prometheus-stack-operator-admission",
}
LETTERS = {
    "node-b": "node-\u65e5\u672c\u8a9e",
    "node-d": "node-\u05e9\u05dc\u05d5\u05dd",
    "cart": "cart-\U0001f6d2\U0001f6d2",
}
NAMES: dict[str, dict[str, str]] = {"short": {}, "cloud": CLOUD, "letters": LETTERS}
_PATCHED = ("output", "config", "plugins", "diff", "bind")


class Answer:
    """What a command came to.

    Attributes:
        document: the document.
    """

    def __init__(self, document: Document, lay_out: LayOut, style: Style | None) -> None:
        self.document = document
        self._lay_out, self._style = lay_out, style or Style()

    def text(self, columns: int, *, wide: bool = False) -> str:
        """Its text for a terminal."""
        return self._lay_out(seen(self.document), replace(self._style, columns=columns, wide=wide))


@cache
def answer(names: str, command: str) -> Answer:
    """What one command answers about the cluster of such names."""
    kept: list[Answer] = []

    def keep(document: Any, lay_out: LayOut, shown: Any, style: Style | None = None, drawing: Any = None) -> None:
        kept.append(Answer(document, lay_out, style))

    words = [_renamed(word, NAMES[names]) for word in COMMANDS[command]]
    source = [] if words[0] in commands.ALONE else ["--snapshot", "six.json"]
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(folder(names)))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        modules = [import_module(f"kplan.cli.{name}") for name in _PATCHED]  # first: none may import what is put there
        for module in modules:
            stack.enter_context(mock.patch.object(module, "write", keep))
        code = main([*words, *source])
    assert (code in (0, 1, 3, 4), len(kept)) == (True, 1), (code, words)
    return kept[0]


@cache
def folder(names: str) -> Path:
    """The files that commands read, with such names."""
    made = Path(mkdtemp(prefix="kplan-everything-"))
    for file in commands.folder().iterdir():
        if file.name != "page.html":
            (made / file.name).write_text(_renamed(file.read_text(), NAMES[names]))
    pod = {"containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": "100m"}}}]}
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new", "namespace": "shop"}, "spec": pod}
    (made / "small.yaml").write_text(json.dumps(item))
    return made


def _renamed(text: str, names: dict[str, str]) -> str:
    """A text with other names in it; ``web.yaml`` is a file and stays."""
    if not names:
        return text
    pattern = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?![\w.])")
    return pattern.sub(lambda found: names[found[1]], text)
