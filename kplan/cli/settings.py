"""Settings that are kept: of a repository, in `.kplan.yaml`, and of a user, in `~/.config/kplan`.

An option or a variable of the environment wins over both, the repository over the user. ``kplan bind`` goes by neither:
what it writes to is named on its command line.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from kplan.errors import UsageError
from kplan.sources.opening import expanded, is_regular

NAME = ".kplan.yaml"
_KEYS: dict[str, Any] = {"snapshot": str, "context": str, "policy": str, "color": str, "silent-kinds": list}
_PATHS = ("snapshot", "policy")
COLOURS = ("always", "never", "auto")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is kept.

    Attributes:
        snapshot: file or folder to answer from, where no option and no variable names a source.
        context: of the kubeconfig, likewise.
        policy: file with the rules of ``kplan check``.
        color: ``always``, ``never`` or ``auto``.
        silent_kinds: kinds of objects that make no pods, beyond those that kplan knows.
        of: file that names the snapshot or the context; empty for none.
    """

    snapshot: str = ""
    context: str = ""
    policy: str = ""
    color: str = ""
    silent_kinds: tuple[str, ...] = ()
    of: str = ""


@cache
def settings() -> Settings:
    """Read what is kept, once a run.

    Raises:
        UsageError: a file holds what is no setting.
        SourceError: it is no YAML, or cannot be read.
    """
    merged = Settings()
    for path in filter(None, (_of_user(), _of_repository(Path.cwd()))):
        merged = _over(merged, _read(path))
    return merged


def _over(below: Settings, above: Settings) -> Settings:
    """Settings where the second win; a source replaces the other source, too."""
    source = {"snapshot", "context", "of"} if above.of else set()
    given = {
        field.name: getattr(above, field.name)
        for field in fields(above)
        if field.name in source or getattr(above, field.name)
    }
    return dataclasses.replace(below, **given)


def _of_user() -> Path | None:
    given = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        folder = Path(given) if Path(given).is_absolute() else Path.home() / ".config"
    except RuntimeError:  # there is no home
        return None
    path = folder / "kplan" / "config.yaml"
    return path if is_regular(path) else None


def _of_repository(here: Path) -> Path | None:
    """The nearest file above, not beyond the repository."""
    for folder in (here, *here.parents):
        if is_regular(folder / NAME):
            return folder / NAME
        if (folder / ".git").exists():
            return None
    return None


def _read(path: Path) -> Settings:
    from kplan.sources.plain_yaml import read_plain_yaml  # most have no settings, and YAML takes its time

    given = read_plain_yaml(path)
    if given is not None and not isinstance(given, dict):
        raise UsageError(
            f"{path}: not a mapping of settings", code="bad-settings", hint=f"{_hint()}, each with its value"
        )
    made: dict[str, Any] = {}
    for key, value in (given or {}).items():
        kind = _KEYS.get(key)
        if kind is None:
            raise UsageError(f"{path}: {key}: no such setting", code="bad-settings", hint=_hint())
        if not isinstance(value, kind) or (kind is list and not all(isinstance(item, str) for item in value)):
            wanted = "a list of kinds" if kind is list else "a text"
            raise UsageError(f"{path}: {key}: {wanted} is wanted", code="bad-settings")
        made[key.replace("-", "_")] = tuple(value) if kind is list else value
    for key in _PATHS:
        if made.get(key):
            made[key] = str(path.parent / expanded(made[key]))
    if made.get("color", "auto") not in COLOURS:
        raise UsageError(f"{path}: color: {made['color']}", code="bad-settings", hint=f"one of: {', '.join(COLOURS)}")
    if made.get("snapshot") and made.get("context"):
        raise UsageError(f"{path}: snapshot names a file, and context a cluster", code="two-sources")
    return Settings(**made, of=path.name if made.get("snapshot") or made.get("context") else "")


def _hint() -> str:
    return f"one of: {', '.join(_KEYS)}"
