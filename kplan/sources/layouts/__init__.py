"""Layouts found in the wild, one module for each, detected by what is there and not by how it is called.

A *layout* spreads objects over the files of a tree, be that a folder or an archive; a *form* writes them into one file
in a way that is not the API's. Whatever is neither is read as what ``kubectl get`` writes.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from kplan.errors import SourceError
from kplan.sources.archives import open_archive
from kplan.sources.beside import Beside
from kplan.sources.documents import NO_HINT, Form, Hint, Sink
from kplan.sources.layouts.base import Layout
from kplan.sources.layouts.cilium import Cilium
from kplan.sources.layouts.cluster_autoscaler import AutoscalerSnapshot
from kplan.sources.layouts.cluster_info_dump import ClusterInfoDump, ClusterInfoStream
from kplan.sources.layouts.insights import Insights
from kplan.sources.layouts.kai import KaiSnapshot
from kplan.sources.layouts.kwok import KwokRecord
from kplan.sources.layouts.must_gather import MustGather
from kplan.sources.layouts.scheduler_simulator import SimulatorExport, SimulatorRecord
from kplan.sources.layouts.simkube import SimKubeTrace
from kplan.sources.layouts.sonobuoy import Sonobuoy
from kplan.sources.layouts.support_bundle import SupportBundle
from kplan.sources.layouts.support_bundle_kit import SupportBundleKit
from kplan.sources.layouts.velero import Velero
from kplan.sources.opening import is_regular, look, unreadable
from kplan.sources.reader import STDIN, WEB, File, files
from kplan.sources.tree import Tree, folder_tree

LAYOUTS: tuple[Layout, ...] = (
    SupportBundle(),
    Sonobuoy(),
    SupportBundleKit(),
    Velero(),
    MustGather(),
    Insights(),
    ClusterInfoDump(),
    Cilium(),
)
"""In the order they are looked for; a file belongs to the first that claims its folder."""

FORMS: tuple[Form, ...] = (
    ClusterInfoStream(),
    SimulatorExport(),
    SimulatorRecord(),
    AutoscalerSnapshot(),
    KaiSnapshot(),
    KwokRecord(),
    SimKubeTrace(),
)

_NAMED = 3
"""Archives in a tree that are named one by one."""


def contents(path: str | Path, stdin: BinaryIO | None, sink: Sink) -> Iterator[tuple[File, Hint]]:
    """List the files that a path means, with what their place in a layout says of their objects.

    Args:
        path: a file, an archive, a folder, or ``-`` for standard input.
        stdin: what ``-`` reads.
        sink: who is told of the layouts that are recognised.

    Raises:
        SourceError: there is nothing, or it cannot be opened.
    """
    source = _opened(path, stdin)
    if isinstance(source, File):
        yield source, NO_HINT
        return
    _note_packed(source, sink)
    left = dict(source.files)
    for layout in LAYOUTS:
        taken: str | None = None  # a root; what lies below it is its own, other roots as well
        for root in sorted(layout.roots(left)):
            sink.described(layout.about(source, root))
            sink.recorded(dict(layout.recorded(source, root)))
            if taken is not None and root.startswith(taken):
                continue
            taken = root
            for within in source.below(root):
                file = left.pop(within, None)
                hint = layout.hint(within.removeprefix(root)) if file is not None else None
                if file is not None and hint is not None and within not in source.links:
                    yield file, hint
    for within, file in source.texts():
        if within in left:
            yield file, NO_HINT


def _note_packed(tree: Tree, sink: Sink) -> None:
    """Say once which archives lie beside what is read.

    Raises:
        SourceError: nothing but archives is there.
    """
    if not tree.packed:
        return
    shown, more = tree.packed[:_NAMED], len(tree.packed) - _NAMED
    if not any(True for _ in tree.texts()):
        names = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
        raise SourceError(
            f"it holds nothing to read but another archive: {names}"
            if len(tree.packed) == 1
            else f"it holds nothing to read but {len(tree.packed)} archives: {names}",
            file=tree.name,
            code="archive-inside",
            hint="extract the one to read, and name it",
        )
    if len(tree.packed) == 1:
        sink.note(Beside(f"not read: archive {shown[0]} (name it to read it)"))
    else:
        rest = f" and {more} more" if more > 0 else ""
        sink.note(Beside(f"not read: archives {', '.join(shown)}{rest} (name one to read it)"))


def _opened(path: str | Path, stdin: BinaryIO | None) -> Tree | File:
    """Open a path as a tree if it is one, else as a file."""
    if str(path).startswith(WEB):
        from kplan.sources.live.download import download, shown_url

        data = download(str(path))
        return File(shown_url(str(path)), lambda: data)
    root = Path(path)
    if str(path) == STDIN or look(path) != "folder":
        (file,) = files(path, stdin)
        return _archive_or(file, None if str(path) == STDIN or not is_regular(root) else root)
    tree = folder_tree(root)
    if any(True for _ in tree.texts()):
        return tree
    packed = tree.packed
    if len(packed) == 1:
        file = tree.files[packed[0]]
        return _archive_or(file, Path(file.name))
    if packed:
        raise SourceError(
            f"a folder with {len(packed)} archives: {', '.join(packed[:3])}" + (", ..." if len(packed) > 3 else ""),
            file=str(path),
            code="several-archives",
            hint="name the one to read",
        )
    files(path)  # tells that there is nothing
    return tree


def _archive_or(file: File, on_disk: Path | None) -> Tree | File:
    """Open an archive, or give the file as it is; what can be read only once is read into memory."""
    try:
        if on_disk:
            return open_archive(lambda: cast(BinaryIO, on_disk.open("rb")), file.name) or file
        data = file.load()
    except OSError as error:
        raise unreadable(error, file.name) from None
    return open_archive(lambda: io.BytesIO(data), file.name) or File(file.name, lambda: data)


__all__ = ["FORMS", "LAYOUTS", "contents"]
