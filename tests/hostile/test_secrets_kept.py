"""Secrets and what is kept or drawn beside an answer: the cache of snapshots, settings, the line of progress."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli import progress
from kplan.cli.main import main
from tests.hostile.test_secrets import DATA, ENV, NOTE, PASSWORD, PLANTED, TOKEN, clean, files, questions


def test_the_cache_has_none_but_annotations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What kubectl applied last decides what a changed manifest takes away: annotations stay, for the owner alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("kplan.sources.kept.WORTH_KEEPING", 1)
    state, manifest, _ = files(tmp_path)
    for _ in range(2):
        main(["simulate", manifest, "--snapshot", state, "--debug"])
        clean("".join(capsys.readouterr()))
    kept = list((tmp_path / "cache" / "kplan").iterdir())
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600]
    data = kept[0].read_bytes()
    assert {one for one in PLANTED if one.encode() in data} == {NOTE}
    main(["simulate", manifest, "--snapshot", state, "--no-cache"])
    assert list((tmp_path / "cache" / "kplan").iterdir()) == kept


SETTINGS: dict[str, Any] = {
    "an unknown key": {"token": TOKEN},
    "a wrong type": {"snapshot": [TOKEN]},
    "a map in place of a text": {"context": {"password": PASSWORD}},
    "a text in place of a list": {"silent-kinds": TOKEN},
    "a list of maps": {"silent-kinds": [{"data": DATA}]},
    "a list": [TOKEN, {"env": ENV}],
    "a kubeconfig": {"users": [{"name": "u", "user": {"token": TOKEN, "password": PASSWORD}}]},
    "a text": TOKEN,
}


@pytest.mark.parametrize("case", SETTINGS)
def test_no_error_in_settings_has_any(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".kplan.yaml").write_text(yaml.safe_dump(SETTINGS[case]))
    for debug in ([], ["--debug"]):
        with contextlib.chdir(tmp_path):
            assert main(["nodes", *debug]) == 2
        clean("".join(capsys.readouterr()), case)


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_line_of_progress_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    state, manifest, config = files(tmp_path)
    drawn = 0
    for words in questions(state, manifest, config, str(tmp_path / "plan")):
        err = Terminal()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            main(words)
        clean(err.getvalue(), words)
        drawn += err.getvalue().count("\x1b[K")
    assert drawn > 20
