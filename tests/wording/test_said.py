"""Sentences with asides: what is left out where there is no room, and what never is."""

import pytest

from kplan.wording.view import ROOM, Said

LONG = "x" * (ROOM - 10)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param(Said.of("a", " (b)", " c"), "a (b) c", id="all where there is room"),
        pytest.param(Said.of(LONG, " (0123456789)", "."), f"{LONG}.", id="without its aside where there is none"),
        pytest.param(Said.of(LONG, " (1)", ".", " (01234)"), f"{LONG} (1).", id="the last aside goes first"),
        pytest.param(Said.of(f"zone in (a, b) {LONG}"), f"zone in (a, b) {LONG}", id="brackets of its own stay"),
        pytest.param(Said.of(LONG + LONG, " (b)"), LONG + LONG, id="it is never cut in its midst"),
    ],
)
def test_a_sentence_has_as_many_asides_as_there_is_room_for(said: Said, text: str) -> None:
    assert said.whole() == text
