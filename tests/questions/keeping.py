"""Keep what tests show: each question whose answer proposes something, with its cluster as it was read.

A question is what a command, or a study that a test asks without one, was asked: the command line, the files that it
names, the objects of the cluster wherever they were read. What is asked while remedies are carried out is not kept.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib
import inspect
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from kplan import api, studies
from kplan.cli import main as command_line
from kplan.cli import output, session
from kplan.cli.command import FALSE, TRUE
from kplan.cluster import to_state
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.render.data import to_json
from kplan.result.document_base import Document
from kplan.result.documents import DOCUMENTS
from kplan.sources.snapshot import write_snapshot
from tests.questions import carrying
from tests.questions.carrying import Held, all_ways
from tests.questions.processes import listen
from tests.questions.recorded import LEFT_OUT, read_documents, without
from tests.questions.requests import OF_SESSIONS, STUDIES, Request, rules, unknown

Json = dict[str, Any]
CONFIG = "config.yaml"
TESTS = ".tests"
"""Behind the name of a question: the tests that show it."""
IN_TESTS = "in-tests"
"""Name of what is noted of remedies that tests carry out by themselves."""
SOURCES = LEFT_OUT | {"--context", "--kubeconfig", "--save", "--save-plan", "--color"}
STANDARD_INPUT = "stdin.yaml"
MANIFESTS = (".yaml", ".yml", ".json")
LARGEST_FILE = 1_000_000
SWITCHES = {"--no-cache", "--debug", "--timings", "--wait", "-q", "--quiet"}
"""Options that say nothing of the question."""


@dataclass
class Keeper:
    """Keeps questions while tests run.

    Attributes:
        folder: one file for each, named for what it holds.
        words: command line that runs; empty for none.
        state: what it has read.
        busy: whether a study is asked, or remedies are carried out: what is asked within is no question of a test.
        answers: what studies have answered that were asked without a command, as it is written.
        configurations: of planners that plan by one which is not the default, by their pipelines.
    """

    folder: Path
    words: list[str] = field(default_factory=list)
    state: ClusterState | None = None
    busy: bool = False
    answers: set[str] = field(default_factory=set)
    configurations: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def install(self) -> None:
        """Listen from here on."""
        app, formats, session_of = command_line.app, output.formats, session.session_of

        def run(words: Sequence[str], *others: Any, **more: Any) -> Any:
            before = self.words, self.state
            self.words, self.state = list(words), None
            try:
                return app(words, *others, **more)
            finally:
                self.words, self.state = before

        def opened(*given: Any, **more: Any) -> Any:
            found = session_of(*given, **more)
            self.state = self.state or found.state
            return found

        def written(document: Any, *others: Any) -> Any:
            if not self.busy and (self.words or to_json(document) not in self.answers):
                self.keep(self.words, self.state, document)
            return formats(document, *others)

        setattr(command_line, "app", run)  # noqa: B010
        setattr(output, "formats", written)  # noqa: B010
        setattr(session, "session_of", opened)  # noqa: B010
        setattr(carrying, "broken_promises", self._in_a_test(carrying.broken_promises))  # noqa: B010
        for room, name in all_studies():
            setattr(room, name, self._listened_to(getattr(room, name), STUDIES.get(name, unknown)))
        for (module, name), request_of in OF_SESSIONS.items():
            of = importlib.import_module(module)
            setattr(of, name, self._listened_to(getattr(of, name), request_of))
        self._note_configurations()
        listen(self._heard)

    def _note_configurations(self) -> None:
        """Note by which configuration a planner plans, where it is not the default."""
        made_of, planner_of = api.Scheduler.of.__func__, api.Scheduler.planner  # type: ignore[attr-defined]

        def of(cls: Any, *given: Any, **more: Any) -> Any:
            scheduler = made_of(cls, *given, **more)
            vars(scheduler)["given"] = more.get("config")
            return scheduler

        def planner(scheduler: Any, *given: Any, **more: Any) -> Any:
            config = vars(scheduler).get("given")
            if config is not None:
                self.configurations[id(scheduler.pipelines)] = config, scheduler
            return planner_of(scheduler, *given, **more)

        setattr(api.Scheduler, "of", classmethod(of))  # noqa: B010
        setattr(api.Scheduler, "planner", planner)  # noqa: B010

    def _in_a_test(self, carry_out: Callable[..., Held]) -> Callable[..., Held]:
        """What a test carries out by itself is only counted."""

        def carried(*given: Any, **more: Any) -> Held:
            with self.quiet():
                held = carry_out(*given, **more)
            with (self.folder / IN_TESTS).open("a") as note:
                note.write(json.dumps({"carried": held.carried, "elsewhere": held.elsewhere}) + "\n")
            return held

        return carried

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Keep nothing meanwhile."""
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before

    def _listened_to(self, ask: Callable[..., Any], request_of: Callable[..., Request]) -> Callable[..., Any]:
        """A study as it is, but that each question that it is asked is kept."""

        @wraps(ask)
        def asked(*given: Any, **more: Any) -> Any:
            return self._asked(ask, request_of, *given, **more)

        return asked

    def _asked(self, ask: Callable[..., Any], request_of: Callable[..., Request], *given: Any, **more: Any) -> Any:
        """Ask a study, and keep the question if no command asks it."""
        if self.busy or self.words:
            return ask(*given, **more)
        asked_of = getattr(given[0], "planner", given[0]) if given else None
        request = request_of(*given, **more) if isinstance(asked_of, Planner | session.Session) else Request()
        state, words, files = None, list(request.words), dict(request.files)
        if words and isinstance(asked_of, session.Session):
            state = copy.copy(asked_of.state)
            words += rules(asked_of.scheduler.features)
        elif words and isinstance(asked_of, Planner):
            state = to_state(asked_of.cluster)
            words += rules(next(iter(asked_of.pipelines.values())).features)
            config, _ = self.configurations.get(id(asked_of.pipelines), (None, None))
            if config is not None:
                words += ["--config", CONFIG]
                files[CONFIG] = config if isinstance(config, str) else yaml.safe_dump(config)
        with self.quiet():
            answer = ask(*given, **more)
        if isinstance(answer, Document) and type(answer).__name__ in DOCUMENTS:
            self.answers.add(to_json(answer))
            self.keep(words, state, answer, files)
        return answer

    def keep(
        self, words: Sequence[str], state: ClusterState | None, document: Any, files: dict[str, str] | None = None
    ) -> None:
        """Keep a question whose answer proposes something."""
        answer = json.loads(to_json(document))
        codes = sorted(way.how_to["code"] for way in all_ways(answer))
        bare = list(untold(answer))
        if not codes and not bare:
            return
        words, named = brought(words)
        whole: Json = {}
        if state is not None and words:
            with TemporaryDirectory() as scratch:
                path = Path(scratch) / "c.json"
                write_snapshot(state, path)
                whole = json.loads(path.read_text())
        self._put_down(words, {**named, **(files or {})}, whole, codes, bare)

    def _heard(self, words: list[str], folder: Path) -> None:
        """Keep a question that is put in a process of its own; what the answer proposes is not known."""
        named = dict(pairwise(words)).get("--snapshot", "")
        with contextlib.suppress(OSError, ValueError, TypeError), contextlib.chdir(folder):
            if named and not self.busy and Path(named).stat().st_size < LARGEST_FILE:
                items = read_documents(Path(named).read_text())
                self._put_down(*brought(words), {"items": items} if items else {}, None, [])

    def _put_down(
        self, words: list[str], files: dict[str, str], cluster: Json, codes: list[str] | None, bare: list[str]
    ) -> None:
        """Write a question down once, and each test that it is of."""
        kept = {"words": words, "files": files, "cluster": cluster, "codes": codes, "untold": bare}
        name = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:20]
        path = self.folder / f"{name}.json"
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        with path.with_suffix(TESTS).open("a") as tests:  # first, as who finds the question looks for its tests
            tests.write(f"{test}\n")
        if not path.exists():
            mine = path.with_suffix(f".{os.getpid()}")
            mine.write_text(json.dumps(kept))
            mine.rename(path)


def all_studies() -> Iterator[tuple[Any, str]]:
    """Every function of a room of ``studies``, which may answer with a document."""
    for room in pkgutil.iter_modules(studies.__path__, f"{studies.__name__}."):
        of = importlib.import_module(room.name)
        for name in of.__all__ if room.ispkg else ():
            if inspect.isfunction(getattr(of, name)):
                yield of, name


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


def brought(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """A command line without what says where the cluster is from, and the files that it names, by their own names."""
    parted = [part for word in words for part in (word.split("=", 1) if _has_a_value(word) else [word])]
    kept, files = [], {}
    for word in without([word for word in parted if word not in SWITCHES], SOURCES):
        path = Path(word)
        if word == "-" and (text := _read_already()):
            word = STANDARD_INPUT
            files[word] = text
        option = [last for last in kept[-1:] if last.startswith("-")]
        inside = sorted(path.rglob("*")) if kept and option in ([], ["-f"]) and path.is_dir() else []
        paths = [one for one in inside if one.suffix in MANIFESTS] or [path]
        for number, path in enumerate(paths):
            with contextlib.suppress(OSError, ValueError):
                if path.is_file() and path.stat().st_size < LARGEST_FILE:
                    text = path.read_text()
                    word = path.name if files.get(path.name, text) == text else f"{len(files)}-{path.name}"
                    files[word] = text
            kept += [*(option if number else []), word]
    return kept, files


def _has_a_value(word: str) -> bool:
    """Whether an option brings its value; a switch may be given one, too, and is left as it is."""
    return word.startswith("--") and word.partition("=")[2] not in {*TRUE, *FALSE}


def _read_already() -> str:
    """What a test has put on standard input, which kplan has read; empty where that cannot be told."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdin.buffer.seek(0)
        return sys.stdin.buffer.read().decode()
    return ""
