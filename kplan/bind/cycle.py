"""The binding cycle of one pod, in the scheduler's order; whatever fails takes back what went before, the last first.

Guards, preemption, assume, reserve, pre-bind (volumes), bind, post-bind. Permit comes before all: pods that a Permit
plugin would hold are refused when they are shown. The cycle is a generator: where it has to wait it yields, and other
pods go on meanwhile.
Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go assumeAndReserve, bindingCycle, unreserveAndForget.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from kplan.bind import evict, guards, volumes
from kplan.bind.events import scheduled
from kplan.bind.flags import Flags
from kplan.bind.live import LiveCluster, NoFit
from kplan.bind.perform import Conflict, HeldBack, Performer
from kplan.bind.watch import Seen
from kplan.bind.writes import Finding, bind, claim_path, create, nominate, pod_path, volume_path
from kplan.cluster import PodInfo
from kplan.errors import LiveError
from kplan.framework.args import VolumeBindingArgs
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, Pod
from kplan.result.document_bind import BindPod

_AGAIN = 5
_NO_ARGS = VolumeBindingArgs()


@dataclass
class Cycle:
    """One pod on its way to its node.

    Attributes:
        shown: the pod as it was shown.
        live: the cluster as it is.
        performer: carries its writes out.
        flags: what the run may do.
        run: name of the run.
        uid: of the pod; of one that is created, once it is there.
        nominated: whether its nomination was written.
    """

    shown: BindPod
    live: LiveCluster
    performer: Performer
    flags: Flags
    run: str
    uid: str = ""
    nominated: bool = False

    def __post_init__(self) -> None:
        self.uid = self.shown.uid

    def steps(self) -> Iterator[float]:
        """Bind the pod; yields how long to let others go on [seconds].

        Raises:
            HeldBack: something has changed, or the server refuses.
            LiveError: the server does not answer any more.
            Stopped: it was asked to stop.
        """
        try:
            pod = self._look()
            if self.shown.evicts:
                yield from self._preempt(pod)
                pod = self._look()
            self._assume(pod)
            waited = bool(self.shown.claims or self.shown.evicts)
            if self.shown.claims:
                volumes.carry_out(self.performer, self.shown.claims, self.shown.node)
                yield from volumes.wait(
                    self.performer.client, self.shown.claims, self.shown.node, self._volume_timeout()
                )
            self._bind(self._look() if waited else pod)
            self.live.written(self.shown.pod)
            if self.flags.events:
                self._report()
        except BaseException:
            self._take_back()
            raise

    def _look(self) -> Pod:
        """Read pod and node again and hold them against what was shown."""
        self.live.follow()
        if self.shown.create is not None and not self.uid:
            self._create()
        pod = guards.read_pod(self.performer.client, self.shown, self.live.cluster.rules)
        if self.uid and pod.metadata.uid != self.uid:
            raise HeldBack("the pod was deleted and made again under the same name", code="recreated")
        guards.read_node(self.performer.client, self.shown)
        self.live.seen(Seen(pod))
        return pod

    def _create(self) -> None:
        assert self.shown.create is not None
        write = create(self.shown.create, self.shown.pod, self.run)
        found = write.ask(self.performer.client)
        if found.finding is Finding.CHANGED:
            raise HeldBack(found.text, code=found.code)
        if found.finding is Finding.OPEN:
            self.performer.carry_out(write)
        raw = self.performer.client.found(pod_path(self.shown.pod), what=f"reading {self.shown.pod}")
        if raw is None:
            raise HeldBack("the pod was deleted as soon as it was created", code="deleted")
        self.uid = raw["metadata"]["uid"]

    def _preempt(self, pod: Pod) -> Iterator[float]:
        """Nominate the pod, evict its victims, and wait until they are gone."""
        client, shown = self.performer.client, self.shown
        left = evict.remaining(client, shown)
        staying = [victim for victim, leaving in left if not leaving]
        info = self._info()
        victims = [info for info in (self.live.pod(victim.pod) for victim, _ in left) if info is not None]
        problem = self.live.feasible(info, shown.node, victims)
        if problem:
            raise HeldBack(problem, code="no-fit")
        if len(staying) == len(shown.evicts):
            elsewhere = self.live.fits_somewhere(info)
            if elsewhere:
                text = f"it fits {elsewhere} without evictions by now"
                raise HeldBack(text, code="needless-eviction", hint="plan it again")
        for key in shown.clears:
            raw = client.found(pod_path(key), what=f"looking at {key}")
            if raw is not None and raw.get("status", {}).get("nominatedNodeName") == shown.node:
                self.performer.carry_out(nominate(key, raw["metadata"]["uid"], ""))
        self.nominated = True
        if pod.status.nominated_node_name != shown.node:
            self.performer.carry_out(nominate(shown.pod, self.uid, shown.node))
        yield from evict.evict_all(self.performer, shown, staying, self.flags)
        yield from evict.wait_gone(client, shown, self.flags.evict_timeout)
        for victim in victims:
            self.live.seen(Seen(victim.pod, gone=True))

    def _assume(self, pod: Pod) -> None:
        """Assume and reserve; what is reserved must be what was shown."""
        try:
            _, chosen = self.live.assume(self._info(), self.shown.node)
        except NoFit as error:
            raise HeldBack(str(error), code="no-fit") from None
        namespace = pod.namespace
        told = {claim.claim: claim.volume for claim in self.shown.claims}
        for name, volume in chosen.items():
            key = f"{namespace}/{name}"
            if key not in told or told[key] != volume:
                was = told.get(key) or "none that was shown"
                now = volume or "a new one"
                raise HeldBack(f"claim {key} would get {now} by now, not {was}", code="volume-changed")

    def _bind(self, pod: Pod) -> None:
        """Bind the pod as it was read; where it has changed meanwhile, look again."""
        for attempt in range(_AGAIN):
            try:
                version = pod.metadata.resource_version or ""
                self.performer.carry_out(bind(self.shown.pod, self.uid, self.shown.node, version))
                return
            except Conflict:
                if attempt + 1 == _AGAIN:
                    raise
                pod = self._look()

    def _report(self) -> None:
        """Report the event; a refusal is no reason to take the binding back."""
        with suppress(HeldBack):
            self.performer.carry_out(scheduled(self.shown.pod, self.uid, self.shown.node, self.run))

    @property
    def kept(self) -> tuple[str, ...]:
        """Writes that were made for the pod and stay, in words."""
        sent = [text for text in self.performer.sent if not text.startswith(("report ", "bind "))]
        if f"clear the nomination of {self.shown.pod}" in sent:
            sent = [
                text
                for text in sent
                if not text.endswith(
                    (f"nominate {self.shown.pod} to {self.shown.node}", f"nomination of {self.shown.pod}")
                )
            ]
        return tuple(sent)

    def _take_back(self) -> None:
        """Unreserve and forget, then clear the nomination; the state is that of the server again."""
        client = self.performer.client
        self.live.revert(self.shown.pod)
        patience, client.patience = client.patience, 0.0
        try:
            with client.stop.finishing():
                pod = self._read_back()
                if self.nominated and pod is not None and not pod.spec.node_name:
                    self.performer.carry_out(nominate(self.shown.pod, self.uid, ""))
        except (HeldBack, LiveError):
            return  # the server is gone, or the pod is: its next reader sees how it is
        finally:
            client.patience = patience

    def _read_back(self) -> Pod | None:
        """Take in what the server has of the pod and its claims."""
        client, shown = self.performer.client, self.shown
        for claim in shown.claims:
            raw = client.found(claim_path(claim.claim), what=f"reading claim {claim.claim}")
            if raw is not None:
                self.live.put("persistent_volume_claims", guards.model_of(raw, PersistentVolumeClaim))
            raw = client.found(volume_path(claim.volume), what="reading its volume") if claim.volume else None
            if raw is not None:
                self.live.put("persistent_volumes", guards.model_of(raw, PersistentVolume))
        raw = client.found(pod_path(shown.pod), what=f"reading pod {shown.pod}")
        if raw is None:
            known = self.live.pod(shown.pod)
            if known is not None:
                self.live.seen(Seen(known.pod, gone=True))
            return None
        pod: Pod = guards.model_of(raw, Pod)
        self.live.seen(Seen(pod))
        return pod

    def _info(self) -> PodInfo:
        info = self.live.pod(self.shown.pod)
        assert info is not None, self.shown.pod
        return info

    def _volume_timeout(self) -> float:
        if self.flags.volume_timeout:
            return self.flags.volume_timeout
        pipeline = self.live.planner.pipelines[self._info().scheduler_name]
        args = pipeline.profile.args.get("VolumeBinding", _NO_ARGS)
        return float(args.bind_timeout_seconds) if isinstance(args, VolumeBindingArgs) else 600.0
