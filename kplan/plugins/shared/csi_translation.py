"""What an in-tree volume is called by the CSI driver that took it over, and where it may then be used from.

Only what the scheduler asks of the translation is here: the plugin, the driver, the handle and the topology.
Source: csi-translation-lib v0.37.2 translate.go, plugins/*.go (equal since v0.34).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from kplan.framework.features import Features
from kplan.objects.models import CSINode, NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec, Volume
from kplan.objects.models.meta import NodeSelector, NodeSelectorRequirement
from kplan.objects.models.storage import VolumeNodeAffinity

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
ZONE_SEPARATOR = "__"

_UNSPECIFIED = "UNSPECIFIED"
_AWS_VOLUME = re.compile(r"vol-[^/]*")


class TranslationError(Exception):
    """A volume that its CSI driver has no name for; the message is the scheduler's text."""


class InTreePlugin(Struct, frozen=True):
    """A storage plugin that was once part of Kubernetes.

    Attributes:
        name: its name, as a provisioner and in the annotation of a CSINode.
        driver: the CSI driver that took it over.
        source: field of a volume's spec that names one of its disks.
        topology_key: the node label that holds the driver's zone; empty where topology is left as it is.
        counted: whether the scheduler counts and translates its volumes for the driver.
    """

    name: str
    driver: str
    source: str
    topology_key: str = ""
    counted: bool = True


AWS_EBS = InTreePlugin(
    "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "aws_elastic_block_store", "topology.ebs.csi.aws.com/zone"
)
GCE_PD = InTreePlugin("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gce_persistent_disk", "topology.gke.io/zone")
AZURE_DISK = InTreePlugin("kubernetes.io/azure-disk", "disk.csi.azure.com", "azure_disk")
CINDER = InTreePlugin(
    "kubernetes.io/cinder", "cinder.csi.openstack.org", "cinder", "topology.cinder.csi.openstack.org/zone"
)
PORTWORX = InTreePlugin("kubernetes.io/portworx-volume", "pxd.portworx.com", "portworx_volume")
AZURE_FILE = InTreePlugin("kubernetes.io/azure-file", "file.csi.azure.com", "azure_file", counted=False)
VSPHERE = InTreePlugin("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "vsphere_volume", counted=False)

IN_TREE: tuple[InTreePlugin, ...] = (AWS_EBS, GCE_PD, AZURE_DISK, CINDER, PORTWORX, AZURE_FILE, VSPHERE)
BY_NAME: dict[str, InTreePlugin] = {plugin.name: plugin for plugin in IN_TREE}


def plugin_of_volume(volume: PersistentVolume) -> InTreePlugin | None:
    """Return the in-tree plugin of a PersistentVolume; None for a CSI or another volume.

    Source: CSITranslator.IsPVMigratable, GetInTreePluginNameFromSpec.
    """
    return next((plugin for plugin in IN_TREE if getattr(volume.spec, plugin.source) is not None), None)


def plugin_of_inline(volume: Volume) -> InTreePlugin | None:
    """Return the in-tree plugin of a volume written into a pod; None for any other kind of volume.

    Source: CSITranslator.IsInlineMigratable, GetInTreePluginNameFromSpec.
    """
    return next((plugin for plugin in IN_TREE if getattr(volume, plugin.source) is not None), None)


def is_switched_on(plugin: InTreePlugin, features: Features) -> bool:
    """Tell whether the scheduler of this version translates volumes of this plugin at all.

    Source: v1.37.2 volumebinding/binder.go isCSIMigrationOnForPlugin, nodevolumelimits/utils.go isCSIMigrationOn;
    up to v1.35 Portworx has a gate.
    """
    if plugin is PORTWORX and not features.since(36):
        return features.enabled("CSIMigrationPortworx")
    return plugin.counted


def says_migrated(csi_node: CSINode | None, plugin: InTreePlugin) -> bool:
    """Tell whether a node's CSINode lists the plugin as migrated.

    Source: v1.37.2 volumebinding/binder.go isPluginMigratedToCSIOnNode.
    """
    return csi_node is not None and plugin.name in csi_node.annotations.get(MIGRATED_PLUGINS, "").split(",")


def volume_handle(volume: PersistentVolume) -> str:
    """Return what the CSI driver calls an in-tree PersistentVolume of a plugin that is counted.

    Raises:
        TranslationError: it has no such name.

    Source: InTreePlugin.TranslateInTreePVToCSI of each plugin.
    """
    return _handle(volume.spec, volume.labels)


def inline_handle(volume: Volume) -> str:
    """Return what the CSI driver calls an in-tree volume written into a pod, of a plugin that is counted.

    Raises:
        TranslationError: it has no such name.

    Source: InTreePlugin.TranslateInTreeInlineVolumeToCSI of each plugin.
    """
    return _handle(volume, {})


def _handle(source: Volume | PersistentVolumeSpec, labels: Mapping[str, str]) -> str:
    """Name a disk, which the labels of its volume may say the zones of."""
    if source.aws_elastic_block_store is not None:
        return _ebs_handle(source.aws_elastic_block_store.volume_id or "")
    if source.gce_persistent_disk is not None:
        return _gce_handle(labels, source.gce_persistent_disk.pd_name or "")
    if source.azure_disk is not None:
        return _azure_disk_handle(source.azure_disk.kind, source.azure_disk.disk_uri)
    if source.cinder is not None:
        return source.cinder.volume_id or ""
    assert source.portworx_volume is not None, "it is of a plugin that is counted"
    return source.portworx_volume.volume_id or ""


def translated_affinity(volume: PersistentVolume, plugin: InTreePlugin) -> VolumeNodeAffinity | None:
    """Return the node affinity an in-tree volume has once its driver's topology stands in for zones.

    Source: plugins/in_tree_volume.go translateTopologyFromInTreeToCSI.
    """
    affinity = volume.spec.node_affinity
    if not plugin.topology_key:
        return affinity
    terms = (affinity.required.node_selector_terms if affinity and affinity.required else None) or []
    zone, region = _topology_labels(volume, terms)
    if _values(terms, zone):
        terms = _renamed(terms, zone, plugin.topology_key)
    elif zone in volume.labels:
        terms = _added(terms, plugin.topology_key, volume.labels[zone].split(ZONE_SEPARATOR))
    if region == BETA_REGION and _values(terms, region):
        terms = _renamed(terms, region, REGION)
    if not terms:
        return affinity
    return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=terms))


def _topology_labels(volume: PersistentVolume, terms: list[NodeSelectorTerm]) -> tuple[str, str]:
    """Return the (zone, region) labels a volume uses: of its affinity, else of its own labels, else the GA ones."""
    keys = {expression.key for expression in _expressions(terms)}
    for known in (keys, volume.labels):
        if ZONE in known:
            return ZONE, REGION
        if BETA_ZONE in known:
            return BETA_ZONE, BETA_REGION
    return ZONE, REGION


def _expressions(terms: Iterable[NodeSelectorTerm]) -> Iterator[NodeSelectorRequirement]:
    for term in terms:
        yield from term.match_expressions or ()


def _values(terms: Iterable[NodeSelectorTerm], key: str) -> set[str]:
    return {value for e in _expressions(terms) if e.key == key for value in e.values or ()}


def _renamed(terms: Iterable[NodeSelectorTerm], old: str, new: str) -> list[NodeSelectorTerm]:
    return [
        replace(
            term,
            match_expressions=[replace(e, key=new) if e.key == old else e for e in term.match_expressions or ()],
        )
        for term in terms
    ]


def _added(terms: list[NodeSelectorTerm], key: str, zones: Iterable[str]) -> list[NodeSelectorTerm]:
    named = sorted({zone.strip() for zone in zones} - {""})
    if not named:
        return terms
    expression = NodeSelectorRequirement(key=key, operator="In", values=named)
    return [
        replace(term, match_expressions=[*(term.match_expressions or ()), expression])
        for term in terms or [NodeSelectorTerm()]
    ]


def _ebs_handle(volume_id: str) -> str:
    """Read ``vol-1`` out of ``aws://zone/vol-1``.

    Source: plugins/aws_ebs.go KubernetesVolumeIDToEBSVolumeID.
    """
    if not volume_id.startswith("aws://"):
        return volume_id
    bare = unquote(urlsplit(volume_id).path).strip("/")
    if not _AWS_VOLUME.fullmatch(bare):
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({volume_id})"
        )
    return bare


def _gce_handle(labels: Mapping[str, str], disk: str) -> str:
    zones = (labels.get(BETA_ZONE) or labels.get(ZONE) or "").split(ZONE_SEPARATOR)
    if len(zones) > 1:
        return f"projects/{_UNSPECIFIED}/regions/{_gce_region(zones)}/disks/{disk}"
    return f"projects/{_UNSPECIFIED}/zones/{zones[0] or _UNSPECIFIED}/disks/{disk}"


def _gce_region(zones: Iterable[str]) -> str:
    """Read the one region of zones such as ``us-central1-a``.

    Source: plugins/gce_pd.go gceGetRegionFromZones.
    """
    regions: set[str] = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise TranslationError(
                "failed to get region from zones: zone in unexpected format, "
                f"expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        shown = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{shown}]"
        )
    return regions.pop()


def _azure_disk_handle(kind: str | None, uri: str | None) -> str:
    if kind is not None and kind.lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return uri or ""
