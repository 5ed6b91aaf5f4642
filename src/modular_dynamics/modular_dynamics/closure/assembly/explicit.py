"""Dependent coordinates in closed form, where every loop is recognised: gears, four-bars, slider-cranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ClosureError, SingularityError, StateError
from ...kernels.loops import planar_steps as kernel
from ...kernels.loops.planar_walk import WalkWorkspace, walk
from ...model import SubsystemGraph
from ..constraints.independent_coordinates import IndependentCoordinates, indices_in_q
from ..constraints.passive_joints import PassiveJoints
from .explicit_steps import ExplicitSteps, explicit_steps

__all__ = ["ExplicitSolver", "explicit_solver"]

Array = NDArray[np.float64]
#: Solutions of single steps that are tried: all, for up to about ten loops one after the other.
MOST_TRIED = 4096
#: Digits of squared distances in which two solutions are equally near.
EQUAL_DIGITS = 9
#: Circles that cross at a smaller angle [rad] touch: the branches cannot be distinguished.
TOUCHING = 1e-6


class ExplicitSolver:
    """Steps that end with all coordinates known, for one graph. For one thread only.

    Attributes:
        order: the steps, to be read: "gear of j3: j3 from j1", "four-bar at loop_a: j1, j2".
    """

    def __init__(self, graph: SubsystemGraph, steps: ExplicitSteps) -> None:
        self.graph, self.order = graph, steps.order
        self._names, self._arrays = steps.names, steps.arrays
        independent = IndependentCoordinates(graph)
        self._independent = independent.q
        self._single = indices_in_q(graph, independent.single)
        dependent = [name for name in graph.joint_names if name not in independent.names]
        self._dependent = np.array([graph.q_slice(name).start for name in dependent], np.int64)
        count = len(self.order)
        self._workspace = WalkWorkspace(
            np.zeros(count), np.zeros((3, count)), np.zeros(graph.nq), np.zeros(graph.nq)
        )

    def branch_of(self, coordinates: ArrayLike) -> Array:
        """Signs (steps,) of the branch at coordinates of all joints: which intersection of circles or lines.

        They are the orientations of the triangle O_i O_j X (kernels/loops/planar_steps.py); 1 where there is
        only one.
        """
        (q,) = self.graph.checked(q=coordinates)
        signs = np.empty(len(self.order))
        kernel.branch_signs(self._arrays, q, signs)
        return signs

    def solve(self, q: ArrayLike, branch: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,) at independent ones q, on the branch with these signs.

        Of angles that differ by whole turns, those next to ``near`` (zero by default).

        Raises:
            ClosureError: circles miss each other; the residual is by how much [m], by loop joint.
            SingularityError: they touch, at a dead point; the condition is that of the step.
            StateError: wrong shapes.
        """
        signs, independent = np.asarray(branch, np.float64), np.asarray(q, np.float64)
        if signs.shape != (len(self.order),) or independent.shape != self._independent.shape:
            raise StateError(
                f"branch has shape {signs.shape} and q {independent.shape}; ({len(self.order)},) signs, one "
                f"for each step of {'; '.join(self.order)}, and {self._independent.shape} coordinates are "
                "needed"
            )
        full = self.graph.neutral() if near is None else self.graph.checked(q=near)[0].copy()
        full[self._independent] = independent
        self.graph.checked(q=full)
        cosines = self._workspace.cosines[0]
        step, gap, _ = kernel.solve(self._arrays, signs, full, cosines)
        size = np.abs(cosines[: step + 1])
        for k in np.flatnonzero(np.abs(size - 1.0) < 0.5 * TOUCHING**2):
            condition = 1.0 / np.sqrt(max(2.0 * abs(1.0 - size[k]), np.finfo(float).eps))
            raise SingularityError(
                f"{self.order[k]} of '{self.graph.name}': its circles touch, at a dead point",
                float(condition),
                full,
            )
        if step < len(self.order):
            raise ClosureError(
                f"{self.order[step]} of '{self.graph.name}': its circles miss each other by {gap:.3g} m; "
                "the independent coordinates are out of reach",
                {self._names[step]: float(gap)},
                full,
            )
        return full

    def walk(self, start: Array, q: Array) -> tuple[float, bool, Array]:
        """From coordinates of all joints to independent ones q, on one branch.

        Returns the part of the way that was completed, 1 at the end (below 0: the start is not near a closed
        configuration), whether circles miss each other beyond (if not, loops may close through a dead point),
        and the coordinates.
        """
        full, target = start.copy(), start.copy()
        target[self._independent] = full[self._independent] = q
        full[self._single] = start[self._single]
        done, missed = walk(
            self._arrays, full, target[self._single], self._single, self._dependent, self._workspace
        )
        return done, missed, full

    def nearest(self, start: Array, passive: PassiveJoints, limited: bool = False) -> Array | None:
        """Of all assembly modes at the start's own independent coordinates the one nearest to the start.

        Nearest by :meth:`.PassiveJoints.distance`; with limits, of the modes that are least beyond them.
        Depth first, the nearer solution of each step first, without what cannot become better (branch and
        bound); with very many loops the best until then. Of two equally near ones, the one in which the
        loop's first joint has the larger coordinate. None: no mode closes.
        """
        best: Array | None = None
        least = (np.inf, np.inf)
        stack = [((0.0, 0.0), 0, start)]
        for _ in range(MOST_TRIED):
            while stack and not stack[-1][0] < least:
                stack.pop()
            if not stack:
                break
            cost, step, q = stack.pop()
            if step == len(self.order):
                best, least = q, cost
                continue
            solutions = self._solutions(step, q)
            solved = [k for k in self._solved_by(step) if k in passive.indices]
            candidates = []
            for solution in solutions:
                beyond = passive.fit(solution, solved) if limited else 0.0
                square = float(((solution - start)[solved] ** 2).sum())
                further = cost[0] + beyond, round(cost[1] + square, EQUAL_DIGITS)
                candidates.append((further, step + 1, solution))
            candidates.sort(key=lambda entry: (entry[0], *-entry[2][solved]), reverse=True)
            stack += candidates
        return best

    def _solved_by(self, step: int) -> list[int]:
        """Indices in q of the coordinates that a step gives."""
        kind, _, _, i, j = self._arrays.steps[step]
        return [i] if kind == kernel.GEAR else [self._arrays.joints[i, 1], self._arrays.joints[j, 1]]

    def _solutions(self, step: int, q: Array) -> list[Array]:
        """Copies of q with one step solved: none, one or two."""
        arrays, cosines = self._arrays, self._workspace.cosines[0, :1]
        one = arrays._replace(steps=arrays.steps[step : step + 1], points=arrays.points[step : step + 1])
        solutions = []
        for sign in (1.0,) if arrays.steps[step, 0] in (kernel.GEAR, kernel.LINES) else (1.0, -1.0):
            solution = q.copy()
            if kernel.solve(one, np.array([sign]), solution, cosines)[0] == 1:
                solutions.append(solution)
        return solutions


def explicit_solver(graph: SubsystemGraph) -> ExplicitSolver | None:
    """The solver of a mechanism whose dependent coordinates all follow one after the other; else None."""
    steps = explicit_steps(graph)
    return None if steps is None else ExplicitSolver(graph, steps)
