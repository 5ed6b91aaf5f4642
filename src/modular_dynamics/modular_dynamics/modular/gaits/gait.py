"""What all gaits have in common: states at times, a smooth start, joints of an assembly, YAML."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError, UnknownNameError
from ...model.number_arrays import number_array
from .values import joint_names as checked_names
from .yaml_text import yaml_text

__all__ = ["Gait", "GaitState", "smooth_start"]

Array = NDArray[np.float64]


class GaitState(NamedTuple):
    """Joints' positions q [rad or m], velocities v and accelerations a: (n,), or (k, n) at k times."""

    q: Array
    v: Array
    a: Array


class Gait(ABC):
    """A motion of named joints for t >= 0, the same in every run; v and a are the derivatives of q.

    Maps and oscillators are stepped from t = 0: asking for times that rise, or that go back by less than 1000
    steps, costs a few steps; other times cost all steps before them.

    Attributes:
        joint_names: the order of the arrays.
        ramp: time [s] in which the motion grows out of q = v = a = 0; 0 for none.
    """

    joint_names: tuple[str, ...]
    ramp: float

    def at(self, t: float) -> GaitState:
        """Return state (n,) at time t [s]. Raises StateError: a time that is negative or not finite."""
        return GaitState(*(row[0] for row in self.states([t])))

    def states(self, times: ArrayLike) -> GaitState:
        """States (k, n) at k times [s], in any order. Raises StateError: as of ``at``, or not a vector."""
        t = number_array("times", times, "are")
        if t.ndim != 1 or not np.isfinite(t).all() or (t < 0.0).any():
            raise StateError(f"times are {times!r}; finite times [s] of at least 0 are needed, as a vector")
        return smooth_start(self._motion(t), t, self.ramp)

    @abstractmethod
    def _motion(self, times: Array) -> GaitState:
        """Return states (k, n) without the ramp at the start."""

    @abstractmethod
    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""

    def to_yaml(self) -> str:
        """Return the gait as YAML with units in comments; ``gaits.load`` makes an equal gait of it."""
        return yaml_text(self.mapping())

    def checked_against(self, joint_names: Iterable[str]) -> "Gait":
        """Return the same motion in the order of ``joint_names``; joints without a motion stay at 0.

        Raises UnknownNameError: the gait moves joints that are not among ``joint_names``.
        """
        names = checked_names("joint_names", joint_names)
        unknown = [name for name in self.joint_names if name not in names]
        if unknown:
            raise UnknownNameError(f"no joint {', '.join(unknown)}; the joints: {', '.join(names)}")
        return _OnJoints(self, names)


class _OnJoints(Gait):
    """A gait extended to more joints, which stay at 0."""

    def __init__(self, gait: Gait, names: tuple[str, ...]) -> None:
        self.joint_names, self.ramp = names, gait.ramp
        self._gait = gait
        self._columns = [names.index(name) for name in gait.joint_names]

    def _motion(self, times: Array) -> GaitState:
        wide = np.zeros((3, len(times), len(self.joint_names)))
        wide[:, :, self._columns] = self._gait._motion(times)
        return GaitState(*wide)

    def mapping(self) -> dict[str, Any]:
        return self._gait.mapping()


def smooth_start(motion: GaitState, times: Array, ramp: float) -> GaitState:
    """Return the motion times s(t / ramp), s(u) = 10 u^3 - 15 u^4 + 6 u^5 up to u = 1 and 1 from there.

    s starts and ends with derivatives s' = s'' = 0, so that q, v and a start at 0 and nothing jumps.
    """
    if ramp == 0.0:
        return motion
    u = np.minimum(times / ramp, 1.0)[:, np.newaxis]
    s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    ds = 30.0 * u**2 * (1.0 - u) ** 2 / ramp
    dds = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / ramp**2
    q, v, a = motion
    return GaitState(s * q, s * v + ds * q, s * a + 2.0 * ds * v + dds * q)
