"""``kubectl cluster-info dump``: a folder for each namespace, or one stream in which logs stand between the lists."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kplan.errors import SourceError
from kplan.sources.documents import NO_HINT, DumpFacts, Form, Hint, Sink
from kplan.sources.layouts.base import BY_PLURAL, Layout, hint_of
from kplan.sources.nodes import TextNode
from kplan.sources.texts import Text

_FILE = re.compile(r"(?:[^/]+/)?(?P<name>[a-z-]+)\.(?:json|ya?ml)")
_NAMES: Mapping[str, str] = {
    "nodes": "nodes",
    "pods": "pods",
    "services": "services",
    "replication-controllers": "replicationcontrollers",
    "replicasets": "replicasets",
    "deployments": "deployments",
    "daemonsets": "daemonsets",
}

_START = re.compile(rb"^==== START logs for container (?P<of>.+? of pod .+?) ====\r?$", re.MULTILINE)

_ABOUT = DumpFacts(
    "kubectl cluster-info dump",
    absent={
        "PersistentVolumeClaim": "cluster-info dump writes no volumes and no claims: a pod with a claim is refused "
        "everywhere",
        "PodDisruptionBudget": "cluster-info dump writes no budgets: evictions may be refused that look allowed",
        "PriorityClass": "cluster-info dump writes no PriorityClasses: those that manifests name are not resolved",
    },
    partial={
        "Pod": "without --all-namespaces, cluster-info dump writes only the current namespace and kube-system: free "
        "space of the nodes is overstated"
    },
)


class ClusterInfoDump(Layout):
    """The folder that ``--output-directory`` names."""

    described = _ABOUT

    def roots(self, paths: Iterable[str]) -> frozenset[str]:
        """See Layout."""
        known = frozenset(paths)
        roots = set()
        for path in known:
            folder, _, name = path.rpartition("/")
            stem, _, ending = name.partition(".")
            if stem == "replication-controllers" and f"{folder}/pods.{ending}" in known:
                root = folder.rpartition("/")[0]
                root = f"{root}/" if root else ""
                if f"{root}nodes.{ending}" in known:
                    roots.add(root)
        return frozenset(roots)

    def hint(self, path: str) -> Hint | None:
        """See Layout."""
        match = _FILE.fullmatch(path)
        plural = _NAMES.get(match["name"]) if match else None
        return hint_of(BY_PLURAL[plural]) if plural else None


class ClusterInfoStream(Form):
    """What is written to standard output: the same lists, with the logs of every container between them."""

    def recognises(self, text: Text) -> bool:
        """See Form."""
        return b"==== START logs for container " in text.data and _START.search(text.data) is not None

    def text(self, data: bytes, file: str) -> bytes:
        """See Form.

        Raises:
            SourceError: a log without its end.
        """
        parts: list[bytes] = []
        at = 0
        while start := _START.search(data, at):
            mark = b"==== END logs for container " + start["of"] + b" ===="
            end = data.find(mark, start.end())
            if end < 0:
                raise SourceError(
                    "the logs of a container end in the middle",
                    file=file,
                    line=data.count(b"\n", 0, start.start()) + 1,
                    code="truncated",
                    hint="the dump was cut off: write it again",
                )
            parts += (data[at : start.start()], b"\n" * data.count(b"\n", start.start(), end))
            at = end + len(mark)
        return b"".join((*parts, data[at:]))

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form."""
        sink.described(_ABOUT)
        for node in documents:
            yield node, NO_HINT
