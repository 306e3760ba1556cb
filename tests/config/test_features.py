"""Versions as people and servers write them, and what a version answers."""

import pytest

from kplan.errors import ConfigError
from kplan.framework.features import Features, Version

WRITTEN = [
    pytest.param("1.36", Version(36, 0), id="a minor alone, without a table of patches"),
    pytest.param("v1.36.3", Version(36, 3), id="as kubectl version prints it"),
    pytest.param("1.36.3", Version(36, 3), id="without the v"),
    pytest.param("1.36.3-eks-123", Version(36, 3), id="an EKS build"),
    pytest.param("v1.34.1+k3s1", Version(34, 1), id="a k3s build"),
    pytest.param("v1.35.0-gke.1234000", Version(35, 0), id="a GKE build"),
    pytest.param("v1.37.0-alpha.1.5+4f2e8c0d1a2b3c", Version(37, 0), id="a development build"),
    pytest.param("1.33+", Version(33, 0), id="a minor with a plus, as some servers report it"),
    pytest.param(" 1.37.2\n", Version(37, 2), id="with space around it"),
]


@pytest.mark.parametrize(("text", "version"), WRITTEN)
def test_a_version_is_read(text: str, version: Version) -> None:
    assert Version.parse(text) == version


@pytest.mark.parametrize("text", ["", "1", "36", "2.36", "1.36.x", "v1.", "latest", "1.36.3.1", "1.36 3", "1.99999"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a Kubernetes version") as caught:
        Version.parse(text)
    assert caught.value.code == "bad-version"
    assert caught.value.hint == "write it as 1.36 or 1.36.3"


def test_a_minor_alone_takes_its_patch_from_the_table() -> None:
    patches = {36: 3}
    assert Version.parse("1.36", patches) == Version(36, 3)
    assert Version.parse("1.36.0", patches) == Version(36, 0)
    assert Version.parse("1.35", patches) == Version(35, 0)


def test_versions_are_ordered_by_minor_then_patch_and_print_as_releases() -> None:
    assert Version(34, 4) < Version(35, 0) < Version(35, 10)
    assert str(Version(36, 3)) == "1.36.3"


def test_since_compares_minor_and_patch() -> None:
    features = Features(Version(36, 2))
    assert features.since(35)
    assert features.since(36)
    assert features.since(36, 2)
    assert not features.since(36, 3)
    assert not features.since(37)


def test_a_gate_is_on_only_if_it_is_named() -> None:
    features = Features(Version(37, 2), frozenset({"StorageCapacityScoring"}))
    assert features.enabled("StorageCapacityScoring")
    assert not features.enabled("GenericWorkload")
