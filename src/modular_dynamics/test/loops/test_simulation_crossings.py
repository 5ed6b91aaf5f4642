"""Motions through positions where branches of the mechanism cross, against exact reductions."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.motions import kinetic, pendulum
from helpers.robots.four_bar_windows import rod, standing, windows
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.exceptions import SingularityError

SPEEDS = [(1, 1.0), (1, 3.0), *((2, s) for s in (0.32, 0.45, 0.65, 0.7, 0.7114, 1.0, 2.5)), (3, 1.0)]


@pytest.mark.parametrize(("count", "speed"), SPEEDS)
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


def four_rods(ground, crank, coupler, output):
    """A four-bar of rods of 1 kg in a vertical plane; all in line where its lengths allow."""
    parts = [
        '<link name="ground"/>',
        rod("crank", "ground", 0, crank),
        rod("coupler", "crank", crank, coupler),
        rod("output", "ground", ground, output),
    ]
    ends = ("output", (output, 0, 0)), ("coupler", (coupler, 0, 0))
    passive = '<passive joint="coupler"/><passive joint="output"/>'
    return md.load_urdf(robot("rods", parts, [loop_joint("pin", "revolute", *ends, (0, 0, 1)), passive]))


def closed(lengths, angle, side):
    """Coordinates of crank, coupler and output at a crank angle, by circles; side: 1 or -1."""
    ground, crank, coupler, output = lengths
    tip = crank * np.exp(1j * angle)
    away = ground - tip
    reach = abs(away)
    along = (coupler**2 - output**2 + reach**2) / (2 * reach)
    pin = tip + away / reach * (along + 1j * side * np.sqrt(coupler**2 - along**2))
    return [angle, np.angle((pin - tip) / tip), np.angle(pin - ground)]


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("lengths", [(2, 1, 2.5, 1.5), (1, 2, 1.5, 2.5), (2, 1, 2, 1), (3, 1, 2.9, 1.1)])
def test_four_bars_through_their_change_points(lengths, side):
    """The longest and the shortest rod are together as long as the others: branches cross with all in line.

    On a branch the pin changes the side of the line from crank to output at every crossing.
    """
    graph = four_rods(*lengths)
    start = closed(lengths, 2.0, side)
    motion = md.simulate(graph, [2.0], [3.0], None, 5.0, guess=start)
    assert np.ptp(motion.energy) < 2e-8 * kinetic(graph, motion)
    assert motion.residual.max() < 1e-9
    pin = np.exp(1j * motion.coordinates[:, :2].sum(axis=1)) * lengths[2]
    away = lengths[0] - lengths[1] * np.exp(1j * motion.coordinates[:, 0])
    sides = np.sign((pin / away).imag)
    assert (np.diff(sides) != 0).sum() >= 2
    # a jump to the other branch would turn velocities
    turn = np.diff(motion.velocities, axis=0)
    between = np.linalg.norm(turn, axis=1) / np.linalg.norm(motion.velocities, axis=1).max()
    assert between.max() < 0.5


def test_branches_that_come_close_without_crossing():
    """A rod that is 1e-3 m longer: no crossing, and the branch turns; 1e-8 m: too sharp to be certain."""
    lengths = 1.0, 1.0, 1.0, 1.001
    motion = md.simulate(four_rods(*lengths), [2.0], [1.0], None, 1.0, guess=closed(lengths, 2.0, 1))
    assert np.ptp(motion.energy) < 1e-8 * kinetic(four_rods(*lengths), motion)
    assert np.abs(np.diff(motion.coordinates[:, [0, 2]], axis=1)).max() > 1.0  # no parallelogram any more
    lengths = 1.0, 1.0, 1.0, 1.00000001
    with pytest.raises(SingularityError, match=r"cannot be followed beyond 0\.4.* come close there") as error:
        md.simulate(four_rods(*lengths), [2.0], [1.0], None, 2.0, guess=closed(lengths, 2.0, 1))
    assert error.value.condition > 1e3


def based(count, kind):
    """Windows on a base of 5 kg that is itself jointed to the ground."""
    inertia = [[1, 0.1, 0], [0.1, 1.2, 0], [0, 0, 1.5]]
    link = f'<link name="world"/><link name="ground">{inertial(5, (0.1, 0.2, 0.3), inertia)}</link>'
    link += joint("base", kind, "world", "ground", (0, 0, 0), axis=(0, 0, 1))
    return md.load_urdf(windows(count).urdf.replace('<link name="ground"/>', link))


def test_crossings_of_a_mechanism_with_two_freedoms():
    """On a turntable: energy and the angular momentum about its axis are kept, windows stay windows."""
    graph = based(2, "continuous")
    start = np.array([0.3, *standing(windows(2), 1.4)])
    motion = md.simulate(graph, start[:2], [0.5, -1.0], None, 5.0, guess=start)
    momentum = [
        (md.mass_matrix(graph.tree, q) @ v)[0]
        for q, v in zip(motion.coordinates, motion.velocities, strict=True)
    ]
    assert np.ptp(momentum) < 1e-8 * abs(momentum[0])
    assert np.ptp(motion.energy) < 1e-8 * kinetic(graph, motion)
    expected = [[q[0], *standing(windows(2), q[1])] for q in motion.coordinates]
    assert motion.coordinates == pytest.approx(np.array(expected), abs=1e-9)
    assert np.ptp(motion.coordinates[:, 1]) > 2 * np.pi


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


def test_two_crossings_at_the_same_time():
    """Two windows that do not know of each other: each as alone, from the same state or not."""
    one = windows(1).urdf
    other = re.sub(r'"(upright_|beam_|window_)', r'"other_\1', one)
    body, tags = (
        other[other.index(start) + len(start) : other.index(end)]
        for start, end in (('"ground"/>', "<modular_dynamics"), ('version="1">', "</modular_dynamics>"))
    )
    both = one.replace("<modular_dynamics", f"{body}<modular_dynamics", 1)
    graph = md.load_urdf(both.replace("</modular_dynamics>", f"{tags}</modular_dynamics>"))
    start = [1.0 if "upright" in name else -1.0 for name in graph.joint_names]
    for speeds in ([-1.0, -1.0], [-1.0, 2.0]):
        motion = md.simulate(graph, [1.0, 1.0], speeds, None, 4.0, guess=start)
        for name, speed in zip(graph.independent_joint_names, speeds, strict=True):
            exact = pendulum(1, np.pi / 2 - 1.0, -speed, motion.t)
            angles = motion.coordinates[:, graph.q_slice(name)].ravel()
            assert angles == pytest.approx(np.pi / 2 - exact, abs=1e-7)


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


def test_windows_converge():
    graph, errors = windows(2), []
    start = standing(graph, np.pi / 2)
    for tolerance in (1e-6, 1e-8, 1e-10):
        motion = md.simulate(
            graph, [np.pi / 2], [-1.0], None, 2.0, times=[2.0], guess=start, rtol=tolerance, atol=tolerance
        )
        errors.append(abs(np.pi / 2 - pendulum(2, 0.0, 1.0, motion.t)[0] - motion.coordinates[0, 0]))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-8
