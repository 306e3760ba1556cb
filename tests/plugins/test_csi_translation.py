"""What in-tree volumes are called by their CSI drivers: expected names follow csi-translation-lib v0.37.2."""

from typing import Any

import msgspec
import pytest

from kplan.config.versions import features
from kplan.objects.models import PersistentVolume, Volume
from kplan.plugins.shared.csi_translation import (
    AWS_EBS,
    AZURE_DISK,
    AZURE_FILE,
    GCE_PD,
    PORTWORX,
    VSPHERE,
    TranslationError,
    inline_handle,
    is_switched_on,
    plugin_of_inline,
    plugin_of_volume,
    translated_affinity,
    volume_handle,
)
from tests.builders import make

ZONE, BETA_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, BETA_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
AWS_ZONE = "topology.ebs.csi.aws.com/zone"


def volume(source: str, labels: dict[str, str] | None = None, **fields: Any) -> PersistentVolume:
    made = make("PersistentVolume", "pv", spec={source: fields}, metadata={"labels": labels or {}})
    assert isinstance(made, PersistentVolume)
    return made


HANDLES = {
    "a bare AWS id": (volume("awsElasticBlockStore", volumeID="vol-1"), "vol-1"),
    "an AWS id with a zone": (volume("awsElasticBlockStore", volumeID="aws://us-east-1a/vol-1"), "vol-1"),
    "a GCE disk of no zone": (
        volume("gcePersistentDisk", pdName="d"),
        "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d",
    ),
    "a GCE disk of one zone": (
        volume("gcePersistentDisk", {ZONE: "us-central1-a"}, pdName="d"),
        "projects/UNSPECIFIED/zones/us-central1-a/disks/d",
    ),
    "a GCE disk of a region": (
        volume("gcePersistentDisk", {BETA_ZONE: "us-central1-a__us-central1-b"}, pdName="d"),
        "projects/UNSPECIFIED/regions/us-central1/disks/d",
    ),
    "a managed Azure disk": (volume("azureDisk", diskName="n", diskURI="/d", kind="Managed"), "/d"),
    "a Cinder volume": (volume("cinder", volumeID="c"), "c"),
    "a Portworx volume": (volume("portworxVolume", volumeID="p"), "p"),
}


@pytest.mark.parametrize(("item", "handle"), HANDLES.values(), ids=HANDLES)
def test_handles_of_volumes(item: PersistentVolume, handle: str) -> None:
    assert volume_handle(item) == handle


FAILURES = {
    "an AWS id that is no volume": (
        volume("awsElasticBlockStore", volumeID="aws://us-east-1a/disk"),
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://us-east-1a/disk)",
    ),
    "GCE zones that are none": (
        volume("gcePersistentDisk", {ZONE: "a__b"}, pdName="d"),
        "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a",
    ),
    "GCE zones of two regions": (
        volume("gcePersistentDisk", {ZONE: "us-west1-a__us-east1-b"}, pdName="d"),
        "failed to get region from zones: multiple or no regions gotten from zones, got: map[us-east1:{} us-west1:{}]",
    ),
    "an Azure disk that is not managed": (
        volume("azureDisk", diskURI="/d", kind="Shared"),
        "kind(Shared) is not supported in csi migration",
    ),
}


@pytest.mark.parametrize(("item", "text"), FAILURES.values(), ids=FAILURES)
def test_volumes_without_a_handle(item: PersistentVolume, text: str) -> None:
    with pytest.raises(TranslationError) as caught:
        volume_handle(item)
    assert str(caught.value) == text


INLINE = {
    "an AWS volume": ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, "vol-1"),
    "a GCE disk": ({"gcePersistentDisk": {"pdName": "d"}}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
    "an Azure disk": ({"azureDisk": {"diskURI": "/d"}}, "/d"),
    "a Cinder volume": ({"cinder": {"volumeID": "c"}}, "c"),
    "a Portworx volume": ({"portworxVolume": {"volumeID": "p"}}, "p"),
}


@pytest.mark.parametrize(("source", "handle"), INLINE.values(), ids=INLINE)
def test_handles_of_volumes_written_into_a_pod(source: dict[str, Any], handle: str) -> None:
    assert inline_handle(msgspec.convert({"name": "v", **source}, Volume)) == handle


def test_plugins_are_found_by_the_source_of_a_volume() -> None:
    assert plugin_of_volume(volume("gcePersistentDisk", pdName="d")) is GCE_PD
    assert plugin_of_volume(volume("vsphereVolume", volumePath="p")) is VSPHERE
    assert plugin_of_volume(volume("csi", driver="d", volumeHandle="h")) is None
    assert plugin_of_inline(msgspec.convert({"name": "v", "azureFile": {"shareName": "s"}}, Volume)) is AZURE_FILE
    assert plugin_of_inline(msgspec.convert({"name": "v", "emptyDir": {}}, Volume)) is None


def test_file_shares_and_vsphere_never_count_and_portworx_has_a_gate_up_to_35() -> None:
    newest = features("1.37").features
    assert [is_switched_on(p, newest) for p in (AWS_EBS, AZURE_DISK, PORTWORX)] == [True, True, True]
    assert [is_switched_on(p, newest) for p in (AZURE_FILE, VSPHERE)] == [False, False]
    assert is_switched_on(PORTWORX, features("1.35").features)


def terms(*requirements: tuple[str, list[str]]) -> dict[str, Any]:
    expressions = [{"key": key, "operator": "In", "values": values} for key, values in requirements]
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}


TOPOLOGY = {
    "the zone of the affinity becomes the driver's": ({}, terms((ZONE, ["a"])), terms((AWS_ZONE, ["a"]))),
    "an old region is renamed beside an old zone": (
        {},
        terms((BETA_ZONE, ["a"]), (BETA_REGION, ["r"])),
        terms((AWS_ZONE, ["a"]), (REGION, ["r"])),
    ),
    "without a zone in the affinity the label counts, sorted": (
        {ZONE: "b__a"},
        None,
        terms((AWS_ZONE, ["a", "b"])),
    ),
    "the label is added to what the affinity says": (
        {ZONE: "a"},
        terms(("disk", ["ssd"])),
        terms(("disk", ["ssd"]), (AWS_ZONE, ["a"])),
    ),
    "a volume of no zone stays as it is": ({}, terms(("disk", ["ssd"])), terms(("disk", ["ssd"]))),
    "neither affinity nor label": ({}, None, None),
}


@pytest.mark.parametrize(("labels", "affinity", "expected"), TOPOLOGY.values(), ids=TOPOLOGY)
def test_topology(labels: dict[str, str], affinity: dict[str, Any] | None, expected: dict[str, Any] | None) -> None:
    spec: dict[str, Any] = {"awsElasticBlockStore": {"volumeID": "vol-1"}}
    if affinity is not None:
        spec["nodeAffinity"] = affinity
    item = make("PersistentVolume", "pv", spec=spec, metadata={"labels": labels})
    assert isinstance(item, PersistentVolume)
    before = msgspec.to_builtins(item)
    translated = translated_affinity(item, AWS_EBS)
    assert (msgspec.to_builtins(translated) if translated is not None else None) == expected
    assert msgspec.to_builtins(item) == before
