"""Hybrid dynamics of trees and of `connect` constraints, by MuJoCo's M, bias and Jacobians.

The system is that of saddle_point.py; MuJoCo's soft constraint forces play no part.
"""

import mujoco
import numpy as np

import modular_dynamics as md
from helpers.oracles.saddle_point import SaddlePoint


class MujocoSaddlePoint(SaddlePoint):
    """M, h and the rows of all `connect` constraints at one state (q, v in the graph's order).

    Attributes:
        M, h, J, drift: in the graph's order. open: the largest distance of two connected points [m].
    """

    def __init__(self, graph, model, q, v):
        data, nv = mujoco.MjData(model), graph.nv
        joints = md.joint_order.from_mujoco(graph, model)
        data.qpos[:], data.qvel[:] = joints.to_q(q), joints.to_v(v, q)
        mujoco.mj_forward(model, data)
        # columns: MuJoCo's velocities for one of the graph's
        order = np.array([joints.to_v(unit, q) for unit in np.eye(nv)]).T
        M = np.zeros((nv, nv))
        mujoco.mj_fullM(model, data, M)
        self.M, self.h = order.T @ M @ order, order.T @ (data.qfrc_bias - data.qfrc_passive)
        rows, drift, self.open = [np.zeros((0, nv))], [np.zeros(0)], 0.0
        for k in range(model.neq):
            ends = [
                self._end(model, data, body, anchor)
                for body, anchor in (
                    (model.eq_obj1id[k], model.eq_data[k, :3]),
                    (model.eq_obj2id[k], model.eq_data[k, 3:6]),
                )
            ]
            rows.append((ends[1][1] - ends[0][1]) @ order)
            drift.append((ends[1][2] - ends[0][2]) @ data.qvel)
            self.open = max(self.open, np.abs(ends[1][0] - ends[0][0]).max())
        self.J, self.drift = np.vstack(rows), np.concatenate(drift)

    @staticmethod
    def _end(model, data, body, anchor):
        """Position of a point of a body, its Jacobian and the rate of that."""
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ anchor
        J, rate, turn = np.zeros((3, 3, model.nv))
        mujoco.mj_jac(model, data, J, turn, point, body)
        mujoco.mj_jacDot(model, data, rate, turn, point, body)
        return point, J, rate

    def solve(self, known, a, tau):
        """a (nv,), and tau (nv,) with the torques of the joints whose accelerations are known, by mask."""
        accelerations, efforts, _ = super().solve(known, a, tau)
        torques = np.where(known, 0.0, tau)
        torques[known] = efforts
        return accelerations, torques
