"""The figures of docs/trust.md, counted from the tests and the limits themselves."""

import gzip
import json
from pathlib import Path

from kplan.admission.controllers.names import MOST_PODS
from kplan.cluster.work import MOST
from kplan.objects import limits
from kplan.sources import bounds, opening, yaml_events
from kplan.studies.simulate import telling
from tests.hostile.samples import INPUTS
from tests.hostile.test_fuzz import COUNT
from tests.hostile.test_output import EVIL, FORMATS, commands
from tests.hostile.test_secrets import PLANTED, USERS, questions
from tests.hostile.test_server import PLACES, SAID
from tests.hostile.test_table import rows
from tests.hostile.weight import SHAPES

ROOT = Path(__file__).parents[1]
FAULTS = ROOT / "tests" / "live" / "drawn_faults.json"
WEIGHT = ROOT / "tests" / "hostile" / "weight.json"
PAGE = Path(__file__).with_name("trust.md")
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def cases() -> int:
    """Count the cases of the corpus."""
    files = (ROOT / "fixtures" / "conformance").rglob("*.jsonl.gz")
    return sum(line.strip() != b"" for file in files for line in gzip.decompress(file.read_bytes()).splitlines())


def page() -> str:
    """Write the page anew, with its figures as they are."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    tests = (
        ("kinds of hostile files, each over all commands", len(INPUTS)),
        ("hostile texts in every place of a cluster", len(EVIL)),
        ("commands they are shown by", len(commands("", ""))),
        ("formats they are shown in", len(FORMATS)),
        ("secrets planted in a cluster, its manifests and credentials", len(PLANTED)),
        ("questions asked about them, and kubeconfigs", len(questions("", "", "", "")) + len(USERS)),
        ("answers of a server that are none, each in a run of `bind`", len(PLACES) * len(SAID)),
        ("kinds of fault that attacks found, each with its tests", len(rows())),
        ("mutated inputs in `make test`", COUNT),
        ("shapes of heavy files, measured", len(SHAPES)),
        ("cases of the real scheduler", cases()),
    )
    most = (
        ("bytes of one file", opening.READ_LIMIT),
        ("documents of one file", bounds.MOST_DOCUMENTS),
        ("levels of YAML", yaml_events.MAX_DEPTH),
        ("values of one file, or one in four bytes", bounds.MOST_VALUES),
        ("keys of a map in YAML", yaml_events.MOST_KEYS),
        ("bytes of one object in JSON", bounds.LARGEST_OBJECT),
        ("bytes of the manifests of a question", bounds.MOST_OF_MANIFESTS),
        ("objects in the manifests of a question", bounds.MOST_OBJECTS),
        ("characters of a name", limits.LONGEST_NAME),
        ("pods made of manifests", MOST_PODS),
        ("units of work on a text of 10 MB or less", MOST),
        ("causes of a plan told in full", telling.IN_FULL),
        *((f"`{field}` of a pod", number) for field, number in limits.OF_POD.items()),
    )
    tables = (_table("tested", tests), _faults(), _table("at most", most), _heaviest())
    return f"{before}{BEGIN}\n{chr(10).join(tables)}{END}{after}"


_WHAT = {
    "killed": "the process is killed",
    "cut-before": "the connection is cut before the server acted",
    "cut-after": "the connection is cut after it acted",
    "slow": "answers take long",
    "restarted": "the server is killed and comes back",
    "raced": "another scheduler binds one of the pods",
    "expired": "credentials expire",
}
"""Faults whose names do not say all; the others are statuses of HTTP."""


def _faults() -> str:
    """What the last whole run of drawn faults came to, a row for each kind, and all of them together."""
    told = json.loads(FAULTS.read_text(encoding="utf-8"))
    columns = ("runs", "hit", "stopped", "resumed", "failed")
    rows = [(_WHAT.get(kind, f"answers {kind}"), [found[column] for column in columns]) for kind, found in told.items()]
    rows.append(("together", [sum(numbers) for numbers in zip(*(row for _, row in rows), strict=True)]))
    head = "| faults of `kplan bind --apply` | runs | took place | stopped a run | resumed | not as promised |"
    lines = [head, "|---|---:|---:|---:|---:|---:|"]
    lines += [f"| {name} | {' | '.join(f'{number:,}' for number in row)} |" for name, row in rows]
    return "\n".join(lines) + "\n"


def _heaviest() -> str:
    """Write what a file made to be heavy took at the most, for each question."""
    rows = json.loads(WEIGHT.read_text(encoding="utf-8"))
    lines = [
        "| of a file made to be heavy | seconds | its shape | MB more | its shape |",
        "|---|---:|---|---:|---|",
    ]
    for command in dict.fromkeys(row["command"] for row in rows):
        told = [row for row in rows if row["command"] == command]
        slow = max(told, key=lambda row: row["seconds"])
        large = max(told, key=lambda row: row["more"])
        lines.append(f"| {command} | {slow['seconds']:.1f} | {slow['shape']} | {large['more']} | {large['shape']} |")
    return "\n".join(lines) + "\n"


def _table(head: str, rows: tuple[tuple[str, int], ...]) -> str:
    lines = [f"| {head} | |", "|---|---:|", *(f"| {name} | {number:,} |" for name, number in rows)]
    return "\n".join(lines) + "\n"
