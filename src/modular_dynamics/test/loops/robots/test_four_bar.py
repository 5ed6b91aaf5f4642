"""The four-bar over a full turn at 45 rpm: against MuJoCo and Pinocchio."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_loops import warn_on_stderr

warn_on_stderr()
CRANK, COUPLER = 0.05, 0.10  # lengths [m]
SPEED = 45 * 2 * np.pi / 60
TURN = np.linspace(0.0, 2.0 * np.pi, 121)
GRAVITIES = {"with gravity": (0.0, 0.0, -9.81), "without gravity": (0.0, 0.0, 0.0)}

MJCF = """<mujoco><compiler angle="radian"/><option gravity="{gravity}"/><worldbody>
  <body euler="1.5707963267948966 0 0"><joint name="J1" axis="0 0 1"/><site name="crank" pos="0.05 0 0"/>
    <inertial pos="0.025 0 0" mass="1.5" diaginertia="1.875e-05 0.0003125 0.0003125"/></body>
  <body pos="0.15 0 0" euler="1.5707963267948966 0 0"><joint name="J4" axis="0 0 1"/>
    <inertial pos="0.065 0 0" mass="5" diaginertia="6.25e-05 0.0070416666666666666 0.0070416666666666666"/>
    <body pos="0.13 0 0"><joint name="J3" axis="0 0 1"/><site name="coupler" pos="0.1 0 0"/>
      <inertial pos="0.05 0 0" mass="3" diaginertia="3.75e-05 0.0025 0.0025"/></body></body></worldbody>
  <equality><connect site1="crank" site2="coupler"/></equality></mujoco>"""


@pytest.fixture(params=GRAVITIES.values(), ids=GRAVITIES, scope="module")
def gravity(request):
    return request.param


@pytest.fixture(scope="module")
def turn(load_robot, gravity):
    """The mechanism, and its inverse dynamics at each crank angle."""
    graph, guess, results = load_robot("four_bar", gravity=gravity), None, []
    for angle in TURN:
        results.append(md.InverseDynamics(graph).solve([angle], [SPEED], [0.0], guess=guess))
        guess = results[-1].coordinates
    return graph, results


def test_mujoco_agrees(turn, gravity):
    """Its M, bias and Jacobian of the connect constraint, whose softness plays no part that way."""
    model = mujoco.MjModel.from_xml_string(MJCF.format(gravity=" ".join(map(str, gravity))))
    data = mujoco.MjData(model)

    def jacobian(q):
        data.qpos[:], data.qvel[:] = q, 0.0
        mujoco.mj_forward(model, data)
        assert data.nefc == 3
        return np.array(data.efc_J).reshape(3, 3)

    for result in turn[1]:
        q = result.coordinates
        J = jacobian(q)
        # the output's and coupler's share from the crank's; a row along the axes is zero
        others = -np.linalg.lstsq(J[:, 1:], J[:, 0], rcond=1e-9)[0]
        W = np.array([1.0, *others])
        v = W * SPEED
        assert v == pytest.approx(result.velocities, abs=1e-8)
        step = 1e-5
        rate = (jacobian(q + step * v) - jacobian(q - step * v)) / (2 * step)
        a = np.array([0.0, *np.linalg.lstsq(J[:, 1:], -rate @ v, rcond=1e-9)[0]])
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        inertia = np.zeros(3)
        mujoco.mj_mulM(model, data, inertia, a)
        # central differences of J: 1e-5^2 times its third derivatives, some 1e2, times the inertia, 0.1
        assert result.tau == pytest.approx(W @ (inertia + data.qfrc_bias), abs=1e-7)


def test_pinocchio_agrees(turn, gravity):
    """Its forward dynamics with a rigid constraint, under our torque, gives our accelerations and forces."""
    graph, results = turn
    model = pin.buildModelFromXML(graph.urdf)
    model.gravity.linear = np.array(gravity)
    assert [*model.names][1:] == ["J1", "J4", "J3"]
    ends = [pin.SE3(np.eye(3), np.array([length, 0.0, 0.0])) for length in (CRANK, COUPLER)]
    crank, coupler = model.getJointId("J1"), model.getJointId("J3")
    kind, frame = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
    pinned = pin.RigidConstraintModel(kind, model, crank, ends[0], coupler, ends[1], frame)
    constraints, kept = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    data = model.createData()
    constraints.append(pinned)
    kept.append(pinned.createData())
    pin.initConstraintDynamics(model, data, constraints, kept)
    # mu: the row along the axes is redundant; its multiplier is zero, so that mu costs no accuracy there,
    # and iterations take its trace out of the others
    settings = pin.ProximalSettings(1e-14, 1e-10, 50)
    for result in results:
        q, v = (np.asarray(x) for x in (_pinocchio_q(model, result.coordinates), result.velocities))
        tau = np.array([result.tau[0], 0.0, 0.0])
        a = pin.constraintDynamics(model, data, q, v, tau, constraints, kept, settings)
        scale = 1.0 + np.abs(result.accelerations).max()
        assert a == pytest.approx(result.accelerations, abs=1e-8 * scale)
        # the force of the crank on the coupler, in the crank's frame there and in the coupler's here
        between = pin.SE3(data.oMi[crank]).actInv(data.oMi[coupler]).rotation
        force = between @ result.wrenches["J2"][:3]
        assert np.abs(force) == pytest.approx(np.abs(kept[0].contact_force.linear), abs=1e-7)


def _pinocchio_q(model, coordinates):
    """Its continuous joints stand as cosine and sine."""
    q = []
    for joint, angle in zip([*model.joints][1:], coordinates, strict=True):
        q += [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
    return q


def test_forward_dynamics_is_the_inverse(turn):
    graph, results = turn
    for result in results:
        back = md.constrained_dynamics(graph, result.coordinates, result.velocities, result.tau)
        scale = 1.0 + np.abs(result.accelerations).max()
        assert back.a == pytest.approx(result.accelerations, abs=1e-9 * scale)
        assert back.multipliers == pytest.approx(result.multipliers, abs=1e-8)
        assert (back.rank, result.rank, result.redundant) == (2, 2, 3)
