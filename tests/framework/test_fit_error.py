"""The sentence of a FailedScheduling event, as kube-scheduler 1.34 to 1.37 write it."""

import pytest

from kplan.framework.fit_error import fit_error

CASES: dict[str, tuple[int, dict[str, int], dict[str, str], str]] = {
    "one reason": (3, {"Insufficient cpu": 3}, {}, "0/3 nodes are available: 3 Insufficient cpu."),
    "reasons are sorted as text, so 10 comes before 2": (
        12,
        {"Too many pods": 2, "Insufficient memory": 10},
        {},
        "0/12 nodes are available: 10 Insufficient memory, 2 Too many pods.",
    ),
    "equal counts are sorted by reason, capitals first": (
        2,
        {"node(s) were unschedulable": 1, "Insufficient cpu": 1},
        {},
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
    ),
    "PostFilter's text follows after a space": (
        1,
        {"Insufficient cpu": 1},
        {"post_filter": "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."},
        "0/1 nodes are available: 1 Insufficient cpu. "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ),
    "a PreFilter that refused stands in for the reasons": (
        4,
        {"Insufficient cpu": 4},
        {"pre_filter": 'persistentvolumeclaim "data" not found'},
        '0/4 nodes are available: persistentvolumeclaim "data" not found.',
    ),
    "a PreFilter that refused, then PostFilter": (
        4,
        {},
        {"pre_filter": "no", "post_filter": "preemption: not eligible due to preemptionPolicy=Never."},
        "0/4 nodes are available: no. preemption: not eligible due to preemptionPolicy=Never.",
    ),
    "without any reason the colon ends the sentence": (2, {}, {}, "0/2 nodes are available:"),
    "without any reason PostFilter's text still follows": (
        2,
        {},
        {"post_filter": "preemption: no."},
        "0/2 nodes are available: preemption: no.",
    ),
}


@pytest.mark.parametrize(("total", "histogram", "texts", "want"), CASES.values(), ids=CASES)
def test_sentence(total: int, histogram: dict[str, int], texts: dict[str, str], want: str) -> None:
    assert fit_error(total, histogram, **texts) == want
