"""Why the loss of nodes is not borne, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kplan.cluster.owners import controller, fails_its_index, owner_without_control
from kplan.course.losses.loss import FailRun, LostPod
from kplan.course.trial.attempts import TriedPod
from kplan.course.trial.kubelet import NO_NODE, NotAdmitted
from kplan.course.volumes.held import Held
from kplan.course.volumes.ties import Tie
from kplan.result.document_base import Cause
from kplan.wording.attempts import down_text
from kplan.wording.careful import refuses
from kplan.wording.failing import Failure
from kplan.wording.preempting import breaking_budgets
from kplan.wording.revised import of_another_template
from kplan.wording.rollouts import do_not_start
from kplan.words import count, every, listed


def landing_cause(landing: TriedPod[Failure]) -> Cause | None:
    """Why a pod that was tried has no node; None if it has one, or if that is not known."""
    if landing.again:
        return Cause(code="evicted-again", text="others evict it again and again")
    if landing.not_admitted is not None:
        return Cause(code="not-admitted", text=made_for(landing.not_admitted))
    return landing.why.because if landing.why is not None else None


def made_for(why: NotAdmitted) -> str:
    """Say that what a controller makes again is for a node that its template names, and does not run there."""
    if why.reason == NO_NODE:
        return f"its template names {why.node} (spec.nodeName): what is made again is for it, too, and nothing runs it"
    return f"its template names {why.node} (spec.nodeName), whose kubelet {refuses(why)}"


def lost_cause(pod: LostPod[Failure]) -> Cause | None:
    """Why a pod of a lost node finds no other."""
    if pod.again:
        return Cause(code="evicted-again", text="others evict it again and again")
    if pod.ties:
        return tie_cause(pod.ties[0])
    if pod.below is not None:
        return Cause(
            code="pod-not-ready",
            text=f"{pod.below.name} is not ready: it goes on only once that pod is ready (OrderedReady)",
        )
    return landing_cause(pod.landing) if pod.landing is not None else None


def tie_cause(tie: Tie) -> Cause:
    """Why the pod of a volume can be on no node that is left: ``its volume v (claim c) is on node-a alone, ...``."""
    claim, where = f"its volume {tie.volume} (claim {tie.claim})", listed(list(tie.where))
    if tie.local:
        return Cause(code="volume-on-lost-node", text=f"{claim} is on {where} alone, which is lost")
    return Cause(code="volume-in-lost-zone", text=f"{claim} is in {where}, where no node is left")


def loss_cause(run: FailRun[Failure], *, named: bool = False) -> Cause | None:
    """Tell of the first thing that is not borne: a pod that finds no node before one that is gone.

    Args:
        run: the loss.
        named: begin with the pod also where it is the only one.
    """
    if run.pending:
        # of several, one that lacks room: another node may help it
        lost_pod = next((pod for pod in run.pending if not pod.ties), run.pending[0])
        cause = lost_cause(lost_pod)
        if cause is None or (len(run.pending) == 1 and not named):
            return cause
        return Cause(code=cause.code, text=f"{lost_pod.pod.key}: {cause.text}")
    if run.displaced:
        moved = run.displaced[0]
        why = landing_cause(moved) or Cause(code="unknown", text="no node")
        return Cause(code=why.code, text=f"{moved.instead_of}, evicted: {why.text}")
    owners = {pod.pod.key: owner_without_control(pod.pod) for pod in run.lost if not pod.last_try}
    spent = [pod for pod in run.lost if pod.last_try]
    if spent:
        jobs = listed(sorted({f"job/{pod.pod.namespace}/{controller(pod.pod)[1]}" for pod in spent}))
        index = all(fails_its_index(pod.pod, run.cluster) for pod in spent)
        text = "fails with its pod, as its backoffLimit is used up: none is made again"
        if index:
            text = "loses an index with its pod, as backoffLimitPerIndex is used up: none is made again"
        return Cause(code="job-fails", text=f"{jobs} {text}")
    bare = [*(key for key, owner in owners.items() if not owner), *run.gone]
    if bare:
        them = "it" if len(bare) == 1 else "them"
        return Cause(code="nothing-owns", text=f"nothing owns {listed(bare)}: no controller recreates {them}")
    if owners:
        key, owner = next(iter(owners.items()))
        who = f"{key} (owner {owner})" + (f" and {len(owners) - 1:,} more" if len(owners) > 1 else "")
        they = "it" if len(owners) == 1 else "they"
        return Cause(code="nothing-owns", text=f"no controller owns {who}: {they} may be GONE")
    return None


def loss_sentence(run: FailRun[Failure], what: str = "") -> str:
    """Write the sentence after the verdict.

    Args:
        run: the loss.
        what: what the nodes are, where they are more than some nodes: ``zone-a``.
    """
    names = listed(list(run.nodes))
    who = f"{what} ({names})" if what else names
    lost = f"{who} {'is' if len(run.nodes) == 1 or what else 'are'} lost"
    back = [pod for pod in run.back if not pod.elsewhere]
    if not back and not run.lost:
        return f"{lost}: nothing on {'it' if len(run.nodes) == 1 else 'them'} has to be replaced"
    placed = sum(pod.placed for pod in back)
    parts = []
    if back:
        whole = "its pod is" if len(back) == 1 else f"{every(len(back), 'pod')} are"
        some = f"{placed:,} of {count(len(back), 'pod')}"
        parts.append(f"{whole if placed == len(back) else some} placed again")
    if run.pending:
        parts.append(_some([pod.pod.key for pod in run.pending], "Pending"))
    if run.displaced:
        parts.append(_some([pod.instead_of for pod in run.displaced], "evicted and Pending"))
    gone = [*(pod.pod.key for pod in run.lost), *run.gone]
    if gone:
        parts.append(_some(gone, "GONE"))
    return f"{lost}: {', '.join(parts)}{breaking_budgets([*(pod.landing for pod in run.pods), *run.cascade])}"


def _some(names: Sequence[str], what: str) -> str:
    """``shop/db-0 Pending``, ``3 Pending (shop/db-0, +2)``."""
    return f"{names[0]} {what}" if len(names) == 1 else f"{len(names):,} {what} ({listed(names, most=1)})"


def loss_notes(run: FailRun[Failure]) -> Iterator[str]:
    """Note what is assumed, and what is not told."""
    assumed = sum(pod.stay.assumed and pod.fate in ("returns", "gone") for pod in run.pods)
    if assumed:
        yield f"{count(assumed, 'pod')} without a toleration of unreachable:NoExecute: the default, 300 s, is assumed"
    yield from of_another_template((pod.pod for pod in run.pods if pod.fate == "returns"), run.cluster)
    elsewhere = [pod.pod.key for pod in run.pods if pod.elsewhere]
    if elsewhere:
        yield f"another scheduler places {listed(elsewhere)}: not shown here"
    if run.unserved:
        yield down_text(unserved=run.unserved)


def order_decides(run: FailRun[Failure], other: FailRun[Failure]) -> str:
    """Say that only the order is in the way: pods that come early take room that later ones need.

    Args:
        run: the loss.
        other: the same with all pods coming back together.
    """
    first = min(pod.stay.seconds for pod in run.back if pod.stay.seconds is not None and not pod.stay.waits)
    back = sum(pod.placed for pod in other.back)
    deleted = f"{listed(list(run.nodes))} {'is' if len(run.nodes) == 1 else 'are'} deleted"
    return (
        f"the order decides: if {deleted} within {first} s of the taint, all come back together, and in order of their "
        f"names {back:,} of {len(other.back):,} are placed"
    )


def volume_of(held: tuple[str, str, str]) -> str:
    """Name a volume that one node alone may attach: ``volume pv-1 (claim data, ReadWriteOnce)``."""
    claim, volume, mode = held
    name = claim.partition("/")[2]
    return f"volume {volume} (claim {name}, {mode})" if volume else f"the volume of claim {name} ({mode})"


def pending_until_gone(run: FailRun[Failure], pods: Sequence[LostPod[Failure]]) -> str:
    """Say that pods stay Pending as long as the nodes that were lost are there, and why that is.

    Args:
        run: the loss.
        pods: those pods, at least one.
    """
    return until_gone(run.nodes, {pod.pod.key: pod.until_gone for pod in pods})


def until_gone(nodes: Sequence[str], pods: Mapping[str, Failure | None]) -> str:
    """Say that pods stay Pending as long as lost nodes are there, and why that is.

    Args:
        nodes: the nodes.
        pods: why each pod finds no node, by its name, at least one.
    """
    names = listed(list(pods), most=2)
    verbs = ("stays", "is") if len(pods) == 1 else ("stay", "are")
    causes = list(dict.fromkeys(why.because.text for why in pods.values() if why is not None))
    why = f": {causes[0]}" if causes else ""
    more = f" (and {count(len(causes) - 1, 'other cause')})" if len(causes) > 1 else ""
    where = f"{listed(list(nodes))} {'is' if len(nodes) == 1 else 'are'}"
    spreads = any(why is None or "spread" in why.because.code for why in pods.values())
    gone = "deleted" if spreads else "deleted, or tainted out-of-service"
    return f"{names} {verbs[0]} Pending until {where} {gone}, and {verbs[1]} placed only then{why}{more}"


def attached_until(pods: Sequence[str], held: tuple[str, str, str]) -> str:
    """Say that pods are placed and do not start before their volumes are detached."""
    start = "starts" if len(pods) == 1 else "start"
    return (
        f"{listed(list(pods), most=2)} {start} only once the lost node is deleted or tainted out-of-service: "
        f"{volume_of(held)} stays attached there until then"
    )


def made_but_not_started(pods: Sequence[str], held: Held) -> str:
    """Say that what is made for pods does not start, as another node holds a volume that they share."""
    return do_not_start([f"what is made for {listed(list(pods), most=2)}"], held)


def survives(borne: int, total: int, kind: str) -> str:
    """Say how many of all single failures of a kind are survived."""
    return f"survives {borne:,} of {count(total, f'single {kind} failure')}"


def cut_short(done: int, total: int, kind: str) -> str:
    """Note that a question about each was interrupted."""
    return (
        f"cut short: {done:,} of {count(total, kind)} {'was' if done == 1 else 'were'} lost, the others were not tried"
    )


def without_zone(nodes: int) -> str:
    """Note that some nodes have no zone."""
    return f"{count(nodes, 'node')} without a zone label: no loss of a zone takes {'it' if nodes == 1 else 'them'}"
