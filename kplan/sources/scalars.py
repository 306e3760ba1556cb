"""What a YAML scalar means to kubectl: the rules of go-yaml v2 and of sigs.k8s.io/yaml on top.

Source: go.yaml.in/yaml v2.4.3 ``resolve``, ``decoder.scalar``; sigs.k8s.io/yaml v1.6.0 ``convertToJSONableObject``.
"""

import base64
import binascii
import math
import re
import struct
from datetime import datetime
from decimal import Decimal

Scalar = str | int | float | bool | None

_PREFIX = "tag:yaml.org,2002:"
UNKNOWN_ANCHOR = "unknown anchor: put a value that begins with * in quotes"
"""Said without its name, which may be a password that nobody has put in quotes."""

STR, BINARY, MERGE = _PREFIX + "str", _PREFIX + "binary", _PREFIX + "merge"
_RESOLVED = {_PREFIX + name for name in ("str", "bool", "int", "float", "null", "timestamp")}

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_SPECIAL = frozenset("+-0123456789yYnNtTfFoO~.")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_POINT_FLOAT = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?")
_INT = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:([Tt ])([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?"
)
_FLOAT_AS_DIGITS = 1e21  # Go writes a float below this without an exponent
_CACHE_LIMIT, _CACHED_LENGTH = 200_000, 100


class ScalarError(ValueError):
    """A scalar that kubectl refuses: a tag that does not fit, NaN, invalid base64."""


_plain_cache: dict[str, Scalar] = {}


def plain(text: str) -> Scalar:
    """Resolve an untagged plain scalar, as ``on`` to true and ``0777`` to 511.

    Raises:
        ScalarError: for NaN and the infinities, which JSON cannot hold.
    """
    if text and text[0] not in _SPECIAL:
        return text
    try:
        return _plain_cache[text]
    except KeyError:
        pass
    value = _jsonable(_resolve(text, timestamps=True))
    if len(text) <= _CACHED_LENGTH:
        if len(_plain_cache) >= _CACHE_LIMIT:
            _plain_cache.clear()
        _plain_cache[text] = value
    return value


def tagged(tag: str, text: str) -> Scalar:
    """Resolve a scalar that has an explicit tag, whatever its style.

    Args:
        tag: the full tag, as ``tag:yaml.org,2002:int``. An unknown one leaves the text as it is.
        text: the value as written.

    Raises:
        ScalarError: when the text is not of the tag's type, or base64 is invalid.
    """
    return _jsonable(_resolve_tagged(tag, text))


def key(tag: str | None, text: str) -> str:
    """Resolve a plain or tagged scalar that is the key of a map, and write it as the JSON key it becomes.

    Raises:
        ScalarError: for a null key and an integer above int64, which sigs.k8s.io/yaml refuses.
    """
    value = _resolve(text, timestamps=True) if tag is None else _resolve_tagged(tag, text)
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() if value < 1 << 63:
            return str(value)
        case float():
            return _float32(value)
        case _:
            raise ScalarError(f"unsupported map key: {'null' if value is None else value}")


def shorten(text: str, limit: int = 40) -> str:
    """Quote a text for a message: on one line, cut at ``limit`` characters."""
    cut = text if len(text) <= limit else text[:limit] + "..."
    return "`" + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut) + "`"


def _resolve_tagged(tag: str, text: str) -> Scalar:
    if tag == BINARY:
        try:
            return base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise ScalarError("!!binary value contains invalid base64 data") from None
    if tag == STR or tag not in _RESOLVED:
        return text
    short = tag.removeprefix(_PREFIX)
    value = _resolve(text, timestamps=short == "timestamp")
    actual = _type_of(value)
    if short == "timestamp" and actual == "str" and _is_timestamp(text):
        return text
    if short == "float" and isinstance(value, int) and actual == "int" and value < 1 << 63:
        return float(value)
    if actual != short:
        raise ScalarError(f"cannot decode !!{actual} {shorten(text)} as a !!{short}")
    return value


def _resolve(text: str, *, timestamps: bool) -> Scalar:
    if text and text[0] not in _SPECIAL:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _finite(text) if _POINT_FLOAT.fullmatch(text) else text
    if text[0] not in "+-0123456789" or (timestamps and _is_timestamp(text)):
        return text
    digits = text.replace("_", "")
    number = _integer(digits)
    if number is not None:
        return number
    if _FLOAT.fullmatch(digits):
        return _finite(digits, text)
    return text


def _integer(digits: str) -> int | None:
    """Read as Go's ``ParseInt(s, 0, 64)``, then ``ParseUint``: None outside of both."""
    match = _INT.fullmatch(digits)
    if not match:
        return None
    sign, base16, base2, base8, base10 = match.groups()
    if base16:
        number = int(base16, 16)
    elif base2:
        number = int(base2, 2)
    elif base8:
        number = int(base8, 8)
    else:
        number = int(base10) if len(base10) < 30 else 1 << 64
    limit = 1 << 63 if sign else 1 << 64  # ParseUint takes no sign
    if number >= limit and not (sign == "-" and number == limit):
        return None
    return -number if sign == "-" else number


def _finite(digits: str, text: str = "") -> float | str:
    """Read a float; a text beyond float64 stays a text, since Go's ParseFloat refuses it."""
    number = float(digits)
    return (text or digits) if math.isinf(number) else number


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if not match:
        return False
    year, month, day, separator, hour, minute, second, zone = match.groups()
    if separator and (separator == " ") == bool(zone):
        return False
    try:
        datetime(max(int(year), 1), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
    except ValueError:
        return False
    return True


def _type_of(value: Scalar) -> str:
    if value is None:
        return "null"
    return {bool: "bool", int: "int", float: "float", str: "str"}[type(value)]


def _jsonable(value: Scalar) -> Scalar:
    """Give a float the type its JSON text has: 1000.0 is written ``1000`` and read as an integer."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        raise ScalarError(f"JSON has no {'NaN' if math.isnan(value) else 'infinity'}")
    if value.is_integer() and abs(value) < _FLOAT_AS_DIGITS:
        return int(Decimal(repr(value)))
    return value


def _float32(value: float) -> str:
    """Format as Go's ``FormatFloat(value, 'g', -1, 32)``."""
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if not math.isfinite(single):
        return ".nan" if math.isnan(single) else ".inf" if single > 0 else "-.inf"
    texts = (f"{single:.{digits}e}" for digits in range(9))
    shortest = next(text for text in texts if struct.pack("f", float(text)) == struct.pack("f", single))
    mantissa, _, exponent = shortest.partition("e")
    if -4 <= int(exponent) < 6:
        return f"{Decimal(shortest):f}"
    return f"{mantissa}e{int(exponent):+03d}"
