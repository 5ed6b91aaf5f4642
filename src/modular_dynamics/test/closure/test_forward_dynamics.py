"""Forward dynamics: the saddle point system as printed, redundant rows, dead points, energy."""

import numpy as np
import pytest
from windows import standing, windows

import modular_dynamics as md
from modular_dynamics.closure import (
    close_loops,
    closed_loop_forward_dynamics,
    closed_loop_inverse_dynamics,
    constraint_projection,
    energy,
)
from modular_dynamics.closure.mechanism import mechanism

ROBOTS = {
    "four_bar": ([0.4], [3.0]),
    "slider_crank": ([1.1], [3.0]),
    "crane": ([0.3, 0.2, 0.3], [0.5, 0.2, -0.1]),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_solves_equation_22(load_robot, name):
    """[M J^T; J 0] [vdot; -lambda] = [tau - h; -gamma], row by row."""
    graph = load_robot(name)
    q, v = ROBOTS[name]
    coordinates, velocities = close_loops(graph, q), constraint_projection(graph, q) @ v
    tau = np.linspace(1.0, 2.0, len(q))
    motion = closed_loop_forward_dynamics(graph, coordinates, velocities, tau)
    solver = mechanism(graph)
    J, gamma = solver.room[3].copy(), solver.room[4].copy()
    drive = np.zeros(graph.nv)
    drive[solver.independent_v] = tau
    M, h = md.mass_matrix(graph.tree, coordinates), md.bias(graph.tree, coordinates, velocities)
    scale = np.abs(h).max() + 1.0
    assert M @ motion.accelerations + h == pytest.approx(drive + J.T @ motion.multipliers, abs=1e-10 * scale)
    assert J @ motion.accelerations == pytest.approx(-gamma, abs=1e-9 * (1.0 + np.abs(gamma).max()))
    # a saddle point: as many negative eigenvalues as the constraints' rank, zeros where rows are redundant
    zero = np.zeros((len(J), len(J)))
    values = np.linalg.eigvalsh(np.block([[M, J.T], [J, zero]]))
    small = 1e-9 * np.abs(values).max()
    assert (values < -small).sum() == motion.rank
    assert (np.abs(values) < small).sum() == len(J) - motion.rank
    assert (values > small).sum() == graph.nv


@pytest.mark.parametrize("name", ROBOTS)
def test_another_description_moves_likewise(load_robot, name):
    """Other independent joints, without torques: the mechanism is the same."""
    graph = load_robot(name)
    q, v = ROBOTS[name]
    coordinates, velocities = close_loops(graph, q), constraint_projection(graph, q) @ v
    expected = closed_loop_forward_dynamics(graph, coordinates, velocities, np.zeros(len(q)))
    swapped = {
        "four_bar": ("J3",),
        "slider_crank": ("piston_slide",),
        "crane": ("slew", "boom_hinge", "jib_hinge"),
    }
    other = graph.with_independent_joints(*swapped[name])
    found = closed_loop_forward_dynamics(other, coordinates, velocities, np.zeros(len(q)))
    assert found.accelerations == pytest.approx(expected.accelerations, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_flat_windows_obey_d_alembert(count):
    """A dead point: J is short of rank, and what the loops leave open there falls freely."""
    graph = windows(count)
    q = np.array(standing(graph, 0.0))
    motion = closed_loop_forward_dynamics(graph, q, 0 * q, [0.0])
    J = mechanism(graph).room[3].copy()
    assert (motion.rank, graph.nv - motion.rank) == (count, count + 1)
    assert J @ motion.accelerations == pytest.approx(np.zeros(len(J)), abs=1e-9)
    M, h = md.mass_matrix(graph.tree, q), md.bias(graph.tree, q, 0 * q)
    free = np.linalg.svd(J)[2][motion.rank :]
    assert free @ (M @ motion.accelerations + h) == pytest.approx(np.zeros(len(free)), abs=1e-9)


def test_energy_of_a_standing_window():
    """Uprights of 1 kg with their centres at 0.5 m, beams of 1 kg at 1 m; moving at 1 m/s at the top."""
    graph = windows(2)
    q = np.array(standing(graph, np.pi / 2))
    assert energy(graph, q, 0 * q) == pytest.approx(9.81 * (3 * 0.5 + 2 * 1.0), rel=1e-12)
    v = np.array(standing(graph, 1.0))
    assert energy(graph, q, v) - energy(graph, q, 0 * q) == pytest.approx(0.5 * 3.0, rel=1e-12)


def test_springs_bring_their_energy():
    text = windows(1).urdf.replace(
        "</modular_dynamics>",
        '<spring name="s" stiffness="50" free_length="1" initial_force="4" damping="3">'
        '<anchor link="ground"/><anchor link="beam_1" xyz="1 0 0"/></spring></modular_dynamics>',
    )
    graph, bare = md.load_urdf(text), windows(1)
    q, v = np.array(standing(graph, 1.0)), np.array(standing(graph, 2.0))
    stretch = 2.0 * np.cos(0.5) - 1.0  # the rhombus' long diagonal
    stored = energy(graph, q, v) - energy(bare, q, v)
    assert stored == pytest.approx(4.0 * stretch + 25.0 * stretch**2, rel=1e-12)
    pull = closed_loop_inverse_dynamics(graph, q[:1], v[:1], [0.0], q)
    rate = -np.sin(0.5) * 2.0
    assert pull.tensions["s"] == pytest.approx(4.0 + 50.0 * stretch + 3.0 * rate, rel=1e-12)
    motion = closed_loop_forward_dynamics(graph, q, v, pull.tau)
    assert motion.accelerations == pytest.approx(pull.accelerations, abs=1e-10)
    assert motion.tensions == pytest.approx([pull.tensions["s"]])


def test_without_loops_it_is_the_tree_s(load_robot):
    graph = load_robot("four_link")
    rng = np.random.default_rng(0)
    q, v, tau = rng.uniform(-1, 1, (3, graph.nv))
    found = closed_loop_forward_dynamics(graph, q, v, tau)
    assert found.accelerations == pytest.approx(md.forward_dynamics(graph, q, v, tau), rel=1e-9, abs=1e-9)
    assert (found.rank, len(found.multipliers)) == (0, 0)
