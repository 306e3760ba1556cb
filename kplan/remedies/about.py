"""What candidates are about: the facts that their words are made of, a class for each kind of change.

Two candidates of one code that are about the same are the same change.

Long because each kind of change has its facts here, side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kplan.course.moving import Journey

Meant = Literal["resource", "system", "machine", "other"]


@dataclass(frozen=True, slots=True)
class Purpose:
    """For which pods a node is meant that is not meant for this one.

    Attributes:
        kind: pods that ask for a resource, of a system, of a machine; ``other`` for any but those of ``names``.
        names: of the resource, system or machine.
    """

    kind: Meant
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of a resource, in the scheduler's units."""

    resource: str
    amount: int


@dataclass(frozen=True, slots=True)
class Part:
    """What of a pod has a request: the pod (no name), or a container; ``alone`` where it is its only one."""

    name: str = ""
    init: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class LowerRequest:
    """A request that is lower.

    Attributes:
        resource: its name.
        part: what has the request.
        new: the lower one, in the scheduler's units.
        old: the one there is.
    """

    resource: str
    part: Part
    new: int
    old: int


@dataclass(frozen=True, slots=True)
class Lower:
    """Requests that are lower; ``least`` where they are the lowest that there are."""

    requests: tuple[LowerRequest, ...]
    least: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Taints:
    """Taints, as ``key=value:effect``; of one node, where that is named."""

    taints: tuple[str, ...]
    node: str = ""


@dataclass(frozen=True, slots=True)
class Selector:
    """Labels that a pod selects nodes by."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of node affinity."""

    key: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeAffinity:
    """A requirement of node affinity; None for all that is required."""

    requirement: Requirement | None


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number in place of another in a requirement."""

    requirement: Requirement
    number: str


@dataclass(frozen=True, slots=True)
class AlsoValue:
    """A further value that a requirement allows; the key is its short one."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Spread:
    """A field of a spread constraint.

    Attributes:
        key: label of nodes, by its short key; empty where the pod has one constraint.
        new: the number then; None for none.
        old: the number now.
    """

    key: str = ""
    new: int | None = None
    old: int | None = None


@dataclass(frozen=True, slots=True)
class PodTerm:
    """A term about other pods.

    Attributes:
        anti: whether it keeps them apart.
        selector: of the other pods.
        key: label of nodes, by its short key; empty where it does not matter.
    """

    anti: bool
    selector: str
    key: str


@dataclass(frozen=True, slots=True)
class PodTerms:
    """All terms about other pods."""

    anti: bool
    number: int


@dataclass(frozen=True, slots=True)
class HostPorts:
    """Ports of the node; none of them for its network as a whole."""

    ports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NewNode:
    """Nodes that are added.

    Attributes:
        like: name of the node that they are like.
        number: how many; in each domain, where these are told.
        size: what it has of what is short.
        limit: volumes that it takes, where that matters.
        place: labels of its place, by their short keys; ``NEW_DOMAIN`` for a place that no node is in.
        sizes: what it has of more than that node.
        each: key of the domains that each get as many, and how many they are.
        as_is: whether it stands beside others of the kind that differ in something.
    """

    like: str
    number: int = 1
    size: Amount | None = None
    limit: int | None = None
    place: tuple[tuple[str, str], ...] = ()
    sizes: tuple[Amount, ...] = ()
    each: tuple[str, int] | None = None
    as_is: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class NewNodes:
    """A node like each of some, one in each zone."""

    likes: tuple[str, ...]


NEW_DOMAIN = "kplan-new"
"""Value of a topology label that no node has."""


@dataclass(frozen=True, slots=True)
class OneNode:
    """A node."""

    node: str


@dataclass(frozen=True, slots=True)
class PodLimit:
    """A pod limit of a node, and the one there is."""

    node: str
    limit: int
    old: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that a node gets; ``over`` where it has another value of one of them."""

    node: str
    pairs: tuple[tuple[str, str], ...]
    over: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class VolumeLimit:
    """Limits of a node: driver, the limit then, the limit now."""

    node: str
    limits: tuple[tuple[str, int, int | None], ...]


@dataclass(frozen=True, slots=True)
class Drivers:
    """CSI drivers that a node gets."""

    node: str
    drivers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Detached:
    """Volumes that leave a node, and the keys of their attachments."""

    node: str
    volumes: tuple[str, ...]
    attachments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that the pod is left without."""

    claim: str


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


@dataclass(frozen=True, slots=True)
class BoundClaim:
    """A claim with a volume; ``new`` where there is no claim, ``again`` where the one there is has to go."""

    claim: str
    namespace: str
    new: bool
    again: bool


@dataclass(frozen=True, slots=True)
class SmallClaim:
    """A claim of another size; sizes as they are written."""

    claim: str
    namespace: str
    size: str
    old: str


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A storage class."""

    storage_class: str


@dataclass(frozen=True, slots=True)
class SelectedNode:
    """A claim that a node is selected for."""

    claim: str
    namespace: str
    node: str


@dataclass(frozen=True, slots=True)
class LocalVolume:
    """A volume on a node; ``host`` is its hostname label."""

    size: str
    storage_class: str
    node: str
    host: str
    modes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reported:
    """Capacity that a driver reports."""

    provisioner: str
    size: str
    storage_class: str


@dataclass(frozen=True, slots=True)
class Driver:
    """A CSI driver."""

    driver: str


@dataclass(frozen=True, slots=True)
class Policy:
    """That a pod preempts: the class that makes it so; ``value`` where that has to be made."""

    class_name: str
    value: int | None


@dataclass(frozen=True, slots=True)
class Priority:
    """A priority from which on it helps, and the class of the first one there is; none where it has to be made."""

    level: int
    class_name: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """A disruption budget that allows one more."""

    budget: str
    namespace: str


@dataclass(frozen=True, slots=True)
class BudgetAsks:
    """What a disruption budget asks for, then and now; ``field`` is minAvailable or maxUnavailable."""

    budget: str
    field: str
    new: int
    old: int | str | None


@dataclass(frozen=True, slots=True)
class Replica:
    """One more replica of a workload, as ``deploy/shop/web``."""

    workload: str


@dataclass(frozen=True, slots=True)
class Pods:
    """Pods that leave, by ``namespace/name``; ``back`` where the owner of it makes another."""

    pods: tuple[str, ...]
    back: bool = False


@dataclass(frozen=True, slots=True)
class Evicted:
    """A pod that is evicted, and what becomes of it.

    Attributes:
        pod: ``namespace/name``.
        node: the node it leaves.
        fate: ``moves`` to another node, ``waits``, goes ``back``, has ``no-room`` elsewhere; ``in-vain``: its leaving
            is not enough; ``lost``: the same, and nothing makes it again.
        to: the node it moves to.
        size: what it leaves of what is short.
        alone: whether it is evicted without more, where more would help.
    """

    pod: str
    node: str
    fate: Literal["moves", "waits", "back", "no-room", "in-vain", "lost"]
    to: str = ""
    size: Amount | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Moves:
    """Pods that move, in order."""

    journey: Journey


About = (
    Lower | Taints | Selector | NodeAffinity | WholeNumber | AlsoValue | Spread | PodTerm | PodTerms | HostPorts
    | NewNode | NewNodes | OneNode | PodLimit | Labels | VolumeLimit | Drivers | Detached | Claim | NewClaim
    | BoundClaim | SmallClaim | StorageClass | SelectedNode | LocalVolume | Reported | Driver | Policy | Priority
    | Budget | BudgetAsks | Replica | Pods | Evicted | Moves
)  # fmt: skip
