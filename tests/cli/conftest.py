"""typer imports names that click has deprecated; what it warns of is not ours to fix."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import typer

assert typer.__version__
