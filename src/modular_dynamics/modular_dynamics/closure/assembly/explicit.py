"""Dependent coordinates in closed form, where every loop is recognised: gears, four-bars, slider-cranks."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arrays.arguments import Array
from ...kernels.loops.planar import steps as kernel
from ...kernels.loops.planar.walk import WalkWorkspace, walk
from ...model import Gear, SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem
from .explicit_plane import PlanarLoop, planar_loop

__all__ = ["ExplicitSolver", "explicit_solver", "planar_steps"]

#: Solutions of single steps that are tried: all, for up to about ten loops one after the other.
MOST_TRIED = 4096
#: Digits of squared distances in which two solutions are equally near.
EQUAL_DIGITS = 9
#: Kind of a step, and its name, by whether its two unknown joints are prismatic.
_KINDS = {
    (False, False): (kernel.CIRCLES, "four-bar"),
    (False, True): (kernel.CIRCLE_LINE, "slider-crank"),
    (True, False): (kernel.LINE_CIRCLE, "slider-crank"),
    (True, True): (kernel.LINES, "two slides"),
}


class ExplicitSolver:
    """Steps that end with all coordinates known, for one graph. For one thread only.

    Attributes:
        order: the steps, to be read: "gear of j3: j3 from j1", "four-bar at loop_a: j1, j2".
        arrays: the steps for the kernels.
    """

    def __init__(self, system: ConstraintSystem, order: list[str], arrays: kernel.PlanarSteps) -> None:
        self.system, self.order, self.arrays = system, tuple(order), arrays
        count, nq = len(order), system.graph.nq
        self._workspace = WalkWorkspace(np.zeros(count), np.zeros((3, count)), np.zeros(nq), np.zeros(nq))

    def walk(self, start: Array, q: Array) -> tuple[float, bool, Array]:
        """From coordinates of all joints to independent ones q, on one branch.

        Returns the part of the way that was completed, 1 at the end (below 0: the start is not near a closed
        configuration), whether the loop cannot close farther on (if not, it may close through a dead point),
        and the coordinates.
        """
        split, full = self.system.split, start.copy()
        full[self.system.independent_q] = q
        target = full[split.single_q]
        full[split.single_q] = start[split.single_q]
        done, missed = walk(self.arrays, full, target, split.single_q, split.dependent_q, self._workspace)
        return done, missed, full

    def nearest(self, start: Array, limited: bool = False) -> Array | None:
        """Of all assembly modes at the start's own independent coordinates the one nearest to the start.

        Nearest by :meth:`.PassiveJoints.turned_near`; with limits, of the modes that are least beyond them.
        Depth first, the nearer solution of each step first, without what cannot become better (branch and
        bound); with very many loops the best until then. Of two equally near ones, the one in which the
        loop's first joint has the larger coordinate. None: no mode closes.
        """
        best, least, passive = None, (np.inf, np.inf), self.system.passive
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
            solved = [k for k in self._solved_by(step) if k in passive.indices]
            candidates = []
            for solution in self._solutions(step, q):
                turned, beyond = passive.turned_to_limits(solution, solved) if limited else (solution, 0.0)
                square = float(((turned - start)[solved] ** 2).sum())
                further = cost[0] + beyond, round(cost[1] + square, EQUAL_DIGITS)
                candidates.append((further, step + 1, turned))
            candidates.sort(key=lambda entry: (entry[0], *-entry[2][solved]), reverse=True)
            stack += candidates
        return best

    def _solved_by(self, step: int) -> list[int]:
        """Indices in q of the coordinates that a step gives."""
        kind, _, _, i, j = self.arrays.steps[step]
        return [i] if kind == kernel.GEAR else [self.arrays.joints[i, 1], self.arrays.joints[j, 1]]

    def _solutions(self, step: int, q: Array) -> list[Array]:
        """Copies of q with one step solved: none, one or two."""
        arrays, cosines = self.arrays, self._workspace.cosines[0, :1]
        one = arrays._replace(steps=arrays.steps[step : step + 1], points=arrays.points[step : step + 1])
        solutions = []
        for sign in (1.0,) if arrays.steps[step, 0] in (kernel.GEAR, kernel.LINES) else (1.0, -1.0):
            solution = q.copy()
            if kernel.solve(one, np.array([sign]), solution, cosines)[0] == 1:
                solutions.append(solution)
        return solutions


def explicit_solver(system: ConstraintSystem) -> ExplicitSolver | None:
    """The solver in closed form; None where it does not give all dependent coordinates, or there are none."""
    steps = planar_steps(system.graph)
    return None if steps is None else ExplicitSolver(system, *steps)


def planar_steps(graph: SubsystemGraph) -> tuple[list[str], kernel.PlanarSteps] | None:
    """The steps, as text and for the kernels.

    Gears first; then any planar loop of which two coordinates are not known yet; and again. None where these
    do not give all dependent coordinates, or there are none.
    """
    steps = _Steps(graph)
    loops = [loop for loop in (planar_loop(graph, joint) for joint in graph.loop_joints) if loop is not None]
    while any(map(steps.add_gear, graph.gears)) or any(map(steps.add_loop, loops)):
        pass
    if not steps.order or steps.known != set(graph.joint_names):
        return None
    joints, chain = np.array(steps.joints, np.int64).reshape(-1, 2), np.array(steps.chain).reshape(-1, 4)
    table, points = np.array(steps.table, np.int64), np.array(steps.points)
    return steps.order, kernel.PlanarSteps(table, points, joints, chain, steps.reach)


class _Steps:
    """Steps so far; ``known`` are the joints whose coordinates they give."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph, self.known = graph, set(graph.independent_joint_names)
        self.order: list[str] = []
        self.reach = np.zeros(self.graph.nq)
        # as in kernel.PlanarSteps
        self.table: list[list[int]] = []
        self.points: list[ArrayLike] = []
        self.joints: list[tuple[int, int]] = []
        self.chain: list[ArrayLike] = []

    def _index(self, name: str) -> int:
        return int(self.graph.q_slice(name).start)

    def add_gear(self, gear: Gear) -> bool:
        """Add a gear if all its joints but one are known."""
        terms = {gear.joint: -1.0}  # of 0 = offset + ..., one for each joint
        for name, ratio in gear.drivers:
            terms[name] = terms.get(name, 0.0) + ratio
        missing = [name for name in terms if name not in self.known]
        if len(missing) != 1 or terms[missing[0]] == 0.0:
            return False
        share = -1.0 / terms.pop(missing[0])
        self.order.append(f"gear of {gear.joint}: {missing[0]} from {', '.join(terms)}")
        step, offset = (kernel.GEAR, self._index(missing[0]), 0), [share * gear.offset, 0.0, 0.0, 0.0]
        chain = [(False, name, [share * ratio, 0.0, 0.0, 0.0]) for name, ratio in terms.items()]
        self._add(missing, step, offset, chain)
        return True

    def add_loop(self, loop: PlanarLoop) -> bool:
        """Add a loop if two of its joints are not known."""
        missing = [k for k, name in enumerate(loop.drivers) if name not in self.known]
        solved = dict.fromkeys(loop.drivers[k] for k in missing)
        if len(missing) != 2 or len(solved) != 2 or not all(loop.chain[k, 0] for k in missing):
            return False
        kind, text = _KINDS[loop.prismatic[missing[0]], loop.prismatic[missing[1]]]
        self.order.append(f"{text} at {loop.name}: {', '.join(solved)}")
        np.maximum.at(self.reach, [self._index(name) for name in loop.drivers], abs(loop.chain[:, 0]))
        step = kind, len(self.joints) + missing[0], len(self.joints) + missing[1]
        self._add(solved, step, loop.ends, [*zip(loop.prismatic, loop.drivers, loop.chain, strict=True)])
        return True

    def _add(
        self,
        solved: Iterable[str],
        step: tuple[int, int, int],
        points: ArrayLike,
        chain: Sequence[tuple[bool, str, ArrayLike]],
    ) -> None:
        """A step as in kernel.PlanarSteps; ``chain``: of each joint whether it is prismatic, name, row."""
        first = len(self.joints)
        self.table.append([step[0], first, first + len(chain), *step[1:]])
        self.points.append(points)
        self.joints += [(int(prismatic), self._index(name)) for prismatic, name, _ in chain]
        self.chain += [row for _, _, row in chain]
        self.known.update(solved)
