"""Closing loops: the coordinates of all joints at given independent ones, in one assembly mode."""

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array, checked_out
from ...exceptions import ClosureError
from ...model import SubsystemGraph
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import Coordinates
from ..core_loops import GOOD, are_planar
from .assemble import Assembler, checked_guess, starting_point
from .diagnosis import AT_DEAD_POINT, WORST_CONDITION, cannot_close, open_loops, raise_branch_end, unclosed
from .least_squares import LeastSquares

# Coordinates that neither independent joints nor loops determine: a rod that spins between two balls.
#
# There J_d has a null space N wherever the loops are closed. At a singular configuration it has one too, but
# not at the closed configurations around it. A free coordinate is one of v, chosen so that its velocity
# determines the motion along N; the others are then determined as usual.

#: Distances [rad or m] at which closed configurations are searched for; how many of them are used.
SPREADS = (0.3, 0.1, 0.03)
SAMPLES = 3
#: Largest singular value, relative to the largest one, that counts as zero: loops allow that motion.
NO_CONSTRAINT = 1e-7
#: Newton's method: largest number of steps, longest step, and length of the last one [rad or m].
NEWTON_STEPS, LONGEST, LAST = 60, 0.3, 1e-12
#: Residual [m or 1] of a closed configuration.
CLOSED = 1e-11
#: Smallest component of a unit motion that is more than rounding.
LEAST_COMPONENT = 1e-6


def free_coordinates(system: ConstraintSystem, closed: Array) -> tuple[int, ...]:
    """Return the indices in v of a mechanism's free coordinates, in order; an empty tuple if it has none.

    Only passive joints can be free: where others would be undetermined, independent joints are missing.

    Args:
        closed: a configuration (nq,) with closed loops.
    """
    spaces = [_open_motions(system, q) for q in closed_around(system, closed)]
    if not spaces:
        return ()
    count = min(space.shape[1] for space in spaces)
    spaces = [space for space in spaces if space.shape[1] == count]
    graph, dependent = system.graph, system.dependent_v
    passive = [k for name in graph.passive_joints for k in range(graph.nv)[graph.v_slice(name)]]
    is_passive = np.isin(dependent, passive)
    geared = {graph.v_slice(gear.joint).start for gear in graph.gears}
    is_active = ~is_passive & ~np.isin(dependent, list(geared))
    if count == 0 or any(np.abs(space[is_active]).max(initial=0.0) > LEAST_COMPONENT for space in spaces):
        return ()
    is_choice = is_passive & np.isin(range(len(dependent)), system.gearing.left)
    chosen: list[int] = []
    for _ in range(count):
        # the coordinate with the largest motion in its worst configuration
        least = np.min([np.linalg.norm(space, axis=1) for space in spaces], axis=0)
        least[~is_choice] = 0.0
        best = int(np.argmax(least > 0.999 * least.max()))  # the first of equals
        if least[best] < LEAST_COMPONENT:
            return ()
        chosen.append(int(dependent[best]))
        spaces = [_with_coordinate_fixed(space, best) for space in spaces]
    return tuple(sorted(chosen))


def _open_motions(system: ConstraintSystem, q: Array) -> Array:
    """Return an orthonormal basis (d, f) of scaled dependent motions that keep the loops closed."""
    J = system.evaluate(q).J[:, system.dependent_v]
    _, sizes, right = np.linalg.svd(system.row_scale[:, None] * J * system.units[system.dependent_v])
    rank = int((sizes > NO_CONSTRAINT * sizes.max(initial=0.0)).sum())
    open_motions: Array = right[rank:].T
    return open_motions


def _with_coordinate_fixed(space: Array, index: int) -> Array:
    """Return a basis (d, f - 1) of the motions in ``space`` (d, f) that leave one coordinate unmoved."""
    _, _, right = np.linalg.svd(space[index : index + 1])
    rest: Array = space @ right[1:].T
    return rest


def closed_around(system: ConstraintSystem, closed: Array) -> list[Array]:
    """Return closed configurations near ``closed``, by minimum-norm steps from random points."""
    coordinates, rng, closed_configurations = Coordinates(system.graph), np.random.default_rng(0), []
    for spread in np.repeat(SPREADS, SAMPLES):
        q = coordinates.moved(closed, spread * system.units * rng.uniform(-1.0, 1.0, system.graph.nv))
        if closes(system, coordinates, q):
            closed_configurations.append(q)
        if len(closed_configurations) == SAMPLES:
            break
    return closed_configurations


def closes(system: ConstraintSystem, coordinates: Coordinates, q: Array) -> bool:
    """Return whether Newton's method, by minimum-norm steps applied to q (nq,) in place, closes the loops."""
    for _ in range(NEWTON_STEPS):
        values, scale = system.evaluate(q), system.row_scale
        J, phi = scale[:, None] * values.J * system.units, scale * values.phi
        step = -np.linalg.lstsq(J, phi, NO_CONSTRAINT)[0]
        largest = np.abs(step).max(initial=0.0)
        if largest < LAST:
            return bool(np.abs(phi).max(initial=0.0) < CLOSED)
        q[:] = coordinates.moved(q, system.units * step * min(1.0, LONGEST / largest))
    return False


# Leaving a singular start, from which rounding would choose the assembly mode.

#: Motion of the first passive joint [rad or m] that leaves a singular pose.
NUDGE = 0.02


def nudged(system: ConstraintSystem, start: Array) -> Array:
    """Return the start, moved away from a singular pose at which the loops are open, such as bars in line.

    There rounding would choose the assembly mode. All passive joints move a little in their positive
    direction, the first of them most. Other starts are returned as a copy, with gears closed.
    """
    moved = start.copy()
    system.close_gears(moved)
    values = system.evaluate(moved)
    columns = values.J[:, system.dependent_v] @ system.gearing.T
    if np.abs(values.phi).max(initial=0.0) > newton.CLOSED and system.rank(columns) < columns.shape[1]:
        step = np.zeros(len(system.dependent_names))
        step[system.gearing.left] = NUDGE / (1.0 + np.arange(columns.shape[1]))
        system.move(moved, step)
    return moved


#: Number of random starts at each of four distances from a configuration from which loops do not close.
STARTS = 8
#: Largest single motion of a floating base that moves loops [m, or change of its quaternion].
JUMP = 0.05
#: Assembly modes of planar loops that are compared, and digits of squared distances in which two are alike.
MOST_MODES, EQUAL_DIGITS = 4096, 9
#: Names of the core's kinds of steps, for :attr:`Mechanism.order`.
STEPS = {
    "gear": "gear",
    "circles": "four-bar",
    "circle_line": "slider-crank",
    "line_circle": "slider-crank",
    "lines": "two slides",
    "newton": "Newton's method",
}
#: Largest residual [m or 1] of a guess that is not corrected: rounding of lengths of about one.
ROUNDING = 1e-15
#: Distance [rad or m] at which loops close before a singular configuration, which would be out of reach.
BEFORE_TARGET = 1e-5
#: Longest continuation of loops [rad or m]; it takes some seconds.
FARTHEST = 1e5


class Mechanism:
    """The coordinates of all joints of one graph at given independent ones.

    Properties of the graph are computed once; the result does not depend on which thread computes them.

    Attributes:
        system: the constraints. loops: the core's. is_planar: whether all loops are solved in closed form.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph = graph
        self.system = graph.once(ConstraintSystem)
        self.loops = self.system.loops
        self.is_planar = are_planar(self.loops)
        self._is_free_known = self.is_planar  # loops that are solved in closed form leave no coordinate free
        self._reference: Array | None = None
        self._zeros = np.zeros(len(self.system.independent_v))
        self._quaternions = [
            slice(graph.q_slice(name).stop - 4, graph.q_slice(name).stop)
            for name in self.system.independent.floating
        ]

    @property
    def order(self) -> tuple[str, ...]:
        """Steps in which the core solves gears and loops, as texts that name the joints solved."""
        graph = self.graph
        owners = np.repeat(graph.joint_names, [graph.joint(name).type.nv for name in graph.joint_names])
        steps = ((kind, dict.fromkeys(owners[found].tolist())) for kind, found in self.loops.clusters)
        return tuple(f"{STEPS[kind]}: {', '.join(joints)}" for kind, joints in steps)

    def close(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Return coordinates of all joints (nq,) at independent ones q: see `close_loops`.

        By the core where it can; by continuation far from the guess and through singular configurations.
        """
        system = self.system
        target = system.independent.checked("q", q)
        start = self.reference() if guess is None else checked_guess(system, guess)
        # coordinates that no loop depends on are set at once, however far they are
        start[system.independent_q[system.is_free]] = target[system.is_free]
        self._raise_if_far(start, target)
        closed = self._close_by_core(start, target)
        if closed is None:
            self._raise_if_out_of_reach(start, target)
        if closed is None and not self._is_free_known:
            self._find_free(start)
            system = self.system
        if closed is None and guess is not None:
            start = self._closed_near(start, target)
            closed = self._close_by_core(start, target)
        if closed is None:
            closed = self._follow(start, target)
        return system.passive.within_limits(closed) if guess is None else closed

    def reference(self) -> Array:
        """Return the closed configuration (nq,) that is the start without a guess. Raises ClosureError.

        From zero, or the middle of a joint's limits where these exclude zero; independent joints move only
        where loops do not close within limits otherwise. If they do not close within limits at all, the
        assembly mode in which passive joints are least beyond theirs.
        """
        if self._reference is None:
            start, passive = starting_point(self.graph), self.system.passive
            solution, best = self._search(start, limited=True)
            if solution is None or passive.turned_to_limits(solution, passive.indices)[1] > 0.0:
                solution = self._close_with_all_joints(best, solution)
            self._reference = solution
        return self._reference.copy()

    def from_reference(
        self, core: Callable[[Array, Array, Array], int], shape: tuple[int, ...], out: Array | None
    ) -> Array | None:
        """Return the core's result without a guess, in ``out`` if given; None where `close` knows more.

        The core starts from the reference, if that is known yet. Passive joints must end within their limits,
        as `close` requires.

        Args:
            core: (guess, result, coordinates) -> status. shape: of the result.
        """
        if self._reference is None:
            return None
        result, coordinates = np.empty(shape), np.empty(self.graph.nq)
        try:
            is_good = core(self._reference, result, coordinates) == GOOD
        except (TypeError, ValueError):
            return None  # many states, or what is to be converted or refused
        if not is_good or not self.system.passive.are_within_limits(coordinates):
            return None
        if out is None:
            return result
        checked_out(out, shape)[:] = result
        return out

    def _find_free(self, near: Array) -> None:
        """Find, on first use, the coordinates that closed loops leave undetermined near a configuration."""
        closed = near.copy()
        if self.system.largest_residual(closed) > newton.CLOSED and not (
            newton.settle(self.system, closed) < newton.CLOSED
        ):
            return  # not closed: search again at the next configuration
        if not self.system.projection(closed).condition < WORST_CONDITION:
            with suppress(ClosureError):  # makes the choice independent of the order of calls
                closed = self.reference()
            free = free_coordinates(self.system, closed)
            if free:
                self.system = ConstraintSystem(self.graph, free)
        self._is_free_known = True  # set last: other threads read it

    def _close_with_all_joints(self, start: Array, otherwise: Array | None) -> Array:
        """Close loops by all joints within limits; else return ``otherwise``, or close them beyond limits."""
        assembler = self.graph.once(Assembler)
        result = assembler.search(start)
        if not result.open_groups:
            return result.q
        if otherwise is not None:
            return otherwise
        beyond = assembler.search(result.q, limited=False)
        if beyond.open_groups:
            raise cannot_close(assembler.system, result, beyond)
        return beyond.q

    def _close_by_core(self, start: Array, target: Array) -> Array | None:
        """Close loops by the core, on the branch of a nearly closed start; None if that fails."""
        closed, tau = np.empty(self.graph.nq), np.empty(len(self._zeros))
        status = self.loops.inverse_dynamics(target, self._zeros, self._zeros, start, tau, closed)
        return closed if status == GOOD else None

    def _raise_if_out_of_reach(self, start: Array, target: Array) -> None:
        """Raise ClosureError where planar loops have no assembly mode at ``target``, and are not singular."""
        modes = np.empty((MOST_MODES, self.graph.nq))
        if self.loops.modes(target, start, modes) != 0:
            return
        near = np.where(np.isnan(modes[0]), start, modes[0])  # NaN: of joints of a loop that does not close
        before = target + BEFORE_TARGET * np.sign(start[self.system.independent_q] - target)
        is_dead_point = self.system.largest_residual(near) < AT_DEAD_POINT
        if not is_dead_point and self.loops.modes(before, start, modes) == 0:
            why = "out of reach: the planar loops have no assembly mode there"
            raise open_loops(self.system, near, "at these independent coordinates", why)

    def _any_mode(self, near: Array, target: Array) -> Array:
        """Return planar loops closed at ``target``, on any branch; else ``near`` with these coordinates."""
        q, modes = near.copy(), np.empty((MOST_MODES, self.graph.nq))
        q[self.system.independent_q] = target
        return modes[0].copy() if self.loops.modes(target, near, modes) > 0 else q

    def _nearest_mode(self, start: Array, limited: bool) -> Array | None:
        """Return the planar loops' assembly mode nearest to a start, at its independent coordinates.

        Nearest by :meth:`.PassiveJoints.turned_near`; with limits, of the modes that are least beyond them.
        Of two equally near ones, the one in which the first joint has the larger coordinate. None: no mode
        closes, or loops are not planar, or too many.
        """
        modes, passive = np.empty((MOST_MODES, self.graph.nq)), self.system.passive
        count = self.loops.modes(start[self.system.independent_q], start, modes)
        candidates = []
        for mode in modes[: max(count, 0)]:
            q, beyond = passive.turned_to_limits(mode, passive.indices) if limited else (mode.copy(), 0.0)
            square = round(float(((q - start)[passive.indices] ** 2).sum()), EQUAL_DIGITS)
            candidates.append(((beyond, square, *-q[passive.indices]), q))
        return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None

    def _follow(self, start: Array, target: Array) -> Array:
        """Continue a closed start to ``target``; move a floating base that drives loops in short jumps."""
        system = self.system
        full, end = start.copy(), start.copy()
        end[system.independent_q] = target
        distance, done, stride = 0.0, 0.0, 1.0
        if system.floating_in_loops:
            for part in self._quaternions:
                full[part] *= np.copysign(1.0 / np.linalg.norm(full[part]), full[part] @ end[part])
                end[part] /= np.linalg.norm(end[part])
            distance = float(np.abs(np.delete(end - full, system.single_q)).max())
            stride = min(1.0, JUMP / max(distance, JUMP))
        start = full.copy()
        while done < 1.0:
            next_done = min(1.0, done + stride)
            there = end if next_done == 1.0 else start + next_done * (end - start)
            attempt = full.copy()
            attempt[system.independent_q] = there[system.independent_q]
            attempt[system.single_q] = full[system.single_q]
            part_done = newton.follow(system, attempt, there[system.single_q], distance > 0.0)
            if part_done == 1.0:
                full, done, stride = attempt, next_done, min(2.0 * stride, JUMP / max(distance, JUMP))
            elif stride * distance < newton.SHORTEST_STRIDE:
                there = self._any_mode(attempt, target)
                raise_branch_end(system, there, attempt, done + part_done * stride)
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
        """Return the closed configuration nearest to a guess, at its own coordinates or the target."""
        system, start = self.system, guess.copy()
        if newton.correct(system, start, newton.LARGEST_STEP, ROUNDING):
            return start
        if len(system.free) and (attempt := self._with_free_moved(guess, target)) is not None:
            return attempt
        solution, _ = self._search(guess, descents=1)
        if solution is None:
            start = guess.copy()
            start[system.independent_q] = target
            solution, best = self._search(start)
            if solution is None:
                raise unclosed(system, best)
        return solution

    def _with_free_moved(self, guess: Array, target: Array) -> Array | None:
        """Close the loops near a guess, moving free coordinates only where needed; None if they stay open."""
        there, all_dependent = guess.copy(), self.graph.once(ConstraintSystem)
        there[self.system.independent_q] = target
        for start in (guess, there):
            for system in (self.system, all_dependent):
                attempt = start.copy()
                if newton.settle(system, attempt) < newton.CLOSED:
                    return attempt
        return None

    def _search(
        self, start: Array, limited: bool = False, descents: int | None = None
    ) -> tuple[Array | None, Array]:
        """Return the closed configuration nearest to a start; with limits, the first that is within them.

        In closed form among all modes; else by Newton's method, among those reached from the start and from
        random points round it; else, or if none of these is within limits, by least squares. With limits
        Newton's method from the start comes first: they select a mode only where its result violates them.

        Returns:
            The configuration, or None; and the one among those tried whose loops are open least.
        """
        if not limited and (nearest := self._nearest_mode(start, limited)) is not None:
            return nearest, nearest
        rng, count, passive = np.random.default_rng(0), len(self.system.dependent_names), self.system.passive
        best, least, solution, cost = start, np.inf, None, (np.inf, np.inf)
        for spread in (0.0, *np.repeat([0.1, 0.5, 1.0, 2.0], STARTS)):
            attempt = nudged(self.system, start) if spread == 0.0 else start.copy()
            self.system.move(attempt, spread * rng.standard_normal(count))
            residual = newton.settle(self.system, attempt)
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
            if limited and spread == 0.0 and (nearest := self._nearest_mode(start, limited)) is not None:
                return nearest, nearest
        if solution is None or cost[0] > 0.0:
            result = LeastSquares(self.system, self.system.dependent).search(start, limited, descents)
            if not result.open_groups:
                return result.q, result.q
            best = result.q if self.system.largest_residual(result.q) < least else best
        return solution, best
