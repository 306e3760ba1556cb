"""State from files, folders and streams: what ``kubectl get`` writes, and manifests."""

from typing import TYPE_CHECKING

from kplan.on_first_use import on_first_use

if TYPE_CHECKING:
    from kplan.sources.collect import Collector
    from kplan.sources.completeness import KindRow, table
    from kplan.sources.documents import Hint, read
    from kplan.sources.loading import load, load_values
    from kplan.sources.manifests import ManifestObject, Manifests, load_objects
    from kplan.sources.reader import File

__all__ = [
    "Collector",
    "File",
    "Hint",
    "KindRow",
    "ManifestObject",
    "Manifests",
    "load",
    "load_objects",
    "load_values",
    "read",
    "table",
]

__getattr__ = on_first_use(  # help, usage errors and what writes files need none
    __name__,
    {
        "Collector": "collect",
        "File": "reader",
        "Hint": "documents",
        "KindRow": "completeness",
        "ManifestObject": "manifests",
        "Manifests": "manifests",
        "load": "loading",
        "load_objects": "manifests",
        "load_values": "loading",
        "read": "documents",
        "table": "completeness",
    },
)
