"""A plugin of pytest: manifests as tests, ``def test_fits(kplan_plan): assert kplan_plan("deploy.yaml").fits``.

The snapshot is that of ``--kplan-snapshot``, of ``kplan_snapshot`` in the settings of pytest, or of KPLAN_SNAPSHOT.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kplan.notebook import Answer, Option, State

PlanOf = Callable[..., "Answer"]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the option and the setting that name the snapshot."""
    # pytest parses and rewrites each module of a package that brings a plugin, so that asserts that fail show values:
    # no assert of kplan is for tests, and without a cache of bytecode that took half of the start of a run
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("kplan")
    group = parser.getgroup("kplan")
    group.addoption("--kplan-snapshot", metavar="PATH", default="", help="file or folder that kplan plans on")
    parser.addini("kplan_snapshot", "file or folder that kplan plans on", default="")


@pytest.fixture(scope="session")
def kplan_state(pytestconfig: pytest.Config) -> State:
    """The cluster that tests plan on."""
    from kplan.notebook import State

    given = pytestconfig.getoption("--kplan-snapshot")
    if not given and pytestconfig.getini("kplan_snapshot"):
        given = str(pytestconfig.rootpath / pytestconfig.getini("kplan_snapshot"))
    given = given or os.environ.get("KPLAN_SNAPSHOT", "")
    if not given:
        pytest.fail("no snapshot: --kplan-snapshot PATH, kplan_snapshot in the settings of pytest, or KPLAN_SNAPSHOT")
    return State(given)


@pytest.fixture
def kplan_plan(kplan_state: State) -> PlanOf:
    """Plan manifests on the cluster: files and options of ``kplan simulate``, an Answer back."""

    def plan(*manifests: str | Path, **options: Option) -> Answer:
        return kplan_state.simulate(*manifests, **options)

    return plan


@pytest.fixture
def kplan_check(kplan_state: State) -> PlanOf:
    """Check manifests on the cluster: files and options of ``kplan check``, an Answer back."""

    def check(*manifests: str | Path, **options: Option) -> Answer:
        return kplan_state.check(*manifests, **options)

    return check
