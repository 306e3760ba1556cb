"""What an API server answers when it refuses an object; imports nothing of the package."""

from kplan.sources.fit import Path


class Refusal(Exception):
    """An object that the API server would refuse; never leaves the package.

    Attributes:
        message: the server's own words, without the object's name.
        path: of the first field that is wrong; empty where it is not a field that is refused.
    """

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
