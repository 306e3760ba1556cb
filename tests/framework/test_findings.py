"""Findings: what a Filter plugin answers about worlds."""

import numpy as np

from kplan.framework.findings import Findings, Refusal, RowError, failed_everywhere, passed, refused
from kplan.framework.reason_codes import ReasonCode

CODE = ReasonCode.PORT_TAKEN


def mask(*bits: int) -> np.ndarray:
    return np.array(bits, dtype=np.bool_)


def test_a_world_fails_for_any_reason_or_error() -> None:
    findings: Findings[None] = Findings(
        (Refusal(CODE, (), "a", mask(1, 0, 0, 0)), Refusal(CODE, (), "b", mask(1, 1, 0, 0))),
        mask(0, 0, 0, 0),
        (RowError(2, "boom"),),
    )
    assert findings.failed.tolist() == [True, True, True, False]


def test_reasons_of_a_world_keep_their_order() -> None:
    findings: Findings[None] = Findings(
        (Refusal(CODE, (), "z", mask(1, 0)), Refusal(CODE, (), "a", mask(1, 1))), mask(0, 0)
    )
    assert (findings.reasons(0), findings.reasons(1)) == (("z", "a"), ("a",))


def test_the_first_error_of_a_world_is_told() -> None:
    findings: Findings[None] = Findings((), mask(0, 0), (RowError(1, "first"), RowError(1, "second")))
    assert (findings.error(0), findings.error(1)) == (None, "first")


def test_passed_refuses_nothing() -> None:
    assert (passed(2).failed.tolist(), passed(0).failed.tolist()) == ([False, False], [])


def test_refused_has_one_reason_and_one_code() -> None:
    findings = refused(CODE, "no", mask(0, 1), unresolvable=True)
    assert (findings.failed.tolist(), findings.reasons(1), findings.unresolvable.all()) == (
        [False, True],
        ("no",),
        True,
    )


def test_failed_everywhere_is_an_error_on_each_world() -> None:
    findings = failed_everywhere("boom", 2)
    assert (findings.failed.tolist(), findings.error(0), findings.error(1)) == ([True, True], "boom", "boom")
    assert findings.reasons(0) == ()
