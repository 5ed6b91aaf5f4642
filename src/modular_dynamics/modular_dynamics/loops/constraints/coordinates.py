"""Coordinates of a graph with closed loops: independent ones, and those that gears or loops determine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arguments import Array
from ...exceptions import ClosureError, StateError
from ...model import JointType, SubsystemGraph, checked_vectors, joint_limits, usual_range
from ...model.number_arrays import number_array

Indices = NDArray[np.int64]
#: Tolerance of joint limits [rad or m]: these are often rounded to three digits, 3.14.
SLACK = 2e-3
TURN = 2.0 * np.pi
#: Largest coefficient of a gear that counts as zero after elimination, relative to its largest one.
CANCELLED = 1e-12


class Coordinates:
    """Steps and rates of a graph's q (nq,) along its v (nv,)."""

    def __init__(self, graph: SubsystemGraph) -> None:
        layout = graph.coordinate_layout
        self._nq, self._q, self._v = graph.nq, layout.q, layout.v
        self._quaternions = [(q, v) for _, q, v in layout.with_quaternion]

    def rates(self, q: Array, v: Array) -> Array:
        """Return dq/dt (nq,).

        Floating joints: p' = R v, r' = r (0, omega) / 2, with the twist (v, omega) in their axes.
        Spherical joints have r' alone.
        """
        if not self._quaternions:
            return v
        rates = np.empty_like(q)
        rates[self._q] = v[self._v]
        for pose, twist in self._quaternions:
            first = pose.stop - 4
            w, *vector = q[first : pose.stop]
            linear, omega = v[twist.start : twist.stop - 3], v[twist.stop - 3 : twist.stop]
            axis = np.array(vector)
            if first > pose.start:
                turned = np.cross(axis, linear)
                turned = 2.0 * (w * turned + np.cross(axis, turned)) / (w * w + axis @ axis)
                rates[pose.start : first] = linear + turned
            rates[first] = -0.5 * (axis @ omega)
            rates[first + 1 : pose.stop] = 0.5 * (w * omega + np.cross(axis, omega))
        return rates

    def spread(self, units: Array) -> Array:
        """Return units of velocities (nv,) as units of coordinates (nq,); 1 for joints with a quaternion."""
        units_q = np.ones(self._nq)
        units_q[self._q] = units[self._v]
        return units_q

    def unit(self, q: Array) -> Array:
        """Normalize the quaternions of q, in place, and return q."""
        for pose, _ in self._quaternions:
            q[pose.stop - 4 : pose.stop] /= np.linalg.norm(q[pose.stop - 4 : pose.stop])
        return q

    def moved(self, q: Array, step: Array) -> Array:
        """Return q after a short step (nv,): to first order, by a smooth function of both."""
        return self.unit(q + self.rates(q, step))


def indices_in_q(graph: SubsystemGraph, names: Iterable[str]) -> Indices:
    """Return indices of the coordinates of joints in q."""
    return np.array([k for name in names for k in range(graph.nq)[graph.q_slice(name)]], np.int64)


def indices_in_v(graph: SubsystemGraph, names: Iterable[str]) -> Indices:
    """Return indices of the velocities of joints in v."""
    return np.array([k for name in names for k in range(graph.nv)[graph.v_slice(name)]], np.int64)


class IndependentCoordinates:
    """Independent joints, in the order of ``graph.independent_joint_names``.

    Attributes:
        q, v: indices of their coordinates in q (nq,) and of their velocities in v (nv,).
        q_names, v_names: of each of these, its joint.
        floating: names of the floating and spherical joints among them. single: of the others, with one
            coordinate each.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self.names = graph, graph.independent_joint_names
        self.q, self.v = indices_in_q(graph, self.names), indices_in_v(graph, self.names)
        types = [graph.joint(name).type for name in self.names]
        self.q_names = np.repeat(self.names, [kind.nq for kind in types])
        self.v_names = np.repeat(self.names, [kind.nv for kind in types])
        self.floating = [name for name in self.names if graph.joint(name).type.nv > 1]
        self.single = [name for name in self.names if name not in self.floating]

    def checked(self, name: str, value: ArrayLike) -> Array:
        """Return a vector as a float array; ``name`` is q, or that of velocities, accelerations or torques.

        Raises StateError: a wrong shape or a number that is not finite, by its joint.
        """
        graph, indices = self._graph, self.q if name == "q" else self.v
        array = number_array(name, value)
        if array.shape != indices.shape:
            raise StateError(
                f"{name} has shape {array.shape}; {indices.shape} is needed, for the independent joints "
                f"{', '.join(self.names)} of '{graph.name}'"
            )
        if self.floating or not np.isfinite(array).all():
            full = graph.neutral() if name == "q" else np.zeros(graph.nv)
            full[indices] = array
            checked_vectors(graph, **{name: full})
        return array


@dataclass(frozen=True, eq=False)
class Gearing:
    """q_d = T y + terms of the independent coordinates; y are the dependent coordinates that are left.

    Attributes:
        T (d, r): motions of the dependent coordinates that keep gears closed.
        left (r,): indices of y among them.
        correction (d, gears): q_d - correction phi closes the gears.
    """

    T: Array
    left: Indices
    correction: Array


def eliminated(gears: Array, own: Sequence[int | None], in_loops: NDArray[np.bool_]) -> Gearing:
    """Return how gears determine coordinates, by Gauss-Jordan elimination of their rows (gears, d).

    Each gear determines one coordinate: preferably one that moves no loop; then preferably that of the gear's
    own joint, whose index is in ``own``.
    """
    count, d = gears.shape
    rows = np.hstack([gears, np.eye(count)])
    followers: list[tuple[int, int]] = []
    for i in range(count):
        size = np.abs(rows[i, :d])
        choices = [k for k in range(d) if size[k] > CANCELLED * np.abs(gears[i]).max(initial=0.0)]
        if not choices:
            continue  # the row has independent coordinates only, or is redundant
        best = max(choices, key=lambda k: (not in_loops[k], own[i] == k, size[k]))
        rows[i] /= rows[i, best]
        others = np.arange(count) != i
        rows[others] -= np.outer(rows[others, best], rows[i])
        followers.append((i, best))
    following = [k for _, k in followers]
    left = np.array([k for k in range(d) if k not in following], np.int64)
    T, correction = np.zeros((d, len(left))), np.zeros((d, count))
    T[left, range(len(left))] = 1.0
    for i, k in followers:
        T[k] = -rows[i, left]
        correction[k] = rows[i, d:]
    return Gearing(T, left, correction)


class PassiveJoints:
    """The dependent joints that no gear determines.

    Attributes:
        indices: of their coordinates in q. low, high (nq,): limits [rad or m], infinite where there are none.
        middle (nq,): of the limits, finite.
        is_periodic (nq,): whether whole turns change nothing; not where a gear or mimic joint follows.
    """

    def __init__(self, graph: SubsystemGraph, names: list[str]) -> None:
        self.graph, self.names = graph, names
        counted = {name for gear in graph.gears for name in (gear.joint, *(k for k, _ in gear.drivers))}
        counted |= {graph.driver(joint) for joint in graph.joints if joint.mimic is not None}
        self.indices = np.array([graph.q_slice(name).start for name in names], np.int64)
        self.low, self.high = np.full(graph.nq, -np.inf), np.full(graph.nq, np.inf)
        self.middle = np.zeros(graph.nq)
        self.is_periodic = np.zeros(graph.nq, np.bool_)
        for name, index in zip(names, self.indices, strict=True):
            joint = graph.joint(name)
            self.low[index], self.high[index] = joint_limits(joint)
            self.middle[index] = 0.5 * sum(usual_range(joint))
            self.is_periodic[index] = joint.type is not JointType.PRISMATIC and name not in counted

    def turned_to_limits(self, q: Array, indices: Indices | list[int]) -> tuple[Array, float]:
        """Return q after whole turns toward the limits, and the sum of distances [rad or m] beyond these."""
        q, total = q.copy(), 0.0
        for k in indices:
            low, high = self.low[k], self.high[k]
            beyond = max(low - q[k], q[k] - high)
            if beyond > 0.0 and self.is_periodic[k]:
                turned = q[k] + TURN * np.round((self.middle[k] - q[k]) / TURN)
                if max(low - turned, turned - high) < beyond:
                    q[k], beyond = turned, max(low - turned, turned - high)
            total += beyond if beyond > SLACK else 0.0
        return q, total

    def turned_near(self, q: Array, other: Array) -> tuple[Array, float]:
        """Return q after whole turns toward another one, and the passive joints' distance [rad or m]."""
        q, periodic = q.copy(), self.indices[self.is_periodic[self.indices]]
        q[periodic] += TURN * np.round((other[periodic] - q[periodic]) / TURN)
        return q, float(np.linalg.norm((q - other)[self.indices]))

    def are_within_limits(self, q: Array) -> bool:
        """Return whether no joint is beyond its limits at q (nq,)."""
        own, low, high = q[self.indices], self.low[self.indices], self.high[self.indices]
        return not ((own < low - SLACK) | (own > high + SLACK)).any()

    def within_limits(self, q: Array) -> Array:
        """Return q, moved into the limits by whole turns. Raises ClosureError: names joints still beyond."""
        if self.are_within_limits(q):
            return q
        indices = self.indices
        q, total = self.turned_to_limits(q, indices)
        if total == 0.0:
            return q
        beyond = [
            f"'{name}' is at {q[k]:.6g}, its limits are {self.low[k]:.6g} and {self.high[k]:.6g}"
            for name, k in zip(self.names, indices, strict=True)
            if not self.low[k] - SLACK <= q[k] <= self.high[k] + SLACK
        ]
        raise ClosureError(
            f"'{self.graph.name}' closes at these independent coordinates, but beyond limits of passive "
            f"joints, which select the assembly mode where no guess does: {'; '.join(beyond)} [rad or m]. "
            "Widen the limits, or give a guess",
            {},
            q,
        )
