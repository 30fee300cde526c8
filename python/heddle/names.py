"""What there is to choose from: chips, workloads, policies, statistics, studies."""
from __future__ import annotations

from typing import List, Optional

from .program import ask


def _names(what: str, *more: str) -> List[str]:
    return ask("list", what, "--names", *more).splitlines()


def chips() -> List[str]:
    """Chips that come with heddle, and those in $HEDDLE_CHIPS."""
    return _names("chips")


def workloads() -> List[str]:
    """Bundled programs."""
    return _names("workloads")


def policies() -> List[str]:
    """QUESTION=NAME, as `run(policy=...)` takes them."""
    return _names("policies")


def studies() -> List[str]:
    """Published studies."""
    return _names("studies")


def statistics(chip: Optional[str] = None) -> List[str]:
    """Statistics that runs on a chip have."""
    return _names("stats", *(["--chip", chip] if chip else []))
