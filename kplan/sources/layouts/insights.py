"""Archives of the OpenShift Insights operator: ``config/node/<name>.json``, ``config/pod/<namespace>/<name>.json``."""

import re
from collections.abc import Mapping

from kplan.sources.documents import DumpFacts, Hint
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_of

_ROOT = re.compile(r"(?P<root>.*?/)??config/(?:node/[^/]+|pod/[^/]+/[^/]+)\.json")
_FILES: Mapping[str, str] = {
    r"config/node/[^/]+\.json": "nodes",
    r"config/pod/[^/]+/[^/]+\.json": "pods",
    r"config/pdbs/[^/]+/[^/]+\.json": "poddisruptionbudgets",
    r"config/persistentvolumes/[^/]+\.json": "persistentvolumes",
    r"config/storage/storageclasses/[^/]+\.json": "storageclasses",
}


class Insights(Layout):
    """See the module."""

    known_by = _ROOT
    described = DumpFacts(
        "OpenShift Insights archive",
        partial={
            "Pod": "an Insights archive holds only pods of OpenShift and unhealthy ones: free space of the nodes "
            "is overstated, ports that are in use look free",
            "PodDisruptionBudget": "an Insights archive holds budgets of few namespaces: evictions may be refused "
            "that look allowed",
            "PersistentVolume": "an Insights archive holds few PersistentVolumes: a claim may be bound to another",
        },
    )

    def hint(self, path: str) -> Hint | None:
        """See Layout. The objects name no kind: their folder does."""
        for pattern, plural in _FILES.items():
            if re.fullmatch(pattern, path):
                return hint_of(BY_PLURAL[plural])
        return None
