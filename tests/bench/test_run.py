"""The benchmark runs; how fast is not asserted."""

import pytest

from tests.bench import run


@pytest.mark.parametrize(
    ("shape", "running", "pending"), [("mixed", "40", "20"), ("preempt", "360", "1"), ("devices", "40", "20")]
)
def test_a_small_cluster_is_planned_and_told_in_one_row(
    shape: str, running: str, pending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--nodes", "12", "--running", "40", "--pending", "20"]
    assert run.main([*size, "--shape", shape, "--no-real"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    told = dict(zip(("shape", "nodes", "running", "pending", "who"), line.split(), strict=False))
    assert told == {"shape": shape, "nodes": "12", "running": running, "pending": pending, "who": "kplan"}
    assert len(head) == len(line)


def test_a_scheduler_that_is_named_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KPLAN_SCHEDBENCH", "/nowhere/schedbench")
    with pytest.raises(SystemExit, match="no file"):
        run.binary()
