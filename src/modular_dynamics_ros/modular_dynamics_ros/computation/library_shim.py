"""To go when the library has these itself."""

import numpy as np

import modular_dynamics as md
from modular_dynamics.closure import constraint_projection
from modular_dynamics.closure.assembly.mechanism import mechanism
from modular_dynamics.closure.dynamics.inverse_dynamics import closed_loop_inverse_dynamics


class InverseDynamicsResult:
    def __init__(self, tau, stamped):
        self.tau, self._stamped = tau, stamped

    def connection_wrench_in_link(self, index):
        return self._stamped[index]


class InverseDynamics(md.InverseDynamics):
    def solve(self, q, v, vdot, external_wrenches=None, black_box_wrenches=None):
        tau = self(q, v, vdot, external_wrenches, black_box_wrenches)
        stamped = [self.stamped_wrench(k) for k in range(len(self.graph.subsystems))]
        return InverseDynamicsResult(tau, [(link, np.array(w)) for link, w in stamped])


class _Closed:
    def __init__(self, found, projection):
        self._found, self.projection = found, projection

    def __getattr__(self, name):
        return getattr(self._found, name)


class ClosedLoopSolver:
    def __init__(self, graph):
        self.graph = graph
        self._m = mechanism(graph)

    def close(self, q, guess=None):
        return self._m.positions(self._m.checked(q, np.zeros(len(self._m.independent_v)))[0], guess).copy()

    def inverse_dynamics(self, coordinates, v, vdot, external=None):
        q = coordinates[self._m.independent_q]
        found = closed_loop_inverse_dynamics(self.graph, q, v, vdot, coordinates, external)
        return _Closed(found, constraint_projection(self.graph, q, coordinates))

    def residual(self, coordinates):
        return self._m.residual(coordinates)

    def reference(self):
        return self._m.warm_up().copy()
