"""ClusterState as columns: interned, counted, and changed only through Change, apply and undo."""

from kplan.cluster.build import build
from kplan.cluster.changes import (
    AddPods,
    Assume,
    CountAhead,
    CountClaimed,
    Nominate,
    Put,
    Relabel,
    Remove,
    Restore,
    Terminate,
)
from kplan.cluster.cluster import Change, Cluster, Undo
from kplan.cluster.counters import Counter
from kplan.cluster.device_claims import arrive, leave, released
from kplan.cluster.labels import LabelColumn
from kplan.cluster.node_changes import PutNode, RemoveNodes
from kplan.cluster.pods import HostPort, PodClass, PodInfo
from kplan.cluster.unbuild import to_state

__all__ = [
    "AddPods",
    "Assume",
    "Change",
    "Cluster",
    "CountAhead",
    "CountClaimed",
    "Counter",
    "HostPort",
    "LabelColumn",
    "Nominate",
    "PodClass",
    "PodInfo",
    "Put",
    "PutNode",
    "Relabel",
    "Remove",
    "RemoveNodes",
    "Restore",
    "Terminate",
    "Undo",
    "arrive",
    "build",
    "leave",
    "released",
    "to_state",
]
