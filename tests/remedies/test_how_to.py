"""How a remedy is carried out: each part by flags where what-ifs do all of it, else by commands."""

from __future__ import annotations

import pytest

from kplan.cluster import Put
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate, RemedyCost, both
from kplan.remedies.deeds import Objects
from kplan.scenario.nodes import Cordon
from kplan.scenario.pods import Evict
from kplan.wording.how_to import how_to

IDLE = Candidate("evict-unready", RemedyCost.REQUEST, Named(names=("shop/web-1",)), steps=(Evict("shop/web-1"),))
OPEN = Candidate("uncordon", RemedyCost.UNCORDON, Named(node="b"), steps=(Cordon("b", on=False),))
ONE = Candidate(
    "one-budget", RemedyCost.EVICT, Named(name="web", namespace="shop", names=("too",)),
    steps=(Objects((Put("pod_disruption_budgets", "shop/too", None),)),),
)  # fmt: skip
WAITS = Candidate("delete-pod", RemedyCost.EVICT, Named("waits", keys=("shop/old",)), steps=(Evict("shop/old"),))
DELETES = "kubectl delete pdb too -n shop  # its pods are guarded by web alone then"


@pytest.mark.parametrize(
    ("candidate", "flags", "commands"),
    [
        (OPEN, ["--uncordon b"], []),
        (ONE, [], [DELETES]),
        (both(IDLE, OPEN), ["--evict shop/web-1", "--uncordon b"], []),
        (both(both(IDLE, ONE), OPEN), ["--evict shop/web-1", "--uncordon b"], [DELETES]),
        (both(WAITS, OPEN), ["--uncordon b"], ["kubectl delete pod old -n shop"]),
    ],
    ids=[
        "a what-if", "an object that is other than it is", "two what-ifs", "what-ifs beside an object",
        "what has to come first, beside a what-if",
    ],
)  # fmt: skip
def test_no_part_of_a_remedy_is_left_out(candidate: Candidate, flags: list[str], commands: list[str]) -> None:
    told = how_to(candidate)
    assert (list(told.flags), list(told.commands)) == (flags, commands)
