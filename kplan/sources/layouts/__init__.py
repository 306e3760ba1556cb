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
from kplan.sources.reader import STDIN, File, files
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

_ARCHIVE_NAMES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".txz", ".tar.bz2", ".tar.zst", ".zip", ".gzip")


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
    left = dict(source.files)
    for layout in LAYOUTS:
        for root in sorted(layout.roots(left)):
            sink.described(layout.about(source, root))
            sink.recorded(dict(layout.recorded(source, root)))
            for within in [one for one in left if one.startswith(root)]:
                file = left.pop(within)
                hint = layout.hint(within.removeprefix(root))
                if hint is not None and within not in source.links:
                    yield file, hint
    for within, file in source.texts():
        if within in left:
            yield file, NO_HINT


def _opened(path: str | Path, stdin: BinaryIO | None) -> Tree | File:
    """Open a path as a tree if it is one, else as a file."""
    root = Path(path)
    if str(path) == STDIN or not root.is_dir():
        (file,) = files(path, stdin)
        return _archive_or(file, None if str(path) == STDIN or not root.is_file() else root)
    tree = folder_tree(root)
    if any(True for _ in tree.texts()):
        return tree
    packed = [within for within in tree.files if within.lower().endswith(_ARCHIVE_NAMES)]
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
        reason = error.strerror or str(error)
        raise SourceError(f"cannot be read: {reason}", file=file.name, code="unreadable") from None
    return open_archive(lambda: io.BytesIO(data), file.name) or File(file.name, lambda: data)


__all__ = ["FORMS", "LAYOUTS", "contents"]
