"""Motions over ten seconds: energy, closed loops, singularities, gears of large ratio, arguments."""

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.motions import kinetic, pendulum
from helpers.random_examples.examples import some
from helpers.robots.four_bar_windows import closed_rods, four_rods, standing, windows
from helpers.robots.urdf_text import inertial, joint
from modular_dynamics.exceptions import SingularityError
from modular_dynamics.modular import gaits

TIMES = np.linspace(0.0, 10.0, 401)


def test_four_bar_from_rest_keeps_energy_and_stays_closed(load_robot):
    graph = load_robot("four_bar")
    motion = md.simulate(graph, [0.3], [0.0], None, 10.0)
    assert motion.t[-1] == 10.0
    assert np.ptp(motion.energy) < 1e-6 * kinetic(graph, motion)
    assert motion.residual.max() < 1e-9
    assert np.ptp(motion.coordinates[:, 0]) > 3.0  # it has moved
    states = zip(motion.coordinates, motion.velocities, strict=True)
    rates = [md.explicit_constraint_jacobian(graph, q[:1], q)[:, 0] * v[0] for q, v in states]
    assert motion.velocities == pytest.approx(np.array(rates), abs=1e-9 * np.abs(rates).max())


@pytest.mark.nightly
def test_four_bar_through_the_output_s_singular_configurations(load_robot):
    """Described by the output, which turns round where the crank goes on: the same motion as by the crank."""
    graph = load_robot("four_bar")
    other = graph.with_independent_joints("J4")
    start = md.close_loops(graph, [1.0])
    speed = md.explicit_constraint_jacobian(graph, [1.0])[:, 0] * 12.0
    times = TIMES[TIMES <= 6.0]
    by_crank = md.simulate(graph, [1.0], [12.0], None, 6.0, times=times)
    by_output = md.simulate(other, [start[1]], [speed[1]], None, 6.0, times=times, guess=start)
    turns = by_output.velocities[:, 1]
    assert (np.diff(np.sign(turns)) != 0).sum() > 20  # singular configurations passed
    assert abs(by_crank.coordinates[-1, 0]) > 20.0  # the crank turns fully
    # tolerances of 1e-10 grow with time along a motion of some 12 rad/s
    assert by_output.coordinates == pytest.approx(by_crank.coordinates, abs=1e-6)
    for motion in (by_crank, by_output):
        assert np.ptp(motion.energy) < 1e-6 * kinetic(graph, motion)
        assert motion.residual.max() < 1e-9


def test_the_singular_configuration_itself_is_reported(load_robot):
    """Crank and coupler in line: the output cannot say which way they go."""
    graph = load_robot("four_bar").with_independent_joints("J4")
    # of a triangle with side 0.05 + 0.10
    corner = np.arccos((0.15**2 + 0.13**2 - 0.15**2) / (2 * 0.15 * 0.13))
    start = md.close_loops(graph.with_independent_joints("J1"), [1.0])
    singular = r"singular configuration of .* J4: condition number"
    with pytest.raises(md.SingularityError, match=singular) as error:
        md.InverseDynamics(graph).solve([np.pi - corner], [1.0], [0.0], guess=start)
    assert error.value.condition > 1e3


def test_torque_puts_energy_in(load_robot):
    graph = load_robot("slider_crank")

    def tau(t, q, v):
        return [0.3 * np.sin(3 * t) - 0.02 * v[graph.v_slice(graph.independent_joint_names[0])].item()]

    motion = md.simulate(graph, [0.2], [1.0], tau, 2.0, times=np.linspace(0, 2, 2001))
    independent = graph.v_slice(graph.independent_joint_names[0]).start
    power = [tau(t, None, v)[0] * v[independent] for t, v in zip(motion.t, motion.velocities, strict=True)]
    work = simpson(power, x=motion.t)
    # Simpson's rule on steps of 1 ms
    assert motion.energy[-1] - motion.energy[0] == pytest.approx(work, abs=1e-7)
    assert abs(work) > 1e-2


def test_progress_is_reported(load_robot):
    reported = []
    md.simulate(load_robot("four_bar"), [0.3], [0.0], [0.1], 0.2, progress=lambda *at: reported.append(at))
    assert reported[-1] == (0.2, 0.2)
    assert sorted(reported) == reported


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "Euler"}, "method is 'Euler'; DOP853, RK45, RK23, Radau, BDF, LSODA are known"),
        ({"t_end": -1.0}, "t_end is -1.0; a time above zero"),
        ({"t_end": "1"}, "t_end is 1; a time above zero"),
        ({"rtol": -1e-6}, "rtol is -1e-06; a number from 0 on"),
        ({"atol": float("inf")}, "atol is inf; a number"),
        ({"times": []}, "times must rise from 0"),
        ({"times": [0.1, float("nan")]}, "times must rise from 0"),
        ({"times": [0.5, 2.0]}, "times must rise from 0 or later to 1.0 at most"),
        ({"q": [0.1, 0.2]}, "q has shape"),
        ({"v": [float("inf")]}, r"v\[0\] of joint 'J1' is inf"),
        ({"tau": [1.0, 2.0]}, "tau has shape"),
        ({"progress": "yes"}, r"progress is 'yes'; a function of \(t, t_end\)"),
        ({"tau": lambda t, q, v: [float("nan")]}, "tau.*'J1' is nan"),
    ],
)
def test_bad_requests(load_robot, wrong, message):
    arguments = {"q": [0.3], "v": [0.0], "tau": None, "t_end": 1.0} | wrong
    with pytest.raises(md.StateError, match=message):
        md.simulate(load_robot("four_bar"), **arguments)


def with_motor(text, driver, ratio, inertia):
    """A rotor geared to a joint of a description."""
    origin = np.zeros(3)
    rotor = f'<link name="rotor">{inertial(1.0, origin, inertia * np.eye(3))}</link>'
    rotor += joint("motor", "continuous", "ground", "rotor", origin, axis=(0, 0, 1))
    gear = f'<gear joint="motor" driver="{driver}" ratio="{ratio}"/>'
    text = text.replace("<modular_dynamics", f"{rotor}<modular_dynamics", 1)
    return md.load_urdf(text.replace("</modular_dynamics>", f"{gear}</modular_dynamics>"))


@pytest.mark.parametrize("ratio", [1e4, 1e6])
def test_gears_of_large_ratio_are_no_singular_configurations(load_robot, ratio):
    """Rotors of the same inertia felt at the output, past the place where the output turns round."""
    one, other = (
        with_motor(load_robot("four_bar").urdf, "J4", k, 1e-3 / k**2).with_independent_joints("J1")
        for k in (1.0, ratio)
    )
    q, v, a = [0.3], [1.0], [0.2]
    expected, result = (md.InverseDynamics(graph).solve(q, v, a) for graph in (one, other))
    assert result.tau == pytest.approx(expected.tau, rel=1e-12)
    assert result.condition == pytest.approx(expected.condition, rel=1e-9)
    places = [one.joint_names.index(name) for name in ("J1", "J4", "J3")]
    expected, end = (md.simulate(g, q, [0.0], None, 0.5).coordinates[-1, places] for g in (one, other))
    assert end == pytest.approx(expected, abs=1e-7)


# Motions through positions where branches of the mechanism cross, against exact reductions.

SPEEDS = [(1, 1.0), (1, 3.0), *((2, s) for s in (0.32, 0.45, 0.65, 0.7, 0.7114, 1.0, 2.5)), (3, 1.0)]


@pytest.mark.parametrize(("count", "speed"), some(SPEEDS, 4))
def test_windows_move_as_one_pendulum(count, speed):
    """Two windows: 3 phi'' = 3.5 g sin phi; from the top. The flat positions, rods in line, are passed."""
    graph = windows(count)
    start = standing(graph, np.pi / 2)
    motion = md.simulate(graph, [np.pi / 2], [-speed], None, 10.0, guess=start)
    exact = pendulum(count, 0.0, speed, motion.t)
    expected = np.array([standing(graph, np.pi / 2 - phi) for phi in exact])
    assert np.abs(np.diff(exact > np.pi / 2)).sum() + np.ptp(exact) / np.pi > 3.5  # flat several times
    # rods of 1 m: radians are metres; what rounding does to 1e-10 of the integrator in ten seconds
    assert motion.coordinates == pytest.approx(expected, abs=1e-6)
    before = np.maximum.accumulate(exact) < np.pi / 2  # the first flat position
    assert motion.coordinates[before] == pytest.approx(expected[before], abs=1e-7)
    assert motion.residual.max() < 1e-9
    assert np.ptp(motion.energy) < 1e-8 * kinetic(graph, motion)


@pytest.mark.parametrize("more", [-1e-2, -1e-6, 0.0, 1e-6, 1e-3])
def test_windows_that_just_reach_the_flat_position(more):
    """Hanging, with the speed that takes them level, and a little more or less: they turn round there."""
    graph = windows(2)
    speed = np.sqrt(2.0 * 3.5 / 3.0 * 9.81) * (1.0 + more)
    motion = md.simulate(graph, [-np.pi / 2], [-speed], None, 6.0, guess=standing(graph, -np.pi / 2))
    exact = pendulum(2, np.pi, speed, motion.t)
    expected = np.array([standing(graph, np.pi / 2 - phi) for phi in exact])
    assert motion.coordinates == pytest.approx(expected, abs=1e-7)


def test_windows_at_rest_beside_the_flat_position():
    """Let go 1e-5 rad above it, and above it again on the other side; flat they are refused."""
    graph, start = windows(2), 1e-5
    motion = md.simulate(graph, [start], [0.0], None, 5.0, guess=standing(graph, start))
    exact = pendulum(2, np.pi / 2 - start, 0.0, motion.t)
    assert motion.coordinates[:, 0] == pytest.approx(np.pi / 2 - exact, abs=1e-7)
    with pytest.raises(SingularityError, match="condition number"):
        md.simulate(graph, [0.0], [1.0], None, 1.0, guess=standing(graph, 0.0))


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("lengths", [(2, 1, 2.5, 1.5), (1, 2, 1.5, 2.5), (2, 1, 2, 1), (3, 1, 2.9, 1.1)])
def test_four_bars_through_their_change_points(lengths, side):
    """The longest and the shortest rod are together as long as the others: branches cross with all in line.

    On a branch the pin changes the side of the line from crank to output at every crossing.
    """
    graph = four_rods(*lengths)
    start = closed_rods(lengths, 2.0, side)
    motion = md.simulate(graph, [2.0], [3.0], None, 5.0, guess=start)
    assert np.ptp(motion.energy) < 2e-8 * kinetic(graph, motion)
    assert motion.residual.max() < 1e-9
    pin = np.exp(1j * motion.coordinates[:, :2].sum(axis=1)) * lengths[2]
    away = lengths[0] - lengths[1] * np.exp(1j * motion.coordinates[:, 0])
    sides = np.sign((pin / away).imag)
    assert (np.diff(sides) != 0).sum() >= 2
    # steps so long that they lead across unseen end on the same branch, up to their error
    coarse = md.simulate(graph, [2.0], [3.0], None, 5.0, "RK45", guess=start, rtol=1e-4, atol=1e-4)
    assert coarse.coordinates[-1] == pytest.approx(motion.coordinates[-1], abs=0.2)
    # a jump to the other branch would turn velocities
    turn = np.diff(motion.velocities, axis=0)
    between = np.linalg.norm(turn, axis=1) / np.linalg.norm(motion.velocities, axis=1).max()
    assert between.max() < 0.5


def test_branches_that_come_close_without_crossing():
    """A rod that is 1e-3 m longer: no crossing, and the branch turns; 1e-8 m and less: too sharply."""
    lengths = 1.0, 1.0, 1.0, 1.001
    motion = md.simulate(four_rods(*lengths), [2.0], [1.0], None, 1.0, guess=closed_rods(lengths, 2.0, 1))
    assert np.ptp(motion.energy) < 1e-8 * kinetic(four_rods(*lengths), motion)
    assert np.abs(np.diff(motion.coordinates[:, [0, 2]], axis=1)).max() > 1.0  # no parallelogram any more
    for gap in (1e-8, 1e-11):
        lengths = 1.0, 1.0, 1.0, 1.0 + gap
        with pytest.raises(
            SingularityError, match=r"cannot be followed beyond 0\.4.* come close there"
        ) as error:
            md.simulate(four_rods(*lengths), [2.0], [1.0], None, 2.0, guess=closed_rods(lengths, 2.0, 1))
        assert error.value.condition > 1e3


def based(count, kind):
    """Windows on a base of 5 kg that is itself jointed to the ground."""
    inertia = [[1, 0.1, 0], [0.1, 1.2, 0], [0, 0, 1.5]]
    link = f'<link name="world"/><link name="ground">{inertial(5, (0.1, 0.2, 0.3), inertia)}</link>'
    link += joint("base", kind, "world", "ground", (0, 0, 0), axis=(0, 0, 1))
    return md.load_urdf(windows(count).urdf.replace('<link name="ground"/>', link))


def test_resting_on_a_crossing():
    """A controller takes the windows to the flat position, on a turntable that goes on: it can stay there."""
    graph = based(2, "continuous")
    start = np.array([0.3, *standing(windows(2), 0.5)])

    def tau(t, q, v):
        return [2.0 * np.sin(t), 9.81 * 3.5 * np.cos(q[1]) - 60.0 * q[1] - 25.0 * v[1]]

    motion = md.simulate(graph, start[:2], [1.0, 0.0], tau, 10.0, guess=start)
    assert motion.coordinates[-1, 1:] == pytest.approx(np.zeros(5), abs=1e-9)
    assert abs(motion.velocities[-1, 0]) > 0.5
    assert motion.residual.max() < 1e-9


def test_a_floating_base_falls_with_its_momentum():
    """Its centre of mass falls freely, the moment of momentum about the vertical through the origin stays."""
    graph = based(1, "floating")
    # any length of the quaternion will do
    start = np.array([0, 0, 0, 2, 0, 0, 0, *standing(windows(1), 1.2)])
    v = [0.1, 0.2, 3.0, 0.4, -0.5, 0.6, -3.0]
    motion = md.simulate(graph, start[:8], v, None, 2.0, guess=start)
    momenta = []
    for q, speeds in zip(motion.coordinates, motion.velocities, strict=True):
        turned = Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix()
        linear, angular = (md.mass_matrix(graph.tree, q) @ speeds)[:6].reshape(2, 3) @ turned.T
        momenta.append([*linear, (angular + np.cross(q[:3], linear))[2]])
    momenta = np.array(momenta)
    weight = 9.81 * (5 + 3)
    assert momenta - momenta[0] == pytest.approx(np.outer(motion.t, [0, 0, -weight, 0]), abs=1e-7)
    assert np.linalg.norm(motion.coordinates[:, 3:7], axis=1) == pytest.approx(np.ones(len(motion.t)))
    assert np.ptp(motion.energy) < 1e-8 * kinetic(graph, motion)
    assert np.ptp(motion.coordinates[:, 7]) > 5.0  # flat more than once
    assert motion.residual.max() < 1e-9


# The choice of integrators: all give the same motion, and the implicit ones pay where it is stiff.

IMPLICIT = ("Radau", "BDF", "LSODA")


@pytest.mark.parametrize("method", ["RK45", "RK23", *IMPLICIT])
def test_all_integrators_agree_with_the_best(load_robot, method):
    graph, times = load_robot("four_bar"), [0.5, 1.0]
    best = md.simulate(graph, [0.3], [0.0], None, 1.0, times=times)
    coarse, fine = (
        md.simulate(graph, [0.3], [0.0], None, 1.0, method, times=times, rtol=tol, atol=tol)
        for tol in (1e-5, 1e-8)
    )
    errors = [np.abs(motion.coordinates - best.coordinates).max() for motion in (coarse, fine)]
    assert errors[1] < 1e-5  # some hundred steps of 1e-8 each
    assert errors[1] < 0.1 * errors[0]  # the tolerance is what decides
    assert fine.residual.max() < 1e-9


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_stiff_motion_comes_to_rest(load_robot, method):
    """Tight tolerances, a start that forces short steps, and long rest at the end, where all hardly move."""
    graph, damping = load_robot("four_bar"), 100.0

    def tau(t, q, v):
        return [-damping * v[0] - 5.0 * (q[0] - 1.5)]

    arguments = graph, [0.3], [0.0], tau, 20.0 * damping, method
    motion = md.simulate(*arguments, rtol=1e-8, atol=1e-8)
    q = motion.coordinates[-1]
    weight = md.gravity_torque(graph, q[:1], guess=q)
    assert weight == pytest.approx([-5.0 * (q[0] - 1.5)], abs=1e-6)  # in equilibrium
    assert motion.velocities[-1] == pytest.approx(0.0, abs=1e-6)
    assert motion.residual.max() < 1e-9


# A robot that floats without weight keeps its momentum, whatever its joints do.


def swimming(load_robot, gravity, method, tolerance):
    """A floating arm of which waves of torques move all joints: its motion and momentum [linear; angular]."""
    graph = load_robot("vendor_arm", floating_base=True, gravity=gravity)

    def tau(t, q, v):
        torques = 0.5 * np.sin(3.0 * t + np.arange(graph.nv)) - 0.1 * v
        torques[:6] = 0.0
        return torques

    v = np.zeros(graph.nv)
    v[:6] = 0.3, -0.2, 0.1, 0.5, 0.4, -0.6  # it drifts and turns
    motion = md.simulate(graph, graph.neutral(), v, tau, 2.0, method, rtol=tolerance, atol=tolerance)
    return graph, motion, momenta_of(graph, motion)


def momenta_of(graph, motion):
    """Momentum [linear; angular about the world's origin] at each time."""
    momenta = []
    for q, rates in zip(motion.coordinates, motion.velocities, strict=True):
        momentum = md.centroidal_momentum(graph, q, rates)
        lever = np.cross(md.centre_of_mass(graph, q).position, momentum[:3])
        momenta.append(momentum + np.concatenate([np.zeros(3), lever]))  # about the world's origin
    return np.array(momenta)


@pytest.mark.parametrize(("method", "tolerance"), [("DOP853", 1e-10), ("RK45", 1e-8), ("LSODA", 1e-9)])
def test_a_floating_robot_keeps_its_momentum(load_robot, method, tolerance):
    _, motion, momenta = swimming(load_robot, (0.0, 0.0, 0.0), method, tolerance)
    assert np.ptp(motion.coordinates[:, 7:], axis=0).max() > 0.2  # it has moved
    for part in (momenta[:, :3], momenta[:, 3:]):
        size = np.linalg.norm(part[0])
        assert size > 0.0
        # some hundred steps, each within the tolerance
        assert np.abs(part - part[0]).max() < 100.0 * tolerance * size


def test_weight_changes_momentum_by_its_impulse(load_robot):
    """The same with weight: m g t, so that the test above could fail."""
    graph, motion, momenta = swimming(load_robot, (0.0, 0.0, -9.81), "DOP853", 1e-10)
    mass = md.centre_of_mass(graph, graph.neutral()).mass
    expected = momenta[0, :3] + mass * np.outer(motion.t, graph.gravity)
    assert momenta[:, :3] == pytest.approx(expected, rel=1e-7, abs=1e-7 * mass)


# Joints that follow a gait, while the others move freely.


def test_a_gait_moves_a_floating_robot_which_keeps_its_momentum(load_robot):
    graph = load_robot("vendor_arm", floating_base=True, gravity=(0.0, 0.0, 0.0))
    names = graph.joint_names[:0:-1]  # without the base, in another order
    gait = gaits.Sine(gaits.body_wave(names, 0.4, 0.7, 1.0))  # moving at the start
    v = np.array([0.3, -0.2, 0.1, 0.5, 0.4, -0.6, *np.full(graph.nv - 6, 9.0)])
    motion = md.simulate(graph, graph.neutral(), v, None, 2.0, times=[0.0, 1.0, 2.0], gait=gait)
    wanted = gait.states(motion.t)
    assert motion.coordinates[:, :6:-1] == pytest.approx(wanted.q, abs=1e-8)
    assert motion.velocities[:, :5:-1] == pytest.approx(wanted.v, abs=1e-8)
    assert motion.accelerations[:, :5:-1] == pytest.approx(wanted.a, abs=1e-12)
    assert motion.velocities[0, :6] == pytest.approx(v[:6])
    assert np.abs(motion.tau[:, :6]).max() == 0.0
    momenta = momenta_of(graph, motion)
    assert np.abs(momenta - momenta[0]).max() < 1e-8 * np.abs(momenta[0]).max()
    assert np.abs(np.diff(motion.velocities[:, :6], axis=0)).max() > 0.1  # the base swings


def test_joints_that_a_gait_does_not_name_move_freely(load_robot):
    """The others, under torque, as the torques of the gait's joints given from outside move them."""
    graph, gait = load_robot("four_link"), gaits.Sine(gaits.body_wave(["left"], 0.5, 0.7, 0.0))
    tau, start = np.array([0.1, 0.0, 5.0, 0.0]), gait.at(0.0).v[0]
    times = np.linspace(0.0, 1.0, 201)
    motion = md.simulate(graph, np.zeros(4), np.zeros(4), tau, 1.0, times=times, gait=gait)
    place = graph.joint_names.index("left")
    assert motion.tau[:, [k for k in range(4) if k != place]] == pytest.approx(
        np.tile([0.1, 0.0, 0.0], (201, 1))
    )
    v = np.zeros(4)
    v[place] = start
    torques = CubicSpline(times, motion.tau)
    again = md.simulate(graph, np.zeros(4), v, lambda t, q, v: torques(t), 1.0, times=[0.5, 1.0])
    assert again.coordinates == pytest.approx(motion.coordinates[[100, 200]], abs=1e-7)  # of the spline


def test_a_gait_moves_a_loop_s_crank(load_robot):
    graph = load_robot("four_bar")
    gait = gaits.Sine(gaits.Rhythm(("J1",), 0.6, 0.5, offset=0.8))
    motion = md.simulate(graph, [9.9], [9.9], None, 1.0, times=[0.0, 0.5, 1.0], gait=gait)
    wanted = gait.states(motion.t)
    assert motion.coordinates[:, 0] == pytest.approx(wanted.q[:, 0], abs=1e-8)
    states = zip(*wanted, motion.coordinates, strict=True)
    tau = [md.inverse_dynamics(graph, q, v, a, guess=closed) for q, v, a, closed in states]
    assert motion.tau == pytest.approx(np.array(tau), abs=1e-7)
    with pytest.raises(md.StateError, match=r"'J2' is none of .* can be prescribed: J1"):
        md.simulate(graph, [0.3], [0.0], None, 1.0, gait=gaits.Sine(gaits.Rhythm(("J2",), 0.6, 0.5)))
    with pytest.raises(md.StateError, match=r"gait is 'snake.yaml'; a motion .* is needed"):
        md.simulate(graph, [0.3], [0.0], None, 1.0, gait="snake.yaml")
