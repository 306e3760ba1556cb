"""Rehearsal: every write that can be tried is sent as a dry run before the first one is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from kplan.bind.flags import Flags
from kplan.bind.plan.rights import nominates
from kplan.bind.run import device_claims, prebind
from kplan.bind.run.evict import check_budgets, refused, remaining
from kplan.bind.run.perform import BudgetRefuses, HeldBack, Performer, is_done, reread_on_conflict
from kplan.bind.run.reread import read_node, read_pod
from kplan.bind.wire.writes import Request, bind, create, evict, nominate, pod_path
from kplan.framework.features import Features
from kplan.objects.kind_words import kind_word
from kplan.objects.requests import RequestRules
from kplan.result.document_bind import BindObject, BindPod

Raw = dict[str, Any]

_AGAIN = 5


class Rehearsal(Struct, frozen=True):
    """Sends the writes of a plan with ``dryRun=All``.

    Attributes:
        performer: sends them, and remembers what was accepted.
        rules: how requests are counted.
        features: version and gates of the scheduler.
        flags: what the run may do.
        run: name of the run.
    """

    performer: Performer
    rules: RequestRules
    features: Features
    flags: Flags
    run: str = "rehearsal"

    def of(self, objects: Sequence[BindObject], pods: Sequence[BindPod]) -> Iterator[tuple[str, HeldBack]]:
        """Try objects, then pods; yields those of which a write is refused: ``deploy/shop/web`` or ``namespace/name``.

        Raises:
            LiveError: the server does not answer.
            Stopped: it was asked to stop.
        """
        missing: set[str] = set()
        for item in objects:
            if item.manifest is not None:
                try:
                    if self._object(item.manifest, missing):
                        missing.add(item.object)
                except HeldBack as problem:
                    yield item.object, problem
        for shown in pods:
            try:
                self._pod(shown, missing)
            except HeldBack as problem:
                yield shown.pod, problem

    def _pod(self, shown: BindPod, missing: set[str]) -> None:
        """Try the writes of a pod; what changed just now is read again, as when it is written."""

        def once() -> None:
            for write in self._writes(shown, missing):
                self._try(write)

        reread_on_conflict(once, _AGAIN)

    def _object(self, manifest: Raw, missing: set[str]) -> bool:
        """Try to create an object; whether it is not there yet."""
        write = create(manifest, self.run)
        if is_done(write.ask(self.performer.client)):
            return False
        if missing.isdisjoint(needed(manifest)):
            self.performer.rehearse(write)
        return True

    def _try(self, write: Request) -> None:
        if (write.kind, write.about) in self.performer.rehearsed:
            return
        try:
            self.performer.rehearse(write)
        except BudgetRefuses as refusal:
            if self.flags.pdb != "wait":
                raise refused(write.about, refusal) from None

    def _writes(self, shown: BindPod, missing: set[str]) -> Iterator[Request]:
        """Yield the writes of a pod that can be tried before it is its turn."""
        client = self.performer.client
        if shown.made:
            if shown.create is not None and missing.isdisjoint(needed(shown.create)):
                write = create(shown.create, self.run)
                if client.found(pod_path(shown.pod), what=f"asking for pod {shown.pod}") is None:
                    yield write
            return
        pod = read_pod(client, shown, self.rules)
        read_node(client, shown)
        yield from prebind.requests(client, shown.claims, shown.node)
        yield from device_claims.rehearsed(client, shown)
        if shown.evicts or ((shown.claims or shown.devices) and nominates(self.features)):
            yield nominate(shown.pod, shown.uid, shown.node)
        left = remaining(client, shown)
        if self.flags.pdb != "wait":
            check_budgets(client, left)
        for victim in left:
            if not victim.leaving:
                yield evict(victim.victim.pod, victim.victim.uid, shown.pod)
        yield bind(shown.pod, shown.uid, shown.node, pod.metadata.resource_version or "")


def needed(manifest: Raw) -> Iterator[str]:
    """Yield the objects without which the server refuses one: it can be tried only once they are there."""
    space = manifest["metadata"].get("namespace")
    if space:
        yield f"namespace/{space}"
    role = manifest.get("roleRef") or {}
    if role:
        yield "/".join((kind_word(role["kind"]), *([space] if role["kind"] == "Role" else []), role["name"]))
    if manifest["kind"] == "Pod":
        spec = manifest.get("spec") or {}
        yield f"serviceaccount/{space}/{spec.get('serviceAccountName') or 'default'}"
        yield f"priorityclass/{spec.get('priorityClassName')}"
        yield f"runtimeclass/{spec.get('runtimeClassName')}"
