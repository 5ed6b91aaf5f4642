"""Which assembly mode is found: nearest to a guess, within the limits, never another one along a motion."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.general_loops import GeneralSolver
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.oracles.saddle_point import SaddlePoint
from helpers.paths import ROBOTS
from helpers.random_examples.examples import rounds
from helpers.random_examples.mechanisms import second_axis
from helpers.robots.planar_mechanisms import branch_of, four_bar_by_cosines, modes_of
from helpers.robots.planar_robots import Planar, four_bar, with_limits
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
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from helpers.springs import spring_torque
from modular_dynamics.exceptions import ClosureError, SingularityError, StateError
from modular_dynamics.loops import close_loops, solver_of
from modular_dynamics.loops.assembly.mechanism import Mechanism
from modular_dynamics.loops.dynamics.solver import ClosedLoopSolver

#: Residual of a closed loop.
CLOSE = 1e-10
GRAPHS = {"planar": four_bar().graph()}
GRAPHS |= {name: md.load_urdf(ROBOTS / f"{name}.urdf") for name in ("slider_crank", "exoskeleton")}


def four_bar_modes(guess):
    """Coupler and rocker by the law of cosines at a guess's crank angle, on both sides."""
    return [four_bar_by_cosines(guess[0], side) for side in (1, -1)]


def slider_crank_modes(guess):
    """Of urdf/slider_crank: crank 50 mm, rod 150 mm, the slide 10 mm above the crank's axis."""
    rod = np.arcsin((0.01 - 0.05 * np.sin(guess[0])) / 0.15)
    for angle in (rod, np.pi - rod):
        yield np.array([guess[0], angle - guess[0], 0.05 * np.cos(guess[0]) + 0.15 * np.cos(angle)])


def exoskeleton_modes(guess):
    """Those of the eight combinations of sides, on which circles of its three loops meet, that close."""
    return modes_of(GRAPHS["exoskeleton"], guess)


MODES = {"planar": four_bar_modes, "slider_crank": slider_crank_modes, "exoskeleton": exoskeleton_modes}


def distance(graph, coordinates, guess):
    """Of the joints that loops determine; of angles, the shorter way round."""
    system = solver_of(graph).system
    away = coordinates - guess
    for name in graph.joint_names:
        if graph.joint(name).type.value != "prismatic":
            away[graph.q_slice(name)] -= 2 * np.pi * np.round(away[graph.q_slice(name)] / (2 * np.pi))
    geared = {gear.joint for gear in graph.gears}
    counted = [graph.q_slice(name).start for name in system.dependent if name not in geared]
    return np.linalg.norm(away[counted])


def guesses(graph, far):
    """A grid round a closed configuration, all joints up to ``far`` away [rad or m]."""
    centre, rng = solver_of(graph).reference(), np.random.default_rng(0)
    if len(graph.joint_names) == 3:
        steps = np.linspace(-far, far, 7)
        return [centre + np.array(step) for step in itertools.product(steps, steps, steps)]
    return [centre + rng.uniform(-far, far, graph.nq) for _ in range(60)]


@pytest.mark.parametrize("far", [0.2, 1.0, 2.5])
@pytest.mark.parametrize("name", MODES)
def test_the_mode_is_the_nearest_of_all_to_the_guess(name, far):
    graph = GRAPHS[name]
    places, compared = solver_of(graph).independent_q, 0
    for guess in guesses(graph, far):
        modes = [distance(graph, mode, guess) for mode in MODES[name](guess)]
        if not modes:
            continue  # out of reach
        closed = close_loops(graph, guess[places], guess)
        assert distance(graph, closed, guess) == pytest.approx(min(modes), abs=1e-7)
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", MODES)
def test_the_mode_never_jumps_from_one_to_the_next_of_thousands(name):
    """Each the next one's guess, anywhere in the range; of the exoskeleton as far as it closes."""
    graph, rng = GRAPHS[name], np.random.default_rng(1)
    guess = solver_of(graph).reference()
    branch, count = branch_of(graph, guess), len(graph.independent_joint_names)
    low, high = np.full(count, -3.0), np.full(count, 3.0)
    if name == "exoskeleton":
        at = graph.independent_joint_names.index("rho_4")
        low[at], high[at] = np.deg2rad((-20, 95))
    for q in rng.uniform(low, high, (3000, count)):
        guess = close_loops(graph, q, guess)
        assert (branch_of(graph, guess) == branch).all()
        assert max(solver_of(graph).residual(guess).values()) < 1e-10


def limited(lower, upper, **bars):
    """A four-bar whose rocker has limits."""
    return md.load_urdf(with_limits(four_bar(**bars).graph().urdf, "rocker", lower, upper))


def rockers(crank):
    return sorted(mode[2] for mode in four_bar_modes([crank]))


@pytest.mark.parametrize("make", [Mechanism, GeneralSolver])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("turns", [0, 1])
def test_limits_tell_the_mode_where_no_guess_does(side, turns, make):
    """Also where the limits are a whole turn away."""
    values = [rockers(crank)[side] + 2 * np.pi * turns for crank in np.linspace(-3, 3, 61)]
    graph = limited(min(values) - 0.01, max(values) + 0.01)
    solver = make(graph)
    for crank in (-3.0, 0.0, 1.0, 3.0):
        expected = rockers(crank)[side] + 2 * np.pi * turns
        assert solver.close([crank])[2] == pytest.approx(expected, abs=1e-9)


def test_beyond_its_limits_the_joint_is_named():
    low, high = rockers(0.0)[1] - 0.05, rockers(0.0)[1] + 0.05
    graph = limited(low, high)
    beyond = rockers(1.5)[1]
    message = rf"'rocker' is at {beyond:.6g}, its limits are {low:.6g} and {high:.6g}.*guess"
    with pytest.raises(md.ClosureError, match=message) as error:
        close_loops(graph, [1.5])
    assert error.value.coordinates[2] == pytest.approx(beyond, abs=1e-9)
    guess = close_loops(graph, [0.0])
    assert close_loops(graph, [1.5], guess)[2] == pytest.approx(beyond, abs=1e-9)  # a guess tells the mode


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_of_many_states_the_first_is_held_to_limits(quantity):
    """The others follow from it, as with a guess."""
    low, high = rockers(0.0)[1] - 0.05, rockers(0.0)[1] + 0.05
    graph, q = limited(low, high), np.array([[1.5], [0.0], [0.01]])
    rest = () if quantity == "mass_matrix" else (np.zeros((3, 1)),) * 2
    with pytest.raises(md.ClosureError, match=r"row 0: .*'rocker' is at .*its limits are"):
        getattr(md, quantity)(graph, q, *rest)
    guess = close_loops(graph, [0.0])
    one = getattr(md, quantity)(graph, q, *rest, guess=guess)
    assert getattr(md, quantity)(graph, q[::-1], *rest)[2] == pytest.approx(one[0], abs=1e-9)


def test_of_many_states_limits_a_whole_turn_away_are_reached():
    """The joint is given within its limits, as for one state."""
    rocker = rockers(0.0)[0] + 2 * np.pi
    graph, zeros = limited(rocker - 0.3, rocker + 0.3), np.zeros((2, 1))
    result = md.InverseDynamics(graph).solve_many(np.array([[0.0], [0.1]]), zeros, zeros)
    expected = [rockers(crank)[0] + 2 * np.pi for crank in (0.0, 0.1)]
    assert result.coordinates[:, 2] == pytest.approx(expected, abs=1e-9)


def test_limits_written_with_three_digits_are_no_error():
    rocker = rockers(0.7)[1]
    graph = limited(rocker + 1e-3, rocker + 2.0)
    assert close_loops(graph, [0.7])[2] == pytest.approx(rocker, abs=1e-9)


def test_rounding_does_not_choose_the_mode_of_a_start_in_line():
    """All bars along x, and the two modes mirrored: the same one in all planes."""
    graphs = [four_bar(robot=Planar(seed)).graph() for seed in range(12)]
    assert len({round(float(close_loops(graph, [0.0])[1]), 6) for graph in graphs}) == 1


@pytest.mark.parametrize("make", [Mechanism, GeneralSolver])
@pytest.mark.parametrize("ratio", [-30.0, 1000.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 500.0])
def test_gears_do_not_change_the_mode(ratio, offset, make):
    robot = four_bar()
    robot.turn("motor", "world", "motor", (4, 4))
    ungeared = robot.graph()
    robot.tags.append(f'<gear joint="motor" driver="rocker" ratio="{ratio}" offset="{offset}"/>')
    by_crank, by_motor = (make(robot.graph().with_independent_joints(k)) for k in ("crank", "motor"))
    for crank in (-2.0, 0.3, 1.0):
        expected = close_loops(ungeared, [crank, 0.0])
        expected[3] = ratio * expected[2] + offset
        assert by_crank.close([crank]) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    guess = expected.copy()
    guess[1:3] += (0.05, -0.1)  # poor for the gear, too
    target = close_loops(ungeared, [0.6, 0.0])
    target[3] = ratio * target[2] + offset
    assert by_motor.close(target[3:], guess) == pytest.approx(target, rel=1e-12, abs=1e-8)


def test_a_geared_crank_goes_no_whole_turn_unseen():
    """Turns of 4 pi of the geared crank for one unit of its driver: strides are measured in the crank."""
    robot = four_bar(a=1.0, b=1.8, c=1.1, d=2.0)  # out of reach round pi
    robot.turn("motor", "world", "motor", (4, 4))
    robot.tags.append(f'<gear joint="crank" driver="motor" ratio="{4 * np.pi}" offset="0.5"/>')
    graph = robot.graph().with_independent_joints("motor")
    guess = close_loops(graph, [0.0])
    for turns in (0.5, 1.0):
        with pytest.raises(md.ClosureError, match="branch ends"):
            close_loops(graph, [turns], guess)


def test_what_another_branch_reaches_is_not_called_out_of_reach():
    """The crank turns from 0.6 to 1.2 rad, or from -1.2 to -0.6, and not from one to the other."""
    graph, rest = four_bar(a=1.0, b=1.0, c=0.4, d=1.2).graph(), np.zeros((3, 1))
    there = close_loops(graph, [0.8])
    with pytest.raises(SingularityError, match="a guess beyond it selects another branch") as error:
        close_loops(graph, [-0.8])
    assert close_loops(graph, [-0.8], error.value.coordinates)[0] == -0.8
    with pytest.raises(ClosureError, match="out of reach"):
        close_loops(graph, [-0.2], there)
    found = md.InverseDynamics(graph).solve_many([[0.8], [-0.8], [-0.2]], rest, rest)
    status = md.StateStatus
    assert [*found.statuses] == [status.COMPUTED, status.SINGULAR, status.CANNOT_CLOSE]


# Loop joints of all types, closed from guesses of any orientation: never with reversed frames.

TYPES = ("revolute", "prismatic", "spherical", "universal", "fixed", "planar")
AXIS = np.array([0.48, -0.6, 0.64])
SLIDES, TURNS = ("slide_x", "slide_y", "slide_z"), ("turn_x", "turn_y", "turn_z")


@cache
def table(kind):
    """A body that can be anywhere, on three slides and three hinges, and a loop joint to a driven link."""
    names = ("driven", *SLIDES, *TURNS)
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    links = "".join(f'<link name="{name}_link">{body}</link>' for name in ("base", *names))
    joints = joint("driven", "revolute", "base_link", "driven_link", (0, 0, 0), axis=(0, 0, 1))
    for before, name in zip(("base", *SLIDES, *TURNS), (*SLIDES, *TURNS), strict=False):
        axis = np.eye(3)["xyz".index(name[-1])]
        type_ = "prismatic" if name in SLIDES else "revolute"
        joints += joint(name, type_, f"{before}_link", f"{name}_link", (0, 0, 0), axis=axis)
    ends = (
        ("driven_link", (0.3, 0.1, -0.2), (0.5, -0.3, 0.9)),
        ("turn_z_link", (0.1, 0.2, 0.05), (0.2, 0.1, -0.4)),
    )
    tags = [loop_joint("pin", kind, *ends, AXIS), *(f'<passive joint="{name}"/>' for name in names[1:])]
    return md.load_urdf(robot("table", [links, joints], tags))


def guesses_of_loop_types(graph, count):
    """Coordinates with every orientation of the free body; the first ones turned by exactly 180 degrees."""
    rng, bodies, q = np.random.default_rng(0), RigidBodies(graph), np.zeros(graph.nq)
    at = {name: graph.q_slice(name) for name in graph.joint_names}
    q[at["driven"]] = 0.4
    opened = bodies.gap("pin", q)[:3, :3]  # successor in predecessor, the free body at zero
    before = bodies.poses(q)["driven_link"][:3, :3] @ Rotation.from_euler("xyz", (0.5, -0.3, 0.9)).as_matrix()
    axes = [*np.eye(3), AXIS, second_axis(AXIS), np.cross(AXIS, second_axis(AXIS))]
    for k, relative in enumerate(Rotation.random(count, rng)):
        wanted = relative
        if k < 4 * len(axes):
            wanted = Rotation.from_rotvec(np.pi * axes[k % len(axes)] / np.linalg.norm(axes[k % len(axes)]))
        # the body's rotation B with before^T B before opened = wanted
        body = before @ wanted.as_matrix() @ opened.T @ before.T
        guess = q.copy()
        for name, angle in zip(TURNS, Rotation.from_matrix(body).as_euler("XYZ"), strict=True):
            guess[at[name]] = angle
        for name in SLIDES:
            guess[at[name]] = rng.normal()
        yield guess


def violations(graph, kind, q):
    """What the loop joint forbids: distance [m] and angle [rad], from the URDF text alone."""
    X = RigidBodies(graph).gap("pin", q)
    along = AXIS @ X[:3, 3]
    distance = np.linalg.norm(X[:3, 3] - (along * AXIS if kind in ("prismatic", "planar") else 0.0))
    turned = X[:3, :3] @ AXIS
    if kind in ("fixed", "prismatic"):
        return distance, np.linalg.norm(X[:3, :3] - np.eye(3))
    if kind == "revolute":
        return distance, np.linalg.norm(turned - AXIS)
    if kind == "universal":
        return distance, abs(float(AXIS @ X[:3, :3] @ second_axis(AXIS)))
    return distance, 0.0


@pytest.mark.parametrize("kind", TYPES)
def test_no_guess_ends_with_reversed_frames(kind):
    graph = table(kind)
    solver = solver_of(graph)
    for guess in guesses_of_loop_types(graph, rounds(220, daily=70)):
        closed = solver.close([0.4], guess)
        assert violations(graph, kind, closed) == pytest.approx((0.0, 0.0), abs=1e-9)


# Passive coordinates that neither motors nor loops determine, against a saddle-point system of Pinocchio.

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
    elements.append(f'<link name="rod">{inertial(0.5, com, np.diag([size, 0.01, 0.01]))}</link>')
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


def test_a_singular_configuration_beside_a_free_coordinate():
    """The rod that turns the crank, driven by the rocker as far as it goes."""
    graph = spinning_rod(1)
    driven = md.load_urdf(graph.urdf.replace('<passive joint="rocking0"/>', '<passive joint="motor0"/>'))
    place, guess = graph.q_slice("rocking0").start, md.close_loops(graph, [0.2])
    assert driven.independent_joint_names == ("rocking0",)
    solution = md.InverseDynamics(driven).solve([guess[place]], [0.1], [0.2], guess=guess)
    assert len(solution.free) == 1
    with pytest.raises(ClosureError, match="at a singular configuration"):
        md.InverseDynamics(driven).solve([guess[place] - 5.0], [0.1], [0.2], guess=guess)
