"""Which pods a user means; see ``scenario.names``."""

from kplan.scenario.names import DEFAULT_NAMESPACE, Scope, resolve

__all__ = ["DEFAULT_NAMESPACE", "Scope", "resolve"]
