"""Closing loops by least squares in a trust region, within limits: scipy's method, group by group.

Minimizes |phi(q)|^2 / 2 over the free coordinates (Branch, Coleman & Li 1999: scipy.optimize.least_squares,
"trf"), from the start and then from points round it. It closes what Newton's method does not, because it
needs no regular Jacobian; where loops cannot close it ends at a minimum of the residual.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...dynamics.arguments import Array
from ...model import Joint
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import SLACK, Coordinates, indices_in_q, indices_in_v


@dataclass(frozen=True, eq=False)
class LoopGroup:
    """Loop joints and gears, and the free joints that move them; groups are closed one by one.

    Attributes:
        rows: indices of their constraint rows. joints: names. q, v: indices of the joints' coordinates and
            velocities.
    """

    rows: NDArray[np.int64]
    joints: tuple[str, ...]
    q: NDArray[np.int64]
    v: NDArray[np.int64]


def independent_groups(system: ConstraintSystem, free: Sequence[str]) -> list[LoopGroup]:
    """Return the groups of a graph's loops when the joints ``free`` move and all others stand still.

    Loops that no free joint moves are a group without joints.
    """
    graph, names = system.graph, system.names
    members = {name: np.flatnonzero([row == name for row in names]) for name in dict.fromkeys(names)}
    moved_by = {
        name: {k for k in free if system.is_coupled[rows][:, graph.v_slice(k)].any()}
        for name, rows in members.items()
    }
    groups: list[tuple[list[str], set[str]]] = []
    for name, joints in moved_by.items():
        met = [group for group in groups if group[1] & joints]
        merged = [*(k for group in met for k in group[0]), name], joints.union(*(group[1] for group in met))
        groups = [group for group in groups if group not in met] + [merged]
    found = []
    for loops, joints in groups:
        rows = np.sort(np.concatenate([members[name] for name in loops]))
        ordered = tuple(name for name in graph.joint_names if name in joints)
        found.append(LoopGroup(rows, ordered, indices_in_q(graph, ordered), indices_in_v(graph, ordered)))
    return found


#: Distances of random starts from the given one [rad or m]; then random points within the limits.
SPREADS = (0.0, 0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 1.0, 1.0, 2.0, 2.0)
WITHIN_LIMITS = 6
#: Evaluations of one descent; scipy's tolerances of cost, step and gradient.
MOST_EVALUATIONS, COST, STEP, GRADIENT = 300, 1e-13, 1e-13, 1e-13
#: Newton's steps after a descent.
POLISHING = 8


@dataclass(frozen=True, eq=False)
class Minimum:
    """The minimum of the residual at which one descent of a group of loops ended.

    Attributes:
        q (nq,): coordinates of all joints.
        residual: |phi|, the norm of the group's rows [m or 1]; of gears in the driven joints' units.
        gradient: the largest derivative of |phi|^2 / 2 along a coordinate that is not held by a limit.
    """

    group: LoopGroup
    q: Array
    residual: float
    gradient: float

    @property
    def closed(self) -> bool:
        """Whether the group's loops are closed there."""
        return self.residual < newton.CLOSED


@dataclass(frozen=True, eq=False)
class Search:
    """The result of a search for closed loops.

    Attributes:
        q: coordinates (nq,). open_groups: minima of the groups of loops that stay open.
    """

    q: Array
    open_groups: tuple[Minimum, ...]


class LeastSquares:
    """Closes the loops of one system by moving ``free`` joints."""

    def __init__(self, system: ConstraintSystem, free: Sequence[str]) -> None:
        self.system, self.groups = system, independent_groups(system, free)
        self._coordinates = Coordinates(system.graph)
        self._low, self._high = system.graph.position_limits

    def search(self, start: Array, limited: bool, descents: int | None = None) -> Search:
        """Close each group in turn: from ``start`` (nq,), then from random points, until it closes.

        Args:
            limited: whether free joints stay within their limits. descents: at most so many for each group.
        """
        q, unclosed = start.copy(), []
        for group in self.groups:
            best: Minimum | None = None
            for first in self._starts(group, q, limited, descents):
                reached = self._descend(group, first, limited)
                if best is None or reached.residual < best.residual:
                    best = reached
                if best.closed:
                    break
            if best is None:
                continue
            q[group.q] = best.q[group.q]
            if not best.closed:
                unclosed.append(best)
        return Search(self._coordinates.unit(q), tuple(unclosed))

    def _starts(self, group: LoopGroup, start: Array, limited: bool, descents: int | None) -> Iterator[Array]:
        """Yield the coordinates (nq,) from which a group's descents begin."""
        rng = np.random.default_rng(0)
        spreads = [*SPREADS, *[np.inf] * (WITHIN_LIMITS if limited else 0)]
        for spread in spreads[: descents if len(group.joints) else 1]:
            first, low, high = start.copy(), self._low[group.q], self._high[group.q]
            if np.isinf(spread):
                span = np.isfinite(low)
                first[group.q[span]] = rng.uniform(low[span], high[span])
                first[group.q[~span]] += rng.standard_normal(np.count_nonzero(~span))
            else:
                first[group.q] += spread * rng.standard_normal(len(group.q))
            if limited:
                first[group.q] = np.clip(first[group.q], low, high)
            yield first

    def _rows(self, group: LoopGroup, q: Array) -> tuple[Array, Array]:
        """Return phi and its derivative with respect to the group's coordinates, both scaled."""
        system = self.system
        values, scale = system.evaluate(q), system.row_scale[group.rows]
        J = (scale[:, None] * values.J[np.ix_(group.rows, group.v)]) @ self._velocity_maps(group, q)
        return scale * values.phi[group.rows], J

    def _velocity_maps(self, group: LoopGroup, q: Array) -> Array:
        """Return the matrix G (nv, nq) of the group's joints, with velocities v = G dq/dt."""
        graph, G = self.system.graph, np.zeros((len(group.v), len(group.q)))
        row = column = 0
        for name in group.joints:
            joint = graph.joint(name)
            block = _velocity_map(joint, q[graph.q_slice(name)])
            G[row : row + joint.type.nv, column : column + joint.type.nq] = block
            row, column = row + joint.type.nv, column + joint.type.nq
        return G

    def _descend(self, group: LoopGroup, start: Array, limited: bool) -> Minimum:
        """Return the minimum of |phi| that scipy reaches from a start; ``limited``: within joint limits."""
        if not len(group.q):
            return self._minimum(group, start, limited)
        from scipy.optimize import least_squares  # noqa: PLC0415  # slow to import, and seldom needed

        q = start.copy()

        @lru_cache(1)  # scipy asks for values, then for derivatives
        def rows(x: bytes) -> tuple[Array, Array]:
            q[group.q] = np.frombuffer(x)
            return self._rows(group, q)

        def values(x: Array) -> Array:
            return rows(x.tobytes())[0]

        def derivatives(x: Array) -> Array:
            return rows(x.tobytes())[1]

        bounds = (self._low[group.q], self._high[group.q]) if limited else (-np.inf, np.inf)
        units = self._coordinates.spread(self.system.units)[group.q]
        result = least_squares(
            values,
            start[group.q],
            derivatives,
            bounds,
            "trf",
            COST,
            STEP,
            GRADIENT,
            units,
            max_nfev=MOST_EVALUATIONS,
        )
        q[group.q] = result.x
        return self._minimum(group, self._polished(group, q, limited, units), limited)

    def _polished(self, group: LoopGroup, q: Array, limited: bool, units: Array) -> Array:
        """Return q after Newton steps, as long as they reduce the residual and respect the limits."""
        phi, J = self._rows(group, q)
        for _ in range(POLISHING):
            step = units * np.linalg.lstsq(J * units, -phi, 1e-9)[0]
            attempt = q.copy()
            attempt[group.q] += step
            new_phi, new_J = self._rows(group, attempt)
            beyond = np.maximum(self._low - attempt, attempt - self._high)[group.q]
            if not np.abs(new_phi).max() < np.abs(phi).max() or (limited and (beyond > SLACK).any()):
                break
            q, phi, J = attempt, new_phi, new_J
            if np.abs(step / units).max() < newton.LAST_STEP:
                break
        return q

    def _minimum(self, group: LoopGroup, q: Array, limited: bool) -> Minimum:
        """Return residual and gradient of the group at q (nq,), where a descent has ended."""
        phi, J = self._rows(group, q)
        downhill, stopped = -J.T @ phi, np.zeros(len(group.q), np.bool_)
        if limited:
            room = np.where(downhill > 0.0, self._high[group.q] - q[group.q], q[group.q] - self._low[group.q])
            stopped = (room < SLACK) & (np.abs(downhill) > 0.0)
        gradient = float(np.abs(downhill[~stopped]).max(initial=0.0))
        return Minimum(group, self._coordinates.unit(q.copy()), float(np.linalg.norm(phi)), gradient)


def _velocity_map(joint: Joint, q: Array) -> Array:
    """Return a joint's matrix G (nv, nq), v = G dq/dt; changing a quaternion's length gives v = 0."""
    if joint.type.nq == joint.type.nv:
        return np.eye(joint.type.nv)
    w, x, y, z = q[-4:]
    spin = np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]) * (2.0 / float(q[-4:] @ q[-4:]))
    if joint.type.nq == 4:
        return spin
    G = np.zeros((6, 7))
    G[:3, :3], G[3:, 3:] = to_rotation_translation(joint.motion(q))[0].T, spin
    return G
