"""A tree of files, be it a folder or an archive, as layouts look at it."""

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from kplan.errors import SourceError
from kplan.sources.opening import is_regular, load, shown
from kplan.sources.reader import SUFFIXES, File, refuse


@dataclass(frozen=True)
class Tree:
    """Files by their path.

    Attributes:
        name: as shown to the user.
        files: by path from the top, ``/`` between parts, in bytewise order; none is hidden.
        links: paths that are links to another file of the tree.
        packed: paths of archives in it, which are not opened.
    """

    name: str
    files: Mapping[str, File]
    links: frozenset[str] = frozenset()
    packed: tuple[str, ...] = ()

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.files)

    def below(self, folder: str) -> Iterator[str]:
        """Give the paths of the files in a folder and below it; a tree may hold as many folders as files.

        Args:
            folder: its path with ``/`` at the end; empty for the top.
        """
        names = self._sorted
        for at in range(bisect_left(names, folder), len(names)):
            if not names[at].startswith(folder):
                return
            yield names[at]

    def texts(self) -> Iterator[tuple[str, File]]:
        """Give the files whose ending says that they are YAML or JSON, each once however many links lead there."""
        for path, file in self.files.items():
            if path.lower().endswith(SUFFIXES) and path not in self.links:
                yield path, file

    def peek(self, path: str, size: int = 4096) -> bytes:
        """Give the beginning of a file; nothing if it is not there or cannot be read."""
        file = self.files.get(path)
        if file is None:
            return b""
        try:
            return file.read()[:size]
        except SourceError:
            return b""


ARCHIVE_NAMES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst", ".zip", ".gzip")
"""How the name of an archive ends, in small letters."""


def is_archive(path: str) -> bool:
    """Tell whether a file is an archive by its name."""
    return path.lower().endswith(ARCHIVE_NAMES)


def is_hidden(path: str) -> bool:
    """Tell whether a path is none of the user's: hidden, or left behind by macOS."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.split("/"))


def folder_tree(root: Path) -> Tree:
    """List a folder. Links to folders are not followed, nor links to files that lead out of it.

    Raises:
        SourceError: a folder below cannot be listed.
    """
    inside = os.path.realpath(root)
    by_path: dict[str, File] = {}
    for folder, below, names in os.walk(root, onerror=refuse):
        below[:] = [name for name in below if not is_hidden(name)]
        for name in names:
            path = Path(folder, name)
            if is_hidden(name) or not is_regular(path):
                continue
            if path.is_symlink() and os.path.commonpath([inside, os.path.realpath(path)]) != inside:
                continue
            within = path.relative_to(root).as_posix()
            by_path[within] = File(shown(path), partial(load, path), within)
    files = dict(sorted(by_path.items(), key=lambda pair: os.fsencode(pair[0])))
    return Tree(shown(root), files, packed=tuple(filter(is_archive, files)))
