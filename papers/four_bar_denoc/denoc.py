"""The four-bar by DeNOC matrices, as Kumar et al. print it: two subsystems, cut at J2, lambda between them.

R. Kumar, S. D. Vantmuri, R. G. Chittawadigi, S. K. Saha, Dynamic analyses of four-bar mechanism in
MechAnalyzer software; numbers in round brackets are its equations. Subsystem I is the crank #2 on J1,
subsystem II the output #4 on J4 and the coupler #3 on J3. Misprints are corrected here:

- entry (1, 2) of J^II is -l3 sin(theta3 + theta4): printed without its minus sign;
- lambda is a force in the plane, 2 x 1 and not 3 x 1;
- (19) and (20) have J^T lambda on the right, (22) has it on the left with the same signs: here lambda acts on
  subsystem I and -lambda on II throughout, and the last rows of (22) change sign to keep it symmetric;
- that matrix is symmetric but indefinite, a saddle point, and not positive definite: singular at dead points.

A second method for the same numbers, to be read with the paper; ``inverse_dynamics`` and
``simulate`` treat every mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modular_dynamics.exceptions import ClosureError, SingularityError

Array = NDArray[np.float64]
E_Z = np.array([0.0, 0.0, 1.0])


def _absolute(relative: Array) -> Array:
    """Return angles or rates of links #2, #4, #3 from those of their joints: #3 turns on #4."""
    return np.array([relative[0], relative[1], relative[1] + relative[2]])


def _blocks(columns: Array) -> tuple[Array, Array]:
    """Return J^I and J^II from the motion of J2 (2, 3) with links #2, #4, #3."""
    return columns[:, :1], np.column_stack([columns[:, 1] + columns[:, 2], columns[:, 2]])


@dataclass(frozen=True)
class Link:
    """A bar: length [m], mass [kg], the centre's distance from the joint [m], moment of inertia about it."""

    length: float
    mass: float
    centre: float
    inertia: float

    @classmethod
    def uniform(cls, length: float, mass: float) -> Link:
        """Return a slender bar: centre in the middle, m l^2 / 12."""
        return cls(length, mass, 0.5 * length, mass * length**2 / 12.0)

    @property
    def M(self) -> Array:
        """(4): 6 x 6, angular part first. Of the inertia, motion in the plane needs I_zz only."""
        return np.diag([0.0, 0.0, self.inertia, self.mass, self.mass, self.mass])


@dataclass(frozen=True)
class FourBar:
    """Links #2, #3, #4 and the ground's length; theta = (theta2, theta4, theta3), theta3 relative to #4.

    gravity [m/s^2] acts along -y of the plane.
    """

    crank: Link
    coupler: Link
    output: Link
    ground: float
    gravity: float = 9.81

    def close(self, theta2: float, crossed: bool = False) -> Array:
        """Return theta (3,) for the crank's angle, by the vector loop. Raises ClosureError: out of reach."""
        x, y = self.crank.length * np.cos(theta2) - self.ground, self.crank.length * np.sin(theta2)
        l3, l4, reach = self.coupler.length, self.output.length, float(np.hypot(x, y))
        if not abs(l3 - l4) < reach < l3 + l4:
            raise ClosureError(
                f"the four-bar does not close at theta2 = {theta2:.6g}: its crank's tip is {reach:.6g} m "
                f"from J4, between {abs(l3 - l4):.6g} and {l3 + l4:.6g} m are needed"
            )
        side = -1.0 if crossed else 1.0
        bend = np.arccos((reach**2 + l4**2 - l3**2) / (2.0 * reach * l4))
        elbow = np.pi - np.arccos((l3**2 + l4**2 - reach**2) / (2.0 * l3 * l4))
        return np.array([theta2, np.arctan2(y, x) % (2.0 * np.pi) - side * bend, side * elbow])

    def jacobians(self, theta: Array) -> tuple[Array, Array]:
        """Return J^I (2, 1) and J^II (2, 2) of the point J2, below (20)."""
        angles = _absolute(theta)
        return _blocks(self._lengths * np.array([-np.sin(angles), np.cos(angles)]))

    def jacobian_rates(self, theta: Array, rates: Array) -> tuple[Array, Array]:
        """Return the time derivatives of both Jacobians, in (22)."""
        angles = _absolute(theta)
        return _blocks(-self._lengths * _absolute(rates) * np.array([np.cos(angles), np.sin(angles)]))

    @property
    def _lengths(self) -> Array:
        return np.array([self.crank.length, self.output.length, self.coupler.length])

    def subsystem(self, links: list[Link], angles: Array, rates: Array) -> tuple[Array, Array, Array]:
        """Return I, C theta' and tau_g of one or two links, (13)-(18), with N = N_l N_d.

        I = N^T M N, C = N^T (M N' + W M N), tau_g = N^T w. W M t vanishes in the plane, where
        every omega is along an axis of inertia.
        """
        n = len(links)
        lower, diagonal = np.eye(6 * n), np.zeros((6 * n, n))  # N_l and N_d, (14), (15)
        lower_rate, diagonal_rate = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, n))
        M, weight = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for i, link in enumerate(links):
            rows = slice(6 * i, 6 * i + 6)
            d, d_rate = self._arm(link.centre, angles[: i + 1], rates[: i + 1])
            diagonal[rows, i] = np.concatenate([E_Z, np.cross(E_Z, d)])  # p_i
            diagonal_rate[rows, i] = np.concatenate([np.zeros(3), np.cross(E_Z, d_rate)])
            M[rows, rows] = link.M
            weight[6 * i + 4] = -link.mass * self.gravity
        if n == 2:  # B_21: from the centre of the first link to its end, and on to the centre of the second
            rest, rest_rate = self._arm(links[0].length - links[0].centre, angles[:1], rates[:1])
            lower[6:, :6] = np.eye(6)
            # -(a x 1) = (a x 1)^T, whose rows are a x e_i
            lower[9:, :3] = np.cross(rest + d, np.eye(3))
            lower_rate[9:, :3] = np.cross(rest_rate + d_rate, np.eye(3))
        N = lower @ diagonal  # (10)
        N_rate = lower_rate @ diagonal + lower @ diagonal_rate
        return N.T @ M @ N, N.T @ M @ N_rate @ rates, N.T @ weight

    @staticmethod
    def _arm(length: float, angles: Array, rates: Array) -> tuple[Array, Array]:
        """Return a vector along the last of several links, and its rate."""
        angle, rate = angles.sum(), rates.sum()
        arm = length * np.array([np.cos(angle), np.sin(angle), 0.0])
        return arm, rate * np.cross(E_Z, arm)

    def _subsystems(self, theta: Array, rates: Array) -> tuple[tuple[Array, Array, Array], ...]:
        one = self.subsystem([self.crank], theta[:1], rates[:1])
        return one, self.subsystem([self.output, self.coupler], theta[1:], rates[1:])

    def rates(self, theta: Array, speed: float) -> Array:
        """Return theta' (3,) from the crank's, by (21)."""
        first, second = self.jacobians(theta)
        return np.concatenate([[speed], _solved(second, first[:, 0] * speed)])

    def inverse_dynamics(
        self, theta: ArrayLike, speed: float, acceleration: float
    ) -> tuple[float, Array, Array]:
        """Return tau_1 [N m], lambda (2,) [N] on the crank at J2, and theta'' (3,), at a closed theta.

        lambda from subsystem II, (19): its joints are unactuated. tau_1 from subsystem I, (20).
        """
        angles = np.asarray(theta, np.float64)
        rates = self.rates(angles, speed)
        first, second = self.jacobians(angles)
        first_rate, second_rate = self.jacobian_rates(angles, rates)
        right = first[:, 0] * acceleration + first_rate[:, 0] * speed - second_rate @ rates[1:]
        accelerations = np.concatenate([[acceleration], _solved(second, right)])
        (I1, C1, g1), (I2, C2, g2) = self._subsystems(angles, rates)
        force = _solved(second.T, g2 - I2 @ accelerations[1:] - C2)  # (19)
        tau = I1[0, 0] * acceleration + C1[0] - g1[0] - first[:, 0] @ force  # (20)
        return float(tau), force, accelerations

    def forward_dynamics(self, theta: ArrayLike, rates: ArrayLike, tau: float) -> tuple[Array, Array]:
        """Return theta'' (3,) and lambda (2,) by (22) and (23)."""
        angles, speed = np.asarray(theta, np.float64), np.asarray(rates, np.float64)
        first, second = self.jacobians(angles)
        first_rate, second_rate = self.jacobian_rates(angles, speed)
        J, J_rate = np.hstack([first, -second]), np.hstack([first_rate, -second_rate])
        (I1, C1, g1), (I2, C2, g2) = self._subsystems(angles, speed)
        A = np.zeros((5, 5))
        A[:1, :1], A[1:3, 1:3], A[:3, 3:], A[3:, :3] = I1, I2, -J.T, -J
        B = np.concatenate([tau + g1 - C1, g2 - C2, J_rate @ speed])
        x = _solved(A, B)
        return x[:3], x[3:]


def _solved(matrix: Array, right: Array) -> Array:
    """Return x of matrix x = right. Raises SingularityError: a dead point."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        text = "the four-bar is at a dead point, where its crank does not determine the other joints"
        raise SingularityError(text, np.inf) from None
