"""Closing loops: the coordinates of all joints at given independent ones, in one assembly mode."""

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arrays.arguments import Array
from ...exceptions import ClosureError, StateError
from ...kernels.loops import continuation, newton
from ...model import SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import joint_limits
from .diagnosis import raise_branch_end, unclosed
from .explicit import explicit_solver

__all__ = ["Mechanism"]

#: Starts round a configuration from which the loops do not close, at each of four distances.
STARTS = 8
#: Largest single motion of a floating base that moves loops [m, or change of its quaternion].
JUMP = 0.05
#: Motion of the first passive joint [rad or m] that leaves a singular pose.
NUDGE = 0.02
#: Largest difference of a solution in closed form from Newton's [rad or m]: rounding, near a dead point.
AGREEMENT = 1e-6
#: Residual [m or 1] of a guess that needs no correction: rounding of lengths and coordinates of about one.
ROUNDING = 1e-15
#: Longest motion of loops [rad or m] from the start of a continuation: it takes some seconds.
FARTHEST = 1e5


class Mechanism:
    """The coordinates of all joints of one graph at given independent ones. For one thread only.

    Attributes:
        system: the constraints. explicit: the solver in closed form, if there is one.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph, self.system = graph, ConstraintSystem(graph)
        self.explicit = explicit_solver(self.system)
        self._reference: Array | None = None
        self._quaternions = [
            slice(graph.q_slice(name).start + 3, graph.q_slice(name).stop)
            for name in self.system.independent.floating
        ]

    def close(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,) at independent ones q: see :func:`.equation_of_motion.close_loops`.

        In closed form where all loops are recognised, by continuation otherwise and through dead points.
        """
        system = self.system
        target = system.independent.checked("q", q)
        start = self.reference() if guess is None else self._checked_guess(guess)
        # coordinates that no loop depends on are set at once, however far they are
        start[system.independent_q[system.is_free]] = target[system.is_free]
        self._raise_if_far(start, target)
        closed = self._walk(start, target)
        if closed is None and guess is not None:
            start = self._closed_near(start, target)
            closed = self._walk(start, target)
        if closed is None:
            closed = self._follow(start, target)
        return system.passive.within_limits(closed) if guess is None else closed

    def reference(self) -> Array:
        """The closed configuration (nq,) from which loops are closed without a guess. Raises ClosureError.

        From zero, or the middle of a joint's limits where these exclude zero. If passive joints are beyond
        their limits there, the assembly mode in which they are least so.
        """
        if self._reference is None:
            start = self.graph.neutral()
            for name in self.graph.joint_names:
                low, high = joint_limits(self.graph.joint(name))
                if not low <= 0.0 <= high:
                    start[self.graph.q_slice(name)] = 0.5 * (low + high)
            self._reference = self._settled(start, "at the zero pose", limited=True)
        return self._reference.copy()

    def warm_up(self) -> Array:
        """The reference, after a run of every kernel, those for states near dead points included."""
        start, system = self.reference(), self.system
        system.correct(start.copy(), AGREEMENT)
        independent = start[system.split.single_q]
        continuation.follow(*system.arrays, start.copy(), independent, system.workspace, False)
        if self.explicit is not None:
            self.explicit.nearest(start)
        system.projection(start)
        system.residual(start)
        return start

    def _checked_guess(self, guess: ArrayLike) -> Array:
        try:
            return self.graph.checked(q=guess)[0].copy()
        except StateError as error:
            raise StateError(f"guess, of all joints: {error}") from None

    def _walk(self, start: Array, target: Array) -> Array | None:
        """In closed form, from a start that is nearly closed; None: another method is needed."""
        if self.explicit is None:
            return None
        done, missed, full = self.explicit.walk(start, target)
        system = self.system
        if done == 1.0 and system.correct(full, AGREEMENT):
            return full
        if missed:
            raise_branch_end(system, target, full, done)
        return None

    def _follow(self, start: Array, target: Array) -> Array:
        """By continuation from a closed start; a floating base that moves loops is moved by short jumps."""
        system, split = self.system, self.system.split
        full, end = start.copy(), start.copy()
        end[system.independent_q] = target
        distance, done, stride = 0.0, 0.0, 1.0
        if system.floating_in_loops:
            for part in self._quaternions:
                full[part] *= np.copysign(1.0 / np.linalg.norm(full[part]), full[part] @ end[part])
                end[part] /= np.linalg.norm(end[part])
            distance = float(np.abs(np.delete(end - full, split.single_q)).max())
            stride = min(1.0, JUMP / max(distance, JUMP))
        start = full.copy()
        while done < 1.0:
            next_done = min(1.0, done + stride)
            there = end if next_done == 1.0 else start + next_done * (end - start)
            attempt = full.copy()
            attempt[system.independent_q] = there[system.independent_q]
            attempt[split.single_q] = full[split.single_q]
            goal, jumped = there[split.single_q], distance > 0.0
            part_done = continuation.follow(*system.arrays, attempt, goal, system.workspace, jumped)
            if part_done == 1.0:
                full, done, stride = attempt, next_done, min(2.0 * stride, JUMP / max(distance, JUMP))
            elif stride * distance < continuation.SHORTEST_STRIDE:
                raise_branch_end(system, target, attempt, done + part_done * stride)
            else:
                stride *= 0.5
        full[system.independent_q] = target
        return full

    def _raise_if_far(self, start: Array, target: Array) -> None:
        """Raise ClosureError where the continuation would take minutes."""
        system = self.system
        far = system.reach * np.abs(target - start[system.independent_q]) > FARTHEST
        if far.any():
            names = dict.fromkeys(system.independent.q_names[far])
            raise ClosureError(
                f"{', '.join(names)} of '{self.graph.name}' drives loops and is more than {FARTHEST:g} rad "
                "or m from the start of the continuation; a closer guess is needed"
            )

    def _closed_near(self, guess: Array, target: Array) -> Array:
        """Closed nearest to a guess: at its own independent coordinates, else at ``target``."""
        system, start = self.system, guess.copy()
        allowed = newton.LARGEST_STEP if self.explicit is None else AGREEMENT
        if system.correct(start, allowed, ROUNDING):
            return start
        try:
            return self._settled(guess, "near the guess")
        except ClosureError:
            start = guess.copy()
            start[system.independent_q] = target
            return self._settled(start, "near the guess")

    def _settled(self, start: Array, where: str, limited: bool = False) -> Array:
        """The closed configuration nearest to a start; with limits, the first that is within them.

        In closed form among all assembly modes. By Newton's method among those that it reaches from the start
        itself and from random points round it. With limits from the start first, so that these decide only if
        they must.
        """
        if not limited and self.explicit is not None:
            nearest = self.explicit.nearest(start)
            if nearest is not None:
                return nearest
        rng, indices, passive = np.random.default_rng(0), self.system.split.dependent_q, self.system.passive
        best, least, solution, cost = start, np.inf, None, (np.inf, np.inf)
        for spread in (0.0, *np.repeat([0.1, 0.5, 1.0, 2.0], STARTS)):
            attempt = self._nudged(start) if spread == 0.0 else start.copy()
            attempt[indices] += spread * rng.standard_normal(len(indices))
            residual = self.system.settle(attempt)
            if not residual < newton.CLOSED:
                best, least = (attempt, residual) if residual < least else (best, least)
                continue
            attempt, distance = passive.turned_near(attempt, start)
            beyond = 0.0
            if limited:
                attempt, beyond = passive.turned_to_limits(attempt, passive.indices)
            if (beyond, distance) < (cost[0], cost[1] - 1e-6):
                solution, cost = attempt, (beyond, distance)
            if limited and beyond == 0.0:
                break
            if limited and spread == 0.0 and self.explicit is not None:
                nearest = self.explicit.nearest(start, limited=True)
                if nearest is not None:
                    return nearest
        if solution is None:
            raise unclosed(self.system, best, where)
        return solution

    def _nudged(self, start: Array) -> Array:
        """Away from an open start that is singular, as in line: rounding would choose the assembly mode.

        All passive joints move a little in their positive direction, the first of them most.
        """
        nudged, system = start.copy(), self.system
        system.close_gears(nudged)
        values = system.evaluate(nudged)
        columns = values.J[:, system.split.dependent_v] @ system.gearing.T
        if np.abs(values.phi).max(initial=0.0) > newton.CLOSED and system.rank(columns) < columns.shape[1]:
            nudged[system.passive.indices] += NUDGE / (1.0 + np.arange(columns.shape[1]))
        return nudged
