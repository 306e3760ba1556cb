"""State from files, folders and streams: what ``kubectl get`` writes, and manifests."""

from kplan.sources.collect import Collector
from kplan.sources.completeness import KindRow, table
from kplan.sources.documents import Hint, read
from kplan.sources.load import load, load_values
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
