"""Plan: what happens to a whole queue, one pod after another."""

from enum import StrEnum

from msgspec import Struct, field

from kplan.result.outcome import Outcome


class EventKind(StrEnum):
    """What one step of a plan did."""

    PLACED = "placed"
    PREEMPTED = "preempted"
    PENDING = "pending"
    GATED = "gated"
    FAILED = "failed"


class PlanEvent(Struct, frozen=True):
    """One step: an attempt to schedule one pod."""

    kind: EventKind
    outcome: Outcome


class Plan(Struct, frozen=True):
    """The whole result, in the order in which it happened.

    Attributes:
        events: attempts in order; a victim that came back has one of its own.
        terminating: waiting pods that are being deleted: never scheduled.
        other_schedulers: waiting pods whose schedulerName no profile has, by that name.
    """

    events: tuple[PlanEvent, ...] = ()
    terminating: tuple[str, ...] = ()
    other_schedulers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Outcome of each attempt."""
        return tuple(event.outcome for event in self.events)
