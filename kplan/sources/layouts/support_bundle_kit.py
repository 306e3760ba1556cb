"""Bundles of support-bundle-kit (Harvester, Longhorn): ``yamls/{cluster,namespaced/<namespace>}/<group>/<v>/``."""

import re

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_for, hint_of

_FILE = re.compile(
    r"(?P<root>.*?/)??yamls/(?:cluster|namespaced/[^/]+)/(?P<group>.+/)?(?P<plural>[a-z]+)\.(?:ya?ml|json)"
)
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?")
_OLD = "kubernetes"
"""Name of the group's folder in the first bundles, whatever the group."""


class SupportBundleKit(Layout):
    """See the module."""

    known_by = _FILE
    described = DumpFacts(
        "support-bundle-kit bundle",
        partial={
            "Pod": "the bundle may hold only the namespaces it was made for: free space of the nodes is overstated"
        },
    )

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        match = _FILE.fullmatch(path)
        if not match:
            return None
        group = "/".join(part for part in (match["group"] or "").split("/") if part and not _VERSION.fullmatch(part))
        kind = BY_PLURAL.get(match["plural"])
        return hint_of(kind) if kind and group == _OLD else hint_for(group, match["plural"])
