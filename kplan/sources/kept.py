"""Snapshots that were read before: a large file is parsed once, and its objects are kept for the next question.

What is kept stands under a digest of the file's whole content, its name as it is shown, and the code that reads it; so
a file that was changed, or another kplan, finds nothing and reads anew. What is found is held against a digest of its
own first. Files are kept for their owner alone, in ``kplan`` under XDG_CACHE_HOME or ``~/.cache``.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
from contextlib import suppress
from pathlib import Path

import msgspec

from kplan.errors import SourceError, UsageError
from kplan.objects.state import ClusterState
from kplan.sources.kept_form import decoded, encoded
from kplan.sources.loading import collector_paused, load
from kplan.sources.opening import digest_of, shown
from kplan.sources.opening import load as content_of
from kplan.sources.writing import write_whole

WORTH_KEEPING = 1 << 20
"""Size of the smallest file that is kept [bytes]: a smaller one is read as fast."""
MOST_FILES = 32
MOST_BYTES = 1 << 30
"""How much is kept; what was asked about longest ago goes first."""
_FORM = b"kplan snapshot 2\n"
_CODE = ("sources", "objects")
"""Packages that decide what is made of a file."""
_PRIVATE_FOLDER = 0o700


def load_kept(path: str) -> ClusterState:
    """Read the state of a cluster as ``load`` does, or take what was kept of the same content.

    Args:
        path: a file, folder, or ``-``; a large file alone is kept.

    Raises:
        SourceError: as ``load``.
    """
    before = _large_file(path)
    folder = _folder() if before is not None else None
    if before is None or folder is None:
        return load(path)
    try:
        key = _key(path)
    except OSError:
        return load(path)
    place = folder / key
    cluster_state = _found(place)
    if cluster_state is not None:
        return cluster_state
    state = load(path)
    if _large_file(path) == before:  # else it was changed while it was read
        _keep(place, state)
    return state


def cache_folder() -> Path | None:
    """Where snapshots are kept; None where there is no home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():  # the specification has relative ones ignored
        return Path(given) / "kplan"
    with suppress(RuntimeError):
        return Path.home() / ".cache" / "kplan"
    return None


def _large_file(path: str) -> tuple[int, ...] | None:
    """What tells whether a file was changed; None for whatever is no large file."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if path == "-" or not stat.S_ISREG(status.st_mode) or status.st_size < WORTH_KEEPING:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _folder() -> Path | None:
    """The folder, made if it is not there; None where it is not this user's alone."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
        return folder if _is_mine(folder.lstat(), stat.S_ISDIR) else None
    except OSError:
        return None


def _is_mine(status: os.stat_result, kind: object) -> bool:
    """Whether nobody else can have written a file or folder, which is no link."""
    assert callable(kind)
    return bool(kind(status.st_mode)) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _key(path: str) -> str:
    """Digest of all that decides what is read.

    Raises:
        OSError: the file, or kplan's own code, cannot be looked at.
    """
    status = [platform.python_version(), msgspec.__version__, shown(path), digest_of(path)]
    here = Path(__file__).parents[1]
    for package in _CODE:
        for module in sorted((here / package).rglob("*.py")):
            status += [module.name, digest_of(module)]
    return hashlib.sha256("\0".join(status).encode()).hexdigest()


def _found(place: Path) -> ClusterState | None:
    """What was kept; None if it is not there, not whole, or may be another's."""
    try:
        if not _is_mine(place.lstat(), stat.S_ISREG):
            return None
        text = content_of(place)
        os.utime(place)
    except (OSError, SourceError):
        return None
    head, digest, body = text[: len(_FORM)], text[len(_FORM) : len(_FORM) + 32], memoryview(text)[len(_FORM) + 32 :]
    if head != _FORM or hashlib.sha256(body).digest() != digest:
        return None
    try:
        with collector_paused():
            return decoded(body)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _keep(place: Path, state: ClusterState) -> None:
    """Write what was read, if it can be written, and make room for it."""
    try:
        body = encoded(state)
    except (TypeError, ValueError, OverflowError, RecursionError):  # a number or text that the format has not
        return
    if len(body) > MOST_BYTES // 2:
        return
    with suppress(OSError, UsageError):
        place.unlink(missing_ok=True)  # what was not whole was looked at, and no input is ever replaced
        write_whole(place, [_FORM, hashlib.sha256(body).digest(), body])
        _make_room(place.parent)


def _make_room(folder: Path) -> None:
    """Take away what was asked about longest ago, until the rest is within bounds."""
    files = sorted(((path.lstat(), path) for path in folder.iterdir()), key=lambda pair: pair[0].st_mtime_ns)
    size = sum(status.st_size for status, _ in files)
    while files and (len(files) > MOST_FILES or size > MOST_BYTES):
        status, oldest = files.pop(0)
        size -= status.st_size
        with suppress(FileNotFoundError):
            oldest.unlink()
