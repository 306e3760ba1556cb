"""Sysdumps of cilium: ``k8s-<resource>-<time>.yaml`` beside much else."""

import re

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import Layout, hint_of_plural

_FILE = re.compile(r"(?P<root>.*/)?k8s-(?P<plural>[a-z]+)-\d{8}-\d{6}\.(?:ya?ml|json)")


class Cilium(Layout):
    """See the module."""

    known_by = _FILE
    described = DumpFacts("cilium sysdump")

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        match = _FILE.fullmatch(path)
        return hint_of_plural(match["plural"]) if match else None
