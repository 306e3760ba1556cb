"""Scenario files: a runbook's steps, each with what is expected of it.

apiVersion: kplan.dev/v1
kind: Scenario
steps:
  - cordon: node-a
  - drain: node-b
    expect: all placed
  - addNode: {like: node-f, count: 2}
    expect: {pending: 0, evicted: 0}
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path as FilePath

from msgspec import Struct

from kplan.errors import SourceError, UsageError
from kplan.scenario.effect import Verb
from kplan.scenario.parse import VERBS, parse_step
from kplan.sources import ManifestObject, load_objects
from kplan.sources.fit import Path, write_path
from kplan.words import did_you_mean

EXPECTATIONS = ("all placed", "nothing evicted", "nothing moves")
"""What ``expect`` may say in words; or ``pending``, ``evicted``, ``placed``, ``lost`` with a number."""
COUNTS = ("pending", "evicted", "placed", "lost")
MOST_STEPS = 1_000
"""Steps of one file: each is carried out, and who waits is asked before it."""
_API_VERSION = "kplan.dev/v1"
_BESIDE_THE_VERB = ("expect", "name", "namespace")


class ScenarioStep(Struct, frozen=True):
    """One step of a scenario.

    Attributes:
        verb: what happens.
        words: what is expected of it, in the words of EXPECTATIONS.
        counts: what is expected of it, as numbers by the names of COUNTS.
        name: as the file calls it; empty for none.
    """

    verb: Verb
    words: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    name: str = ""


class Scenario(Struct, frozen=True):
    """Steps in order.

    Attributes:
        steps: the steps.
        name: of the scenario, or of its file.
    """

    steps: tuple[ScenarioStep, ...]
    name: str = ""


def load_scenario(file: str) -> Scenario:
    """Read a scenario file.

    Raises:
        SourceError: it cannot be read, or is not a scenario.
    """
    objects = load_objects([file]).objects
    if len(objects) != 1 or objects[0].kind != "Scenario":
        hint = (__doc__ or "").partition("\n\n")[2]
        raise SourceError("not one Scenario", file=file, code="bad-scenario", hint=hint.strip())
    reader = StepReader(objects[0], FilePath(file).parent)
    reader.check_fields("steps")
    steps = objects[0].raw.get("steps")
    if not isinstance(steps, list) or not steps:
        raise reader.refused("no steps", ("steps",))
    if len(steps) > MOST_STEPS:
        raise reader.refused(f"{len(steps):,} steps, {MOST_STEPS:,} at the most", ("steps",))
    metadata = objects[0].raw.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    return Scenario(
        tuple(reader.step(entry, ("steps", number)) for number, entry in enumerate(steps)),
        str(name or FilePath(file).name),
    )


class StepReader(Struct, frozen=True):
    """Reads the steps of one file; relative files are beside it.

    Attributes:
        manifest: the object that the steps are in.
        base: folder of the file.
    """

    manifest: ManifestObject
    base: FilePath

    def refused(self, problem: str, path: Path, hint: str = "") -> SourceError:
        """Make the error for a field."""
        line, column = self.manifest.at(path)
        return SourceError(
            problem,
            file=self.manifest.file,
            line=line,
            column=column,
            path=write_path(path),
            code="bad-scenario",
            hint=hint,
        )

    def check_fields(self, *names: str) -> None:
        """Refuse another version of the format, and fields that it does not have.

        Args:
            names: fields beside those that every object has.

        Raises:
            SourceError: there is one.
        """
        if self.manifest.api_version != _API_VERSION:
            raise self.refused(
                f"no version {self.manifest.api_version}", ("apiVersion",), f"apiVersion: {_API_VERSION}"
            )
        known = ("apiVersion", "kind", "metadata", *names)
        for name in self.manifest.raw:
            if name not in known:
                raise self.refused(f"no field {name}", (name,), f"one of: {', '.join(known)}")

    def step(self, entry: object, path: Path) -> ScenarioStep:
        """Read one step.

        Args:
            entry: what is written.
            path: where it stands.

        Raises:
            SourceError: it is no step.
        """
        camel = [_camel(name) for name in VERBS]
        verbs = f"one of: {', '.join(camel)}"
        if not isinstance(entry, dict):
            raise self.refused("a step is a mapping of a verb", path, verbs)
        given = {str(key): value for key, value in entry.items() if key not in _BESIDE_THE_VERB}
        for key in given:
            if _kebab(key) not in VERBS:
                close = get_close_matches(key, [*_BESIDE_THE_VERB, *camel], n=1)
                raise self.refused(f"no verb {key}", (*path, key), did_you_mean(close, verbs))
        if len(given) != 1:
            raise self.refused(f"a step has one verb, this one has {len(given)}", path, verbs)
        key, value = next(iter(given.items()))
        name = _kebab(key)
        text = self.text(value, (*path, key))
        if name == "add-manifest":
            text = str(self.base / text)
        elif name == "add-node":
            text = self.beside(text)
        try:
            verb = parse_step(name, text, str(entry.get("namespace") or ""))
        except UsageError as error:
            raise self.refused(error.message, (*path, key), error.hint) from error
        words, counts = self._expected(entry.get("expect"), (*path, "expect"))
        return ScenarioStep(verb, words, counts, str(entry.get("name") or ""))

    def text(self, value: object, path: Path) -> str:
        """Write a value as its flag would take it; a mapping as ``key=value`` with commas.

        Raises:
            SourceError: it is a list, or nothing.
        """
        if isinstance(value, dict):
            return ",".join(f"{word}={self.text(part, (*path, str(word)))}" for word, part in value.items())
        if isinstance(value, list):
            raise self.refused("a list where one value is wanted", path, "one entry for each")
        if value is None or value == "":
            raise self.refused("nothing is said here", path)
        # YAML reads true and false out of what is a text for a label
        return str(value).lower() if isinstance(value, bool) else str(value)

    def beside(self, text: str) -> str:
        """Find the file of a node that is added, ``file=n.yaml``, beside this one."""
        parts = (part.partition("=") for part in text.split(","))
        return ",".join(f"{key}={self.base / rest}" if key == "file" else f"{key}{eq}{rest}" for key, eq, rest in parts)

    def _expected(self, given: object, path: Path) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
        words: list[str] = []
        counts: list[tuple[str, int]] = []
        for item in given if isinstance(given, list) else [] if given is None else [given]:
            if isinstance(item, str) and item in EXPECTATIONS:
                words.append(item)
            elif isinstance(item, dict) and all(key in COUNTS and type(value) is int for key, value in item.items()):
                counts += [(str(key), value) for key, value in item.items()]
            else:
                hint = f"one of: {', '.join(EXPECTATIONS)}; or numbers of: {', '.join(COUNTS)}"
                raise self.refused(f"kplan cannot expect {item!r}", path, hint)
        return tuple(words), tuple(counts)


def _camel(text: str) -> str:
    first, *rest = text.split("-")
    return "".join([first, *(word.capitalize() for word in rest)])


def _kebab(text: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in text)
