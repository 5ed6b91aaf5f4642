"""Gravity and floating base: attributes of <modular_dynamics>, used where load_urdf is not given them."""

from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from .checks.values import Entry

__all__ = ["ATTRIBUTES", "EARTH", "Conditions", "conditions_of", "is_stated"]

#: The gravitational acceleration without any other statement [m/s^2].
EARTH = (0.0, 0.0, -9.81)
#: Their names, as in Conditions.
ATTRIBUTES = ("gravity", "floating_base")


class Conditions(NamedTuple):
    """Under which conditions a robot is described.

    Attributes:
        gravity: in the root link's frame [m/s^2], shape (3,).
        floating_base: whether the root link floats.
    """

    gravity: NDArray[np.float64]
    floating_base: bool


def is_stated(robot: etree._Element, name: str) -> bool:
    """Return whether the tags of a <robot> element state one of ATTRIBUTES."""
    wrapper = robot.find("modular_dynamics")
    return wrapper is not None and wrapper.get(name) is not None


def conditions_of(robot: etree._Element) -> Conditions:
    """Those of a <robot> element; on earth and fixed where its tags do not say so.

    Raises:
        UrdfError: not three numbers; neither true nor false.
    """
    wrapper = robot.find("modular_dynamics")
    if wrapper is None:
        return Conditions(np.array(EARTH), False)
    entry = Entry.of(wrapper, "<modular_dynamics>")
    return Conditions(np.array(entry.numbers("gravity", 3, list(EARTH))), entry.truth("floating_base"))
