"""Results of sonobuoy, of three generations: ``resources/{non-ns,cluster,ns/<namespace>}/``.

Its files are named ``Nodes.json`` in the first two and ``core_v1_nodes.json`` in the third; bare arrays or lists.
"""

import re
from collections.abc import Mapping

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import Layout, hint_for, hint_of_plural, version_in
from kplan.sources.tree import Tree

_FILE = re.compile(
    r"(?P<root>.*?/)??resources/(?:non-ns|cluster|ns/[^/]+)/"
    r"(?:(?P<name>[A-Z][A-Za-z]+)|(?P<group>[a-z0-9.-]+)_(?P<version>v[a-z0-9]+)_(?P<plural>[a-z]+))\.json"
)


class Sonobuoy(Layout):
    """See the module."""

    known_by = _FILE

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        match = _FILE.fullmatch(path)
        if not match:
            return None
        if match["name"]:
            return hint_of_plural(match["name"].lower())
        group = "" if match["group"] == "core" else match["group"]
        hint = hint_for(group, match["plural"])
        version = f"{group}/{match['version']}" if group else match["version"]
        return Hint(version, hint.kind) if hint and hint.kind else hint

    def about(self, tree: Tree, root: str) -> DumpFacts:
        """See Layout."""
        return DumpFacts(
            "sonobuoy results",
            partial={"Pod": "sonobuoy may have been limited to some namespaces: free space of the nodes is overstated"},
            notes_of={"Pod": "what sonobuoy's own tests ran is among the pods"},
        )

    def recorded(self, tree: Tree, root: str) -> Mapping[str, object]:
        """See Layout."""
        return version_in(tree, f"{root}serverversion.json") or version_in(
            tree, f"{root}serverversion/serverversion.json"
        )
