"""What is shown of bindings, before and after they are written; ``--save-plan`` keeps the first of these documents."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import Cause, Origin, Part, VerdictDocument


class BindTarget(Part, frozen=True, kw_only=True):
    """The cluster a plan is for.

    Attributes:
        context: of the kubeconfig, or the name of the snapshot.
        uid: uid of its namespace ``kube-system``: no two clusters share it. Empty if it could not be read.
        server: URL; empty for a snapshot.
        server_time: its own clock when the state was read [seconds since 1970], so that no other clock is needed to
            tell how old the plan is; of a snapshot, when it was taken. 0 if unknown.
        resource_version: of the list of pods.
    """

    context: str
    uid: str = ""
    server: str = ""
    server_time: float = 0.0
    resource_version: str = ""


class BindClaim(Part, frozen=True, kw_only=True):
    """A claim that is written to before the pod is bound.

    Attributes:
        claim: ``namespace/name``.
        uid: of the claim.
        resource_version: of the claim.
        volume: the volume it gets; empty where one is made on the node.
        volume_uid: of that volume.
    """

    claim: str
    uid: str = ""
    resource_version: str = ""
    volume: str = ""
    volume_uid: str = ""


class BindDeviceClaim(Part, frozen=True, kw_only=True):
    """A device claim that is written to before the pod is bound.

    Attributes:
        claim: ``namespace/name``.
        entry: of the pod's ``spec.resourceClaims``, of a claim that is made of a template once the pod is there; its
            name is made up until then.
        uid: of the claim; empty for one that is made first.
        devices: that it gets, ``driver/pool/device``; empty where it has its devices and is only reserved for the pod.
        allocation: as it is written; empty where it has its devices.
        create: the claim as it is made first, for extended resources that devices serve; None for one that is there.
    """

    claim: str
    entry: str = ""
    uid: str = ""
    devices: tuple[str, ...] = ()
    allocation: dict[str, Any] = msgspec.field(default_factory=dict)
    create: dict[str, Any] | None = None


class BindVictim(Part, frozen=True, kw_only=True):
    """A pod that is evicted first.

    Attributes:
        pod: ``namespace/name``.
        uid: its uid.
        priority: its priority.
        budget: the PodDisruptionBudget that its eviction breaks.
        unserved: ``deploy/shop/web``, which has no ready pod once it is gone; empty for none.
    """

    pod: str
    uid: str
    priority: int = 0
    budget: str = ""
    unserved: str = ""


class BindObject(Part, frozen=True, kw_only=True):
    """An object of a manifest, but for bare pods, which are among the pods of the plan.

    Attributes:
        object: ``deploy/shop/web``, ``priorityclass/high``.
        result: ``create``, ``there`` (as the manifest says, and left alone) or ``refused`` (it differs, or
            the API server would refuse it).
        api_version: as written.
        kind: as written.
        place: ``file:line`` of the manifest.
        text: why it is refused, or what else to say.
        manifest: the object as it is created, of a document that is written its names alone; None where it is not.
        digest: of the whole manifest, in a plan that is kept.
        refused_pods: how many of its pods would be refused where the server takes the object itself; else 0.
    """

    object: str
    result: str
    api_version: str = ""
    kind: str = ""
    place: str = ""
    text: str = ""
    manifest: dict[str, Any] | None = None
    digest: str = ""
    refused_pods: int = 0


class BindPod(Part, frozen=True, kw_only=True):
    """One pod of a plan.

    Attributes:
        pod: ``namespace/name``; of one whose controller is yet to name it, a name that it might have.
        result: ``bind``, ``pending``, ``gated``, ``failed`` or ``refused`` (kplan does not bind pods of its kind).
        node: where it would be bound; empty if nowhere.
        uid: of the pod; empty for one that is not there yet.
        resource_version: of the pod.
        scheduler: its schedulerName.
        node_uid: of the node.
        fields: digest of each field of the pod that scheduling reads.
        node_fields: digest of each field of the node that scheduling reads.
        claims: what is written to claims and volumes before.
        devices: what is written to device claims before.
        node_amounts: what its devices take of the node's own resources, which is written to its status before.
        evicts: who leaves for it.
        clears: waiting pods of lower priority whose nomination to the node is cleared.
        tie: number of nodes that tied; the first by name was taken.
        because: why it is not bound.
        message: the scheduler's exact text, where it is not bound.
        doubts: about this pod.
        create: the pod as it is created first, of a document that is written its names alone; None for one that is
            there, or that a controller makes.
        digest: of the whole manifest that it is created of, in a plan that is kept.
        owner: the object of the manifest whose controller makes it, as ``deploy/shop/web``; empty for any other.
        slot: which of its owner's pods it is: name, completion index or node; empty where all are equal.
        after: pod that must be ready before its controller makes this one.
        group: key of the group that it is bound with: all it needs are, or none is; empty for none.
    """

    pod: str
    result: str
    node: str = ""
    uid: str = ""
    resource_version: str = ""
    scheduler: str = ""
    node_uid: str = ""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    node_fields: dict[str, str] = msgspec.field(default_factory=dict)
    claims: tuple[BindClaim, ...] = ()
    devices: tuple[BindDeviceClaim, ...] = ()
    node_amounts: tuple[dict[str, Any], ...] = ()
    evicts: tuple[BindVictim, ...] = ()
    clears: tuple[str, ...] = ()
    tie: int = 0
    because: Cause | None = None
    message: str = ""
    doubts: tuple[Doubt, ...] = ()
    create: dict[str, Any] | None = None
    digest: str = ""
    owner: str = ""
    slot: str = ""
    after: str = ""
    group: str = ""

    @property
    def made(self) -> bool:
        """Whether it is not there yet, but made in the run: by it, or by the controller of what it creates."""
        return self.create is not None or bool(self.owner)


class BindGuard(Part, frozen=True, kw_only=True):
    """What was looked at before anything is written.

    Attributes:
        name: ``age``, ``rules``, ``scheduler``, ``doubts``, ``creates``, ``rights``, ``watch``, ``dry run`` or
            ``evicts``.
        state: ``ok``, ``needs`` (a flag that was not given), ``no`` (no flag helps) or ``--`` (not looked at).
        text: in words.
        flag: the flag it needs.
    """

    name: str
    state: str
    text: str
    flag: str = ""


class BindTotals(Part, frozen=True, kw_only=True):
    """Numbers of writes; ``creations`` are bare pods, ``objects`` all else that is created."""

    pods: int
    bindings: int
    claims: int = 0
    volumes: int = 0
    device_claims: int = 0
    evictions: int = 0
    creations: int = 0
    objects: int = 0


class BindManifests(Part, frozen=True, kw_only=True):
    """Where manifests are, which a plan that is kept does not hold.

    Attributes:
        files: absolute names of files and folders, URLs, and ``-`` for what has to be given once more: what came
            through a pipe, or from a URL with a password or a query.
        namespace: of objects that name none.
    """

    files: tuple[str, ...]
    namespace: str


class BindPlan(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan bind`` before anything is written.

    Attributes:
        verdict: READY, REFUSED (flags are missing, or rights) or NOTHING.
        sentence: what follows the verdict word.
        pods: in the order in which they are bound.
        objects: of manifests, in the order in which they are created.
        guards: what was looked at.
        attempt: what to run next; shown as Try.
        rules: version and feature gates it was made by, and digests of the profiles of its pods, part by part.
        manifests: where what is created is read again; only in plans that are kept.
        bare: whether all but the names of what is created was left out, as it may hold secrets. Without ``manifests``
            such a document is to read; what is to be applied is saved.
    """

    totals: BindTotals
    pods: tuple[BindPod, ...]
    guards: tuple[BindGuard, ...]
    cluster: BindTarget
    origin: Origin = msgspec.field(name="from")
    objects: tuple[BindObject, ...] = ()
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    rules: dict[str, str] = msgspec.field(default_factory=dict)
    manifests: BindManifests | None = None
    bare: bool = False
    timings: dict[str, float] | None = None


class CreatedObject(Part, frozen=True, kw_only=True):
    """What became of an object of a manifest.

    Attributes:
        object: as it was shown.
        result: ``created``, ``there`` (it was there as the manifest says), ``held-back`` or ``not-tried``.
        code: why it was held back.
        text: in words.
    """

    object: str
    result: str
    code: str = ""
    text: str = ""


class BoundPod(Part, frozen=True, kw_only=True):
    """What became of one pod.

    Attributes:
        pod: ``namespace/name`` under which it was shown.
        real: ``namespace/name`` that its controller gave it; empty if that is the same, or if it never came.
        result: ``bound``, ``held-back``, ``open`` (on its way when the run stopped) or ``not-tried``.
        node: where it was to be bound.
        at: when it was bound, RFC 3339.
        confirmed: whether the watch has shown it on its node.
        code: why it was held back.
        text: in words.
        kept: writes that were made for it and stay.
    """

    pod: str
    result: str
    real: str = ""
    node: str = ""
    at: str = ""
    confirmed: bool = False
    code: str = ""
    text: str = ""
    kept: tuple[str, ...] = ()


class BindResult(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan bind --apply``.

    Attributes:
        verdict: BOUND (all of them), PARTLY, HELD (none), or STOPPED (by SIGINT, a server that is gone or a
            journal that takes no more).
        sentence: what follows the verdict word.
        pods: in the order in which they were tried.
        objects: of manifests, in the order in which they were created.
        cluster: where it was written.
        started: RFC 3339.
        ended: RFC 3339.
        journal: name of the journal.
        writes: number of writes that were carried out.
        because: why pods were held back, of the first of them.
        attempt: what to run next; shown as Try.
    """

    pods: tuple[BoundPod, ...]
    cluster: BindTarget
    started: str
    ended: str
    objects: tuple[CreatedObject, ...] = ()
    journal: str = ""
    writes: int = 0
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    notes: tuple[str, ...] = ()
