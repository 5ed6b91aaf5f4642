"""A graph with closed loops and everything that its algorithms need, allocated beforehand."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics.arrays import constants_of, topology_of, work_of
from ..exceptions import ClosureError, SingularityError, StateError, UnsupportedModelError
from ..kernels import closed_loop, layout
from ..kernels.loops import COUPLING, MOTION_COLUMNS
from ..model import JointType, SubsystemGraph
from .explicit import explicit_solver
from .gearing import eliminated
from .passive_joints import PassiveJoints
from .rows import Rows, loop_rows, spring_rows

__all__ = ["Mechanism", "mechanism"]

Array = NDArray[np.float64]
#: Starts round a configuration from which the loops do not close, at each of four distances.
STARTS = 8
#: Spreads of starts [rad or m] where all joints are free: none on a singular pose, where ranks mislead.
FREE_STARTS = (0.1, 0.1, 0.5, 0.5, 1.0, 1.0)
#: What a floating base moves at most at once [m, or parts of its quaternion] where it moves loops.
JUMP = 0.05
#: Motion of the first passive joint [rad or m] that leaves a singular pose.
NUDGE = 0.02
#: By how much a solution in closed form may differ from Newton's [rad or m]: rounding, near a dead point.
AGREEMENT = 1e-6
#: Rate at which an independent coordinate's motion may tear rows: rounding, and what Newton's method leaves.
TIED = 1e-6
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
        gearing: gears met exactly. passive: the joints that loops determine.
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
        tree = topology_of(graph, frozenset()), constants_of(graph)
        dependent_v = self._places(self.dependent, graph.v_slice)
        self.laws = np.array(
            [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in graph.springs]
        ).reshape(-1, 4)
        single_v = self._places(single, graph.v_slice)
        J, size = self._anywhere(tree)
        floats = [name for name in mine if name not in single]
        self.floats_in_loops = any(size[graph.v_slice(name)].any() for name in floats)
        self.quaternions = [slice(graph.q_slice(name).start + 3, graph.q_slice(name).stop) for name in floats]
        own = [self.dependent.index(g.joint) if g.joint in self.dependent else None for g in graph.gears]
        self.gearing = eliminated(J[self.coupling][:, dependent_v], own, size[dependent_v] > 0.0)
        self.passive = PassiveJoints(graph, [self.dependent[k] for k in self.gearing.left])
        free = len(self.gearing.left)
        self.room, self.stretch = self._room(self.rows, free), self._room(self.springs, free)
        split = (
            self.single_q,
            single_v,
            self._places(self.dependent, graph.q_slice),
            dependent_v,
            self.independent_v,
            size[single_v],
            np.maximum(size[dependent_v], np.isin(range(len(dependent_v)), self.gearing.left)),
            self.gearing.T,
            self.gearing.meeting,
        )
        self.arrays = tree, self.rows.arrays, split
        self.buffer = work_of(graph)
        self.explicit = explicit_solver(graph)
        self._reference: Array | None = None

    @cached_property
    def row_scale(self) -> Array:
        """One for rows of loop joints; for those of gears what makes their largest entry one.

        A gear of large ratio must not make all others look small beside it.
        """
        ratios = np.delete(self.rows.vectors, 1, axis=1)  # without the offset
        scale: Array = 1.0 / np.maximum(1.0, np.abs(ratios).max(axis=1, initial=0.0))
        return np.where(self.rows.rows[:, 0] == COUPLING, scale, 1.0)

    @property
    def split(self) -> tuple[NDArray[Any], ...]:
        """Places of independent joints of one coordinate in q, v; and others: see kernels/closed_loop.py."""
        return self.arrays[2]

    def _places(self, names: tuple[str, ...] | list[str], place: Any) -> NDArray[np.int64]:
        return np.array([k for name in names for k in range(*place(name).indices(1 << 40))], np.int64)

    def _room(self, rows: Rows, free: int) -> tuple[NDArray[Any], ...]:
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
            np.zeros(m),
            np.zeros(d),
            np.zeros(graph.nv),
            np.zeros(graph.nq),
            np.zeros((m, d)),
            np.zeros((m, free), order="F"),
            np.zeros(free),
            np.zeros(free, np.int64),
            np.zeros(free),
        )

    @property
    def coupling(self) -> NDArray[np.bool_]:
        """Which rows are gears'."""
        return np.asarray(self.rows.rows[:, 0] == COUPLING)

    def _anywhere(self, tree: tuple[Any, Any]) -> tuple[Array, Array]:
        """J at a pose that is nothing special, and how far each coordinate (nv,) moves loops: see SPLIT."""
        graph, room = self.graph, self._room(self.rows, 0)
        q = graph.neutral()
        q[[graph.q_slice(name).start for name in graph.joint_names]] = 0.7 + 0.1 * np.arange(
            len(graph.joint_names)
        )
        closed_loop.rows_of(tree, self.rows.arrays, q, np.zeros(graph.nv), room)
        size = (room[3][~self.coupling] != 0.0).any(axis=0).astype(float)
        for joint in graph.joints:
            if joint.mimic is not None:
                size[graph.v_slice(joint.mimic.joint)] *= max(1.0, abs(joint.mimic.multiplier))
        return room[3], size

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
        if guess is None:
            start = self.reference()
            full = self._walked(start, mine)
            full = self._followed(start, mine) if full is None else full
            self.passive.refuse_beyond(full)
            return full
        (start,) = self.graph.checked(q=guess)
        full = self._walked(start, mine)
        if full is None:
            start = self._closed_near(start, mine)
            full = self._walked(start, mine)
        return self._followed(start, mine) if full is None else full

    def _walked(self, start: Array, mine: Array) -> Array | None:
        """In closed form, from a start that is nearly closed; None: another method is needed."""
        if self.explicit is None:
            return None
        gone, missed, full = self.explicit.walk(start, mine)
        if gone == 1.0 and closed_loop.correct(*self.arrays, full, self.room, AGREEMENT):
            return full
        if missed:
            self._refuse(mine, full, gone)
        return None

    def _followed(self, start: Array, mine: Array) -> Array:
        """By continuation from a closed start; where a floating base moves loops, it goes by short jumps."""
        full, target = start.copy(), start.copy()
        target[self.independent_q] = mine
        way, gone, stride = 0.0, 0.0, 1.0
        if self.floats_in_loops:
            for part in self.quaternions:
                full[part] *= np.copysign(1.0 / np.linalg.norm(full[part]), full[part] @ target[part])
                target[part] /= np.linalg.norm(target[part])
            way = float(np.abs(np.delete(target - full, self.single_q)).max())
            stride = min(1.0, JUMP / max(way, JUMP))
        start = full.copy()
        while gone < 1.0:
            end = min(1.0, gone + stride)
            there = target if end == 1.0 else start + end * (target - start)
            tried = full.copy()
            tried[self.independent_q] = there[self.independent_q]
            tried[self.single_q] = full[self.single_q]
            part_gone = closed_loop.follow(*self.arrays, tried, there[self.single_q], self.room, way > 0.0)
            if part_gone == 1.0:
                full, gone, stride = tried, end, min(2.0 * stride, JUMP / max(way, JUMP))
            elif stride * way < closed_loop.SHORTEST_STRIDE:
                self._refuse(mine, tried, gone + part_gone * stride)
            else:
                stride *= 0.5
        full[self.independent_q] = mine
        return full

    def reference(self) -> Array:
        """A closed configuration: from zero, or the middle of a joint's limits where zero is beyond them.

        If passive joints are beyond their limits there, the assembly mode in which they are least so.
        """
        if self._reference is None:
            start = self.graph.neutral()
            for name in self.graph.joint_names:
                limits = self.graph.joint(name).limits
                low, high = limits.lower, limits.upper
                if low is not None and high is not None and low < high and not low <= 0.0 <= high:
                    start[self.graph.q_slice(name)] = 0.5 * (low + high)
            self._reference = self._settled(start, "at the zero pose", limited=True)
        return self._reference

    def _closed_near(self, guess: Array, mine: Array) -> Array:
        """Closed nearest to a guess: at its own independent coordinates, else at ``mine``."""
        start, allowed = guess.copy(), closed_loop.LARGEST_STEP if self.explicit is None else AGREEMENT
        if closed_loop.correct(*self.arrays, start, self.room, allowed):
            return start
        try:
            return self._settled(guess, "near the guess")
        except ClosureError:
            start = guess.copy()
            start[self.independent_q] = mine
            return self._settled(start, "near the guess")

    def _settled(self, start: Array, where: str, limited: bool = False) -> Array:
        """The closed configuration nearest to a start; with limits, the first that is not beyond them.

        In closed form among all assembly modes. By Newton's method, from the start itself and from places
        round it, among those found. With limits from the start first, so that these only decide if they must.
        """
        if not limited and self.explicit is not None:
            nearest = self.explicit.nearest(start, self.passive)
            if nearest is not None:
                return nearest
        rng, places = np.random.default_rng(0), self.split[2]
        best, least, found, cost = start, np.inf, None, (np.inf, np.inf)
        for spread in (0.0, *np.repeat([0.1, 0.5, 1.0, 2.0], STARTS)):
            attempt = self._nudged(start) if spread == 0.0 else start.copy()
            attempt[places] += spread * rng.standard_normal(len(places))
            residual = self._settle(attempt)
            if residual >= closed_loop.CLOSED:
                best, least = (attempt, residual) if residual < least else (best, least)
                continue
            distance = self.passive.distance(attempt, start)
            beyond = self.passive.fit(attempt, self.passive.places) if limited else 0.0
            if (beyond, distance) < (cost[0], cost[1] - 1e-6):
                found, cost = attempt, (beyond, distance)
            if limited and beyond == 0.0:
                break
            if limited and spread == 0.0 and self.explicit is not None:
                nearest = self.explicit.nearest(start, self.passive, limited=True)
                if nearest is not None:
                    return nearest
        if found is None:
            raise self._unclosed(best, where)
        return found

    def _settle(self, coordinates: Array) -> float:
        """Newton's method from afar, in place, gears met at once. Returns the residual."""
        self._meet_gears(coordinates)
        return float(closed_loop.settle(*self.arrays, coordinates, self.room))

    def _nudged(self, start: Array) -> Array:
        """Away from an open start that is singular, as in line: rounding would choose the assembly mode.

        All passive joints move a little in their positive direction, the first of them most.
        """
        nudged = start.copy()
        self._meet_gears(nudged)
        columns = self.room[3][:, self.split[3]] @ self.gearing.T
        is_open = max(self.residual(nudged).values(), default=0.0) > closed_loop.CLOSED
        if is_open and self.rank(columns) < columns.shape[1]:
            nudged[self.passive.places] += NUDGE / (1.0 + np.arange(columns.shape[1]))
        return nudged

    def _meet_gears(self, coordinates: Array) -> None:
        tree, loops, split = self.arrays
        closed_loop.rows_of(tree, loops, coordinates, np.zeros(self.graph.nv), self.room)
        coordinates[split[2]] -= self.gearing.meeting @ self.room[2][self.coupling]

    def warm_up(self) -> Array:
        """The reference, after a run of every kernel: also of those that only states near dead points need.

        Raises:
            ClosureError: as `reference`.
        """
        start = self.reference().copy()
        closed_loop.correct(*self.arrays, start.copy(), self.room, AGREEMENT)
        closed_loop.follow(*self.arrays, start.copy(), start[self.single_q], self.room, False)
        if self.explicit is not None:
            self.explicit.nearest(start, self.passive)
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

    def _open(self, coordinates: Array, where: str, why: str) -> ClosureError:
        found = self.residual(coordinates)
        closed = min(1e-9, 0.5 * max(found.values(), default=0.0))
        worst = ", ".join(f"{name} by {value:.3g}" for name, value in found.items() if not value <= closed)
        return ClosureError(
            f"the loops of '{self.graph.name}' do not close {where}: open are {worst} [m or 1]; {why}",
            found,
            coordinates.copy(),
        )

    def _unclosed(self, coordinates: Array, where: str, closable: bool = False) -> ClosureError:
        """Why do loops not close? Where all joints are free they tell: there is no way at all, or a tie."""
        graph = self.graph
        floating = (name for name in graph.joint_names if graph.joint(name).type is JointType.FLOATING)
        free = Mechanism(graph.with_independent_joints(*floating))
        W = np.zeros((graph.nv, len(self.independent_v)))
        rng = np.random.default_rng(0)
        for spread in FREE_STARTS if len(free.dependent) > len(self.dependent) else ():
            attempt = coordinates.copy()
            attempt[free.split[2]] += spread * rng.standard_normal(len(free.split[2]))
            if free._settle(attempt) < closed_loop.CLOSED:
                closed_loop.projection(*self.arrays, attempt, self.room, W)
                try:
                    self.refuse_tied(attempt, W)
                except ClosureError as tied:
                    return tied
                closable = True
                break
        why = "the independent coordinates are out of reach"
        if not closable:
            why = "nor do they where all joints are free, as far as was found: loops contradict each other"
        return self._open(coordinates, where, why)

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
        size = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
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
        error = self._unclosed(best, "at these independent coordinates", closable=True)
        if error.residual is None:  # not the loops are at fault, but the choice of independent joints
            raise error
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
        places, damping, least, T = split[2], 1e-3, np.inf, self.gearing.T
        self._meet_gears(coordinates)
        one = np.eye(T.shape[1])
        tried, gradient, curvature = coordinates.copy(), np.zeros(len(one)), one
        for _ in range(200):
            closed_loop.rows_of(tree, loops, tried, rest, self.room)
            phi, J = self.room[2], self.room[3][:, split[3]] @ T
            if (now := float(phi @ phi)) < least:
                coordinates[:], least, damping = tried, now, max(0.3 * damping, 1e-12)
                gradient, curvature = J.T @ phi, J.T @ J
            else:
                damping *= 4.0
            step = T @ np.linalg.solve(curvature + damping * one, -gradient)
            if np.abs(step).max(initial=0.0) < closed_loop.LAST_STEP:
                return
            tried[:] = coordinates
            tried[places] += step


def mechanism(graph: SubsystemGraph) -> Mechanism:
    """This thread's mechanism of a graph, made on first use."""
    found: Mechanism | None = getattr(graph.workspaces, "mechanism", None)
    if found is None:
        found = graph.workspaces.mechanism = Mechanism(graph)
    return found
