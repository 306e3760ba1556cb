"""Scalars as kubectl reads them; expected values are those of sigs.k8s.io/yaml v1.6.0."""

import pytest

from kplan.sources.scalars import ScalarError, key, plain, shorten, tagged

PLAIN = [
    # bools of YAML 1.1, all of them
    ("on", True),
    ("On", True),
    ("yes", True),
    ("y", True),
    ("Y", True),
    ("true", True),
    ("TRUE", True),
    ("off", False),
    ("no", False),
    ("n", False),
    ("N", False),
    ("False", False),
    ("tRUE", "tRUE"),
    ("oN", "oN"),
    ("none", "none"),
    # null
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("nUll", "nUll"),
    # integers
    ("0", 0),
    ("5", 5),
    ("+5", 5),
    ("-5", -5),
    ("-0", 0),
    ("0777", 511),
    ("0420", 272),
    ("0o777", 511),
    ("0O17", 15),
    ("0x1F", 31),
    ("0X1f", 31),
    ("-0x10", -16),
    ("0b11", 3),
    ("-0b11", -3),
    ("1_000", 1000),
    ("1__0", 10),
    ("0x_1", 1),
    ("08", 8),
    ("09.5", 9.5),
    ("0o", "0o"),
    ("0x", "0x"),
    ("9223372036854775807", 9223372036854775807),
    ("-9223372036854775808", -9223372036854775808),
    ("18446744073709551615", 18446744073709551615),
    ("99999999999999999999", 100000000000000000000),
    # floats; one without a fraction is written as an integer in JSON
    ("1.5", 1.5),
    ("1e3", 1000),
    ("1E3", 1000),
    ("12e03", 12000),
    ("1.0", 1),
    ("5.", 5),
    (".5", 0.5),
    (".5_5", 0.55),
    ("+.5", 0.5),
    ("-1.5e-3", -0.0015),
    ("6873e98", 6.873e101),
    ("1e25", 1e25),
    ("1e999", "1e999"),
    (".", "."),
    ("..", ".."),
    ("-", "-"),
    ("1e", "1e"),
    # what other YAML readers make numbers or dates of
    ("12:30:45", "12:30:45"),
    ("190:20:30", "190:20:30"),
    ("2026-03-11", "2026-03-11"),
    ("2026-03-11T10:00:00Z", "2026-03-11T10:00:00Z"),
    ("2026-13-11", "2026-13-11"),
    ("1.2.3", "1.2.3"),
    ("100m", "100m"),
    ("1Gi", "1Gi"),
    ("=", "="),
    ("<<", "<<"),
]


@pytest.mark.parametrize(("text", "value"), PLAIN, ids=[text or "(empty)" for text, _ in PLAIN])
def test_a_plain_scalar_means_what_kubectl_reads(text, value):
    assert plain(text) == value
    assert type(plain(text)) is type(value)


@pytest.mark.parametrize("text", [".nan", ".inf", "-.inf", "+.Inf"])
def test_a_number_that_json_cannot_hold_is_refused(text):
    with pytest.raises(ScalarError, match="JSON has no"):
        plain(text)


TAGGED = [
    ("str", "5", "5"),
    ("str", "on", "on"),
    ("int", "5", 5),
    ("int", "0777", 511),
    ("float", "5", 5),
    ("float", "1.5", 1.5),
    ("bool", "yes", True),
    ("null", "", None),
    ("timestamp", "2001-01-01", "2001-01-01"),
    ("binary", "aGVsbG8=", "hello"),
    ("binary", "aGVs\nbG8=", "hello"),
    ("set", "x", "x"),
]


@pytest.mark.parametrize(("tag", "text", "value"), TAGGED)
def test_a_tag_decides_the_type(tag, text, value):
    assert tagged(f"tag:yaml.org,2002:{tag}", text) == value


def test_an_unknown_tag_leaves_a_string():
    assert tagged("!foo", "5") == "5"


@pytest.mark.parametrize(
    ("tag", "text", "message"),
    [
        ("int", "5x", "cannot decode !!str `5x` as a !!int"),
        ("bool", "1", "cannot decode !!int `1` as a !!bool"),
        ("null", "x", "cannot decode !!str `x` as a !!null"),
        ("timestamp", "x", "cannot decode !!str `x` as a !!timestamp"),
        ("float", "18446744073709551615", "cannot decode !!int `18446744073709551615` as a !!float"),
        ("binary", "x", "invalid base64"),
    ],
)
def test_a_text_that_is_not_of_its_tag_is_refused(tag, text, message):
    with pytest.raises(ScalarError) as caught:
        tagged(f"tag:yaml.org,2002:{tag}", text)
    assert message in str(caught.value)


KEYS = [
    ("a", "a"),
    ("on", "true"),
    ("y", "true"),
    ("n", "false"),
    ("0777", "511"),
    ("1_000", "1000"),
    ("1.10", "1.1"),
    ("1e3", "1000"),
    ("1e6", "1e+06"),
    ("123456.7", "123456.7"),
    ("16777217.0", "1.6777216e+07"),
    ("1e-7", "1e-07"),
    ("1e39", ".inf"),
    (".nan", ".nan"),
    ("2026-01-01", "2026-01-01"),
    ("99999999999999999999", "1e+20"),
]


@pytest.mark.parametrize(("text", "written"), KEYS)
def test_a_key_that_is_no_string_is_written_as_go_writes_it(text, written):
    assert key(None, text) == written


@pytest.mark.parametrize(
    ("text", "named"), [("~", "null"), ("", "null"), ("18446744073709551615", "18446744073709551615")]
)
def test_a_null_or_unsigned_key_is_refused(text, named):
    with pytest.raises(ScalarError, match=f"unsupported map key: {named}"):
        key(None, text)


def test_a_shortened_text_stays_on_one_line_and_has_no_control_characters():
    assert shorten("a\nb\x1b[31m" + "c" * 100) == "`a\ufffdb\ufffd[31m" + "c" * 32 + "...`"
