"""The table of what was attacked names tests that there are, and leaves no row without one."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAMED = re.compile(r"`(tests/[a-z_/0-9]+\.py)::(test_[a-z0-9_]+)`")
ROW = re.compile(r"\| (\d+) \|")
TABLES = [12, 16]
"""Rows of each table."""


def rows() -> list[str]:
    return [line for line in (HERE / "README.md").read_text().splitlines() if ROW.match(line)]


def test_each_row_has_its_number_and_a_test() -> None:
    numbers = [int(match[1]) for line in rows() if (match := ROW.match(line))]
    assert numbers == [number for table in TABLES for number in range(1, table + 1)]
    assert [line for line in rows() if not NAMED.search(line)] == []
    assert all("`tests/" not in NAMED.sub("", line) for line in rows())


def test_the_tests_that_are_named_are_there() -> None:
    missing = []
    for file, name in sorted({pair for line in rows() for pair in NAMED.findall(line)}):
        path = ROOT / file
        body = ast.parse(path.read_text()).body if path.exists() else []
        if name not in {item.name for item in body if isinstance(item, ast.FunctionDef)}:
            missing.append(f"{file}::{name}")
    assert missing == []
