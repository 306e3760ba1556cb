"""Names as controllers make them: the same manifest always gives the same suffixes, hashes and uids.

Real suffixes are random and real hashes depend on every field of a template, so the letters differ from the cluster's;
length, alphabet and where a name is cut are the same.
"""

import hashlib
import uuid
from dataclasses import dataclass, field

import msgspec

from kplan.sources.fit import Misfit

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""What random names are made of: no vowels, and no 0, 1 and 3.

Source: apimachinery v0.37.2 pkg/util/rand/rand.go.
"""

_SUFFIX = 5
_LONGEST_BASE = 63 - _SUFFIX
_LONGEST_NAME = 253
_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193


MOST_PODS = 20_000
"""Pods that are made of the manifests of one question: each is planned, which takes some ten seconds for so many."""


@dataclass(slots=True)
class Names:
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
        base = base[:_LONGEST_BASE]
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


def suffix(*parts: str) -> str:
    """Make five characters of the safe alphabet, always the same for the same parts."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:_SUFFIX])


def template_hash(template: object) -> str:
    """Make the hash of a pod template: up to ten characters, as ``pod-template-hash`` has them.

    Source: ComputeHash in pkg/controller/controller_utils.go (fnv32a), SafeEncodeString in apimachinery pkg/util/rand.
    """
    number = _FNV_OFFSET
    for byte in msgspec.json.encode(template, order="sorted"):
        number = ((number ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(number))


def hashed_name(owner: str, stamp: str) -> str:
    """Name the ReplicaSet of a Deployment.

    Source: generateReplicaSetName in pkg/controller/deployment/sync.go.
    """
    return f"{owner[: _LONGEST_NAME - 1 - len(stamp)]}-{stamp}"


def indexed_base(job: str, index: int) -> str:
    """Begin the name of a pod of an indexed Job, cut so that the index stays.

    Source: podGenerateNameWithIndex in pkg/controller/job/indexed_job_utils.go.
    """
    end = f"-{index}-"
    return f"{job[: _LONGEST_BASE - len(end)]}{end}"


def uid(kind: str, namespace: str, name: str) -> str:
    """Make the uid of an object that does not exist yet."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}/{namespace}/{name}"))
