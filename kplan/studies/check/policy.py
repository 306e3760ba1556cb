"""The policy of ``kplan check``: what a repository asks of a change beyond that it fits; from a file or flags."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from kplan.errors import SourceError, UsageError
from kplan.objects.kinds import KINDS
from kplan.objects.whole_numbers import read_span
from kplan.sources.plain_yaml import read_plain_yaml
from kplan.wording.check import no_such_doubt, no_value

SURVIVE = ("zone", "node")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%?")


@dataclass(frozen=True)
class CheckPolicy:
    """What is asked of a change; names of the fields with ``-`` are those of the flags and of the policy file.

    Attributes:
        require_zones: zones in which the replicas of each workload must be; 0 for any.
        no_preemption: whether nothing may be evicted.
        max_victims: most pods that may be evicted; None for any number.
        headroom: share of cpu and of memory that must stay free, of the cluster and of each pool; None for none.
        survive: ``zone``, ``node``: what may be lost and everything is placed again.
        quota: whether refusals by a ResourceQuota count.
        strict_kinds: whether objects of other projects that are taken to make no pods are doubts.
        max_age: oldest snapshot that is accepted [seconds]; None for any.
        allow_doubt: codes of doubts that are accepted.
    """

    require_zones: int = 0
    no_preemption: bool = False
    max_victims: int | None = None
    headroom: Fraction | None = None
    survive: tuple[str, ...] = ()
    quota: bool = False
    strict_kinds: bool = False
    max_age: int | None = None
    allow_doubt: tuple[str, ...] = ()

    def over(self, other: CheckPolicy) -> CheckPolicy:
        """Lay this policy over another: it wins where it says something; what is allowed or survived adds up."""
        chosen: dict[str, Any] = {}
        for field in fields(self):
            mine, default = getattr(self, field.name), field.default
            if isinstance(mine, tuple):
                chosen[field.name] = tuple(dict.fromkeys((*getattr(other, field.name), *mine)))
            elif mine != default:
                chosen[field.name] = mine
        return dataclasses.replace(other, **chosen)


def policy(given: Mapping[str, object], where: str = "") -> CheckPolicy:
    """Read a policy from values by the names of flags.

    Args:
        given: ``require-zones: 2``, ``headroom: 20%``, ``survive: [zone]``; what is None says nothing.
        where: name of the file they are from; empty for flags.

    Raises:
        UsageError: a name or a value that means nothing.
    """
    made: dict[str, Any] = {}
    for name, value in given.items():
        read = _READERS.get(name)
        if read is None:
            raise UsageError(f"{where}: no rule {name}", code="bad-policy", hint=f"one of: {', '.join(_READERS)}")
        if value is None:
            continue
        try:
            made[name.replace("-", "_")] = read(value)
        except ValueError as error:
            flag = f"{where}: {name}" if where else f"--{name}"
            shown = ", ".join(map(str, value)) if isinstance(value, list) else repr(value)
            bare = read is _span and read_span(f"{str(value).strip()}h") is not None
            raise UsageError(f"{flag}: {shown} {no_value(bare=bare)}", code="bad-policy", hint=str(error)) from None
    return CheckPolicy(**made)


def read_policy(file: str) -> CheckPolicy:
    """Read a policy file.

    Raises:
        SourceError: it cannot be read, or is no YAML mapping.
        UsageError: a name or a value in it means nothing.
    """
    document = read_plain_yaml(file)
    if document is None:
        return CheckPolicy()
    if not isinstance(document, dict):
        raise SourceError("not a mapping of rules", file=file, code="bad-policy", hint="require-zones: 2")
    return policy({str(name): value for name, value in document.items()}, file)


def _whole(least: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"a number from {least}")
        return value

    return read


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _share(value: object) -> Fraction:
    match = _SHARE.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if match is None or Fraction(match[1]) >= 100:
        raise ValueError("a share below 100%, as in 20%")
    if 0 < Fraction(match[1]) < 1 and "%" not in str(value):
        raise ValueError(f"{float(100 * Fraction(match[1])):g}%, or {match[1]}% if that is what is meant")
    return Fraction(match[1]) / 100


def _span(value: object) -> int:
    seconds = read_span(str(value).strip())
    if seconds is None:
        raise ValueError("a number with its unit, as in 90m, 24h, 7d")
    return seconds


def _words(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(item, str) and item for item in items):
        raise ValueError("a word, or a list of words")
    return tuple(dict.fromkeys(items))


def _several(value: object) -> tuple[str, ...]:
    """Words, also those that a flag gives at once: ``zone,node``."""
    parts = [part.strip() for word in _words(value) for part in word.split(",")]
    return _words(parts)


def _losses(value: object) -> tuple[str, ...]:
    words = _several(value)
    if not set(words) <= set(SURVIVE):
        raise ValueError(f"one of: {', '.join(SURVIVE)}")
    return words


def _doubts(value: object) -> tuple[str, ...]:
    codes = _several(value)
    for code in codes:
        if code not in CODES:
            raise ValueError(no_such_doubt(code, close_to(code)))
    return codes


_READERS: dict[str, Callable[[object], object]] = {
    "require-zones": _whole(1),
    "no-preemption": _flag,
    "max-victims": _whole(0),
    "headroom": _share,
    "survive": _losses,
    "quota": _flag,
    "strict-kinds": _flag,
    "max-age": _span,
    "allow-doubt": _doubts,
}


_OTHERS = (
    "broken-object",
    "budget-scale-unknown",
    "change-not-modelled",
    "config-converted",
    "devices-not-modelled",
    "extender-not-asked",
    "extenders-asked-about-all-nodes",
    "extenders-do-not-know-the-plan",
    "gates-assumed",
    "group-elsewhere",
    "lands-back",
    "no-autoscalers",
    "no-zones",
    "node-silent",
    "node-still-there",
    "nodes-missing",
    "not-expanded",
    "other-scheduler",
    "plugin-not-modelled",
    "pod-group-not-modelled",
    "pod-security",
    "policy-removed",
    "queue-sort-assumed",
    "quota-count-unknown",
    "scheduler-config-assumed",
    "snapshot-age-unknown",
    "snapshot-old",
    "version-too-new",
    "version-too-old",
    "volume-attached",
    "volume-shared",
)

CODES = frozenset(
    {
        *_OTHERS,
        *(kind.code or f"no-{kind.plural}" for kind in KINDS),
        *(f"partial-{kind.plural}" for kind in KINDS),
        *(f"broken-{kind.name.lower()}" for kind in KINDS),
    }
)


def close_to(code: str) -> list[str]:
    """Give the codes that may be meant by one that there is not, the likeliest first."""
    return get_close_matches(code, sorted(CODES), n=3, cutoff=0.6)
