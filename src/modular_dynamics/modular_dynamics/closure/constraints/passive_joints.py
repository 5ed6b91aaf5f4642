"""The coordinates that loops determine: their limits, whole turns, and how far they are from others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...exceptions import ClosureError
from ...model import JointType, SubsystemGraph

__all__ = ["SLACK", "PassiveJoints"]

Array = NDArray[np.float64]
#: How far beyond its limits a joint may be [rad or m]: these are often written with three digits, 3.14.
SLACK = 2e-3
TURN = 2.0 * np.pi


class PassiveJoints:
    """Dependent joints, those aside that follow by gears, of which independent ones are the cause.

    Attributes:
        places: where they stand in q. low, high (nq,): limits [rad or m], infinite where there are none.
        turns (nq,): may whole turns be added? Not where a gear or a mimic counts them.
    """

    def __init__(self, graph: SubsystemGraph, names: list[str]) -> None:
        self.graph, self.names = graph, names
        counted = {name for gear in graph.gears for name in (gear.joint, *(k for k, _ in gear.drivers))}
        counted |= {graph.driver(joint) for joint in graph.joints if joint.mimic is not None}
        self.places = np.array([graph.q_slice(name).start for name in names], np.int64)
        self.low, self.high = np.full(graph.nq, -np.inf), np.full(graph.nq, np.inf)
        self.turns = np.zeros(graph.nq, np.bool_)
        for name, place in zip(names, self.places, strict=True):
            joint = graph.joint(name)
            lower, upper = joint.limits.lower, joint.limits.upper
            if lower is not None and upper is not None and lower < upper:
                self.low[place], self.high[place] = lower, upper
            self.turns[place] = joint.type is not JointType.PRISMATIC and name not in counted

    def fit(self, q: Array, places: NDArray[np.int64] | list[int]) -> float:
        """How far coordinates are beyond their limits, added up; whole turns are taken off, in place."""
        total = 0.0
        for k in places:
            low, high = self.low[k], self.high[k]
            beyond = max(low - q[k], q[k] - high)
            if beyond > 0.0 and self.turns[k]:
                turned = q[k] + TURN * np.round((0.5 * (low + high) - q[k]) / TURN)
                if max(low - turned, turned - high) < beyond:
                    q[k], beyond = turned, max(low - turned, turned - high)
            total += beyond if beyond > SLACK else 0.0
        return total

    def distance(self, q: Array, other: Array) -> float:
        """Square root of the sum of squares [rad or m]; whole turns are taken off ``q``, in place."""
        turning = self.places[self.turns[self.places]]
        q[turning] += TURN * np.round((other[turning] - q[turning]) / TURN)
        return float(np.linalg.norm((q - other)[self.places]))

    def refuse_beyond(self, q: Array) -> None:
        """Raises ClosureError: names joints beyond their limits. Whole turns are taken off q, in place."""
        places = self.places
        if not ((q[places] < self.low[places] - SLACK) | (q[places] > self.high[places] + SLACK)).any():
            return
        if self.fit(q, places) == 0.0:
            return
        said = [
            f"'{name}' is at {q[k]:.6g}, its limits are {self.low[k]:.6g} and {self.high[k]:.6g}"
            for name, k in zip(self.names, places, strict=True)
            if not self.low[k] - SLACK <= q[k] <= self.high[k] + SLACK
        ]
        raise ClosureError(
            f"'{self.graph.name}' closes at these independent coordinates, but beyond limits of passive "
            f"joints, which state the assembly mode where no guess does: {'; '.join(said)} [rad or m]. Widen "
            "the limits, or give a guess",
            {},
            q.copy(),
        )
