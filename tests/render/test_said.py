"""A paragraph of a row gives a head to what it names, and none to a word that says what became of it."""

from kplan.render.text.layout import BARE, Page, WordCell

HEADS = ("#", "pod", "budget", "lands on", "note")


def told(*cells: str) -> list[str]:
    page = Page(60)
    page.row_paragraphs("Pods", HEADS, [cells])
    return page.lines


def test_a_place_has_its_head_and_a_word_none() -> None:
    assert told("1", "shop/a", "-", "node-b", "") == ["Pods     1  shop/a: lands on node-b"]
    assert told("-", "shop/a", "-", WordCell("stays"), "DaemonSet") == ["Pods     -  shop/a: stays, DaemonSet"]


def test_a_node_may_be_called_as_a_word_is() -> None:
    assert told("1", "shop/a", "-", "stays", "") == ["Pods     1  shop/a: lands on stays"]


def test_heads_that_a_sentence_does_without() -> None:
    assert "note" in BARE
    page = Page(60)
    page.row_paragraphs("Where", ("zone", "run", "on"), [("-", "1", "node-b")])
    assert page.lines == ["Where    run 1, on node-b"]


def test_a_table_has_words_as_they_are() -> None:
    page = Page(80)
    assert page.table("Pods", ("pod", "lands on"), [("shop/a", WordCell("stays")), ("shop/b", "node-b")])
    assert page.lines[1:] == ["         shop/a  stays", "         shop/b  node-b"]
