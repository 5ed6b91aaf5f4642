"""MuJoCo on closed loops: RNE of the tree, the Jacobian of its equality constraints, and NumPy's solver.

mj_inverse does not answer the question: it takes the constraints as soft, and gives torques of all joints.
Called are mj_kinematics, mj_comPos, mj_makeConstraint (one `connect` for each loop, three rows), mj_comVel
and mj_rne. The first state is set beforehand; the states of a batch are copied into MuJoCo's data one by one.
"""

import mujoco
import numpy as np

from benchmark.peers.closed_loops.problem import ClosedStates
from benchmark.peers.mujoco_loops import SITE, parsed_without_shapes, rigid_model, specification
from benchmark.peers.pinocchio_loops import PinocchioLoops
from benchmark.setting.robots import Array
from benchmark.setting.timing import Timed

__all__ = ["MujocoClosed"]


class MujocoClosed:
    """A robot and its closed states; springs are evaluated beforehand.

    Attributes:
        timed: "single", the first state, and "batch".
        torques: "single" (independent,) and "batch" (count, independent), after a call.
    """

    def __init__(self, states: ClosedStates) -> None:
        graph = states.graph
        self.model = _model(states)
        self.data = mujoco.MjData(self.model)
        names = graph.joint_names
        index = {name: int(self.model.joint(name).dofadr[0]) for name in names}
        order = np.argsort([index[name] for name in names])  # all joints have one coordinate here
        self.q, self.v, self.a = (
            np.ascontiguousarray(rows[:, order])
            for rows in (states.coordinates, states.velocities, states.accelerations)
        )
        pinocchio = PinocchioLoops(graph.urdf, [])
        springs = states.spring_torques(pinocchio)
        self.springs = springs[:, [pinocchio.index(names[k]) for k in order]]
        self.reduction = states.reduction(index.__getitem__, square=False)
        count, nv = self.v.shape
        self._shape = 3 * len(states.cuts), nv
        self._stack, self._tree = np.empty((count, *self._shape)), np.empty((count, nv))
        self._tau = np.empty(nv)
        # set last: the single call is timed with the first state in place
        self._one = mujoco.MjData(self.model)
        self._one.qpos, self._one.qvel, self._one.qacc = self.q[0], self.v[0], self.a[0]
        self._rows = list(zip(self.q, self.v, self.a, self._tree, strict=True))
        self.torques: dict[str, Array] = {}
        self.timed: Timed = {"single": (self._single, 1), "batch": (self._batch, count)}

    def _single(self) -> None:
        tau = self._tau
        J = self._evaluate(self._one, tau)
        self.torques["single"] = self.reduction(J, tau - self.springs[0])

    def _batch(self) -> None:
        data, stack = self.data, self._stack
        q_data, v_data, a_data = data.qpos, data.qvel, data.qacc
        for k, (q, v, a, tau) in enumerate(self._rows):
            q_data[:], v_data[:], a_data[:] = q, v, a
            stack[k] = self._evaluate(data, tau)
        self.torques["batch"] = self.reduction(stack, self._tree - self.springs)

    def _evaluate(self, data: mujoco.MjData, tau: Array) -> Array:
        model = self.model
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeConstraint(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, tau)
        J: Array = data.efc_J.reshape(self._shape)
        return J


def _model(states: ClosedStates) -> mujoco.MjModel:
    """Return the tree by MuJoCo's own parser, with a `connect` constraint for each cut joint."""
    spec = specification(parsed_without_shapes(states.graph.urdf))
    for k, cut in enumerate(states.cuts):
        sites = [f"cut {k} {end}" for end in (0, 1)]
        for site, link, point in zip(sites, cut.links, cut.points, strict=True):
            spec.body(link).add_site(name=site, pos=point)
        equality = spec.add_equality(name1=sites[0], name2=sites[1], objtype=SITE)
        equality.type = mujoco.mjtEq.mjEQ_CONNECT
    model = rigid_model(spec)
    model.opt.gravity[:] = states.graph.gravity
    return model
