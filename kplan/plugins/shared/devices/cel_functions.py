"""The functions that Kubernetes adds to CEL, as plain Python over plain values.

Source: apiserver v0.37.2 pkg/cel/library quantity.go, semverlib.go, regex.go, lists.go, ip.go, cidr.go, urls.go.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from itertools import pairwise, product
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from kplan.objects.quantity import MAX_INT64, NANO_PER_UNIT
from kplan.plugins.shared.devices.cel_source import OURS
from kplan.plugins.shared.devices.cel_values import (
    Semver,
    from_quantity,
    from_semver,
    normalized_semver,
    plain,
    read_quantity,
    to_nanos,
    to_semver,
)

INDEX_OF, LAST_INDEX_OF, TEXT_OF = OURS.values()
QUANTITY, SEMVER, IP, CIDR, URL = "quantity", "semver", "ip", "cidr", "url"
"""Kubernetes' own types, by the names that ``Function`` uses beside those of CEL."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Interface | ipaddress.IPv6Interface


class Function(NamedTuple):
    """One overload.

    Attributes:
        name: of the function.
        result: type of the result, by name.
        parameters: types of the parameters, by name; the receiver first.
        member: whether it is called on its first parameter.
        body: what it does; a ValueError is an error of the expression.
    """

    name: str
    result: str
    parameters: tuple[str, ...]
    member: bool
    body: Callable[..., Any]


def _true_if(read: Callable[..., Any]) -> Callable[..., bool]:
    """Make the ``isX(text)`` of a parser."""

    def check(*args: Any) -> bool:
        try:
            read(*args)
        except ValueError:
            return False
        return True

    return check


def _ordered(value: Any) -> Any:
    """Read what ``isGreaterThan`` and the like compare: the runtime cannot tell quantities from versions."""
    return to_nanos(value) if isinstance(plain(value), dict) else to_semver(value)


def _compare(left: Any, right: Any) -> int:
    mine, other = _ordered(left), _ordered(right)
    if type(mine) is not type(other):
        raise ValueError("no such overload")
    return int(mine > other) - int(mine < other)


def _as_integer(value: Any) -> int:
    nanos = to_nanos(value)
    if not _is_integer(value):
        raise ValueError("cannot convert value to integer")
    return nanos // NANO_PER_UNIT


def _is_integer(value: Any) -> bool:
    nanos = to_nanos(value)
    return nanos % NANO_PER_UNIT == 0 and -MAX_INT64 - 1 <= nanos // NANO_PER_UNIT <= MAX_INT64


def _plus(value: Any, other: Any, sign: int) -> dict[bool, str]:
    amount = plain(other)
    added = amount * NANO_PER_UNIT if isinstance(amount, int) else to_nanos(other)
    return from_quantity(to_nanos(value) + sign * added)


def _semver(text: str, normalize: bool = False) -> list[bytes]:
    return from_semver(normalized_semver(text) if normalize else Semver.parse(text))


def _find(text: str, pattern: str) -> str:
    match = _regex(pattern).search(text)
    return match.group() if match else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    matches = [match.group() for match in _regex(pattern).finditer(text)]
    return matches if most < 0 else matches[:most]


def _regex(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"Illegal regex: {error}") from error


def _pick(name: str, choose: Callable[[Iterable[Any]], Any]) -> Callable[[Any], Any]:
    def pick(values: Any) -> Any:
        items = plain(values)
        if not items:
            raise ValueError(f"{name} called on empty list")
        return choose(items)

    return pick


_PLAIN = ("int", "double", "bool", "string", "list", "map")
"""What the runtime tells apart when it chooses a function: nothing is chosen for ``dyn``."""


def _includes(values: Any, item: Any) -> bool:
    items, wanted = plain(values), plain(item)
    return any(same(element, wanted) for element in (items if isinstance(items, list) else [items]))


def _index_of(values: Any, item: Any) -> int:
    wanted = plain(item)
    return next((at for at, element in enumerate(plain(values)) if same(element, wanted)), -1)


def _last_index_of(values: Any, item: Any) -> int:
    items = plain(values)
    at = _index_of(items[::-1], item)
    return len(items) - 1 - at if at >= 0 else -1


def _index_from(text: str, part: str, start: int) -> int:
    if not part:
        return start
    if start < 0:
        raise ValueError(f"index out of range: {start}")
    return text.find(part, start)


def _last_index_until(text: str, part: str, last: int) -> int:
    if not part:
        return last
    if last < 0:
        raise ValueError(f"index out of range: {last}")
    return text.rfind(part, 0, last + len(part)) if last < len(text) else -1


def same(value: Any, other: Any) -> bool:
    """Compare as CEL does: a bool is no number."""
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _is_sorted(values: Any) -> bool:
    items = plain(values)
    return all(a <= b for a, b in pairwise(items))


def _ip(text: str) -> dict[int, str]:
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.scope_id):
        raise ValueError(f"IP Address {text!r} parse error: IPv4-mapped and zoned addresses are not allowed")
    return {address.version: str(address)}


def _to_ip(value: Any) -> Address:
    inner = plain(value)
    return ipaddress.ip_address(inner if isinstance(inner, str) else next(iter(inner.values())))


def _is_global_unicast(value: Any) -> bool:
    address = _to_ip(value)
    broadcast = address == ipaddress.ip_address("255.255.255.255")
    return not (
        broadcast or address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    )


def _is_link_local_multicast(value: Any) -> bool:
    address = _to_ip(value)
    network = "224.0.0.0/24" if address.version == 4 else "ff02::/16"
    return address in ipaddress.ip_network(network)


def _cidr(text: str) -> list[dict[bool, str]]:
    if "/" not in text or not text.rpartition("/")[2].isdecimal():
        raise ValueError(f'network address parse error during conversion from string: no "/" in {text!r}')
    return [{True: str(ipaddress.ip_interface(text))}]


def _to_cidr(value: Any) -> Network:
    inner = plain(value)
    return ipaddress.ip_interface(inner if isinstance(inner, str) else inner[0][True])


def _contains(value: Any, address: Address) -> bool:
    network = _to_cidr(value).network
    return address.version == network.version and address in network


def _contains_cidr(value: Any, other: Any) -> bool:
    inner = _to_cidr(other)
    return _contains(value, inner.ip) and inner.network.prefixlen >= _to_cidr(value).network.prefixlen


def _url(text: str) -> dict[Any, str]:
    parts = urlsplit(text)
    if not parts.scheme and not text.startswith("/"):
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid URI for request')
    return {1: text}


def _to_url(value: Any) -> Any:
    return urlsplit(next(iter(plain(value).values())))


FUNCTIONS = (
    Function("quantity", QUANTITY, ("string",), False, read_quantity),
    Function("isQuantity", "bool", ("string",), False, _true_if(read_quantity)),
    Function("sign", "int", (QUANTITY,), False, lambda q: _compare(q, from_quantity(0))),
    Function("asApproximateFloat", "double", (QUANTITY,), True, lambda q: to_nanos(q) / NANO_PER_UNIT),
    Function("asInteger", "int", (QUANTITY,), True, _as_integer),
    Function("isInteger", "bool", (QUANTITY,), True, _is_integer),
    Function("add", QUANTITY, (QUANTITY, QUANTITY), True, lambda q, other: _plus(q, other, 1)),
    Function("add", QUANTITY, (QUANTITY, "int"), True, lambda q, other: _plus(q, other, 1)),
    Function("sub", QUANTITY, (QUANTITY, QUANTITY), True, lambda q, other: _plus(q, other, -1)),
    Function("sub", QUANTITY, (QUANTITY, "int"), True, lambda q, other: _plus(q, other, -1)),
    *(
        Function(name, result, (kind, kind), True, body)
        for kind in (QUANTITY, SEMVER)
        for name, result, body in (
            ("isGreaterThan", "bool", lambda a, b: _compare(a, b) > 0),
            ("isLessThan", "bool", lambda a, b: _compare(a, b) < 0),
            ("compareTo", "int", _compare),
        )
    ),
    Function("semver", SEMVER, ("string",), False, _semver),
    Function("semver", SEMVER, ("string", "bool"), False, _semver),
    Function("isSemver", "bool", ("string",), False, _true_if(_semver)),
    Function("isSemver", "bool", ("string", "bool"), False, _true_if(_semver)),
    Function("major", "int", (SEMVER,), True, lambda v: to_semver(v).numbers[0]),
    Function("minor", "int", (SEMVER,), True, lambda v: to_semver(v).numbers[1]),
    Function("patch", "int", (SEMVER,), True, lambda v: to_semver(v).numbers[2]),
    Function("find", "string", ("string", "string"), True, _find),
    Function("findAll", "list", ("string", "string"), True, _find_all),
    Function("findAll", "list", ("string", "string", "int"), True, _find_all),
    Function("isSorted", "bool", ("list",), True, _is_sorted),
    Function("sum", "dyn", ("list",), True, lambda values: sum(plain(values))),
    Function("min", "dyn", ("list",), True, _pick("min", min)),
    Function("max", "dyn", ("list",), True, _pick("max", max)),
    *(Function("includes", "bool", pair, True, _includes) for pair in product(_PLAIN, repeat=2)),
    *(Function(INDEX_OF, "int", ("list", kind), True, _index_of) for kind in _PLAIN),
    *(Function(LAST_INDEX_OF, "int", ("list", kind), True, _last_index_of) for kind in _PLAIN),
    Function(INDEX_OF, "int", ("string", "string"), True, lambda text, part: text.find(part)),
    Function(INDEX_OF, "int", ("string", "string", "int"), True, _index_from),
    Function(LAST_INDEX_OF, "int", ("string", "string"), True, lambda text, part: text.rfind(part)),
    Function(LAST_INDEX_OF, "int", ("string", "string", "int"), True, _last_index_until),
    Function("ip", IP, ("string",), False, _ip),
    Function(TEXT_OF, "string", (IP,), False, lambda value: str(_to_ip(value))),
    Function("isIP", "bool", ("string",), False, _true_if(_ip)),
    Function("ip.isCanonical", "bool", ("string",), False, lambda text: next(iter(_ip(text).values())) == text),
    Function("family", "int", (IP,), True, lambda value: _to_ip(value).version),
    Function("isUnspecified", "bool", (IP,), True, lambda value: _to_ip(value).is_unspecified),
    Function("isLoopback", "bool", (IP,), True, lambda value: _to_ip(value).is_loopback),
    Function("isLinkLocalMulticast", "bool", (IP,), True, _is_link_local_multicast),
    Function("isLinkLocalUnicast", "bool", (IP,), True, lambda value: _to_ip(value).is_link_local),
    Function("isGlobalUnicast", "bool", (IP,), True, _is_global_unicast),
    Function("cidr", CIDR, ("string",), False, _cidr),
    Function(TEXT_OF, "string", (CIDR,), False, lambda value: str(_to_cidr(value))),
    Function("isCIDR", "bool", ("string",), False, _true_if(_cidr)),
    Function("ip", IP, (CIDR,), True, lambda value: _ip(str(_to_cidr(value).ip))),
    Function("prefixLength", "int", (CIDR,), True, lambda value: _to_cidr(value).network.prefixlen),
    Function("masked", CIDR, (CIDR,), True, lambda value: _cidr(str(_to_cidr(value).network))),
    Function("containsIP", "bool", (CIDR, "string"), True, lambda value, ip: _contains(value, _to_ip(_ip(ip)))),
    Function("containsIP", "bool", (CIDR, IP), True, lambda value, ip: _contains(value, _to_ip(ip))),
    Function("containsCIDR", "bool", (CIDR, "string"), True, _contains_cidr),
    Function("containsCIDR", "bool", (CIDR, CIDR), True, _contains_cidr),
    Function("url", URL, ("string",), False, _url),
    Function("isURL", "bool", ("string",), False, _true_if(_url)),
    Function("getScheme", "string", (URL,), True, lambda value: _to_url(value).scheme),
    Function("getHost", "string", (URL,), True, lambda value: _to_url(value).netloc.rpartition("@")[2]),
    Function("getHostname", "string", (URL,), True, lambda value: _to_url(value).hostname or ""),
    Function("getPort", "string", (URL,), True, lambda value: str(_to_url(value).port or "")),
    Function("getEscapedPath", "string", (URL,), True, lambda value: _to_url(value).path),
    Function("getQuery", "map", (URL,), True, lambda value: parse_qs(_to_url(value).query, keep_blank_values=True)),
)
"""Every overload; of those that a value's own type does not tell apart at run time, the first one answers."""
