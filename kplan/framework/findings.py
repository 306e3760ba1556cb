"""What a plugin answers: refusals as (code, about, reason, rows), never sentences per node, and facts behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.framework.reason_codes import AboutKind, ReasonCode

if TYPE_CHECKING:
    from kplan.cluster import Change

C_co = TypeVar("C_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)

Mask = NDArray[np.bool_]


class About(NamedTuple):
    """One thing that a reason is about."""

    kind: AboutKind
    name: str


class Why(Struct, frozen=True):
    """One reason: what is wrong, with what, and the scheduler's words for it.

    Attributes:
        code: what is wrong.
        about: what with, as far as the plugin knows without looking at one node; its facts tell the rest.
        reason: the scheduler's exact text.
    """

    code: ReasonCode
    about: tuple[About, ...]
    reason: str


class Refusal(Why, frozen=True):
    """One reason and the worlds it holds for.

    Attributes:
        rows: bool[M], True for each world refused for this reason.
    """

    rows: Mask


class RowError(Struct, frozen=True):
    """``Code.Error`` on one world: it fails the whole pod, wherever else the pod fits.

    Attributes:
        row: position of the world.
        message: the scheduler's text.
        code: what is wrong, where it is one of the things that pods are refused for elsewhere.
    """

    row: int
    message: str
    code: ReasonCode | None = None


class Findings(Struct, Generic[C_co], frozen=True):
    """The answer of one Filter plugin about M worlds.

    Attributes:
        refusals: in the order of upstream's Status.Reasons; a world may have several.
        unresolvable: bool[M], True where the code is UnschedulableAndUnresolvable; read only where a refusal holds.
        errors: worlds on which the plugin failed.
        choice: what Score and Reserve need of the search, by node row; None if nothing.
    """

    refusals: tuple[Refusal, ...]
    unresolvable: Mask
    errors: tuple[RowError, ...] = ()
    choice: Mapping[int, C_co] | None = None

    @property
    def failed(self) -> Mask:
        """bool[M], True for each world that any refusal or error holds for; not to be written to."""
        if len(self.refusals) == 1 and not self.errors:
            return self.refusals[0].rows
        mask = np.zeros(len(self.unresolvable), dtype=np.bool_)
        for refusal in self.refusals:
            mask |= refusal.rows
        for error in self.errors:
            mask[error.row] = True
        return mask

    def whys(self, row: int) -> tuple[Why, ...]:
        """Reasons that hold for one world, in order."""
        return tuple(Why(refusal.code, refusal.about, refusal.reason) for refusal in self.refusals if refusal.rows[row])

    def reasons(self, row: int) -> tuple[str, ...]:
        """The scheduler's texts that hold for one world, in order."""
        return tuple(refusal.reason for refusal in self.refusals if refusal.rows[row])

    def error(self, row: int) -> str | None:
        """Message of the error on one world, or None."""
        return next((error.message for error in self.errors if error.row == row), None)


def passed(count: int) -> Findings[Any]:
    """Answer that all of ``count`` worlds pass."""
    return Findings((), np.zeros(count, dtype=np.bool_))


def refused(
    code: ReasonCode, reason: str, rows: Mask, *, unresolvable: bool, about: tuple[About, ...] = ()
) -> Findings[Any]:
    """Answer with one reason of one code: what most plugins do."""
    return Findings((Refusal(code, about, reason, rows),), np.full(len(rows), unresolvable, dtype=np.bool_))


def failed_everywhere(message: str, count: int) -> Findings[Any]:
    """Answer ``Code.Error`` for each of ``count`` worlds: what a filter does whose PreFilter a profile turned off."""
    errors = tuple(RowError(row, message) for row in range(count))
    return Findings((), np.zeros(count, dtype=np.bool_), errors)


class Skip(Struct, frozen=True):
    """PreFilter or PreScore: this plugin has nothing to say about the pod; its later points are not asked."""


class Refused(Struct, frozen=True):
    """PreEnqueue, PreFilter, Reserve or Permit: the pod is refused on every node, or on the one it was to go to.

    Attributes:
        whys: the reasons, in the order of upstream's Status.Reasons.
        unresolvable: True for UnschedulableAndUnresolvable.
    """

    whys: tuple[Why, ...]
    unresolvable: bool = True

    @classmethod
    def of(cls, code: ReasonCode, reason: str, *about: About) -> Refused:
        """Refuse for one reason, once and for all."""
        return cls((Why(code, about, reason),))

    @property
    def reasons(self) -> tuple[str, ...]:
        """The scheduler's exact texts."""
        return tuple(why.reason for why in self.whys)


class Failed(Struct, frozen=True):
    """``Code.Error``: the cycle of this pod ends.

    Attributes:
        message: the scheduler's text.
    """

    message: str


class Reserved(Struct, frozen=True):
    """Reserve: what placing the pod brings besides the room it takes.

    Attributes:
        changes: what is taken, in order.
        volumes: claim name to the volume bound to it, empty where one is provisioned.
        claims: names of the ResourceClaims that devices were allocated to.
    """

    changes: tuple[Change, ...] = ()
    volumes: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[str, ...] = ()


class Ready(Struct, Generic[S_co], frozen=True):
    """PreFilter or PreScore: go on with this state.

    Attributes:
        state: the plugin's own frozen state, handed to its later points.
        nodes: names of the only nodes to look at, or None for all (PreFilter alone).
    """

    state: S_co
    nodes: frozenset[str] | None = None


class Facts(Struct, frozen=True):
    """Base of the typed numbers and names behind refusals; each plugin defines its own beside its rule.

    Facts are frozen structs of strings, integers, tuples and other such structs, so that any
    renderer and JSON can show them. By convention they hold amounts in the scheduler's own units (cpu in
    millicores, everything else whole) and names as in the API.
    """
