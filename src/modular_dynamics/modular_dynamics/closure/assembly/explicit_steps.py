"""The order in which gears and planar loops give the dependent coordinates, as a table for the kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels.loops import planar_steps as kernel
from ...model import SubsystemGraph
from .explicit_plane import PlanarLoop, planar_loop

__all__ = ["ExplicitSteps", "explicit_steps"]

Array = NDArray[np.float64]
_KINDS = {
    (False, False): (kernel.CIRCLES, "four-bar"),
    (False, True): (kernel.CIRCLE_LINE, "slider-crank"),
    (True, False): (kernel.LINE_CIRCLE, "slider-crank"),
    (True, True): (kernel.LINES, "two slides"),
}


@dataclass(frozen=True, eq=False)
class ExplicitSteps:
    """Steps that end with all coordinates known.

    Attributes:
        order: in words. names: of each step, its loop joint or gear. arrays: for the kernels.
    """

    order: tuple[str, ...]
    names: tuple[str, ...]
    arrays: kernel.PlanarSteps


def explicit_steps(graph: SubsystemGraph) -> ExplicitSteps | None:
    """Gears first; then any planar loop of which two coordinates are not known yet; and again.

    None where they do not give all dependent coordinates, or there are none.
    """
    loops = (planar_loop(graph, loop) for loop in graph.loop_joints)
    builder = _StepBuilder(graph, [loop for loop in loops if loop is not None])
    while builder.add_gear() or builder.add_loop():
        pass
    return builder.result() if builder.order and builder.known == set(graph.joint_names) else None


class _StepBuilder:
    """Steps so far; ``known`` are the joints whose coordinates they give."""

    def __init__(self, graph: SubsystemGraph, loops: list[PlanarLoop]) -> None:
        self.graph, self.loops = graph, loops
        self.known = set(graph.independent_joint_names)
        self.order: list[str] = []
        self.names: list[str] = []
        self.steps: list[list[int]] = []
        self.points: list[Array] = []
        self.joints: list[tuple[int, int]] = []
        self.chain: list[Array] = []

    def _index(self, name: str) -> int:
        return int(self.graph.q_slice(name).start)

    def add_gear(self) -> bool:
        """Adds a gear of which all joints but one are known, if there is one."""
        for gear in self.graph.gears:
            terms = {gear.joint: -1.0}  # of 0 = offset + ..., one for each joint
            for name, ratio in gear.drivers:
                terms[name] = terms.get(name, 0.0) + ratio
            missing = [name for name in terms if name not in self.known]
            if len(missing) != 1 or terms[missing[0]] == 0.0:
                continue
            share = -1.0 / terms.pop(missing[0])
            self._add(f"gear of {gear.joint}", f"{missing[0]} from {', '.join(terms)}", missing)
            first = len(self.joints)
            self.steps.append([kernel.GEAR, first, first + len(terms), self._index(missing[0]), 0])
            self.points.append(np.array([share * gear.offset, 0.0, 0.0, 0.0]))
            self.joints += [(0, self._index(name)) for name in terms]
            self.chain += [np.array([share * ratio, 0.0, 0.0, 0.0]) for ratio in terms.values()]
            return True
        return False

    def _add(self, name: str, what: str, solved: Iterable[str], kind: str = "") -> None:
        self.order.append(f"{kind} at {name}: {what}" if kind else f"{name}: {what}")
        self.names.append(name)
        self.known.update(solved)

    def add_loop(self) -> bool:
        """Adds a planar loop of which two joints are not known, if there is one."""
        for loop in self.loops:
            missing = [k for k, name in enumerate(loop.drivers) if name not in self.known]
            solved = dict.fromkeys(loop.drivers[k] for k in missing)
            if len(missing) != 2 or len(solved) != 2 or not all(loop.chain[k, 0] for k in missing):
                continue
            kind, text = _KINDS[loop.prismatic[missing[0]], loop.prismatic[missing[1]]]
            first = len(self.joints)
            self._add(loop.name, ", ".join(solved), solved, text)
            self.steps.append([kind, first, first + len(loop.chain), first + missing[0], first + missing[1]])
            self.points.append(loop.ends)
            self.joints += zip(map(int, loop.prismatic), map(self._index, loop.drivers), strict=True)
            self.chain += list(loop.chain)
            return True
        return False

    def result(self) -> ExplicitSteps:
        joints = np.array(self.joints, np.int64).reshape(-1, 2)
        chain = np.array(self.chain).reshape(-1, 4)
        loops = [row for row in self.steps if row[0] != kernel.GEAR]
        reach = np.zeros(self.graph.nq)
        for k in (k for row in loops for k in range(row[1], row[2])):
            reach[joints[k, 1]] = max(reach[joints[k, 1]], abs(chain[k, 0]))
        steps, points = np.array(self.steps, np.int64), np.array(self.points)
        arrays = kernel.PlanarSteps(steps, points, joints, chain, reach)
        return ExplicitSteps(tuple(self.order), tuple(self.names), arrays)
