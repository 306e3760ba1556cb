"""Schedules of CronJobs: when a run is due, by the rules of the library that the controller reads them with.

Source: github.com/robfig/cron/v3 v3.0.1 parser.go ParseStandard and getRange, spec.go Next and dayMatches,
constantdelay.go; formatSchedule in pkg/controller/cronjob/cronjob_controllerv2.go. Why no other library does:
docs/decisions/0095.

Not modelled: seconds and fractions of them in ``@every``, a midnight that a change to summer time leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from msgspec import Struct

from kplan.objects.whole_numbers import natural

_YEARS = 5
"""How far the library looks ahead."""
_DAY, _MINUTE = 86400, 60
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_DAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
_BOUNDS: tuple[tuple[int, int, Mapping[str, int]], ...] = (
    (0, 59, {}), (0, 23, {}), (1, 31, {}), (1, 12, _MONTHS), (0, 6, _DAYS),
)  # fmt: skip
"""Of minute, hour, day of the month, month and day of the week: least, most, names."""
_NAMED = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_EVERY = re.compile(r"@every ((?:\d+h)?(?:\d+m)?(?:\d+s)?)")
_ZONE = re.compile(r"(?:CRON_)?TZ=(\S+) +")


class CronField(Struct, frozen=True):
    """One of the five fields.

    Attributes:
        values: when it holds.
        star: whether it is ``*`` or ``?`` without a step, so that the other field of days decides alone.
    """

    values: frozenset[int]
    star: bool


class Schedule(Struct, frozen=True):
    """When runs are due.

    Attributes:
        fields: minute, hour, day of the month, month, day of the week; none for one that is due every so often.
        every: seconds from one to the next then; 0 for fields.
        zone: whose clock it goes by.
    """

    fields: tuple[CronField, ...]
    every: int
    zone: tzinfo

    def after(self, moment: float) -> float | None:
        """When the first run after a moment is due [both in seconds since 1970]; None for not within five years."""
        if self.every:
            return float(int(moment) + self.every)
        minute = (int(moment) // _MINUTE + 1) * _MINUTE
        day = datetime.fromtimestamp(minute, self.zone).date()
        last = day.year + _YEARS
        while day.year <= last:
            if self._on(day.month, day.day, day.isoweekday() % 7):
                begin = int(datetime(day.year, day.month, day.day, tzinfo=self.zone).timestamp())
                due = self._within(max(minute, begin), day.day)
                if due is not None:
                    return due
            day += timedelta(days=1)
        return None

    def _within(self, begin: int, day: int) -> float | None:
        """When the first run of a day is due, from some minute of it on."""
        minutes, hours = self.fields[0].values, self.fields[1].values
        for minute in range(begin, begin + _DAY + 2 * 3600, _MINUTE):
            clock = datetime.fromtimestamp(minute, self.zone)
            if clock.day != day:
                return None
            if clock.hour in hours and clock.minute in minutes:
                return float(minute)
        return None

    def _on(self, month: int, day: int, weekday: int) -> bool:
        """Whether runs are due on a day: by both fields of days if one is a star, else by either."""
        _, _, days, months, weekdays = self.fields
        by_month, by_week = day in days.values, weekday in weekdays.values
        either = by_month and by_week if days.star or weekdays.star else by_month or by_week
        return month in months.values and either

    def latest(self, since: float, now: float) -> float | None:
        """When the last run between two moments was due; None for none.

        Source: mostRecentScheduleTime in pkg/controller/cronjob/utils.go.
        """
        if self.every:
            times = int(now - int(since)) // self.every
            return float(int(since) + times * self.every) if times > 0 else None
        back = float(_MINUTE)
        begin = now - back
        while begin > since and (first := self.after(begin)) is not None and first > now:
            back *= 2
            begin = now - back
        due, found = self.after(max(begin, since)), None
        while due is not None and due <= now:
            found, due = due, self.after(due)
        return found


def read_schedule(text: str, zone: str = "") -> Schedule | None:
    """Read a schedule; None for what is none, or goes by the clock of a zone that is not known here.

    Args:
        text: as a CronJob has it.
        zone: its timeZone; empty for that of the controller, which is taken to be UTC.
    """
    named = _ZONE.match(text)
    clock = _clock(zone or (named[1] if named else ""))
    text = text[named.end() :].strip() if named else text
    if clock is None:
        return None
    if every := _EVERY.fullmatch(text):
        return Schedule((), _seconds(every[1]), clock) if every[1] else None
    parts = _NAMED.get(text, text).split()
    if len(parts) != len(_BOUNDS):
        return None
    fields = [_field(part, *bounds) for part, bounds in zip(parts, _BOUNDS, strict=True)]
    known = tuple(field for field in fields if field is not None)
    return Schedule(known, 0, clock) if len(known) == len(fields) else None


def _clock(zone: str) -> tzinfo | None:
    if zone in ("", "UTC"):
        return UTC
    from zoneinfo import ZoneInfo  # zones are read from files: not before one is needed

    try:
        return ZoneInfo(zone)
    except (OSError, ValueError, LookupError):
        return None


def _seconds(text: str) -> int:
    sizes = {"h": 3600, "m": 60, "s": 1}
    return max(1, sum(int(number) * sizes[unit] for number, unit in re.findall(r"(\d+)([hms])", text)))


def _field(text: str, least: int, most: int, names: Mapping[str, int]) -> CronField | None:
    ranges = [_range(part, least, most, names) for part in text.split(",") if part]
    known = [given for given in ranges if given is not None]
    if not known or len(known) < len(ranges):
        return None
    return CronField(frozenset().union(*(values for values, _ in known)), any(star for _, star in known))


def _range(text: str, least: int, most: int, names: Mapping[str, int]) -> tuple[frozenset[int], bool] | None:
    """``*``, ``5``, ``1-5``, each with ``/2`` behind; ``5/2`` is from 5 to the end."""
    span, _, steps = text.partition("/")
    step = natural(steps) if "/" in text else 1
    low, _, high = span.partition("-")
    star = low in ("*", "?")
    begin = least if star else names.get(low.lower(), natural(low))
    ends = most if star or ("/" in text and "-" not in span) else begin
    end = names.get(high.lower(), natural(high)) if "-" in span and not star else ends
    if begin is None or end is None or not step or not least <= begin <= end <= most:
        return None
    return frozenset(range(begin, end + 1, step)), star and step == 1
