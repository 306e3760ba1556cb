"""What nodes say to each of many pods: a letter each, shared by pods that are refused alike, bounded and counted."""

import numpy as np

from kplan.studies.node_verdicts import VerdictKeeper

NODES = ("a", "b", "c", "d")


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.intp)


def test_a_node_has_the_place_of_its_group_or_0_where_the_pod_fits() -> None:
    keeper = VerdictKeeper()
    keeper.keep("shop/web", 4, rows(1), [rows(3, 0)])
    found = keeper.found(NODES)
    assert (found.pods, found.letters, found.left_out) == ({"shop/web": 0}, ("10.1",), 0)


def test_pods_that_are_refused_alike_share_their_letters() -> None:
    keeper = VerdictKeeper()
    keeper.keep("one", 4, rows(), [rows(0, 1), rows(2, 3)])
    keeper.keep("two", 4, rows(), [rows(0, 1), rows(2, 3)])
    keeper.same("three", "one")
    keeper.same("four", "nobody knows")
    found = keeper.found(NODES)
    assert found.pods == {"one": 0, "two": 0, "three": 0}
    assert found.letters == ("1122",)


def test_groups_beyond_the_letters_go_on_above_them() -> None:
    keeper = VerdictKeeper()
    keeper.keep("many", 37, rows(), [rows(i) for i in range(37)])
    letters = keeper.found(()).letters[0]
    assert letters[:10] == "123456789a"
    assert letters[34] == "z"
    assert [ord(letter) - 0x100 for letter in letters[35:]] == [35, 36]


def test_what_is_too_much_is_left_out_and_counted() -> None:
    keeper = VerdictKeeper(most=8)
    keeper.keep("one", 4, rows(0, 1, 2, 3), [])
    keeper.keep("two", 4, rows(0), [rows(1, 2, 3)])
    keeper.keep("three", 4, rows(1), [rows(0, 2, 3)])
    keeper.same("four", "three")
    keeper.keep("five", 4, rows(0), [rows(1, 2, 3)])
    found = keeper.found(NODES)
    assert found.pods == {"one": 0, "two": 1, "five": 1}
    assert found.left_out == 2
