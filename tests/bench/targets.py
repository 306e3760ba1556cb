"""What people wait for, and how long they may: the targets of docs/performance.md."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One target.

    Attributes:
        name: of the figure.
        section: heading of the page.
        what: what is measured, in words.
        target: as required.
        unit: of the figure.
        most: what the figure may be; None where ``least`` counts.
        least: what the figure has to be.
    """

    name: str
    section: str
    what: str
    target: str
    unit: str
    most: float | None = None
    least: float | None = None

    def short(self, figure: float) -> bool:
        """Whether a figure falls short of the target."""
        return (self.most is not None and figure > self.most) or (self.least is not None and figure < self.least)


PIPELINE, STUDIES, READING, START, GROWTH = "Pipeline", "Questions", "Reading", "Start", "Growth"
ROWS = (
    Row("mixed", PIPELINE, "pods of 50 templates, mixed", "2,000 pods/s", "pods/s", least=2_000),
    Row("one-template", PIPELINE, "pods of one template", "10,000 pods/s", "pods/s", least=10_000),
    Row("preempt", PIPELINE, "a pod that evicts, all nodes full", "40 ms", "ms", most=40),
    Row("explain-large", PIPELINE, "an explanation of one pod over 150,000 pods, reading apart", "1 s", "s", most=1),
    Row("mixed-real", PIPELINE, "mixed, times the real scheduler's own code", "none", "x"),
    Row("explain", STUDIES, "`explain pod`", "none", "s"),
    Row("explain-all", STUDIES, "`explain -A`, 1,000 pods that wait", "none", "s"),
    Row("find", STUDIES, "`drain --find`", "30 s", "s", most=30),
    Row("each-node", STUDIES, "`fail --each node`", "15 s", "s", most=15),
    Row("each-zone", STUDIES, "`fail --each zone`", "6 s", "s", most=6),
    Row("drain", STUDIES, "`drain` of 714 nodes", "5 s", "s", most=5),
    Row("capacity", STUDIES, "`capacity`", "3 s", "s", most=3),
    Row("capacity-real", STUDIES, "`capacity` of 1,000 nodes, times as fast as cluster-capacity", "none", "x"),
    Row("simulate", STUDIES, "`simulate` of 10,000 replicas", "5 s", "s", most=5),
    Row("survive-zone", STUDIES, "`check --survive zone`, 10,000 replicas", "8 s", "s", most=8),
    Row("html", STUDIES, "`simulate -o html`, times the text", "1.3x", "x", most=1.3),
    Row("interrupt", STUDIES, "Ctrl-C: the slowest of nine commands to end, by the clock", "0.2 s", "s", most=0.2),
    Row("json", READING, "`nodes` of 5,000 nodes and 50,000 pods, JSON", "3 s", "s", most=3),
    Row("json-memory", READING, "its memory", "600 MB", "MB", most=600),
    Row("gz", READING, "the same, gzip", "3 s", "s", most=3),
    Row("zst", READING, "the same, zstd", "3 s", "s", most=3),
    Row("yaml", READING, "the same, YAML", "15 s", "s", most=15),
    Row("large", READING, "15,000 nodes and 150,000 pods, 1,000 planned: memory", "4,000 MB", "MB", most=4_000),
    Row("again", READING, "the second question about the JSON", "1 s", "s", most=1),
    Row("help", START, "`kplan --help`, times `python -c pass`", "2x", "x", most=2),
    Row("version", START, "`kplan --version`, times `python -c pass`", "2x", "x", most=2),
    Row("completion", START, "completion of `kplan drain --`, times `python -c pass`", "3x", "x", most=3),
    Row("sweep", GROWTH, "`sweep` of 10,000 scenarios, four workers of Dask against one, by the clock", "below", "x"),
    Row(
        "sweep-apart", GROWTH, "four processes of `sweep` that share nothing, against one after the other", "none", "x"
    ),
    Row(
        "sweep-share",
        GROWTH,
        "the first of the second, which is all that the cores can do",
        "near 100 %",
        "%",
        least=88,
    ),
)
NODES = (1_000, 2_000, 4_000, 8_000, 16_000)
"""Sizes of the clusters whose growth is told: six pods that run on each node, 200 that wait."""
ASKED = ("nodes", "simulate", "explain")
SWEPT = 100
"""Nodes whose pairs are the scenarios of a sweep: one is drained, then one is lost."""
MOST_EXPONENT = 1.15
