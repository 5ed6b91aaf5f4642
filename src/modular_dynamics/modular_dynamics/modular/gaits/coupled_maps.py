"""The chaotic gait: a lattice of coupled logistic maps, whose synchronised motion may be periodic."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import GaitError
from ..names import shown
from .gait import Array, Gait, GaitState, between_knots
from .recursion import Recursion
from .values import SHORTEST, Values, duration, joint_names, number, per_joint, whole_number

__all__ = ["CoupledMaps", "logistic_exponent", "spread", "transverse_exponents"]

# Synchronisation of coupled logistic maps: how far they are apart, and whether the common motion is stable.
#
# Small differences from the synchronised state of the lattice
# x_i' = (1 - e) f(x_i) + (e/2) (f(x_(i-1)) + f(x_(i+1))), expanded in the lattice's modes cos(k i), follow
# d' = (1 - e + e cos k) f'(x) d. They vanish if each transverse exponent ln|1 - e + e cos k| + l(f) is
# negative, where l(f) is the Lyapunov exponent of a single map (Heagy, Carroll & Pecora, Physical Review E
# 50,
# 1994; Palaniyandi & Rangarajan, arXiv:0711.2851, 2007).

BOUNDARIES = ("ring", "open")
#: Iterations over which a single map's exponent is averaged, and those made before.
AVERAGED, SETTLED = 100_000, 1_000


def spread(x: ArrayLike) -> Array:
    """Return the largest minus the smallest x of the joints: (k,) of states (k, n); 0 if synchronised."""
    return np.asarray(np.ptp(np.asarray(x, np.float64), axis=-1))


def logistic_exponent(growth: float) -> float:
    """Return the Lyapunov exponent of f(x) = a x (1 - x): the mean of ln|f'(x)|; ln 2 at a = 4.

    Averaged over 100 000 iterations: two to three digits where the map is chaotic.
    """
    growth = number("growth", growth, least=0.0, most=4.0)
    if growth == 4.0:  # x = sin(y)^2 doubles y: exact
        return float(np.log(2.0))
    x, total = 0.3, 0.0
    tiny = np.finfo(np.float64).tiny
    for k in range(SETTLED + AVERAGED):
        if k >= SETTLED:
            total += np.log(max(abs(growth * (1.0 - 2.0 * x)), tiny))  # avoids log(0) at superstable cycles
        x = growth * x * (1.0 - x)
    return float(total / AVERAGED)


def transverse_exponents(joints: int, coupling: float, growth: float = 4.0, boundary: str = "ring") -> Array:
    """Return ln|1 - e + e cos k| + l(f) of the n - 1 modes not common to all joints, per iteration.

    k = 2 pi m / n on a ring, pi m / n with open ends, m = 1 .. n - 1. All negative: maps that are nearly
    synchronised become so.

    Raises:
        GaitError: a coupling or growth out of range, an unknown boundary.
    """
    coupling = number("coupling", coupling, least=0.0, most=1.0)
    if boundary not in BOUNDARIES:
        raise GaitError(f"boundary is {shown(boundary)}; {' and '.join(BOUNDARIES)} are known")
    count = max(whole_number("joints", joints), 1)
    wave = (2.0 if boundary == "ring" else 1.0) * np.pi * np.arange(1, count) / count
    factors = np.abs(1.0 - coupling + coupling * np.cos(wave))
    with np.errstate(divide="ignore"):  # a factor of 0: synchronised at once
        return np.asarray(np.log(factors) + logistic_exponent(growth))


MOST_SETTLED = 1_000_000  # some seconds of computation


@dataclass(frozen=True)
class CoupledMaps(Gait):
    """A lattice of maps, one for each joint, that drives the joints' angles from one iteration to the next.

        x_i' = (1 - e) f(x_i) + (e/2) (f(x_(i-1)) + f(x_(i+1))), f(x) = a x (1 - x)
        q_i = offset_i + amplitude_i (2 x_i - 1)

    (Kaneko, Progress of Theoretical Physics 72, 1984; driving a robot's joints by such maps: Kernbach et al.,
    International Journal on Advances in Intelligent Systems 3, 2010, without formulas of the gait.)
    Iteration k is at t = k period. In between q follows 10 u^3 - 15 u^4 + 6 u^5, the motion of least jerk
    from rest to rest (Flash & Hogan, Journal of Neuroscience 5, 1985): it stays between the two iterates, and
    |v| <= 15/8, |a| <= 10/sqrt(3) of the change per period and per period squared.

    Attributes:
        growth: a. From 3.57 to 4 chaotic, with periodic windows; below, periodic.
        coupling: e. ``transverse_exponents`` shows which couplings synchronise.
        period: of one iteration [s].
        boundary: ring: the last joint is a neighbour of the first; open: an end is its own outer neighbour.
        seed: of the first x, uniform in [0, 1). initial: the first x instead, one for each joint.
        settle: number of iterations before t = 0.

    Raises:
        GaitError: names the key, its value, and what is needed.
    """

    joint_names: tuple[str, ...]
    amplitude: Values
    period: float
    growth: float = 4.0
    coupling: float = 0.4
    boundary: str = "ring"
    seed: int = 0
    initial: Sequence[float] | None = None
    settle: int = 0
    offset: Values = 0.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        names = joint_names("joints", self.joint_names)
        if self.boundary not in BOUNDARIES:
            raise GaitError(f"boundary is {shown(self.boundary)}; {' and '.join(BOUNDARIES)} are known")
        checked = {
            "joint_names": names,
            "amplitude": per_joint("amplitude", self.amplitude, names),
            "offset": per_joint("offset", self.offset, names),
            "period": number("period", self.period, least=SHORTEST),
            "growth": number("growth", self.growth, least=0.0, most=4.0),
            "coupling": number("coupling", self.coupling, least=0.0, most=1.0),
            "seed": whole_number("seed", self.seed),
            "settle": whole_number("settle", self.settle, most=MOST_SETTLED),
            "ramp": duration("ramp", self.ramp),
        }
        if self.initial is not None:
            checked["initial"] = tuple(
                number(f"initial of joint '{name}'", x, least=0.0, most=1.0)
                for name, x in zip(names, per_joint("initial", self.initial, names), strict=True)
            )
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    def iterates(self, count: int) -> Array:
        """Return x (count, n) of iterations 0 to count - 1; number k is at t = k period."""
        return np.array([self._x[k] for k in range(count)]).reshape(count, len(self.joint_names))

    @cached_property
    def _x(self) -> Recursion:
        if self.initial is None:
            x = np.random.default_rng(self.seed).random(len(self.joint_names))
        else:
            x = np.array(self.initial, np.float64)
        for _ in range(self.settle):
            x = self._iterate(x)
        return Recursion(x, self._iterate)

    def _iterate(self, x: Array) -> Array:
        f = self.growth * x * (1.0 - x)
        before, after = np.roll(f, 1), np.roll(f, -1)
        if self.boundary == "open":
            before[0], after[-1] = f[0], f[-1]
        y = (1.0 - self.coupling) * f + 0.5 * self.coupling * (before + after)
        return np.clip(y, 0.0, 1.0)  # an iterate that rounding moved outside [0, 1] would diverge

    def _knot(self, k: int) -> GaitState:
        q = np.asarray(self.offset) + np.asarray(self.amplitude) * (2.0 * self._x[k] - 1.0)
        return GaitState(q, np.zeros_like(q), np.zeros_like(q))

    def _motion(self, times: Array) -> GaitState:
        return between_knots(self._knot, times, self.period)

    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""
        numbers = zip(self.joint_names, np.array(self.amplitude), np.array(self.offset), strict=True)
        keys = ("ramp", "period", "growth", "coupling", "boundary", "settle")
        start = {"seed": self.seed} if self.initial is None else {"initial": list(self.initial)}
        joints = {name: {"amplitude": float(a), "offset": float(b)} for name, a, b in numbers}
        values = {key: getattr(self, key) for key in keys}
        return {"kind": "coupled_maps", **values, **start, "joints": joints}
