"""Sysdumps of cilium: ``k8s-<resource>-<time>.yaml`` beside much else."""

import re

from kplan.sources.about import About
from kplan.sources.documents import Hint
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_of
from kplan.sources.tree import Tree

_FILE = re.compile(r"(?P<root>.*/)?k8s-(?P<plural>[a-z]+)-\d{8}-\d{6}\.(?:ya?ml|json)")


class Cilium(Layout):
    """See the module."""

    known_by = _FILE

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        found = _FILE.fullmatch(path)
        kind = BY_PLURAL.get(found["plural"]) if found else None
        return hint_of(kind) if kind else None

    def about(self, tree: Tree, root: str) -> About:
        """See Layout."""
        return About("cilium sysdump")
