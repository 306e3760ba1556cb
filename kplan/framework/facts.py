"""Facts: the typed numbers and names behind a plugin's refusals."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """Base of every plugin's facts; each plugin defines its own beside its rule.

    Facts are plain frozen dataclasses of strings, integers, tuples and other such dataclasses, so that any
    renderer and JSON can show them. By convention they hold amounts in the scheduler's own units (cpu in
    millicores, everything else whole) and names as in the API.
    """
