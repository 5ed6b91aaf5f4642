"""A mechanism: where all its joints are, from the independent ones; its assembly mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ClosureError, StateError
from ...kernels.loops import closed_loop
from ...model import SubsystemGraph
from ..constraints.loop_arrays import LoopArrays
from .diagnosis import refuse_branch_end, unclosed
from .explicit import explicit_solver

__all__ = ["Mechanism"]

Array = NDArray[np.float64]
#: Starts round a configuration from which the loops do not close, at each of four distances.
STARTS = 8
#: What a floating base moves at most at once [m, or parts of its quaternion] where it moves loops.
JUMP = 0.05
#: Motion of the first passive joint [rad or m] that leaves a singular pose.
NUDGE = 0.02
#: By how much a solution in closed form may differ from Newton's [rad or m]: rounding, near a dead point.
AGREEMENT = 1e-6
#: How far [rad or m] loops may have to move from where the way to a configuration starts: some seconds.
FARTHEST = 1e5


class Mechanism(LoopArrays):
    """The coordinates of all joints of one graph at given independent ones. Not for several threads.

    Attributes:
        explicit: the solver in closed form, if there is one.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        super().__init__(graph)
        self.explicit = explicit_solver(graph)
        self._reference: Array | None = None

    def positions(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,) at independent ones q: see :func:`.equation_of_motion.close_loops`.

        In closed form where all loops are recognised, by continuation elsewhere and through dead points.
        """
        (mine,) = self.checked(q)
        start = (self.reference() if guess is None else self._guessed(guess)).copy()
        # what no loop depends on need not be walked there, however far it is
        start[self.independent_q[self.idle]] = mine[self.idle]
        self._refuse_far(start, mine)
        if guess is None:
            full = self._walked(start, mine)
            full = self._followed(start, mine) if full is None else full
            self.passive.refuse_beyond(full)
            return full
        full = self._walked(start, mine)
        if full is None:
            start = self._closed_near(start, mine)
            full = self._walked(start, mine)
        return self._followed(start, mine) if full is None else full

    def _guessed(self, guess: ArrayLike) -> Array:
        try:
            return self.graph.checked(q=guess)[0]
        except StateError as error:
            raise StateError(f"guess, of all joints: {error}") from None

    def _walked(self, start: Array, mine: Array) -> Array | None:
        """In closed form, from a start that is nearly closed; None: another method is needed."""
        if self.explicit is None:
            return None
        gone, missed, full = self.explicit.walk(start, mine)
        if gone == 1.0 and closed_loop.correct(*self.arrays, full, self.room, AGREEMENT):
            return full
        if missed:
            refuse_branch_end(self, mine, full, gone)
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
                refuse_branch_end(self, mine, tried, gone + part_gone * stride)
            else:
                stride *= 0.5
        full[self.independent_q] = mine
        return full

    def _refuse_far(self, start: Array, mine: Array) -> None:
        """Raises ClosureError where the way is so long that it would take minutes to go."""
        away = self.moves * np.abs(mine - start[self.independent_q])
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
            residual = self.settle(attempt)
            if not residual < closed_loop.CLOSED:
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
            raise unclosed(self, best, where)
        return found

    def _nudged(self, start: Array) -> Array:
        """Away from an open start that is singular, as in line: rounding would choose the assembly mode.

        All passive joints move a little in their positive direction, the first of them most.
        """
        nudged = start.copy()
        self.meet_gears(nudged)
        columns = self.room[3][:, self.split[3]] @ self.gearing.T
        is_open = max(self.residual(nudged).values(), default=0.0) > closed_loop.CLOSED
        if is_open and self.rank(columns) < columns.shape[1]:
            nudged[self.passive.places] += NUDGE / (1.0 + np.arange(columns.shape[1]))
        return nudged

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
