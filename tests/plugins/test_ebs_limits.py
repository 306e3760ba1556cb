"""EBSLimits: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Pod
from kplan.plugins.ebs_limits import EBSLimits
from kplan.plugins.shared.disk_limits import NO_CLAIM_NAME, REASON
from tests.plugins.disks import Disks, claim, using

DISKS = Disks("awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs", "attachable-volumes-aws-ebs")
PLUGIN = EBSLimits(None, features("1.37").features)
REJECTED = DISKS.cases()


@pytest.mark.parametrize(("new", "others", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(new: Pod, others: tuple[Any, ...], wanted: Any) -> None:
    assert DISKS.rejected(PLUGIN, new, others) == wanted


def test_a_claim_without_a_name_fails_the_pod() -> None:
    assert DISKS.rejected(PLUGIN, using("new", claim("")), ()) == {"a": NO_CLAIM_NAME}


LIMITS: dict[str, tuple[dict[str, str], int]] = {
    "a node of no type": ({}, 39),
    "an older type": ({"node.kubernetes.io/instance-type": "m4.large"}, 39),
    "m5": ({"node.kubernetes.io/instance-type": "m5.large"}, 25),
    "c5d by the older label": ({"beta.kubernetes.io/instance-type": "c5d.xlarge"}, 25),
    "t3": ({"node.kubernetes.io/instance-type": "t3.micro"}, 25),
    "z1d": ({"node.kubernetes.io/instance-type": "z1d.large"}, 25),
}


@pytest.mark.parametrize(("labels", "limit"), LIMITS.values(), ids=LIMITS)
def test_a_node_that_tells_no_limit_has_the_default(labels: dict[str, str], limit: int) -> None:
    assert DISKS.takes(PLUGIN, labels, limit) == ({}, {"a": [REASON]})
