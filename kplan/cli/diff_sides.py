"""What the arguments of ``kplan diff`` are: told by their content, and made into two sides."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path, PurePath
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from kplan.cli.options import Rules, Source
from kplan.cli.session import Session, make_session, state_apart
from kplan.cli.source import StateRead, read_source
from kplan.errors import ConfigError, KplanError, UsageError
from kplan.sources.opening import is_there

if TYPE_CHECKING:
    from kplan.objects.state import ClusterState
    from kplan.studies.diff.sides import Side

_VERSION = re.compile(r"v?1\.\d+(\.\d+)?")
_LARGEST_CONFIGURATION = 1 << 20
_WORDS = {
    "snapshot": "snapshots",
    "config": "configurations",
    "version": "versions",
    "manifest": "manifests",
    "gates": "gates",
}
KEYS = tuple(_WORDS)


@dataclasses.dataclass
class SideGiven:
    """What was said of one side.

    Attributes:
        snapshot: file or folder with the state.
        config: a KubeSchedulerConfiguration.
        version: of Kubernetes.
        manifest: what lands.
        gates: feature gates, ``;`` between them.
        state: what was read already to tell what it is.
    """

    snapshot: str = ""
    config: str = ""
    version: str = ""
    manifest: str = ""
    gates: str = ""
    state: ClusterState | None = field(default=None, repr=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Which of KEYS were said."""
        return tuple(key for key in KEYS if getattr(self, key))


def detect(text: str) -> SideGiven:
    """Tell what an argument is by its content: a version, a configuration, a snapshot (it holds nodes) or manifests.

    Raises:
        UsageError: there is no such file, and it is no version.
    """
    path = Path(text)
    if text != "-" and not is_there(path):
        if _VERSION.fullmatch(text):
            return SideGiven(version=text)
        hint = "a file or folder, or a version as 1.36"
        raise UsageError(f"{text}: no such file, and no version", code="no-such-file", hint=hint)
    if path.is_file() and path.stat().st_size <= _LARGEST_CONFIGURATION and _is_configuration(path.read_bytes()):
        return SideGiven(config=text)
    if text == "-":
        return SideGiven(manifest=text)
    from kplan.api import load

    try:
        state = load(text)
    except KplanError:
        return SideGiven(manifest=text)
    return SideGiven(snapshot=text, state=state) if state.nodes else SideGiven(manifest=text)


def _is_configuration(content: bytes) -> bool:
    """Whether a file is a KubeSchedulerConfiguration, be it a broken one, and does not only hold one in its text."""
    if b"KubeSchedulerConfiguration" not in content:
        return False
    from kplan.config.text import parse

    try:
        document = parse(content.decode())
    except (ConfigError, UnicodeDecodeError):
        return re.search(rb"^kind: *KubeSchedulerConfiguration\b", content, re.MULTILINE) is not None
    return isinstance(document, dict) and document.get("kind") == "KubeSchedulerConfiguration"


def override(option: str, text: str, given: SideGiven) -> SideGiven:
    """Put what ``--a`` or ``--b`` says over what was detected.

    Raises:
        UsageError: it is not ``key=value,...``.
    """
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in KEYS or not value:
            hint = f"{option} {'=..., '.join(KEYS[:3])}=...: as {option} config=new.yaml,version=1.36"
            raise UsageError(f"{option} {text}: {part!r} is not understood", code="bad-side", hint=hint)
        setattr(given, key, value)
        if key == "snapshot":
            given.state = None
    return given


def two_sides(arguments: Sequence[str], a: str, b: str, versions: str) -> tuple[SideGiven, SideGiven, str]:
    """Read all that was said of the sides.

    Args:
        arguments: none, one (side B; A is as it is) or two.
        a: ``--a``.
        b: ``--b``.
        versions: ``--k8s-version``: one for both sides, or ``A,B``.

    Returns:
        Both sides, and the version of both where one was given.

    Raises:
        UsageError: there is nothing to compare, or too much.
    """
    if len(arguments) > 2:
        raise UsageError("more than two to compare", code="too-many", hint="kplan diff A B")
    sides = [detect(text) for text in arguments]
    given = SideGiven() if len(sides) < 2 else sides[0]
    two = sides[-1] if sides else SideGiven()
    first, comma, second = versions.partition(",")
    if comma:
        if not first or not second:
            raise UsageError(f"--k8s-version {versions}", code="bad-version", hint="two versions, as 1.35,1.37")
        given, two = replace(given, version=first), replace(two, version=second)
    given, two = override("--a", a, given), override("--b", b, two)
    if not given.keys and not two.keys:
        hint = "kplan diff A B, or B alone against the cluster as it is: a snapshot, configuration, version or manifest"
        raise UsageError("nothing to compare", code="nothing-to-compare", hint=hint)
    return given, two, "" if comma else first


@dataclasses.dataclass
class SideOpener:
    """Makes sides; a source that both share is read once.

    Attributes:
        source: where the state is from unless a side says otherwise.
        rules: options for both sides.
        namespace: of manifests that name none.
        preempt: carry out preemptions.
    """

    source: Source
    rules: Rules
    namespace: str = ""
    preempt: bool = True
    _found: StateRead | None = None

    def open(self, a: SideGiven, b: SideGiven) -> tuple[Side, Side, tuple[str, ...]]:
        """Make both sides; return them and the keys in which they differ.

        Raises:
            UsageError: there is no source.
            SourceError: a source or manifest is broken.
            ConfigError: version, gates or configuration are refused.
        """
        session, two = self._session(a), self._session(b)
        kinds = tuple(key for key in KEYS if getattr(a, key) != getattr(b, key))
        if len(kinds) > 1 and session.origin.k8s_version == two.origin.k8s_version:
            kinds = tuple(key for key in kinds if key != "version")
        return self._side("A", a, session, kinds), self._side("B", b, two, kinds), kinds

    def _side(self, name: str, given: SideGiven, session: Session, kinds: Sequence[str]) -> Side:
        """Make one side; it is called by the keys in which the sides differ."""
        from kplan.studies.diff.sides import Side
        from kplan.studies.simulate import SimulateOptions
        from kplan.studies.simulate.landing import land, nothing

        rules = session.scheduler.request_rules
        landed = (
            land(session.state, [given.manifest], rules, self.namespace) if given.manifest else nothing(session.state)
        )
        return Side(
            name=name,
            label=_label(given, session, kinds),
            pipelines=session.scheduler.pipelines,
            planner=lambda: session.scheduler.planner(landed.state, preempt=self.preempt, everything=False),
            # a configuration of one side alone is what the side is called by, and not where both are from
            origin=changed(session.origin, configuration="") if given.config else session.origin,
            config=given.config or self.rules.config,
            manifests=(given.manifest,) if given.manifest else (),
            landed=landed.pods,
            options=SimulateOptions(
                doubts=(*session.doubts, *landed.doubts),
                change=landed.change,
                fleets=landed.fleets,
                ledger=landed.ledger,
            ),
            doubts=(*session.doubts, *landed.doubts),
            notes=landed.notes,
        )

    def _session(self, given: SideGiven) -> Session:
        started = perf_counter()
        rules = replace(
            self.rules,
            k8s_version=given.version or self.rules.k8s_version,
            feature_gates=given.gates.replace(";", ",") or self.rules.feature_gates,
            config=given.config or self.rules.config,
            policy="" if given.config else self.rules.policy,
        )
        return make_session(self._read(given), rules, started)

    def _read(self, given: SideGiven) -> StateRead:
        from kplan.cli.notes import tell_completeness

        if given.state is not None:
            reading = StateRead(given.state)
        elif given.snapshot:
            reading = read_source(Source(given.snapshot))
        else:
            if self._found is None:
                self._found = read_source(self.source)
                tell_completeness(self._found.state.completeness)
            return replace(self._found, state=state_apart(self._found.state))
        tell_completeness(reading.state.completeness)
        return reading


def words(keys: Sequence[str]) -> tuple[str, ...]:
    """Keys as the document has them."""
    return tuple(_WORDS[key] for key in keys)


def _label(given: SideGiven, session: Session, kinds: Sequence[str]) -> str:
    """What a side is called by: the values of what differs."""
    told = []
    for key in kinds:
        value = getattr(given, key)
        if key == "version":
            told.append(session.origin.k8s_version)
        elif key == "gates":
            told.append(value or "the default gates")
        elif value:
            told.append(PurePath(value).name)
        else:
            told.append({"config": "the one in use", "manifest": "none", "snapshot": session.origin.source}[key])
    return " and ".join(dict.fromkeys(told))
