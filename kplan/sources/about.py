"""What is known of a layout apart from its objects."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kplan.objects.models import Node, Pod


@dataclass(frozen=True, slots=True)
class About:
    """A layout, and what one dump of it says besides its objects.

    Attributes:
        name: the tool that writes it, as shown to the user.
        absent: by kind name, what it means for a verdict that the layout never holds this kind; kinds whose
            general sentence in KINDS says it all are not repeated.
        partial: by kind name, why only part of the objects are there, and what that means for a verdict.
        notes: sentences about this dump.
        templates: nodes that node groups would add, with the pods that come with them.
        configuration: the scheduler's configuration, as written.
    """

    name: str
    absent: Mapping[str, str] = field(default_factory=dict)
    partial: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    templates: Mapping[str, tuple[Node, tuple[Pod, ...]]] = field(default_factory=dict)
    configuration: Mapping[str, object] | None = None
