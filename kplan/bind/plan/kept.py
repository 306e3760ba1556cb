"""What is shown and kept of manifests: names and digests. What they hold may be secret, and is read when needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from kplan.bind.plan.manifests import as_created, read_manifests, space_of
from kplan.errors import KplanError, UsageError
from kplan.result.document_bind import BindManifests, BindObject, BindPlan, BindPod
from kplan.sources.loading import matching
from kplan.sources.opening import shown
from kplan.sources.reader import STDIN, WEB
from kplan.visible import without_credentials

Raw = dict[str, Any]


def found_again(files: Sequence[str], namespace: str) -> BindManifests:
    """Say where manifests are found again: absolute names, URLs, and ``-`` for what has to be given once more.

    Raises:
        SourceError: no file matches a pattern.
    """
    return BindManifests(files=tuple(_absolute(str(path)) for path in matching(files)), namespace=namespace)


def _absolute(path: str) -> str:
    if path.startswith(WEB):
        return path if without_credentials(path) == path else STDIN  # what it holds besides a place may be a password
    file = Path(path)
    lasts = path != STDIN and (file.is_file() or file.is_dir())
    return shown(file.absolute()) if lasts else STDIN


def to_keep(plan: BindPlan) -> BindPlan:
    """The document as it is written to disk: a name and a digest in the place of each manifest.

    One that does not say where its manifests are is of a plan that was saved with them, and stays as it is.
    """
    if plan.manifests is None or not any(_created(plan)):
        return replace(plan, manifests=None)
    objects = tuple(
        item if item.manifest is None else replace(item, manifest=_names(item.manifest), digest=digest(item.manifest))
        for item in plan.objects
    )
    pods = tuple(
        pod if pod.create is None else replace(pod, create=_names(pod.create), digest=digest(pod.create))
        for pod in plan.pods
    )
    return replace(plan, objects=objects, pods=pods, bare=True)


def to_read(plan: BindPlan) -> BindPlan:
    """The document as people and programs read it: of what is created it has the names alone."""
    if not any(_created(plan)):
        return replace(plan, manifests=None)
    objects = tuple(replace(item, manifest=_names(item.manifest), digest="") for item in plan.objects)
    pods = tuple(replace(pod, create=_names(pod.create), digest="") for pod in plan.pods)
    return replace(plan, objects=objects, pods=pods, manifests=None, bare=True)


def made_whole(plan: BindPlan, given: Sequence[str], what: str) -> BindPlan:
    """Put the manifests back into a plan that was kept.

    Args:
        plan: as it was read; one that holds its manifests is returned as it is.
        given: files of the manifests, where they are not found any more where they were.
        what: name of the file that the plan is from.

    Raises:
        UsageError: the manifests cannot be read, are not as they were, or are not needed.
    """
    if not plan.bare:
        if given:
            held = "holds what it creates" if any(_created(plan)) else "creates nothing"
            raise UsageError(f"-f has no effect: {what} {held}", code="two-targets", hint="leave it out")
        return plan
    assert plan.manifests is not None
    files, space = given or plan.manifests.files, plan.manifests.namespace
    if not given and STDIN in files:
        text = f"{what}: the manifests of what it creates came through a pipe, or from a URL with a password or a query"
        raise UsageError(text, code="manifests-gone", hint=f"nothing of them is kept: {_AGAIN}, or -f - for a pipe")
    there = _read_again(files, space, what)
    by_digest = {digest(manifest): manifest for manifest in there}
    objects = tuple(
        item
        if item.manifest is None
        else replace(item, manifest=_same(item.object, item.manifest, item.digest, by_digest, what))
        for item in plan.objects
    )
    pods = tuple(
        pod
        if pod.create is None
        else replace(pod, create=_same(f"pod/{pod.pod}", pod.create, pod.digest, by_digest, what))
        for pod in plan.pods
    )
    known = found_again(files, space) if given else plan.manifests
    return replace(plan, objects=objects, pods=pods, manifests=known, bare=False)


def can_be_whole(plan: BindPlan) -> bool:
    """Whether a plan holds its manifests, or says where each of them is and what it was."""
    digests = [one.digest for one in _created(plan)]
    return not plan.bare or (plan.manifests is not None and all(digests))


def again_words(plan: BindPlan) -> str:
    """Options that bring manifests once more that came through a pipe, with a space before them; empty for others."""
    return " -f -" if any(_created(plan)) and plan.manifests is not None and STDIN in plan.manifests.files else ""


def digest(manifest: Mapping[str, Any]) -> str:
    """Digest of an object as it is created, however its file lays it out."""
    return sha256(json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _created(plan: BindPlan) -> Iterator[BindObject | BindPod]:
    yield from (item for item in plan.objects if item.manifest is not None)
    yield from (pod for pod in plan.pods if pod.create is not None)


def _read_again(files: Sequence[str], namespace: str, what: str) -> list[Raw]:
    try:
        manifests = read_manifests(files, namespace)
    except KplanError as error:
        text = f"{what} keeps no manifests, and those that it creates objects of cannot be read again: {error}"
        raise UsageError(text, code="manifests-gone", hint=_AGAIN) from None
    return [as_created(item, space_of(item, namespace)) for item in manifests.objects]


def _same(name: str, names: Raw, wanted: str, there: Mapping[str, Raw], what: str) -> Raw:
    """Find the manifest that has the digest."""
    if wanted in there:
        return there[wanted]
    changed = any(_names(manifest) == names for manifest in there.values())
    told = "its manifest has changed since" if changed else "it is not in the manifests any more"
    raise UsageError(f"{what} creates {name}: {told}", code="manifests-changed", hint=f"plan again, or {_AGAIN}")


_AGAIN = "give the manifests as they were: -f FILE"


def _names(manifest: Raw | None) -> Raw | None:
    if manifest is None:
        return None
    metadata = {name: manifest["metadata"][name] for name in ("name", "namespace") if name in manifest["metadata"]}
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": metadata}
