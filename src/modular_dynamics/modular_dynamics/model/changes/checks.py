"""Checks of the numbers given for a change: finite, and masses and inertias that a body can have."""

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ModelError, ModelWarning
from ..inertial import Inertial

#: How far an inertia may be from symmetric, or from positive, relative to its largest number: rounding.
_ROUNDING = 1e-9


def require_mapping(what: str, values: object) -> None:
    """Raise ModelError unless it is a mapping by names."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ModelError(f"{what} are {values!r}; a mapping of names to numbers is needed")


def checked_number(what: str, value: object) -> float:
    """Return the value as a float. Raises ModelError: it is not a finite real number; ``what`` names it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ModelError(f"{what} is {value!r}; a number is needed")
    if not np.isfinite(value):
        raise ModelError(f"{what} is {value!r}; a finite number is needed")
    return float(value)


def checked_numbers(what: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a float array. Raises ModelError: another shape, or not finite; ``what`` names it."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "fiu" or array.shape != shape or not np.isfinite(array).all():
        shown = values.tolist() if isinstance(values, np.ndarray) else values
        raise ModelError(f"{what} is {shown!r}; finite numbers of the shape {shape} are needed")
    return array.astype(np.float64)


def checked_inertial(what: str, mass: object, com: ArrayLike, inertia: ArrayLike, depth: int = 1) -> Inertial:
    """Return mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body that can exist.

    A point mass, with an inertia of zero, is possible. An inertia that breaks the triangle inequality is a
    :class:`ModelWarning`: vendors publish such numbers.

    Args:
        what: the link or payload, as messages name it. depth: how many functions of the library are between
            this one and the user's line, to which the warning refers.

    Raises:
        ModelError: negative mass, an inertia that is not symmetric or has a negative principal moment, or
            numbers that are not finite.
    """
    kilograms = checked_number(f"the mass of {what} [kg]", mass)
    if kilograms < 0.0:
        raise ModelError(f"the mass of {what} is {kilograms:g} kg; it cannot be negative")
    centre = checked_numbers(f"the centre of mass of {what} [m]", com, (3,))
    moments = checked_numbers(f"the inertia of {what} [kg m^2]", inertia, (3, 3))
    rounding = _ROUNDING * float(np.abs(moments).max())
    if np.abs(moments - moments.T).max() > rounding:
        raise ModelError(f"the inertia of {what} is {moments.tolist()}; a symmetric matrix is needed")
    principal = np.linalg.eigvalsh(moments)
    shown = ", ".join(f"{moment:.6g}" for moment in principal)
    if principal[0] < -rounding:
        raise ModelError(
            f"the inertia of {what} has the principal moments {shown} kg m^2; none can be negative "
            "(it is taken about the centre of mass)"
        )
    if principal[2] > principal[0] + principal[1] + rounding:
        warnings.warn(
            f"the inertia of {what} breaks the triangle inequality (principal moments {shown} kg m^2: the "
            "largest exceeds the sum of the others); no rigid body has such an inertia",
            ModelWarning,
            stacklevel=depth + 2,
        )
    return Inertial(kilograms, centre, moments)
