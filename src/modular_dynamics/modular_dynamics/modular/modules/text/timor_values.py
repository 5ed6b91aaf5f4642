"""Values of timor-python's JSON: identifiers, poses, sizes and limits."""

import math
from collections.abc import Sequence

import numpy as np

from ....algebra import DualQuaternion, from_rotation_translation
from ....exceptions import UnsupportedModelError
from ....model import Limits
from ....text.numbers import LARGEST
from .element import Element

__all__ = ["identifier", "limits_of", "matrix", "pose_of", "size_of"]

#: How far a rotation in a file may be from one: files have six digits.
_SIX_DIGITS = 1e-5
_POSITIONS = {"positionLower": "lower", "positionUpper": "upper"}
_LIMITS = {**_POSITIONS, "peakTorque": "effort", "velocity": "velocity"}


def identifier(element: Element, key: str) -> str:
    """Return an ID as text; it may be given as a whole number."""
    value = element.item[key]
    if type(value) is int:
        return str(value)
    name = element.text(key)
    if "/" in name or name.split() != [name]:
        raise element.wrong(key, "an ID without '/' and white space")
    return name


def matrix(element: Element, key: str, rows: int, columns: int) -> np.ndarray:
    """Return a matrix of finite numbers, given by its rows."""
    value = element.item[key]
    if not isinstance(value, list | tuple) or len(value) != rows:
        raise element.wrong(key, f"a list of {rows} rows")
    named = Element({f"row {k}": row for k, row in enumerate(value)}, element.file, f"{element.path}{key}/")
    return np.array([named.numbers(row, columns) for row in named.item])


def pose_of(element: Element, key: str) -> DualQuaternion:
    """Return a homogeneous matrix as a pose; the identity if it is missing."""
    if key not in element.item:
        return DualQuaternion.identity
    H = matrix(element, key, 4, 4)
    u, _, v = np.linalg.svd(H[:3, :3])
    nearest = u @ v
    if np.abs(nearest - H[:3, :3]).max() > _SIX_DIGITS or np.linalg.det(nearest) < 0.0:
        raise element.failure(key, f" has the rotation {H[:3, :3].tolist()}; a rotation matrix is needed")
    if (H[3] != [0.0, 0.0, 0.0, 1.0]).any():
        raise element.failure(key, f" has the last row {H[3].tolist()}; [0, 0, 0, 1] is needed")
    return from_rotation_translation(nearest, H[:3, 3])


def size_of(element: Element) -> tuple[float, ...]:
    """Return the size of a connector: one number, or a list of them."""
    value = element.item.get("size", ())
    parts: Sequence[object] = value if isinstance(value, list | tuple) else [value]
    for part in parts:
        if isinstance(part, str):
            raise UnsupportedModelError(
                str(element.failure("size", f" contains the text {part!r}; only numbers [m] are supported"))
            )
    wrapped = Element({"size": list(parts)}, element.file, element.path)
    return tuple(wrapped.numbers("size", None, least=0.0))


def limits_of(joint: Element) -> Limits:
    """Return the limits of a joint, without infinite ones and without that of the acceleration."""
    if "limits" not in joint.item:
        return Limits()
    element = joint.element("limits").require(tuple(_POSITIONS), ("peakTorque", "velocity", "acceleration"))
    found: dict[str, float] = {}
    for key in (*_LIMITS, "acceleration"):
        value = element.item.get(key)
        outwards = -math.inf if key == "positionLower" else math.inf
        if key in element.item and value != outwards:
            least = -LARGEST if key in _POSITIONS else 0.0
            number = element.number(key, least=least)
            found |= {_LIMITS[key]: number} if key in _LIMITS else {}
    return Limits(**found)
