"""Two thousand mutated inputs, always the same; ``make fuzz`` tries as many others as there is time for."""

from __future__ import annotations

import pytest

from tests.hostile.fuzz import bases, tried

COUNT, PARTS = 2_000, 8
ASKED = 4
"""Of so many inputs one is also asked a question about; all are read, in every way there is."""


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_inputs_are_read_or_refused(part: int) -> None:
    found = bases()
    broken = [
        f"seed {seed}: {told}"
        for seed in range(part, COUNT, PARTS)
        if (told := tried(seed, found, question=seed // PARTS % ASKED == 0))
    ]
    assert broken == []
