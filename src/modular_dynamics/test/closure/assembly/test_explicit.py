"""Closed form against Newton's method, against trigonometry; which loops have one."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.planar_mechanisms import (
    CLOSE,
    MECHANISMS,
    A,
    B,
    C,
    D,
    by_newton,
    chained,
    crane,
    same_angle,
    slider_crank,
)
from helpers.robots.planar_robots import Planar, four_bar
from modular_dynamics.closure import close_loops
from modular_dynamics.closure.assembly.explicit import explicit_solver
from modular_dynamics.exceptions import ClosureError


def four_bar_by_cosines(theta, side):
    """(coupler, rocker) by the law of cosines; the rocker's joint turns the other way."""
    crank = A * np.exp(1j * theta)
    diagonal = crank - D
    f = abs(diagonal)
    end = D + C * diagonal / f * np.exp(1j * side * np.arccos((f**2 + C**2 - B**2) / (2 * f * C)))
    return np.angle((end - crank) / crank), -np.angle(end - D)


@pytest.mark.parametrize("side", [1, -1])
def test_four_bar_by_the_law_of_cosines_over_full_turns(side):
    graph = four_bar().graph()
    solver = explicit_solver(graph)
    assert solver.order == ("four-bar at loop: coupler, rocker",)
    guess = np.array([0.0, *four_bar_by_cosines(0.0, side)])
    branch = solver.branch_of(guess)
    for theta in np.linspace(0.0, 4 * np.pi, 101):
        expected = theta, *four_bar_by_cosines(theta, side)
        solved, followed = solver.solve([theta], branch), close_loops(graph, [theta], guess)
        assert same_angle(solved, expected)
        assert same_angle(followed, expected)
        assert np.abs(followed - guess).max() < 0.5  # never a whole turn
        guess = followed


def test_branches_are_mirrored():
    solver = explicit_solver(four_bar().graph())
    q = np.array([1.0])
    up, down = solver.solve(q, [1.0]), solver.solve(q, [-1.0])
    assert solver.branch_of(up) == [1.0]
    assert solver.branch_of(down) == [-1.0]
    assert np.abs(up - down).max() > 0.5


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("side", [1, -1])
def test_slider_crank_by_pythagoras(side, swapped):
    graph = slider_crank(swapped=swapped).graph()
    solver = explicit_solver(graph)
    assert solver.order[0].startswith("slider-crank at pin: ")
    where = graph.joint_names.index("slider")
    for theta in np.linspace(-4, 4, 41):
        x = 0.4 * np.cos(theta) + side * np.sqrt(1 - (0.4 * np.sin(theta) - 0.1) ** 2)
        slides = [solver.solve([theta], [sign])[where] for sign in (1.0, -1.0)]
        assert min(abs(slide - x) for slide in slides) < CLOSE


def test_cylinder_by_the_law_of_cosines():
    graph = crane().graph()
    solver = explicit_solver(graph)
    where = graph.joint_names.index("rod")
    for boom in np.linspace(-1, 2, 31):
        length = abs((1.2 + 0.1j) * np.exp(1j * boom) - (0.5 - 0.3j))
        assert abs(solver.solve([boom], [1.0])[where] - length) < CLOSE


@pytest.mark.parametrize("name", MECHANISMS)
def test_agrees_with_newton_from_the_reference_and_from_guesses(name):
    graph = MECHANISMS[name]().graph()
    solver, newton, rng = explicit_solver(graph), by_newton(graph), np.random.default_rng(0)
    reference = newton.reference()
    compared, by_itself, guess = 0, 0, reference
    for _ in range(60):
        q = rng.uniform(-3, 3, len(graph.independent_joint_names))
        try:
            expected = newton.close(q, guess)
        except ClosureError:
            with pytest.raises(ClosureError):
                close_loops(graph, q, guess)
            continue
        assert np.abs(close_loops(graph, q, guess) - expected).max() < CLOSE
        assert np.abs(close_loops(graph, q) - newton.close(q)).max() < CLOSE
        assert np.abs(solver.solve(q, solver.branch_of(reference), near=expected) - expected).max() < CLOSE
        assert (solver.branch_of(expected) == solver.branch_of(reference)).all()
        by_itself += solver.walk(guess, q)[0] == 1.0
        compared, guess = compared + 1, expected
    assert compared > 30
    assert by_itself == compared  # Newton's method did not do it all


def test_order_of_a_chain():
    assert explicit_solver(chained().graph()).order == (
        "gear of crank_2: crank_2 from crank",
        "four-bar at loop: coupler, rocker",
        "four-bar at loop_2: coupler_2, rocker_2",
        "four-bar at bridge: rod_2, rod",
    )


def test_the_geared_joint_may_be_the_known_one():
    graph = four_bar(robot=Planar(6)).graph()
    robot = four_bar(robot=Planar(6))
    robot.turn("motor", "world", "motor", (4, 4))
    robot.tags.append('<gear joint="crank" driver="motor" ratio="0.25" offset="0.5"/>')
    geared = robot.graph().with_independent_joints("crank")
    solver = explicit_solver(geared)
    assert solver.order[0] == "gear of crank: motor from crank"
    full = solver.solve([1.0], [1.0, 1.0])
    assert full[geared.q_slice("motor")] == pytest.approx(2.0)
    assert full[geared.q_slice("rocker")] == explicit_solver(graph).solve([1.0], [1.0])[2]


def test_a_poor_guess_agrees_with_newton():
    graph = four_bar().graph()
    exact = explicit_solver(graph).solve([0.3], [1.0])
    poor = exact + np.array([0.0, 0.4, -0.4])
    assert np.abs(close_loops(graph, [0.5], poor) - by_newton(graph).close([0.5], poor)).max() < CLOSE


@pytest.mark.parametrize("change", ["axis", "lift", "unknown", "universal", "loose"])
def test_what_is_not_planar_is_not_recognised(change):
    robot = Planar()
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("coupler", "crank", "coupler", (A, 0), normal=(0, 0.01, 1) if change == "axis" else (0, 0, 1))
    robot.turn("rocker", "world", "rocker", (D, 0))
    kind = "universal" if change == "universal" else "revolute"
    robot.cut("loop", "coupler", (A + B, 0), "rocker", (D + C, 0), kind, 0.01 if change == "lift" else 0.0)
    robot.turn("loose", "world", "loose", (5, 5))
    robot.passive("coupler", "rocker", *{"unknown": ["crank"], "loose": ["loose"]}.get(change, []))
    assert explicit_solver(robot.graph()) is None


def test_an_open_robot_needs_no_solver():
    robot = Planar()
    robot.turn("crank", "world", "crank", (0, 0))
    assert explicit_solver(robot.graph()) is None


def test_wrong_shapes_are_named():
    solver = explicit_solver(four_bar().graph())
    with pytest.raises(md.StateError, match="branch has shape"):
        solver.solve([0.0], [1.0, 1.0])


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("four_bar", -7, 7), ("slider_crank", -7, 7), ("crane", None, None), ("exoskeleton", None, None)],
)
def test_robots_agree_with_newton(name, low, high):
    graph = md.load_urdf(str(ROBOTS / f"{name}.urdf"))
    solver, newton, rng = explicit_solver(graph), by_newton(graph), np.random.default_rng(0)
    limits = [graph.joint(name).limits for name in graph.independent_joint_names]
    low = [limit.lower for limit in limits] if low is None else low
    high = [limit.upper for limit in limits] if high is None else high
    guess = newton.reference()
    for _ in range(30):
        q = rng.uniform(low, high, len(limits))
        expected = newton.close(q, guess)
        assert np.abs(close_loops(graph, q) - newton.close(q)).max() < CLOSE
        assert np.abs(close_loops(graph, q, guess) - expected).max() < CLOSE
        assert solver.walk(guess, q)[0] == 1.0
        guess = expected


def test_exoskeleton():
    graph = md.load_urdf(str(ROBOTS / "exoskeleton.urdf"))
    solver, newton = explicit_solver(graph), by_newton(graph)
    assert solver.order == (
        "gear of theta_12: theta_12 from rho_4",
        "gear of rho_6: rho_6 from rho_5, rho_4",
        "four-bar at B: theta_10, theta_11",
        "four-bar at E: rho_3, theta_9",
        "slider-crank at A: theta_14, L_s",
    )
    q = np.zeros(5)
    for rho_4 in (*range(-20, 96, 5), 100):
        q[graph.independent_joint_names.index("rho_4")] = np.deg2rad(rho_4)
        if rho_4 < 100:
            assert np.abs(close_loops(graph, q) - newton.close(q)).max() < CLOSE
    with pytest.raises(ClosureError, match="branch ends"):
        close_loops(graph, q)
