"""What tests show: a plugin that keeps each question whose answer proposes something, so that all are carried out.

    python -m pytest -p tests.questions.shown --shown FOLDER tests/cli tests/studies
    python -m tests.questions.shown FOLDER

The first keeps what commands, and the study behind ``explain``, answered in any test: the objects of the cluster
whatever it was read from, the command line, the files that it names. The second carries out each remedy of each answer
once, and names what is wrong, what cannot be carried out, and what was kept of no question.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from kplan.cli import main as command_line
from kplan.cli import output, session
from kplan.cluster import to_state
from kplan.errors import KplanError
from kplan.objects.state import ClusterState
from kplan.render.data import to_json
from kplan.sources.snapshot import write_snapshot
from kplan.studies import drain, explain, fail
from tests.questions.carrying import Asked, all_ways, broken_promises
from tests.questions.recorded import LEFT_OUT, read_documents, without

Json = dict[str, Any]
LARGEST = 600
"""Objects of the largest cluster that is kept."""
SOURCES = LEFT_OUT | {"--context", "--kubeconfig", "--save-plan", "--color"}
SWITCHES = {"--no-cache", "--debug", "--timings", "--wait", "-q", "--quiet"}
"""Options that say nothing of the question."""


@dataclass
class Keeper:
    """Keeps questions while tests run.

    Attributes:
        folder: one file for each, named for what it holds.
        words: command line that runs; empty for none.
        state: what it has read.
    """

    folder: Path
    words: list[str] = field(default_factory=list)
    state: ClusterState | None = None

    def install(self) -> None:
        """Listen from here on."""
        app, formats, session_of = command_line.app, output.formats, session.session_of

        def run(words: Sequence[str], *others: Any, **more: Any) -> Any:
            self.words, self.state = list(words), None
            try:
                return app(words, *others, **more)
            finally:
                self.words, self.state = [], None

        def opened(*given: Any, **more: Any) -> Any:
            found = session_of(*given, **more)
            self.state = self.state or found.state
            return found

        def written(document: Any, *others: Any) -> Any:
            self.keep(self.words, self.state, document)
            return formats(document, *others)

        self._put(command_line, "app", run)
        self._put(output, "formats", written)
        self._put(session, "session_of", opened)
        self._of_studies()

    def _of_studies(self) -> None:
        """Listen to studies that tests ask without a command."""
        explain_pods, drain_nodes, lose_nodes = explain.explain_pods, drain.drain, fail.fail

        def explained(context: Any, pods: Sequence[Any], **options: Any) -> Any:
            queue = ["--with-queue"] if context.in_turn else []
            words = ["explain", "pod", *(pod.key for pod in pods), *queue]
            return self._kept(words, context.planner, context.origin, lambda: explain_pods(context, pods, **options))

        def drained(planner: Any, asked: Any, origin: Any, *others: Any, **more: Any) -> Any:
            plain = asked.options == drain.DrainAsked(()).options
            switches = [f"--{name}" for name in ("rolling", "together") if getattr(asked, name)]
            words = ["drain", *asked.nodes, *switches] if plain and not asked.delete else []
            return self._kept(words, planner, origin, lambda: drain_nodes(planner, asked, origin, *others, **more))

        def lost(planner: Any, asked: Any, origin: Any, *others: Any, **more: Any) -> Any:
            words = ["fail", *asked.nodes]
            return self._kept(words, planner, origin, lambda: lose_nodes(planner, asked, origin, *others, **more))

        for module, name, instead in (
            (explain, "explain_pods", explained), (drain, "drain", drained), (fail, "fail", lost)
        ):  # fmt: skip
            self._put(module, name, instead)

    def _kept(self, words: list[str], planner: Any, origin: Any, ask: Callable[[], Any]) -> Any:
        """Ask a study, and keep the question if no command asks it; without words it can be put to none."""
        state = None if self.words else to_state(planner.cluster)
        answer = ask()
        if state is not None:
            version = ["--k8s-version", origin.k8s_version]
            self.keep([*words, *version] if words else [], state if words else None, answer)
        return answer

    def _put(self, module: Any, name: str, instead: Callable[..., Any]) -> None:
        setattr(module, name, instead)

    def keep(self, words: Sequence[str], state: ClusterState | None, document: Any) -> None:
        """Keep a question whose answer proposes something."""
        answer = json.loads(to_json(document))
        codes = [way.how_to["code"] for way in all_ways(answer)]
        bare = list(untold(answer))
        if not codes and not bare:
            return
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
        words, files = _brought(words)
        whole: Json = {}
        size = 0 if state is None else sum(1 for _ in state.objects())
        if state is not None and size <= LARGEST:
            with TemporaryDirectory() as scratch:
                path = Path(scratch) / "c.json"
                write_snapshot(state, path)
                whole = json.loads(path.read_text())
        kept = {"words": words, "files": files, "cluster": whole, "codes": codes, "untold": bare, "size": size}
        text = json.dumps(kept, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()[:20]
        (self.folder / f"{name}.json").write_text(json.dumps({**kept, "test": test}))


def untold(answer: Json) -> Iterator[str]:
    """What an answer says would help without saying how it is carried out; not what to run next."""
    if answer["kind"] in ("BindPlan", "BindResult", "SweepReport"):
        return
    for here in _parts(answer):
        text = here.get("attempt") or here.get("try") or (here.get("summary") if "cost" in here else "")
        if text and "howTo" not in here and not any("howTo" in fix for fix in here.get("fixes", ())):
            yield f"{answer['kind']}: {text}"


def _parts(here: Any) -> Iterator[Json]:
    if isinstance(here, dict):
        yield here
    for value in here.values() if isinstance(here, dict) else here if isinstance(here, list) else ():
        yield from _parts(value)


def _brought(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """A command line without what says where the cluster is from, and the files that it names, by their own names."""
    parted = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    kept, files = [], {}
    for word in without([word for word in parted if word not in SWITCHES], SOURCES):
        path = Path(word)
        with contextlib.suppress(OSError, ValueError):
            if path.is_file() and path.stat().st_size < 1_000_000:
                files[path.name] = path.read_text()
                word = path.name
        kept.append(word)
    return kept, files


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shown", help="folder to keep questions in whose answers propose something")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--shown")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Keeper(Path(folder)).install()


def question(kept: Json, folder: Path) -> Asked | None:
    """A kept question, its files written down; None where it was kept of no cluster."""
    if not kept["cluster"]:
        return None
    for name, text in kept["files"].items():
        (folder / name).write_text(text)
    words = kept["words"]
    lands = [
        word
        for word, before in zip(words[1:], words, strict=False)
        if word in kept["files"] and (before == "-f" or not before.startswith("-"))
    ]
    files = {word: read_documents(kept["files"][word]) for word in lands}
    if None in files.values():
        return None
    about = kept["cluster"].get("metadata", {})
    mine = {name: items for name, items in files.items() if items is not None}
    return Asked(tuple(words), kept["cluster"]["items"], files=mine, about=about)


def main(folder: Path) -> int:
    """Carry out all that was kept in a folder, and say what share of it that is."""
    shown: Counter[str] = Counter()
    carried: Counter[str] = Counter()
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text())
        shown.update(kept["codes"])
        said = f"{kept['test']}: {' '.join(kept['words'])}"
        for text in kept["untold"]:
            print("untold", text, said, sep="\t", flush=True)
        if not kept["codes"]:
            continue
        with TemporaryDirectory() as scratch, contextlib.chdir(scratch):
            asked = question(kept, Path(scratch))
            if asked is None:
                print("no question", kept["size"], said, kept["codes"], sep="\t", flush=True)
                continue
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    held = broken_promises(asked, Path(scratch))
            except (KplanError, LookupError, StopIteration, ValueError, AssertionError, TypeError) as error:
                print("not asked", repr(error), said, kept["codes"], sep="\t", flush=True)
                continue
        carried.update(held.carried)
        for fault in held.wrong:
            print("wrong", fault, said, path.name, sep="\t", flush=True)
    print(f"{carried.total()} of {shown.total()} carried out")
    for code, count in sorted((shown - carried).items()):
        print(f"  not carried out: {code} {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
