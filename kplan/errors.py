"""Every exception kplan raises on purpose; imports nothing.

    KplanError                  anything a user can be told about: code, message, hint
    +-- UsageError              what was asked for cannot be answered (unknown pod, conflicting flags)
    +-- SourceError             a file, stream or object could not be read: file, line, column, path inside
    |   +-- QuantityError       a resource quantity that Kubernetes does not accept
    +-- ConfigError             a KubeSchedulerConfiguration, version or feature gate that is refused
    +-- LiveError               the API server refused or failed
    +-- BindError               a write was refused, held back or failed

Unschedulable is a result, never an exception. Only ``kplan.cli`` catches KplanError.
"""


class KplanError(Exception):
    """Base of everything a user is told about without a traceback.

    Args:
        message: what went wrong, with names, in one sentence without a final period.
        code: stable kebab-case identifier of the kind of failure.
        hint: what to do about it, or an empty string.
    """

    default_code = "error"

    def __init__(self, message: str, *, code: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint


class UsageError(KplanError):
    """What was asked for cannot be answered as asked."""

    default_code = "usage"


class SourceError(KplanError):
    """A file, stream or object that could not be read.

    Args:
        message: what is wrong.
        file: name of the file or stream, empty if unknown.
        line: 1-based line, 0 if unknown.
        column: 1-based column, 0 if unknown.
        path: path inside the object (``spec.containers[0].name``), empty if the whole file is meant.
        code: stable kebab-case identifier.
        hint: what to do about it.
    """

    default_code = "bad-input"

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int = 0,
        column: int = 0,
        path: str = "",
        code: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.file = file
        self.line = line
        self.column = column
        self.path = path

    @property
    def place(self) -> str:
        """``file:line:column: path``, as much of it as is known."""
        where = ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)]) if self.file else ""
        return ": ".join(part for part in (where, self.path) if part)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class QuantityError(SourceError):
    """A resource quantity that Kubernetes does not accept."""

    default_code = "bad-quantity"


class ConfigError(KplanError):
    """A scheduler configuration, version or feature gate that is refused."""

    default_code = "bad-config"


class LiveError(KplanError):
    """The API server refused or failed."""

    default_code = "api-server"


class BindError(KplanError):
    """A write was refused, held back or failed."""

    default_code = "bind"
