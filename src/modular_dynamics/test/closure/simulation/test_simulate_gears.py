"""Gears of large ratio in loops: no dead points, no open loops."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.setting.robots import windows
from helpers.oracles.motions import pendulum
from modular_dynamics.closure import (
    closed_loop_forward_dynamics,
    closed_loop_inverse_dynamics,
    simulate,
)
from modular_dynamics.exceptions import ClosureError


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
