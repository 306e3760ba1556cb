"""Fail: what comes back and where, what is lost and when, if nodes or a zone go; and is any single loss borne."""

from kplan.studies.fail.each import each_failure
from kplan.studies.fail.fail_report import FailAsked, fail

__all__ = ["FailAsked", "each_failure", "fail"]
