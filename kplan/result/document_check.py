"""What is shown of ``kplan check``: one document that every format, and the next baseline, is made from."""

from __future__ import annotations

import msgspec

from kplan.result.document_base import Cause, Origin, Part, VerdictDocument
from kplan.result.document_how_to import FieldChange, HowTo
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_versions import OtherVersion


class CheckedObject(Part, frozen=True, kw_only=True):
    """One object of the manifests.

    Attributes:
        object: ``deploy/shop/web``; what is refused or not expanded, in words.
        status: ``ok``, ``fail`` (something of it counts), ``main`` (fails, but did before as well) or ``unknown``
            (kplan does not know what pods it makes).
        change: ``new``, ``changed``, ``scaled`` or ``unchanged``, with its number of pods.
        result: what becomes of it, in one phrase.
        on_main: status in the baseline; ``-`` where it is not there, empty without a baseline.
        changed: whether anything of it is new.
        pods: pods it brings.
        placed: pods of these that were placed.
        on: pods by node.
        zones: zones of all its pods then, those that run already among them, sorted.
        evicts: pods that leave for it.
        file: its manifest; empty if that cannot be told.
        line: 1-based line in it; 0 if that cannot be told.
    """

    object: str
    status: str
    change: str
    result: str
    on_main: str = ""
    changed: bool = False
    pods: int = 0
    placed: int = 0
    on: dict[str, int] = msgspec.field(default_factory=dict)
    zones: tuple[str, ...] = ()
    evicts: tuple[str, ...] = ()
    file: str = ""
    line: int = 0


class Finding(Part, frozen=True, kw_only=True):
    """One thing that is wrong, or worth knowing.

    Attributes:
        rule: stable kebab-case identifier: ``does-not-fit``, ``refused``, ``require-zones``, ...
        object: what it is about, as in CheckedObject, or a pool, a zone, ``cluster``.
        title: in a few words.
        text: with names and numbers.
        counted: whether it makes the check fail.
        why_not: why it is not counted; empty where it is.
        amount: how bad it is, in what the rule counts; a baseline compares it.
        on_main: amount in the baseline, or in the cluster before the manifests; none if unknown.
        cause: stable code of the cause, for what does not fit.
        message: the scheduler's or the API server's exact text.
        attempt: the cheapest change that helps, and what becomes of all pods of the object once the manifests are
            planned with it from the start; shown as Try.
        edits: fields of the manifest that the change is about; annotations stand at the first of them.
        how_to: how it is carried out.
        file: manifest it is about.
        line: 1-based line in it; 0 if unknown.
        column: 1-based column; 0 if unknown.
    """

    rule: str
    object: str
    title: str
    text: str
    counted: bool = True
    why_not: str = ""
    amount: int = 1
    on_main: int | None = None
    cause: str = ""
    message: str = ""
    attempt: str = ""
    edits: tuple[FieldChange, ...] = ()
    how_to: HowTo | None = None
    file: str = ""
    line: int = 0
    column: int = 0

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column that an annotation stands at: of the field to change, else of the object."""
        at = self.edits[0] if self.edits else self
        return at.file, at.line, at.column


class CheckRule(Part, frozen=True, kw_only=True):
    """One rule of the policy.

    Attributes:
        rule: its name, as in the policy file.
        wanted: what it asks for, in words.
        status: ``ok``, ``fail`` or ``main`` (broken, but no worse than before).
        text: what was found; empty where there is nothing to say.
    """

    rule: str
    wanted: str
    status: str
    text: str = ""


class CheckDoubt(Part, frozen=True, kw_only=True):
    """Why the result may be wrong, and whether the repository accepts that.

    Attributes:
        code: stable kebab-case identifier, as ``--allow-doubt`` takes it.
        text: what, which nodes or pods it touches, and how to lift it.
        allowed: whether it is accepted.
        file: manifest of the object that it is about; empty where it is about none, or about many.
        line: 1-based line in it; 0 if unknown.
    """

    code: str
    text: str
    allowed: bool = False
    file: str = ""
    line: int = 0


class Recording(Part, frozen=True, kw_only=True):
    """The state that was checked against: how old it is and what it holds.

    Attributes:
        taken: when it was recorded, RFC 3339; empty if unknown.
        age_seconds: its age; none if unknown.
        complete: whether it holds every kind that scheduling reads, and all of it could be read.
        absent: kinds it neither holds nor says there are none of.
        broken: objects of it that were left out.
        max_age_seconds: the oldest that is accepted; none for any.
    """

    taken: str = ""
    age_seconds: int | None = None
    complete: bool = True
    absent: tuple[str, ...] = ()
    broken: int = 0
    max_age_seconds: int | None = None


class Baseline(Part, frozen=True, kw_only=True):
    """The result that this one is held against.

    Attributes:
        file: its name.
        findings: what was wrong there.
        fixed: rule and object of what was wrong there and is not now.
    """

    file: str
    findings: int
    fixed: tuple[str, ...] = ()


class CheckTotals(Part, frozen=True, kw_only=True):
    """Counts of objects, and of findings by whether they count."""

    objects: int
    failed: int
    pods: int
    placed: int
    findings: int
    counted: int


class CheckResult(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan check``.

    Attributes:
        verdict: ``PASSES`` or ``FAILS``.
        sentence: what follows it.
        because: the first finding that counts.
        objects: what was checked, what fails first.
        rules: the policy.
        findings: what was found, what counts first.
        recording: the state it was checked against.
        command: what gives this result again.
        plan: the simulation behind it.
    """

    totals: CheckTotals
    objects: tuple[CheckedObject, ...]
    recording: Recording
    origin: Origin = msgspec.field(name="from")
    plan: SimulationPlan
    because: Cause | None = None
    doubts: tuple[CheckDoubt, ...] = ()
    rules: tuple[CheckRule, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    baseline: Baseline | None = None
    command: str = ""
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
