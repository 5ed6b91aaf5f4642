"""Closed form against Newton's method, against trigonometry, and where it must refuse."""

from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.planar_robots import Planar, four_bar
from modular_dynamics.closure import close_loops
from modular_dynamics.closure.assembly.explicit import explicit_solver
from modular_dynamics.closure.assembly.mechanism import Mechanism
from modular_dynamics.exceptions import ClosureError, SingularityError

A, B, C, D = 0.5, 1.8, 1.2, 2.0  # crank, coupler, rocker, ground: the crank can turn fully
URDF = Path(__file__).resolve().parents[5] / "urdf"
CLOSE = 1e-10  # what Newton's method ends with


def slider_crank(offset=0.1, swapped=False):
    """Crank 0.4, rod 1, and a slider along the x axis, shifted by ``offset``; cut at the rod's end."""
    robot = Planar(1)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("rod", "crank", "rod", (0.4, 0))
    robot.slide("slider", "world", "slider", (1, 0))
    ends = ("rod", (1.4, 0)), ("slider", (0, offset))
    (before, p), (after, s) = reversed(ends) if swapped else ends
    robot.cut("pin", before, p, after, s)
    robot.passive("rod", "slider")
    return robot


def crane():
    """A boom that a cylinder lifts: hinged at (0.5, -0.3), its rod pinned to the boom at (1.2, 0.1)."""
    robot = Planar(2)
    robot.turn("boom", "world", "boom", (0, 0))
    robot.turn("hinge", "world", "tube", (0.5, -0.3))
    robot.slide("rod", "tube", "rod", (1, 0))
    robot.cut("pin", "boom", (1.2, 0.1), "rod", (0.5, -0.3), kind="spherical")
    robot.passive("hinge", "rod")
    return robot


def chained():
    """A four-bar on a carrier; a geared crank drives a second one; between their rockers, two more rods."""
    robot = Planar(3)
    robot.turn("carrier", "world", "carrier", (0.3, -0.2))
    four_bar(robot=robot, carrier="carrier")
    four_bar(0.4, 1.5, 1.0, 1.6, at=(0.0, 3.0), robot=robot, tag="_2", carrier="carrier")
    robot.tags.append('<gear joint="crank_2" driver="crank" ratio="-2" offset="0.3"/>')
    robot.turn("rod", "rocker", "rod", (D + 0.6, 0.2))
    robot.turn("rod_2", "rocker_2", "rod_2", (2.1, 3.1))
    robot.cut("bridge", "rod_2", (2.1, 5.0), "rod", (D + 0.6, 2.4), kind="planar", lift=0.4)
    robot.passive("rod", "rod_2")
    return robot


def mimicked():
    """The rocker's joint mimics a shaft that turns thrice as fast; another joint has two drivers."""
    robot = Planar(4)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("coupler", "crank", "coupler", (A, 0))
    robot.turn("shaft", "world", "shaft", (5, 5))
    mimic = '<mimic joint="shaft" multiplier="0.3333333333333333" offset="0.2"/>'
    robot.turn("rocker", "world", "rocker", (D, 0), extra=mimic)
    robot.cut("loop", "coupler", (A + B, 0), "rocker", (D + C, 0))
    robot.turn("sum", "world", "sum", (1, 1))
    drivers = '<driver joint="crank" ratio="2"/><driver joint="shaft" ratio="0.5"/>'
    robot.tags.append(f'<gear joint="sum" offset="1">{drivers}</gear>')
    robot.passive("coupler", "shaft")
    return robot


def yoke():
    """Two slides: a Scotch yoke, its slot oblique, and the crank's pin in it."""
    robot = Planar(5)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.slide("yoke", "world", "yoke", (1, 0))
    robot.slide("block", "yoke", "block", (0.6, 0.8))
    robot.cut("pin", "block", (0, 0), "crank", (0.4, 0))
    robot.passive("yoke", "block")
    return robot


ROBOTS = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "slider-crank, swapped": lambda: slider_crank(swapped=True),
    "crane": crane,
    "chained": chained,
    "mimicked": mimicked,
    "yoke": yoke,
}


def by_newton(graph):
    """The same mechanism, which knows no closed form."""
    mechanism = Mechanism(graph)
    mechanism.explicit = None
    return mechanism


def four_bar_by_cosines(theta, side):
    """(coupler, rocker) by the law of cosines; the rocker's joint turns the other way."""
    crank = A * np.exp(1j * theta)
    diagonal = crank - D
    f = abs(diagonal)
    end = D + C * diagonal / f * np.exp(1j * side * np.arccos((f**2 + C**2 - B**2) / (2 * f * C)))
    return np.angle((end - crank) / crank), -np.angle(end - D)


def same_angle(one, other):
    return np.abs(np.exp(1j * np.asarray(one)) - np.exp(1j * np.asarray(other))).max() < CLOSE


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


@pytest.mark.parametrize("name", ROBOTS)
def test_agrees_with_newton_from_the_reference_and_from_guesses(name):
    graph = ROBOTS[name]().graph()
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


def test_out_of_reach_names_the_loop_and_the_gap():
    graph = four_bar(a=1.5, b=1.0, c=1.0, d=2.0).graph()
    with pytest.raises(ClosureError, match="at loop") as caught:
        explicit_solver(graph).solve([2.0], [1.0])
    gap = np.sqrt(1.5**2 + 4 - 6 * np.cos(2.0)) - 2.0
    assert caught.value.residual["loop"] == pytest.approx(gap, abs=CLOSE)
    with pytest.raises(ClosureError, match="loop"):
        close_loops(graph, [2.0])


def test_a_dead_point_is_told():
    graph = four_bar(a=1.0, b=1.8, c=1.2, d=2.0).graph()
    with pytest.raises(SingularityError, match="at loop") as caught:
        explicit_solver(graph).solve([np.pi], [1.0])
    assert caught.value.condition > 1e5


@pytest.mark.parametrize("excess", [1e-1, 1e-3, 1e-5, 1e-7, 1e-9])
def test_no_jump_over_where_the_loop_does_not_close(excess):
    # at theta = pi the crank's end is 3 m from the rocker's axis, out of reach by the excess
    graph = four_bar(a=1.0, b=1.8, c=1.2 - excess, d=2.0).graph()
    solver = explicit_solver(graph)
    start, _ = solver.solve([2.0], [1.0]), solver.solve([4.0], [1.0])  # both close
    with pytest.raises(ClosureError, match="branch ends") as caught:
        close_loops(graph, [4.0], start)
    end = np.pi - np.arccos(((3.0 - excess) ** 2 - 5.0) / 4.0)
    assert f"after {100 * (end - 2.0) / 2.0:.1f} % of the way" in str(caught.value)


@pytest.mark.parametrize("margin", [1e-1, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_no_other_branch_where_the_loop_closes_narrowly(margin, side):
    graph = four_bar(a=1.0, b=1.8, c=1.2 + margin, d=2.0).graph()
    solver = explicit_solver(graph)
    start, beyond = solver.solve([2.0], [side]), solver.solve([4.0], [side])
    reached = close_loops(graph, [4.0], start)
    assert same_angle(reached, beyond)


@pytest.mark.parametrize("seed", range(40))
def test_reach_of_random_four_bars_near_their_change_points(seed):
    rng = np.random.default_rng(seed)
    a, c, d = rng.uniform(0.3, 2.0, 3)
    b = max(0.05, abs(a + d - c) + rng.choice([-1, 1]) * 10 ** rng.uniform(-7, -1))
    graph = four_bar(a, b, c, d).graph()
    solver = explicit_solver(graph)
    for _ in range(10):
        way = np.linspace(*rng.uniform(-4, 4, 2), 20001)
        points = np.concatenate([way, np.pi * np.arange(-1, 2)])  # at these, the reach is extreme
        points = points[(points >= way.min()) & (points <= way.max())]
        cosine = (b * b + c * c - abs(a * np.exp(1j * points) - d) ** 2) / (2 * b * c)
        branch = [rng.choice([-1.0, 1.0])]
        if abs(cosine[0]) >= 1.0:
            continue
        start = solver.solve(way[:1], branch)
        if (abs(cosine) < 1.0).all():
            assert same_angle(close_loops(graph, way[-1:], start), solver.solve(way[-1:], branch))
        else:
            with pytest.raises(ClosureError):
                close_loops(graph, way[-1:], start)


def test_up_to_a_change_point_like_newton_and_not_beyond():
    graph = four_bar(a=1.0, b=2.0, c=1.0, d=2.0).graph()  # a parallelogram, flat at theta = pi
    start = np.array([2.5, -2.5, -2.5])
    for q in ([3.0], [3.1]):
        assert np.abs(close_loops(graph, q, start) - by_newton(graph).close(q, start)).max() < 1e-9
    for solve in (lambda: close_loops(graph, [3.8], start), lambda: by_newton(graph).close([3.8], start)):
        with pytest.raises(SingularityError, match="dead point of its independent joints crank"):
            solve()  # two branches meet there, and which one goes on nobody has said


def test_up_to_a_dead_point_like_newton():
    graph = four_bar(a=1.5, b=1.0, c=1.0, d=2.0).graph()
    start = explicit_solver(graph).solve([0.5], [1.0])
    end = np.arccos((1.5**2 + 4 - 4) / 6)
    for distance in (1e-2, 1e-4, 1e-6):
        expected = by_newton(graph).close([end - distance], start)
        assert np.abs(close_loops(graph, [end - distance], start) - expected).max() < 1e-9 / np.sqrt(distance)
    with pytest.raises(ClosureError):
        close_loops(graph, [end + 1e-4], start)


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
    graph = md.load_urdf(str(URDF / f"{name}.urdf"))
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
    graph = md.load_urdf(str(URDF / "exoskeleton.urdf"))
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
