"""What is wrong with a list, and a copy of it that is right. Pure: others probe, and hand the clock in."""

from accelrag.checking.fixing import fixed_list
from accelrag.checking.health import (
    LinkHealth,
    health_from_json,
    health_to_json,
    judge,
    observed,
)
from accelrag.checking.report import Finding, Report, Severity, check_list
from accelrag.checking.titles import normalised_title, same_work

__all__ = [
    "Finding",
    "LinkHealth",
    "Report",
    "Severity",
    "check_list",
    "fixed_list",
    "health_from_json",
    "health_to_json",
    "judge",
    "normalised_title",
    "observed",
    "same_work",
]
