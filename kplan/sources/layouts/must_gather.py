"""OpenShift ``must-gather`` and ``oc adm inspect``: ``namespaces/`` and ``cluster-scoped-resources/`` per image."""

import re
from collections.abc import Mapping
from datetime import datetime

from kplan.sources.collect import TAKEN
from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_for, hint_of
from kplan.sources.tree import Tree

_ENDING = r"\.(?:ya?ml|json)"
_ROOT = re.compile(
    r"(?P<root>.*?/)??(?:cluster-scoped-resources/[^/]+/[^/]+.*|namespaces/[^/]+/"
    rf"(?:(?:core|apps|batch|policy)/.+|pods/[^/]+/[^/]+)){_ENDING}"
)
_RESOURCE = re.compile(
    r"(?:cluster-scoped-resources|namespaces/[^/]+)/(?P<group>[^/]+)/(?P<plural>[^/]+)(?:/[^/]+)?" + _ENDING
)
_POD = re.compile(rf"namespaces/[^/]+/pods/(?P<pod>[^/]+)/(?P=pod){_ENDING}")
_NAMESPACE = re.compile(rf"namespaces/(?P<name>[^/]+)/(?P=name){_ENDING}")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)? ([+-]\d{2})(\d{2})")


class MustGather(Layout):
    """See the module."""

    known_by = _ROOT
    described = DumpFacts(
        "OpenShift must-gather",
        absent={
            "PriorityClass": "a must-gather holds no PriorityClasses: those that manifests name are not resolved",
            "PodDisruptionBudget": "a must-gather holds budgets only of some namespaces: evictions may be refused "
            "that look allowed",
        },
        partial={
            "Pod": "a must-gather holds no user namespaces: free space of the nodes is overstated",
            "Namespace": "a must-gather holds no user namespaces: namespaceSelectors select too few",
            "PodDisruptionBudget": "a must-gather holds no user namespaces: evictions may be refused that look allowed",
            "PersistentVolumeClaim": "a must-gather holds no user namespaces: claims of their pods are missing",
        },
    )

    def hint(self, path: str) -> Hint | None:
        """See Layout. Pods are there twice, in a list and one by one; the newest of each is kept."""
        if _POD.fullmatch(path):
            return hint_of(BY_PLURAL["pods"])
        if _NAMESPACE.fullmatch(path):
            return hint_of(BY_PLURAL["namespaces"])
        match = _RESOURCE.fullmatch(path)
        return hint_for("" if match["group"] == "core" else match["group"], match["plural"]) if match else None

    def recorded(self, tree: Tree, root: str) -> Mapping[str, object]:
        """See Layout."""
        match = _TIME.search(tree.peek(f"{root}timestamp").decode("utf-8", "replace"))
        if not match:
            return {}
        try:
            time = datetime.fromisoformat(f"{match[1].replace(' ', 'T')}{match[2]}:{match[3]}")
        except ValueError:
            return {}
        return {TAKEN: time.isoformat().replace("+00:00", "Z")}
