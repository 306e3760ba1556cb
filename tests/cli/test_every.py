"""``kplan snapshot --every``: intervals, and what is refused."""

import pytest

from kplan.cli.every import span_of
from kplan.cli.main import main
from kplan.errors import UsageError


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("15m", 900), ("1h", 3600), ("1d12h", 129600)])
def test_an_interval_is_read(text: str, seconds: int) -> None:
    assert span_of(text) == seconds


@pytest.mark.parametrize("text", ["1", "h", "0s", "1h!", "-1h", "1 h"])
def test_what_is_no_interval_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not an interval"):
        span_of(text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["DIR", "--keep", "3"], "--keep without --every"),
        (["DIR", "--every", "1h", "--snapshot", "a.json"], "a.json is a file, and does not change"),
        (["DIR", "--every", "often"], "--every often: not an interval"),
    ],
)
def test_what_cannot_be_done_is_said(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["snapshot", *words]) == 2
    assert said in capsys.readouterr().err
