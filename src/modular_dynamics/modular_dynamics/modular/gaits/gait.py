"""What all gaits have in common: states at times, a smooth start, joints of an assembly, YAML."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError, UnknownNameError
from ...model.number_arrays import number_array
from ...text.yaml_text import one_line
from .values import joint_names as checked_names

__all__ = ["Gait", "GaitState", "between_knots"]

# A gait's mapping as YAML text, with units in comments.

#: Characters of a key, with its quotes and escapes, before a colon; YAML allows 1024.
LONGEST_KEY = 1000
UNITS = {
    "kind": "sine, coupled_maps or oscillators",
    "ramp": "[s] grows out of rest in this time; 0: at once",
    "joints": "amplitude and offset [rad, or m if prismatic], frequency [Hz], phase [rad]",
    "growth": "a of a x (1 - x), 0 to 4",
    "coupling": "maps: e, 0 to 1; oscillators: k [1/s]",
    "period": "[s] from one iteration to the next",
    "boundary": "ring, or open: the ends are their own neighbours",
    "initial": "x of each joint at the first iteration, 0 to 1",
    "settle": "iterations made before t = 0",
    "convergence": "[1/s] half the rate at which amplitudes converge",
    "connections": "pairs of coupled joints, or chain, or all",
    "seed": "of the random start",
    "step": "[s] of the integration",
}


def yaml_text(mapping: dict[str, Any]) -> str:
    """Return YAML with one key per line and its unit; mappings of joints have one joint per line."""
    lines = []
    for key, value in mapping.items():
        unit = f"  # {UNITS[key]}" if key in UNITS else ""
        if isinstance(value, dict):
            lines += [f"{key}:{unit}", *(f"  {_line({name: entry})}" for name, entry in value.items())]
        else:
            lines.append(f"{_line({key: value})}{unit}")
    return "\n".join(lines) + "\n"


def _line(entry: dict[str, Any]) -> str:
    [(key, value)] = entry.items()
    name = one_line(key)
    long = len(name) > LONGEST_KEY
    return f"? {name}\n  : {one_line(value)}" if long else f"{name}: {one_line(value)}"


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


# Motion between knots at equal distances in time: quintic polynomials that meet with equal v and a.


def between_knots(knot: Callable[[int], GaitState], times: Array, step: float) -> GaitState:
    """Return states (k, n) at times: in each interval the quintic through q, v, a of its two ends.

    The motion is C2, and v and a are its exact derivatives. With
    q = q0 + v0 s + a0 s^2 / 2 + c3 s^3 + c4 s^4 + c5 s^5, s the time since the knot, the coefficients c
    follow from what the end has beyond the first three terms.

    Args:
        knot: state (n,) at time k step. step: time between knots [s].
    """
    order = np.argsort(times, kind="stable")  # knots are computed forwards
    rows = [_state(knot, t, step) for t in times[order]]
    n = len(knot(0).q)
    result = np.empty((3, len(times), n))
    if rows:
        result[:, order] = np.array(rows).transpose(1, 0, 2)
    return GaitState(*result)


def _state(knot: Callable[[int], GaitState], t: float, step: float) -> GaitState:
    k = int(t / step)
    first, last = knot(k), knot(k + 1)
    u = t / step - k
    h = step
    # in units of the step: derivatives with respect to u
    q0, v0, a0 = first.q, h * first.v, h * h * first.a
    dq = last.q - (q0 + v0 + 0.5 * a0)
    dv, da = h * last.v - (v0 + a0), h * h * last.a - a0
    c3 = 10.0 * dq - 4.0 * dv + 0.5 * da
    c4 = -15.0 * dq + 7.0 * dv - da
    c5 = 6.0 * dq - 3.0 * dv + 0.5 * da
    return GaitState(
        q0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))),
        (v0 + u * (a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / h,
        (a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / h**2,
    )
