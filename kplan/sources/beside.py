"""Notes that are told before an answer: what lies beside that which it is about."""


class Beside(str):
    """Something of a source that was not read, so that the answer is not about it."""

    __slots__ = ()
