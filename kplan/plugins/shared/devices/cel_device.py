"""What CEL expressions see of a device."""

from typing import Any, NamedTuple


class CelDevice(NamedTuple):
    """What an expression sees of a device; hashable, so that devices which are alike are evaluated once.

    Attributes:
        driver: its driver.
        multiple: ``allowMultipleAllocations``.
        attributes: (domain, name, value) in the order of the slice; a value is a scalar, a tuple, or a ``Version``.
        capacity: (domain, name, nanos) in the order of the slice.
    """

    driver: str
    multiple: bool
    attributes: tuple[tuple[str, str, Any], ...]
    capacity: tuple[tuple[str, str, int], ...]


class SemanticVersion(NamedTuple):
    """An attribute of type version."""

    text: str
