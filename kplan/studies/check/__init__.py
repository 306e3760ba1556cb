"""Check: a plan of manifests held against a policy and a baseline, for CI."""

from kplan.studies.check.report import CheckOptions, check

__all__ = ["CheckOptions", "check"]
