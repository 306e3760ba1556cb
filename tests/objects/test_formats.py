"""Forms of names, labels and keys: words as the API server has them (apimachinery v0.37.2)."""

from collections.abc import Callable

import pytest

from kplan.objects.formats import (
    decimal_integer,
    dns_label,
    dns_subdomain,
    label_key,
    label_value,
    percentage,
    port_name,
    service_name,
)

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
NAME = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
SERVICE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)


@pytest.mark.parametrize(
    ("check", "text", "words"),
    [
        pytest.param(dns_label, "web-1", [], id="a label"),
        pytest.param(dns_label, "Web", [LABEL], id="a label in capitals"),
        pytest.param(dns_label, "a.b", ["must not contain dots"], id="a subdomain is no label"),
        pytest.param(dns_label, "a" * 64, ["must be no more than 63 bytes"], id="a label that is too long"),
        pytest.param(dns_subdomain, "a.b-c.d", [], id="a subdomain"),
        pytest.param(dns_subdomain, "a..b", [SUBDOMAIN], id="a subdomain with an empty part"),
        pytest.param(dns_subdomain, "a_b", [SUBDOMAIN], id="an underscore in a subdomain"),
        pytest.param(service_name, "web", [], id="a service"),
        pytest.param(service_name, "1web", [SERVICE], id="a service that begins with a digit"),
        pytest.param(label_key, "example.com/My_Name", [], id="a key with a prefix"),
        pytest.param(label_key, "", ["name part must be non-empty", f"name part {NAME}"], id="an empty key"),
        pytest.param(label_key, "/x", ["prefix part must be non-empty"], id="an empty prefix"),
        pytest.param(label_key, "Up/x", [f"prefix part {SUBDOMAIN}"], id="a prefix in capitals"),
        pytest.param(
            label_key, "a/b/c",
            [f"a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"],
            id="two slashes",
        ),
        pytest.param(label_key, "x" * 64, ["name part must be no more than 63 bytes"], id="a key that is too long"),
        pytest.param(label_value, "", [], id="an empty value"),
        pytest.param(label_value, "-a", [VALUE], id="a value that begins with a dash"),
        pytest.param(port_name, "http-2", [], id="a port"),
        pytest.param(
            port_name, "80",
            ["must contain at least one letter (a-z)"], id="a port of digits alone",
        ),
        pytest.param(
            port_name, "-a--",
            ["must not contain consecutive hyphens", "must not begin or end with a hyphen"], id="a port of hyphens",
        ),
        pytest.param(
            port_name, "a" * 16, ["must be no more than 15 characters"], id="a port name that is too long",
        ),
        pytest.param(
            port_name, "HTTP",
            [
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "must contain at least one letter (a-z)",
            ],
            id="a port in capitals",
        ),
        pytest.param(decimal_integer, "-5", [], id="a whole number"),
        pytest.param(
            decimal_integer, "05", ["must be a valid decimal integer in canonical form"], id="a leading nought"
        ),
        pytest.param(decimal_integer, "", ["must be non-empty"], id="no number"),
        pytest.param(percentage, "25%", [], id="a percentage"),
        pytest.param(percentage, "25", [PERCENT], id="a percentage without its sign"),
    ],
)  # fmt: skip
def test_forms(check: Callable[[str], list[str]], text: str, words: list[str]) -> None:
    assert check(text) == words
