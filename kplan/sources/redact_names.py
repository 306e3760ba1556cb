"""Pseudonyms: by rank among all names of a kind, so that sorting them gives the same order."""

import ipaddress
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable

from kplan.objects.whole_numbers import parse_int
from kplan.sources.redact_words import KEYS, is_plain

VALUE, KEY, HANDLE, ADDRESS, IMAGE, NODE, NAMESPACE = "Value", "Key", "Handle", "Address", "Image", "Node", "Namespace"
WORD, RESOURCE, HARDWARE, SCHEDULER = "Word", "Resource", "Hardware", "Scheduler"

_PREFIX = {
    HANDLE: "vol",  # which is what a volume of AWS is called
    "PersistentVolumeClaim": "claim",
    "PersistentVolume": "pv",
    NAMESPACE: "ns",
    "StorageClass": "class",
    "PodDisruptionBudget": "budget",
    "PriorityClass": "priority",
}
_LIST_OF_VENDORS = """
amd.com aws.amazon.com deviceclass.resource.kubernetes.io example.com gpu.intel.com habana.ai kubernetes.io nvidia.com
vpc.amazonaws.com
"""
_VENDORS = frozenset(_LIST_OF_VENDORS.split())
"""Domains of extended resources that tell nothing about who uses them."""
_NATIVE = re.compile(
    r"(requests\.|limits\.)?(cpu|memory|storage|ephemeral-storage|hugepages-[0-9]+[KMG]i)|pods|replicationcontrollers"
    r"|services(\.(loadbalancers|nodeports))?|resourcequotas|secrets|configmaps|persistentvolumeclaims"
    r"|attachable-volumes-(aws-ebs|gce-pd|azure-disk|cinder|csi-[a-z.]+)"
    r"|count/[a-z]+(\.(apps|batch|autoscaling|extensions|policy|(networking|rbac|storage|resource)\.k8s\.io))?"
)
"""Resources, and keys of quotas, that Kubernetes itself has."""

_KEPT_VALUES_OF = frozenset(
    {"kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"}
)
_KIND_OF_VALUES = {
    "kubernetes.io/hostname": NODE,
    "beta.kubernetes.io/hostname": NODE,
    "kubernetes.io/metadata.name": NAMESPACE,
    "statefulset.kubernetes.io/pod-name": "Pod",
}
"""Labels whose values are names of objects."""

_KEPT_NAMES = frozenset({"", "system-cluster-critical", "system-node-critical", "default-scheduler", "kplan"})
_LEADS = ("requests.", "limits.", "count/")
_QUOTED = re.compile(r"""(["'])([^"'\\]*)\1""")
_ZONES = "__"
_EBS = re.compile(r"aws://[^/]*/(vol-[^/]+)")
_EVERY_ADDRESS = frozenset({"", "0.0.0.0", "::", "127.0.0.1"})
_FIRST_ADDRESS = int(ipaddress.ip_address("198.18.0.0"))
"""Of the block that is set aside for measurements."""


class NameTaker(ABC):
    """Takes names, the first time to see them all, then to replace them; ``word`` says what becomes of one."""

    @abstractmethod
    def word(self, kind: str, text: str) -> str:
        """Take a name of a kind, as it is."""

    def name(self, kind: str, text: str) -> str:
        """Take a name; a few that Kubernetes itself gives stay."""
        return text if text in _KEPT_NAMES else self.word(kind, text)

    def key(self, text: str) -> str:
        """Take a key of labels, taints or topology; well-known ones stay."""
        return text if text in KEYS or not text else self.word(KEY, text)

    def plain(self, text: str) -> str:
        """Take a text that is a word of the API, or a number or a time, unless somebody wrote something else."""
        return text if is_plain(text) else self.word(WORD, text)

    def resource(self, text: str) -> str:
        """Take the name of a resource, or the key of a quota; those of Kubernetes and of makers of hardware stay."""
        lead, name = next(((start, text[len(start) :]) for start in _LEADS if text.startswith(start)), ("", text))
        known = _NATIVE.fullmatch(text) or name.partition("/")[0] in _VENDORS
        return text if known or not text else f"{lead}{self.word(RESOURCE, name)}"

    def expression(self, text: str) -> str:
        """Take an expression about devices, in which texts are quoted that say which device is meant."""
        return _QUOTED.sub(lambda match: f"{match[1]}{self.hardware(match[2])}{match[1]}", text)

    def hardware(self, text: str) -> str:
        """Take a text that an expression quotes: only one that is hidden elsewhere is replaced."""
        return text

    def value(self, key: str, text: str) -> str:
        """Take the value of a label or taint."""
        if not text or (key in _KEPT_VALUES_OF and is_plain(text)) or parse_int(text) is not None:
            return text
        if key in _KIND_OF_VALUES:
            return self.word(_KIND_OF_VALUES[key], text)
        if _ZONES in text:  # several zones of one volume
            return _ZONES.join(self.value(key, part) for part in text.split(_ZONES))
        region, dash, _ = text.rpartition("-")
        if dash and text.count("-") == 2:  # a region is read out of a zone such as us-central1-a
            self.word(VALUE, region)
        return self.word(VALUE, text)

    def image(self, text: str, *, of_node: bool = False) -> str:
        """Take the name of a container image.

        Args:
            text: the name; one of a container means its tag ``latest`` where it has none.
            of_node: it is among the images of a node, where a name without a tag is compared as it is.
        """
        tagged = of_node or text.rfind(":") > text.rfind("/")
        return self.word(IMAGE, text if tagged or not text else f"{text}:latest") if text else text

    def handle(self, text: str) -> str:
        """Take what a storage system calls a volume."""
        long = _EBS.fullmatch(text)
        if long:
            return f"aws:///{self.word(HANDLE, long[1])}"
        return self.word(HANDLE, text) if text else text

    def address(self, text: str) -> str:
        """Take an address of a host; those that mean every address stay."""
        return text if text in _EVERY_ADDRESS else self.word(ADDRESS, text)


class SeenNames(NameTaker):
    """Collects all names of each kind."""

    def __init__(self) -> None:
        self.words: defaultdict[str, set[str]] = defaultdict(set)

    def word(self, kind: str, text: str) -> str:
        """See NameTaker."""
        self.words[kind].add(text)
        return text


class Pseudonyms(NameTaker):
    """Gives the pseudonym of each name.

    Args:
        seen: all names.
        claims: pod and volume of claims that are named after both, as generic ephemeral volumes are.
    """

    def __init__(self, seen: SeenNames, claims: Iterable[tuple[str, str]]) -> None:
        self._of: dict[str, dict[str, str]] = {
            kind: _ranked(kind, sorted(words, key=str.encode)) for kind, words in seen.words.items()
        }
        named = self._of.setdefault("PersistentVolumeClaim", {})
        for pod, volume in claims:
            if f"{pod}-{volume}" in named:
                named[f"{pod}-{volume}"] = f"{self.word('Pod', pod)}-{self.word('Volume', volume)}"

    def word(self, kind: str, text: str) -> str:
        """See NameTaker."""
        return self._of[kind][text]

    def hardware(self, text: str) -> str:
        """See NameTaker."""
        return self._of.get(HARDWARE, {}).get(text, text)

    def truth(self) -> dict[str, str]:
        """Give the true name of each pseudonym."""
        return {false: true for names in self._of.values() for true, false in names.items()}


def _ranked(kind: str, words: list[str]) -> dict[str, str]:
    if kind == ADDRESS:
        return {word: str(ipaddress.ip_address(_FIRST_ADDRESS + i)) for i, word in enumerate(words, 1)}
    prefix = _PREFIX.get(kind) or re.sub("[^a-z]", "", kind.lower())
    width = len(str(len(words)))
    end = ":x" if kind == IMAGE else ""
    lead = "redacted.example/" if kind == RESOURCE else ""
    ranked = {word: f"{lead}{prefix}-{i:0{width}}{end}" for i, word in enumerate(words, 1)}
    if kind == VALUE:
        for i, word in enumerate(words, 1):
            region = ranked.get(word.rpartition("-")[0])
            if region and word.count("-") == 2:
                ranked[word] = f"{region}-z{i:0{width}}"
    return ranked
