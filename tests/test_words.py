"""Plain words: one unit for amounts that stand together, and nothing rounded that anybody would miss."""

import pytest

from kplan.words import amounts, count, every, joined, listed, short_age, tallied


@pytest.mark.parametrize(
    ("resource", "numbers", "words"),
    [
        ("cpu", (2000, 1000), ("2", "1")),
        ("cpu", (2000, 1420, 0), ("2000m", "1420m", "0")),
        ("cpu", (9999, 1000), ("9999m", "1000m")),
        ("cpu", (900_000, 3920), ("900", "3.92")),
        ("cpu", (10_000, 1420, 0, -250), ("10", "1.42", "0", "-0.25")),
        ("cpu", (31_400, 31_250), ("31.4", "31.25")),
        ("memory", (10 << 30, 12 << 30), ("10Gi", "12Gi")),
        ("memory", (10 << 30, 596 << 20), ("10240Mi", "596Mi")),
        ("memory", (1500, 3), ("1500 bytes (1.4Ki)", "3")),
        ("memory", (8 << 30, (8 << 30) + 1024), ("8388608Ki", "8388609Ki")),
        ("memory", (1288490189, 429496729), ("1288490189 bytes (1.2Gi)", "429496729 (409Mi)")),
        ("memory", (1288490190, 1288490191), ("1288490190 bytes (1.2Gi)", "1288490191 (1.2Gi)")),
        ("nvidia.com/gpu", (8, 1), ("8", "1")),
    ],
)
def test_amounts_stand_in_one_unit_and_are_exact(
    resource: str, numbers: tuple[int, ...], words: tuple[str, ...]
) -> None:
    assert amounts(resource, *numbers) == words


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((300 << 30, 26348808 << 10, 0), ("300Gi", "25.1Gi", "0")),
        ((500_000_000, 25_000_000), ("476.8Mi", "23.8Mi")),
        ((26348808 << 10, 26248808 << 10), ("25.1Gi", "25Gi")),
        ((8 << 30, -(26348809 << 10)), ("8Gi", "-25.1Gi")),
    ],
)
def test_long_numbers_of_bytes_are_rounded_as_little_as_tells_them_apart(
    numbers: tuple[int, ...], words: tuple[str, ...]
) -> None:
    assert amounts("memory", *numbers) == words
    assert amounts("memory", *numbers, exact=True) != words


def test_counts_and_lists() -> None:
    assert [count(1, "pod"), count(5000, "node")] == ["1 pod", "5,000 nodes"]
    assert [listed(["a", "b"]), listed(list("abcde"), 3000)] == ["a, b", "a, b, c, +2,997"]
    assert tallied({"a": 2, "b": 1, "c": 3000, "d": 1}) == "a x2, b, c x3,000, +1"
    assert tallied({"a": 1, "b": 1}, most=1, more=" nodes") == "a, +1 node"
    assert tallied({"a": 1, "b": 1, "c": 1}, most=1, more=" nodes") == "a, +2 nodes"
    assert [joined([]), joined("a"), joined("ab"), joined("abc")] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (59, "59s"),
        (61, "1m1s"),
        (600, "10m"),
        (3600, "1h"),
        (12_000, "3h20m"),
        (30_000, "8h"),
        (187_200, "2d4h"),
        (3_456_000, "40d"),
    ],
)
def test_an_age_is_short(seconds: int, text: str) -> None:
    assert short_age(seconds) == text


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (2, "pod", "both pods"),
        (3, "pod", "all 3 pods"),
        (1200, "new pod", "all 1,200 new pods"),
        (2, "", "both"),
        (5, "", "all 5"),
    ],
)
def test_every_one_of_several(number: int, word: str, text: str) -> None:
    assert every(number, word) == text
