"""MuJoCo's inverse dynamics on the model that a graph was loaded from (load_mjcf), as a check of the graph.

The tree is compared with mj_inverse. Loops, whose constraints are soft there, are compared by its constraint
Jacobian J: J v = 0, and forces f of the constraints with (tau_tree - J^T f)_d = 0 at the dependent joints.
"""

from collections.abc import Mapping
from copy import copy
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md

Array = NDArray[np.float64]
OFF = (
    mujoco.mjtDisableBit.mjDSBL_LIMIT
    | mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
)
CONSTRAINTS = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
LEAST = 1e-9  # smaller torques are rounding
RANK = 1e-9  # smaller singular values, relative to the largest, count as zero


class LoopDifferences(NamedTuple):
    """Of a closed configuration, from MuJoCo's.

    Attributes:
        position: of the constraints [m or rad]. velocity: of J v, relative to v. torque: relative.
    """

    position: float
    velocity: float
    torque: float


def rigid_bodies(model: mujoco.MjModel, tendons: bool) -> mujoco.MjModel:
    """A copy without what a graph leaves out: friction, gravity compensation, the medium; perhaps tendons."""
    rigid = copy(model)
    rigid.opt.disableflags |= OFF
    rigid.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    rigid.opt.density = rigid.opt.viscosity = 0.0
    of_joints, of_actuators = ("dof_damping", "dof_dampingpoly"), ("actuator_damping", "actuator_dampingpoly")
    for name in (*of_joints, *of_actuators, "tendon_dampingpoly", "body_gravcomp"):
        if (values := getattr(rigid, name, None)) is not None:
            values[:] = 0.0
    for joint in np.flatnonzero(rigid.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        start = rigid.jnt_dofadr[joint]
        rigid.dof_armature[start : start + 6] = 0.0
    without = slice(None) if not tendons else rigid.tendon_stiffness == 0.0
    rigid.tendon_stiffness[without] = rigid.tendon_damping[without] = 0.0
    mujoco.mj_setConst(rigid, mujoco.MjData(rigid))
    return rigid


def in_mujoco(graph, model, q, v, a, held=()):
    """Return qpos, qvel and qacc of a state; ``held``: positions by name of joints that the graph lacks."""
    order, qpos, rest = md.joint_order.from_mujoco(graph, model), model.qpos0.copy(), np.zeros(model.nv)
    for name, value in dict(held).items():
        qpos[model.joint(name).qposadr] = value
    return order.to_q(q, qpos), order.to_v(v, q, rest), order.to_a(a, q, v, rest)


def tree_difference(
    graph: md.SubsystemGraph, model: mujoco.MjModel, held: Mapping[str, float] | None = None
) -> float:
    """The largest difference of torques from mj_inverse, relative, in random states of the open tree."""
    rigid, worst, rng = rigid_bodies(model, False), 0.0, np.random.default_rng(0)
    rigid.opt.disableflags |= CONSTRAINTS
    data, order = mujoco.MjData(rigid), md.joint_order.from_mujoco(graph, model)
    for _ in range(3):
        q, v, a = (rng.normal(size=n) for n in (graph.nq, graph.nv, graph.nv))
        data.qpos[:], data.qvel[:], data.qacc[:] = in_mujoco(graph, model, q, v, a, held or {})
        mujoco.mj_inverse(rigid, data)
        theirs = order.from_tau(data.qfrc_inverse, q)
        worst = max(worst, relative(md.inverse_dynamics(graph.tree, q, v, a), theirs))
    return worst


def loop_differences(
    graph: md.SubsystemGraph, model: mujoco.MjModel, held: Mapping[str, float] | None = None
) -> LoopDifferences:
    """Of closed-loop inverse dynamics near the reference position, at random velocities and accelerations.

    Raises ModularDynamicsError: the loops are not solved.
    """
    rigid, rng = rigid_bodies(model, True), np.random.default_rng(0)
    names = graph.independent_joint_names
    order = md.joint_order.from_mujoco(graph, model)
    guess = order.from_q(model.qpos0)
    q = guess[[k for name in names for k in range(graph.nq)[graph.q_slice(name)]]]
    independent = np.array([k for name in names for k in range(graph.nv)[graph.v_slice(name)]], int)
    v, a = rng.normal(size=(2, len(independent)))
    ours = md.InverseDynamics(graph).solve(q, v, a, guess=guess)
    data = mujoco.MjData(rigid)
    motion = ours.coordinates, ours.velocities, ours.accelerations
    data.qpos[:], data.qvel[:], data.qacc[:] = in_mujoco(graph, model, *motion, held or {})
    mujoco.mj_inverse(rigid, data)
    equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    J, position = data.efc_J[: data.nefc * rigid.nv].reshape(-1, rigid.nv)[equality], data.efc_pos[equality]
    velocity = np.abs(J @ data.qvel).max(initial=0.0) / max(float(np.abs(data.qvel).max()), LEAST)
    tau = order.from_tau(data.qfrc_inverse + data.qfrc_constraint, motion[0])  # of the tree
    J = order.from_tau(J, motion[0])
    dependent = np.setdiff1d(np.arange(graph.nv), independent)
    force = np.linalg.lstsq(J[:, dependent].T, tau[dependent], rcond=RANK)[0]
    theirs = (tau - J.T @ force)[independent]
    return LoopDifferences(
        float(np.abs(position).max(initial=0.0)), float(velocity), relative(ours.tau, theirs)
    )


def relative(ours: Array, theirs: Array) -> float:
    """The largest difference, relative to the largest of theirs."""
    scale = max(float(np.abs(theirs).max(initial=0.0)), LEAST)
    return float(np.abs(ours - theirs).max(initial=0.0)) / scale
