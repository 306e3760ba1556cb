"""GCEPDLimits: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Pod
from kplan.plugins.gcepd_limits import GCEPDLimits
from kplan.plugins.shared.disk_limits import NO_CLAIM_NAME, REASON
from tests.plugins.disks import Disks, claim, using

DISKS = Disks("gcePersistentDisk", "pdName", "kubernetes.io/gce-pd", "attachable-volumes-gce-pd")
PLUGIN = GCEPDLimits(None, features("1.37").features)
REJECTED = DISKS.cases()


@pytest.mark.parametrize(("new", "others", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(new: Pod, others: tuple[Any, ...], wanted: Any) -> None:
    assert DISKS.rejected(PLUGIN, new, others) == wanted


def test_a_claim_without_a_name_fails_the_pod() -> None:
    assert DISKS.rejected(PLUGIN, using("new", claim("")), ()) == {"a": NO_CLAIM_NAME}


LIMITS: dict[str, tuple[dict[str, str], int]] = {"any node": ({}, 16)}


@pytest.mark.parametrize(("labels", "limit"), LIMITS.values(), ids=LIMITS)
def test_a_node_that_tells_no_limit_has_the_default(labels: dict[str, str], limit: int) -> None:
    assert DISKS.takes(PLUGIN, labels, limit) == ({}, {"a": [REASON]})
