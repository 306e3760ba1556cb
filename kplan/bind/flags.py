"""What a run may do, as far as it was told so by flags."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.errors import ConfigError, UsageError
from kplan.sources.opening import load


class Flags(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Flags of ``kplan bind`` that the plan or the run depends on; the journal keeps them.

    Attributes:
        preempt: evict for pods that fit only so.
        pdb: ``refuse`` (hold the pod back) or ``wait`` where a budget refuses an eviction.
        create: create what is not there of manifests.
        take_over: bind pods that a live scheduler answers for.
        accept_doubt: codes of the doubts that are accepted; ``all`` for any.
        events: report Scheduled and FailedScheduling.
        max_pods: bind no more; 0 for no limit.
        max_age: how old the state may be that was shown [seconds]; 0 for any age.
        volume_timeout: how long claims are waited for [seconds]; 0 for the profile's bindTimeoutSeconds.
        evict_timeout: how long victims and budgets are waited for [seconds].
        create_timeout: how long the next pod of what was created is waited for [seconds].
        qps: requests a second.
        burst: requests at once.
        k8s_version: whose rules were asked for; empty for the cluster's.
        feature_gates: gates that were asked for, as they were written.
        config: text of the KubeSchedulerConfiguration that was given; None for none. As it may hold credentials of
            extenders, the journal keeps no text that is in a file.
        config_file: absolute name of that file; empty where it is from none.
    """

    preempt: bool = False
    pdb: str = "refuse"
    create: bool = False
    take_over: bool = False
    accept_doubt: tuple[str, ...] = ()
    events: bool = False
    max_pods: int = 0
    max_age: float = 600.0
    volume_timeout: float = 0.0
    evict_timeout: float = 300.0
    create_timeout: float = 300.0
    qps: float = 50.0
    burst: int = 100
    k8s_version: str = ""
    feature_gates: str = ""
    config: str | None = None
    config_file: str = ""

    def accepts(self, code: str) -> bool:
        """Whether a doubt is accepted."""
        return code in self.accept_doubt or "all" in self.accept_doubt

    def words(self) -> str:
        """The flags a saved plan needs again when it is applied, each with a space before it."""
        given = {"--preempt": self.preempt, "--create": self.create, "--take-over": self.take_over}
        words = [flag for flag, wanted in given.items() if wanted]
        words += [f"--accept-doubt {code}" for code in self.accept_doubt]
        words += ["--pdb wait"] if self.pdb == "wait" else []
        return "".join(f" {word}" for word in words)

    def again(self, given: Flags) -> Flags:
        """The flags of a run that is resumed: those that are given this time count, and doubts add up."""
        told = {name: getattr(given, name) for name in self.__struct_fields__}
        new = {name: value for name, value in told.items() if value != getattr(_NONE, name)}
        accepted = tuple(dict.fromkeys((*self.accept_doubt, *given.accept_doubt)))
        return msgspec.structs.replace(self, **{**new, "accept_doubt": accepted})

    def to_keep(self) -> Flags:
        """The flags as the journal keeps them."""
        return msgspec.structs.replace(self, config=None) if self.config_file else self

    def made_whole(self) -> Flags:
        """Read the configuration again that the journal names; whether it is the same is seen by the rules it makes.

        Raises:
            ConfigError: it cannot be read.
        """
        if self.config is not None or not self.config_file:
            return self
        try:
            return msgspec.structs.replace(self, config=load(self.config_file).decode())
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            text = f"{self.config_file}: the configuration of the run cannot be read again: {reason}"
            raise ConfigError(text, code="config-unreadable", hint="give it once more: --config FILE") from error

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Flags:
        """Read them back.

        Raises:
            UsageError: they are none.
        """
        try:
            return msgspec.convert(plain, cls)
        except msgspec.ValidationError as error:
            raise UsageError(f"the journal holds no options: {error}", code="bad-journal") from None


_NONE = Flags()
