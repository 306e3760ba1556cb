"""The Kubernetes version and feature gates a scheduler runs with; imports nothing of kplan but errors."""

import re
from collections.abc import Mapping
from typing import Self

from msgspec import Struct

from kplan.errors import ConfigError

_VERSION = re.compile(r"v?1\.(?P<minor>[0-9]{1,4})\+?(?:\.(?P<patch>[0-9]{1,4}))?(?:[-+][0-9A-Za-z.+-]*)?")


class Version(Struct, frozen=True, order=True):
    """A release of Kubernetes 1: ``Version(36, 3)`` is 1.36.3."""

    minor: int
    patch: int = 0

    @classmethod
    def parse(cls, text: str, patches: Mapping[int, int] | None = None) -> Self:
        """Read ``1.36``, ``v1.36.3``, ``1.36+`` or a build's ``v1.36.3-eks-123``, ``v1.34.1+k3s1``.

        Args:
            text: the version as typed, or as a server or kubelet reports it.
            patches: the patch that a minor without one means; 0 for a minor that is not in it.

        Raises:
            ConfigError: ``bad-version`` when it is no version of Kubernetes 1.
        """
        match = _VERSION.fullmatch(text.strip())
        if match is None:
            raise ConfigError(
                f"{text!r} is not a Kubernetes version",
                code="bad-version",
                hint="write it as 1.36 or 1.36.3",
            )
        minor = int(match["minor"])
        patch = int(match["patch"]) if match["patch"] is not None else (patches or {}).get(minor, 0)
        return cls(minor, patch)

    def __str__(self) -> str:
        return f"1.{self.minor}.{self.patch}"


class Features(Struct, frozen=True):
    """What of Kubernetes is there: handed to every plugin when it is made.

    Attributes:
        version: the release whose rules hold.
        gates: the feature gates that are on; a gate the release does not know is off.
    """

    version: Version
    gates: frozenset[str] = frozenset()

    def enabled(self, gate: str) -> bool:
        """Tell whether a feature gate is on."""
        return gate in self.gates

    def since(self, minor: int, patch: int = 0) -> bool:
        """Tell whether the release is 1.``minor``.``patch`` or newer."""
        version = self.version
        return version.minor > minor or (version.minor == minor and version.patch >= patch)
