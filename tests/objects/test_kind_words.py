"""What kinds of workloads are called."""

import pytest

from kplan.objects.kind_words import WORKLOAD_WORDS, kind_of_word, kind_word


@pytest.mark.parametrize(
    ("word", "kind"),
    [("deploy", "Deployment"), ("STS", "StatefulSet"), ("cj", "CronJob"), ("po", "Pod"), ("node", ""), ("", "")],
)
def test_a_word_means_a_kind(word: str, kind: str) -> None:
    assert kind_of_word(word) == kind


def test_each_kind_has_words_of_its_own() -> None:
    words = [word for words in WORKLOAD_WORDS.values() for word in words]
    assert len(words) == len(set(words))
    assert {kind_of_word(kind_word(kind)) for kind in WORKLOAD_WORDS} == set(WORKLOAD_WORDS)


def test_other_kinds_are_called_by_their_own_name() -> None:
    assert [kind_word("Node"), kind_word("RayCluster")] == ["node", "raycluster"]
