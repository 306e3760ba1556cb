"""From: where an answer comes from, by which rules, and how those are known."""

from __future__ import annotations

import re
from pathlib import PurePath

from kplan.framework.features import Features, Version
from kplan.objects.state import ClusterState
from kplan.result.document_base import Known, Origin
from kplan.wording.versions import other_rules

_VERSION = re.compile(r"v?1\.\d+")


def version_of(state: ClusterState, asked: str = "") -> tuple[str, Known]:
    """Find the version to plan by, and how it is known.

    Args:
        state: what was read.
        asked: the version asked for; empty for that of the source.

    Returns:
        The version, empty for the newest that kplan knows, and how it is known.
    """
    if asked:
        return asked, Known.ASKED
    if state.server_version:
        return state.server_version, Known.RECORDED
    kubelets = [node.status.node_info.kubelet_version or "" for node in state.nodes if node.status.node_info]
    known = [text for text in kubelets if _VERSION.match(text)]
    if known:
        return max(known, key=Version.parse), Known.KUBELET
    return "", Known.NOT


def origin(
    state: ClusterState, features: Features, asked: str, how: Known, *, via: str = "", age: int | None = None
) -> Origin:
    """Describe a source.

    Args:
        state: what was read.
        features: rules used.
        asked: version they were chosen by; a minor alone is shown as one.
        how: how it is known.
        via: how the source was found where it was not named.
        age: how long ago a live cluster was read [seconds]; None for a file.
    """
    version = str(features.version)
    exact = asked.count(".") > 1 and how != Known.NOT
    apart = bool(asked) and Version.parse(asked).minor != features.version.minor
    live = age is not None
    sources = [part if live else PurePath(part).name for part in state.source.split(", ")]
    return Origin(
        source=", ".join(sources),
        nodes=len(state.nodes),
        pods=len(state.pods),
        k8s_version=version,
        how=other_rules(asked, str(how)) if apart else str(how),
        rules=version if exact and not apart else version.rpartition(".")[0],
        via=via,
        taken=state.taken,
        age=age,
    )
