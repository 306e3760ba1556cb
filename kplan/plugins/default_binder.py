"""DefaultBinder: writes the chosen node to the API server.

What it checks:  nothing: it binds.
Rejects with:    nothing.
Not modelled:    the binding itself: a plan assumes the pod on its node, and only ``kplan bind`` writes. The name is
                 here so that a profile can say which plugin binds.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/defaultbinder/default_binder.go
"""

from dataclasses import dataclass
from typing import ClassVar

from kplan.cluster import PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features


@dataclass(frozen=True, slots=True)
class DefaultBinder:
    """Has no point that a plan asks."""

    name: ClassVar[str] = "DefaultBinder"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read nothing."""
        return Reads(0)
