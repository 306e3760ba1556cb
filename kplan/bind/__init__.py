"""Binding: the only code that writes to an API server, and only what was shown."""
