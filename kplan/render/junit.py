"""JUnit: an XML report that CI servers show as tests; a suite for each manifest, one for the policy, one for doubts.

Format: https://github.com/jenkinsci/xunit-plugin, junit-10.xsd, which Jenkins and GitLab read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec import Struct, field

from kplan.render.alike import heading_of
from kplan.render.text.rollout import attempt_lines
from kplan.result.document_check import CheckDoubt, CheckedObject, CheckResult, CheckRule, Finding
from kplan.result.document_versions import OtherVersion

_ILLEGAL = {code: "?" for code in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)}
"""What XML 1.0 cannot hold, be it escaped."""


class _Case(Struct):
    name: str
    classname: str
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[tuple[str, str, str]] = field(default_factory=list)
    skipped: str = ""
    output: str = ""


def report(document: CheckResult) -> str:
    """Write the report."""
    suites: list[tuple[str, str, list[_Case]]] = []
    for file in dict.fromkeys(item.file for item in document.objects):
        cases = [_object(item, document.findings) for item in document.objects if item.file == file]
        suites.append((file or "manifests", file, cases))
    if document.rules:
        named = {item.object for item in document.objects}
        suites.append(("policy", "", [_rule(rule, document.findings, named) for rule in document.rules]))
    suites.append(("doubts", "", [_doubt(doubt) for doubt in document.doubts] or [_Case("no doubt", "doubts")]))
    if document.other_version is not None:
        suites.append(("versions", "", [_version(document.other_version)]))
    for *_, cases in suites:
        _tell_apart(cases)
    root = Element("testsuites", {"name": "kplan check", **_counts(case for *_, cases in suites for case in cases)})
    for name, file, cases in suites:
        _suite(root, name, file, cases, document)
    indent(root)
    told = tostring(root, encoding="unicode").replace("##[", "&#35;#[")  # an order to a CI that logs it
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{told}\n'


def _tell_apart(cases: list[_Case]) -> None:
    """Number cases of one name: GitLab takes equal ones of a suite for the same case, and counts it once."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.name] += 1
        if seen[case.name] > 1:
            case.name = f"{case.name} ({seen[case.name]})"


def _counts(cases: Iterable[_Case]) -> dict[str, str]:
    listed = list(cases)
    return {
        "tests": str(len(listed)),
        "failures": str(sum(bool(case.failures) for case in listed)),
        "errors": str(sum(bool(case.errors) for case in listed)),
    }


def _suite(root: Element, name: str, file: str, cases: list[_Case], document: CheckResult) -> None:
    about = {"name": _text(name), **_counts(cases), "skipped": str(sum(bool(case.skipped) for case in cases))}
    about |= {"file": _text(file)} if file else {}
    suite = SubElement(root, "testsuite", about)
    if name == "doubts":
        properties = SubElement(suite, "properties")
        recording = document.recording
        for key, value in (
            ("verdict", document.verdict),
            ("source", document.origin.source),
            ("taken", recording.taken),
            ("complete", "yes" if recording.complete else "no"),
            ("rules", document.origin.k8s_version),
            ("command", document.command),
        ):
            if value:
                SubElement(properties, "property", {"name": key, "value": _text(value)})
    for case in cases:
        _case(suite, case)


def _case(suite: Element, case: _Case) -> None:
    made = SubElement(suite, "testcase", {"name": _text(case.name), "classname": _text(case.classname)})
    if case.skipped:
        SubElement(made, "skipped", {"message": _text(case.skipped)})
    for tag, problems in (("failure", case.failures), ("error", case.errors)):
        if problems:
            kind, message, text = _joined(problems)
            SubElement(made, tag, {"type": kind, "message": _text(message)}).text = _text(text or message)
    if case.output:
        SubElement(made, "system-out").text = _text(case.output)


def _joined(problems: list[tuple[str, str, str]]) -> tuple[str, str, str]:
    """Make one problem of all of a case: readers count a case once, and show the first element alone."""
    if len(problems) == 1:
        return problems[0]
    kinds = list(dict.fromkeys(kind for kind, _, _ in problems))
    messages = [message for _, message, _ in problems]
    texts = "\n\n".join(f"{message}\n{text}".rstrip() for _, message, text in problems)
    return ", ".join(kinds), f"{messages[0]} (and {len(messages) - 1:,} more)", texts


def _object(item: CheckedObject, findings: Iterable[Finding]) -> _Case:
    case = _Case(item.object, item.file or "manifests")
    own = [finding for finding in findings if finding.object == item.object]
    case.failures = [_failure(finding) for finding in own if finding.counted]
    case.output = item.change if case.failures else f"{item.change}: {item.result}"
    notes = [f"not counted ({finding.why_not}): {finding.text}" for finding in own if not finding.counted]
    case.output = "\n".join([case.output, *notes])
    if item.status == "unknown":
        case.skipped = item.result
    return case


def _rule(rule: CheckRule, findings: Iterable[Finding], told: Set[str]) -> _Case:
    """A rule; what breaks it is named where it has a case of its own, which says the rest."""
    case = _Case(f"{rule.rule}: {rule.wanted}", "policy", output=rule.text)
    for finding in findings:
        if finding.counted and finding.rule == rule.rule:
            kind, message, text = _failure(finding)
            case.failures.append((kind, message, "" if finding.object in told else text))
    return case


def _failure(finding: Finding) -> tuple[str, str, str]:
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    message = finding.message if finding.message not in finding.text else ""
    lines = [finding.text, *attempt_lines(finding.attempt, finding.edits), place, message]
    return finding.rule, heading_of(finding), "\n".join(line for line in lines if line)


def _doubt(doubt: CheckDoubt) -> _Case:
    case = _Case(doubt.code, "doubts")
    if doubt.allowed:
        case.skipped = f"allowed: {doubt.text}"
    else:
        case.errors = [(doubt.code, doubt.text, f"--allow-doubt {doubt.code} accepts it")]
    return case


def _version(other: OtherVersion) -> _Case:
    """The verdict under the other of two versions."""
    case = _Case(f"rules of {other.rules}", "versions", output=f"{other.verdict} {other.sentence}")
    if other.verdict != "PASSES":
        case.output = "\n".join([case.output, *(f"doubt {doubt.code}: {doubt.text}" for doubt in other.doubts)])
        because = other.because.text if other.because is not None else ""
        case.failures = [("other-version", other.sentence, because)]
    elif other.doubts:
        case.errors = [(doubt.code, doubt.text, f"--allow-doubt {doubt.code} accepts it") for doubt in other.doubts]
    return case


def _text(text: str) -> str:
    return text.translate(_ILLEGAL)
