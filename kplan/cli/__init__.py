"""The commands: each parses, calls, renders and says how it went by its exit code."""
