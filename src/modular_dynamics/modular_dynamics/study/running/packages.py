"""Optional packages of studies, imported when they are used."""

from importlib import import_module
from typing import Any

from ...exceptions import MissingDependencyError

__all__ = ["package"]


def package(name: str) -> Any:
    """A module of an optional package. Raises MissingDependencyError: it cannot be imported."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingDependencyError("a design study", name.partition(".")[0], "study", error) from error
