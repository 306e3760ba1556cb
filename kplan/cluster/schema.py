"""THE table of columns: every array of a Cluster, its axes, type, unit and meaning; all bookkeeping follows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster.pods import NO_TIME

if TYPE_CHECKING:
    from kplan.cluster.cluster import Cluster


class Column(Struct, frozen=True):
    """One array of a Cluster.

    Attributes:
        name: attribute of Cluster.
        axes: N nodes, P pods, R resources, one letter an axis; a digit is a fixed length.
        dtype: NumPy type.
        unit: what one unit is, in brackets.
        meaning: what it holds.
        blank: value of an element of which nothing is known.
        points: whether it holds rows of nodes, which are numbered anew as nodes come and go.
    """

    name: str
    axes: str
    dtype: type[np.generic]
    unit: str
    meaning: str
    blank: int = 0
    points: bool = False

    def blanks(self, sizes: Mapping[str, int]) -> NDArray[Any]:
        """Make the column of so many elements, each blank.

        Args:
            sizes: length of each axis, as ``sizes_of`` gives them.
        """
        shape = [sizes[axis] for axis in self.axes]
        return np.full(shape, self.blank, self.dtype) if self.blank else np.zeros(shape, self.dtype)


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
    Column("pod_node", "P", np.int32, "", "node_index of each pod, -1 for one on no node of the cluster",
           blank=-1, points=True),
    Column("pod_nominated", "P", np.int32, "", "node_index of a waiting pod's nominated node, -1 for none", blank=-1,
           points=True),
    Column("pod_class", "P", np.int32, "", "index in pod_classes: namespace, labels, affinity, host ports"),
    Column("pod_priority", "P", np.int64, "", "spec.priority"),
    Column("pod_start", "P", np.int64, "[seconds]", "status.startTime since 1970; the largest int64 for none",
           blank=NO_TIME),
    Column("pod_request", "RP", np.int64, "[as allocatable]", "what each pod counts on its node"),
    Column("pod_non_zero", "2P", np.int64, "[millicores, bytes]", "the same for non_zero_requested"),
)  # fmt: skip

PER_NODE = tuple(column for column in COLUMNS if column.axes[-1] == "N")
"""Columns whose last axis is the node."""
PER_POD = tuple(column for column in COLUMNS if column.axes[-1] == "P")
"""Columns whose last axis is the pod."""
PER_RESOURCE = tuple(column for column in COLUMNS if column.axes[0] == "R")
"""Columns whose first axis is the resource."""
POINTERS = tuple(column for column in COLUMNS if column.points)
"""Columns that hold rows of nodes."""


def sizes_of(cluster: Cluster) -> dict[str, int]:
    """Give the length of each axis."""
    return {"N": len(cluster.nodes), "P": len(cluster.pods), "R": len(cluster.resources), "2": 2}


def check(cluster: Cluster) -> None:
    """Assert that every column has the type and shape of the table.

    Raises:
        AssertionError: a column disagrees with the table: a bug.
    """
    sizes = sizes_of(cluster)
    for column in COLUMNS:
        array: NDArray[Any] = getattr(cluster, column.name)
        shape = tuple(sizes[axis] for axis in column.axes)
        assert array.dtype == column.dtype, f"{column.name}: {array.dtype}, want {column.dtype}"
        assert array.shape == shape, f"{column.name}: {array.shape}, want {shape}"
