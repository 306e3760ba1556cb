"""Audit: kplan's event text of each waiting pod is held against the one that the scheduler recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from kplan.cluster import PodInfo
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.reasons.auditing import difference
from kplan.reasons.recorded import recorded
from kplan.result.document_audit import AuditedPod, AuditReport
from kplan.result.document_base import API_VERSION, Origin
from kplan.wording.auditing import because, sentence, why, why_lines
from kplan.wording.not_tried import FEWER_ASKED, not_tried_doubt
from kplan.wording.owners import owner_text

Planners = Mapping[int, Callable[[], Planner]]
"""By minor, what makes a planner of that version over the same state."""


_VERSIONS = 4
"""Versions that may be asked: the work is shared among them."""


class OtherVersions(Struct):
    """What other versions say of a pod; each is made when it is first asked.

    Attributes:
        planners: of the other minors, the nearest first.
    """

    planners: Planners
    _made: dict[int, Planner] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """How often there was no work left for one."""
        return sum(planner.cluster.work.left for planner in self._made.values())

    def saying(self, pod: str, text: str) -> Iterator[int]:
        """Yield the minors that say a text of a pod."""
        for minor, make in self.planners.items():
            if minor not in self._made:
                self._made[minor] = make()
                self._made[minor].cluster.work.share(_VERSIONS)
            planner = self._made[minor]
            row = planner.cluster.pod_index.get(pod)
            if row is None or planner.cluster.pods[row].scheduler_name not in planner.pipelines:
                continue
            if text in (planner.explain(planner.cluster.pods[row]).event_texts or ("",)):
                yield minor


def audit(
    planner: Planner, pods: Sequence[PodInfo], origin: Origin, doubts: tuple[Doubt, ...], others: Planners
) -> AuditReport:
    """Hold texts against each other.

    Args:
        planner: planner over the cluster.
        pods: those that are audited; they wait.
        origin: where the state is from.
        doubts: about version and configuration.
        others: other versions, asked about pods whose texts differ.
    """
    versions = OtherVersions(others)
    planner.cluster.work.share(_VERSIONS)
    known = [(pod, recorded(pod.pod)) for pod in pods]
    asked = [pod for pod, said in known if said.reason not in ("", "SchedulingGated")]
    audited = list(_audited_all(planner, asked, versions))
    if len(audited) < len(asked):
        doubts = (*doubts, not_tried_doubt(len(asked) - len(audited), len(audited), ask=FEWER_ASKED))
    audited.sort(key=lambda pod: (pod.equal, pod.pod))
    equal = sum(pod.equal for pod in audited)
    reasons = Counter(pod.because.code for pod in audited if pod.because is not None)
    return AuditReport(
        api_version=API_VERSION,
        verdict="NOTHING" if not audited else "EQUAL" if equal == len(audited) else "DIFFERS",
        sentence=sentence(equal, len(audited), len(known) - len(asked)),
        audited=len(audited),
        equal=equal,
        origin=origin,
        because=because(audited),
        doubts=doubts,
        unrecorded=len(known) - len(asked),
        reasons=dict(reasons.most_common()),
        pods=tuple(audited),
    )


def _audited_all(planner: Planner, pods: Sequence[PodInfo], versions: OtherVersions) -> Iterator[AuditedPod]:
    """Hold texts of pods against each other as long as there is work left, here or in another version."""
    for pod in pods:
        told = _audited(planner, pod, versions)
        if planner.cluster.work.left or versions.left:
            return
        yield told


def _audited(planner: Planner, pod: PodInfo, versions: OtherVersions) -> AuditedPod:
    said, cluster = recorded(pod.pod), planner.cluster
    texts = planner.explain(pod).event_texts or ("",)
    text = said.message if said.message in texts else texts[0]
    audited_pod = AuditedPod(
        pod=pod.key,
        owner=owner_text(pod, cluster),
        equal=text == said.message,
        recorded=said.message,
        recorded_at=said.since,
        text=text,
    )
    if audited_pod.equal:
        return audited_pod
    pipeline = planner.pipelines[pod.scheduler_name]
    differing = difference(said.message, text, said.since, pod, cluster, pipeline, versions.saying)
    return AuditedPod(
        pod=audited_pod.pod,
        owner=audited_pod.owner,
        equal=False,
        recorded=audited_pod.recorded,
        recorded_at=audited_pod.recorded_at,
        text=text,
        because=why(differing),
        differences=tuple(why_lines(differing)),
    )
