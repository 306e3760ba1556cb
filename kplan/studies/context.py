"""What answers are made with, and an answer with what those about pods like it are made from."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct, field

from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document import Answer
from kplan.result.document_base import Cause, Origin
from kplan.result.document_group import GroupPlan
from kplan.studies.node_verdicts import VerdictKeeper


class Context(Struct, frozen=True):
    """What answers are made with.

    Attributes:
        planner: planner over the cluster.
        origin: where the state is from.
        doubts: about version and configuration.
        node: the one node asked about; empty for all.
        all_victims: tell the victims of every candidate node.
        brief: leave long lists of nodes out, as where many pods are explained.
        in_turn: others that wait are placed first, in the order of the queue.
        verdicts: keeps what every node says to each pod all the same; None where nothing draws it.
        group_plans: what became of groups of pods, which is worked out once.
    """

    planner: Planner
    origin: Origin
    doubts: tuple[Doubt, ...] = ()
    node: str = ""
    all_victims: bool = False
    brief: bool = False
    in_turn: bool = False
    verdicts: VerdictKeeper | None = None
    group_plans: dict[str, GroupPlan | None] = field(default_factory=dict)


class Explained(Struct, frozen=True):
    """An answer with more than the document has of it.

    Attributes:
        answer: the answer.
        says: its sentence, without the pod that it begins with.
        shape: what pods have in common, beside the verdict and the code, whose cause is told once.
        cause: the cause in words that are true of all of them; None where there is none.
    """

    answer: Answer
    says: str
    shape: Hashable = None
    cause: Cause | None = None
