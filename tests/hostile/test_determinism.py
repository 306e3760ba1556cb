"""The same bytes each time: whatever the clock, the hash seed, the locale or the time zone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kplan.cli.main import main

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
SWEEP = ["sweep", "--fail-each", "zone", "-j", "1", "--snapshot", DEMO, "-o", "json"]


def test_a_sweep_tells_how_long_it_took_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main(SWEEP)
    assert all("seconds" not in one for one in json.loads(capsys.readouterr().out)["outcomes"])
    main([*SWEEP, "--timings"])
    assert any(one.get("seconds", 0) > 0 for one in json.loads(capsys.readouterr().out)["outcomes"])


@pytest.mark.parametrize(
    "words",
    [["explain", "pod", "-A"], ["drain", "node-b"], ["simulate"], ["sweep", "--fail-each", "zone", "-j", "2"]],
    ids=lambda words: words[0],
)
def test_surroundings_change_nothing(words: list[str]) -> None:
    surroundings = (
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"},
    )
    told = [
        subprocess.run(
            [sys.executable, "-m", "kplan", *words, "--snapshot", DEMO, "-o", "json"],
            capture_output=True,
            env={**os.environ, **around},
            check=False,
        ).stdout
        for around in surroundings
    ]
    assert told[0]
    assert told[0] == told[1]
