"""DefaultBinder: writes the chosen node to the API server.

What it checks:  nothing: it binds.
Rejects with:    nothing.
Not modelled:    the binding itself: a plan assumes the pod on its node, and only ``kplan bind`` writes. The name is
                 here so that a profile can say which plugin binds.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/defaultbinder/default_binder.go
"""

from typing import ClassVar

from kplan.framework.codes import Reads
from kplan.framework.plugin import ColumnPlugin


class DefaultBinder(ColumnPlugin[None]):
    """Has no point that a plan asks."""

    name: ClassVar[str] = "DefaultBinder"
    needs: ClassVar[Reads] = Reads(0)
