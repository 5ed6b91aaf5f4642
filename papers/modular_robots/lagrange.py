"""Lagrange's equations of the double pendulum and the crane, integrated by SciPy, without the library.

Masses are points, rods have none, nothing has friction. Angles are from the vertical, positive towards +x.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
Force = Callable[[float], float]
#: Tolerance of each step, relative and absolute; smaller than the library's, so that errors do not cancel.
TOLERANCE = 1e-13
#: Change of the first coordinate that shows how fast motions diverge [rad or m].
NUDGE = 1e-7


@dataclass(frozen=True)
class DoublePendulum:
    """Two point masses [kg] on massless rods [m]; coordinates th1, th2 [rad], both from the vertical."""

    m1: float
    m2: float
    l1: float
    l2: float
    g: float = 9.81

    def accelerations(self, t: float, x: Array, v: Array) -> Array:
        """Return th1'', th2'' of the two equations, which are linear in them."""
        (th1, th2), (w1, w2), d = x, v, x[0] - x[1]
        m1, m2, l1, l2, g = self.m1, self.m2, self.l1, self.l2, self.g
        matrix = [[(m1 + m2) * l1, m2 * l2 * np.cos(d)], [m2 * l1 * np.cos(d), m2 * l2]]
        first = -m2 * l2 * w2**2 * np.sin(d) - (m1 + m2) * g * np.sin(th1)
        second = m2 * l1 * w1**2 * np.sin(d) - m2 * g * np.sin(th2)
        return np.linalg.solve(matrix, [first, second])

    def energy(self, x: Array, v: Array, cos: Callable[[Any], Any] = np.cos) -> Any:
        """Return kinetic and potential energy [J], the latter zero at the pivot; x and v: (..., 2)."""
        (th1, th2), (w1, w2) = np.moveaxis(x, -1, 0), np.moveaxis(v, -1, 0)
        m1, m2, l1, l2, g = self.m1, self.m2, self.l1, self.l2, self.g
        speed2 = (l1 * w1) ** 2 + (l2 * w2) ** 2 + 2 * l1 * l2 * w1 * w2 * cos(th1 - th2)
        kinetic = (m1 * (l1 * w1) ** 2 + m2 * speed2) / 2
        return kinetic - m1 * g * l1 * cos(th1) - m2 * g * (l1 * cos(th1) + l2 * cos(th2))


@dataclass(frozen=True)
class Crane:
    """A cart of M [kg] on a rail, a point mass m [kg] below it on a rod [m]; coordinates x [m], th [rad].

    ``force``: on the cart along the rail [N], over time.
    """

    M: float
    m: float
    length: float
    g: float = 9.81
    force: Force = lambda t: 0.0

    def accelerations(self, t: float, x: Array, v: Array) -> Array:
        """Return x'', th'' of the two equations, which are linear in them."""
        th, w = x[1], v[1]
        matrix = [[self.M + self.m, self.m * self.length * np.cos(th)], [np.cos(th), self.length]]
        first = self.force(t) + self.m * self.length * w**2 * np.sin(th)
        return np.linalg.solve(matrix, [first, -self.g * np.sin(th)])

    def energy(self, x: Array, v: Array, cos: Callable[[Any], Any] = np.cos) -> Any:
        """Return kinetic and potential energy [J], the latter zero at the rail; x and v: (..., 2)."""
        (_, th), (xd, w) = np.moveaxis(x, -1, 0), np.moveaxis(v, -1, 0)
        speed2 = xd**2 + 2 * xd * self.length * w * cos(th) + (self.length * w) ** 2
        return (self.M * xd**2 + self.m * speed2) / 2 - self.m * self.g * self.length * cos(th)


Equations = DoublePendulum | Crane


def symbolic_forces(equations: Equations, x: Any, v: Any, a: Any) -> Any:
    """Return d/dt dL/dv - dL/dx (2, 1) by SymPy, of symbols, also for masses and lengths: L = T - V."""
    lagrangian = equations.energy(np.array(x), np.array(v), sympy.cos)
    lagrangian -= 2 * equations.energy(np.array(x), np.zeros(2, int), sympy.cos)
    momenta, x, v, a = (sympy.Matrix(one) for one in ([lagrangian.diff(one) for one in v], x, v, a))
    return momenta.jacobian(x) * v + momenta.jacobian(v) * a - sympy.Matrix([lagrangian]).jacobian(x).T


def integrate(equations: Equations, start: Array, times: Array) -> tuple[Array, Array]:
    """Return coordinates and velocities (k, 2) at ``times`` (k,), from rest at ``start`` (2,)."""

    def derivative(t: float, y: Array) -> Array:
        return np.concatenate([y[2:], equations.accelerations(t, y[:2], y[2:])])

    span, state = (times[0], times[-1]), np.concatenate([start, np.zeros(2)])
    motion = solve_ivp(derivative, span, state, "DOP853", times, rtol=TOLERANCE, atol=TOLERANCE)
    if not motion.success:
        raise RuntimeError(f"{equations}: {motion.message}")
    return motion.y[:2].T, motion.y[2:].T


def growth(equations: Equations, start: Array, times: Array) -> float:
    """Return the largest factor by which a small difference of the first coordinate grows."""
    moved = np.array([start[0] + NUDGE, start[1]])
    there, here = (integrate(equations, x, times)[0] for x in (moved, start))
    return float(np.abs(there - here).max() / NUDGE)
