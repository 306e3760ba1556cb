"""Files that are read as Kubernetes reads them, or refused with their place and a hint."""

from typing import Any

import pytest
import yaml

from kplan import config
from kplan.framework.args import (
    NodeResourcesFitArgs,
    ScoringStrategy,
)
from tests.config.build import HEADER, args, refused

NEWEST = config.features().features


UNREADABLE = [
    pytest.param("{}", "config-kind", "Object 'Kind' is missing", id="an empty object"),
    pytest.param("", "config-kind", "Object 'Kind' is missing", id="nothing at all"),
    pytest.param("- a\n- b", "config-kind", "Object 'Kind' is missing", id="a list"),
    pytest.param(
        {"kind": "KubeSchedulerConfiguration"}, "config-kind", "Object 'apiVersion' is missing", id="no apiVersion"
    ),
    pytest.param(
        HEADER | {"apiVersion": "kubescheduler.config.k8s.io/v1beta3"},
        "config-kind",
        'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"',
        id="a version that is gone",
    ),
    pytest.param(
        HEADER | {"kind": "KubeProxyConfiguration"},
        "config-kind",
        'no kind "KubeProxyConfiguration" is registered for version "kubescheduler.config.k8s.io/v1"',
        id="another kind",
    ),
    pytest.param("{a: b}", "config-syntax", None, id="a brace starts JSON, so a YAML flow mapping is no file"),
    pytest.param("a: [1", "config-syntax", None, id="YAML that ends early"),
    pytest.param("a: &x [*x]", "config-syntax", None, id="a YAML anchor in itself"),
    pytest.param("? [a]\n: b", "config-syntax", None, id="a YAML key that is a list"),
    pytest.param(
        HEADER | {"foo": 1, "profiles": [{"bar": 2, "plugins": {"baz": {}, "score": {"enabled": [{"w": 1}]}}}]},
        "config-unknown-field",
        'strict decoding error: unknown field "foo", unknown field "profiles[0].bar", '
        'unknown field "profiles[0].plugins.baz", unknown field "profiles[0].plugins.score.enabled[0].w"',
        id="fields that do not exist",
    ),
    pytest.param(
        HEADER | {"profiles": [args("NodeResourcesFit", scoringStrategy={"bar": 1})]},
        "config-unknown-field",
        'strict decoding error: unknown field "profiles[0].pluginConfig[0].args.scoringStrategy.bar"',
        id="an argument that does not exist",
    ),
    pytest.param(
        HEADER | {"Parallelism": 3},
        "config-unknown-field",
        'strict decoding error: unknown field "Parallelism"',
        id="names are case-sensitive",
    ),
    pytest.param(
        '{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 1, '
        '"parallelism": 2, "profiles": [{"schedulerName": "a", "schedulerName": "b"}]}',
        "config-duplicate-field",
        'strict decoding error: duplicate field "parallelism", duplicate field "profiles[0].schedulerName"',
        id="fields given twice in JSON",
    ),
    pytest.param(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 1\nparallelism: 2",
        "config-duplicate-field",
        'strict decoding error: line 4: key "parallelism" already set in map',
        id="a field given twice in YAML",
    ),
    pytest.param(
        HEADER | {"parallelism": "4"},
        "config-field-type",
        "parallelism: expected an integer, got a string",
        id="a text for a number",
    ),
    pytest.param(
        HEADER | {"parallelism": 2.0},
        "config-field-type",
        "parallelism: expected an integer, got the number 2.0",
        id="a float for an integer",
    ),
    pytest.param(
        HEADER | {"parallelism": 2**31},
        "config-field-type",
        "parallelism: 2147483648 is out of range",
        id="a number too large for int32",
    ),
    pytest.param(
        HEADER | {"parallelism": True},
        "config-field-type",
        "parallelism: expected an integer, got a boolean",
        id="a boolean for a number",
    ),
    pytest.param(
        HEADER | {"profiles": [{"schedulerName": 1}]},
        "config-field-type",
        "profiles[0].schedulerName: expected a string, got a number",
        id="a number for a text",
    ),
    pytest.param(
        HEADER | {"profiles": {}}, "config-field-type", "profiles: expected a list, got an object", id="no list"
    ),
    pytest.param(
        HEADER | {"profiles": [args("PodTopologySpread", defaultConstraints=[{"maxSkew": 2**40}])]},
        "config-field-type",
        "profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: 1099511627776 is out of range",
        id="a skew too large for int32",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "httpTimeout": "5"}]},
        "config-field-type",
        'extenders[0].httpTimeout: time: missing unit in duration "5"',
        id="a duration without a unit",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "httpTimeout": None}]},
        "config-field-type",
        'extenders[0].httpTimeout: time: invalid duration ""',
        id="null for a duration that is no pointer",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "tlsConfig": {"certData": "a b"}}]},
        "config-field-type",
        None,
        id="what is no base64",
    ),
    pytest.param(
        HEADER | {"profiles": [args("NodeResourcesFit", kind="InterPodAffinityArgs")]},
        "config-kind",
        "profiles[0].pluginConfig[0].args: args for plugin NodeResourcesFit were not of type NodeResourcesFitArgs of "
        "kubescheduler.config.k8s.io/v1, got InterPodAffinityArgs of kubescheduler.config.k8s.io/v1",
        id="arguments of another plugin's kind",
    ),
    pytest.param(
        HEADER | {"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": []}]}]},
        "config-field-type",
        "profiles[0].pluginConfig[0].args: expected an object, got a list",
        id="arguments that are a list",
    ),
]


@pytest.mark.parametrize(("source", "code", "message"), UNREADABLE)
def test_an_unreadable_file_is_refused(source: Any, code: str, message: str | None) -> None:
    error = refused(source)
    assert error.code == code
    if message is not None:
        assert error.message == message


HINTS = [
    pytest.param({"paralellism": 3}, "1.37", "did you mean parallelism?", id="a misspelled field"),
    pytest.param(
        {"profiles": [{"plugins": {"placementScore": {}}}]},
        "1.35",
        "placementScore exists from Kubernetes 1.36 on",
        id="an extension point of later versions",
    ),
    pytest.param(
        {"profiles": [{"plugins": {"podGroupPostFilter": {}}}]},
        "1.36",
        "podGroupPostFilter exists from Kubernetes 1.37 on",
        id="the group post filter before 1.37",
    ),
    pytest.param(
        {"profiles": [args("DynamicResources", bindingTimeout="5s")]},
        "1.34",
        "bindingTimeout exists from Kubernetes 1.35 on",
        id="an argument of later versions",
    ),
]


@pytest.mark.parametrize(("fields", "version", "hint"), HINTS)
def test_an_unknown_field_comes_with_a_hint(fields: dict[str, Any], version: str, hint: str) -> None:
    error = refused(HEADER | fields, version)
    assert (error.code, error.hint) == ("config-unknown-field", hint)


TEXT = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8.0
profiles:
- schedulerName: packer
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
---
kind: SomethingElse
"""


def test_yaml_is_read_as_kubernetes_reads_it() -> None:
    loaded = config.load(TEXT, NEWEST)
    assert loaded.parallelism == 8
    assert [profile.scheduler_name for profile in loaded.profiles] == ["packer"]
    assert loaded.profiles[0].args["NodeResourcesFit"] == NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(type="MostAllocated")
    )
    assert config.load(TEXT.encode(), NEWEST) == loaded


def test_merge_keys_of_yaml_do_not_count_as_repeated() -> None:
    text = yaml.safe_dump(HEADER) + "leaderElection: &a {leaderElect: false}\nclientConnection: {<<: {burst: 5}}\n"
    assert config.load(text, NEWEST).profiles


def test_null_means_absent() -> None:
    fields = {"parallelism": None, "profiles": [None], "extenders": None, "leaderElection": None}
    assert config.load(HEADER | fields, NEWEST, validate=True) == config.default_configuration(NEWEST)
    assert config.load(HEADER | {"profiles": None}, NEWEST) == config.default_configuration(NEWEST)


def test_the_file_is_named_in_its_errors() -> None:
    assert refused(HEADER | {"foo": 1}, file="scheduler.yaml").message.startswith("scheduler.yaml: strict decoding")
