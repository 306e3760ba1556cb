"""The benchmark runs; how fast is not asserted."""

import pytest

from tests.bench import growth, run


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


def test_growth_is_told_as_exponents_of_time_and_of_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--growth", "host-ports", "--small"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["shape", "n", "seconds", "exponents", "calls", "exponents"]
    name, size, *numbers = line.split()
    assert (name, size, len(numbers)) == ("host-ports", "4", 3 + 2 + 3 + 2)


def test_an_exponent_is_that_of_each_doubling() -> None:
    assert growth.exponents([1.0, 2.0, 8.0]) == "1.0 2.0"
