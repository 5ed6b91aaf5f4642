"""Closed form against Newton's method and trigonometry, also near dead points; which loops have one."""

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
    branch_of,
    by_newton,
    chained,
    crane,
    explicit,
    four_bar_by_cosines,
    on_branch,
    same_angle,
    slider_crank,
)
from helpers.robots.planar_robots import Planar, four_bar
from modular_dynamics.closure import close_loops


@pytest.mark.parametrize("side", [1, -1])
def test_four_bar_by_the_law_of_cosines_over_full_turns(side):
    graph = four_bar().graph()
    solver, guess = explicit(graph), four_bar_by_cosines(0.0, side)
    assert solver.order == ("four-bar at loop: coupler, rocker",)
    branch = branch_of(solver, guess)
    assert branch == branch_of(solver, on_branch(solver, [1.0], branch))
    for theta in np.linspace(0.0, 4 * np.pi, 101):
        solved, followed = on_branch(solver, [theta], branch), close_loops(graph, [theta], guess)
        assert same_angle(solved, four_bar_by_cosines(theta, side))
        assert same_angle(followed, four_bar_by_cosines(theta, side))
        assert np.abs(followed - guess).max() < 0.5  # never a whole turn, nor the other branch
        guess = followed


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("side", [1, -1])
def test_slider_crank_by_pythagoras(side, swapped):
    graph = slider_crank(swapped=swapped).graph()
    solver = explicit(graph)
    assert solver.order[0].startswith("slider-crank at pin: ")
    where = graph.joint_names.index("slider")
    for theta in np.linspace(-4, 4, 41):
        x = 0.4 * np.cos(theta) + side * np.sqrt(1 - (0.4 * np.sin(theta) - 0.1) ** 2)
        slides = [on_branch(solver, [theta], [sign])[where] for sign in (1, -1)]
        assert min(abs(slide - x) for slide in slides) < CLOSE


def test_cylinder_by_the_law_of_cosines():
    graph = crane().graph()
    solver, where = explicit(graph), graph.joint_names.index("rod")
    for boom in np.linspace(-1, 2, 31):
        length = abs((1.2 + 0.1j) * np.exp(1j * boom) - (0.5 - 0.3j))
        assert abs(on_branch(solver, [boom], [1])[where] - length) < CLOSE


# largest independent coordinates; None: the joints' limits
RANGES = dict.fromkeys(MECHANISMS, 3.0)
RANGES |= {"four_bar.urdf": 7.0, "slider_crank.urdf": 7.0, "crane.urdf": None, "exoskeleton.urdf": None}


@pytest.mark.parametrize("name", RANGES)
def test_agrees_with_newton_from_the_reference_and_from_guesses(name):
    graph = md.load_urdf(ROBOTS / name) if name.endswith(".urdf") else MECHANISMS[name]().graph()
    solver, newton, rng = explicit(graph), by_newton(graph), np.random.default_rng(0)
    limits = [graph.joint(joint).limits for joint in graph.independent_joint_names]
    high = RANGES[name] or [limit.upper for limit in limits]
    low = -high if RANGES[name] else [limit.lower for limit in limits]
    guess = newton.reference()
    branch, compared = branch_of(solver, guess), 0
    for _ in range(60):
        q = rng.uniform(low, high, len(limits))
        try:
            expected = newton.close(q, guess)
        except md.ClosureError:
            with pytest.raises(md.ClosureError):
                close_loops(graph, q, guess)
            continue
        assert np.abs(close_loops(graph, q, guess) - expected).max() < CLOSE
        assert np.abs(close_loops(graph, q) - newton.close(q)).max() < CLOSE
        assert np.abs(on_branch(solver, q, branch, expected) - expected).max() < CLOSE
        assert (branch_of(solver, expected) == branch).all()
        assert solver.walk(guess, q)[0] == 1.0  # Newton's method did not do it
        compared, guess = compared + 1, expected
    assert compared > 30


def test_order_of_a_chain():
    assert explicit(chained().graph()).order == (
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
    solver = explicit(geared)
    assert solver.order[0] == "gear of crank: motor from crank"
    full = on_branch(solver, [1.0], [1, 1])
    assert full[geared.q_slice("motor")] == pytest.approx(2.0)
    assert full[geared.q_slice("rocker")] == on_branch(explicit(graph), [1.0], [1])[2]


def test_a_poor_guess_agrees_with_newton():
    graph = four_bar().graph()
    poor = on_branch(explicit(graph), [0.3], [1]) + np.array([0.0, 0.4, -0.4])
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
    assert explicit(robot.graph()) is None


def test_an_open_robot_needs_no_solver():
    robot = Planar()
    robot.turn("crank", "world", "crank", (0, 0))
    assert explicit(robot.graph()) is None


def test_exoskeleton():
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf")
    assert explicit(graph).order == (
        "gear of theta_12: theta_12 from rho_4",
        "gear of rho_6: rho_6 from rho_5, rho_4",
        "four-bar at B: theta_10, theta_11",
        "four-bar at E: rho_3, theta_9",
        "slider-crank at A: theta_14, L_s",
    )
    q = np.zeros(5)
    q[graph.independent_joint_names.index("rho_4")] = np.deg2rad(100)  # it closes up to 95 degrees
    with pytest.raises(md.ClosureError, match="branch ends"):
        close_loops(graph, q)


@pytest.mark.parametrize("excess", [1e-1, 1e-3, 1e-5, 1e-7, 1e-9])
def test_no_jump_over_where_the_loop_does_not_close(excess):
    # at theta = pi the crank's end is 3 m from the rocker's axis, out of reach by the excess
    graph = four_bar(a=1.0, b=1.8, c=1.2 - excess, d=2.0).graph()
    start, beyond = (on_branch(explicit(graph), [crank], [1]) for crank in (2.0, 4.0))
    assert beyond is not None  # it closes there again
    with pytest.raises(md.ClosureError, match="branch ends") as caught:
        close_loops(graph, [4.0], start)
    end = np.pi - np.arccos(((3.0 - excess) ** 2 - 5.0) / 4.0)
    assert f"after {100 * (end - 2.0) / 2.0:.1f} % of the way" in str(caught.value)


@pytest.mark.parametrize("margin", [1e-1, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_no_other_branch_where_the_loop_closes_narrowly(margin, side):
    graph = four_bar(a=1.0, b=1.8, c=1.2 + margin, d=2.0).graph()
    start, beyond = (on_branch(explicit(graph), [crank], [side]) for crank in (2.0, 4.0))
    assert same_angle(close_loops(graph, [4.0], start), beyond)


@pytest.mark.parametrize("seed", range(40))
def test_reach_of_random_four_bars_near_their_change_points(seed):
    rng = np.random.default_rng(seed)
    a, c, d = rng.uniform(0.3, 2.0, 3)
    b = max(0.05, abs(a + d - c) + rng.choice([-1, 1]) * 10 ** rng.uniform(-7, -1))
    graph = four_bar(a, b, c, d).graph()
    solver = explicit(graph)
    for _ in range(10):
        way = np.linspace(*rng.uniform(-4, 4, 2), 20001)
        points = np.concatenate([way, np.pi * np.arange(-1, 2)])  # at these, the reach is extreme
        points = points[(points >= way.min()) & (points <= way.max())]
        cosine = (b * b + c * c - abs(a * np.exp(1j * points) - d) ** 2) / (2 * b * c)
        branch = [rng.choice([-1.0, 1.0])]
        if abs(cosine[0]) >= 1.0:
            continue
        start = on_branch(solver, way[:1], branch)
        if (abs(cosine) < 1.0).all():
            assert same_angle(close_loops(graph, way[-1:], start), on_branch(solver, way[-1:], branch))
        else:
            with pytest.raises(md.ClosureError):
                close_loops(graph, way[-1:], start)


def test_up_to_a_change_point_like_newton_and_not_beyond():
    graph = four_bar(a=1.0, b=2.0, c=1.0, d=2.0).graph()  # a parallelogram, flat at theta = pi
    start = np.array([2.5, -2.5, -2.5])
    for q in ([3.0], [3.1]):
        assert np.abs(close_loops(graph, q, start) - by_newton(graph).close(q, start)).max() < 1e-9
    for solve in (lambda: close_loops(graph, [3.8], start), lambda: by_newton(graph).close([3.8], start)):
        with pytest.raises(md.SingularityError, match="dead point of its independent joints crank"):
            solve()  # two branches meet there, and which one goes on nobody has said


def test_up_to_a_dead_point_like_newton():
    graph = four_bar(a=1.5, b=1.0, c=1.0, d=2.0).graph()
    start = on_branch(explicit(graph), [0.5], [1])
    end = np.arccos((1.5**2 + 4 - 4) / 6)
    for distance in (1e-2, 1e-4, 1e-6):
        expected = by_newton(graph).close([end - distance], start)
        assert np.abs(close_loops(graph, [end - distance], start) - expected).max() < 1e-9 / np.sqrt(distance)
    with pytest.raises(md.ClosureError):
        close_loops(graph, [end + 1e-4], start)
