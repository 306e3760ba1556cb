"""Forms of names, labels and keys: what is wrong with a text, in the words of the API server; nothing for a good one.

Source: apimachinery v0.37.2 pkg/api/validate/content/{dns,kube,decimal_int,errors}.go and
pkg/util/validation/validation.go.
"""

import re

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
_SERVICE = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LONGEST_LABEL, _LONGEST_SUBDOMAIN, _LONGEST_PORT = 63, 253, 15

_ENDS = "must start and end with an alphanumeric character"
_LABEL_WORDS = f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and {_ENDS}"
_SUBDOMAIN_WORDS = (
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and {_ENDS}"
)
_NAME_WORDS = f"must consist of alphanumeric characters, '-', '_' or '.', and {_ENDS}"
_VALUE_WORDS = (
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and {_ENDS}"
)
_SERVICE_WORDS = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character"
)
_EMPTY = "must be non-empty"
_INTEGER_WORDS = "must be a valid decimal integer in canonical form"


def dns_label(text: str) -> list[str]:
    """Check a DNS label: what containers, volumes, namespaces and StatefulSets may be called."""
    problems = _too_long(text, _LONGEST_LABEL)
    if not re.fullmatch(_LABEL, text):
        dotted = re.fullmatch(_SUBDOMAIN, text)
        problems.append("must not contain dots" if dotted else _pattern(_LABEL_WORDS, _LABEL, "my-name", "123-abc"))
    return problems


def dns_subdomain(text: str) -> list[str]:
    """Check a DNS subdomain: what most objects may be called."""
    problems = _too_long(text, _LONGEST_SUBDOMAIN)
    if not re.fullmatch(_SUBDOMAIN, text):
        problems.append(_pattern(_SUBDOMAIN_WORDS, _SUBDOMAIN, "example.com"))
    return problems


def service_name(text: str) -> list[str]:
    """Check a DNS label that begins with a letter: what services may be called."""
    problems = _too_long(text, _LONGEST_LABEL)
    if not re.fullmatch(_SERVICE, text):
        problems.append(_pattern(_SERVICE_WORDS, _SERVICE, "my-name", "abc-123"))
    return problems


def label_key(text: str) -> list[str]:
    """Check the key of a label, a taint, a gate or a resource: ``name`` or ``example.com/name``."""
    parts = text.split("/")
    if len(parts) > 2:
        words = _pattern(_NAME_WORDS, _NAME, "MyName", "my.name", "123-abc")
        return [f"a valid label key {words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    problems = []
    if len(parts) == 2:
        prefix = [_EMPTY] if not parts[0] else dns_subdomain(parts[0])
        problems += [f"prefix part {words}" for words in prefix]
    name = parts[-1]
    problems += [f"name part {words}" for words in ([_EMPTY] if not name else _too_long(name, _LONGEST_LABEL))]
    if not re.fullmatch(_NAME, name):
        problems.append(f"name part {_pattern(_NAME_WORDS, _NAME, 'MyName', 'my.name', '123-abc')}")
    return problems


def label_value(text: str) -> list[str]:
    """Check the value of a label."""
    problems = _too_long(text, _LONGEST_LABEL)
    if not re.fullmatch(_VALUE, text):
        problems.append(_pattern(_VALUE_WORDS, _VALUE, "MyValue", "my_value", "12345"))
    return problems


def port_name(text: str) -> list[str]:
    """Check the name of a container's port."""
    problems = [f"must be no more than {_LONGEST_PORT} characters"] if len(text.encode()) > _LONGEST_PORT else []
    if not re.fullmatch("[-a-z0-9]+", text):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        problems.append("must contain at least one letter (a-z)")
    if "--" in text:
        problems.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def decimal_integer(text: str) -> list[str]:
    """Check a whole number as it is written in a taint or a toleration."""
    if not text:
        return [_EMPTY]
    return [] if re.fullmatch("0|-?[1-9][0-9]*", text) else [_INTEGER_WORDS]


def percentage(text: str) -> list[str]:
    """Check a percentage."""
    words = "a valid percent string must be a numeric string followed by an ending '%'"
    return [] if re.fullmatch("[0-9]+%", text) else [_pattern(words, "[0-9]+%", "1%", "93%")]


def _too_long(text: str, most: int) -> list[str]:
    return [f"must be no more than {most} bytes"] if len(text.encode()) > most else []


def _pattern(words: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{words} (e.g. {shown}regex used for validation is '{pattern}')"
