"""What every Kubernetes object has, and the selectors many of them share.

Each field may be absent or null, as Go reads them; names are those of the API in snake_case.
"""

from typing import Annotated

import msgspec

from kplan.objects import limits

Quantity = str | int | float
"""A resource quantity as written; ``objects.quantity`` reads it exactly."""

ResourceList = Annotated[dict[str, Quantity], msgspec.Meta(max_length=limits.RESOURCES)]

Int32 = Annotated[int, msgspec.Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
"""An integer that the API keeps in 32 bits."""
Int64 = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""An integer that the API keeps in 64 bits."""

Name = Annotated[str, msgspec.Meta(max_length=limits.LONGEST_NAME)]
_LabelText = Annotated[str, msgspec.Meta(max_length=limits.LONGEST_LABEL)]
Labels = Annotated[dict[_LabelText, _LabelText], msgspec.Meta(max_length=limits.LABELS)]


class Model(msgspec.Struct, rename="camel", kw_only=True, gc=False, omit_defaults=True):
    """Base of all API types: camelCase on the wire, unknown fields skipped."""


class Lean(Model):
    """Base of models that have two forms: this one has room for the fields that are written most, a subclass for all.

    A field takes eight bytes in memory, whether it is written or not. Of the fields that the lean form has no room for,
    it says None (``objects.lean``).
    """

    def __eq__(self, other: object) -> bool:
        """Compare by what is written, in whichever form."""
        if type(self) is type(other):
            return super().__eq__(other)
        return msgspec.to_builtins(self) == msgspec.to_builtins(other) if isinstance(other, Lean) else NotImplemented

    def __ne__(self, other: object) -> bool:
        """Compare by what is written, in whichever form."""
        return not self == other


class OwnerReference(Model):
    """``metadata.ownerReferences[]``."""

    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None


class LeanMeta(Lean):
    """``metadata`` that says nothing but what an object is called."""

    name: Name | None = None
    generate_name: Name | None = None
    namespace: Name | None = None
    uid: str | None = None


class ObjectMeta(LeanMeta):
    """``metadata``: what scheduling and reports need of it."""

    resource_version: str | None = None
    generation: Int64 | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: Labels | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None

    __eq__, __ne__ = Model.__eq__, Model.__ne__


class Object(Model):
    """Base of the top-level kinds; the type itself says kind and group."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)

    @property
    def name(self) -> str:
        """``metadata.name``; empty only before a source has checked the object."""
        return self.metadata.name or ""

    @property
    def namespace(self) -> str:
        """``metadata.namespace``; empty for cluster-scoped kinds."""
        return self.metadata.namespace or ""

    @property
    def key(self) -> str:
        """``namespace/name``, or the name alone without a namespace."""
        return f"{self.metadata.namespace}/{self.metadata.name}" if self.metadata.namespace else self.name

    @property
    def labels(self) -> dict[str, str]:
        """``metadata.labels``; an empty dict where absent."""
        return self.metadata.labels or {}

    @property
    def annotations(self) -> dict[str, str]:
        """``metadata.annotations``; an empty dict where absent."""
        return self.metadata.annotations or {}

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that controls it; None for none, whatever else owns it."""
        for owner in self.metadata.owner_references or ():
            if owner.controller:
                return owner
        return None


class Condition(Model):
    """``status.conditions[]`` of any object."""

    type: str = ""
    status: str = ""
    reason: str | None = None
    message: str | None = None
    last_transition_time: str | None = None


class LabelSelectorRequirement(Model):
    """``matchExpressions[]`` of a label selector."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class LabelSelector(Model):
    """``metav1.LabelSelector``: absent selects nothing, empty selects everything."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[LabelSelectorRequirement] | None = None


class NodeSelectorRequirement(Model):
    """One requirement of a node selector term."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class NodeSelectorTerm(Model):
    """Requirements that all must hold; an empty term matches no node."""

    match_expressions: list[NodeSelectorRequirement] | None = None
    match_fields: list[NodeSelectorRequirement] | None = None


class NodeSelector(Model):
    """Terms of which one must match."""

    node_selector_terms: list[NodeSelectorTerm] | None = None


class TypedLocalObjectReference(Model):
    """A reference inside one namespace: ``dataSource`` and the like."""

    api_group: str | None = None
    kind: str | None = None
    name: str | None = None


class ObjectReference(Model):
    """A reference to an object of any namespace: ``claimRef``."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None
