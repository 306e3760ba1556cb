"""How a profile's lists merge into the defaults: expected lists are those the real scheduler prints."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.config.profile import merge_plugin_set
from kplan.config.wire import PluginEntry, PluginSet
from kplan.errors import ConfigError
from tests.config.build import load, plugins, profile

DEFAULT_SCORE = (
    "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity DynamicResources "
    "NodeResourcesBalancedAllocation ImageLocality"
)


def without(*names: str) -> str:
    return " ".join(name for name in DEFAULT_SCORE.split() if name not in names)


SCORES = [
    pytest.param({"score": "-ImageLocality"}, without("ImageLocality"), {}, id="a plugin disabled at a point is gone"),
    pytest.param({"score": "-*"}, "", {}, id="all disabled at a point leave none"),
    pytest.param(
        {"score": "-* ImageLocality NodeAffinity=5"},
        "ImageLocality NodeAffinity",
        {"ImageLocality": 1, "NodeAffinity": 5},
        id="after * only the enabled ones run, in their own order",
    ),
    pytest.param(
        {"score": "ImageLocality=7"},
        "ImageLocality " + without("ImageLocality"),
        {"ImageLocality": 7},
        id="a plugin named at the point and by default comes first, with the point's weight",
    ),
    pytest.param(
        {"score": "NodeAffinity"},
        "NodeAffinity " + without("NodeAffinity"),
        {"NodeAffinity": 1},
        id="a weight left out at the point is 1, not the default's 2",
    ),
    pytest.param(
        {"score": "-NodeAffinity NodeAffinity=9"},
        without("NodeAffinity") + " NodeAffinity",
        {"NodeAffinity": 9},
        id="disabled and enabled at a point, a plugin moves to the end",
    ),
    pytest.param(
        {"multiPoint": "NodeAffinity=9"},
        DEFAULT_SCORE,
        {"NodeAffinity": 9, "TaintToleration": 3},
        id="at multiPoint a default plugin is replaced in place",
    ),
    pytest.param(
        {"multiPoint": "-NodeAffinity NodeAffinity=9"},
        without("NodeAffinity") + " NodeAffinity",
        {"NodeAffinity": 9},
        id="disabled and enabled at multiPoint, it moves to the end",
    ),
    pytest.param(
        {"multiPoint": "NodeAffinity=9", "score": "NodeAffinity=4"},
        "NodeAffinity " + without("NodeAffinity"),
        {"NodeAffinity": 4},
        id="the point's weight wins over multiPoint's",
    ),
    pytest.param(
        {"multiPoint": "-ImageLocality"}, without("ImageLocality"), {}, id="disabled at multiPoint, gone everywhere"
    ),
    pytest.param(
        {"multiPoint": "-ImageLocality", "score": "ImageLocality=2"},
        without("ImageLocality") + " ImageLocality",
        {"ImageLocality": 2},
        id="disabled at multiPoint and enabled at the point: only there, after the rest",
    ),
    pytest.param(
        {"multiPoint": "-ImageLocality", "score": "ImageLocality=2 TaintToleration=4"},
        "TaintToleration " + without("ImageLocality", "TaintToleration") + " ImageLocality",
        {"ImageLocality": 2, "TaintToleration": 4},
        id="first those named at both, then multiPoint's, then the point's own",
    ),
    pytest.param(
        {"score": "-NodeResourcesFit -NotThere"},
        without("NodeResourcesFit"),
        {},
        id="disabling a plugin that does not exist does nothing",
    ),
    pytest.param(
        {"multiPoint": "-* NodeName PrioritySort DefaultBinder NodeResourcesFit=3"},
        "NodeResourcesFit",
        {"NodeResourcesFit": 3},
        id="after * at multiPoint only the enabled ones are left",
    ),
    pytest.param({"multiPoint": "ImageLocality=0"}, DEFAULT_SCORE, {"ImageLocality": 1}, id="weight 0 counts as 1"),
    pytest.param(
        {"multiPoint": "ImageLocality=-3"},
        DEFAULT_SCORE,
        {"ImageLocality": -3},
        id="a negative weight is taken while the sum stays in range",
    ),
]


@pytest.mark.parametrize(("points", "plugins_in_order", "weights"), SCORES)
def test_score_lists_merge(points: dict[str, str], plugins_in_order: str, weights: dict[str, int]) -> None:
    made = profile(**points)
    assert made.plugins["score"] == tuple(plugins_in_order.split())
    assert {name: made.weights[name] for name in weights} == weights


def test_a_multi_point_change_reaches_every_point_the_plugin_implements() -> None:
    made = profile(multiPoint="-NodeResourcesFit -VolumeBinding")
    for point in ("preFilter", "filter", "preScore", "score", "reserve", "preBind", "placementScore"):
        assert not {"NodeResourcesFit", "VolumeBinding"} & set(made.plugins[point])


def test_a_change_at_one_point_leaves_the_others() -> None:
    made = profile(filter="-NodeResourcesFit")
    assert "NodeResourcesFit" not in made.plugins["filter"]
    assert "NodeResourcesFit" in made.plugins["preFilter"]
    assert "NodeResourcesFit" in made.plugins["score"]


def test_filters_enabled_at_the_point_run_first() -> None:
    made = profile(version="1.36", filter="NodePorts NodeName")
    assert made.plugins["filter"][:4] == ("NodePorts", "NodeName", "NodeUnschedulable", "TaintToleration")


def test_a_weight_at_a_point_where_the_plugin_is_disabled_still_counts_as_its_weight() -> None:
    assert profile(score="-ImageLocality").weights["ImageLocality"] == 1


REFUSED = [
    pytest.param("filter", "Foo", 'FilterPlugin "Foo" does not exist', id="a plugin unknown at a point"),
    pytest.param("multiPoint", "Foo", 'PreFilterPlugin "Foo" does not exist', id="a plugin unknown at multiPoint"),
    pytest.param(
        "score", "NodeName", 'plugin "NodeName" does not extend ScorePlugin plugin', id="a plugin at a wrong point"
    ),
    pytest.param(
        "filter",
        "NodeName NodeName",
        'plugin "NodeName" already registered as "FilterPlugin"',
        id="a plugin twice at a point",
    ),
    pytest.param(
        "multiPoint",
        "NodePorts NodePorts",
        'plugin "NodePorts" already registered as "PreFilterPlugin"',
        id="a plugin twice at multiPoint",
    ),
    pytest.param(
        "queueSort",
        "-*",
        'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
        id="no queue sort",
    ),
    pytest.param(
        "bind",
        "-DefaultBinder",
        'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
        id="no bind",
    ),
    pytest.param(
        "score",
        "ImageLocality=-3",
        "score plugins: total score of Score plugins could overflow",
        id="a negative weight first turns the scheduler's sum over",
    ),
    pytest.param(
        "podGroupPostFilter",
        "-* NodeName",
        'plugin "NodeName" does not extend PodGroupPostFilterPlugin plugin',
        id="a plugin at a wrong point for groups",
    ),
]


@pytest.mark.parametrize(("point", "text", "problem"), REFUSED)
def test_a_profile_is_refused(point: str, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        profile(**{point: text})
    assert caught.value.code == "config-refused"
    place = "initializing profiles: creating profile for scheduler name default-scheduler: "
    assert caught.value.message == place + problem


def test_a_sum_of_weights_is_refused_in_the_words_of_the_version() -> None:
    with pytest.raises(ConfigError, match="default-scheduler: total score of Score plugins could overflow"):
        profile(version="1.35", score="ImageLocality=-3")


def test_a_plugin_at_group_post_filter_alone_gets_no_arguments() -> None:
    lists = {"multiPoint": "-DynamicResources", "podGroupPostFilter": "DynamicResources"}
    with pytest.raises(ConfigError, match=r'initializing plugin "DynamicResources": got args of type <nil>'):
        profile(**lists)


def test_a_misspelled_plugin_is_guessed() -> None:
    with pytest.raises(ConfigError) as caught:
        profile(filter="NodeResourceFit")
    assert caught.value.hint == "did you mean NodeResourcesFit?"


def test_a_plugin_of_a_later_version_does_not_exist_yet() -> None:
    with pytest.raises(ConfigError, match='PreFilterPlugin "NodeDeclaredFeatures" does not exist'):
        profile(version="1.34", multiPoint="NodeDeclaredFeatures")
    assert "NodeDeclaredFeatures" in profile(version="1.35", multiPoint="NodeDeclaredFeatures").plugins["filter"]


def test_plugins_of_others_are_left_out_with_a_doubt_when_asked() -> None:
    lists = plugins(multiPoint="Coscheduling NodeResourcesFit=5", score="Trimaran=3")
    loaded = load({"plugins": lists}, unknown="doubt")
    made = loaded.profiles[0]
    assert made.unknown_plugins == ("Coscheduling", "Trimaran")
    assert made.plugins["score"] == tuple(DEFAULT_SCORE.split())
    assert made.weights["NodeResourcesFit"] == 5
    assert [doubt.code for doubt in loaded.doubts] == ["plugin-not-modelled", "plugin-not-modelled"]
    assert loaded.doubts[0].text == (
        "plugin Coscheduling of profile default-scheduler is not built into kube-scheduler: planned without it"
    )


def test_a_queue_sort_of_others_is_assumed_to_sort_by_priority() -> None:
    loaded = load({"plugins": plugins(queueSort="-* Coscheduling")}, unknown="doubt")
    assert loaded.profiles[0].plugins["queueSort"] == ()
    assert [doubt.code for doubt in loaded.doubts] == ["plugin-not-modelled", "queue-sort-assumed"]


def test_without_plugins_of_others_there_is_no_doubt() -> None:
    assert load(unknown="doubt").doubts == ()


NAMES = st.sampled_from("ABCDE*")
PLUGINS = st.lists(st.builds(PluginEntry, name=st.sampled_from("ABCDEF"), weight=st.integers(1, 9)), max_size=6)
SETS = st.builds(
    PluginSet, enabled=PLUGINS.map(tuple), disabled=st.lists(st.builds(PluginEntry, name=NAMES)).map(tuple)
)


@settings(derandomize=True, max_examples=200)
@given(custom=SETS)
def test_a_merge_keeps_all_that_is_enabled_and_no_default_that_is_disabled(custom: PluginSet) -> None:
    default = PluginSet(enabled=tuple(PluginEntry(name=name) for name in "ABC"))
    merged = merge_plugin_set(default, custom).enabled
    disabled = {plugin.name for plugin in custom.disabled}
    enabled = [plugin.name for plugin in custom.enabled]
    kept = [name for name in "ABC" if name not in disabled and "*" not in disabled]
    # Defaults that are left come first, in their order; what is enabled is there as often as it was given.
    assert [plugin.name for plugin in merged][: len(kept)] == kept
    assert sorted(plugin.name for plugin in merged) == sorted(enabled + [n for n in kept if n not in enabled])
    assert merge_plugin_set(default, PluginSet()).enabled == default.enabled
