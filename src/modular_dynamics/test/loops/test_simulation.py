"""Motions over ten seconds: energy, closed loops, dead points, gears of large ratio, arguments."""

import numpy as np
import pytest
from scipy.integrate import simpson

import modular_dynamics as md
from helpers.oracles.motions import kinetic, pendulum
from helpers.processes import run_python
from helpers.robots.four_bar_windows import windows
from helpers.robots.urdf_text import inertial, joint

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


@pytest.mark.slow
def test_four_bar_through_the_output_s_dead_points(load_robot):
    """Described by the output, which turns round where the crank goes on: the same motion as by the crank."""
    graph = load_robot("four_bar")
    other = graph.with_independent_joints("J4")
    start = md.close_loops(graph, [1.0])
    speed = md.explicit_constraint_jacobian(graph, [1.0])[:, 0] * 12.0
    times = TIMES[TIMES <= 6.0]
    by_crank = md.simulate(graph, [1.0], [12.0], None, 6.0, times=times)
    by_output = md.simulate(other, [start[1]], [speed[1]], None, 6.0, times=times, guess=start)
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
    # of a triangle with side 0.05 + 0.10
    corner = np.arccos((0.15**2 + 0.13**2 - 0.15**2) / (2 * 0.15 * 0.13))
    start = md.close_loops(graph.with_independent_joints("J1"), [1.0])
    with pytest.raises(md.SingularityError, match=r"dead point of .* J4: condition number") as error:
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


@pytest.mark.parametrize("method", ["RK45", "RK23"])
def test_other_integrators_agree(load_robot, method):
    graph = load_robot("four_bar")
    best = md.simulate(graph, [0.3], [0.0], None, 1.0, times=[0.5, 1.0])
    other = md.simulate(graph, [0.3], [0.0], None, 1.0, method, times=[0.5, 1.0], rtol=1e-7, atol=1e-7)
    assert other.coordinates == pytest.approx(best.coordinates, abs=1e-4)


def test_progress_is_reported(load_robot):
    reported = []
    md.simulate(load_robot("four_bar"), [0.3], [0.0], [0.1], 0.2, progress=lambda *at: reported.append(at))
    assert reported[-1] == (0.2, 0.2)
    assert sorted(reported) == reported


def test_progress_is_drawn(load_robot, capsys):
    md.simulate(load_robot("four_bar"), [0.3], [0.0], None, 0.2, progress=True)
    drawn = capsys.readouterr().err
    assert drawn.endswith(f"\r[{'#' * 40}] 0.2 of 0.2 s\n")
    assert drawn.count("\r") > 3
    md.simulate(load_robot("four_bar"), [0.3], [0.0], None, 0.2, progress=False)
    assert capsys.readouterr().err == ""


def test_integrators_are_imported_when_they_are_needed():
    code = "import sys, modular_dynamics; sys.exit('scipy.integrate' in sys.modules)"
    assert run_python("-c", code).returncode == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "Euler"}, "method is 'Euler'; DOP853, RK45, RK23, Radau, BDF, LSODA are known"),
        ({"t_end": -1.0}, "t_end is -1.0; a time above zero"),
        ({"t_end": float("nan")}, "t_end is nan"),
        ({"t_end": "1"}, "t_end is 1; a time above zero"),
        ({"rtol": -1e-6}, "rtol is -1e-06; a number from 0 on"),
        ({"atol": "small"}, "atol is 'small'; a number"),
        ({"atol": float("inf")}, "atol is inf; a number"),
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


def test_a_gear_of_large_ratio_leaves_the_loops_closed(load_robot):
    """A cylinder driven by a motor through a gearbox and a screw: 125 664 rad for each metre."""
    graph = with_motor(load_robot("crane").urdf, "lift_cylinder", 125663.7, 1e-3)
    solution = md.InverseDynamics(graph).solve([0.1, 0.2, 0.2], [0.0] * 3, [0.1] * 3)
    moved = md.constrained_dynamics(graph, solution.coordinates, solution.velocities, solution.tau)
    assert moved.rank == solution.rank
    scale = np.abs(solution.accelerations).max()
    assert np.abs(moved.a - solution.accelerations).max() < 1e-10 * scale
    assert md.simulate(graph, [0.1, 0.2, 0.2], [0.0] * 3, [0.0] * 3, 0.3).residual.max() < 1e-9


@pytest.mark.parametrize("ratio", [1e4, 1e6])
def test_gears_of_large_ratio_are_no_dead_points(load_robot, ratio):
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


def test_joints_tied_beside_a_gear_of_large_ratio(load_robot):
    graph = with_motor(load_robot("four_bar").urdf, "J4", 1e8, 1e-19).with_independent_joints("J1", "J4")
    with pytest.raises(md.ClosureError, match="motion of J1, J4 would open J2"):
        md.InverseDynamics(graph).solve([0.3, 2.3], [0.0] * 2, [0.0] * 2)


@pytest.mark.parametrize("ratio", [1e3, 1e4, 1e6])
def test_geared_windows_move_as_one_pendulum(ratio):
    """A rotor behind a gear: its inertia counts times the ratio squared."""
    graph = with_motor(windows(2).urdf, "upright_0", ratio, 0.2 / ratio**2)
    turns = {"motor": ratio} | {name: 1.0 for name in graph.joint_names if "upright" in name}
    start = [np.pi / 2 * turns.get(name, -1.0) for name in graph.joint_names]
    motion = md.simulate(graph, [np.pi / 2], [-1.0], None, 5.0, guess=start)
    exact = pendulum(2, 0.0, 1.0, motion.t, rotor=0.2)
    place = graph.q_slice("upright_1").start
    assert motion.coordinates[:, place] == pytest.approx(np.pi / 2 - exact, abs=1e-6)
    # the motor's angle comes to 1e7 rad, and the gear meets it to its last digit
    finest = np.spacing(np.abs(motion.coordinates[:, graph.q_slice("motor").start]).max())
    assert motion.residual.max() < 1e-9 + finest
