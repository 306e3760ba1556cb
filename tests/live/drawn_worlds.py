"""The worlds of the drawn faults: what waits, what is in its way and how often kplan writes, all of one number."""

from dataclasses import dataclass
from random import Random

from tests.live.bindworld import STATIC, World

URGENT, KEEPER = "drawn-urgent", "drawn-keeper"
"""Priority classes that all worlds share: of a pod that may evict, and of pods that it may not."""


@dataclass
class Drawn:
    """What is drawn for one run.

    Attributes:
        kind: of the fault.
        random: draws further.
        pods: how many wait.
        volume: whether the first has a claim of a static volume.
        victim: whether the last fits only by an eviction.
        created: whether one more comes from a manifest.
    """

    kind: str
    random: Random
    pods: int = 0
    volume: bool = False
    victim: bool = False
    created: bool = False

    @classmethod
    def of(cls, kind: str, number: int) -> "Drawn":
        """Draw the world of a run."""
        random = Random(f"{kind} {number}")
        return cls(
            kind,
            random,
            pods=random.randint(2, 4),
            volume=random.random() < 0.25,
            victim=random.random() < 0.25,
            created=random.random() < 0.3,
        )

    @property
    def names(self) -> list[str]:
        """Names of the pods that are to be bound."""
        return [f"p{i}" for i in range(self.pods)] + ["urgent"] * self.victim + ["new"] * self.created

    @property
    def words(self) -> tuple[str, ...]:
        """Flags of the run."""
        return ("--apply", "--yes", "--preempt", "--create")

    def targets(self, world: World, names: list[str]) -> tuple[str, ...]:
        """Pods, and the manifest, as arguments."""
        there = tuple(f"{world.name}/{name}" for name in names if name != "new")
        return (*there, "-f", str(world.folder / "new.yaml")) if "new" in names else there

    def writes(self) -> int:
        """How many writes the run takes without a fault."""
        return len(self.names) + self.created + 2 * self.volume + 2 * self.victim

    def fill(self, world: World) -> None:
        """Make nodes, pods, a volume and what is in the way."""
        nodes = world.nodes(3, cpu="4")
        if self.volume:
            world.volume(f"{world.name}-pv", nodes[0])
            world.claim("data", STATIC)
        if self.victim:
            for number, node in enumerate(nodes):
                world.running(f"keeper{number}", node, "1500m", priorityClassName=KEEPER)
            world.running("low", nodes[1], "2")
            for node in (nodes[0], nodes[2]):
                world.running(f"full{node[-1]}", node, "500m", priorityClassName=KEEPER)
        for number in range(self.pods):
            mounts = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
            world.pod(f"p{number}", "100m", volumes=mounts if self.volume and not number else [])
        if self.victim:
            world.pod("urgent", "2200m", priorityClassName=URGENT)
        (world.folder / "new.yaml").write_text(
            f"apiVersion: v1\nkind: Pod\nmetadata: {{name: new, namespace: {world.name}}}\nspec:\n"
            f"  schedulerName: kplan\n  nodeSelector: {{world: {world.name}}}\n"
            "  containers: [{name: main, image: app, resources: {requests: {cpu: 100m}}}]\n"
        )
