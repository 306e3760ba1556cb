"""The binding cycle of one pod, in the scheduler's order; whatever fails takes back what went before, the last first.

Guards, preemption, assume, reserve, permit (of groups), nomination, pre-bind (volumes), bind, post-bind. Pods that
another Permit plugin would hold are refused when they are shown. The cycle is a generator: where it has to wait it
yields, and other pods go on meanwhile.
Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go assumeAndReserve, bindingCycle, unreserveAndForget,
handleBindingCycleError.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from msgspec import Struct

from kplan.admission.raw import dig_text
from kplan.bind.flags import Flags
from kplan.bind.plan.rights import nominates
from kplan.bind.run import device_claims, evict, prebind, reread
from kplan.bind.run.extending import by_extender
from kplan.bind.run.groups import Mates
from kplan.bind.run.journal import JournalError
from kplan.bind.run.live import LiveCluster, NoFit
from kplan.bind.run.perform import HeldBack, Performer, is_done, reread_on_conflict
from kplan.bind.run.watch import Seen
from kplan.bind.wire.devices import COUNT, UNCOUNT, device_claim_path
from kplan.bind.wire.events import scheduled
from kplan.bind.wire.writes import (
    BIND,
    CLEAR_NOMINATION,
    EVENT,
    NOMINATE,
    bind,
    claim_path,
    create,
    nominate,
    pod_path,
    volume_path,
)
from kplan.cluster import PodInfo
from kplan.errors import LiveError
from kplan.framework.args import DynamicResourcesArgs, VolumeBindingArgs
from kplan.framework.writes import AnyWrite, DeviceWrite, NodeAmountsWrite, Write
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim, Pod, ResourceClaim
from kplan.pipeline import Pipeline
from kplan.plugins.dynamic_resources.claims import BINDING_TIMEOUT
from kplan.plugins.shared.claims import claim_uses
from kplan.result.document_bind import BindPod

_AGAIN = 5
_LOOK_EVERY = 0.5
_ACCOUNT_WITHIN = 30.0
"""How long the default service account of a namespace that was just created is waited for [seconds]."""
_OF_OTHERS = frozenset({"no-fit", "devices-changed", "volume-changed"})
"""What may be otherwise once the pods before this one are assumed."""
_NO_ARGS = VolumeBindingArgs()


class BindingCycle(Struct):
    """One pod on its way to its node.

    Attributes:
        shown: the pod as it was shown; one that a controller made, under its real name and uid.
        live: the cluster as it is.
        performer: carries its writes out.
        flags: what the run may do.
        run: name of the run.
        others: whether pods that were planned before this one are still on their way: it may need them to be there.
        mates: pods of its group; None of one that is in none.
        planned: name of the pod as it was planned.
        uid: of the pod; of one that is created, once it is there.
        nominated: whether its nomination was written.
        bound: whether its binding was written.
    """

    shown: BindPod
    live: LiveCluster
    performer: Performer
    flags: Flags
    run: str
    others: Callable[[], bool] = lambda: False
    mates: Mates | None = None
    planned: str = ""
    uid: str = ""
    nominated: bool = False
    bound: bool = False

    def __post_init__(self) -> None:
        self.uid = self.shown.uid

    def steps(self) -> Generator[float, None, None]:
        """Bind the pod; yields how long to let others go on [seconds].

        Raises:
            HeldBack: something has changed, or the server refuses.
            LiveError: the server does not answer any more.
            Stopped: it was asked to stop.
        """
        shown = self.shown
        try:
            self.live.follow()
            if shown.create is not None:
                yield from self._create(shown.create)
            pod = self._look()
            if shown.made:
                yield from self._read_claims(pod)
                pod = yield from self._read_device_claims(pod)
            if shown.evicts:
                yield from self._preempt(pod)
                pod = self._look()
            pod, writes = yield from self._assume(pod)
            if self.mates is not None:
                pod = yield from self._permit(self.mates, pod)
            if writes:
                self._announce(pod)
                yield from self._pre_bind(writes)
            self._bind(self._look() if writes or shown.evicts else pod)
            self.live.written(shown.pod)
            self.bound = True
        except BaseException:
            self._take_back()
            raise
        if self.flags.events:
            self._report()

    def _look(self) -> Pod:
        """Read pod and node again and hold them against what was shown."""
        self.live.follow()
        pod = reread.read_pod(self.performer.client, self.shown, self.live.cluster.rules)
        if self.uid and pod.metadata.uid != self.uid:
            raise HeldBack("the pod was deleted and made again under the same name", code="recreated")
        reread.read_node(self.performer.client, self.shown)
        self.live.seen(Seen(pod))
        return pod

    def _create(self, manifest: dict[str, object]) -> Iterator[float]:
        """Create the pod unless this run has done so before."""
        write = create(manifest, self.run)
        done = is_done(write.ask(self.performer.client))
        end = time.monotonic() + _ACCOUNT_WITHIN
        while not done:
            try:
                self.performer.carry_out(write)
                break
            except HeldBack as problem:
                if problem.code != "forbidden" or time.monotonic() >= end or not self._awaits_account(manifest):
                    raise
            yield _LOOK_EVERY  # a namespace that was just created gets its service account in a moment
        raw = self.performer.client.found(pod_path(self.shown.pod), what=f"reading {self.shown.pod}")
        if raw is None:
            raise HeldBack("the pod was deleted as soon as it was created", code="deleted")
        self.uid = raw["metadata"]["uid"]

    def _awaits_account(self, manifest: dict[str, object]) -> bool:
        """Tell whether the pod's service account is not there yet; whoever may not see it waits for it, too."""
        space, name = self.shown.pod.partition("/")[0], dig_text(manifest, "spec.serviceAccountName", "default")
        path = f"/api/v1/namespaces/{space}/serviceaccounts/{name}"
        reply = self.performer.client.read(path, what=f"looking for service account {space}/{name}")
        return reply.status in (403, 404)

    def _read_claims(self, pod: Pod) -> Iterator[float]:
        """Take in the claims of a pod that was not there when the state was read; its own are made after it."""
        client = self.performer.client
        end = time.monotonic() + self.flags.create_timeout
        for key in dict.fromkeys(use.key for use in claim_uses(pod)):
            while (raw := client.found(claim_path(key), what=f"reading claim {key}")) is None:
                if time.monotonic() >= end:
                    raise HeldBack(f"claim {key} was not made within {self.flags.create_timeout:g} s", code="no-claim")
                yield _LOOK_EVERY
            self.live.put("persistent_volume_claims", reread.model_of(raw, PersistentVolumeClaim))

    def _read_device_claims(self, pod: Pod) -> Generator[float, None, Pod]:
        """Take in the claims that are made of templates once the pod is there; returns the pod that names them."""
        end = time.monotonic() + self.flags.create_timeout
        while any(device.entry for device in self.shown.devices):
            named = device_claims.of_entries(self.performer.client, self.shown, pod)
            if named is not None:
                self.shown, made = named
                for claim in made:
                    self.live.put("resource_claims", claim)
                break
            if time.monotonic() >= end:
                text = f"its claims were not made of their templates within {self.flags.create_timeout:g} s"
                raise HeldBack(text, code="no-claim")
            yield _LOOK_EVERY
            pod = self._look()
        return pod

    def _preempt(self, pod: Pod) -> Iterator[float]:
        """Nominate the pod, evict its victims, and wait until they are gone."""
        client, shown = self.performer.client, self.shown
        left = evict.remaining(client, shown)
        staying = [victim.victim for victim in left if not victim.leaving]
        info = self._info()
        victims = [info for info in (self.live.pod(victim.victim.pod) for victim in left) if info is not None]
        problem = self.live.feasible(info, shown.node, victims)
        if problem:
            raise HeldBack(problem, code="no-fit")
        if len(staying) == len(shown.evicts):
            elsewhere = self.live.fits_somewhere(info)
            if elsewhere:
                text = f"it fits {elsewhere} without evictions now"
                raise HeldBack(text, code="needless-eviction", hint="plan it again")
        if self.flags.pdb != "wait":
            evict.check_budgets(client, left)
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

    def _assume(self, pod: Pod) -> Generator[float, None, tuple[Pod, tuple[AnyWrite, ...]]]:
        """Assume and reserve as soon as it fits and gets what was shown.

        Pods that were planned before it may still wait for their claims, or for victims: what was shown for this one
        counts on them.

        Returns:
            the pod as it was read last, and what its plugins write.
        """
        while True:
            try:
                return pod, self._reserve()
            except HeldBack as problem:
                if problem.code not in _OF_OTHERS or not self.others():
                    raise
            self.live.revert(self.shown.pod)
            yield _LOOK_EVERY
            pod = self._look()

    def _reserve(self) -> tuple[AnyWrite, ...]:
        """Assume and reserve; what is written then must be what was shown."""
        try:
            writes = self.live.assume(self._info(), self.shown.node)
        except NoFit as error:
            raise HeldBack(str(error), code="no-fit") from None
        told = {claim.claim: claim.volume for claim in self.shown.claims}
        device_claims.as_shown([write for write in writes if isinstance(write, DeviceWrite)], self.shown.devices)
        device_claims.amounts_as_shown([write for write in writes if isinstance(write, NodeAmountsWrite)], self.shown)
        volumes = [write.until for write in writes if isinstance(write, Write)]
        for claim, volume in ((until.claim, until.volume) for until in volumes):
            if claim not in told or told[claim] != volume:
                was = told.get(claim) or "none that was shown"
                now = volume or "a new one"
                raise HeldBack(f"claim {claim} would get {now} now, not {was}", code="volume-changed")
        return writes

    def _permit(self, group: Mates, pod: Pod) -> Generator[float, None, Pod]:
        """Wait until as many of its group are placed as it needs, and note it; returns the pod as it was read last."""
        for wait in group.wait(self.planned or self.shown.pod, self.shown.pod, self.live):
            yield wait
            pod = self._look()
        group.tell(pod, self.performer)
        return pod

    def _pre_bind(self, writes: Sequence[AnyWrite]) -> Iterator[float]:
        """Write volumes and wait for them, then devices: the order of the plugins."""
        shown, volumes = self.shown, [write for write in writes if isinstance(write, Write)]
        if volumes:
            prebind.carry_out(self.performer, volumes, shown.claims)
            reaches, timeout = self.live.reaches, self._volume_timeout()
            yield from prebind.wait(self.performer.client, shown.claims, shown.node, timeout, reaches)
        devices = [write for write in writes if isinstance(write, DeviceWrite)]
        amounts = [write for write in writes if isinstance(write, NodeAmountsWrite)]
        device_claims.carry_out(self.performer, devices, shown, self.uid, amounts)
        if any(write.waits for write in devices):
            yield from device_claims.wait(self.performer.client, shown, self._device_timeout())

    def _announce(self, pod: Pod) -> None:
        """Nominate the pod to its node while its volumes are bound, so that others count on it.

        The scheduler goes on where that fails, and so does this.
        Source: bindingCycle: only where a PreBind plugin (or a Permit plugin that waits) has something to do.
        """
        shown = self.shown
        if not nominates(self._pipeline().features) or pod.status.nominated_node_name == shown.node:
            return
        self.nominated = True
        with suppress(HeldBack):
            self.performer.carry_out(nominate(shown.pod, self.uid, shown.node))

    def _bind(self, pod: Pod) -> None:
        """Bind the pod as it was read; where it has changed meanwhile, look again."""
        read = chain([pod], iter(self._look, None))

        def once() -> None:
            current = next(read)
            via = by_extender(self._pipeline().callers, current, self.uid, self.shown.node)
            version = current.metadata.resource_version or ""
            self.performer.carry_out(bind(self.shown.pod, self.uid, self.shown.node, version, via))

        reread_on_conflict(once, _AGAIN)

    def _report(self) -> None:
        """Report the event; a refusal is no reason to take the binding back."""
        with suppress(HeldBack):
            self.performer.carry_out(scheduled(self.shown.pod, self.uid, self.shown.node, self.run))

    @property
    def kept(self) -> tuple[str, ...]:
        """Writes that were made for the pod and stay, in words."""
        own = [request for request in self.performer.sent if request.about == self.shown.pod]
        cleared = any(request.kind == CLEAR_NOMINATION for request in own)
        gone = {EVENT, BIND, *((NOMINATE, CLEAR_NOMINATION) if cleared else ())}
        gone |= {COUNT, UNCOUNT} if any(request.kind == UNCOUNT for request in own) else set()
        return tuple(request.text for request in self.performer.sent if request not in own or request.kind not in gone)

    def _take_back(self) -> None:
        """Unreserve and forget, then clear the nomination; the state is that of the server again."""
        client = self.performer.client
        self.live.revert(self.shown.pod)
        if client.stop.at_once:
            return
        patience, client.patience = client.patience, 0.0
        try:
            with client.stop.finishing():
                if (self.shown.devices or self.shown.node_amounts) and not self.bound:
                    device_claims.take_back(self.performer, self.shown, self.uid)
                pod = self._read_back()
                if self.nominated and pod is not None and not pod.spec.node_name:
                    self.performer.carry_out(nominate(self.shown.pod, self.uid, ""))
        except (HeldBack, LiveError, JournalError):
            return  # the server, the pod or the disk's room is gone: the next reader sees how it is
        finally:
            client.patience = patience

    def _read_back(self) -> Pod | None:
        """Take in what the server has of the pod and its claims."""
        client, shown = self.performer.client, self.shown
        for claim in shown.claims:
            raw = client.found(claim_path(claim.claim), what=f"reading claim {claim.claim}")
            if raw is not None:
                self.live.put("persistent_volume_claims", reread.model_of(raw, PersistentVolumeClaim))
            raw = client.found(volume_path(claim.volume), what="reading its volume") if claim.volume else None
            if raw is not None:
                self.live.put("persistent_volumes", reread.model_of(raw, PersistentVolume))
        for device in shown.devices:
            raw = client.found(device_claim_path(device.claim), what=f"reading claim {device.claim}")
            if raw is not None:
                self.live.put("resource_claims", reread.model_of(raw, ResourceClaim))
        raw = client.found(pod_path(shown.pod), what=f"reading pod {shown.pod}")
        if raw is None:
            known = self.live.pod(shown.pod)
            if known is not None:
                self.live.seen(Seen(known.pod, gone=True))
            return None
        pod: Pod = reread.model_of(raw, Pod)
        self.live.seen(Seen(pod))
        return pod

    def _info(self) -> PodInfo:
        info = self.live.pod(self.shown.pod)
        if info is None:  # the watch has told so since it was read
            raise HeldBack("the pod was deleted", code="deleted")
        return info

    def _pipeline(self) -> Pipeline:
        return self.live.planner.pipelines[self._info().scheduler_name]

    def _volume_timeout(self) -> float:
        if self.flags.volume_timeout:
            return self.flags.volume_timeout
        args = self._pipeline().profile.args.get("VolumeBinding", _NO_ARGS)
        return float(args.bind_timeout_seconds) if isinstance(args, VolumeBindingArgs) else 600.0

    def _device_timeout(self) -> float:
        args = self._pipeline().profile.args.get("DynamicResources", _NO_ARGS)
        nanos = args.binding_timeout if isinstance(args, DynamicResourcesArgs) else None
        return nanos / 1e9 if nanos else BINDING_TIMEOUT.total_seconds()
