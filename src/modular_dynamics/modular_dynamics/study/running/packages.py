"""Optional packages of studies, imported when they are used; the only place that imports them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...exceptions import MissingDependencyError

__all__ = ["arrow", "dask", "distributed", "matplotlib", "parquet"]


@contextmanager
def _needed(package: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingDependencyError("a design study", package, "study", error) from error


def dask() -> Any:
    """Dask. Raises MissingDependencyError, as all functions here."""
    with _needed("dask"):
        import dask as package  # noqa: PLC0415  # takes long, and is optional; so are the others here
    return package


def distributed() -> Any:
    """Dask's scheduler and workers."""
    with _needed("distributed"):
        import distributed as package  # noqa: PLC0415
    return package


def arrow() -> Any:
    """PyArrow."""
    with _needed("pyarrow"):
        import pyarrow as package  # noqa: PLC0415
    return package


def parquet() -> Any:
    """PyArrow's Parquet files."""
    with _needed("pyarrow"):
        import pyarrow.parquet as package  # noqa: PLC0415
    return package


def matplotlib() -> Any:
    """Matplotlib, with its figures."""
    with _needed("matplotlib"):
        import matplotlib as package  # noqa: PLC0415
        import matplotlib.figure  # noqa: PLC0415
    return package
