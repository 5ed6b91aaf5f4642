"""Dependent coordinates in closed form, where every loop is recognised: gears, four-bars, slider-cranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ClosureError, SingularityError, StateError
from ...kernels.loops import explicit as kernel
from ...model import JointType, SubsystemGraph
from ..constraints.passive_joints import PassiveJoints
from .explicit_plane import PlanarLoop, planar_loop

__all__ = ["ExplicitSolver", "explicit_solver"]

Array = NDArray[np.float64]
#: Solutions of single steps that are tried: all, of up to about ten loops one after the other.
MOST_TRIED = 4096
#: Digits of squares of distances in which there is a tie.
TIE = 9
#: Circles that cross at a smaller angle [rad] touch: there is no telling the branches apart.
TOUCHING = 1e-6
_KINDS = {
    (False, False): (kernel.CIRCLES, "four-bar"),
    (False, True): (kernel.CIRCLE_LINE, "slider-crank"),
    (True, False): (kernel.LINE_CIRCLE, "slider-crank"),
    (True, True): (kernel.LINES, "two slides"),
}


@dataclass(eq=False)
class ExplicitSolver:
    """A table of steps that ends with all coordinates known. Not for several threads.

    Attributes:
        order: the steps, to be read: "gear of j3: j3 from j1", "four-bar at loop_a: j1, j2".
        names: of each step, the loop joint or gear that it belongs to.
        table: see kernels/explicit.py.
    """

    graph: SubsystemGraph
    order: tuple[str, ...]
    names: tuple[str, ...]
    table: tuple[NDArray[np.int64], Array, NDArray[np.int64], Array, Array]
    _places: NDArray[np.int64] = field(init=False)
    _single: NDArray[np.int64] = field(init=False)
    _dependent: NDArray[np.int64] = field(init=False)
    _room: tuple[Array, Array, Array] = field(init=False)

    def __post_init__(self) -> None:
        graph, steps = self.graph, len(self.order)
        mine = graph.independent_joint_names
        single = [name for name in mine if graph.joint(name).type is not JointType.FLOATING]
        self._places = np.concatenate([np.zeros(0, np.int64), *(np.r_[graph.q_slice(name)] for name in mine)])
        self._single = np.array([graph.q_slice(name).start for name in single], np.int64)
        self._dependent = np.array(
            [graph.q_slice(n).start for n in graph.joint_names if n not in mine], np.int64
        )
        self._room = np.zeros(steps), np.zeros((3, steps)), np.zeros((2, graph.nq))

    def branch_of(self, coordinates: ArrayLike) -> Array:
        """Signs (steps,) of the branch at coordinates of all joints: on which side circles (or lines) meet.

        They are the sides of the triangle O_i O_j X (kernels/explicit.py); 1 where there is no choice.
        """
        (q,) = self.graph.checked(q=coordinates)
        signs = np.empty(len(self.order))
        kernel.turns(self.table, q, signs)
        return signs

    def solve(self, q: ArrayLike, branch: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,) at independent ones q, on the branch with these signs.

        Of angles that differ by whole turns, those next to ``near`` (zero by default).

        Raises:
            ClosureError: circles miss each other; the residual is by how much [m], by loop joint.
            SingularityError: they touch, at a dead point; the condition is that of the step.
            StateError: wrong shapes.
        """
        signs, mine = np.asarray(branch, np.float64), np.asarray(q, np.float64)
        if signs.shape != (len(self.order),) or mine.shape != self._places.shape:
            raise StateError(
                f"branch has shape {signs.shape} and q {mine.shape}; ({len(self.order)},) signs, one "
                f"for each step of {'; '.join(self.order)}, and {self._places.shape} coordinates are needed"
            )
        full = self.graph.neutral() if near is None else self.graph.checked(q=near)[0].copy()
        full[self._places] = mine
        self.graph.checked(q=full)
        cosines = self._room[1][0]
        step, gap, _ = kernel.solve(self.table, signs, full, cosines)
        found = np.abs(cosines[: step + 1])
        for k in np.flatnonzero(np.abs(found - 1.0) < 0.5 * TOUCHING**2):
            condition = 1.0 / np.sqrt(max(2.0 * abs(1.0 - found[k]), np.finfo(float).eps))
            raise SingularityError(
                f"{self.order[k]} of '{self.graph.name}': its circles touch, at a dead point",
                float(condition),
                full,
            )
        if step < len(self.order):
            raise ClosureError(
                f"{self.order[step]} of '{self.graph.name}': its circles miss each other by {gap:.3g} m; "
                "the independent coordinates are out of reach",
                {self.names[step]: float(gap)},
                full,
            )
        return full

    def walk(self, start: Array, q: Array) -> tuple[float, bool, Array]:
        """From coordinates of all joints to independent ones q, on one branch.

        Returns what part of the way was gone, 1 at the end (below 0: the start is not near a closed
        configuration), do loops not close beyond (or do they, through a dead point?), and the coordinates.
        """
        full, target = start.copy(), start.copy()
        target[self._places] = full[self._places] = q
        full[self._single] = start[self._single]
        gone, missed = kernel.walk(
            self.table, full, target[self._single], self._single, self._dependent, self._room
        )
        return gone, missed, full

    def nearest(self, start: Array, passive: PassiveJoints, limited: bool = False) -> Array | None:
        """Of all assembly modes at the start's own independent coordinates the one nearest to the start.

        Nearest by :meth:`.PassiveJoints.distance`; with limits, of the modes that are least beyond them. The
        search goes deeper where it is nearest first and leaves what cannot become better (branch and bound);
        with very many loops it ends with the best that was found. Of two that are as near, the one in which
        the loop's first joint has the larger coordinate. None: no mode closes.
        """
        best: Array | None = None
        least = (np.inf, np.inf)
        steps, numbers, places, chain, size = self.table
        waiting = [((0.0, 0.0), 0, start)]
        for _ in range(MOST_TRIED):
            while waiting and not waiting[-1][0] < least:
                waiting.pop()
            if not waiting:
                break
            (beyond, square), t, q = waiting.pop()
            if t == len(steps):
                best, least = q, (beyond, square)
                continue
            kind, i, j = steps[t, 0], steps[t, 3], steps[t, 4]
            solved = [i] if kind == kernel.GEAR else [places[i, 1], places[j, 1]]
            counted = [k for k in solved if k in passive.places]
            one = steps[t : t + 1], numbers[t : t + 1], places, chain, size
            found = []
            for sign in (1.0,) if kind in (kernel.GEAR, kernel.LINES) else (1.0, -1.0):
                tried = q.copy()
                if kernel.solve(one, np.array([sign]), tried, self._room[1][0, :1])[0] == 1:
                    worse = passive.fit(tried, counted) if limited else 0.0
                    further = float(((tried - start)[counted] ** 2).sum())
                    found.append(((beyond + worse, round(square + further, TIE)), t + 1, tried))
            found.sort(key=lambda entry: (entry[0], *-entry[2][counted]), reverse=True)
            waiting += found
        return best


def explicit_solver(graph: SubsystemGraph) -> ExplicitSolver | None:
    """The solver of a mechanism whose dependent coordinates all follow one after the other; else None.

    Gears first; then any planar loop of which two coordinates are not known yet; and again.
    """
    found = (planar_loop(graph, loop) for loop in graph.loop_joints)
    table = _Table(graph, [loop for loop in found if loop is not None])
    while table.gear() or table.loop():
        pass
    return table.solver() if table.order and table.known == set(graph.joint_names) else None


class _Table:
    """Steps as they are found."""

    def __init__(self, graph: SubsystemGraph, loops: list[PlanarLoop]) -> None:
        self.graph, self.loops = graph, loops
        self.known = set(graph.independent_joint_names)
        self.order: list[str] = []
        self.names: list[str] = []
        self.steps: list[list[int]] = []
        self.numbers: list[Array] = []
        self.places: list[tuple[int, int]] = []
        self.chain: list[Array] = []

    def _place(self, name: str) -> int:
        return int(self.graph.q_slice(name).start)

    def gear(self) -> bool:
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
            first = len(self.places)
            self.steps.append([kernel.GEAR, first, first + len(terms), self._place(missing[0]), 0])
            self.numbers.append(np.array([share * gear.offset, 0.0, 0.0, 0.0]))
            self.places += [(0, self._place(name)) for name in terms]
            self.chain += [np.array([share * ratio, 0.0, 0.0, 0.0]) for ratio in terms.values()]
            return True
        return False

    def _add(self, name: str, what: str, solved: Iterable[str], kind: str = "") -> None:
        self.order.append(f"{kind} at {name}: {what}" if kind else f"{name}: {what}")
        self.names.append(name)
        self.known.update(solved)

    def loop(self) -> bool:
        """Adds a planar loop of which two joints are not known, if there is one."""
        for loop in self.loops:
            missing = [k for k, name in enumerate(loop.drivers) if name not in self.known]
            solved = dict.fromkeys(loop.drivers[k] for k in missing)
            if len(missing) != 2 or len(solved) != 2 or not all(loop.chain[k, 0] for k in missing):
                continue
            kind, text = _KINDS[loop.prismatic[missing[0]], loop.prismatic[missing[1]]]
            first = len(self.places)
            self._add(loop.name, ", ".join(solved), solved, text)
            self.steps.append([kind, first, first + len(loop.chain), first + missing[0], first + missing[1]])
            self.numbers.append(loop.ends)
            self.places += zip(map(int, loop.prismatic), map(self._place, loop.drivers), strict=True)
            self.chain += list(loop.chain)
            return True
        return False

    def solver(self) -> ExplicitSolver:
        places = np.array(self.places, np.int64).reshape(-1, 2)
        chain = np.array(self.chain).reshape(-1, 4)
        loops = [row for row in self.steps if row[0] != kernel.GEAR]
        size = np.zeros(self.graph.nq)
        for k in (k for row in loops for k in range(row[1], row[2])):
            size[places[k, 1]] = max(size[places[k, 1]], abs(chain[k, 0]))
        table = np.array(self.steps, np.int64), np.array(self.numbers), places, chain, size
        return ExplicitSolver(self.graph, tuple(self.order), tuple(self.names), table)
