"""Feature gates: defaults by minor, settings, and what kube-scheduler refuses."""

import ast
from pathlib import Path

import pytest

import kplan
from kplan.config import features
from kplan.config.gates import MINORS, gates, needs
from kplan.config.versions import PATCHES
from kplan.errors import ConfigError

# Gates that change a decision or a text. One column a minor: "on", "off", "on!" (locked), "-" (not there).
DEFAULTS = """
DynamicResourceAllocation                      on  on! on! on!
DRAPrioritizedList                             on  on  on  on!
DRAAdminAccess                                 on  on  on! on!
DRAExtendedResource                            off off on  on!
DRADeviceTaints                                off off on  on
DRADeviceTaintRules                            -   off off on
DRAPartitionableDevices                        off off on  on
DRAConsumableCapacity                          off off on  on
DRADeviceBindingConditions                     off off on  on
DRAResourceClaimDeviceStatus                   on  on  on  on!
DRASchedulerFilterTimeout                      on  on  on  on
DRAFractionalCapacityRange                     -   -   -   off
DRAListTypeAttributes                          -   -   off off
DRANodeAllocatableResources                    -   -   off off
DRAWorkloadResourceClaims                      -   -   off off
DRADerivedAttributes                           -   -   -   off
DRADeviceCompatibilityGroups                   -   -   -   off
DRAOptionalNodeOperations                      -   -   -   off
StorageCapacityScoring                         off off off on
VolumeLimitScaling                             -   off off on
CSIMigrationPortworx                           on! on! -   -
NodeDeclaredFeatures                           -   off on  on!
TaintTolerationComparisonOperators             -   off off off
InPlacePodVerticalScaling                      on  on! on! on!
InPlacePodLevelResourcesVerticalScaling        -   off on  on
PodLevelResources                              on  on  on  on
PodLevelResourcesFixDefaulting                 -   -   -   on
InPlacePodVerticalScalingSchedulerPreemption   -   -   -   off
SidecarContainers                              on! on! on! -
NodeInclusionPolicyInPodTopologySpread         on! on! on! on!
MatchLabelKeysInPodTopologySpread              on  on  on  on
MatchLabelKeysInPodTopologySpreadSelectorMerge on  on  on  on
MatchLabelKeysInPodAffinity                    on! on! on! on!
InterPodAffinityHostnameFastPath               -   -   -   off
SchedulerAsyncPreemption                       on  on  on  on
OpportunisticBatching                          -   on  on  on
NominatedNodeNameForExpectation                off on  on  on
PodTopologyLabelsAdmission                     off on  on  on
VolumeAttributesClass                          on  on  on! on!
ImageVolume                                    off on  on! on!
GenericWorkload                                -   off off off
GangScheduling                                 -   off off -
TopologyAwareWorkloadScheduling                -   -   off off
WorkloadAwarePreemption                        -   -   off -
PodGroupPreemptionPolicy                       -   -   -   off
CompositePodGroup                              -   -   -   off
"""
ROWS = [line.split() for line in DEFAULTS.strip().splitlines()]


@pytest.mark.parametrize(("name", "cells"), [pytest.param(row[0], row[1:], id=row[0]) for row in ROWS])
def test_a_gate_has_its_default_in_every_minor(name: str, cells: list[str]) -> None:
    known = [gates(minor).get(name) for minor in (34, 35, 36, 37)]
    shown = [
        "-" if gate is None else ("on" if gate.default else "off") + ("!" if gate.locked else "") for gate in known
    ]
    assert shown == cells


def test_every_gate_that_is_on_by_default_is_enabled_and_no_other() -> None:
    for minor in MINORS:
        on = features(f"1.{minor}").features.gates
        assert on == {gate.name for gate in gates(minor).values() if gate.default}


def test_the_gate_table_has_a_column_for_every_supported_minor() -> None:
    assert tuple(PATCHES) == MINORS


def test_a_gate_that_another_needs_is_a_gate() -> None:
    for minor in MINORS:
        for name, others in needs(minor).items():
            assert {name, *others} <= set(gates(minor))


def test_gates_can_be_set() -> None:
    on = features("1.37", {"GenericWorkload": True, "StorageCapacityScoring": False}).features
    assert on.enabled("GenericWorkload")
    assert not on.enabled("StorageCapacityScoring")


def test_a_locked_gate_can_be_set_to_what_it_is() -> None:
    assert features("1.37", {"DynamicResourceAllocation": True}).features.enabled("DynamicResourceAllocation")


REFUSED = [
    pytest.param(
        "1.37",
        {"DynamicResourceAllocation": False},
        "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true",
        "locked-feature-gate",
        "Kubernetes 1.37 has it on for good: leave it out",
        id="a locked gate set to another value",
    ),
    pytest.param(
        "1.37",
        {"StorageCapacityScorin": True},
        "unrecognized feature gate: StorageCapacityScorin",
        "unknown-feature-gate",
        "did you mean StorageCapacityScoring?",
        id="a misspelled gate",
    ),
    pytest.param(
        "1.34",
        {"GenericWorkload": True},
        "unrecognized feature gate: GenericWorkload",
        "unknown-feature-gate",
        "Kubernetes 1.34 does not know it; 1.35, 1.36, 1.37 do",
        id="a gate of later minors",
    ),
    pytest.param(
        "1.37",
        {"SidecarContainers": True},
        "unrecognized feature gate: SidecarContainers",
        "unknown-feature-gate",
        "Kubernetes 1.37 does not know it; 1.34, 1.35, 1.36 do",
        id="a gate that is gone",
    ),
    pytest.param(
        "1.37",
        {"qwertyuiop": True},
        "unrecognized feature gate: qwertyuiop",
        "unknown-feature-gate",
        "see the release's list of feature gates",
        id="a gate like no other",
    ),
    pytest.param(
        "1.35",
        {"GangScheduling": True},
        "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]",
        "feature-gate-dependency",
        "turn GenericWorkload on",
        id="a gate on without the one it needs",
    ),
    pytest.param(
        "1.36",
        {"DRAResourceClaimDeviceStatus": False},
        "DRADeviceBindingConditions is enabled, but depends on features that are disabled: "
        "[DRAResourceClaimDeviceStatus]",
        "feature-gate-dependency",
        "turn DRADeviceBindingConditions off too",
        id="a gate off that a default one needs",
    ),
]


@pytest.mark.parametrize(("version", "settings", "message", "code", "hint"), REFUSED)
def test_settings_are_refused(version: str, settings: dict[str, bool], message: str, code: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        features(version, settings)
    assert (caught.value.message, caught.value.code, caught.value.hint) == (message, code, hint)


def test_1_34_does_not_check_what_gates_need() -> None:
    on = features("1.34", {"DRADeviceBindingConditions": True, "DynamicResourceAllocation": False}).features
    assert on.enabled("DRADeviceBindingConditions")
    assert not on.enabled("DynamicResourceAllocation")


def test_all_alpha_sets_every_alpha_gate_that_is_not_set_by_name() -> None:
    on = features("1.36", {"AllAlpha": True, "TaintTolerationComparisonOperators": False}).features
    assert on.enabled("TopologyAwareWorkloadScheduling")
    assert not on.enabled("TaintTolerationComparisonOperators")
    assert not on.enabled("AllAlpha")


def test_all_beta_off_leaves_what_is_generally_available() -> None:
    on = features("1.34", {"AllBeta": False}).features
    assert not on.enabled("PodLevelResources")
    assert on.enabled("NodeInclusionPolicyInPodTopologySpread")


def test_every_gate_that_kplan_asks_for_exists() -> None:
    known = {name for minor in MINORS for name in gates(minor)}
    asked = set()
    for file in Path(kplan.__file__).parent.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if ".enabled(" in text else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "enabled"
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                asked.add(node.args[0].value)
    assert asked
    assert asked <= known
