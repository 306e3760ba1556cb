"""THE table of columns: every array of a Cluster, its axes, type, unit and meaning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kplan.cluster.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Column:
    """One array of a Cluster.

    Attributes:
        name: attribute of Cluster.
        axes: N nodes, P pods, R resources, one letter an axis; a digit is a fixed length.
        dtype: NumPy type.
        unit: what one unit is, in brackets.
        meaning: what it holds.
    """

    name: str
    axes: str
    dtype: type[np.generic]
    unit: str
    meaning: str


COLUMNS: tuple[Column, ...] = (
    Column("allocatable", "RN", np.int64, "[millicores for cpu, else whole]", "status.allocatable of each node"),
    Column("requested", "RN", np.int64, "[as allocatable]", "sum of the requests of the pods on each node"),
    Column("non_zero_requested", "2N", np.int64, "[millicores, bytes]", "the same for cpu and memory with 100m and "
           "200Mi for containers that request none"),
    Column("pod_count", "N", np.int64, "[pods]", "pods on each node"),
    Column("allowed_pods", "N", np.int64, "[pods]", "allocatable pods of each node"),
    Column("unschedulable", "N", np.bool_, "", "spec.unschedulable"),
    Column("taint_set", "N", np.int32, "", "index in taint_sets"),
    Column("feature_set", "N", np.int32, "", "index in feature_sets, the declared features"),
    Column("pod_node", "P", np.int32, "", "node_index of each pod, -1 for one on no node of the cluster"),
    Column("pod_nominated", "P", np.int32, "", "node_index of a waiting pod's nominated node, -1 for none"),
    Column("pod_class", "P", np.int32, "", "index in pod_classes: namespace, labels, affinity, host ports"),
    Column("pod_priority", "P", np.int64, "", "spec.priority"),
    Column("pod_start", "P", np.int64, "[seconds]", "status.startTime since 1970; the largest int64 for none"),
    Column("pod_request", "RP", np.int64, "[as allocatable]", "what each pod counts on its node"),
    Column("pod_non_zero", "2P", np.int64, "[millicores, bytes]", "the same for non_zero_requested"),
)  # fmt: skip


def check(cluster: "Cluster") -> None:
    """Assert that every column has the type and shape of the table.

    Raises:
        AssertionError: a column disagrees with the table: a bug.
    """
    sizes = {"N": len(cluster.nodes), "P": len(cluster.pods), "R": len(cluster.resources), "2": 2}
    for column in COLUMNS:
        array: np.ndarray = getattr(cluster, column.name)
        shape = tuple(sizes[axis] for axis in column.axes)
        assert array.dtype == column.dtype, f"{column.name}: {array.dtype}, want {column.dtype}"
        assert array.shape == shape, f"{column.name}: {array.shape}, want {shape}"
