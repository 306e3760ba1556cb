"""Print how many cases agree, by theme and version, as a Markdown table.

    python -m tests.conformance.report [--k8s-version 1.37]... [--theme storage]... [--show N]
    python -m tests.conformance.report --write

Unlike the tests it asks about every case, whether kplan covers what it uses or not. The same table stands in
docs/conformance.md; ``--write`` brings it up to date there.
"""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

from tests.conformance.compare import Comparison
from tests.conformance.corpus import VERSIONS, compare, themes

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
TABLE = re.compile(r"^\| theme \| 1\..*?\n\n", re.MULTILINE | re.DOTALL)


def table(counts: dict[tuple[str, str], Comparison], versions: list[str]) -> str:
    """Lay out one row a theme and one column a version."""
    names = sorted({theme for _, theme in counts})
    lines = [
        "| theme | " + " | ".join(versions) + " |",
        "|---|" + "---:|" * len(versions),
    ]
    for name in names:
        found = [counts.get((version, name)) for version in versions]
        lines.append(f"| {name} | " + " | ".join(_agree(one) if one else "" for one in found) + " |")
    totals = [_sum([c for (v, _), c in counts.items() if v == version]) for version in versions]
    lines.append("| **cases** | " + " | ".join(_agree(one) for one in totals) + " |")
    lines.append("| **pods** | " + " | ".join(f"{one.good_pods} of {one.pods}" for one in totals) + " |")
    return "\n".join(lines)


def _agree(one: Comparison) -> str:
    return f"{one.good_cases} of {one.cases}"


def _sum(parts: list[Comparison]) -> Comparison:
    total = Comparison()
    for one in parts:
        total.cases += one.cases
        total.good_cases += one.good_cases
        total.pods += one.pods
        total.good_pods += one.good_pods
    return total


def main() -> None:
    """Print the table of the themes and versions asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k8s-version", action="append", choices=VERSIONS)
    parser.add_argument("--theme", action="append", choices=sorted(set(chain(*map(themes, VERSIONS)))))
    parser.add_argument("--show", type=int, default=0, metavar="N", help="show N differences of each theme")
    parser.add_argument("--write", action="store_true", help="write the whole table into docs/conformance.md")
    args = parser.parse_args()
    if args.write and (args.k8s_version or args.theme):
        parser.error("--write takes the whole corpus")
    versions = args.k8s_version or VERSIONS
    asked = [(v, theme) for v in versions for theme in themes(v) if not args.theme or theme in args.theme]
    with ProcessPoolExecutor() as pool:
        jobs = {key: pool.submit(compare, *key, show=args.show) for key in asked}
        counts = {key: job.result() for key, job in jobs.items()}
    for (version, theme), one in counts.items():
        for line in one.differences:
            print(f"{version} {theme}: {line}")
    text = table(counts, versions)
    if args.write:
        PAGE.write_text(TABLE.sub(f"{text}\n\n", PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
