"""Backups of velero: ``resources/<resource>[.<group>]/{cluster,namespaces/<namespace>}/<name>.json``.

Each object is there again under ``<version>-preferredversion/``, which is passed over.
"""

import re

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import Layout, hint_for

_FILE = re.compile(
    r"(?P<root>.*?/)??resources/(?P<plural>[a-z]+)(?:\.(?P<group>[a-z0-9.-]+))?/"
    r"(?:cluster|namespaces/[^/]+)/[^/]+\.json"
)


class Velero(Layout):
    """See the module."""

    known_by = _FILE
    described = DumpFacts(
        "velero backup",
        absent={
            "Node": "a velero backup holds no nodes: name a file with the nodes as well (kubectl get nodes -o json)"
        },
        partial={
            "Pod": "a velero backup may leave out namespaces and pods: free space of the nodes is overstated",
        },
    )

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        match = _FILE.fullmatch(path)
        return hint_for(match["group"] or "", match["plural"]) if match else None
