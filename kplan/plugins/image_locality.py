"""ImageLocality: nodes that already hold a pod's images are preferred.

What it checks:  nothing: it scores. An image counts with its size times the share of nodes that hold it; the sum over
                 the pod's images is taken as 0 at 23 MiB and as 100 at 1000 MiB an image. Images of containers and init
                 containers count; of image volumes too from 1.36 on, in the upper bound from 1.37 on.
Rejects with:    nothing.
Not modelled:    the history of an image's size: of nodes that report different sizes, the scheduler takes the one it
                 saw first; here it is the first by node name.
Source:          kubernetes v1.37.2, v1.36.3, v1.34.4 pkg/scheduler/framework/plugins/imagelocality/image_locality.go;
                 v1.37.2 pkg/scheduler/backend/cache/cache.go addNodeImageStates
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Compares, Point
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.models import Node

_MIB = 1024 * 1024
_LOWEST = 23 * _MIB
"""Sum that counts as 0 [bytes]."""
_HIGHEST_PER_IMAGE = 1000 * _MIB
"""Sum that counts as 100, for each image [bytes]."""


class ImageState(NamedTuple):
    """One image name over all nodes.

    Attributes:
        size: [bytes]
        rows: intp[], the nodes that hold it.
    """

    size: int
    rows: Rows


class ImageLocality(ColumnPlugin[None]):
    """Ranks nodes by the images they hold."""

    name: ClassVar[str] = "ImageLocality"
    compares: ClassVar[Compares] = Compares.NOTHING
    by_taints: ClassVar[bool] = False

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F] within 0..100; it is not normalised.

        Source: v1.37.2 sumImageScores, calculatePriority.
        """
        images, bounded = self._images(pod)
        total = np.zeros(len(cluster.nodes), dtype=np.int64)
        for image in images:
            known = image_state(cluster, normalized_image_name(image))
            if len(known.rows):
                total[known.rows] += scaled(known, len(cluster.nodes))
        # 100 * (sum - lowest) / (highest - lowest), the sum first brought within the bounds
        highest = _HIGHEST_PER_IMAGE * bounded
        total = total[rows]
        total = np.where(total < _LOWEST, _LOWEST, np.where(total > highest, highest, total))
        return MAX_NODE_SCORE * (total - _LOWEST) // (highest - _LOWEST)

    def read_of(self, point: Point, pod: PodInfo, state: None) -> Hashable:
        """The images; who holds them is told anew once any node reports others."""
        images, bounded = self._images(pod)
        return bounded, *images

    def _images(self, pod: PodInfo) -> tuple[list[str], int]:
        """Images that count, and how many of them the highest sum is made of."""
        spec = pod.pod.spec
        images = [container.image or "" for container in (*(spec.init_containers or ()), *(spec.containers or ()))]
        bounded = len(images)
        if self.features.since(36):
            images += [volume.image.reference or "" for volume in spec.volumes or () if volume.image]
        if self.features.since(37):
            bounded = len(images)
        return images, bounded


def scaled(image: ImageState, nodes: int) -> int:
    """Weigh the size of an image by the share of nodes that hold it [bytes], in float64 as Go does.

    Source: v1.37.2 scaledImageScore.
    """
    return int(float(image.size) * (float(len(image.rows)) / float(nodes)))


def normalized_image_name(name: str) -> str:
    """Add ``:latest`` to a name without a tag or digest."""
    return f"{name}:latest" if name.rfind(":") <= name.rfind("/") else name


def image_state(cluster: Cluster, name: str) -> ImageState:
    """Look an image up on all nodes; it is known until a node comes, leaves or reports other images."""
    known: _Known = cluster.objects.derived("ImageLocality", (), _Known)
    known.follow(cluster)
    state = known.states.get(name)
    if state is None:
        seen = cluster.objects.derived("ImageLocality of nodes", (), _Seen)
        if not known.index:
            known.index = seen.rows(cluster.nodes)
        # a node that lists an image twice holds it once
        rows = sorted({row for row in map(known.index.get, seen.holders.get(name, ())) if row is not None})
        size = _size(cluster.nodes[rows[0]], name) if rows else 0
        state = known.states[name] = ImageState(size, np.array(rows, dtype=np.intp))
    return state


def _size(node: Node, name: str) -> int:
    """Size that a node reports of an image it has; of two with one name the first counts [bytes]."""
    images = node.status.images or ()
    return next((image.size_bytes or 0 for image in images if name in (image.names or ())), 0)


class _Known:
    """What was asked about images, as long as nodes report the same ones.

    Attributes:
        states: by name of the image.
        index: rows of nodes by their ``id``; empty where nobody asked since one changed.
    """

    def __init__(self) -> None:
        self.states: dict[str, ImageState] = {}
        self.index: dict[int, int] = {}
        self._nodes: list[Node] = []
        self._version = -1
        self._epoch = -1

    def follow(self, cluster: Cluster) -> None:
        """Forget what may not hold any more: a node that is cordoned is another object with the same images."""
        version, epoch = cluster.objects.version["nodes"], cluster.touched.epoch
        if version == self._version:
            return
        if epoch == self._epoch:  # taints and cordons at most
            self.index, self._version = {}, version
            return
        before, nodes = self._nodes, cluster.nodes
        others = [pair for pair in zip(before, nodes, strict=False) if pair[0] is not pair[1]]
        if len(before) != len(nodes) or any(a.status.images is not b.status.images for a, b in others):
            self.states = {}
        self.index, self._nodes, self._version, self._epoch = {}, list(nodes), version, epoch


class _Seen:
    """Images of every node that was ever there, by what never changes: the node as an object.

    What-ifs let nodes come and go by the thousand; each is read once.

    Attributes:
        nodes: by ``id``, which is no other node's as long as it is kept here.
        holders: ``id`` of each node that holds it, by name of the image.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.holders: defaultdict[str, list[int]] = defaultdict(list)

    def rows(self, nodes: Sequence[Node]) -> dict[int, int]:
        """Rows of nodes by ``id``; those not yet seen are read."""
        index = {id(node): row for row, node in enumerate(nodes)}
        holders, seen = self.holders, self.nodes
        for number, node in zip(index, nodes, strict=True):  # one after the other, as they lie in memory
            if number in seen:
                continue
            seen[number] = node
            for image in node.status.images or ():
                for name in image.names or ():
                    holders[name].append(number)
        return index
