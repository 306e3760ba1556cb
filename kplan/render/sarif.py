"""SARIF: findings at the manifest's file and line, as code scanning shows them.

Format: SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from kplan.render.alike import of_no_line, sentence_of
from kplan.render.data import escaped_json
from kplan.render.text.rollout import attempt_lines
from kplan.result.document_check import CheckDoubt, CheckResult, Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "kplan/v1"
RULES = {
    "does-not-fit": (
        "A pod fits no node",
        "A pod of a manifest fits no node once the pods before it are placed.",
        "Ask for less, allow more nodes, or add one: what was tried and helps is told as Try. "
        "kplan explain pod tells it node by node.",
    ),
    "scenario": (
        "A scenario is not as expected",
        "A step before the manifests is not as the scenario expects.",
        "Change the step, or what is expected of it.",
    ),
    "refused": (
        "The API server refuses an object",
        "The API server would refuse an object of a manifest.",
        "Mend the field that the message names.",
    ),
    "quota": (
        "A quota refuses pods or claims",
        "A ResourceQuota would refuse pods or claims of a manifest.",
        "Ask for less, or raise the quota.",
    ),
    "stalls": (
        "A rollout stalls",
        "The rollout of an object stops before all its pods are replaced.",
        "Make room for the pods that come beside the old ones, or let old ones go first (maxUnavailable).",
    ),
    "evicted-pending": (
        "An evicted pod finds no new place",
        "A pod that is evicted for a manifest fits no other node.",
        "Lower the priority of what evicts it, or make room for both.",
    ),
    "evicts": (
        "It evicts other pods",
        "A pod of a manifest is placed by evicting pods of lower priority.",
        "Make room, or lower its priority if nothing shall be evicted.",
    ),
    "careful": (
        "It does less than it seems to",
        "A manifest has a rule that does nothing, or something else.",
        "Change the rule so that it says what is meant.",
    ),
    "no-preemption": (
        "Pods are evicted",
        "The policy wants no pod evicted for a manifest.",
        "Make room, or lower the priority of what evicts.",
    ),
    "max-victims": (
        "Too many pods are evicted",
        "More pods are evicted for the manifests than the policy allows.",
        "Make room, or raise max-victims in the policy.",
    ),
    "require-zones": (
        "Replicas are in too few zones",
        "Replicas are in fewer zones than the policy requires.",
        "Spread them by topology.kubernetes.io/zone, and see that each zone has room.",
    ),
    "headroom": (
        "Too little room stays free",
        "Less of the cluster or of a pool stays free than the policy requires.",
        "Ask for less, or add nodes.",
    ),
    "survive-zone": (
        "The loss of a zone is not survived",
        "What runs in a zone is not placed again when it is lost.",
        "Keep room for it in the other zones. kplan fail --zone tells which pods find none.",
    ),
    "survive-node": (
        "The loss of a node is not survived",
        "What runs on a node is not placed again when it is lost.",
        "Keep room for it on the other nodes. kplan fail tells which pods find none.",
    ),
    "doubt": (
        "Something is not known",
        "Something that kplan cannot know or model touches the verdict.",
        "Lift it as the message says, or accept it: --allow-doubt, allow-doubt in the policy.",
    ),
}
"""By identifier: what is wrong in a few words, which code scanning shows as a title; what that means; what to do."""


def log(document: CheckResult) -> str:
    """Write a log of one run; what is not counted and about none of the manifests is a number of its properties."""
    from kplan import __version__

    findings = [finding for finding in document.findings if not of_no_line(finding)]
    used = list(dict.fromkeys([*(finding.rule for finding in findings), *(["doubt"] if document.doubts else [])]))
    rules = [_rule(name) for name in used]
    first = next(((item.file, item.line) for item in document.objects if item.file), ("", 0))
    results = [_result(finding, used.index(finding.rule), *first) for finding in findings]
    results += [_doubt(doubt, used.index("doubt"), *first) for doubt in document.doubts]
    _tell_apart(results)
    driver = {"name": "kplan", "version": __version__, "semanticVersion": __version__, "rules": rules}
    properties = {
        "verdict": document.verdict,
        "sentence": document.sentence,
        "source": document.origin.source,
        "taken": document.recording.taken,
        "complete": document.recording.complete,
        "rules": document.origin.k8s_version,
        "notOfTheManifests": len(document.findings) - len(findings) or "",
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {name: value for name, value in properties.items() if value != ""},
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escaped_json(json.dumps(whole, indent=2, ensure_ascii=False)) + "\n"


def _rule(name: str) -> dict[str, Any]:
    short, full, help_text = RULES[name]
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": help_text, "markdown": f"{full}\n\n{help_text}"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["kubernetes", "scheduling"], "problem.severity": "error"},
    }


def _tell_apart(results: list[dict[str, Any]]) -> None:
    """Give results of one rule and object fingerprints of their own: readers take equal ones for the same alert."""
    seen: Counter[str] = Counter()
    for result in results:
        prints = result["partialFingerprints"]
        number = seen[prints[FINGERPRINT]]
        seen[prints[FINGERPRINT]] += 1
        if number:
            prints[FINGERPRINT] += f":{number + 1}"


def _result(finding: Finding, rule: int, file: str, line: int) -> dict[str, Any]:
    """A finding stands at its manifest, one without at the first: code scanning shows no result without a place."""
    text = sentence_of(finding)
    text += "".join(f". {line}" for line in attempt_lines(finding.attempt, finding.edits))
    if not finding.counted:
        text += f" (not counted: {finding.why_not})"
    place = _location(*(finding.place if finding.place[0] else (file, line, 0)), finding.object)
    result = _told(finding.rule, rule, finding.object, text, place, "error" if finding.counted else "note")
    if finding.edits:
        further = [_location(edit.file, edit.line, edit.column, edit.path) for edit in finding.edits[1:]]
        further.append(_location(finding.file, finding.line, finding.column, finding.object))
        result["relatedLocations"] = further
    told = {"amount": finding.amount, "onMain": finding.on_main, "cause": finding.cause, "message": finding.message}
    result["properties"] = {name: value for name, value in told.items() if value not in ("", None)}
    return result


def _doubt(doubt: CheckDoubt, rule: int, file: str, line: int) -> dict[str, Any]:
    """A doubt about no object is told at the first manifest, too."""
    text = f"{doubt.code}: {doubt.text}{' (allowed)' if doubt.allowed else ''}"
    place = _location(*((doubt.file, doubt.line) if doubt.file else (file, line)), 0, doubt.code)
    return _told("doubt", rule, doubt.code, text, place, "note" if doubt.allowed else "error")


def _told(name: str, rule: int, about: str, text: str, place: dict[str, Any], level: str) -> dict[str, Any]:
    return {
        "ruleId": name,
        "ruleIndex": rule,
        "level": level,
        "message": {"text": text},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: hashlib.sha256(f"{name}\n{about}".encode()).hexdigest()[:32]},
    }


def _location(file: str, line: int, column: int, name: str) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": name}]}
    if file and file != "standard input":
        # to the end of the line: readers take a region that ends nowhere for a single character
        first = max(line, 1)
        region = {"startLine": first, "endLine": first, **({"startColumn": column} if column else {})}
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(file)}, "region": region}
    return location


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
