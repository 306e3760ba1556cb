"""Where a StatefulSet's controller stops when one of its pods is refused: what comes after is not made before it is."""

from kplan.admission.raw import dig_int, dig_text
from kplan.objects.models import Pod
from kplan.sources import ManifestObject
from kplan.words import listed


class StopOfSet:
    """The pods of a StatefulSet, taken by ordinal.

    In order one stops all after it. In parallel they are made in batches of 1, 2, 4 ..., each once all of the one
    before were made.

    Attributes:
        skipped: names of the pods that are not made.

    Source: runForAll, slowStartBatch in pkg/controller/statefulset/stateful_set_control.go.
    """

    def __init__(self, manifest: ManifestObject) -> None:
        self.skipped: list[str] = []
        self._first = dig_int(manifest.raw, "spec.ordinals.start", 0)
        self._ordered = dig_text(manifest.raw, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady"
        self._last: int | None = None
        self._name = ""

    def refused(self, pod: Pod) -> None:
        """Take note of a pod that is refused."""
        if self._last is None:
            place = self._place(pod)
            self._last = place if self._ordered else (1 << (place + 1).bit_length()) - 2
            self._name = pod.name

    def skips(self, pod: Pod) -> bool:
        """Tell whether a pod is not made."""
        if self._last is None or self._place(pod) <= self._last:
            return False
        self.skipped.append(pod.name)
        return True

    @property
    def told(self) -> str:
        """What to say of the pods that are not made, after why one is refused."""
        if not self.skipped:
            return ""
        are = "is" if len(self.skipped) == 1 else "are"
        return f"; {listed(self.skipped)} {are} not made before {self._name} is"

    def _place(self, pod: Pod) -> int:
        return int(pod.name.rpartition("-")[2]) - self._first
