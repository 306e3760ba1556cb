"""Numbers that may be written as a share: ``3`` or ``"25%"`` of a total."""

from __future__ import annotations

from kplan.objects.whole_numbers import natural


def scaled(value: object, total: int, *, up: bool) -> int:
    """Read a number or a percentage of a total.

    Args:
        value: ``3`` or ``"25%"``; anything else counts as 0.
        total: what a percentage is of.
        up: whether a fraction is rounded up, else down.

    Source: GetScaledValueFromIntOrPercent in apimachinery pkg/util/intstr/intstr.go.
    """
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, int):
        return value
    text = str(value)
    share = natural(text[:-1]) if text.endswith("%") else None
    if share is None:
        return 0
    return (share * total + 99) // 100 if up else share * total // 100
