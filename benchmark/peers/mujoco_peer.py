"""MuJoCo on the same URDF, without shapes, contacts, limits, friction and damping: rigid bodies only."""

from functools import cached_property

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import Array, States
from benchmark.setting.timing import Timed

try:
    import mujoco

    from papers.charmie_torso.mujoco_loops import parsed_without_shapes, rigid_model, specification
except ImportError:  # an optional peer
    mujoco = None


class UnsupportedRobotError(Exception):
    """MuJoCo is not installed or does not support this robot's joints; the message says which."""


class MujocoPeer:
    """MuJoCo's model of a graph. State and torques are set beforehand: copying them is not timed."""

    def __init__(self, graph: md.SubsystemGraph, states: States, tau: Array) -> None:
        if mujoco is None:
            raise UnsupportedRobotError("mujoco is not installed")
        try:
            spec = specification(parsed_without_shapes(graph.urdf))
            spec.compiler.fusestatic = True  # fewer bodies: faster
            self.model = rigid_model(spec)
        except ValueError as error:
            raise UnsupportedRobotError(f"MuJoCo: {' '.join(str(error).split())}") from None
        names = [mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(self.model.njnt)]
        if self.model.nq != self.model.nv or sorted(filter(None, names)) != sorted(graph.joint_names):
            raise UnsupportedRobotError("MuJoCo reads neither mimic nor floating joints from a URDF")
        # all joints have one coordinate here
        self._order = np.array([self.model.joint(name).dofadr[0] for name in graph.joint_names])
        model = self.model
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        model.opt.gravity[:] = graph.gravity
        self._inverse, self._forward = self._data(states), self._data(states)
        self._forward.qfrc_applied[self._order] = tau
        self._tau, self._matrix = np.empty(model.nv), np.empty((model.nv, model.nv))

    def _data(self, states: States) -> mujoco.MjData:
        data = mujoco.MjData(self.model)
        for theirs, ours in zip((data.qpos, data.qvel, data.qacc), states.first, strict=True):
            theirs[self._order] = ours
        return data

    @cached_property
    def timed(self) -> Timed:
        """Return whole pipelines, and the fewest steps to torques or a mass matrix, sparse and full."""
        model, inverse, forward = self.model, self._inverse, self._forward
        return {
            "mj_inverse": (lambda: mujoco.mj_inverse(model, inverse), 1),
            "mj kinematics + rne": (self._rne, 1),
            "mj kinematics + crb": (self._crb, 1),
            "mj kinematics + crb + full": (self._full, 1),
            "mj_forward": (lambda: mujoco.mj_forward(model, forward), 1),
        }

    def _rne(self) -> None:
        mujoco.mj_kinematics(self.model, self._inverse)
        mujoco.mj_comPos(self.model, self._inverse)
        mujoco.mj_comVel(self.model, self._inverse)
        mujoco.mj_rne(self.model, self._inverse, 1, self._tau)

    def _crb(self) -> None:
        mujoco.mj_kinematics(self.model, self._inverse)
        mujoco.mj_comPos(self.model, self._inverse)
        mujoco.mj_crb(self.model, self._inverse)

    def _full(self) -> None:
        self._crb()
        mujoco.mj_fullM(self.model, self._inverse, self._matrix)

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call, in the graph's order."""
        self._rne()
        mujoco.mj_forward(self.model, self._forward)
        self._full()
        order = self._order
        return {
            "mj kinematics + rne": ("torques", self._tau[order]),
            "mj kinematics + crb + full": ("mass matrix", self._matrix[np.ix_(order, order)]),
            "mj_forward": ("accelerations", self._forward.qacc[order]),
        }
