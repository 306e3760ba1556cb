"""``python -m tests.record.compare A B``: which calls print something else, those that differ alike together."""

import argparse
import difflib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_CONTEXT = 3
_NAMED = 6
# A labelled line and its rest below the text; a counted item, and its rest unless that is a list or a remedy.
_FOLDS = (
    (re.compile(r"[A-Z][A-Za-z]*\?? +\S"), re.compile(r" {9}\S")),
    (re.compile(r" +\d+  \S"), re.compile(r" {11}(?!Try |Fix |Nearest |\w+/)\S")),
)


_VERDICT = re.compile(
    r"(?P<exit>exit \d+)$|(?P<head>[A-Z]{4,}(?:\?|(?=  ))) +\S"
    r"|### kplan: (?P<doubt>IN DOUBT, else )?(?P<title>[A-Z]+\??)[,:]"
    r'|\s*"?(?P<key>verdict|result|fate|goes)"?: "?(?P<value>[A-Za-z ]+)"?,?$'
)
_VERDICTS = "## Verdicts"
"""The heading above the rules for what an answer comes to; no other rule lets that change."""


@dataclass(frozen=True)
class Difference:
    """A call that prints something else.

    Attributes:
        path: of the call in the record.
        change: lines that go and come, with their marks; the same for calls that differ alike.
        shown: the whole unified diff.
    """

    path: str
    change: tuple[str, ...]
    shown: str

    @property
    def verdict(self) -> str:
        """What the answer came to and does no longer, and what instead: ``-exit 1 -PARTLY +exit 0 +FITS``.

        Exit codes, verdicts, results of pods and objects, fates of pods that leave; empty where none of them went.
        """
        went, came = Counter[str](), Counter[str]()
        for line in self.change:
            told = _VERDICT.match(line[1:])
            if told:
                title = f"{told['title']}?" if told["doubt"] else told["title"]
                word = told["exit"] or told["head"] or title or f"{told['key']} {told['value']}"
                (went if line[0] == "-" else came)[word] += 1
        gone, new = went - came, came - went
        return " ".join([*(f"-{word}" for word in sorted(gone)), *(f"+{word}" for word in sorted(new))] if gone else ())


@dataclass(frozen=True)
class Allowed:
    """A difference that is meant.

    Attributes:
        pattern: each changed line, or the path of the call and a colon before it, holds this; where it is about
            verdicts, the change of the verdict, with the lines that come behind it.
        reason: why.
        verdicts: whether it is about these.
    """

    pattern: re.Pattern[str]
    reason: str
    verdicts: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two records; 1 if they differ otherwise than is allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.record.compare", description=__doc__)
    parser.add_argument("a", type=Path, metavar="A", help="a record")
    parser.add_argument("b", type=Path, metavar="B", help="another; may be a part of the first")
    parser.add_argument("--allow", type=Path, metavar="FILE", help="differences that are meant, with their reasons")
    parser.add_argument("--part", action="store_true", help="calls that only A has are no difference")
    parser.add_argument("-n", "--groups", type=int, default=5, metavar="N", help="show the diffs of N groups (5)")
    parser.add_argument("-l", "--lines", type=int, default=60, metavar="N", help="lines of each diff; 0: all (60)")
    given = parser.parse_args(arguments)
    for folder in (given.a, given.b):
        if not folder.is_dir():
            parser.error(f"{folder}: no record")
    allowed = read_allowed(given.allow) if given.allow else []
    found = list(differences(given.a, given.b, part=given.part))
    left = [one for one in found if not is_allowed(one, allowed)]
    _tell(left, given.groups, given.lines)
    calls = len(_calls(given.b))
    meant = len(found) - len(left)
    print(f"{calls} calls: {len(left)} differ{f', {meant} more as is meant' if meant else ''}")
    return 1 if left else 0


def differences(a: Path, b: Path, *, part: bool = False) -> Iterator[Difference]:
    """Yield each call that prints something else, or that only one record has."""
    for path in sorted(_calls(a) | _calls(b)):
        one, two = a / path, b / path
        if not two.exists():
            if not part:
                yield Difference(path, ("only in A",), "")
        elif not one.exists():
            yield Difference(path, ("only in B",), "")
        elif (old := one.read_bytes()) != (new := two.read_bytes()):
            yield _difference(path, old, new)


def _calls(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")}


def _difference(path: str, old: bytes, new: bytes) -> Difference:
    texts = [data.decode("utf-8", "backslashreplace").splitlines(keepends=True) for data in (old, new)]
    whole = [unfolded(text) for text in texts]
    first, second = ([_visible(line) for line in text] for text in (whole if whole[0] != whole[1] else texts))
    lines = list(difflib.unified_diff(first, second, f"A/{path}", f"B/{path}", lineterm="", n=_CONTEXT))
    change = tuple(line for line in lines[2:] if line[0] in "+-")
    return Difference(path, change, "\n".join(lines))


def unfolded(lines: Sequence[str]) -> list[str]:
    """Join what a text block folded to the width: a line is one fact, wherever it broke."""
    joined: list[str] = []
    for line in lines:
        if joined and any(block.match(joined[-1]) and rest.match(line) for block, rest in _FOLDS):
            joined[-1] = f"{joined[-1].rstrip()} {line.lstrip()}"
        else:
            joined.append(line)
    return joined


def _visible(line: str) -> str:
    """A line without its end; an end other than a line feed is shown, as it may be the difference."""
    return line[:-1] if line.endswith("\n") and not line.endswith("\r\n") else repr(line)


def read_allowed(path: Path) -> list[Allowed]:
    """Read the differences that are meant: each ``- `REGEX`: reason`` of a Markdown file."""
    found = []
    heading = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = line if line.startswith("#") else heading
        told = re.match(r"- `(?P<pattern>.+?)`: (?P<reason>\S.*)", line)
        if told:
            found.append(Allowed(re.compile(told["pattern"]), told["reason"], heading.startswith(_VERDICTS)))
    return found


def is_allowed(one: Difference, allowed: Sequence[Allowed]) -> bool:
    """Tell whether each line of a difference is meant, and where a verdict changed, that as well."""
    lines = [f"{one.path}: {line}" for line in one.change]
    if one.verdict:
        came = " ".join(line for line in one.change if line[0] == "+")
        told = f"{one.path}: {one.verdict} | {came}"
        if not any(each.pattern.search(told) for each in allowed if each.verdicts):
            return False
    words = [each for each in allowed if not each.verdicts]
    return bool(lines) and all(any(each.pattern.search(line) for each in words) for line in lines)


def _tell(left: list[Difference], shown: int, lines: int) -> None:
    alike: dict[tuple[str, ...], list[Difference]] = defaultdict(list)
    for one in left:
        alike[one.change].append(one)
    ordered = sorted(alike.values(), key=lambda group: (-len(group), group[0].path))
    for number, group in enumerate(ordered, 1):
        print(f"{number}. {len(group)} calls differ alike:" if len(group) > 1 else f"{number}. one call differs:")
        print(*(f"   {one.path}" for one in group[:_NAMED]), sep="\n")
        if len(group) > _NAMED:
            print(f"   and {len(group) - _NAMED} more")
        if number <= shown:
            text = (group[0].shown or group[0].change[0]).splitlines()
            print(*(text[:lines] if lines else text), sep="\n")
            if lines and len(text) > lines:
                print(f"... {len(text) - lines} more lines")
        print()


if __name__ == "__main__":
    sys.exit(main())
