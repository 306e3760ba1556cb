"""Support bundles of Replicated's troubleshoot: ``cluster-resources/<kind>/<namespace>.json``."""

import re
from collections.abc import Mapping

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_of, version_in
from kplan.sources.tree import Tree

_ROOT = re.compile(r"(?P<root>.*?/)??cluster-resources/(?:[a-z-]+|pods/[^/]+)\.json")
_FILE = re.compile(r"cluster-resources/(?P<name>[A-Za-z-]+)(?P<namespace>/[^/]+)?\.json")
_ERRORS = "-errors"

_NAMES: Mapping[str, str] = {
    "pvs": "persistentvolumes",
    "pvcs": "persistentvolumeclaims",
    "storage-classes": "storageclasses",
    "pod-disruption-budgets": "poddisruptionbudgets",
    "resource-quota": "resourcequotas",
    "resource-quotas": "resourcequotas",
}
"""Names of files and folders that are not the name of the resource."""


class SupportBundle(Layout):
    """See the module."""

    known_by = _ROOT

    def hint(self, path: str) -> Hint | None:
        """See Layout. ``custom-resources`` is passed over: large, often broken by redaction."""
        match = _FILE.fullmatch(path)
        kind = BY_PLURAL.get(_NAMES.get(match["name"], match["name"])) if match else None
        if kind is None or match is None or bool(match["namespace"]) != kind.namespaced:
            return None
        return hint_of(kind)

    def about(self, tree: Tree, root: str) -> DumpFacts:
        """See Layout."""
        paths = tree.below(f"{root}cluster-resources/")
        failed = [path for path in paths if path.endswith(f"{_ERRORS}.json") and tree.peek(path, 3).strip() != b"[]"]
        names = [path.rpartition("/")[2].removesuffix(f"{_ERRORS}.json") for path in failed]
        notes = (f"the bundle's collector reports errors for {', '.join(names)}: some may be missing",) if names else ()
        return DumpFacts(
            "troubleshoot support bundle",
            absent={
                "CSINode": "a support bundle holds no CSINodes: volume limits of nodes are unknown and count as none",
                "CSIDriver": "a support bundle holds no CSIDrivers: storage capacity is not checked for any driver",
                "RuntimeClass": "a support bundle holds no RuntimeClasses: their overhead and node selectors are "
                "unknown",
            },
            notes=notes,
        )

    def recorded(self, tree: Tree, root: str) -> Mapping[str, object]:
        """See Layout."""
        return version_in(tree, f"{root}cluster-info/cluster_version.json")
