"""The four-bar by DeNOC matrices, as Kumar et al. print it: two subsystems, cut at J2, lambda between them.

R. Kumar, S. D. Vantmuri, R. G. Chittawadigi, S. K. Saha, Dynamic analyses of four-bar mechanism in
MechAnalyzer software; numbers in round brackets are its equations. Subsystem I is the crank #2 on J1,
subsystem II the output #4 on J4 and the coupler #3 on J3. Misprints are corrected here:

- entry (1, 2) of J^II is -l3 sin(theta3 + theta4): printed without its minus sign;
- lambda is a force in the plane, 2 x 1 and not 3 x 1;
- (19) and (20) have J^T lambda on the right, (22) has it on the left with the same signs: here lambda acts on
  subsystem I and -lambda on II throughout, and the last rows of (22) change sign to keep it symmetric;
- that matrix is symmetric but indefinite, a saddle point, and not positive definite: singular where all links
  are in line, while J^II of (19) is singular wherever coupler and output are.

In the plane the twist of a link is (0, 0, omega_z, v_x, v_y, 0), the angular part first, at its centre of
mass. Lengths [m], angles [rad], masses [kg], forces [N], torques [N m].

A second method for the same numbers, to be read with the paper; ``md.inverse_dynamics`` and
``md.simulate`` treat every mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modular_dynamics.exceptions import ClosureError, SingularityError

Array = NDArray[np.float64]
E_Z = np.array([0.0, 0.0, 1.0])
SINGULAR = 1e12  # condition number; within 1e-12 rad of a singular configuration


def _across(a: Array) -> Array:
    """Return e_z x a."""
    return np.array([-a[1], a[0], 0.0])


def _absolute(relative: Array) -> Array:
    """Return angles or rates of links #2, #4, #3 from those of their joints: #3 turns on #4."""
    return np.array([relative[0], relative[1], relative[1] + relative[2]])


def _blocks(columns: Array) -> tuple[Array, Array]:
    """Return J^I and J^II from the motion of J2 (2, 3) with links #2, #4, #3."""
    return columns[:, :1], np.column_stack([columns[:, 1] + columns[:, 2], columns[:, 2]])


@dataclass(frozen=True)
class Link:
    """A bar of the mechanism.

    Attributes:
        length: l, from joint to joint [m]. mass: m [kg].
        centre: distance of the centre of mass from the joint where the bar begins [m]: J1 for #2, J4 for #4,
            J3 for #3 (r_1, r_3, r_2 in the paper). inertia: I_zz about the centre of mass [kg m^2].
    """

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
    """The four-bar as two serial subsystems, and its inverse and forward dynamics.

    The cut at J2 leaves, with theta = (theta2, theta4, theta3) (3,), theta2 and theta4 from the x axis, and
    theta3 from #4:

        I^I theta2'' + C^I theta2' = tau_1 + tau_g^I + (J^I)^T lambda              (17), (20)
        I^II theta^II'' + C^II theta^II' = tau_g^II - (J^II)^T lambda              (17), (19)
        J^I theta2' = J^II theta^II'                                               (21)

    lambda (2,) [N] is the force of the coupler #3 on the crank #2, along the x and y axes of the ground. J^I
    (2, 1) and J^II (2, 2) [m] give the velocity of J2 on either subsystem; I [kg m^2], C theta' and tau_g
    [N m] follow from N = N_l N_d by (13)-(18). Inverse dynamics solves them one after the other, forward
    dynamics all at once, (22). The loop stays closed only as far as theta and theta' that are given are
    consistent: `close` and `rates` make them so.

    To change the mechanism, make another one: ``FourBar(Link(0.05, 1.5, 0.025, 3e-4), ...)``, or by
    ``bars.Bars(crank=Bar(length=0.06, mass=1.5), ...).denoc()`` from lengths, masses and widths.

    Attributes:
        crank, coupler, output: links #2, #3, #4. ground: distance from J1 to J4, along x [m].
        gravity: along -y [m/s^2].
    """

    crank: Link
    coupler: Link
    output: Link
    ground: float
    gravity: float = 9.81

    def close(self, theta2: float, crossed: bool = False) -> Array:
        """Return theta (3,) for the crank's angle theta2 [rad], by the vector loop l2 + l3 = l1 + l4.

        ``crossed``: the other of the two assembly modes, with theta3 < 0.

        Raises:
            ClosureError: coupler and output do not reach each other at this angle.
        """
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
        """Return J^I (2, 1) and J^II (2, 2) of the point J2 [m], below (20), at theta (3,).

        J^I = l2 (-s2, c2)^T; J^II = (l4 (-s4, c4)^T + l3 (-s34, c34)^T, l3 (-s34, c34)^T), where s34 is
        sin(theta3 + theta4).
        """
        angles = _absolute(theta)
        return _blocks(self._lengths * np.array([-np.sin(angles), np.cos(angles)]))

    def jacobian_rates(self, theta: Array, rates: Array) -> tuple[Array, Array]:
        """Return the time derivatives of both Jacobians [m/s], in (22), at theta' = ``rates`` (3,)."""
        angles = _absolute(theta)
        return _blocks(-self._lengths * _absolute(rates) * np.array([np.cos(angles), np.sin(angles)]))

    @property
    def _lengths(self) -> Array:
        return np.array([self.crank.length, self.output.length, self.coupler.length])

    def subsystem(self, links: list[Link], angles: Array, rates: Array) -> tuple[Array, Array, Array]:
        """Return I (n, n), C theta' (n,) and tau_g (n,) of a chain of n = 1 or 2 links, (13)-(18).

        t = N theta', N = N_l N_d; I = N^T M N, C = N^T (M N' + W M N), tau_g = N^T w. W M t vanishes in the
        plane, where every omega is along an axis of inertia. N_l has B_21 below its diagonal, N_d has p_i =
        (e_z, e_z x d_i) on it (`complement`); d_i: from the joint of link i to its centre (14).

        Args:
            links: each turns on the end of the one before. angles, rates: (n,) of their joints [rad, rad/s],
                the first from the x axis.
        """
        (lower, diagonal), (lower_rate, diagonal_rate) = self.complement(links, angles, rates)
        n = len(links)
        M, weight = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for i, link in enumerate(links):
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = link.M
            weight[6 * i + 4] = -link.mass * self.gravity
        N = lower @ diagonal  # (10)
        N_rate = lower_rate @ diagonal + lower @ diagonal_rate
        return N.T @ M @ N, N.T @ M @ N_rate @ rates, N.T @ weight

    def complement(
        self, links: list[Link], angles: Array, rates: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return N_l (6n, 6n) and N_d (6n, n) of (10) to (15), and their rates; arguments as of `subsystem`.

        N = N_l N_d is the decoupled natural orthogonal complement: t = N theta' are the twists (omega, v) of
        the links at their centres.
        """
        n = len(links)
        lower, diagonal = np.eye(6 * n), np.zeros((6 * n, n))  # (14), (15)
        lower_rate, diagonal_rate = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, n))
        for i, link in enumerate(links):
            rows = slice(6 * i, 6 * i + 6)
            d, d_rate = self._arm(link.centre, angles[: i + 1], rates[: i + 1])
            diagonal[rows, i] = np.concatenate([E_Z, _across(d)])  # p_i
            diagonal_rate[rows, i] = np.concatenate([np.zeros(3), _across(d_rate)])
        if n == 2:  # B_21: from the centre of the first link to its end, and on to the centre of the second
            rest, rest_rate = self._arm(links[0].length - links[0].centre, angles[:1], rates[:1])
            lower[6:, :6] = np.eye(6)
            # -(a x 1) = (a x 1)^T, whose rows are a x e_i
            lower[9:, :3] = np.cross(rest + d, np.eye(3))
            lower_rate[9:, :3] = np.cross(rest_rate + d_rate, np.eye(3))
        return (lower, diagonal), (lower_rate, diagonal_rate)

    @staticmethod
    def _arm(length: float, angles: Array, rates: Array) -> tuple[Array, Array]:
        """Return a vector along the last of several links, and its rate."""
        angle, rate = angles.sum(), rates.sum()
        arm = length * np.array([np.cos(angle), np.sin(angle), 0.0])
        return arm, rate * _across(arm)

    def _subsystems(self, theta: Array, rates: Array) -> tuple[tuple[Array, Array, Array], ...]:
        one = self.subsystem([self.crank], theta[:1], rates[:1])
        return one, self.subsystem([self.output, self.coupler], theta[1:], rates[1:])

    def rates(self, theta: Array, speed: float) -> Array:
        """Return theta' (3,) from the crank's theta2' [rad/s], by (21). Raises SingularityError."""
        first, second = self.jacobians(theta)
        return np.concatenate([[speed], _solved(second, first[:, 0] * speed)])

    def inverse_dynamics(
        self, theta: ArrayLike, speed: float, acceleration: float
    ) -> tuple[float, Array, Array]:
        """Return tau_1 [N m], lambda (2,) [N] on the crank at J2, and theta'' (3,) [rad/s^2].

        theta'' by the derivative of (21); lambda from subsystem II, (19), whose joints are unactuated; tau_1
        from subsystem I, (20).

        Args:
            theta: (3,) of `close`. speed, acceleration: theta2' [rad/s] and theta2'' [rad/s^2].

        Raises:
            SingularityError: coupler and output are in line, J^II is singular.
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
        """Return theta'' (3,) [rad/s^2] and lambda (2,) [N] on the crank, x = A^-1 B of (22) and (23).

        Args:
            theta: (3,) of `close`. rates: (3,) of `rates`. tau: of the crank [N m].

        Raises:
            SingularityError: the links are all in line, A is singular.
        """
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
    """Return x of matrix x = right. Raises SingularityError: a singular configuration."""
    condition = float(np.linalg.cond(matrix))
    if condition > SINGULAR:
        lie = "coupler and output lie" if len(matrix) == 2 else "all links lie"
        raise SingularityError(f"singular configuration of the four-bar: {lie} in one line", condition)
    return np.linalg.solve(matrix, right)
