"""Quantities: every expected value was printed by apimachinery v0.37.2 for the same text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.errors import QuantityError, SourceError
from kplan.objects import quantity
from kplan.objects.quantity import QuantityFormat

# text, Value(), MilliValue(), String()
ROWS = [
    ("0", 0, 0, "0"),
    ("1", 1, 1000, "1"),
    ("100m", 1, 100, "100m"),
    ("0.1", 1, 100, "100m"),
    (".5", 1, 500, "500m"),
    ("5.", 5, 5000, "5."),
    ("+1", 1, 1000, "+1"),
    ("-1", -1, -1000, "-1"),
    ("-1.5", -2, -1500, "-1500m"),
    ("1n", 1, 1, "1n"),
    ("1u", 1, 1, "1u"),
    ("1.5", 2, 1500, "1500m"),
    ("2500000u", 3, 2500, "2500m"),
    ("1k", 1000, 1000000, "1k"),
    ("1M", 1000000, 1000000000, "1M"),
    ("1G", 1000000000, 1000000000000, "1G"),
    ("1T", 1000000000000, 1000000000000000, "1T"),
    ("1P", 1000000000000000, 1000000000000000000, "1P"),
    ("1E", 1000000000000000000, 0, "1E"),
    ("1e3", 1000, 1000000, "1e3"),
    ("1E3", 1000, 1000000, "1E3"),
    ("1.5e3", 1500, 1500000, "1500"),
    ("1e-3", 1, 1, "1e-3"),
    ("12Ki", 12288, 12288000, "12Ki"),
    ("1Mi", 1048576, 1048576000, "1Mi"),
    ("1.5Gi", 1610612736, 1610612736000, "1536Mi"),
    ("0.5Mi", 524288, 524288000, "512Ki"),
    ("1.5Ki", 1536, 1536000, "1536"),
    ("1.0001Ki", 1025, 1024103, "1024102400u"),
    ("0.0001Ki", 1, 103, "102400u"),
    ("-1.5Ki", -1536, -1536000, "-1536"),
    ("-1.0005Ki", -1023, -1024512, "-1024512m"),
    ("1Ti", 1099511627776, 1099511627776000, "1Ti"),
    ("1Pi", 1125899906842624, 1125899906842624000, "1Pi"),
    ("1Ei", 1152921504606846976, -9223372036854775808, "1Ei"),
    ("7Ei", 8070450532247928832, -9223372036854775808, "7Ei"),
    ("8Ei", 9223372036854775807, -1000, "9223372036854775807"),
    ("16Ei", 9223372036854775807, -1000, "9223372036854775807"),
    ("-16Ei", -9223372036854775807, 1000, "-9223372036854775807"),
    ("0.1n", 1, 1, "1n"),
    ("1.00000000001", 2, 1001, "1000000001n"),
    ("9223372036854775807", 9223372036854775807, -1000, "9223372036854775807"),
    ("9223372036854775808", -9223372036854775808, 0, "9223372036854775808"),
    ("10E", 0, 0, "10E"),
    ("10000000000000000000", -8446744073709551616, 1864712049423024128, "10E"),
    ("123456789012345678k", -5670419503621183312, -7269072992350965888, "123456789012345678k"),
    ("1e19", 0, 0, "10e18"),
    ("1e10", 10000000000, 10000000000000, "10e9"),
    ("12e6", 12000000, 12000000000, "12e6"),
    ("1000E", 0, 0, "1"),
    ("007", 7, 7000, "007"),
    ("1.500", 2, 1500, "1.500"),
    ("1.0", 1, 1000, "1"),
    ("0.000", 0, 0, "0"),
    ("+0", 0, 0, "0"),
    ("-0", 0, 0, "0"),
    ("+", 0, 0, "0"),
    (".", 0, 0, "0"),
    ("m", 0, 0, "0"),
    ("Ki", 0, 0, "0"),
    ("e9", 0, 0, "0"),
    (" 100m ", 1, 100, "100m"),
    ("100Mi", 104857600, 104857600000, "100Mi"),
    ("1024Ki", 1048576, 1048576000, "1Mi"),
    ("1000Ki", 1024000, 1024000000, "1000Ki"),
    ("1023", 1023, 1023000, "1023"),
    ("62000Mi", 65011712000, 65011712000000, "62000Mi"),
    ("128974848", 128974848, 128974848000, "128974848"),
    ("129e6", 129000000, 129000000000, "129e6"),
    ("129M", 129000000, 129000000000, "129M"),
    ("123Mi", 128974848, 128974848000, "123Mi"),
    ("1025Ki", 1049600, 1049600000, "1025Ki"),
    ("3e-9", 1, 1, "3e-9"),
    ("1e-12", 1, 1, "1e-9"),
    ("0.018G", 18000000, 18000000000, "18M"),
    ("787e6", 787000000, 787000000000, "787e6"),
    ("0E5", 0, 0, "0"),
]


@pytest.mark.parametrize(("text", "value", "milli", "canonical"), ROWS, ids=[repr(row[0]) for row in ROWS])
def test_reads_a_quantity_as_kubernetes_does(text: str, value: int, milli: int, canonical: str) -> None:
    assert quantity.value(text) == value
    assert quantity.milli_value(text) == milli
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize(
    ("raw", "nanos"),
    [
        pytest.param("100m", 10**8, id="a tenth of a core is exact"),
        pytest.param("0.1", 10**8, id="a decimal fraction is exact, not a float"),
        pytest.param("1.5Gi", 1610612736 * 10**9, id="a fraction of a binary unit is exact"),
        pytest.param("0.1n", 1, id="less than the smallest unit is rounded up to it"),
        pytest.param("-0.1n", -1, id="a negative amount is rounded away from zero"),
        pytest.param("1.0000000001", 10**9 + 1, id="digits past the ninth round up"),
        pytest.param("16Ei", (2**63 - 1) * 10**9, id="a binary amount is capped at int64"),
        pytest.param("16E", 16 * 10**27, id="a decimal amount is not capped"),
        pytest.param(2, 2 * 10**9, id="a whole number of JSON"),
        pytest.param(0.5, 5 * 10**8, id="a fraction of JSON"),
        pytest.param(0.1, 10**8, id="a JSON fraction is read by its digits, not its binary value"),
        pytest.param(1e3, 10**12, id="a JSON number with exponent"),
        pytest.param(1e25, 10**34, id="a JSON number past the digits of a float"),
        pytest.param(1e-7, 100, id="a tiny JSON number"),
        pytest.param(-3, -3 * 10**9, id="a negative JSON number"),
    ],
)
def test_amounts_are_exact(raw: str | int | float, nanos: int) -> None:
    assert quantity.nanos(raw) == nanos


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="nothing"),
        pytest.param("1..5Gi", id="two points"),
        pytest.param("1.5.", id="a second point at the end"),
        pytest.param("Ei", id="a suffix alone that needs a big decimal"),
        pytest.param("e-10", id="a small exponent alone"),
        pytest.param("1 Gi", id="a space before the suffix"),
        pytest.param("1K", id="K is not k"),
        pytest.param("1ki", id="ki is not Ki"),
        pytest.param("1GB", id="GB is no suffix"),
        pytest.param("1GiB", id="GiB is no suffix"),
        pytest.param("1e", id="an exponent without digits"),
        pytest.param("1ee3", id="two exponents"),
        pytest.param("1e1.5", id="a fraction in the exponent"),
        pytest.param("1m5", id="digits after a suffix"),
        pytest.param("1e9999999999999999999", id="an exponent past int64"),
        pytest.param("1e1001", id="an exponent past what kplan reads"),
        pytest.param("9" * 1001, id="more digits than kplan reads"),
        pytest.param("9" * 100_000, id="a text far too long"),
        pytest.param(10**5000, id="a number far too long"),
        pytest.param("abc", id="letters"),
        pytest.param("0x10", id="hexadecimal"),
        pytest.param("1_000", id="underscores"),
        pytest.param("--1", id="two signs"),
        pytest.param("1,5", id="a comma"),
        pytest.param("\t1", id="a tab in front"),
        pytest.param("1\n", id="a line end behind"),
        pytest.param("\u0661", id="a digit of another script"),
        pytest.param(True, id="a boolean"),
        pytest.param(float("nan"), id="not a number"),
        pytest.param(float("inf"), id="infinity"),
    ],
)
def test_refuses_what_kubernetes_refuses(raw: str | int | float) -> None:
    with pytest.raises(QuantityError) as caught:
        quantity.nanos(raw)
    assert caught.value.code == "bad-quantity"
    assert len(caught.value.message) < 200


def test_a_refusal_names_the_text_and_the_accepted_forms() -> None:
    with pytest.raises(SourceError) as caught:
        quantity.value("1..5Gi")
    assert caught.value.message == "'1..5Gi' is not a resource quantity"
    assert "Ki Mi Gi Ti Pi Ei" in caught.value.hint


@pytest.mark.parametrize(
    ("nanos", "value", "milli"),
    [
        pytest.param(0, 0, 0, id="zero"),
        pytest.param(1, 1, 1, id="the smallest amount counts as one"),
        pytest.param(1_500_000_000, 2, 1500, id="one and a half rounds up to two"),
        pytest.param(1_500_000_001, 2, 1501, id="a rest of a milli rounds up"),
        pytest.param(-1_500_000_000, -2, -1500, id="negative amounts round away from zero"),
        pytest.param((2**63 - 1) * 10**9, 2**63 - 1, -1000, id="the largest int64, whose millis wrap"),
        pytest.param(2**64 * 10**9, 0, 0, id="twice 8Ei leaves the low 64 bits"),
        pytest.param(10**28, 0, 0, id="a short number past int64 becomes zero"),
    ],
)
def test_converts_sums_at_the_end(nanos: int, value: int, milli: int) -> None:
    assert quantity.value_of(nanos) == value
    assert quantity.milli_of(nanos) == milli


@pytest.mark.parametrize(
    ("nanos", "form", "text"),
    [
        pytest.param(0, QuantityFormat.BINARY_SI, "0", id="zero has no suffix"),
        pytest.param(1_500_000_000, QuantityFormat.DECIMAL_SI, "1500m", id="no fraction is written"),
        pytest.param(2 * 1024**3 * 10**9, QuantityFormat.BINARY_SI, "2Gi", id="the largest binary suffix"),
        pytest.param(1023 * 10**9, QuantityFormat.BINARY_SI, "1023", id="below 1024 no binary suffix"),
        pytest.param(
            2048 * 10**9 + 1,
            QuantityFormat.BINARY_SI,
            "2048000000001n",
            id="a fraction is written with a decimal suffix",
        ),
        pytest.param(12_000_000 * 10**9, QuantityFormat.DECIMAL_EXPONENT, "12e6", id="an exponent in steps of three"),
        pytest.param(5 * 10**9, QuantityFormat.DECIMAL_EXPONENT, "5", id="no exponent of zero"),
        pytest.param(-(10**12), QuantityFormat.DECIMAL_SI, "-1k", id="negative amounts keep their sign"),
    ],
)
def test_writes_the_canonical_form(nanos: int, form: QuantityFormat, text: str) -> None:
    assert quantity.format_nanos(nanos, form) == text


@pytest.mark.parametrize(
    ("raw", "rounded"),
    [
        pytest.param("1500m", "1500m", id="a milli stays as written"),
        pytest.param("0.5", "0.5", id="an exact fraction stays as written"),
        pytest.param("100u", "1m", id="micros round up to one milli"),
        pytest.param("1.0001", "1001m", id="the fourth digit rounds up"),
        pytest.param("-1.0001", "-1001m", id="a negative one rounds away from zero"),
        pytest.param("1.0001Ki", "1024103m", id="a binary fraction becomes millis"),
        pytest.param(1e-4, "1m", id="a JSON number rounds up too"),
    ],
)
def test_rounds_up_to_milli_as_decoding_does(raw: str | float, rounded: str) -> None:
    assert quantity.round_up_to_milli(raw) == rounded


@pytest.mark.parametrize(
    ("milli", "text"), [(0, "0"), (1500, "1500m"), (2000, "2"), (31400, "31400m"), (100, "100m"), (-500, "-500m")]
)
def test_cpu_for_people_has_whole_cores_without_a_suffix(milli: int, text: str) -> None:
    assert quantity.format_cpu(milli) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0"),
        (1, "1"),
        (65_011_712_000, "62000Mi"),
        (12_884_901_888, "12Gi"),
        (1_099_511_627_776, "1024Gi"),
        (128_974_848, "123Mi"),
        (128_000_000, "125000Ki"),
        (1_000_001, "1000001"),
        (-1_048_576, "-1Mi"),
    ],
)
def test_bytes_for_people_are_exact(amount: int, text: str) -> None:
    assert quantity.format_bytes(amount) == text


@settings(derandomize=True, max_examples=300)
@given(st.integers(-(10**30), 10**30), st.sampled_from([QuantityFormat.DECIMAL_EXPONENT, QuantityFormat.BINARY_SI]))
def test_the_canonical_form_reads_back_as_the_same_amount(nanos: int, form: QuantityFormat) -> None:
    if form is QuantityFormat.BINARY_SI:
        nanos = max(-(2**63 - 1), min(nanos, 2**63 - 1)) // 10**9 * 10**9
    assert quantity.nanos(quantity.format_nanos(nanos, form)) == nanos


@settings(derandomize=True, max_examples=300)
@given(st.text(alphabet="+-.019eEinumkKMGTP \u0661", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        amount = quantity.nanos(text)
    except QuantityError:
        return
    assert abs(quantity.value(text)) <= 2**63
    assert (amount < 0) <= text.strip().startswith("-")
