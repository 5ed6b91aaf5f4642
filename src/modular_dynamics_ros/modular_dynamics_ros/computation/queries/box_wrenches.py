"""Wrenches of black boxes at the states that requests ask about.

Each was measured where the robot was answered last. Elsewhere gravity may point another way beyond the
connection point; then the weight that hangs there must be known.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modular_dynamics_ros.computation.black_boxes.static_load import Load
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["BoxWrenches"]

MOST_TURNED = 0.01  # [rad] rotation of gravity up to which a measured wrench stays valid


@dataclass(frozen=True, eq=False)
class BoxWrenches:
    """Measured wrenches of black boxes by name, at and in the frames of their connection points.

    Attributes:
        measured: (6,) [force, moment]. gravity: (3,) where the robot was answered last [m/s^2].
        loads: what hangs there, as far as it is known. elsewhere: boxes whose wrench is not of that time.
    """

    measured: Mapping[str, Array]
    gravity: Mapping[str, Array]
    loads: Mapping[str, Load]
    elsewhere: frozenset[str] = frozenset()

    def at(self, gravity: Mapping[str, Array]) -> dict[str, Array]:
        """Return measured wrenches for this gravity (3,): known weight there replaced by weight here.

        A wrench of zeros stays: it stands for one that has stopped.

        Raises:
            BadMessage: gravity points elsewhere, and the load is not known.
        """
        turned = [name for name in self.measured if self._pulls_elsewhere(name, gravity)]
        if old := [name for name in turned if name in self.elsewhere]:
            text = (
                f"the wrench of black box {listed(old)} is not of the time of the last answer: where it was "
                "measured is not known, and gravity points another way here than where the robot is"
            )
            raise BadMessage("pose not known", text)
        if unknown := [name for name in turned if name not in self.loads]:
            text = (
                f"the wrench of black box {listed(unknown)} was measured at another pose, where gravity "
                "points another way at its connection point: black_box_loads can name what hangs there, with "
                "mass 0 where the wrench holds no weight"
            )
            raise BadMessage("load not known", text)
        wrenches = dict(self.measured)
        for name in turned:
            load = self.loads[name]
            wrenches[name] = wrenches[name] + load.wrench(gravity[name]) - load.wrench(self.gravity[name])
        return wrenches

    def _pulls_elsewhere(self, name: str, gravity: Mapping[str, Array]) -> bool:
        if not self.measured[name].any():
            return False
        here, there = gravity[name], self.gravity[name]
        exact = name in self.loads and name not in self.elsewhere
        tolerance = 0.0 if exact else MOST_TURNED * np.linalg.norm(here)
        return bool(np.linalg.norm(here - there) > tolerance)
