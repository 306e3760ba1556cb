"""Small YAML files of the user's own: a policy, shapes, a kubeconfig. Nothing in them is an object of Kubernetes."""

from __future__ import annotations

from pathlib import Path

import yaml

from kplan.errors import SourceError
from kplan.sources.opening import load, shown, unreadable


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
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        raise SourceError(str(problem or "not YAML"), file=name, line=line, column=column, code="bad-yaml") from None
    except RecursionError:
        raise SourceError("nested too deeply", file=name, code="too-deep") from None
    except (ValueError, OverflowError):  # a number of thousands of digits, a date that is none
        raise SourceError("not YAML: a number or a date in it cannot be read", file=name, code="bad-yaml") from None
