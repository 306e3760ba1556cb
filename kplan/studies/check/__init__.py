"""Check: a plan of manifests held against a policy and a baseline, for CI."""

from kplan.studies.check.verdict import CheckOptions, check

__all__ = ["CheckOptions", "check"]
