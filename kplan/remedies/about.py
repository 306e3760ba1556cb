"""What candidates are about: the facts that their words are made of.

Two candidates of one code that are about the same are the same change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from kplan.course.moving import Journey
from kplan.remedies.about_devices import AboutDevices

Meant = Literal["resource", "system", "machine", "other"]


class Purpose(Struct, frozen=True):
    """For which pods a node is meant that is not meant for this one.

    Attributes:
        kind: pods that ask for a resource, of a system, of a machine; ``other`` for any but those of ``names``.
        names: of the resource, system or machine.
    """

    kind: Meant
    names: tuple[str, ...]


class ResourceAmount(Struct, frozen=True):
    """An amount of a resource, in the scheduler's units."""

    resource: str
    amount: int


class AffinityRequirement(Struct, frozen=True):
    """A requirement of node affinity."""

    key: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Named:
    """Names and numbers of a change; those that it has nothing to do with are empty.

    Attributes:
        variant: which change of its code it is, where words differ by that: of a claim whether it is ``new`` or made
            ``again``; of an evicted pod what becomes of it: it ``moves``, ``waits``, goes ``back``, has ``no-room``
            elsewhere, leaves ``in-vain``, is ``lost``; and whether it is evicted ``alone``.
        name: of the object that changes, or of the one that brings it about.
        namespace: of it.
        node: the node that changes, or that a pod leaves.
        to: the node that a pod moves to, or the hostname label of a volume's node.
        names: several objects: pods by ``namespace/name``, volumes, drivers, nodes, ports; taints as
            ``key=value:effect``; access modes.
        keys: keys of objects that belong to them, or that change; ``namespace/deploy/name`` where kinds differ.
        pairs: labels.
        key: label or field that changes, by its short name.
        new: the number, size or value then.
        old: the one there is.
        storage_class: its name.
        limits: driver, its limit of volumes then, and now.
        requirement: of node affinity.
        size: what a pod leaves of what is short.
        keeper: who puts the change back; empty for nobody that is known.
    """

    variant: str = ""
    name: str = ""
    namespace: str = ""
    node: str = ""
    to: str = ""
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    key: str = ""
    new: int | str | None = None
    old: int | str | None = None
    storage_class: str = ""
    limits: tuple[tuple[str, int, int | None], ...] = ()
    requirement: AffinityRequirement | None = None
    size: ResourceAmount | None = None
    keeper: str = field(default="", compare=False)


class PodPart(Struct, frozen=True):
    """What of a pod has a request: the pod (no name), or a container; ``alone`` where it is its only one."""

    name: str = ""
    init: bool = False
    alone: bool = False


class LowerRequest(Struct, frozen=True):
    """A request that is lower.

    Attributes:
        resource: its name.
        part: what has the request.
        new: the lower one, in the scheduler's units.
        old: the one there is; the smallest of those that are lowered, where several pods are.
        most: the largest of them; 0 for one pod.
    """

    resource: str
    part: PodPart
    new: int
    old: int
    most: int = 0


@dataclass(frozen=True, slots=True)
class Lower:
    """Requests that are lower; ``least`` where they are the lowest that there are."""

    requests: tuple[LowerRequest, ...]
    least: bool = field(default=False, compare=False)


class GivenAmount(Struct, frozen=True):
    """An amount of a container, as it is written.

    Attributes:
        kind: ``limit`` or ``request``.
        resource: its name.
        new: the amount then.
        old: the one there is; empty for none.
        container: its name; empty where it is the only one.
    """

    kind: str
    resource: str
    new: str
    old: str
    container: str


class GivenAmounts(Struct, frozen=True):
    """Amounts that containers have to have, so that their pod is let in."""

    amounts: tuple[GivenAmount, ...]


@dataclass(frozen=True, slots=True)
class NewNode:
    """Nodes that are added.

    Attributes:
        like: name of the node that they are like.
        number: how many; in each domain, where these are told.
        size: what it has of what is short.
        limit: volumes that it takes, where that matters.
        place: labels of its place, by their short keys; ``NEW_DOMAIN`` for a place that no node is in.
        labels: others that it has and that node does not.
        sizes: what it has of more than that node.
        each: key of the domains that each get as many, and how many they are.
        as_is: whether it stands beside others of the kind that differ in something.
    """

    like: str
    number: int = 1
    size: ResourceAmount | None = None
    limit: int | None = None
    place: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    sizes: tuple[ResourceAmount, ...] = ()
    each: tuple[str, int] | None = None
    as_is: bool = field(default=False, compare=False)


NEW_DOMAIN = "kplan-new"
"""Value of a topology label that no node has."""


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim that is made, or made anew; of several that may be made anew one is tried.

    Attributes:
        created: its name, where there is none of that name.
        storage_class: its class.
        late: whether that is a copy of the class of the claim there is, which waits for the first consumer.
        claim: its name.
        namespace: where it is.
        size: what it asks for, as it is written.
        modes: access modes.
    """

    created: str
    storage_class: str
    late: bool
    claim: str = field(compare=False)
    namespace: str = field(compare=False)
    size: str = field(compare=False)
    modes: tuple[str, ...] = field(compare=False)


class Moves(Struct, frozen=True):
    """Pods that move, in order."""

    journey: Journey


About = Named | Lower | GivenAmounts | NewNode | NewClaim | Moves | AboutDevices
