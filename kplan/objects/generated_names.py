"""Names as controllers make them: the same manifest always gives the same suffixes, hashes and uids.

Real suffixes are random and real hashes depend on every field of a template, so the letters differ from the cluster's;
length, alphabet and where a name is cut are the same.
"""

import hashlib
import uuid

import msgspec

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""What random names are made of: no vowels, and no 0, 1 and 3.

Source: apimachinery v0.37.2 pkg/util/rand/rand.go.
"""

SUFFIX = 5
"""Characters that a server adds to a ``generateName``."""

LONGEST_BASE = 63 - SUFFIX
"""What is kept of a ``generateName`` [characters]."""

_LONGEST_NAME = 253
_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193


def suffix(*parts: str) -> str:
    """Make five characters of the safe alphabet, always the same for the same parts."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:SUFFIX])


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
    return f"{job[: LONGEST_BASE - len(end)]}{end}"


def uid(kind: str, namespace: str, name: str) -> str:
    """Make the uid of an object that does not exist yet."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}/{namespace}/{name}"))
