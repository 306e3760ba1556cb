"""Volumes in the way: those that one node alone may attach, and those that can be reached from lost nodes alone."""
