"""A plugin that keeps the contract and fails when it is asked; it also holds pods back at Permit."""

from typing import Any, ClassVar

from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.findings import Refused, passed
from kplan.framework.reason_codes import ReasonCode


class FailingFit:
    """Fails on every pod but one that is called patient, which it holds back."""

    name: ClassVar[str] = "FailingFit"
    cost: ClassVar[Cost] = Cost.COLUMNS

    def __init__(self, args: Any, features: Any) -> None:
        pass

    def reads(self, point: Point, pod: Any) -> Reads:
        """Nothing."""
        return Reads(0)

    def filter(self, pod: Any, state: Any, cluster: Any, worlds: Any) -> Any:
        """Divide by zero."""
        return passed(len(worlds) // (pod.name == "patient"))

    def permit(self, pod: Any, cluster: Any, row: int) -> Refused | None:
        """Hold the pod back."""
        return Refused.of(ReasonCode.OTHER_PLUGIN, "waits for its licence")
