"""Forward dynamics: the saddle point system as printed, redundant rows, crossings of branches, energy."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_saddle_point import MujocoSaddlePoint
from helpers.oracles.saddle_point import SaddlePoint
from helpers.robots.closed_robots import STATES
from helpers.robots.four_bar_windows import closed_rods, four_rods, rod, standing, windows
from helpers.robots.mjcf_text import four_bar
from helpers.robots.parallel_mechanisms import sarrus
from helpers.robots.spatial_mechanisms import X, Y, Z, platform, spinning_rod
from helpers.robots.urdf_text import loop_joint, robot, spring
from modular_dynamics.exceptions import ClosureError, StateError
from modular_dynamics.loops import solver_of
from modular_dynamics.mjcf.source import compiled

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
    """3 phi'' = 3.5 g cos(angle), from states as `close_loops` leaves them, and from exact ones."""
    graph = windows(2)
    q = md.close_loops(graph, [angle], standing(graph, angle + 1e-3))
    v = md.explicit_constraint_jacobian(graph, [angle], q) @ [3.0]
    expected = standing(graph, -3.5 / 3 * 9.81 * np.cos(angle))
    for state in ((q, v), (standing(graph, angle), standing(graph, 3.0))):
        result = md.constrained_dynamics(graph, *state, [0.0])
        # the pull on the rods grows as 1 / angle: what rounding leaves of it
        assert result.a == pytest.approx(expected, abs=1e-8)
        assert result.rank == 4


@pytest.mark.parametrize("angle", [0.3, 1e-2, 1e-3, 1e-4, 1e-5])
def test_functions_of_the_independent_joint_of_nearly_flat_windows(angle):
    """3 phi'' + 3.5 g cos(angle) = tau, whatever of it is asked for."""
    graph = windows(2)
    q, guess, weight = [angle], standing(graph, angle + 1e-3), 3.5 * 9.81 * np.cos(angle)
    assert md.inverse_dynamics(graph, q, [3.0], [2.0], guess=guess) == pytest.approx(6.0 + weight, abs=1e-8)
    assert md.nonlinear_effects(graph, q, [3.0], guess=guess) == pytest.approx(weight, abs=1e-8)
    assert md.gravity_torque(graph, q, guess=guess) == pytest.approx(weight, abs=1e-8)
    # W is that of one state: rounding of phi over angle^2
    M = md.mass_matrix(graph, q, guess=guess)
    assert pytest.approx(np.array([[3.0]]), abs=1e-8 + 1e-16 / angle**2) == M
    assert md.forward_dynamics(graph, q, [3.0], [6.0 + weight], guess=guess) == pytest.approx(2.0, abs=1e-8)
    hybrid = md.hybrid_dynamics(graph, q, [3.0], [2.0], [0.0], ["upright_0"], guess=guess)
    assert hybrid.tau == pytest.approx(6.0 + weight, abs=1e-8)


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


@pytest.mark.parametrize("gap", [1e-8, 1e-10, 1e-12])
def test_where_branches_come_close_without_crossing(gap):
    """Those of a crossing would be wrong by gap / angle^3: refused, and farther away those of the state."""
    lengths = 1.0, 1.0, 1.0, 1.0 + gap
    graph = four_rods(*lengths)
    with pytest.raises(md.SingularityError, match="come close there") as error:
        md.constrained_dynamics(graph, closed_rods(lengths, 2e-4, 1), np.zeros(3), [0.0])
    assert error.value.condition > 1e3
    q = md.close_loops(graph, [2e-3], closed_rods(lengths, 2e-3, 1))
    v = md.explicit_constraint_jacobian(graph, [2e-3], q) @ [1.0]
    a = md.constrained_dynamics(graph, q, v, [0.0]).a
    # both with q rounded by 1e-16 / angle, and that over angle^2 in accelerations
    assert a == pytest.approx(solution_at(graph, q, v, [0.0]), abs=1e-6)


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


# Hybrid dynamics with loops against a saddle-point system of Pinocchio, and both problems that it mixes.


def moving_state(graph, q, rng, spins=True):
    """Coordinates and velocities of all joints; free joints spin."""
    solver = solver_of(graph)
    coordinates = solver.close(q)
    W = solver.system.projection(coordinates).W
    rates = rng.normal(size=W.shape[1])
    if not spins:
        rates[len(q) :] = 0.0
    return coordinates, W @ rates


def masks(graph, prescribed):
    known = np.zeros(graph.nv, bool)
    for name in prescribed:
        known[graph.v_slice(name)] = True
    return known, solver_of(graph).independent_v


@pytest.mark.parametrize("make", [lambda: spinning_rod(2), platform, lambda: platform((X, Y, Z))])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_against_a_saddle_point_system_of_pinocchio(make, count):
    graph = make()
    rng, independent = np.random.default_rng(count), graph.independent_joint_names
    q, v = moving_state(graph, 0.1 * rng.normal(size=len(independent)), rng)
    a, tau = rng.normal(size=(2, len(independent)))
    prescribed = independent[:count]
    result = md.constrained_dynamics(graph, q, v, tau, prescribed=prescribed, a=a)
    known, own = masks(graph, prescribed)
    full_a, full_tau = np.zeros((2, graph.nv))
    full_a[own], full_tau[own] = a, tau
    oracle = SaddlePoint(graph, q, v)
    assert oracle.open < 1e-12
    accelerations, torques, residual = oracle.solve(known, full_a, full_tau)
    assert residual < 1e-10
    assert np.abs(result.a - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
    expected = tau.copy()
    expected[known[own]] = torques
    assert np.abs(result.tau - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())
    # power: what motors supply is the rate of the kinetic and potential energy, of spinning rods as well
    step = 1e-5
    coordinates = [q + s * step * v + 0.5 * step**2 * result.a for s in (1, -1)]
    speeds = [v + s * step * result.a for s in (1, -1)]
    after, before = (md.energy(graph, *state) for state in zip(coordinates, speeds, strict=True))
    assert (after - before) / (2.0 * step) == pytest.approx(result.tau @ v[own], abs=1e-6)


def test_external_wrenches_count():
    graph = spinning_rod()
    load = {"rod0": [1.0, 2.0, 3.0, 0.4, 0.5, 0.6]}
    inverse = md.InverseDynamics(graph).solve([0.2], [0.7], [1.5], external_wrenches=load)
    state = graph, inverse.coordinates, inverse.velocities
    result = md.constrained_dynamics(
        *state, [0.0], prescribed=graph.independent_joint_names, a=[1.5], external_wrenches=load
    )
    assert result.tau == pytest.approx(inverse.tau, rel=1e-10)
    assert result.a == pytest.approx(inverse.accelerations, rel=1e-10)
    without = md.constrained_dynamics(*state, [0.0], prescribed=graph.independent_joint_names, a=[1.5])
    assert np.abs(without.tau - inverse.tau).max() > 1e-2
    forward = md.constrained_dynamics(*state, inverse.tau, external_wrenches=load)
    assert forward.a == pytest.approx(inverse.accelerations, rel=1e-10)


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("count", [0, 1])
def test_of_independent_joints(load_robot, name, count):
    """One state or many: prescribed accelerations and given torques stay, the others complete them."""
    graph, rng = load_robot(name), np.random.default_rng(3)
    names = graph.independent_joint_names
    q = STATES[name] + 0.01 * rng.normal(size=(3, len(names)))
    v, a = rng.normal(size=(2, 3, len(names)))
    guess = md.close_loops(graph, STATES[name])
    tau = md.inverse_dynamics(graph, q, v, a, guess=guess)
    known = np.arange(len(names)) < count
    given_a, given_tau = np.where(known, a, np.nan), np.where(known, np.nan, tau)
    found = md.hybrid_dynamics(graph, q, v, given_a, given_tau, names[:count], guess=guess)
    assert found.a == pytest.approx(a, rel=1e-8, abs=1e-8)
    assert found.tau == pytest.approx(tau, rel=1e-8, abs=1e-8 * np.abs(tau).max())
    for k in range(3):
        single = md.hybrid_dynamics(graph, q[k], v[k], given_a[k], given_tau[k], names[:count], guess=guess)
        assert single.a == pytest.approx(found.a[k], rel=1e-9, abs=1e-9)
    none = md.hybrid_dynamics(graph, q[:0], v[:0], a[:0], tau[:0], names[:count])
    assert none.a.shape == none.tau.shape == (0, len(names))
    v[1] = np.nan
    with pytest.raises(StateError, match=r"row 1: v"):
        md.hybrid_dynamics(graph, q, v, given_a, given_tau, names[:count], guess=guess)


def test_errors_name_what_is_wrong(load_robot):
    graph = load_robot("four_bar")
    inverse = md.InverseDynamics(graph).solve([0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    passive = graph.passive_joints[0]
    with pytest.raises(StateError, match=f"prescribed joint '{passive}' is none of"):
        md.constrained_dynamics(*state, [0.0], prescribed=[passive], a=[0.0])
    with pytest.raises(StateError, match="tau has shape"):
        md.constrained_dynamics(*state, [0.0, 1.0])
    both = graph.with_independent_joints(*graph.joint_names)
    zeros = np.zeros(len(graph.joint_names))
    with pytest.raises(ClosureError, match=r"cannot all be prescribed: its loops couple them.* 1 degree"):
        md.constrained_dynamics(both, *state[1:], zeros, prescribed=graph.joint_names, a=zeros)


@pytest.mark.parametrize("size", [1e308, -1e308])
def test_accelerations_that_are_too_large_for_a_number_are_refused(load_robot, size):
    graph = load_robot("four_bar")
    inverse = md.InverseDynamics(graph).solve([0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    with pytest.raises(StateError, match="so large that accelerations or forces are not"):
        md.constrained_dynamics(*state, [size])


# Hybrid dynamics of closed loops against MuJoCo: `connect` constraints and a rod that spins.

#: Two motors turn a rocker by a rod with a ball at either end.
ROD = """<mujoco model="rod"><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 0 1" armature="0.02"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
    <body name="arm" pos="0.3 0 0"><joint name="arm" axis="0 1 0.2" stiffness="3"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0.1 0"/>
      <body name="rod" pos="0.3 0.1 0"><joint name="ball" type="ball"/>
        <geom type="box" size="0.1 0.06 0.03" pos="0.15 0.05 0.02"/></body></body></body>
  <body name="rocker" pos="1 0.2 0.3"><joint name="rocker" axis="0.1 1 0.2"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3"/></body>
  </worldbody>
  <equality><connect name="end" body1="rod" body2="rocker" anchor="0.4 0.1 0"/></equality>
  <actuator><motor joint="crank"/><motor joint="arm"/></actuator></mujoco>"""


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("text", [pytest.param(four_bar(), id="four-bar"), pytest.param(ROD, id="rod")])
def test_connect(text, count):
    model = compiled(text).model
    graph, rng = md.load_mjcf(model), np.random.default_rng(count)
    names = graph.independent_joint_names
    prescribed, independent = names[:count], solver_of(graph).independent_v
    q = md.close_loops(graph, 0.2 * rng.normal(size=len(names)))
    W = solver_of(graph).system.projection(q).W
    v = W @ rng.normal(size=W.shape[1])  # rods spin
    assert W.shape[1] == len(names) + (text == ROD)
    a, tau = rng.normal(size=(2, len(names)))
    known, all_a, all_tau = np.zeros(graph.nv, bool), np.zeros(graph.nv), np.zeros(graph.nv)
    known[independent[:count]], all_a[independent], all_tau[independent] = True, a, tau
    oracle = MujocoSaddlePoint(graph, model, q, v)
    assert oracle.open < 1e-10
    accelerations, torques = oracle.solve(known, all_a, all_tau)
    result = md.constrained_dynamics(graph, q, v, tau, prescribed=prescribed, a=a)
    assert np.abs(result.a - accelerations).max() <= 1e-9 * np.abs(accelerations).max()
    assert np.abs(result.tau - torques[independent]).max() <= 1e-9 * max(1.0, np.abs(torques).max())
