"""When runs of a CronJob are due; expected moments by hand, from the rules of the library that the controller uses."""

from datetime import UTC, datetime

import pytest

from kplan.objects.cron import read_schedule


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


# the second of September 2026 is a Wednesday
@pytest.mark.parametrize(
    ("schedule", "zone", "after", "due"),
    [
        ("0 3 * * *", "", "2026-09-02T03:00:00", "2026-09-03T03:00:00"),
        ("0 3 * * *", "", "2026-09-02T02:59:59", "2026-09-02T03:00:00"),
        ("*/15 * * * *", "", "2026-09-02T12:01:30", "2026-09-02T12:15:00"),
        ("5/20 * * * *", "", "2026-09-02T12:26:00", "2026-09-02T12:45:00"),  # 5, 25 and 45: to the end
        ("30 6-16/4 * * 1-5", "", "2026-09-04T14:30:00", "2026-09-07T06:30:00"),  # Friday, then Monday
        ("0 0 1,15 * *", "", "2026-09-02T00:00:00", "2026-09-15T00:00:00"),
        ("0 0 ? feb MON", "", "2026-09-02T00:00:00", "2027-02-01T00:00:00"),
        ("0 0 29 2 *", "", "2026-09-02T00:00:00", "2028-02-29T00:00:00"),
        # both fields of days are limited: either is enough; a star with a step is none
        ("0 0 13 * 5", "", "2026-09-02T00:00:00", "2026-09-04T00:00:00"),
        ("0 0 */30 * 5", "", "2026-09-05T00:00:00", "2026-09-11T00:00:00"),
        ("0 0 * * 5", "", "2026-09-02T00:00:00", "2026-09-04T00:00:00"),
        ("@hourly", "", "2026-09-02T12:00:00", "2026-09-02T13:00:00"),
        ("@weekly", "", "2026-09-02T12:00:00", "2026-09-06T00:00:00"),
        ("@every 1h30m", "", "2026-09-02T12:00:10", "2026-09-02T13:30:10"),
        ("TZ=Asia/Tokyo 0 9 * * *", "", "2026-09-02T00:00:00", "2026-09-03T00:00:00"),
        ("0 9 * * *", "Asia/Tokyo", "2026-09-01T23:59:00", "2026-09-02T00:00:00"),
        # 2:30 is left out on the last Sunday of March, and there twice on that of October
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00", "2026-03-30T00:30:00"),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00", "2026-10-25T01:30:00"),
    ],
)
def test_when_the_next_run_is_due(schedule: str, zone: str, after: str, due: str) -> None:
    read = read_schedule(schedule, zone)
    assert read is not None
    assert read.after(moment(after)) == moment(due)


def test_a_day_that_never_comes() -> None:
    read = read_schedule("0 0 31 2 *")
    assert read is not None
    assert read.after(moment("2026-09-02T00:00:00")) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "* * * *",
        "60 * * * *",
        "* * * * 7",
        "5-1 * * * *",
        "*/0 * * * *",
        "0 0 L * *",
        "@reboot",
        "@every x",
        "1- * * * *",
    ],
)
def test_what_is_no_schedule(text: str) -> None:
    assert read_schedule(text) is None


def test_a_zone_that_is_not_known() -> None:
    assert read_schedule("0 3 * * *", "Mars/Olympus") is None


@pytest.mark.parametrize(
    ("schedule", "since", "now", "due"),
    [
        ("0 3 * * *", "2026-09-01T03:00:00", "2026-09-02T12:00:00", "2026-09-02T03:00:00"),
        ("0 3 * * *", "2026-09-02T03:00:00", "2026-09-02T12:00:00", ""),
        ("* * * * *", "2020-01-01T00:00:00", "2026-09-02T12:00:30", "2026-09-02T12:00:00"),
        ("0 0 1 1 *", "2020-02-01T00:00:00", "2026-09-02T12:00:00", "2026-01-01T00:00:00"),
        ("@every 7m", "2026-09-02T12:00:00", "2026-09-02T12:20:00", "2026-09-02T12:14:00"),
    ],
)
def test_which_run_was_due_last(schedule: str, since: str, now: str, due: str) -> None:
    read = read_schedule(schedule)
    assert read is not None
    assert read.latest(moment(since), moment(now)) == (moment(due) if due else None)
