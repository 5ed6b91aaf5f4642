"""Four-bar, slider-crank and crane against closed forms: positions, and torques by Lagrange's equation."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.lagrange import Lagrangian
from helpers.oracles.saddle_point import SaddlePoint
from helpers.robots.spatial_mechanisms import platform
from modular_dynamics.loops import close_loops, solver_of
from papers.charmie_torso.mujoco_loops import warn_on_stderr

STEP = 1e-20j  # of complex-step derivatives: exact to the last digit


def corner(a, b, opposite):
    """Law of cosines: the angle between sides a and b; complex lengths allowed."""
    return np.arccos((a * a + b * b - opposite * opposite) / (2 * a * b))


def length(x, y):
    """hypot that is analytic."""
    return np.sqrt(x * x + y * y)


def four_bar(q):
    (crank,) = q
    x, y = 0.05 * np.cos(crank) - 0.15, 0.05 * np.sin(crank)  # the crank's tip, seen from the output's axis
    diagonal = length(x, y)
    output = np.pi + np.arctan(y / x) - corner(diagonal, 0.13, 0.10)
    return {"J1": crank, "J4": output, "J3": np.pi - corner(0.13, 0.10, diagonal)}


def slider_crank(q):
    (crank,) = q
    rod = np.arcsin((0.01 - 0.05 * np.sin(crank)) / 0.15)
    slide = 0.05 * np.cos(crank) + 0.15 * np.cos(rod)
    return {"crank_turn": crank, "rod_swing": rod - crank, "piston_slide": slide}


def crane(q):
    slew, lift, fold = q
    # triangle of the boom's hinge, the lower pin 0.25 m before and 0.9 m below it, and the pin on the boom
    rise = corner(length(0.25, 0.9), length(0.8, 0.1), 0.97 + lift)
    boom = rise + np.arctan2(-0.9, 0.25) - np.arctan2(-0.1, 0.8)
    x, y = 0.8 * np.cos(boom) + 0.1 * np.sin(boom) - 0.25, 0.8 * np.sin(boom) - 0.1 * np.cos(boom) + 0.9
    # and on the boom: the jib's hinge, the rear pin 1.2 m behind and 0.25 m above it, and the pin on the jib
    bend = corner(length(1.2, 0.25), length(0.24, 0.255), 0.96 + fold)
    jib = np.arctan2(0.25, -1.2) - bend - np.arctan2(0.255, -0.24)
    u = -0.24 * np.cos(jib) - 0.255 * np.sin(jib) + 1.2
    w = -0.24 * np.sin(jib) + 0.255 * np.cos(jib) - 0.25
    return {
        "slew": slew,
        "boom_hinge": boom,
        "lift_tube_hinge": np.arctan(y / x),
        "lift_cylinder": lift,
        "jib_hinge": jib,
        "jib_tube_hinge": np.arctan(w / u),
        "jib_cylinder": fold,
    }


CLOSED_FORMS = {"four_bar": four_bar, "slider_crank": slider_crank, "crane": crane}


def places(name, count):
    """Independent coordinates all over the range: turns of a crank, strokes of the cylinders."""
    rng = np.random.default_rng(0)
    if name == "crane":
        return rng.uniform((-3.5, 0.0, 0.0), (3.5, 0.62, 0.53), (count, 3))
    return np.linspace(0.0, 4.0 * np.pi, count)[:, None]


class Reduced(Lagrangian):
    """Lagrange's equation in the independent coordinates, the others by closed form."""

    def __init__(self, graph, closed):
        self.whole, self.closed = Lagrangian(graph), closed
        self.names, self.nv = graph.joint_names, len(graph.independent_joint_names)

    def coordinates(self, q):
        coordinates = self.closed(q)
        return np.array([coordinates[name] for name in self.names])

    def mass_and_potential(self, q):
        W = np.transpose([self.coordinates(q + STEP * unit).imag / STEP.imag for unit in np.eye(self.nv)])
        M, V = self.whole.mass_and_potential(self.coordinates(q))
        return W.T @ M @ W, V


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_coordinates_are_those_of_the_closed_form(load_robot, name):
    graph = load_robot(name, strict=True)
    oracle = Reduced(graph, CLOSED_FORMS[name])
    guess = None
    for q in places(name, 361):
        expected = oracle.coordinates(q)
        # the loops are closed to 1e-10; the condition number stays below 10
        assert close_loops(graph, q) == pytest.approx(expected, abs=1e-9)
        guess = close_loops(graph, q, guess)
        assert guess == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_torques_are_those_of_virtual_power(load_robot, name, gravity):
    graph = load_robot(name, gravity=gravity)
    oracle = Reduced(graph, CLOSED_FORMS[name])
    rng = np.random.default_rng(1)
    for q in places(name, 25):
        v, a = rng.normal(size=(2, len(q)))
        result = md.InverseDynamics(graph).solve(q, v, a)
        expected = oracle.torques(q, v, a)
        scale = 1.0 + np.abs(expected).max()
        assert result.tau == pytest.approx(expected, abs=1e-9 * scale)  # the oracle's finite differences
        assert max(result.residual.values()) < 1e-10


def test_four_bar_has_the_public_parameters(load_robot):
    graph = load_robot("four_bar")
    assert graph.independent_joint_names == ("J1",)
    members = [[joint.name for joint in subsystem.joints] for subsystem in graph.subsystems]
    assert members == [["J1"], ["J4", "J3"]]  # I: crank; II: output and coupler
    bodies = {body.name: body for body in graph.bodies}
    for name, mass, bar in (("crank", 1.5, 0.05), ("coupler", 3.0, 0.10), ("output", 5.0, 0.13)):
        body = bodies[name]
        assert body.mass == mass
        assert body.com == pytest.approx([bar / 2, 0.0, 0.0], abs=1e-16)
        assert body.inertia[2, 2] == pytest.approx(mass * bar**2 / 12, rel=1e-15)


def test_four_bar_closes_at_the_published_angle(load_robot):
    graph = load_robot("four_bar")
    angle = np.degrees(close_loops(graph, [0.0])[graph.q_slice("J4")])
    assert angle == pytest.approx(130.5416, abs=5e-5)  # its four digits


def test_crane_strokes_reach_from_level_to_folded(load_robot):
    graph = load_robot("crane")
    poses = [close_loops(graph, q) for q in ([0, 0, 0], [0, 0.62, 0.53])]
    hinges = [graph.q_slice(name).start for name in ("boom_hinge", "jib_hinge")]
    angles = [np.degrees(pose[hinge]) for hinge in hinges for pose in poses]
    assert angles == pytest.approx([0, 64.5, 0, -98.9], abs=0.1)  # as urdf/README.md says


# The four-bar over a full turn at 45 rpm: against MuJoCo and Pinocchio.

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
    order = md.joint_order.from_pinocchio(graph, model)
    assert order.names == graph.joint_names == ("J1", "J4", "J3")
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
        q, v = order.to_q(result.coordinates), result.velocities
        tau = np.array([result.tau[0], 0.0, 0.0])
        a = pin.constraintDynamics(model, data, q, v, tau, constraints, kept, settings)
        scale = 1.0 + np.abs(result.accelerations).max()
        assert a == pytest.approx(result.accelerations, abs=1e-8 * scale)
        # the force of the crank on the coupler, in the crank's frame there and in the coupler's here
        between = pin.SE3(data.oMi[crank]).actInv(data.oMi[coupler]).rotation
        force = between @ result.wrenches["J2"][:3]
        assert np.abs(force) == pytest.approx(np.abs(kept[0].contact_force.linear), abs=1e-7)


# A platform on six legs (Stewart) as one passive floating joint, against Pinocchio and its other tree.

RATES = np.random.default_rng(0).normal(size=(2, 6))


@pytest.fixture(scope="module")
def floating():
    return platform(floating=True)


@pytest.fixture(scope="module")
def carried():
    """The same platform, carried by its first leg."""
    return platform()


def pose_of(graph, coordinates):
    return md.frame_poses(graph.tree, coordinates, ["platform"])[0]


@pytest.mark.parametrize("seed", range(3))
def test_both_trees_give_the_same_torques(floating, carried, seed):
    q = 0.05 * np.random.default_rng(seed).normal(size=6)
    results = [md.InverseDynamics(graph).solve(q, *RATES) for graph in (floating, carried)]
    assert results[0].tau == pytest.approx(results[1].tau, rel=1e-10, abs=1e-10)
    poses = [pose_of(graph, r.coordinates) for graph, r in zip((floating, carried), results, strict=True)]
    assert poses[0] == pytest.approx(poses[1], abs=1e-9)


def test_it_is_followed_over_a_long_motion(floating):
    """Legs that move apart turn the platform by much; every pose agrees with Pinocchio's system."""
    solver, coordinates = solver_of(floating), None
    known = np.zeros(floating.nv, bool)
    known[solver.independent_v] = True
    turned = 0.0
    for part in np.linspace(0.0, 1.0, 6):
        q = part * np.array([0.25, -0.1, 0.2, -0.15, 0.2, -0.1])
        result = md.InverseDynamics(floating).solve(q, *RATES, guess=coordinates)
        coordinates, full = result.coordinates, np.zeros(floating.nv)
        full[solver.independent_v] = RATES[1]
        oracle = SaddlePoint(floating, coordinates, result.velocities)
        assert oracle.open < 1e-11
        accelerations, tau, _ = oracle.solve(known, full, np.zeros(floating.nv))
        assert np.abs(result.tau - tau).max() <= 1e-10 * np.abs(tau).max()
        assert np.abs(result.accelerations - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
        quaternion = coordinates[floating.q_slice("pose")][3:]
        assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-12)
        turned = max(turned, Rotation.from_quat(quaternion[[1, 2, 3, 0]]).magnitude())
    assert turned > 0.3
    assert md.close_loops(floating, q) == pytest.approx(coordinates, abs=1e-8)  # at once, from zero


def test_it_closes_from_a_guess_far_away(floating):
    closed = md.close_loops(floating, np.full(6, 0.03))
    guess = closed.copy()
    pose = floating.q_slice("pose")
    guess[pose] += [0.1, -0.1, 0.1, 0.5, 0.1, -0.1, 0.2]  # not of unit length
    again = md.close_loops(floating, np.full(6, 0.03), guess)
    assert again == pytest.approx(closed, abs=1e-8)
