"""The workspace of a closed-loop robot: closing its loops, and inverse dynamics where they are closed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import mass_matrix
from ...dynamics.arrays.arguments import Array
from ...dynamics.arrays.loaded_constants import LoadedConstants
from ...dynamics.arrays.model_arrays import body_to_aligned, rows_of, topology_of
from ...dynamics.transmitted_wrenches import TransmittedWrenches, first_joints
from ...dynamics.workspaces import workspace_of
from ...exceptions import StateError, UnsupportedModelError
from ...kernels.layout import FORCE
from ...kernels.loops.inverse_dynamics import closed_loop_inverse_dynamics as kernel
from ...kernels.loops.structures import DynamicsArrays, Tree
from ...model import SubsystemGraph
from ..assembly.independence import LARGEST_VIOLATION, WORST_CONDITION, raise_if_dependent, raise_if_singular
from ..assembly.mechanism import Mechanism
from ..constraints.constraint_system import ConstraintSystem
from .closing_wrenches import ClosingElements, ClosingWrenches
from .reduced_inertia import reduced_accelerations

__all__ = ["ClosedLoopDynamics", "ClosedLoopSolver", "raise_if_free", "solver_of"]


@dataclass(frozen=True, eq=False)
class ClosedLoopDynamics:
    """What `closed_loop_inverse_dynamics` computes.

    Attributes:
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        coordinates, velocities, accelerations: of all joints, in the order of ``graph.joint_names``;
            ``coordinates`` is the next call's guess.
        wrenches: by loop joint, [force N, moment N m] of the predecessor on the successor, at and in the
            successor's anchor frame.
        tensions: by spring [N].
        rank: of the constraint rows. redundant: the number of rows beyond that.
        condition: condition number of the dependent part of the constraint Jacobian, gears in the units of
            their drivers: large near a dead point.
        residual: by loop joint and gear, the largest violation of its rows [m or 1].
        projection: W (nv, independent), v = W v_independent (`constraint_projection`).
        free: names of the passive joints that neither independent joints nor loops determine. They are
            unactuated, at the guess's position as long as loops close there, with velocity zero; their
            accelerations follow from the dynamics.
        open_tree: what the tree's joints would transmit at this motion without loop joints and springs.
    """

    tau: Array
    multipliers: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    wrenches: Mapping[str, Array]
    tensions: Mapping[str, float]
    rank: int
    redundant: int
    condition: float
    residual: Mapping[str, float]
    projection: Array
    free: tuple[str, ...]
    open_tree: TransmittedWrenches = field(repr=False)

    @cached_property
    def closing_wrenches(self) -> ClosingWrenches:
        """The wrenches of loop joints and springs on their links."""
        elements = workspace_of(self.open_tree.graph, ClosingElements)
        return elements(self.coordinates, self.wrenches, self.tensions)

    @cached_property
    def tree(self) -> TransmittedWrenches:
        """What the tree's joints and connection points transmit: less what loop joints and springs hold."""
        wrenches = self.open_tree.joint_wrenches - self.closing_wrenches.on_joints
        return replace(self.open_tree, joint_wrenches=wrenches)


class ClosedLoopSolver(Mechanism):
    """A mechanism and its dynamics, with everything allocated beforehand. For one thread only.

    Results are values: later calls do not change them.

    Attributes:
        independent_q, independent_v: indices of the independent joints in q (nq,) and in v (nv,).

    Raises:
        UnsupportedModelError: a black box, or a passive or geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        super().__init__(graph)
        system = self.system
        self.independent_q, self.independent_v = system.independent_q, system.independent_v
        self._loaded = LoadedConstants(
            graph,
            system.tree.constants,
            lambda body, wrench: body_to_aligned(system.alignments[body], wrench),
        )
        self._to_bodies, self._first_joints = system.alignments.transpose(0, 2, 1), first_joints(graph)
        self._loop_names = [loop.name for loop in graph.loop_joints]
        self._spring_names = [spring.name for spring in graph.springs]

    def _use(self, system: ConstraintSystem) -> None:
        super()._use(system)
        self._aligned_wrenches = rows_of(system.workspace.newton_euler, len(self.graph.joints))[:-1, FORCE:]

    def residual(self, coordinates: ArrayLike) -> dict[str, float]:
        """By loop joint and gear, the largest violation of its rows [m or 1] at coordinates (nq,)."""
        return self.system.residual(*self.graph.checked(q=coordinates))

    def projection(self, coordinates: ArrayLike) -> Array:
        """W (nv, independent) at closed coordinates (nq,): see :func:`.constraint_projection`.

        Raises:
            SingularityError: a dead point, or too few independent joints. ClosureError: too many.
        """
        return self._projection(coordinates)[:, : len(self.independent_v)]

    def dynamic_projection(self, coordinates: ArrayLike) -> Array:
        """W (nv, independent) with what accelerations of independent joints cause in free coordinates.

        W_i - W_f (W_f^T M W_f)^-1 W_f^T M W_i, so that tau_1 = W^T tau and M1 = W^T M W. Where no
        coordinate is free it is ``projection``; errors as of it.
        """
        (q,) = self.graph.checked(q=coordinates)
        W, count = self._projection(q), len(self.independent_v)
        if W.shape[1] == count:
            return W
        independent, free = W[:, :count], W[:, count:]
        M = mass_matrix(self.graph.tree, q)
        caused = np.array([self._free_motion(free, M, torque) for torque in (free.T @ M @ independent).T])
        result: Array = independent + free @ caused.T.reshape(free.shape[1], count)
        return result

    def _projection(self, coordinates: ArrayLike) -> Array:
        """W of the independent coordinates, then of the free ones."""
        (q,) = self.graph.checked(q=coordinates)
        if not self._is_free_known:
            self._find_free(q)
        W, condition = self.system.projection(q)
        raise_if_singular(self.system, q, condition)
        raise_if_dependent(self.system, q, W)
        return W

    def _free_motion(self, free: Array, M: Array, torques: Array) -> Array:
        """Accelerations (f,) of the free coordinates, W of these (nv, f), against the torques that hold them.

        Zero along motions without inertia, as of a thin rod that spins, where no torque acts on them either.
        """
        return reduced_accelerations(self.graph, free, M, -torques)

    def inverse_dynamics(
        self,
        coordinates: ArrayLike,
        v_independent: ArrayLike,
        vdot_independent: ArrayLike,
        external_wrenches: Mapping[str, ArrayLike] | None = None,
        friction: str = "none",
    ) -> ClosedLoopDynamics:
        """Inverse dynamics at coordinates (nq,) that are closed already; they are not closed again.

        Args:
            coordinates: of all joints, as ``close`` returns them. The residual of the result reports how far
                they are from closed; nothing is raised for it.
            v_independent, vdot_independent: of the independent joints.
            external_wrenches, friction: as of :func:`.closed_loop_inverse_dynamics`, and so the errors.
        """
        checked = self.system.independent.checked
        v, vdot = checked("v", v_independent), checked("vdot", vdot_independent)
        q = self.graph.checked(q=coordinates)[0].copy()
        return self._inverse_dynamics(q, v, vdot, external_wrenches, friction)

    def inverse_dynamics_at(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        guess: ArrayLike | None = None,
        external_wrenches: Mapping[str, ArrayLike] | None = None,
        friction: str = "none",
        diagnose: bool = True,
    ) -> ClosedLoopDynamics:
        """Close the loops at independent coordinates q, then inverse dynamics there."""
        checked = self.system.independent.checked
        q, v, vdot = checked("q", q), checked("v", v), checked("vdot", vdot)
        return self._inverse_dynamics(self.close(q, guess, diagnose), v, vdot, external_wrenches, friction)

    def _inverse_dynamics(
        self,
        q: Array,
        v: Array,
        vdot: Array,
        external_wrenches: Mapping[str, ArrayLike] | None,
        friction: str,
    ) -> ClosedLoopDynamics:
        """The same with checked arguments; q becomes part of the result."""
        if not self._is_free_known:
            self._find_free(q)
        system, graph = self.system, self.graph
        rows, springs = system.rows.arrays, system.springs.arrays
        arrays = self.result_arrays()
        arrays.v[system.independent_v], arrays.vdot[system.independent_v] = v, vdot
        tree = system.tree
        if friction != "none":
            tree = Tree(topology_of(graph, frozenset(), friction), tree.constants)
        if external_wrenches:
            tree = Tree(tree.topology, self._loaded(external_wrenches))
        status, condition, rank, violation = kernel(
            tree, rows, springs, system.split, q, system.workspace, arrays
        )
        if len(system.free) and status == 0 and condition < WORST_CONDITION:
            free = arrays.projection[:, len(v) :]
            accelerations = self._free_motion(free, mass_matrix(graph.tree, q), arrays.tau[system.free])
            arrays = self.result_arrays()
            arrays.v[system.independent_v], arrays.vdot[system.independent_v] = v, vdot
            arrays.vdot[system.free] = accelerations
            status, *_ = kernel(tree, rows, springs, system.split, q, system.workspace, arrays)
        raise_if_singular(system, q, condition)
        if violation > LARGEST_VIOLATION:
            raise_if_dependent(system, q, arrays.projection)
        if status != 0:
            raise StateError("q, v and vdot are finite, but so large that the torques are not")
        return ClosedLoopDynamics(
            tau=arrays.tau[system.independent_v],
            multipliers=arrays.multipliers,
            coordinates=q,
            velocities=arrays.v,
            accelerations=arrays.vdot,
            wrenches=dict(zip(self._loop_names, arrays.cut_wrenches, strict=True)),
            tensions=dict(zip(self._spring_names, arrays.tensions.tolist(), strict=True)),
            rank=rank,
            redundant=len(arrays.multipliers) - rank,
            condition=condition,
            residual=system.rows.by_name(arrays.residual),
            projection=arrays.projection[:, : len(v)],
            free=system.free_joints,
            open_tree=TransmittedWrenches(
                graph,
                q,
                {},
                (self._aligned_wrenches.reshape(-1, 2, 3) @ self._to_bodies).reshape(-1, 6),
                self._first_joints,
            ),
        )

    def result_arrays(self) -> DynamicsArrays:
        """What the kernel writes; velocities and accelerations are zero."""
        system, nv = self.system, self.graph.nv
        rows = system.rows.arrays
        return DynamicsArrays(
            v=np.zeros(nv),
            vdot=np.zeros(nv),
            tau=np.zeros(nv),
            multipliers=np.zeros(len(rows.indices)),
            residual=np.zeros(len(rows.indices)),
            tensions=np.zeros(len(system.springs.arrays.laws)),
            cut_wrenches=np.zeros((len(rows.ends), 6)),
            projection=np.zeros((nv, len(system.split.independent_v))),
        )

    def warm_up(self) -> Array:
        """Compile or load every kernel, so that the first real call is as fast as the others.

        Returns the reference configuration. Raises as `reference`, or because that is a dead point.
        """
        start, rest = super().warm_up(), np.zeros(len(self.independent_v))
        self.inverse_dynamics(start, rest, rest)
        return start


def raise_if_free(graph: SubsystemGraph, dynamics: ClosedLoopDynamics, quantity: str) -> None:
    """Raise UnsupportedModelError where passive joints are free: their motion depends on the torques."""
    if dynamics.free:
        advice = "make these independent"
        if several := [name for name in dynamics.free if graph.joint(name).type.nv > 1]:
            advice += f", with revolute joints in place of {', '.join(several)}: not all coordinates are free"
        raise UnsupportedModelError(
            f"{quantity} of '{graph.name}' cannot be computed: neither loops nor independent joints "
            f"determine its passive joints {', '.join(dynamics.free)}; {advice}"
        )


def solver_of(graph: SubsystemGraph) -> ClosedLoopSolver:
    """This thread's solver of a graph, made on first use."""
    return workspace_of(graph, ClosedLoopSolver)
