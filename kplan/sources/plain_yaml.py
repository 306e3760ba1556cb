"""Small YAML files of the user's own: a policy, shapes, a kubeconfig. Nothing in them is an object of Kubernetes."""

from __future__ import annotations

from pathlib import Path

import yaml

from kplan.errors import SourceError
from kplan.sources.opening import load, shown, unreadable
from kplan.sources.scalars import UNKNOWN_ANCHOR

_MARKS = {
    "found undefined alias": UNKNOWN_ANCHOR,
    "could not determine a constructor": "unknown tag: put a value that begins with ! in quotes",
    "found undefined tag handle": "unknown tag: put a value that begins with ! in quotes",
    "found duplicate anchor": "an anchor twice: put a value that begins with & in quotes",
}
"""What is said in place of a message that holds a word of the file, by its begin: such a word may be a password."""


def _told(error: yaml.YAMLError) -> str:
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML")
    return next((told for begin, told in _MARKS.items() if problem.startswith(begin)), problem)


def read_plain_yaml(file: str | Path) -> object:
    """Read a file as YAML.

    Raises:
        SourceError: it cannot be read (code ``unreadable``), or is no YAML (``bad-yaml``), with its place.
    """
    name = shown(file)
    try:
        return yaml.safe_load(load(file).decode())
    except UnicodeDecodeError:
        raise SourceError("cannot be read: it is not UTF-8 text", file=name, code="unreadable") from None
    except OSError as error:
        raise unreadable(error, file) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
        raise SourceError(_told(error), file=name, line=line, column=column, code="bad-yaml") from None
    except RecursionError:
        raise SourceError("nested too deeply", file=name, code="too-deep") from None
    except (ValueError, OverflowError):  # a number of thousands of digits, a date that is none
        raise SourceError("not YAML: a number or a date in it cannot be read", file=name, code="bad-yaml") from None
