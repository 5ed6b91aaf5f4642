"""Optional packages of studies, imported when they are used; the only place that imports them."""

from contextlib import AbstractContextManager
from typing import Any

from ...optional_packages import needed

__all__ = ["arrow", "dask", "distributed", "matplotlib", "parquet"]


def _needed(package: str) -> AbstractContextManager[None]:
    return needed("a design study", package, "study")


def dask() -> Any:
    """Return Dask. Raises MissingDependencyError, as all functions here."""
    with _needed("dask"):
        import dask as package  # noqa: PLC0415  # takes long, and is optional; so are the others here
    return package


def distributed() -> Any:
    """Return Dask's scheduler and workers."""
    with _needed("distributed"):
        import distributed as package  # noqa: PLC0415
    return package


def arrow() -> Any:
    """Return PyArrow."""
    with _needed("pyarrow"):
        import pyarrow as package  # noqa: PLC0415
    return package


def parquet() -> Any:
    """Return PyArrow's module for Parquet files."""
    with _needed("pyarrow"):
        import pyarrow.parquet as package  # noqa: PLC0415
    return package


def matplotlib() -> Any:
    """Return Matplotlib, with its figures."""
    with _needed("matplotlib"):
        import matplotlib as package  # noqa: PLC0415
        import matplotlib.figure  # noqa: PLC0415
    return package
