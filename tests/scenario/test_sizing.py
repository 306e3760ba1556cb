"""Requests that a VerticalPodAutoscaler gives, and the limits that grow with them; all numbers by hand."""

from typing import Any

import pytest

from kplan.objects.models import LimitRange
from kplan.objects.models.autoscaling import ContainerResourcePolicy
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.policy import LimitRangeItem, LimitRangeSpec
from kplan.scenario.autoscalers import Advice
from kplan.scenario.sizing import with_requests
from kplan.sources import ManifestObject


def sized(
    resources: dict[str, Any],
    amounts: dict[str, Any],
    policy: ContainerResourcePolicy | None = None,
    **limits: dict[str, Any],
) -> dict[str, Any]:
    """Resources of the only container, sized; limits are those of a LimitRange, by its fields."""
    raw: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"name": "main", "resources": resources}]}}}}
    manifest = ManifestObject("apps/v1", "Deployment", None, raw, "m.yaml", 1)
    given = {"main": policy or ContainerResourcePolicy()}
    advice = Advice("VerticalPodAutoscaler web", "shop", "Deployment", "web", {"main": amounts}, given)
    spec = LimitRangeSpec([LimitRangeItem(type="Container", **limits)])
    ranges = [
        LimitRange(metadata=ObjectMeta(name="all", namespace="shop"), spec=spec),
        LimitRange(metadata=ObjectMeta(name="all", namespace="other"), spec=LimitRangeSpec([TIGHT])),
    ]
    sized_manifest: Any = with_requests(manifest, advice, ranges)[0].raw
    resources_after: dict[str, Any] = sized_manifest["spec"]["template"]["spec"]["containers"][0]["resources"]
    return resources_after


TIGHT = LimitRangeItem(type="Container", max={"cpu": "1m", "memory": "1"})
BARE = ContainerResourcePolicy(controlled_values="RequestsOnly")
BOUNDED = ContainerResourcePolicy(min_allowed={"cpu": "200m", "memory": "0"}, max_allowed={"cpu": "2", "memory": "0"})


@pytest.mark.parametrize(
    ("requests", "limits", "wanted", "after"),
    [
        pytest.param({"cpu": "1"}, {"cpu": "2"}, {"cpu": "1500m"}, {"cpu": "3"}, id="twice the request stays twice"),
        pytest.param({"cpu": "300m"}, {"cpu": "1"}, {"cpu": "100m"}, {"cpu": "333m"}, id="thousandths, rounded down"),
        pytest.param(
            # 2 GiB * 262,144,000 / 1,572,864,000 bytes = 357,913,941.33
            {"memory": "1500Mi"}, {"memory": "2Gi"}, {"memory": "262144k"}, {"memory": "357913941"},
            id="whole bytes, rounded down",
        ),
        pytest.param({}, {"cpu": "1"}, {"cpu": "2"}, {"cpu": "2"}, id="no request is one as large as the limit"),
        pytest.param({"cpu": "0"}, {"cpu": "1"}, {"cpu": "2"}, {"cpu": "2"}, id="a request of 0 is none"),
        pytest.param({"cpu": "1"}, {"cpu": "1"}, {"cpu": "1001m"}, {"cpu": "1001m"}, id="equal stays equal"),
        pytest.param({"cpu": "1"}, {"memory": "1Gi"}, {"cpu": "2"}, {"memory": "1Gi"}, id="others stay"),
        pytest.param({"x.io/a": "1"}, {"x.io/a": "1"}, {"x.io/a": "2"}, {"x.io/a": "1"}, id="cpu and memory alone"),
        pytest.param({"cpu": "1"}, {"cpu": "2"}, {"cpu": "0"}, {"cpu": "2"}, id="nothing wanted, nothing grows"),
    ],
)  # fmt: skip
def test_a_limit_keeps_its_proportion(
    requests: dict[str, Any], limits: dict[str, Any], wanted: dict[str, Any], after: dict[str, Any]
) -> None:
    resources = sized({"requests": requests, "limits": limits}, wanted)
    assert resources == {"requests": {**requests, **wanted}, "limits": after}


def test_without_limits_there_are_none_after() -> None:
    assert sized({}, {"cpu": "1"}) == {"requests": {"cpu": "1"}}


def test_limits_that_stay_bound_the_request() -> None:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2"}}
    after = {"requests": {"cpu": "2", "memory": "8Gi"}, "limits": {"cpu": "2"}}
    assert sized(resources, {"cpu": "3", "memory": "8Gi"}, BARE) == after


@pytest.mark.parametrize(
    ("wanted", "given"),
    [("100m", "200m"), ("1", "1"), ("3", "2")],
)
def test_the_policy_bounds_what_is_recommended_and_a_bound_of_0_is_none(wanted: str, given: str) -> None:
    resources = sized({"requests": {"cpu": "500m"}}, {"cpu": wanted, "memory": "1Gi"}, BOUNDED)
    assert resources == {"requests": {"cpu": given, "memory": "1Gi"}}


def test_defaults_of_a_namespace_are_there_before_the_pod_is_sized() -> None:
    defaults = {"default": {"cpu": "500m"}, "default_request": {"cpu": "250m"}}
    after = {"requests": {"cpu": "1500m"}, "limits": {"cpu": "3"}}
    assert sized({}, {"cpu": "1500m"}, **defaults) == after
    # a limit of 1 that is written is the request as well, as nothing else is: 1 to 1
    written = {"requests": {"cpu": "1500m"}, "limits": {"cpu": "1500m"}}
    assert sized({"limits": {"cpu": "1"}}, {"cpu": "1500m"}, **defaults) == written
    # the limit that the namespace gives stays, and bounds the request
    assert sized({}, {"cpu": "1500m"}, BARE, **defaults) == {"requests": {"cpu": "500m"}}


@pytest.mark.parametrize(
    ("wanted", "request_", "limit"),
    [
        pytest.param("3", "1500m", "3", id="the limit may be 3, and is twice the request"),
        pytest.param("100m", "400m", "800m", id="the request may not be below 400m"),
        pytest.param("1", "1", "2", id="neither"),
    ],
)
def test_bounds_of_a_namespace_hold_for_the_limit_in_its_proportion(wanted: str, request_: str, limit: str) -> None:
    resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}
    after = {"requests": {"cpu": request_}, "limits": {"cpu": limit}}
    assert sized(resources, {"cpu": wanted}, max={"cpu": "3"}, min={"cpu": "400m"}) == after


def test_a_bound_of_the_policy_comes_after_those_of_the_namespace() -> None:
    least = ContainerResourcePolicy(min_allowed={"cpu": "2"})
    resources = sized({"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}, {"cpu": "3"}, least, max={"cpu": "1500m"})
    assert resources == {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}


def test_a_bound_without_any_limit() -> None:
    # no limit is written and none is a default: then the largest limit is the default, and so is the request
    assert sized({}, {"cpu": "3"}, max={"cpu": "2"}) == {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
    # the smallest is for the request alone
    assert sized({}, {"cpu": "100m"}, min={"cpu": "200m"}) == {"requests": {"cpu": "200m"}}
