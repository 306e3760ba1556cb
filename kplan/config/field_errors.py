"""Field errors in the words of the Kubernetes API, and the checks of names they are used with.

Source: apimachinery v0.37.2 pkg/util/validation/field/errors.go, pkg/util/validation/validation.go.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation "
    f"is '({_NAME})?')"
)


def invalid(path: str, value: Any, detail: str) -> str:
    """Say that a value is not allowed."""
    return f"{path}: Invalid value: {_shown(value)}: {detail}"


def required(path: str, detail: str = "") -> str:
    """Say that a value is missing."""
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def duplicate(path: str, value: Any) -> str:
    """Say that a value was given before."""
    return f"{path}: Duplicate value: {_shown(value)}"


def forbidden(path: str, detail: str) -> str:
    """Say that a field must not be given."""
    return f"{path}: Forbidden: {detail}"


def unsupported(path: str, value: str, values: Iterable[str]) -> str:
    """Say that a value is none of those allowed."""
    return f"{path}: Unsupported value: {_shown(value)}: supported values: {', '.join(_shown(v) for v in values)}"


def aggregate(errors: Iterable[str]) -> str:
    """Join errors as Kubernetes does: one alone, or a list without repetitions."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"


def child(path: str, name: str) -> str:
    """The path of a field inside another; the root is empty."""
    return f"{path}.{name}" if path else name


def qualified_name_problems(name: str) -> list[str]:
    """What is wrong with a label key, resource or topology name; empty if nothing is.

    Source: apimachinery v0.37.2 pkg/api/validate/content/kube.go IsLabelKey.
    """
    prefix, slash, rest = name.partition("/")
    if "/" in rest:
        return [
            f"a valid label key {_NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    problems = []
    if slash:
        problems += [f"prefix part {problem}" for problem in _prefix_problems(prefix)]
    bare = rest if slash else name
    if not bare:
        problems.append("name part must be non-empty")
    elif len(bare.encode()) > 63:
        problems.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_NAME, bare):
        problems.append(f"name part {_NAME_RULE}")
    return problems


def _prefix_problems(prefix: str) -> list[str]:
    if not prefix:
        return ["must be non-empty"]
    problems = ["must be no more than 253 bytes"] if len(prefix.encode()) > 253 else []
    return problems if re.fullmatch(_SUBDOMAIN, prefix) else [*problems, _SUBDOMAIN_RULE]


def label_value_problems(value: str) -> list[str]:
    """What is wrong with a label value; empty if nothing is.

    Source: apimachinery v0.37.2 pkg/api/validate/content/kube.go IsLabelValue.
    """
    problems = ["must be no more than 63 bytes"] if len(value.encode()) > 63 else []
    return problems if not value or re.fullmatch(_NAME, value) else [*problems, _VALUE_RULE]


def is_extended_resource_name(name: str) -> bool:
    """Tell whether a qualified name is that of an extended resource.

    Source: kubernetes v1.37.2 pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName.
    """
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not qualified_name_problems(f"requests.{name}")


def _shown(value: Any) -> str:
    """A value as Go prints it in a field error: JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
