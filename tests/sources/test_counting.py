"""Bytes of a text are counted alike, however long it is and wherever it lies."""

import mmap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.sources import counting
from kplan.sources.counting import count_of

PLACES = st.tuples(st.binary(max_size=60), st.integers(0, 60), st.integers(0, 60))


@pytest.mark.parametrize("long", [0, 1 << 25], ids=["by NumPy", "without"])
@pytest.mark.parametrize("at_a_time", [7, 1 << 18])
@settings(max_examples=100, deadline=None, derandomize=True)
@given(PLACES, st.sampled_from([b"\n", b",[{", b",[{\n"]))
def test_each_byte_of_the_part_counts_once(
    long: int, at_a_time: int, drawn: tuple[bytes, int, int], signs: bytes
) -> None:
    text, start, end = drawn[0].replace(b"a", b",").replace(b"b", b"\n"), *sorted(drawn[1:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "LONG", long)
        patch.setattr(counting, "_AT_A_TIME", at_a_time)
        end = min(end, len(text))
        expected = len([each for each in text[start:end] if each in signs])
        assert count_of(text, signs, start, end) == expected
        assert count_of(text, signs) == len([each for each in text if each in signs])
        if text:
            with mmap.mmap(-1, len(text)) as memory:
                memory[:] = text
                assert count_of(memory, signs, start, end) == expected
