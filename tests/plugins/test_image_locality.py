"""ImageLocality: expected values are worked out by hand from the rules of kube-scheduler 1.37.2."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Pod
from kplan.plugins.image_locality import ImageLocality, normalized_image_name
from tests.builders import node, pod
from tests.plugins.ask import scores

MIB = 1024 * 1024


def holding(name: str, **images: int) -> Any:
    """A node with images; ``big=500`` is the image ``big:latest`` of 500 MiB."""
    return node(
        name, images=[{"names": [f"{image}:latest"], "sizeBytes": size * MIB} for image, size in images.items()]
    )


def running(*images: str, **fields: Any) -> Pod:
    return pod("new", containers=[{"name": f"c{i}", "image": image} for i, image in enumerate(images)], **fields)


SCORES: dict[str, tuple[Pod, list[Any], dict[str, int]]] = {
    "a node without the image scores 0": (running("big"), [holding("a"), holding("b", other=900)], {"a": 0, "b": 0}),
    # 500 MiB * 1/2 = 250 MiB: 100 * (250 - 23) / (1000 - 23) = 23.2
    "an image counts by the share of nodes that hold it": (
        running("big"),
        [holding("a", big=500), holding("b")],
        {"a": 23, "b": 0},
    ),
    # 100 * (500 - 23) / 977 = 48.8
    "an image that all nodes hold counts in full": (
        running("big"),
        [holding("a", big=500), holding("b", big=500)],
        {"a": 48, "b": 48},
    ),
    "below 23 MiB an image counts nothing": (running("small"), [holding("a", small=22)], {"a": 0}),
    "above 1000 MiB an image counts no more": (running("huge"), [holding("a", huge=5000)], {"a": 100}),
    # (500 + 500) MiB of 2 images: 100 * (1000 - 23) / (2000 - 23) = 49.4
    "images of containers add up, and so does the bound": (
        running("big", "big"),
        [holding("a", big=500)],
        {"a": 49},
    ),
    # init container counts alike: 100 * (800 - 23) / (2000 - 23) = 39.3
    "init containers count": (
        running("big", initContainers=[{"name": "i", "image": "other"}]),
        [holding("a", big=500, other=300)],
        {"a": 39},
    ),
    # sizes differ: the first node by name counts: 300 MiB * 2/2: 100 * (300 - 23) / 977 = 28.3
    "of different sizes, the first node's counts": (
        running("big"),
        [holding("b", big=900), holding("a", big=300)],
        {"a": 28, "b": 28},
    ),
    "a name that one node lists twice is held by one node": (
        running("big"),
        [
            node("a", images=[{"names": ["big:latest", "big:latest"], "sizeBytes": 500 * MIB}] * 2),
            holding("b"),
        ],
        {"a": 23, "b": 0},
    ),
}


@pytest.mark.parametrize(("new", "nodes", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(new: Pod, nodes: list[Any], wanted: dict[str, int]) -> None:
    assert scores(ImageLocality(None, features("1.37").features), new, *nodes) == wanted


# container 500 MiB, volume 300 MiB; bound 1000 MiB for one image, 2000 MiB for two
VOLUMES = {
    "1.34 does not count image volumes": ("1.34", 48),  # 100 * (500 - 23) / 977
    "1.35 does not either": ("1.35", 48),
    "1.36 adds them, with the bound of the containers": ("1.36", 79),  # 100 * (800 - 23) / 977
    "1.37 raises the bound too": ("1.37", 39),  # 100 * (800 - 23) / 1977
}


@pytest.mark.parametrize(("version", "wanted"), VOLUMES.values(), ids=VOLUMES)
def test_image_volumes(version: str, wanted: int) -> None:
    new = running("big", volumes=[{"name": "m", "image": {"reference": "model"}}, {"name": "e", "emptyDir": {}}])
    plugin = ImageLocality(None, features(version).features)
    assert scores(plugin, new, holding("a", big=500, model=300)) == {"a": wanted}


NAMES = {
    "a name without a tag": ("nginx", "nginx:latest"),
    "a tag": ("nginx:1.27", "nginx:1.27"),
    "a port is no tag": ("registry.example:5000/nginx", "registry.example:5000/nginx:latest"),
    "a port and a tag": ("registry.example:5000/nginx:1", "registry.example:5000/nginx:1"),
    "a digest": ("nginx@sha256:00ff", "nginx@sha256:00ff"),
    "nothing": ("", ":latest"),
}


@pytest.mark.parametrize(("name", "wanted"), NAMES.values(), ids=NAMES)
def test_normalized_image_name(name: str, wanted: str) -> None:
    assert normalized_image_name(name) == wanted
