"""What an API server answers when it refuses an object."""

from kplan.admission.field_problems import Problem


class Refusal(Exception):
    """An object that the API server would refuse; never leaves the package.

    Attributes:
        message: the server's own words, without the object's name.
        problems: the fields that are wrong; empty where it is not a field that is refused.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.problems = problems
