"""A plugin that does not keep the contract: it calls itself by another name."""


class BrokenFit:
    """Not what its entry point says."""

    name = "SomethingElse"
