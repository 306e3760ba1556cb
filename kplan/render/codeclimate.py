"""Code quality: findings as GitLab shows them in a merge request, at the manifest's line.

Format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, a part of the Code Climate format:
a list of objects, each with a description, a check name, a fingerprint, a severity and a place.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from kplan.render.alike import of_no_line, sentence_of
from kplan.render.data import escaped_json
from kplan.render.text.rollout import attempt_lines
from kplan.result.document_check import CheckDoubt, CheckResult, Finding

_NOT_A_FILE = ("", "standard input")


def report(document: CheckResult) -> str:
    """Write the report; what has no place of its own stands at the first manifest, as GitLab shows nothing without.

    What is not counted and about none of the manifests is left out.
    """
    files = [(item.file, item.line) for item in document.objects if item.file not in _NOT_A_FILE]
    first = files[0] if files else ("manifests", 1)
    issues = [_finding(finding, first) for finding in document.findings if not of_no_line(finding)]
    issues += [_doubt(doubt, first) for doubt in document.doubts]
    seen: Counter[str] = Counter()
    for issue in issues:
        mine = issue["fingerprint"]
        seen[mine] += 1
        if seen[mine] > 1:  # GitLab shows issues of one fingerprint once
            issue["fingerprint"] = _fingerprint(mine, str(seen[mine]))
    return escaped_json(json.dumps(issues, indent=2, ensure_ascii=False)) + "\n"


def _finding(finding: Finding, first: tuple[str, int]) -> dict[str, Any]:
    file, line, _ = finding.place
    text = sentence_of(finding)
    text += "".join(f". {told}" for told in attempt_lines(finding.attempt, finding.edits))
    if not finding.counted:
        text += f" (not counted: {finding.why_not})"
    place = first if file in _NOT_A_FILE else (file, line)
    severity = "major" if finding.counted else "info"
    return _issue(finding.rule, finding.object, text, severity, place)


def _doubt(doubt: CheckDoubt, first: tuple[str, int]) -> dict[str, Any]:
    place = first if doubt.file in _NOT_A_FILE else (doubt.file, doubt.line)
    return _issue("doubt", doubt.code, doubt.text, "info" if doubt.allowed else "major", place)


def _issue(rule: str, about: str, text: str, severity: str, place: tuple[str, int]) -> dict[str, Any]:
    file, line = place
    return {
        "type": "issue",
        "description": text,
        "check_name": rule,
        "fingerprint": _fingerprint(rule, about, file),
        "severity": severity,
        "categories": ["Bug Risk"],
        "location": {"path": file.removeprefix("./"), "lines": {"begin": max(line, 1)}},
    }


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
