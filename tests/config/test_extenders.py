"""Extenders of a configuration: which are refused, and in which order they are asked."""

from typing import Any

import pytest

from kplan.framework.args import (
    NodeResourcesFitArgs,
)
from tests.config.build import HEADER, args, load, refused

SECOND = 10**9


def test_extenders_that_may_fail_come_last_and_wait_five_seconds_by_default() -> None:
    loaded = load(
        extenders=[
            {"urlPrefix": "http://a", "ignorable": True},
            {"urlPrefix": "https://b", "enableHTTPS": True, "httpTimeout": "100ms", "tlsConfig": {"caData": "YWJj"}},
        ]
    )
    assert [extender.url_prefix for extender in loaded.extenders] == ["https://b", "http://a"]
    assert [extender.http_timeout for extender in loaded.extenders] == [SECOND // 10, 5 * SECOND]
    assert loaded.extenders[0].enable_https
    assert loaded.extenders[0].tls_config is not None
    assert loaded.extenders[0].tls_config.ca_data == b"abc"


def test_resources_of_extenders_replace_those_the_fit_filter_ignores() -> None:
    managed = [{"name": "a.com/b", "ignoredByScheduler": True}, {"name": "a.com/c"}]
    loaded = load(
        args("NodeResourcesFit", ignoredResources=["x.com/y"]) | {"schedulerName": "a"},
        {"schedulerName": "b"},
        extenders=[{"managedResources": managed}],
    )
    ignored = [profile.args["NodeResourcesFit"] for profile in loaded.profiles]
    assert all(isinstance(fit, NodeResourcesFitArgs) and fit.ignored_resources == ("a.com/b",) for fit in ignored)


EXTENDERS = [
    pytest.param(
        {
            "profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}}}],
            "extenders": [{"managedResources": [{"name": "a.com/b", "ignoredByScheduler": True}]}],
        },
        "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config",
        id="resources to ignore without a fit filter",
    ),
    pytest.param(
        {"extenders": [{"tlsConfig": {"insecure": True, "caFile": "/ca.pem"}}]},
        "couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed",
        id="certificates for a connection that checks none",
    ),
]


@pytest.mark.parametrize(("fields", "message"), EXTENDERS)
def test_extenders_that_cannot_be_made_are_refused(fields: dict[str, Any], message: str) -> None:
    assert refused(HEADER | fields).message == message
