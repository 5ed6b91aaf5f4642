"""Motions over ten seconds: energy, closed loops, dead points, and exact reductions."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.windows import ROD, standing, windows
from modular_dynamics.closure import (
    close_loops,
    closed_loop_forward_dynamics,
    closed_loop_inverse_dynamics,
    constraint_projection,
    simulate,
)
from modular_dynamics.exceptions import ClosureError, SingularityError, StateError

TIMES = np.linspace(0.0, 10.0, 401)


def kinetic(graph, motion):
    """The largest kinetic energy: the scale of an error, whatever height counts as zero."""
    M = [md.mass_matrix(graph.tree, q) for q in motion.coordinates]
    return 0.5 * max(v @ m @ v for m, v in zip(M, motion.velocities, strict=True))


def test_four_bar_from_rest_keeps_energy_and_stays_closed(load_robot):
    graph = load_robot("four_bar")
    motion = simulate(graph, [0.3], [0.0], None, 10.0)
    assert motion.t[-1] == 10.0
    assert np.ptp(motion.energy) < 1e-6 * kinetic(graph, motion)
    assert motion.residual.max() < 1e-9
    assert np.ptp(motion.coordinates[:, 0]) > 3.0  # it has moved
    rates = [
        constraint_projection(graph, q[:1], q)[:, 0] * v[0]
        for q, v in zip(motion.coordinates, motion.velocities, strict=True)
    ]
    assert motion.velocities == pytest.approx(np.array(rates), abs=1e-9 * np.abs(rates).max())


def test_four_bar_through_the_output_s_dead_points(load_robot):
    """Described by the output, which turns round where the crank goes on: the same motion as by the crank."""
    graph = load_robot("four_bar")
    other = graph.with_independent_joints("J4")
    start = close_loops(graph, [1.0])
    speed = constraint_projection(graph, [1.0])[:, 0] * 12.0
    by_crank = simulate(graph, [1.0], [12.0], None, 10.0, times=TIMES)
    by_output = simulate(other, [start[1]], [speed[1]], None, 10.0, times=TIMES, guess=start)
    turns = by_output.velocities[:, 1]
    assert (np.diff(np.sign(turns)) != 0).sum() > 20  # dead points passed
    assert abs(by_crank.coordinates[-1, 0]) > 20.0  # the crank turns fully
    # tolerances of 1e-10 grow with time along a motion of some 12 rad/s
    assert by_output.coordinates == pytest.approx(by_crank.coordinates, abs=1e-6)
    for motion in (by_crank, by_output):
        assert np.ptp(motion.energy) < 1e-6 * kinetic(graph, motion)
        assert motion.residual.max() < 1e-9


def test_the_dead_point_itself_is_reported(load_robot):
    """Crank and coupler in line: the output cannot say which way they go."""
    graph = load_robot("four_bar").with_independent_joints("J4")
    corner = np.arccos(
        (0.15**2 + 0.13**2 - 0.15**2) / (2 * 0.15 * 0.13)
    )  # of a triangle with side 0.05 + 0.10
    start = close_loops(graph.with_independent_joints("J1"), [1.0])
    with pytest.raises(SingularityError, match=r"dead point of .* J4: condition number") as error:
        closed_loop_inverse_dynamics(graph, [np.pi - corner], [1.0], [0.0], start)
    assert error.value.condition > 1e3


def pendulum(count, angle, speed, times, rotor=0.0):
    """Angles from the vertical of the exact reduction of n windows.

    n + 1 uprights turn and n beams of 1 kg are carried along: (n + (n + 1) / 3) phi'' =
    (n + (n + 1) / 2) g sin phi; ``rotor``: inertia that turns with an upright.
    """
    inertia, weight = count + (count + 1) / 3 + rotor, count + (count + 1) / 2
    motion = solve_ivp(
        lambda _, y: [y[1], weight / inertia * 9.81 * np.sin(y[0])],
        (0.0, times[-1]),
        [angle, speed],
        "DOP853",
        times,
        rtol=1e-13,
        atol=1e-13,
    )
    return motion.y[0]


SPEEDS = [
    *((1, s) for s in (1.0, 3.0)),
    *((2, s) for s in (0.32, 0.45, 0.65, 0.7, 0.7114, 1.0, 2.5)),
    (3, 1.0),
]


@pytest.mark.parametrize(("count", "speed"), SPEEDS)
def test_windows_move_as_one_pendulum(count, speed):
    """Two windows: 3 phi'' = 3.5 g sin phi; from the top. The flat positions, rods in line, are passed."""
    graph = windows(count)
    start = standing(graph, np.pi / 2)
    motion = simulate(graph, [np.pi / 2], [-speed], None, 10.0, guess=start)
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
    motion = simulate(graph, [-np.pi / 2], [-speed], None, 6.0, guess=standing(graph, -np.pi / 2))
    exact = pendulum(2, np.pi, speed, motion.t)
    assert motion.coordinates == pytest.approx(
        np.array([standing(graph, np.pi / 2 - phi) for phi in exact]), abs=1e-7
    )


def test_windows_at_rest_beside_the_flat_position():
    """Let go 1e-5 rad above it, and above it again on the other side; flat they are refused."""
    graph, start = windows(2), 1e-5
    motion = simulate(graph, [start], [0.0], None, 5.0, guess=standing(graph, start))
    exact = pendulum(2, np.pi / 2 - start, 0.0, motion.t)
    assert motion.coordinates[:, 0] == pytest.approx(np.pi / 2 - exact, abs=1e-7)
    with pytest.raises(SingularityError, match="condition number"):
        simulate(graph, [0.0], [1.0], None, 1.0, guess=standing(graph, 0.0))


def four_rods(ground, crank, coupler, output):
    """A four-bar of rods of 1 kg in a vertical plane; all in line where its lengths allow."""
    rods = {
        "crank": ("ground", 0, crank),
        "coupler": ("crank", crank, coupler),
        "output": ("ground", ground, output),
    }
    parts = []
    for name, (parent, at, length) in rods.items():
        about = length**2 / 12
        parts.append(
            ROD.format(name, parent, at, "1.5707963267948966" if parent == "ground" else 0)
            .replace("0.5 0 0", f"{length / 2} 0 0", 1)
            .replace("0.0833333333333333333", str(about))
        )
    return md.load_urdf(
        f'<robot name="rods"><link name="ground"/>{"".join(parts)}<modular_dynamics version="1">'
        f'<loop_joint name="pin" type="revolute"><predecessor link="output" xyz="{output} 0 0"/>'
        f'<successor link="coupler" xyz="{coupler} 0 0"/><axis xyz="0 0 1"/></loop_joint>'
        '<passive joint="coupler"/><passive joint="output"/></modular_dynamics></robot>'
    )


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
    motion = simulate(graph, [2.0], [3.0], None, 5.0, guess=start)
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
    motion = simulate(four_rods(*lengths), [2.0], [1.0], None, 1.0, guess=closed(lengths, 2.0, 1))
    assert np.ptp(motion.energy) < 1e-8 * kinetic(four_rods(*lengths), motion)
    assert np.abs(np.diff(motion.coordinates[:, [0, 2]], axis=1)).max() > 1.0  # no parallelogram any more
    lengths = 1.0, 1.0, 1.0, 1.00000001
    with pytest.raises(SingularityError, match=r"cannot be followed beyond 0\.4.* come close there") as error:
        simulate(four_rods(*lengths), [2.0], [1.0], None, 2.0, guess=closed(lengths, 2.0, 1))
    assert error.value.condition > 1e3


def based(count, joint):
    """Windows on a base of 5 kg that is itself jointed to the ground."""
    link = (
        '<link name="world"/><link name="ground"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="5"/>'
        '<inertia ixx="1" iyy="1.2" izz="1.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="base" type="{joint}"><parent link="world"/><child link="ground"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    return md.load_urdf(windows(count).urdf.replace('<link name="ground"/>', link))


def test_crossings_of_a_mechanism_with_two_freedoms():
    """On a turntable: energy and the angular momentum about its axis are kept, windows stay windows."""
    graph = based(2, "continuous")
    start = np.array([0.3, *standing(windows(2), 1.4)])
    motion = simulate(graph, start[:2], [0.5, -1.0], None, 5.0, guess=start)
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

    motion = simulate(graph, start[:2], [1.0, 0.0], tau, 10.0, guess=start)
    assert motion.coordinates[-1, 1:] == pytest.approx(np.zeros(5), abs=1e-9)
    assert abs(motion.velocities[-1, 0]) > 0.5
    assert motion.residual.max() < 1e-9


def test_two_crossings_at_the_same_time():
    """Two windows that do not know of each other: each as alone, from the same state or not."""
    one = windows(1).urdf
    body, tags = (
        one[one.index(a) + len(a) : one.index(b)]
        for a, b in (('<link name="ground"/>', "<modular_dynamics"), ('version="1">', "</modular_dynamics>"))
    )
    for name in ("upright_0", "upright_1", "beam_1", "window_1"):
        body, tags = (
            body.replace(f'"{name}"', f'"other_{name}"'),
            tags.replace(f'"{name}"', f'"other_{name}"'),
        )
    both = one.replace("<modular_dynamics", f"{body}<modular_dynamics", 1)
    graph = md.load_urdf(both.replace("</modular_dynamics>", f"{tags}</modular_dynamics>"))
    start = [1.0 if "upright" in name else -1.0 for name in graph.joint_names]
    for speeds in ([-1.0, -1.0], [-1.0, 2.0]):
        motion = simulate(graph, [1.0, 1.0], speeds, None, 4.0, guess=start)
        for name, speed in zip(graph.independent_joint_names, speeds, strict=True):
            exact = pendulum(1, np.pi / 2 - 1.0, -speed, motion.t)
            assert motion.coordinates[:, graph.q_slice(name)].ravel() == pytest.approx(
                np.pi / 2 - exact, abs=1e-7
            )


def test_a_floating_base_falls_with_its_momentum():
    """Its centre of mass falls freely, the moment of momentum about the vertical through the origin stays."""
    graph = based(1, "floating")
    start = np.array(
        [0, 0, 0, 2, 0, 0, 0, *standing(windows(1), 1.2)]
    )  # any length of the quaternion will do
    v = [0.1, 0.2, 3.0, 0.4, -0.5, 0.6, -3.0]
    motion = simulate(graph, start[:8], v, None, 2.0, guess=start)
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
        motion = simulate(
            graph, [np.pi / 2], [-1.0], None, 2.0, times=[2.0], guess=start, rtol=tolerance, atol=tolerance
        )
        exact = solve_ivp(
            lambda _, y: [y[1], 3.5 / 3 * 9.81 * np.sin(y[0])],
            (0, 2),
            [0, 1],
            "DOP853",
            rtol=1e-13,
            atol=1e-13,
        )
        errors.append(abs(np.pi / 2 - exact.y[0, -1] - motion.coordinates[0, 0]))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-8


def test_torque_puts_energy_in(load_robot):
    graph = load_robot("slider_crank")

    def tau(t, q, v):
        return [0.3 * np.sin(3 * t) - 0.02 * v[graph.v_slice(graph.independent_joint_names[0])].item()]

    motion = simulate(graph, [0.2], [1.0], tau, 2.0, times=np.linspace(0, 2, 2001))
    mine = graph.v_slice(graph.independent_joint_names[0]).start
    power = [tau(t, None, v)[0] * v[mine] for t, v in zip(motion.t, motion.velocities, strict=True)]
    work = simpson(power, x=motion.t)
    # Simpson's rule on steps of 1 ms
    assert motion.energy[-1] - motion.energy[0] == pytest.approx(work, abs=1e-7)
    assert abs(work) > 1e-2


@pytest.mark.parametrize("method", ["RK45", "RK23"])
def test_other_integrators_agree(load_robot, method):
    graph = load_robot("four_bar")
    loose = {"rtol": 1e-7, "atol": 1e-7}
    best = simulate(graph, [0.3], [0.0], None, 1.0, times=[0.5, 1.0])
    assert simulate(
        graph, [0.3], [0.0], None, 1.0, method, times=[0.5, 1.0], **loose
    ).coordinates == pytest.approx(best.coordinates, abs=1e-4)


def test_progress_is_told(load_robot):
    told = []
    simulate(load_robot("four_bar"), [0.3], [0.0], [0.1], 0.2, progress=lambda t, end: told.append((t, end)))
    assert told[-1] == (0.2, 0.2)
    assert sorted(told) == told


def test_progress_is_drawn(load_robot, capsys):
    simulate(load_robot("four_bar"), [0.3], [0.0], None, 0.2, progress=True)
    drawn = capsys.readouterr().err
    assert drawn.endswith(f"\r[{'#' * 40}] 0.2 of 0.2 s\n")
    assert drawn.count("\r") > 3
    simulate(load_robot("four_bar"), [0.3], [0.0], None, 0.2, progress=False)
    assert capsys.readouterr().err == ""


def test_integrators_are_imported_when_they_are_needed():
    code = "import sys, modular_dynamics; sys.exit('scipy.integrate' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "Euler"}, "method is 'Euler'; DOP853, RK45, RK23 are known"),
        ({"t_end": -1.0}, "t_end is -1.0; a time above zero"),
        ({"t_end": float("nan")}, "t_end is nan"),
        ({"times": [0.5, 0.2]}, "times must rise from 0"),
        ({"times": []}, "times must rise from 0"),
        ({"times": [0.1, float("nan")]}, "times must rise from 0"),
        ({"times": [0.5, 2.0]}, "times must rise from 0 or later to 1.0 at most"),
        ({"q": [0.1, 0.2]}, "q has shape"),
        ({"v": [float("inf")]}, r"v\[0\] of joint 'J1' is inf"),
        ({"tau": [1.0, 2.0]}, "tau has shape"),
        ({"progress": "yes"}, r"progress is 'yes'; True or a function of \(t, t_end\)"),
        ({"tau": lambda t, q, v: [float("nan")]}, "tau.*'J1' is nan"),
    ],
)
def test_bad_requests(load_robot, wrong, message):
    arguments = {"q": [0.3], "v": [0.0], "tau": None, "t_end": 1.0} | wrong
    with pytest.raises(StateError, match=message):
        simulate(load_robot("four_bar"), **arguments)


def test_a_start_that_does_not_close(load_robot):
    with pytest.raises(ClosureError, match="lift_pin"):
        simulate(load_robot("crane"), [0.0, 0.9, 0.2], [0, 0, 0], None, 1.0)


def with_motor(text, driver, ratio, inertia):
    """A rotor geared to a joint of a description."""
    rotor = (
        '<link name="rotor"><inertial><mass value="1"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'</link><joint name="motor" type="continuous"><parent link="ground"/><child link="rotor"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    gear = f'<gear joint="motor" driver="{driver}" ratio="{ratio}"/>'
    text = text.replace("<modular_dynamics", f"{rotor}<modular_dynamics", 1)
    return md.load_urdf(text.replace("</modular_dynamics>", f"{gear}</modular_dynamics>"))


def test_a_gear_of_large_ratio_leaves_the_loops_closed(load_robot):
    """A cylinder driven by a motor through a gearbox and a screw: 125 664 rad for each metre."""
    graph = with_motor(load_robot("crane").urdf, "lift_cylinder", 125663.7, 1e-3)
    found = closed_loop_inverse_dynamics(graph, [0.1, 0.2, 0.2], [0.0] * 3, [0.1] * 3)
    moved = closed_loop_forward_dynamics(graph, found.coordinates, found.velocities, found.tau)
    assert moved.rank == found.rank
    scale = np.abs(found.accelerations).max()
    assert np.abs(moved.accelerations - found.accelerations).max() < 1e-10 * scale
    assert simulate(graph, [0.1, 0.2, 0.2], [0.0] * 3, [0.0] * 3, 0.3).residual.max() < 1e-9


@pytest.mark.parametrize("ratio", [1e4, 1e6])
def test_gears_of_large_ratio_are_no_dead_points(load_robot, ratio):
    """Rotors of the same inertia felt at the output, past the place where the output turns round."""
    one, other = (
        with_motor(load_robot("four_bar").urdf, "J4", k, 1e-3 / k**2).with_independent_joints("J1")
        for k in (1.0, ratio)
    )
    q, v, vdot = [0.3], [1.0], [0.2]
    expected, found = (closed_loop_inverse_dynamics(graph, q, v, vdot) for graph in (one, other))
    assert found.tau == pytest.approx(expected.tau, rel=1e-12)
    assert found.condition == pytest.approx(expected.condition, rel=1e-9)
    places = [one.joint_names.index(name) for name in ("J1", "J4", "J3")]
    expected, found = (simulate(graph, q, [0.0], None, 0.5).coordinates[-1, places] for graph in (one, other))
    assert found == pytest.approx(expected, abs=1e-7)


def test_joints_tied_beside_a_gear_of_large_ratio(load_robot):
    graph = with_motor(load_robot("four_bar").urdf, "J4", 1e8, 1e-19).with_independent_joints("J1", "J4")
    with pytest.raises(ClosureError, match="motion of J1, J4 would open J2"):
        closed_loop_inverse_dynamics(graph, [0.3, 2.3], [0.0] * 2, [0.0] * 2)


@pytest.mark.parametrize("ratio", [1e3, 1e4, 1e6])
def test_geared_windows_move_as_one_pendulum(ratio):
    """A rotor behind a gear: its inertia counts times the ratio squared."""
    graph = with_motor(windows(2).urdf, "upright_0", ratio, 0.2 / ratio**2)
    start = [
        np.pi / 2 * (ratio if name == "motor" else 1 if "upright" in name else -1)
        for name in graph.joint_names
    ]
    motion = simulate(graph, [np.pi / 2], [-1.0], None, 5.0, guess=start)
    exact = pendulum(2, 0.0, 1.0, motion.t, rotor=0.2)
    place = graph.q_slice("upright_1").start
    assert motion.coordinates[:, place] == pytest.approx(np.pi / 2 - exact, abs=1e-6)
    # the motor's angle comes to 1e7 rad, and the gear meets it to its last digit
    finest = np.spacing(np.abs(motion.coordinates[:, graph.q_slice("motor").start]).max())
    assert motion.residual.max() < 1e-9 + finest
