"""What manifests come to: the types that ``expand`` answers with."""

from msgspec import Struct

from kplan.admission.controllers.changes import WorkloadChange
from kplan.admission.controllers.fleets import Fleet
from kplan.admission.policies.quota import Quotas, QuotaUse
from kplan.objects.models import Object, Pod

NO_PODS = "none"
"""Instead of the path of a pod template: objects of that kind make no pods."""


class ExpandedPod(Struct, frozen=True):
    """One pod of a manifest.

    Attributes:
        pod: as the scheduler sees it.
        workload: ``deploy/shop/web``; for a bare Pod ``pod/ns/name``.
        place: ``file:line`` of the manifest.
        added: what defaults and admission added, a phrase each ("cpu request 500m from LimitRange defaults").
    """

    pod: Pod
    workload: str
    place: str
    added: tuple[str, ...] = ()


class FieldProblem(Struct, frozen=True):
    """One field of an object that the API server would refuse.

    Attributes:
        path: of the field, as the server writes it.
        text: what is wrong with it, in the server's words.
        line: 1-based line of the field; of what is nearest around it where it is not written.
        column: 1-based column likewise.
        hint: what to write instead; empty for nothing known.
    """

    path: str
    text: str
    line: int
    column: int
    hint: str = ""


class LeftOut(Struct, frozen=True):
    """An object of a manifest that brings no pods here, or not all: refused, or not understood.

    Attributes:
        kind: as written.
        key: ``namespace/name``; the name alone for what has no namespace.
        why: in the API server's words where it refuses the object, else in ours.
        file: name of the file or stream.
        line: 1-based line of the first field that is wrong, else where the object begins; 0 if it cannot be told.
        column: 1-based column likewise.
        problems: the fields that are refused, in the server's order.
        pods: how many of its pods are refused where the server takes the object itself; 0 where it does not.
        unbuilt: whether it is no object of a cluster, but what some are built of.
        by_quota: whether a quota refuses it, or its pods.
        unmade: kind of what its controller makes before any pod, where that is refused.
    """

    kind: str
    key: str
    why: str
    file: str
    line: int
    column: int = 0
    problems: tuple[FieldProblem, ...] = ()
    pods: int = 0
    unbuilt: bool = False
    by_quota: bool = False
    unmade: str = ""

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def told(self) -> str:
        """Why, and what to write instead where that is known."""
        if len(self.problems) == 1:
            hints = [self.problems[0].hint]
        else:
            hints = [f"{problem.path}: {problem.hint}" for problem in self.problems if problem.hint]
        return "; ".join(filter(None, (self.why, *hints)))

    def __str__(self) -> str:
        """``Deployment shop/web (web.yaml:31): why``."""
        return f"{self.kind} {self.key} ({self.place}): {self.told}"


class Expansion(Struct, frozen=True):
    """What manifests come to.

    Attributes:
        pods: new pods, in manifest order.
        objects: other objects that the manifests bring and that scheduling reads (claims, classes, services, ...),
            those that controllers make of them (ReplicaSets, claims of volumes) among them.
        not_expanded: what was not understood or not expanded.
        refused: what the API server would refuse.
        notes: what else to say.
        changes: one for each workload: new, changed, scaled or unchanged against the state.
        quotas: what each ResourceQuota of the namespaces would count; not yet what rollouts add.
        fleets: workloads whose controllers make or remove pods step by step; their new pods are among ``pods``.
        ledger: the quotas with all that was let in, for a study to go on with; None where there was nothing to expand.
        silent: how many objects were taken that make no pods.
        trusted: those of them of kinds of other projects, each with what it is about instead.
    """

    pods: tuple[ExpandedPod, ...] = ()
    objects: tuple[Object, ...] = ()
    not_expanded: tuple[LeftOut, ...] = ()
    refused: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[WorkloadChange, ...] = ()
    quotas: tuple[QuotaUse, ...] = ()
    fleets: tuple[Fleet, ...] = ()
    ledger: Quotas | None = None
    silent: int = 0
    trusted: tuple[LeftOut, ...] = ()
