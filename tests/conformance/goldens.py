"""Ask the real schedulers again about every case of the corpus, and write down what they answer.

    python -m tests.conformance.goldens [--check] [--theme storage]...

Needs the programs of ``make oracle``. With ``--check`` nothing is written: it tells what would change. What a case
``uses`` is kept as it stands.
"""

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path

from tests.conformance.compare import Json
from tests.conformance.corpus import CORPUS, VERSIONS, cases, themes

ORACLE = Path(__file__).parents[1] / "oracle"


def oracle(version: str) -> Path:
    """Path of the program that answers for a version."""
    minor = version.replace(".", "")
    return (ORACLE if version == max(VERSIONS) else ORACLE / f"v{minor}") / "kporacle"


def ask(version: str, asked: list[Json]) -> list[Json]:
    """Ask the scheduler of a version; one answer a case, in the same order."""
    lines = "".join(_line(case) for case in asked)
    answers = subprocess.run([oracle(version)], input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in answers.splitlines()]


def write(path: Path, rows: list[Json]) -> None:
    """Write rows compressed, the same bytes for the same rows."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write("".join(map(_line, rows)).encode())


def _line(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def main() -> int:
    """Ask about the themes on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if an answer changed")
    parser.add_argument("--theme", action="append")
    args = parser.parse_args()
    changed = 0
    for version in VERSIONS:
        for theme in themes(version):
            if args.theme and theme not in args.theme:
                continue
            rows = list(cases(version, theme))
            answers = ask(version, [row["case"] for row in rows])
            new = [{**row, "expected": answer} for row, answer in zip(rows, answers, strict=True)]
            different = sum(a != b for a, b in zip(rows, new, strict=True))
            changed += different
            if different:
                print(f"{version} {theme}: {different} of {len(rows)} answers changed")
                if not args.check:
                    write(CORPUS / version / f"{theme}.jsonl.gz", new)
    print(f"{changed} answers changed")
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
