"""The joints that loops determine: limits, whole turns, distances between configurations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...exceptions import ClosureError
from ...model import Joint, JointType, SubsystemGraph

__all__ = ["SLACK", "PassiveJoints", "joint_limits"]

Array = NDArray[np.float64]
#: Tolerance of joint limits [rad or m]: these are often rounded to three digits, 3.14.
SLACK = 2e-3
TURN = 2.0 * np.pi


def joint_limits(joint: Joint) -> tuple[float, float]:
    """Lower and upper limit [rad or m], infinite where there are none."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return (lower, upper) if lower is not None and upper is not None and lower < upper else (-np.inf, np.inf)


class PassiveJoints:
    """The dependent joints that no gear determines.

    Attributes:
        indices: theirs in q. low, high (nq,): limits [rad or m], infinite where there are none.
        is_periodic (nq,): whole turns change nothing. Not where a gear or a mimic counts them.
    """

    def __init__(self, graph: SubsystemGraph, names: list[str]) -> None:
        self.graph, self.names = graph, names
        counted = {name for gear in graph.gears for name in (gear.joint, *(k for k, _ in gear.drivers))}
        counted |= {graph.driver(joint) for joint in graph.joints if joint.mimic is not None}
        self.indices = np.array([graph.q_slice(name).start for name in names], np.int64)
        self.low, self.high = np.full(graph.nq, -np.inf), np.full(graph.nq, np.inf)
        self.is_periodic = np.zeros(graph.nq, np.bool_)
        for name, index in zip(names, self.indices, strict=True):
            joint = graph.joint(name)
            self.low[index], self.high[index] = joint_limits(joint)
            self.is_periodic[index] = joint.type is not JointType.PRISMATIC and name not in counted

    def fit(self, q: Array, indices: NDArray[np.int64] | list[int]) -> float:
        """Sum of distances [rad or m] beyond the limits; whole turns are removed from q, in place."""
        total = 0.0
        for k in indices:
            low, high = self.low[k], self.high[k]
            beyond = max(low - q[k], q[k] - high)
            if beyond > 0.0 and self.is_periodic[k]:
                turned = q[k] + TURN * np.round((0.5 * (low + high) - q[k]) / TURN)
                if max(low - turned, turned - high) < beyond:
                    q[k], beyond = turned, max(low - turned, turned - high)
            total += beyond if beyond > SLACK else 0.0
        return total

    def distance(self, q: Array, other: Array) -> float:
        """Euclidean distance of passive joints [rad or m]; whole turns are removed from q, in place."""
        periodic = self.indices[self.is_periodic[self.indices]]
        q[periodic] += TURN * np.round((other[periodic] - q[periodic]) / TURN)
        return float(np.linalg.norm((q - other)[self.indices]))

    def raise_beyond_limits(self, q: Array) -> None:
        """Raise ClosureError: names joints beyond their limits. Whole turns are removed from q, in place."""
        indices = self.indices
        if not ((q[indices] < self.low[indices] - SLACK) | (q[indices] > self.high[indices] + SLACK)).any():
            return
        if self.fit(q, indices) == 0.0:
            return
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
            q.copy(),
        )
