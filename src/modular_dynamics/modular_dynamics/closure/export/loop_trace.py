"""A robot whose loops are all solved in closed form, as operations on its independent coordinates."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...codegen.program import Program, Symbol
from ...codegen.tracing import Symbols, uncompiled
from ...dynamics.arrays.arguments import Array
from ...dynamics.export.algorithms import INVERSE_DYNAMICS, MASS_MATRIX
from ...dynamics.export.procedures import Trace
from ...kernels.loops.planar.steps import branch_signs
from ..assembly.mechanism import FARTHEST
from ..dynamics.solver import ClosedLoopSolver
from .planar_positions import positions, steps_of
from .planar_rates import complete, drift, linear_steps, transmit
from .spring_forces import spring_torques

__all__ = ["LoopTrace"]


class LoopTrace:
    """A program of the independent q, v and third vector.

    Attributes:
        vectors: their names and lengths. q (nq,): coordinates of all joints. v, third: of independent joints
            (p,). zeros (nv,). reach: what must be positive for the loops to close.
    """

    def __init__(self, solver: ClosedLoopSolver, name: str, third: str, near: Array) -> None:
        graph, program = solver.graph, Program()
        self.graph, self.name, self.program = graph, name, program
        self._independent = solver.independent_v.tolist()
        lengths = len(solver.independent_q), len(self._independent), len(self._independent)
        self.vectors = tuple(zip(("q", "v", third), lengths, strict=True))
        q, self.v, self.third = (
            [program.input(vector, k) for k in range(length)] for vector, length in enumerate(lengths)
        )
        steps = []
        if solver.explicit is not None:
            arrays = solver.explicit.arrays
            signs = np.zeros(len(arrays.steps))
            uncompiled(branch_signs)(arrays, near, signs)  # once: not worth compiling
            steps = steps_of(arrays, signs)
        known = dict(zip(solver.independent_q.tolist(), q, strict=True))
        self.q, reach = positions(program, steps, known, near)
        self.reach = [*self._distances(solver, q, near), *reach]
        in_v = {
            graph.q_slice(joint).start: graph.v_slice(joint).start
            for joint in graph.joint_names
            if graph.joint(joint).type.nv == 1
        }
        self._steps = linear_steps(program, steps, self.q, in_v)
        self.zeros = dict.fromkeys(range(graph.nv), program.constant(0.0))

    def velocities(self, independent: Sequence[Symbol | float]) -> Symbols:
        """Velocities (nv,) of all joints."""
        rates = self._given(independent)
        complete(self.program, self._steps, rates)
        return rates

    def accelerations(self, independent: Sequence[Symbol | float], v: Symbols) -> Symbols:
        """Accelerations (nv,) of all joints at velocities (nv,)."""
        rates = self._given(independent)
        complete(self.program, self._steps, rates, [drift(self.program, one, v) for one in self._steps])
        return rates

    def projection(self) -> list[Symbols]:
        """W column by column: velocities (nv,) for one unit of each independent one."""
        count = len(self._independent)
        return [self.velocities([float(k == column) for k in range(count)]) for column in range(count)]

    def torques(
        self, v: Symbols, vdot: Symbols, of_joints: bool = True, of_springs: bool = True
    ) -> list[Symbol]:
        """Torques of the independent joints (p,) at velocities and accelerations (nv,) of all joints.

        Without those of springs at joints, or without those of springs between links.
        """
        tree = self._tree(v, vdot)
        tau = dict(enumerate(tree.symbols(INVERSE_DYNAMICS, v, vdot, with_springs=of_joints)))
        if of_springs and self.graph.springs:
            for k, torque in enumerate(spring_torques(tree, self.graph.springs, v)):
                tau[k] = tau[k] + torque
        transmit(self._steps, tau)
        return [tau[k] for k in self._independent]

    def mass_matrix(self) -> list[list[Symbol]]:
        """M1 = W^T M W (p, p): each column is M times one of W, transmitted to the independent joints."""
        n, W, zero = self.graph.nv, self.projection(), self.program.constant(0.0)
        entries = self._tree(self.zeros, self.zeros).symbols(MASS_MATRIX, self.zeros, self.zeros)
        columns = []
        for w in W:
            tau = {i: sum((entries[i * n + k] * w[k] for k in range(n)), zero) for i in range(n)}
            transmit(self._steps, tau)
            columns.append([tau[k] for k in self._independent])
        count = len(columns)
        return [[columns[max(i, k)][min(i, k)] for k in range(count)] for i in range(count)]  # symmetric

    def _distances(self, solver: ClosedLoopSolver, q: Sequence[Symbol], near: Array) -> Iterator[Symbol]:
        """Positive where what drives loops is as near as the library demands: large angles lose digits."""
        start = near[solver.independent_q].tolist()
        for symbol, place, reach in zip(q, start, solver.system.reach.tolist(), strict=True):
            if reach > 0.0:
                away = reach / FARTHEST * (symbol - place)
                yield 1.0 - away * away

    def _given(self, independent: Sequence[Symbol | float]) -> Symbols:
        zero = self.program.constant(0.0)
        return dict(self.zeros) | {k: zero + x for k, x in zip(self._independent, independent, strict=True)}

    def _tree(self, v: Symbols, third: Symbols) -> Trace:
        return Trace(self.graph.tree, self.name, self.program, (self.q, v, third))
