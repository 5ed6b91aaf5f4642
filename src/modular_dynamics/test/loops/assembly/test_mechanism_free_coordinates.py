"""Passive coordinates that neither motors nor loops determine, against a saddle-point system of Pinocchio."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.saddle_point import SaddlePoint
from helpers.robots.closed_robots import change_point
from helpers.robots.spatial_mechanisms import (
    X,
    Y,
    Z,
    ball,
    cut_rod,
    link,
    loaded,
    passive,
    platform,
    spinning_rod,
)
from helpers.robots.urdf_text import joint, loop_joint
from helpers.springs import spring_torque
from modular_dynamics.exceptions import ClosureError, SingularityError, StateError
from modular_dynamics.loops.assembly.mechanism import free_coordinates
from modular_dynamics.loops.constraints.constraint_system import ConstraintSystem
from modular_dynamics.loops.dynamics.solver import ClosedLoopSolver, solver_of

MECHANISMS = {
    "one rod": (lambda: spinning_rod(1), 1),
    "two rods": (lambda: spinning_rod(2), 2),
    "a rod that spins only if closed": (cut_rod, 1),
    "platform on legs that spin": (lambda: platform((X, Y, Z)), 6),
    "floating platform on legs that spin": (lambda: platform((X, Y, Z), floating=True), 6),
}


@pytest.fixture(params=MECHANISMS)
def mechanism(request):
    """A graph, and how many coordinates are free."""
    make, free = MECHANISMS[request.param]
    return make(), free


def test_inverse_dynamics_against_a_saddle_point_system_of_pinocchio(mechanism):
    graph, free = mechanism
    rng, solver = np.random.default_rng(0), solver_of(graph)
    count = len(graph.independent_joint_names)
    result = None
    for k in range(3):
        q, (v, a) = 0.1 * k + 0.02 * rng.normal(size=count), rng.normal(size=(2, count))
        guess = None if result is None else result.coordinates
        result = md.InverseDynamics(graph).solve(q, v, a, guess=guess)
        assert len(result.free) == free
        oracle, known, full = (
            SaddlePoint(graph, result.coordinates, result.velocities),
            *np.zeros((2, graph.nv)),
        )
        known[solver.independent_v], full[solver.independent_v] = 1.0, a
        assert oracle.open < 1e-12
        assert np.abs(oracle.J @ result.velocities).max() < 1e-12
        accelerations, tau, residual = oracle.solve(known == 1.0, full, np.zeros(graph.nv))
        assert residual < 1e-10
        assert np.abs(result.accelerations - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
        assert np.abs(result.tau - tau).max() <= 1e-10 * np.abs(tau).max()


@pytest.mark.parametrize("function", [md.inverse_dynamics_derivatives, md.regressor])
def test_what_free_joints_would_falsify_is_refused(mechanism, function):
    graph, _ = mechanism
    zeros = np.zeros(len(graph.independent_joint_names))
    with pytest.raises(md.UnsupportedModelError, match="neither loops nor independent joints"):
        function(graph, zeros, zeros, zeros)


def test_the_terms_of_the_equation_of_motion_add_up(mechanism):
    graph, _ = mechanism
    rng, count = np.random.default_rng(1), len(graph.independent_joint_names)
    q, (v, a) = 0.05 * rng.normal(size=count), rng.normal(size=(2, count))
    result = md.InverseDynamics(graph).solve(q, v, a)
    M, h = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v)
    assert pytest.approx(M.T, abs=1e-12) == M
    assert np.linalg.eigvalsh(M).min() > 0.0
    assert M @ a + h == pytest.approx(result.tau, rel=1e-9, abs=1e-9)
    rest = md.gravity_torque(graph, q) + spring_torque(graph, q)
    assert rest == pytest.approx(md.nonlinear_effects(graph, q, np.zeros(count)), rel=1e-9, abs=1e-9)
    forward = md.constrained_dynamics(graph, result.coordinates, result.velocities, result.tau)
    assert forward.a == pytest.approx(result.accelerations, rel=1e-9, abs=1e-8)


def test_free_joints_keep_the_guess_and_do_not_move(mechanism):
    graph, _ = mechanism
    count = len(graph.independent_joint_names)
    first = md.InverseDynamics(graph).solve(np.zeros(count), np.ones(count), np.ones(count))
    at = [graph.q_slice(name).start for name in first.free]
    assert not first.velocities[[graph.v_slice(name).start for name in first.free]].any()
    guess = first.coordinates.copy()
    guess[at] += np.linspace(0.4, 0.5, len(at))
    moved = md.close_loops(graph, np.full(count, 0.05), guess)
    assert np.array_equal(moved[at], guess[at])
    assert max(solver_of(graph).residual(moved).values()) < 1e-10
    turned = md.InverseDynamics(graph).solve(np.zeros(count), np.zeros(count), np.zeros(count), guess=guess)
    assert turned.free == first.free


@pytest.mark.parametrize(("kind", "free"), [("spherical", 3), ("universal", 2)])
def test_free_joints_move_where_loops_do_not_close_otherwise(kind, free):
    """A body that can be anywhere, on three slides and three hinges, and one loop joint to a driven link."""
    names = ["slide_0", "slide_1", "slide_2", "turn_0", "turn_1", "turn_2"]
    elements = [link("base"), link("driven", 1.0), *(link(f"{name}_body", 1.0) for name in names)]
    elements.append(joint("motor", "continuous", "base", "driven", (0, 0, 0), axis=Z))
    carrier = "base"
    for name, axis in zip(names, (X, Y, Z, X, Y, Z), strict=True):
        type_ = "prismatic" if name.startswith("slide") else "continuous"
        elements.append(joint(name, type_, carrier, f"{name}_body", (0, 0, 0), axis=axis))
        carrier = f"{name}_body"
    ends = ("driven", (0.3, 0.1, -0.2), (0.5, -0.3, 0.9)), (carrier, (0.1, 0.2, 0.05), (0.2, 0.1, -0.4))
    graph = loaded("table", elements, [loop_joint("pin", kind, *ends, (0.48, -0.6, 0.64)), *passive(names)])
    solver, rng = solver_of(graph), np.random.default_rng(0)
    for _ in range(60):
        guess = rng.uniform(-2.5, 2.5, graph.nq)
        closed = solver.close([0.4], guess)
        assert solver.system.largest_residual(closed) < 1e-9
        assert closed[graph.q_slice("motor")] == 0.4
    assert len(solver.system.free) == free


def test_what_is_free_does_not_depend_on_the_first_call():
    """Each solver finds it by itself: closing first, from a guess, or dynamics at once."""
    graph = spinning_rod(2)
    closed = solver_of(graph).close([0.1, 0.2])
    later = solver_of(graph).close([0.4, 0.1], closed)
    solvers = [ClosedLoopSolver(graph) for _ in range(4)]
    solvers[0].close([0.1, 0.2])
    solvers[1].close([0.4, 0.1], closed)
    solvers[2].projection(later)
    solvers[3].inverse_dynamics(later, [0.1, 0.1], [0.2, 0.2])
    assert {solver.system.free_joints for solver in solvers} == {("ball0_2", "ball1_2")}


def test_energy_is_kept_in_simulation():
    graph = spinning_rod(1)
    motion = md.simulate(graph, [0.2], [1.0], None, 0.3)
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-7
    assert motion.residual.max() < 1e-9
    spin = graph.v_slice("ball0_2").start
    assert np.ptp(motion.velocities[:, spin]) > 0.1  # nothing holds the rod, whose mass is off its axis


def rod(size=0.1, com=(0.2, 0.0, 0.0)):
    """A rod between a crank and a rocker; with size 0 a line of mass that has no inertia about its axis."""
    elements = [link("base"), link("crank", 1.0), link("rocker", 0.8)]
    inertia = "".join(
        f'{key}="{value}" '
        for key, value in zip(
            ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (size, 0.01, 0.01, 0, 0, 0), strict=True
        )
    )
    elements.append(
        f'<link name="rod"><inertial><origin xyz="{com[0]} {com[1]} {com[2]}"/><mass value="0.5"/>'
        f"<inertia {inertia}/></inertial></link>"
    )
    elements += [joint("motor", "continuous", "base", "crank", (0, 0, 0), axis=Z)]
    balls, names = ball("ball", "crank", "rod", (0.1, 0, 0))
    elements += [*balls, joint("rocking", "continuous", "base", "rocker", (0.45, 0.05, 0.1), axis=X)]
    ends = ("rod", (0.4, 0, 0)), ("rocker", (0, 0.15, 0.1))
    return loaded("rod", elements, [loop_joint("end", "spherical", *ends, Z), *passive([*names, "rocking"])])


def test_a_rod_without_inertia_about_its_axis_does_not_spin():
    thin = md.InverseDynamics(rod(0.0)).solve([0.2], [0.5], [1.0])
    thick = md.InverseDynamics(rod(1e-9)).solve([0.2], [0.5], [1.0])
    assert thin.tau == pytest.approx(thick.tau, rel=1e-6)
    with pytest.raises(StateError, match=r"ball_2 of 'rod'.*moves no inertia"):
        md.InverseDynamics(rod(0.0)).solve(
            [0.2], [0.5], [1.0], external_wrenches={"rod": [0, 0, 0, 1.0, 0, 0]}
        )


@pytest.mark.parametrize("com", [(0.2, 0, 0), (0.13, 0, 0)])
def test_forward_and_hybrid_dynamics_do_not_spin_it_either(com):
    """What moves besides is as with a little inertia about the axis."""
    thin, thick = (rod(inertia, com) for inertia in (0.0, 1e-9))
    inverse = md.InverseDynamics(thin).solve([0.2], [0.5], [1.0])
    state = inverse.coordinates, inverse.velocities
    others = [thin.v_slice(name).start for name in ("motor", "rocking")]
    for graph in (thin, thick):
        forward = md.constrained_dynamics(graph, *state, inverse.tau)
        assert forward.a[others] == pytest.approx(inverse.accelerations[others], rel=1e-6)
        hybrid = md.constrained_dynamics(graph, *state, [0.0], prescribed=["motor"], a=[1.0])
        assert hybrid.a[others] == pytest.approx(inverse.accelerations[others], rel=1e-6)
        assert hybrid.tau == pytest.approx(inverse.tau, rel=1e-6)
        assert np.abs(hybrid.a).max() < 100.0
    turned = {"rod": [0, 0, 0, 1.0, 0, 0]}
    with pytest.raises(StateError, match="moves no inertia, on which torques act"):
        md.constrained_dynamics(thin, *state, [0.0], prescribed=["motor"], a=[1.0], external_wrenches=turned)


def test_a_motor_that_is_missing_is_no_free_joint():
    """Only passive joints are free; here the slide of a leg, a motor, is not independent."""
    graph = platform()
    short = graph.with_independent_joints(*graph.independent_joint_names[:5])
    with pytest.raises(SingularityError, match="more joints must be independent"):
        md.InverseDynamics(short).solve(np.zeros(5), np.zeros(5), np.zeros(5))


def test_a_dead_point_is_no_free_coordinate():
    """All sides of a four-bar on one line: J_d loses rank there, and only there."""
    graph = md.load_urdf(change_point())
    system = ConstraintSystem(graph)
    closed = np.array([0.0, 0.0, np.pi])
    assert system.largest_residual(closed) < 1e-12
    assert system.projection(closed).condition > 1e6
    assert free_coordinates(system, closed) == ()


def test_a_dead_point_beside_a_free_coordinate():
    """The rod that turns the crank, driven by the rocker as far as it goes."""
    graph = spinning_rod(1)
    driven = md.load_urdf(graph.urdf.replace('<passive joint="rocking0"/>', '<passive joint="motor0"/>'))
    place, guess = graph.q_slice("rocking0").start, md.close_loops(graph, [0.2])
    assert driven.independent_joint_names == ("rocking0",)
    solution = md.InverseDynamics(driven).solve([guess[place]], [0.1], [0.2], guess=guess)
    assert len(solution.free) == 1
    with pytest.raises(ClosureError, match="at a dead point"):
        md.InverseDynamics(driven).solve([guess[place] - 5.0], [0.1], [0.2], guess=guess)
