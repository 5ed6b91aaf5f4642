"""Wrenches of the tree's joints under those of loop joints and springs: Newton-Euler with these as loads."""

import numpy as np
import pytest

from helpers.robots.closed_robots import STATES
from modular_dynamics.closure import closed_loop_inverse_dynamics
from modular_dynamics.dynamics import InverseDynamics


@pytest.mark.parametrize("name", [*STATES, "charmie_torso"])
def test_joints_and_connection_points_transmit_what_newton_euler_gives_under_the_closing_wrenches(
    load_robot, name
):
    graph = load_robot(name)
    q = STATES.get(name, np.linspace(-0.02, 0.03, len(graph.independent_joint_names)))
    link, wrench = graph.bodies[-1].name, np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])
    state = graph, q, np.linspace(0.3, -0.4, len(q)), np.linspace(-1.0, 2.0, len(q)), None, {link: wrench}
    one, read_late = closed_loop_inverse_dynamics(*state), closed_loop_inverse_dynamics(*state)
    loads = one.closing_wrenches.on_links
    assert max(np.abs(load).max() for load in loads.values()) > 1.0
    loads[link] = loads.get(link, 0.0) + wrench
    expected = InverseDynamics(graph.tree).solve(one.coordinates, one.velocities, one.accelerations, loads)
    size = np.abs(expected.joint_wrenches).max()
    assert one.tree.joint_wrenches == pytest.approx(expected.joint_wrenches, abs=1e-14 * size)
    assert one.tree.connection_wrenches == pytest.approx(expected.connection_wrenches, abs=1e-14 * size)
    closed_loop_inverse_dynamics(graph, q + 0.01, 2.0 * q, 3.0 * q)  # later calls change no earlier result
    for k in range(len(graph.subsystems)):
        (at, transmitted), now = one.tree.connection_wrench_in_link(k), read_late.tree
        assert at == expected.connection_wrench_in_link(k)[0]
        assert transmitted.tolist() == now.connection_wrench_in_link(k)[1].tolist()
