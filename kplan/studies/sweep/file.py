"""Sweep files: axes of which every combination is a scenario.

apiVersion: kplan.dev/v1
kind: Sweep
replicas: 12
axes:
  - fail: zone
  - pool: [{like: node-a}, {cpu: 16, memory: 64Gi}]
  - workload: [web.yaml, deploy/shop/db]
  - scenario:
      as it is: []
      two more: [{addNode: {like: node-f, count: 2}}]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from msgspec import Struct

from kplan.errors import SourceError
from kplan.scenario import ScenarioStep
from kplan.scenario.plan_file import StepReader
from kplan.sources import load_objects
from kplan.sources.fit import Path
from kplan.studies.sweep.axes import AXES, DEFAULT, AskedAxis, names_workload

_FILES = ("shapes", "scenario", "config", "workload")
"""Axes whose values are files, beside the file that names them."""
_EXAMPLE = (__doc__ or "").partition("\n\n")[2].strip()


class SweepFile(Struct, frozen=True):
    """What a sweep file asks for.

    Attributes:
        axes: axes, in order.
        replicas: of each workload; None where it does not say.
    """

    axes: tuple[AskedAxis, ...]
    replicas: int | None = None


def load_sweep(file: str) -> SweepFile:
    """Read a file of kind Sweep; one of kind Scenario is a sweep over that scenario.

    Raises:
        SourceError: it cannot be read, or is neither.
    """
    objects = load_objects([file]).objects
    kinds = [manifest_object.kind for manifest_object in objects]
    if kinds == ["Scenario"]:
        return SweepFile((AskedAxis("scenario", (file,)),))
    if kinds != ["Sweep"]:
        raise SourceError("neither one Sweep nor one Scenario", file=file, code="bad-sweep", hint=_EXAMPLE)
    reader = _Reader(objects[0], FilePath(file).parent)
    reader.check_fields("axes", "replicas")
    return SweepFile(tuple(reader.axes()), reader.replicas())


class _Reader(StepReader, frozen=True):
    """Reads the axes of one file."""

    def axes(self) -> Iterator[AskedAxis]:
        """Read the axes."""
        given = self.manifest.raw.get("axes")
        if not isinstance(given, list) or not given:
            raise self.refused("no axes", ("axes",), _EXAMPLE)
        for number, entry in enumerate(given):
            path: Path = ("axes", number)
            if not isinstance(entry, dict) or len(entry) != 1:
                raise self.refused("an axis is a mapping of its name", path, f"one of: {', '.join(AXES)}")
            name, values = next(iter(entry.items()))
            if name not in AXES:
                raise self.refused(f"no axis {name}", (*path, name), f"one of: {', '.join(AXES)}")
            yield self._axis(str(name), values, (*path, name))

    def replicas(self) -> int | None:
        """Read how many replicas of each workload are wanted."""
        replicas = self.manifest.raw.get("replicas")
        if replicas is not None and (type(replicas) is not int or replicas < 0):
            raise self.refused("replicas is a number from 0", ("replicas",))
        return replicas if isinstance(replicas, int) else None

    def _axis(self, name: str, values: object, path: Path) -> AskedAxis:
        if name == "scenario" and isinstance(values, dict):
            return AskedAxis(name, inline={str(key): self._steps(given, (*path, key)) for key, given in values.items()})
        several = values if isinstance(values, list) else [values]
        return AskedAxis(name, tuple(self._value(name, value, (*path, i)) for i, value in enumerate(several)))

    def _steps(self, given: object, path: Path) -> tuple[ScenarioStep, ...]:
        if not isinstance(given, list):
            raise self.refused("a scenario is a list of steps", path)
        return tuple(self.step(entry, (*path, number)) for number, entry in enumerate(given))

    def _value(self, name: str, value: object, path: Path) -> str:
        """One value as its flag would take it."""
        if name == "pool" and isinstance(value, str | dict):
            return self.beside(self.text(value, path))
        if isinstance(value, dict | list) or value is None:
            raise self.refused("a value is a text", path)
        text = str(value)
        no_file = (name == "workload" and names_workload(text)) or (name == "config" and text == DEFAULT)
        if name not in _FILES or no_file:
            return text
        return str(self.base / text)
