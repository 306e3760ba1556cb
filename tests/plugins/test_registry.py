"""Every plugin keeps the contract: its headings, its name, its cost, and masks for any number of nodes."""

import importlib
import inspect
from typing import Any

import numpy as np
import pytest

from kplan.cluster import Cluster, build
from kplan.config.versions import OLDEST, PATCHES, default_plugins, features, old_registry, registry
from kplan.framework import groups
from kplan.framework import plugin as contract
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.findings import Ready
from kplan.framework.plugin import FilterPlugin, PreFilterPlugin
from kplan.framework.worlds import plain
from kplan.objects.state import ClusterState
from kplan.plugins.registry import OLD, REGISTRY
from tests.builders import make, node, pod

HEADINGS = ("What it checks:", "Rejects with:", "Not modelled:", "Source:")
EVERY: dict[str, type[Any]] = {**REGISTRY, **OLD}
PLUGINS = list(EVERY)


def module_doc(plugin: type) -> str:
    return inspect.getdoc(importlib.import_module(plugin.__module__)) or ""


def plugin_doc(name: str) -> str:
    """Docstring of the plugin's module, or of its folder where the class lives in one of several files."""
    plugin = EVERY[name]
    doc = module_doc(plugin)
    if HEADINGS[0] not in doc:
        doc = inspect.getdoc(importlib.import_module(plugin.__module__.rpartition(".")[0])) or ""
    return doc


@pytest.mark.parametrize("name", PLUGINS)
def test_the_docstring_has_the_four_headings_in_order(name: str) -> None:
    doc = plugin_doc(name)
    assert doc.startswith(f"{name}: ")
    places = [doc.find(f"\n{heading}") for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)
    assert "kubernetes v1." in doc[places[-1] :]


@pytest.mark.parametrize("name", PLUGINS)
def test_the_name_is_that_of_the_class_and_the_cost_is_known(name: str) -> None:
    assert EVERY[name].name == name == EVERY[name].__name__
    assert isinstance(EVERY[name].cost, Cost)


@pytest.mark.parametrize("minor", PATCHES)
def test_every_default_plugin_of_a_version_is_there_in_its_order(minor: int) -> None:
    wanted = [row.name for row in default_plugins(features(f"1.{minor}").features)]
    assert set(wanted) <= set(PLUGINS)
    # from 1.37 NodeName comes before NodeUnschedulable
    moved = {"NodeName", "NodeUnschedulable"}
    assert [name for name in wanted if name not in moved] == [n for n in PLUGINS if n in wanted and n not in moved]


OLD_POINTS = {"preFilter": "pre_filter", "filter": "filter", "preScore": "pre_score", "score": "score"}


def test_plugins_that_are_gone_are_in_no_release_and_have_the_points_of_the_table() -> None:
    assert list(OLD) == list(old_registry())
    assert not set(OLD) & {name for minor in PATCHES for name in registry(minor)}
    for name, points in old_registry().items():
        assert {point for point, method in OLD_POINTS.items() if hasattr(OLD[name], method)} == points, name


def cluster_with(nodes: int) -> Cluster:
    """Nodes with a taint, and a pod that every plugin has something to say about."""
    new = pod(
        "new",
        containers=[
            {"name": "c", "ports": [{"hostPort": 80}], "restartPolicyRules": [{"action": "RestartAllContainers"}]}
        ],
        nodeSelector={"zone": "z1"},
        topologySpreadConstraints=[
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        ],
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}},
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
    )
    claim = make(
        "PersistentVolumeClaim",
        "data",
        namespace="default",
        spec={
            "storageClassName": "later",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    )
    later = make("StorageClass", "later", provisioner="example.com/csi", volumeBindingMode="WaitForFirstConsumer")
    return build(ClusterState.of([*(node(f"n{i}", taints=["x:NoSchedule"]) for i in range(nodes)), new, claim, later]))


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("minor", [OLDEST, max(PATCHES)])
@pytest.mark.parametrize("name", [name for name in PLUGINS if issubclass(EVERY[name], FilterPlugin)])
def test_a_filter_answers_with_masks_as_long_as_the_rows_asked(name: str, minor: int, count: int) -> None:
    cluster = cluster_with(count)
    plugin: Any = EVERY[name](None, features(f"1.{minor}").features)
    info = cluster.pods[cluster.pod_index["default/new"]]
    state: Any = None
    if isinstance(plugin, PreFilterPlugin):
        answer = plugin.pre_filter(info, cluster)
        if not isinstance(answer, Ready):
            return
        state = answer.state
    assert isinstance(plugin.reads(Point.FILTER, info), Reads)
    for rows in (cluster.all_rows, cluster.all_rows[:0], cluster.all_rows[::-2]):
        findings = plugin.filter(info, state, cluster, plain(rows))
        masks = [findings.unresolvable, findings.failed, *(refusal.rows for refusal in findings.refusals)]
        assert [mask.dtype for mask in masks] == [np.bool_] * len(masks)
        assert [mask.shape for mask in masks] == [(len(rows),)] * len(masks)


PROTOCOLS = [
    one
    for module in (contract, groups)
    for one in vars(module).values()
    if inspect.isclass(one) and one.__module__ == module.__name__ and one.__name__.endswith("Plugin")
]
METHODS = {
    name: list(inspect.signature(method).parameters)
    for one in PROTOCOLS
    for name, method in vars(one).items()
    if not name.startswith("_") and callable(method)
}
"""Names of parameters by method of the contract."""


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_plugin_keeps_to_the_contract(name: str) -> None:
    """Every public method is one of the contract, with its parameters."""
    plugin = REGISTRY[name]
    mine = [
        method for method in dir(plugin) if not method.startswith("_") and inspect.isfunction(getattr(plugin, method))
    ]
    own = {method: list(inspect.signature(getattr(plugin, method)).parameters) for method in mine}
    assert own == {method: METHODS.get(method) for method in mine}
    assert "reads" in own
