"""Durations as Go reads and prints them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.config.durations import format_duration, parse_duration

MS, S = 10**6, 10**9

WRITTEN = [
    ("0", 0, "0s"),
    ("10s", 10 * S, "10s"),
    ("1m30s", 90 * S, "1m30s"),
    ("-1.5h", -5400 * S, "-1h30m0s"),
    ("+500ms", 500 * MS, "500ms"),
    (".5s", 500 * MS, "500ms"),
    ("1.s", S, "1s"),
    ("1h2m0.5s", 3720 * S + 500 * MS, "1h2m0.5s"),
    ("100us", 100_000, "100µs"),
    ("100µs", 100_000, "100µs"),
    ("1500ns", 1500, "1.5µs"),
    ("3ns", 3, "3ns"),
    ("1.0005s", 1000 * MS + 500_000, "1.0005s"),
]


@pytest.mark.parametrize(("text", "nanoseconds", "printed"), WRITTEN, ids=[row[0] for row in WRITTEN])
def test_a_duration_is_read_and_printed(text: str, nanoseconds: int, printed: str) -> None:
    assert parse_duration(text) == nanoseconds
    assert format_duration(nanoseconds) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("5", 'time: missing unit in duration "5"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("s", 'time: invalid duration "s"'),
        (".s", 'time: invalid duration ".s"'),
        ("-", 'time: invalid duration "-"'),
        ("10000000h", 'time: invalid duration "10000000h"'),
    ],
)
def test_what_is_no_duration_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_duration(text)


@settings(derandomize=True, max_examples=200)
@given(st.integers(-(2**52), 2**52))
def test_a_printed_duration_reads_back(nanoseconds: int) -> None:
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds
