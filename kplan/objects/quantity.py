"""Resource quantities, exact: what ``100m``, ``1.5Gi`` or ``1e3`` amount to, and how amounts are written.

An amount is a Python int in units of 10^-9, the finest Kubernetes keeps, so sums and comparisons are exact.

Source: apimachinery v0.37.2 pkg/api/resource quantity.go, amount.go, suffix.go, math.go (equal since v0.34).
"""

import math
import re
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from kplan.errors import QuantityError
from kplan.objects.resource_names import CPU

NANO_PER_UNIT = 10**9
NANO_PER_MILLI = 10**6
MAX_INT64 = 2**63 - 1

_NANO = -9
"""Exponent of the smallest unit."""

_CACHE_SIZE = 2**16

_MAX_DIGITS = 1000
"""Longest number and largest exponent that is read."""

_INT64_DIGITS = 18
"""Numbers of up to this many digits are held as int64 and exponent, longer ones as a big decimal."""

_DECIMAL_EXPONENTS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIXES = {exponent: suffix for suffix, exponent in _DECIMAL_EXPONENTS.items()}
_BINARY_SUFFIXES = {power: suffix for suffix, power in _BINARY_POWERS.items()}

_QUANTITY = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")

_UNCHECKED_SHIFTS = frozenset({0, 1, 2, 3, 6, 9})
"""Powers of ten by which Go multiplies in one step and uses the product even if it overflowed."""

_LARGEST_BINARY = MAX_INT64 * NANO_PER_UNIT
"""Cap of big decimals with a binary suffix [10^-9]."""

_SPACE = " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""White space that JSON leaves as it is."""

_SHOWN_BITS = 256
_SHOWN_CHARACTERS = 80
_HINT = (
    "accepted: a decimal number such as 2, 0.5 or 1e3, alone or with one of the suffixes "
    "n u m k M G T P E (powers of 1000) or Ki Mi Gi Ti Pi Ei (powers of 1024)"
)


class QuantityFormat(Enum):
    """Which suffixes a quantity is written with, remembered from its text."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


class Parsed(NamedTuple):
    """One quantity as read.

    Args:
        nanos: the amount [10^-9].
        form: the family of its suffix.
        exponent: power of ten of Go's int64 form, or None where Go holds a big decimal; it decides what an amount
            beyond int64 turns into.
        canonical: its text, where that is canonical already; else empty.
    """

    nanos: int
    form: QuantityFormat
    exponent: int | None
    canonical: str


@lru_cache(maxsize=_CACHE_SIZE)
def parse(raw: str | int | float) -> Parsed:
    """Read a quantity as it stands in JSON or YAML: a string, or a number.

    Spaces around a string are dropped (tabs and line ends are not: JSON escapes them, and Kubernetes reads the escape),
    and numbers are rounded away from zero to 10^-9.

    Raises:
        QuantityError: the text is no quantity; it names the text and the accepted forms.

    Source: ParseQuantity, Quantity.UnmarshalJSON.
    """
    text = raw.strip(_SPACE) if isinstance(raw, str) else _number_text(raw)
    match = _QUANTITY.fullmatch(text)
    if match is None or not text:
        raise _refused(raw)
    sign, whole, fraction, suffix = match.groups(default="")
    # Differs from kube-scheduler: it reads numbers of any length; one this long would only cost time here.
    if len(whole) + len(fraction) > _MAX_DIGITS:
        raise _refused(raw)
    factor, exponent, form = _read_suffix(raw, suffix)
    digits = (whole.lstrip("0") or "0") + fraction
    scale = exponent - len(fraction)
    if form is QuantityFormat.BINARY_SI:
        int64 = not fraction and _binary_fits_int64(digits, factor)
    else:
        int64 = len(digits) <= _INT64_DIGITS and scale >= _NANO
    if not int64 and not whole and not fraction:
        raise _refused(raw)  # a suffix alone is zero, but not where it has to be read as a big decimal
    amount = _scaled_up(int(digits) * factor, scale - _NANO)
    canonical = text if int64 and _is_canonical(form, digits, scale) else ""
    if form is QuantityFormat.BINARY_SI and not int64:
        if amount > _LARGEST_BINARY:
            amount, scale, int64 = _LARGEST_BINARY, 0, True
        elif 0 < amount < NANO_PER_UNIT:
            form = QuantityFormat.DECIMAL_SI
    return Parsed(-amount if sign == "-" else amount, form, scale if int64 else None, canonical)


@lru_cache(maxsize=_CACHE_SIZE)
def nanos(raw: str | int | float) -> int:
    """Read a quantity as an exact amount [10^-9].

    Raises:
        QuantityError: the text is no quantity.
    """
    return parse(raw).nanos


@lru_cache(maxsize=_CACHE_SIZE)
def value(raw: str | int | float) -> int:
    """Read a quantity in whole units: bytes, devices, pods.

    Rounded up away from zero. An amount beyond int64 gives what Go gives: 0, or the low 64 bits of a big decimal.

    Raises:
        QuantityError: the text is no quantity.

    Source: Quantity.Value.
    """
    amount = parse(raw)
    return _scaled(amount.nanos, amount.exponent, 0)


@lru_cache(maxsize=_CACHE_SIZE)
def milli_value(raw: str | int | float) -> int:
    """Read a quantity in thousandths: millicores.

    Rounded up away from zero; beyond int64 as ``value``.

    Raises:
        QuantityError: the text is no quantity.

    Source: Quantity.MilliValue.
    """
    amount = parse(raw)
    return _scaled(amount.nanos, amount.exponent, -3)


def value_of(amount: int) -> int:
    """Convert an amount [10^-9] to whole units, rounded up away from zero.

    How Go holds a sum is not known here: beyond int64, amounts of up to 18 significant digits count as held in int64
    and give 0; others give their low 64 bits.
    """
    units = -(-amount // NANO_PER_UNIT)
    return units if 0 <= units <= MAX_INT64 else _scaled(amount, _likely_exponent(amount), 0)


def milli_of(amount: int) -> int:
    """Convert an amount [10^-9] to thousandths, rounded up away from zero; beyond int64 as ``value_of``."""
    thousandths = -(-amount // NANO_PER_MILLI)
    return thousandths if 0 <= thousandths <= MAX_INT64 else _scaled(amount, _likely_exponent(amount), -3)


@lru_cache(maxsize=_CACHE_SIZE)
def round_up_to_milli(raw: str | int | float) -> str | int | float:
    """Return the quantity with no more than three decimal places, rounded away from zero; unchanged if it has no more.

    Source: SetDefaults_ResourceList (kubernetes pkg/apis/core/v1/defaults.go).
    """
    amount = parse(raw)
    if amount.nanos % NANO_PER_MILLI == 0:
        return raw
    rounded = -(-abs(amount.nanos) // NANO_PER_MILLI) * NANO_PER_MILLI
    return format_nanos(rounded if amount.nanos > 0 else -rounded, amount.form)


def canonical(raw: str | int | float) -> str:
    """Return the quantity as Kubernetes prints it: ``1500m`` for ``1.5``, ``1536Mi`` for ``1.5Gi``.

    Raises:
        QuantityError: the text is no quantity.

    Source: Quantity.String.
    """
    amount = parse(raw)
    return amount.canonical or format_nanos(amount.nanos, amount.form)


def format_nanos(amount: int, form: QuantityFormat = QuantityFormat.DECIMAL_SI) -> str:
    """Write an amount [10^-9] in canonical form: no fraction, and the largest suffix that loses nothing.

    Binary suffixes are used only for whole amounts of at least 1024; exponents beyond the suffixes are lost, as in Go.

    Source: Quantity.CanonicalizeBytes.
    """
    if amount == 0:
        return "0"
    if form is QuantityFormat.BINARY_SI and abs(amount) >= 1024 * NANO_PER_UNIT and amount % NANO_PER_UNIT == 0:
        number, exponent = _without_factors(amount // NANO_PER_UNIT, 1024)
        return f"{number}{_BINARY_SUFFIXES.get(10 * exponent, '')}"
    number, exponent = _without_factors(amount, 10)
    exponent -= 9
    number *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    if form is QuantityFormat.DECIMAL_EXPONENT:
        return f"{number}e{exponent}" if exponent else str(number)
    return f"{number}{_DECIMAL_SUFFIXES.get(exponent, '')}"


def format_sum(resource: str, amount: int) -> str:
    """Write a sum of amounts of a resource [10^-9], as Kubernetes does: in powers of 1024 but for cpu."""
    return format_nanos(amount, QuantityFormat.DECIMAL_SI if resource == CPU else QuantityFormat.BINARY_SI)


def format_cpu(milli: int) -> str:
    """Write millicores for people: whole cores without a suffix (``2``), others as ``1500m``."""
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def format_bytes(amount: int) -> str:
    """Write bytes for people in the largest of Gi, Mi and Ki that divides them (``12Gi``), else as a plain number."""
    for suffix, power in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if amount and amount % (1 << power) == 0:
            return f"{amount >> power}{suffix}"
    return str(amount)


def _number_text(raw: int | float) -> str:
    """Return a number as the JSON that Kubernetes' YAML reader makes of it."""
    if isinstance(raw, bool) or (isinstance(raw, float) and not math.isfinite(raw)):
        raise _refused(raw)
    if isinstance(raw, int):
        # str() of a huge int fails; the length check of parse comes too late for it
        if raw.bit_length() > 4 * _MAX_DIGITS:
            raise _refused(raw)
        return str(raw)
    # encoding/json writes an exponent only below 1e-6 and from 1e21
    if raw == 0 or 1e-6 <= abs(raw) < 1e21:
        return format(Decimal(repr(raw)), "f").removesuffix(".0")
    return repr(raw)


def _read_suffix(raw: str | int | float, suffix: str) -> tuple[int, int, QuantityFormat]:
    """Return what a suffix stands for: a factor, a power of ten on top of it, and the family.

    Source: suffixHandler.interpret.
    """
    if (exponent := _DECIMAL_EXPONENTS.get(suffix)) is not None:
        return 1, exponent, QuantityFormat.DECIMAL_SI
    if (power := _BINARY_POWERS.get(suffix)) is not None:
        return 1 << power, 0, QuantityFormat.BINARY_SI
    match = _EXPONENT.fullmatch(suffix)
    # Differs from kube-scheduler: it reads exponents past 1000 too, cut to 32 bits; they are of no use.
    if match is None or len(suffix) > _INT64_DIGITS or abs(int(match.group(1))) > _MAX_DIGITS:
        raise _refused(raw)
    return 1, int(match.group(1)), QuantityFormat.DECIMAL_EXPONENT


def _binary_fits_int64(digits: str, factor: int) -> bool:
    """Return whether Go holds a whole number with a binary suffix as int64."""
    power = factor.bit_length() - 1
    # 2^10 is counted as three decimal digits
    return 15 - len(digits) - power * 3 // 10 - 1 >= 0 and int(digits) * factor <= MAX_INT64


def _scaled_up(mantissa: int, power: int) -> int:
    """Return mantissa * 10^power as an integer, rounded up."""
    if power >= 0:
        return mantissa * int(10**power)
    return -(-mantissa // int(10**-power))


def _is_canonical(form: QuantityFormat, digits: str, scale: int) -> bool:
    """Return whether Go reuses the text as the canonical form.

    Source: ParseQuantity.
    """
    if form is QuantityFormat.BINARY_SI:
        return int(digits) & 7 != 0
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _scaled(amount: int, exponent: int | None, unit: int) -> int:
    """Convert an amount [10^-9] to int64 of 10^unit, as Go does for either way of holding it.

    Source: int64Amount.AsScaledInt64, positiveScaleInt64, scaledValue.
    """
    size = int(10 ** (unit - _NANO))
    if exponent is None and amount < 0:
        # Go cuts a negative big decimal to 64 bits, divides towards zero and then adds 1 for the rest
        quotient, rest = divmod(abs(_wrapped(amount)), size)
        return (-quotient if _wrapped(amount) < 0 else quotient) + (rest > 0)
    units = -(-abs(amount) // size)
    if exponent is not None and units > MAX_INT64 and exponent - unit not in _UNCHECKED_SHIFTS:
        return 0
    return _wrapped(units if amount >= 0 else -units)


def _wrapped(number: int) -> int:
    """Keep the low 64 bits of a number as a signed integer."""
    return (number + 2**63) % 2**64 - 2**63


def _likely_exponent(amount: int) -> int | None:
    """Return the exponent of an amount in Go's int64 form, or None if its digits need a big decimal."""
    mantissa, exponent = _without_factors(amount, 10)
    return exponent + _NANO if abs(mantissa) < 10**_INT64_DIGITS else None


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    """Return a number without a factor, and how often it was in it."""
    times = 0
    while number and number % factor == 0:
        number //= factor
        times += 1
    return number, times


def _refused(raw: str | int | float) -> QuantityError:
    """Return the error for a text or number that is no quantity, shown in short."""
    if isinstance(raw, int) and raw.bit_length() > _SHOWN_BITS:
        shown = f"a number of {raw.bit_length()} bits"
    else:
        shown = repr(raw)
    if len(shown) > _SHOWN_CHARACTERS:
        shown = f"{shown[: _SHOWN_CHARACTERS - 4]}...'"
    return QuantityError(f"{shown} is not a resource quantity", hint=_HINT)
