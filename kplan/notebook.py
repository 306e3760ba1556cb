"""Questions from Python, for notebooks and scripts: ``kplan.State("cluster.yaml").explain("shop/db-2")``.

Each method is the command of its name: the same rules, what-ifs, doubts and documents. Options are the command's, with
underscores: ``drain="node-b"``, ``k8s_version="1.36"``; one that may be given again takes a list.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from kplan.errors import KplanError, SourceError
from kplan.render.rows import rows
from kplan.sources.opening import is_there
from kplan.sources.opening import load as content_of

Option = str | int | float | bool | Sequence[str] | None
"""Value of an option: True gives a flag, None and False leave it out, a list gives it several times."""

_HEIGHT = 560
"""Of a page in a notebook, which holds verdict and picture [pixels]."""


class State:
    """A cluster: a snapshot in a file or folder, or a live one as it is when it is first asked about.

    Args:
        snapshot: file or folder; without one the cluster of a context is read once, and kept.
        context: of the kubeconfig; the current one if empty.
        kubeconfig: file; as kubectl finds it if empty.

    Raises:
        SourceError: there is no such file or folder.
    """

    def __init__(self, snapshot: str | Path = "", *, context: str = "", kubeconfig: str = "") -> None:
        self._path = str(snapshot)
        if self._path and not is_there(self._path):
            raise SourceError("no such file or folder", file=self._path, code="not-found")
        self._live = {"context": context, "kubeconfig": kubeconfig}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __repr__(self) -> str:
        return f"kplan.State({self._path!r})" if self._path else f"kplan.State(context={self._live['context']!r})"

    @cached_property
    def snapshot(self) -> str:
        """The file that questions are answered from.

        Raises:
            LiveError: the cluster gives no answer.
        """
        if self._path:
            return self._path
        self._folder = tempfile.TemporaryDirectory(prefix="kplan-")
        path = str(Path(self._folder.name) / "cluster.json")
        _run(["snapshot", path, *_words(self._live)])
        return path

    def explain(self, *pods: str, **options: Option) -> Answer:
        """Where pods go, and why not elsewhere; without names, all that wait. See ``kplan explain pod --help``."""
        return self._ask(["explain", "pod", *(pods or ("-A",))], options)

    def explain_node(self, name: str, **options: Option) -> Answer:
        """Why nothing lands on a node, and what is on it. See ``kplan explain node --help``."""
        return self._ask(["explain", "node", name], options)

    def simulate(self, *manifests: str | Path, **options: Option) -> Answer:
        """What happens if manifests land; without any, to all that waits. See ``kplan simulate --help``."""
        return self._ask(["simulate", *map(str, manifests)], options)

    def check(self, *manifests: str | Path, **options: Option) -> Answer:
        """Whether manifests fit, by the rules. See ``kplan check --help``."""
        return self._ask(["check", *map(str, manifests)], options)

    def capacity(self, *what: str | Path, **options: Option) -> Answer:
        """How many more replicas fit of ``deploy/x`` or a manifest. See ``kplan capacity --help``."""
        return self._ask(["capacity", *map(str, what)], options)

    def drain(self, *nodes: str, **options: Option) -> Answer:
        """Whether nodes can go, pod by pod. See ``kplan drain --help``."""
        return self._ask(["drain", *nodes], options)

    def fail(self, *nodes: str, **options: Option) -> Answer:
        """What the loss of nodes or of a zone comes to. See ``kplan fail --help``."""
        return self._ask(["fail", *nodes], options)

    def moves(self, *what: str, **options: Option) -> Answer:
        """Which pods to move so that a pod or a workload fits. See ``kplan moves --help``."""
        return self._ask(["moves", *what], options)

    def pack(self, *nodes: str, **options: Option) -> Answer:
        """Which nodes could be empty. See ``kplan pack --help``."""
        return self._ask(["pack", *nodes], options)

    def nodes(self, *nodes: str, **options: Option) -> Answer:
        """What is requested and free on each node. See ``kplan nodes --help``."""
        return self._ask(["nodes", *nodes], options)

    def diff(self, other: State | str | Path, **options: Option) -> Answer:
        """Which pods are elsewhere in another state, and what moved them. See ``kplan diff --help``."""
        path = other.snapshot if isinstance(other, State) else str(other)
        return Answer(["diff", self.snapshot, path, *_words(options)])

    def _ask(self, words: list[str], options: Mapping[str, Option]) -> Answer:
        return Answer([*words, *_words(options), "--snapshot", self.snapshot])


class Answer:
    """What a command answered: printed it is the text, in a notebook the page with its picture.

    In between it is a document.

    Attributes:
        command: words of the command line.
        exit_code: of the command.
        notes: what it said beside the answer, a line each.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)
        with tempfile.TemporaryDirectory(prefix="kplan-") as folder:
            path = Path(folder) / "answer.json"
            self.exit_code, self.notes = _run([*command, "-o", f"json={path}"])
            self._document: dict[str, Any] = json.loads(content_of(path))

    def __repr__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The answer as the command prints it."""
        return self._as("text").rstrip("\n")

    def _repr_html_(self) -> str:
        page = html.escape(self._as("html"), quote=True)
        return (
            f'<iframe sandbox="allow-scripts" style="width:100%;height:{_HEIGHT}px;border:0" '
            f'title="{html.escape(self.verdict)}" srcdoc="{page}"></iframe>'
        )

    @property
    def verdict(self) -> str:
        """FITS, PENDING, BLOCKED ...; of a document without one, its kind."""
        return str(self._document.get("verdict") or self._document["kind"])

    @property
    def fits(self) -> bool:
        """Whether it all goes through, a doubt or an eviction set aside: FITS, PREEMPTS or PASSES."""
        return self.verdict in ("FITS", "PREEMPTS", "PASSES")

    @property
    def sentence(self) -> str:
        """The sentence after the verdict."""
        return str(self._document.get("sentence", ""))

    @property
    def because(self) -> str:
        """The one cause; empty if there is none."""
        return str(self._document.get("because", {}).get("text", ""))

    @property
    def doubts(self) -> list[str]:
        """Why the verdict may be wrong."""
        return [str(doubt["text"]) for doubt in self._document.get("doubts", ())]

    @property
    def fixes(self) -> list[str]:
        """What would help, each tried, the cheapest first."""
        told = [self._document.get("try", "")]
        told += [fix.get("summary", "") for fix in self._document.get("fixes", ())]
        told += [cause.get("attempt", "") for cause in self._document.get("causes", ())]
        return [str(text) for text in dict.fromkeys(told) if text]

    def to_dict(self) -> dict[str, Any]:
        """The document, as ``-o json`` writes it and ``kplan schema`` describes it."""
        return dict(self._document)

    def table(self, name: str = "") -> list[dict[str, Any]]:
        """One list of the document as rows, which pandas takes: ``pandas.DataFrame(answer.table())``.

        Args:
            name: of the list; the main one of this kind of document if empty.

        Raises:
            UsageError: the document has no such list.
        """
        return rows(self._document, name)

    def _as(self, form: str) -> str:
        with tempfile.TemporaryDirectory(prefix="kplan-") as folder:
            path = Path(folder) / "answer"
            _run([*self.command, "-o", f"{form}={path}"])
            return content_of(path).decode()


def _words(options: Mapping[str, Option]) -> Iterator[str]:
    for name, value in options.items():
        flag = f"--{name.strip('_').replace('_', '-')}" if len(name) > 1 else f"-{name}"
        values = value if isinstance(value, list | tuple) else [value]
        for given in values:
            if given is True:
                yield flag
            elif given is not None and given is not False and given != "":
                yield from [f"{flag}={given}"] if len(name) > 1 else [flag, str(given)]


def _run(words: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Run a command, and give its exit code and what it said on standard error.

    Raises:
        KplanError: it gave no answer.
    """
    from kplan.cli.main import answer

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = answer(list(words))
    return code, tuple(line for line in said.getvalue().splitlines() if line)


__all__ = ["Answer", "KplanError", "State"]
