"""Forward dynamics: the saddle point system as printed, redundant rows, crossings of branches, energy."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.four_bar_windows import rod, standing, windows
from helpers.robots.parallel_mechanisms import sarrus
from helpers.robots.spatial_mechanisms import spinning_rod
from helpers.robots.urdf_text import loop_joint, robot, spring
from modular_dynamics.loops import solver_of

# independent coordinates and velocities; other joints that describe the same mechanism
ROBOTS = {
    "four_bar": ([0.4], [3.0], ["J3"]),
    "slider_crank": ([1.1], [3.0], ["piston_slide"]),
    "crane": ([0.3, 0.2, 0.3], [0.5, 0.2, -0.1], ["slew", "boom_hinge", "jib_hinge"]),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_solves_equation_22(load_robot, name):
    """[M J^T; J 0] [a; -lambda] = [tau - h; -gamma], row by row; whatever describes the mechanism."""
    graph = load_robot(name)
    q, v, others = ROBOTS[name]
    coordinates, velocities = md.close_loops(graph, q), md.explicit_constraint_jacobian(graph, q) @ v
    tau = np.linspace(1.0, 2.0, len(q))
    motion = md.constrained_dynamics(graph, coordinates, velocities, tau)
    system = solver_of(graph).system
    values = system.evaluate(coordinates, velocities)
    J, gamma = values.J.copy(), values.gamma.copy()
    drive = np.zeros(graph.nv)
    drive[system.independent_v] = tau
    M, h = md.mass_matrix(graph.tree, coordinates), md.nonlinear_effects(graph.tree, coordinates, velocities)
    scale = np.abs(h).max() + 1.0
    assert M @ motion.a + h == pytest.approx(drive + J.T @ motion.multipliers, abs=1e-10 * scale)
    assert J @ motion.a == pytest.approx(-gamma, abs=1e-9 * (1.0 + np.abs(gamma).max()))
    # a saddle point: as many negative eigenvalues as the constraints' rank, zeros where rows are redundant
    zero = np.zeros((len(J), len(J)))
    values = np.linalg.eigvalsh(np.block([[M, J.T], [J, zero]]))
    small = 1e-9 * np.abs(values).max()
    assert (values < -small).sum() == motion.rank
    assert (np.abs(values) < small).sum() == len(J) - motion.rank
    assert (values > small).sum() == graph.nv
    # without torques it is the same by other independent joints
    free, same = (
        md.constrained_dynamics(g, coordinates, velocities, 0 * tau).a
        for g in (graph, graph.with_independent_joints(*others))
    )
    assert same == pytest.approx(free, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "crane"])
def test_inverse_dynamics_of_the_accelerations_gives_the_torques(load_robot, name):
    """Of small velocities and large accelerations, which vary along the branch more than the former."""
    graph, rng = load_robot(name), np.random.default_rng(0)
    solver = solver_of(graph)
    reference, p = solver.reference(), len(solver.independent_v)
    for _ in range(60):
        q = reference[solver.independent_q] + rng.uniform(-0.05, 0.05, p)
        v, tau = rng.normal(size=p), 10.0 * rng.normal(size=p)
        closed = solver.close(q, reference)
        motion = md.constrained_dynamics(graph, closed, solver.projection(closed) @ v, tau)
        a = motion.a[solver.independent_v]
        back = md.inverse_dynamics(graph, q, v, a, guess=closed)
        M, h = md.mass_matrix(graph, q, guess=closed), md.nonlinear_effects(graph, q, v, guess=closed)
        sizes = np.abs(M) @ np.abs(a) + np.abs(h) + np.abs(tau)
        assert np.abs(back - tau).max() < 1e-8 * sizes.max()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_flat_windows_are_refused(count):
    """Branches cross there: in the uprights' common motion and in others that also leave the loops closed."""
    graph = windows(count)
    for angle, least in ((0.0, 1e9), (np.pi, 1e9), (1e-10, 1e9), (1e-7, 1e6)):
        q = np.array(standing(graph, angle))
        with pytest.raises(md.SingularityError, match="branches of the motion of 'windows' cross") as error:
            md.constrained_dynamics(graph, q, 0 * q, [0.0])
        assert error.value.condition > least


@pytest.mark.parametrize("angle", [0.3, 1e-2, 1e-3, 1e-4, 1e-5])
def test_nearly_flat_windows_move_as_one_pendulum(angle):
    """3 phi'' = 3.5 g cos(angle), from coordinates and velocities as `close_loops` leaves them."""
    graph = windows(2)
    q = md.close_loops(graph, [angle], standing(graph, angle + 1e-3))
    v = md.explicit_constraint_jacobian(graph, [angle], q) @ [3.0]
    result = md.constrained_dynamics(graph, q, v, [0.0])
    expected = standing(graph, -3.5 / 3 * 9.81 * np.cos(angle))
    # the pull on the rods grows as 1 / angle: what rounding leaves of it
    assert result.a == pytest.approx(expected, abs=1e-8)
    assert result.rank == 4


def solution_at(graph, q, v, tau):
    """Accelerations of all joints by the saddle-point system of these rows alone, by least squares."""
    system = solver_of(graph).system
    values, drive = system.evaluate(q, v), np.zeros(graph.nv)
    drive[system.independent_v] = tau
    M, h = md.mass_matrix(graph.tree, q), md.nonlinear_effects(graph.tree, q, v)
    rows = len(values.J)
    saddle = np.block([[M, -values.J.T], [values.J, np.zeros((rows, rows))]])
    right = np.concatenate([drive - h, -values.gamma])
    return np.linalg.lstsq(saddle, right, rcond=1e-9)[0][: graph.nv]


@pytest.mark.parametrize("before", [0.1, 0.05, 0.02, -0.03])
def test_what_is_interpolated_where_legs_are_stretched_is_the_solution_there(before):
    """Sarrus' table, highest at a motor angle of -atan(0.4 / 0.25), against the system at the state itself.

    J changes little there: it would let links turn by 0.3 rad from one interpolated point to the last one.
    """
    graph, along = md.load_urdf(sarrus().urdf()), np.array([1.0, -2.0, 1.0, -1.0, 2.0])
    q, v, tau = -(np.arctan2(0.4, 0.25) + before) * along, 1.3 * along, [0.4]
    result = md.constrained_dynamics(graph, q, v, tau)
    exact = solution_at(graph, q, v, tau)
    assert result.a == pytest.approx(exact, abs=1e-7)
    motion = md.simulate(graph, q[:1], v[:1], None, 0.2, guess=q)
    assert np.ptp(motion.energy) < 1e-8


def three_cranks():
    """Three uprights of 1 m below one beam of 2 m and 2 kg: redundant, but only as they are 1 m apart."""
    parts = ['<link name="ground"/>', *(rod(f"upright_{k}", "ground", k) for k in range(3))]
    parts.append(rod("beam", "upright_0", 1, 2.0, 2.0))
    tags = ['<passive joint="beam"/>']
    for k in (1, 2):
        ends = (f"upright_{k}", (1, 0, 0)), ("beam", (k, 0, 0))
        tags += [loop_joint(f"pin_{k}", "revolute", *ends, (0, 0, 1)), f'<passive joint="upright_{k}"/>']
    return md.load_urdf(robot("cranks", parts, tags))


def test_rows_redundant_on_the_way_only_are_no_crossing():
    """Three cranks: (1 + 2) phi'' = (1.5 + 2) g cos(angle); rank 3 of 4 rows in the plane."""
    graph = three_cranks()
    q = np.array(standing(graph, 1.0))
    result = md.constrained_dynamics(graph, q, 0 * q, [0.0])
    assert result.rank == 3
    assert result.a == pytest.approx(standing(graph, -3.5 / 3 * 9.81 * np.cos(1.0)), abs=1e-10)
    motion = md.simulate(graph, [1.0], [-1.0], None, 2.0, guess=q)  # flat twice
    assert np.ptp(motion.coordinates[:, 0]) > 3.0
    assert np.ptp(motion.energy) < 1e-7
    speed = motion.velocities[:, 0]
    kinetic = 1.5 * speed**2 + 3.5 * 9.81 * np.sin(motion.coordinates[:, 0])
    assert kinetic == pytest.approx(1.5 + 3.5 * 9.81 * np.sin(1.0), abs=1e-7)


def test_energy_of_a_standing_window():
    """Uprights of 1 kg with their centres at 0.5 m, beams of 1 kg at 1 m; moving at 1 m/s at the top."""
    graph = windows(2)
    q = np.array(standing(graph, np.pi / 2))
    assert md.energy(graph, q, 0 * q) == pytest.approx(9.81 * (3 * 0.5 + 2 * 1.0), rel=1e-12)
    v = np.array(standing(graph, 1.0))
    assert md.energy(graph, q, v) - md.energy(graph, q, 0 * q) == pytest.approx(0.5 * 3.0, rel=1e-12)


def test_springs_bring_their_energy():
    pull = spring("s", [("ground", (0, 0, 0)), ("beam_1", (1, 0, 0))], 50, 1, 4, damping=3)
    text = windows(1).urdf.replace("</modular_dynamics>", f"{pull}</modular_dynamics>")
    graph, bare = md.load_urdf(text), windows(1)
    q, v = np.array(standing(graph, 1.0)), np.array(standing(graph, 2.0))
    stretch = 2.0 * np.cos(0.5) - 1.0  # the rhombus' long diagonal
    stored = md.energy(graph, q, v) - md.energy(bare, q, v)
    assert stored == pytest.approx(4.0 * stretch + 25.0 * stretch**2, rel=1e-12)
    pull = md.InverseDynamics(graph).solve(q[:1], v[:1], [0.0], guess=q)
    rate = -np.sin(0.5) * 2.0
    assert pull.tensions["s"] == pytest.approx(4.0 + 50.0 * stretch + 3.0 * rate, rel=1e-12)
    motion = md.constrained_dynamics(graph, q, v, pull.tau)
    assert motion.a == pytest.approx(pull.accelerations, abs=1e-10)
    assert motion.tensions == pytest.approx([pull.tensions["s"]])


def test_without_loops_it_is_the_tree_s(load_robot):
    graph = load_robot("four_link")
    rng = np.random.default_rng(0)
    q, v, tau = rng.uniform(-1, 1, (3, graph.nv))
    result = md.constrained_dynamics(graph, q, v, tau)
    assert result.a == pytest.approx(md.forward_dynamics(graph, q, v, tau), rel=1e-9, abs=1e-9)
    assert (result.rank, len(result.multipliers)) == (0, 0)


def test_columns_of_larger_arrays_are_read_as_what_they_are(load_robot):
    """Their numbers are no neighbours in memory."""
    graph = load_robot("four_bar")
    there = md.InverseDynamics(graph).solve([0.4], [1.0], [0.5])
    columns = np.column_stack([there.coordinates, there.velocities])
    assert not columns[:, 0].flags.c_contiguous
    motion = md.constrained_dynamics(graph, columns[:, 0], columns[:, 1], there.tau)
    expected = md.constrained_dynamics(graph, there.coordinates, there.velocities, there.tau)
    assert np.array_equal(motion.a, expected.a)
    assert motion.a == pytest.approx(there.accelerations, abs=1e-12)
    assert md.energy(graph, *columns.T) == md.energy(graph, there.coordinates, there.velocities)
    assert max(solver_of(graph).residual(columns[:, 0]).values()) < 1e-15
    assert solver_of(graph).projection(columns[:, 0]) == pytest.approx(there.projection, abs=1e-15)


def test_joints_at_rest_beside_moving_ones_feel_no_dry_friction():
    """The velocity of a rod that does not spin is zero, and not what a projection makes of that."""
    rod = spinning_rod()
    rod = rod.with_parameters({f"joint {name} friction": 0.2 for name in rod.joint_names})
    for speed in np.linspace(0.9, 1.7, 9):
        state = md.InverseDynamics(rod, friction="urdf").solve([0.2], [speed], [0.4])
        assert state.velocities[rod.v_slice(*state.free)] == 0.0
        arguments = rod, state.coordinates, state.velocities
        motion = md.constrained_dynamics(*arguments, state.tau, friction="urdf")
        assert motion.a == pytest.approx(state.accelerations, rel=1e-9)
