"""Which assembly mode is found: nearest to a guess, within the limits, never another one along a motion."""

import itertools

import numpy as np
import pytest

import modular_dynamics as md
from helpers.general_loops import GeneralSolver
from helpers.paths import ROBOTS
from helpers.robots.planar_mechanisms import branch_of, four_bar_by_cosines, modes_of
from helpers.robots.planar_robots import Planar, four_bar, with_limits
from modular_dynamics.loops import close_loops, solver_of
from modular_dynamics.loops.assembly.mechanism import ROUNDING, Mechanism
from modular_dynamics.loops.constraints import newton

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


def test_newton_finds_no_mode_that_the_closed_form_does_not():
    """From random starts; and all modes close."""
    graph, rng = GRAPHS["exoskeleton"], np.random.default_rng(2)
    solver = solver_of(graph)
    found = 0
    for guess in guesses(graph, 0.3)[:6]:
        modes = exoskeleton_modes(guess)
        for mode in modes:
            assert max(solver.residual(mode).values()) < CLOSE
        for _ in range(20):
            start = guess + rng.uniform(-np.pi, np.pi, graph.nq)
            start[solver.independent_q] = guess[solver.independent_q]
            if newton.settle(solver.system, start) < newton.CLOSED:
                assert min(distance(graph, mode, start) for mode in modes) < 1e-6
                found += 1
    assert found > 20


@pytest.mark.parametrize("far", [0.3, 1.0, 2.5])
def test_newton_finds_the_nearest_of_two_modes(far):
    graph = GRAPHS["planar"]
    general = GeneralSolver(graph)
    for guess in guesses(graph, far)[::4]:
        modes = [distance(graph, mode, guess) for mode in four_bar_modes(guess)]
        closed = general.close(guess[:1], guess)
        assert distance(graph, closed, guess) == pytest.approx(min(modes), abs=1e-7)


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


def test_limits_written_with_three_digits_are_no_error():
    rocker = rockers(0.7)[1]
    graph = limited(rocker + 1e-3, rocker + 2.0)
    assert close_loops(graph, [0.7])[2] == pytest.approx(rocker, abs=1e-9)


def test_rounding_does_not_choose_the_mode_of_a_start_in_line():
    """All bars along x, and the two modes mirrored: the same one in all planes."""
    graphs = [four_bar(robot=Planar(seed)).graph() for seed in range(12)]
    assert len({round(float(close_loops(graph, [0.0])[1]), 6) for graph in graphs}) == 1


def test_a_start_that_gears_take_out_of_line_decides_the_mode():
    """A little to one side, or mirrored to the other."""
    modes = []
    for offset in (0.01, -0.01):
        robot = four_bar()
        robot.turn("motor", "world", "motor", (4, 4))
        robot.tags.append(f'<gear joint="crank" driver="motor" ratio="1" offset="{offset}"/>')
        modes.append(close_loops(robot.graph(), [0.0]))
    assert modes[0] == pytest.approx(-modes[1], abs=1e-9)


def test_a_closed_guess_is_not_corrected():
    """Without one step of Newton's method; with as many as it takes once it is open."""
    mechanism = GeneralSolver(GRAPHS["exoskeleton"])
    guess = mechanism.reference()
    for opening in (0.0, 1e-9):
        start = guess + opening
        assert newton.correct(mechanism.system, start, 1e-6, ROUNDING)
        assert np.array_equal(start, guess + opening) == (opening == 0.0)
    closed = [mechanism.close(guess[mechanism.system.independent_q] + 0.1, guess) for _ in range(2)]
    assert np.array_equal(*closed)


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
