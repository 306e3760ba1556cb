"""What a page holds as text for browsers without scripts: all, or what fails of every part, and what is left out."""

from kplan.render.html import page
from kplan.render.plain import LEAST, MOST, shortened
from tests.browser.pages import many_nodes


def answer(pods: int) -> str:
    """A text as commands write it: failing pods first in Pods, a cause behind it."""
    rows = [f"{'':9}shop/p-{i:06d}  {'Pending' if i < 30 else 'node-a'}" for i in range(pods)]
    return (
        "\n".join(
            [
                "PARTLY   much is placed",
                "Because  cpu is short",
                "",
                "Pods     pod  node",
                *rows,
                "Why      8 nodes, cpu",
                "From     a, b",
            ]
        )
        + "\n"
    )


def test_a_text_that_is_short_enough_is_whole() -> None:
    assert shortened(answer(5)) == answer(5)


def test_of_a_long_text_every_part_is_there_and_what_fails_and_what_is_left_out_is_said() -> None:
    text = shortened(answer(40_000))
    lines = text.splitlines()
    assert MOST - 100 < len(text) <= MOST
    assert lines[:4] == answer(1).splitlines()[:4]
    assert lines[-2:] == ["Why      8 nodes, cpu", "From     a, b"]
    assert sum("Pending" in line for line in lines) == 30
    kept = sum("shop/p-" in line for line in lines)
    left = 40_000 - kept
    assert lines[-3] == f"         ({left:,} more lines of this part left out here; with scripts the page shows all)"


def test_the_least_of_each_part_is_kept_however_many_parts_there_are() -> None:
    part = "\n".join(["Part     1", *(f"{'':9}{'x' * 50}" for _ in range(99))]) + "\n"
    text = shortened(part * 200, most=1000)
    assert text.count("Part     1") == 200
    assert text.count("x" * 50) == 200 * (LEAST - 1)
    assert text.count("(80 more lines of this part left out here; with scripts the page shows all)") == 200


def test_the_page_says_what_its_text_leaves_out() -> None:
    html = page(*many_nodes(10), answer(40_000))
    text = html.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "more lines of this part left out here" in text
    assert "Why      8 nodes, cpu" in text
