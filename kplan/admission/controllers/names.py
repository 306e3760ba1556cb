"""Names of the pods that controllers make of manifests: none is taken twice, and no more than a cluster runs."""

from msgspec import Struct, field

from kplan.objects.generated_names import LONGEST_BASE, suffix
from kplan.sources.fit import Misfit

MOST_PODS = 20_000
"""Pods that are made of the manifests of one question: each is planned, which takes some ten seconds for so many."""


class Names(Struct):
    """Makes names that are not taken.

    Attributes:
        taken: ``namespace/name`` of pods that exist or were named before.
        made: how many were named.
    """

    taken: set[str] = field(default_factory=set)
    made: int = 0

    def generate(self, base: str, namespace: str, number: int = 0) -> str:
        """Complete a ``generateName`` with five characters.

        Args:
            base: what the name begins with, a final dash included; cut to 58 characters.
            namespace: of the object.
            number: tells apart several of one base.

        Source: simpleNameGenerator.GenerateName in apiserver v0.37.2 pkg/storage/names/generate.go.
        """
        base = base[:LONGEST_BASE]
        attempt = 0
        while True:
            name = base + suffix(namespace, base, str(number), str(attempt))
            if self.claim(namespace, name):
                return name
            attempt += 1

    def claim(self, namespace: str, name: str) -> bool:
        """Take a name; False if it is taken already."""
        key = f"{namespace}/{name}"
        if key in self.taken:
            return False
        self.room(1)
        self.made += 1
        self.taken.add(key)
        return True

    def room(self, count: int) -> int:
        """Make sure that so many more pods may be made, and give the number back.

        Raises:
            Misfit: they are more than any cluster runs.
        """
        if self.made + count > MOST_PODS:
            raise Misfit(f"{self.made + count:,} pods, and {MOST_PODS:,} is the most that kplan makes of manifests")
        return count
