"""A graph with closed loops and everything that its algorithms need, allocated beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics.arrays import constants_of, topology_of, work_of
from ..exceptions import ClosureError, SingularityError, StateError, UnsupportedModelError
from ..kernels import closed_loop, layout
from ..kernels.loops import MOTION_COLUMNS
from ..model import JointType, SubsystemGraph
from .explicit import explicit_solver
from .rows import Rows, loop_rows, spring_rows

__all__ = ["Mechanism", "mechanism"]

Array = NDArray[np.float64]
#: Starts round a configuration from which the loops do not close, at each of four distances.
STARTS = 8
#: By how much a solution in closed form may differ from Newton's [rad or m]: rounding, near a dead point.
AGREEMENT = 1e-6
#: Rate at which an independent coordinate's motion may tear rows: rounding, and what Newton's method leaves.
TIED = 1e-6
#: How far [rad or m] joints that drive loops may be from where the way to them starts: some seconds.
FARTHEST = 1e5
#: Residual [m or 1] with which loops count as closed at a dead point, where Newton's method is slow.
AT_DEAD_POINT = 1e-8


class Mechanism:
    """The arrays of one graph, its coordinates split, and room for the kernels. Not for several threads.

    Attributes:
        tree: the graph without loops, gears and springs.
        rows, springs: the conditions and the springs' lengths.
        independent_q, independent_v: where the independent joints' coordinates stand in q and in v.
        dependent: names of the others. arrays: (tree, loops, split), as kernels/closed_loop takes them.
        explicit: the solver in closed form, if there is one.
        laws (s, 4): stiffness, free length, initial force and damping of the springs.

    Raises:
        UnsupportedModelError: a black box, or a passive joint that has several coordinates.
        StateError: independent joints that are none.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
        if boxes:
            raise UnsupportedModelError(
                f"closed loops of '{graph.name}' are not solved: its black boxes are {', '.join(boxes)}"
            )
        self.graph, self.tree = graph, graph.tree
        self.rows: Rows = loop_rows(graph)
        self.springs: Rows = spring_rows(graph)
        mine = graph.independent_joint_names
        self.dependent = tuple(name for name in graph.joint_names if name not in mine)
        self.independent_q = self._places(mine, graph.q_slice)
        self.independent_v = self._places(mine, graph.v_slice)
        single = [name for name in mine if graph.joint(name).type is not JointType.FLOATING]
        floating = [name for name in self.dependent if graph.joint(name).type is JointType.FLOATING]
        if floating:
            raise UnsupportedModelError(f"the floating joint '{floating[0]}' cannot be passive or geared")
        self.single_q = self._places(single, graph.q_slice)
        driving = _driving(graph)
        self._idle = np.isin(
            self.independent_q, self._places([n for n in single if n not in driving], graph.q_slice)
        )
        split = (
            self.single_q,
            self._places(single, graph.v_slice),
            self._places(self.dependent, graph.q_slice),
            self._places(self.dependent, graph.v_slice),
            self.independent_v,
        )
        topology, constants = topology_of(graph, frozenset()), constants_of(graph)
        self.arrays = (topology, constants), self.rows.arrays, split
        self.laws = np.array(
            [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in graph.springs]
        ).reshape(-1, 4)
        self.room, self.stretch = self._room(self.rows), self._room(self.springs)
        self.buffer = work_of(graph)
        self.explicit = explicit_solver(graph)
        self._reference: Array | None = None

    @property
    def split(self) -> tuple[NDArray[np.int64], ...]:
        """Places of independent joints of one coordinate in q, v; of dependent ones; of all independent v."""
        return self.arrays[2]

    def _places(self, names: tuple[str, ...] | list[str], place: Any) -> NDArray[np.int64]:
        return np.array([k for name in names for k in range(*place(name).indices(1 << 40))], np.int64)

    def _room(self, rows: Rows) -> tuple[NDArray[Any], ...]:
        graph, n = self.graph, len(self.graph.joints)
        m, d = len(rows.rows), len(self.dependent)
        return (
            np.zeros(layout.STATE_BLOCKS * layout.padded(n)),
            np.zeros(n * MOTION_COLUMNS),
            np.zeros(m),
            np.zeros((m, graph.nv)),
            np.zeros(m),
            np.zeros((m, d), order="F"),  # worked on column by column
            np.zeros(d),
            np.zeros(d, np.int64),
            np.zeros(max(m, d)),
            np.zeros(max(m, d)),
            np.zeros(graph.nv),
            np.zeros(graph.nq),
            np.zeros((m, d)),
        )

    def checked_rates(self, **rates: ArrayLike) -> list[Array]:
        """Velocities, accelerations or torques of the independent coordinates as float arrays."""
        return [self._checked(name, value) for name, value in rates.items()]

    def spring_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Jacobian (s, nv) of the springs' lengths, and their tensions [N]."""
        closed_loop.rows_of(self.arrays[0], self.springs.arrays, q, v, self.stretch)
        length, pull = self.stretch[2], self.stretch[3]
        stiffness, free, initial, damping = self.laws.T
        tensions: Array = initial + stiffness * (length - free) + damping * (pull @ v)
        return pull, tensions

    def potential(self, q: Array) -> float:
        """Of gravity and of the springs [J]."""
        (topology, constants), loops, _ = self.arrays
        closed_loop.rows_of((topology, constants), loops, q, np.zeros(self.graph.nv), self.room)
        n = len(topology) - 1
        poses = self.room[1][: 12 * n].reshape(n, 12)
        mass, moment = constants[:n, layout.MASS], constants[:n, layout.MOMENT : layout.MOMENT + 3]
        turned = np.einsum("nij,nj->ni", poses[:, :9].reshape(n, 3, 3), moment)
        moments = poses[:, 9:] * mass[:, None] + turned
        found = -float(moments.sum(axis=0) @ self.graph.gravity)
        if len(self.laws):
            self.spring_forces(q, np.zeros(self.graph.nv))
            stretch = self.stretch[2] - self.laws[:, 1]
            found += float(self.laws[:, 2] @ stretch + 0.5 * self.laws[:, 0] @ stretch**2)
        return found

    def checked(self, q: ArrayLike, v: ArrayLike | None = None, **rates: ArrayLike) -> list[Array]:
        """Vectors of the independent coordinates: q, v and further rates, as float arrays.

        Raises:
            StateError: a wrong shape or a number that is not finite, by its joint.
        """
        given = {"q": q} | ({} if v is None else {"v": v}) | rates
        return [self._checked(name, value) for name, value in given.items()]

    def _checked(self, name: str, value: ArrayLike) -> Array:
        graph, places = self.graph, self.independent_q if name == "q" else self.independent_v
        try:
            array = np.asarray(value, np.float64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{name} is not an array of numbers: {error}") from None
        if array.shape != (len(places),):
            raise StateError(
                f"{name} has shape {array.shape}; ({len(places)},) is needed, for the independent joints "
                f"{', '.join(graph.independent_joint_names)} of '{graph.name}'"
            )
        full = graph.neutral() if name == "q" else np.zeros(graph.nv)
        full[places] = array
        graph.checked(**{"q" if name == "q" else name: full})
        return array

    def positions(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,) at independent ones q: see :func:`.equation_of_motion.close_loops`.

        In closed form where all loops are recognised, by continuation elsewhere and through dead points.
        """
        (mine,) = self.checked(q)
        start = (self.reference() if guess is None else self.graph.checked(q=guess)[0]).copy()
        # what no loop depends on need not be walked there, however far it is
        start[self.independent_q[self._idle]] = mine[self._idle]
        self._refuse_far(start, mine)
        if self.explicit is not None:
            gone, missed, full = self.explicit.walk(start, mine)
            if gone == 1.0 and closed_loop.correct(*self.arrays, full, self.room, AGREEMENT):
                return full
            if missed:
                self._refuse(mine, full, gone)
        if guess is not None:
            start = self._closed_near(start, mine)
        full = start.copy()
        full[self.independent_q] = mine
        full[self.single_q] = start[self.single_q]
        target = full.copy()
        target[self.independent_q] = mine
        gone = closed_loop.follow(*self.arrays, full, target[self.single_q], self.room)
        if gone < 1.0:
            self._refuse(mine, full, gone)
        return full

    def _refuse_far(self, start: Array, mine: Array) -> None:
        """Raises ClosureError where the way is so long that it would take minutes to go."""
        away = np.abs(mine - start[self.independent_q])
        if not (away > FARTHEST).any():
            return
        places = {place for place, far in zip(self.independent_q, away > FARTHEST, strict=True) if far}
        graph = self.graph
        names = [n for n in graph.independent_joint_names if places & {*range(graph.nq)[graph.q_slice(n)]}]
        raise ClosureError(
            f"{', '.join(names)} of '{graph.name}' drives loops and is more than {FARTHEST:g} rad or m from "
            "where the way to it starts; a guess that is closer is needed"
        )

    def reference(self) -> Array:
        """A closed configuration: from zero, or the middle of a joint's limits where zero is beyond them."""
        if self._reference is None:
            start = self.graph.neutral()
            for name in self.graph.joint_names:
                limits = self.graph.joint(name).limits
                low, high = limits.lower, limits.upper
                if low is not None and high is not None and low < high and not low <= 0.0 <= high:
                    start[self.graph.q_slice(name)] = 0.5 * (low + high)
            self._reference = self._settled(start, "at the zero pose")
        return self._reference

    def _closed_near(self, guess: ArrayLike, mine: Array) -> Array:
        (start,) = self.graph.checked(q=guess)
        start = start.copy()
        if closed_loop.correct(*self.arrays, start, self.room, closed_loop.LARGEST_STEP):
            return start
        (start,) = self.graph.checked(q=guess)
        start = start.copy()
        try:
            return self._settled(start, "near the guess")
        except ClosureError:
            (start,) = self.graph.checked(q=guess)
            start = start.copy()
            start[self.independent_q] = mine
            return self._settled(start, "near the guess")

    def _settled(self, start: Array, where: str) -> Array:
        """Closed from afar: from the start itself, or, where it is stuck there, from places round it."""
        rng, places = np.random.default_rng(0), self.split[2]
        best, least = start, np.inf
        for spread in (0.0, *np.repeat([0.1, 0.5, 1.0, 2.0], STARTS)):
            attempt = start.copy()
            attempt[places] += spread * rng.standard_normal(len(places))
            residual = closed_loop.settle(*self.arrays, attempt, self.room)
            if residual < closed_loop.CLOSED:
                return attempt
            if residual < least:
                best, least = attempt, residual
        raise self._open(best, where)

    def warm_up(self) -> Array:
        """The reference, after a run of every kernel: also of those that only states near dead points need.

        Raises:
            ClosureError: as `reference`.
        """
        start = self.reference().copy()
        closed_loop.correct(*self.arrays, start.copy(), self.room, AGREEMENT)
        closed_loop.follow(*self.arrays, start.copy(), start[self.single_q], self.room)
        closed_loop.projection(
            *self.arrays, start, self.room, np.zeros((self.graph.nv, len(self.independent_v)))
        )
        self.residual(start)
        return start

    def residual(self, coordinates: Array) -> dict[str, float]:
        """What is open [m or 1] at coordinates of all joints: the largest row of each loop joint and gear."""
        closed_loop.rows_of(self.arrays[0], self.arrays[1], coordinates, np.zeros(self.graph.nv), self.room)
        found = dict.fromkeys(self.rows.names, 0.0)
        for name, value in zip(self.rows.names, self.room[2], strict=True):
            found[name] = max(found[name], abs(float(value)))
        return found

    def _open(self, coordinates: Array, where: str) -> ClosureError:
        found = self.residual(coordinates)
        worst = ", ".join(f"{name} by {value:.3g}" for name, value in found.items() if value > 1e-9)
        return ClosureError(
            f"the loops of '{self.graph.name}' do not close {where}: open are {worst} [m or 1]; either the "
            "independent coordinates are out of reach, or loops contradict each other",
            found,
            coordinates.copy(),
        )

    def refuse_tied(self, coordinates: Array, W: Array) -> None:
        """Raises ClosureError where loops tie independent joints to each other, J W != 0: too many."""
        graph, J = self.graph, self.room[3]
        closed_loop.rows_of(self.arrays[0], self.arrays[1], coordinates, np.zeros(graph.nv), self.room)
        torn = np.abs(J @ W)
        worst = TIED * max(1.0, float(np.abs(J).max(initial=0.0)))
        if not (torn > worst).any():
            return
        columns = self.independent_v[(torn > worst).any(axis=0)]
        tied = [
            name
            for name in graph.independent_joint_names
            if {*range(graph.nv)[graph.v_slice(name)]} & {*columns}
        ]
        loops = dict.fromkeys(np.array(self.rows.names)[(torn > worst).any(axis=1)].tolist())
        free, chosen = graph.nv - self.rank(J), len(self.independent_v)
        raise ClosureError(
            f"{', '.join(graph.independent_joint_names)} of '{graph.name}' cannot all be independent: "
            f"{', '.join(loops)} of the loops would be torn by {', '.join(tied)}. The mechanism has {free} "
            f"degree(s) of freedom here and {chosen} coordinate(s) are chosen; declare others passive",
            None,
            coordinates.copy(),
        )

    @staticmethod
    def rank(J: Array) -> int:
        """Of constraint rows, by singular values."""
        size = np.linalg.svd(J, compute_uv=False)
        return int((size > 1e-9 * size.max(initial=0.0)).sum())

    def _refuse(self, mine: Array, reached: Array, gone: float) -> None:
        """Why was the way to the independent coordinates not gone to its end?"""
        W = np.zeros((self.graph.nv, len(self.independent_v)))
        condition = closed_loop.projection(*self.arrays, reached, self.room, W)
        self.refuse_tied(reached, W)
        best = reached.copy()
        best[self.independent_q] = mine
        self._approach(best)
        if max(self.residual(best).values(), default=0.0) < AT_DEAD_POINT:
            there = closed_loop.projection(*self.arrays, best, self.room, W)
            names = ", ".join(self.graph.independent_joint_names)
            where = (
                f"dead point of its independent joints {names}: condition number {max(there, condition):.2g}"
            )
            barred = (
                f"closes there, but the branch ends after {100.0 * gone:.1f} % of the way from the start (a "
                "guess beyond tells another), at a"
            )
            raise SingularityError(
                f"'{self.graph.name}' {'closes there, at a' if there > condition else barred} {where}",
                max(there, condition),
                best,
            )
        error = self._open(best, "at these independent coordinates")
        raise ClosureError(
            f"{error}. The branch ends after {100.0 * gone:.1f} % of the way from the start, at a dead point "
            f"(condition number {condition:.2g})",
            error.residual,
            best,
        )

    def _approach(self, coordinates: Array) -> None:
        """Least squares of what is open, in place, by damped steps (Levenberg).

        Where Newton's method is stuck at a dead point, loops that are not at fault close all the same.
        """
        (tree, loops, split), rest = self.arrays, np.zeros(self.graph.nv)
        places, damping, least = split[2], 1e-3, np.inf
        tried, gradient, curvature = coordinates.copy(), np.zeros(len(places)), np.eye(len(places))
        for _ in range(200):
            closed_loop.rows_of(tree, loops, tried, rest, self.room)
            phi, J = self.room[2], self.room[3][:, split[3]]
            if (now := float(phi @ phi)) < least:
                coordinates[:], least, damping = tried, now, max(0.3 * damping, 1e-12)
                gradient, curvature = J.T @ phi, J.T @ J
            else:
                damping *= 4.0
            step = np.linalg.solve(curvature + damping * np.eye(len(places)), -gradient)
            if np.abs(step).max(initial=0.0) < closed_loop.LAST_STEP:
                return
            tried[:] = coordinates
            tried[places] += step


def _driving(graph: SubsystemGraph) -> set[str]:
    """Names of the joints between the two ends of a loop joint, or in a gear; and of what drives them."""

    def above(link: str) -> set[int]:
        body, found = graph.link_body(link), set()
        while body is not None:
            found.add(body)
            body = graph.parents[body]
        return found

    ends = [(above(loop.predecessor.link), above(loop.successor.link)) for loop in graph.loop_joints]
    between = {graph.driver(graph.joints[k]) for first, second in ends for k in first ^ second}
    geared = {name for gear in graph.gears for name in (gear.joint, *(name for name, _ in gear.drivers))}
    return between | geared


def mechanism(graph: SubsystemGraph) -> Mechanism:
    """This thread's mechanism of a graph, made on first use."""
    found: Mechanism | None = getattr(graph.workspaces, "mechanism", None)
    if found is None:
        found = graph.workspaces.mechanism = Mechanism(graph)
    return found
