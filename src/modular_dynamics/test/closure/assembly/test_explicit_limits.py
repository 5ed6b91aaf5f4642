"""Closed form at dead points, at change points and where the loop does not close."""

import numpy as np
import pytest

from helpers.robots.planar_mechanisms import by_newton, explicit, on_branch, same_angle
from helpers.robots.planar_robots import four_bar
from modular_dynamics.closure import close_loops
from modular_dynamics.exceptions import ClosureError, SingularityError


@pytest.mark.parametrize("excess", [1e-1, 1e-3, 1e-5, 1e-7, 1e-9])
def test_no_jump_over_where_the_loop_does_not_close(excess):
    # at theta = pi the crank's end is 3 m from the rocker's axis, out of reach by the excess
    graph = four_bar(a=1.0, b=1.8, c=1.2 - excess, d=2.0).graph()
    start, beyond = (on_branch(explicit(graph), [crank], [1]) for crank in (2.0, 4.0))
    assert beyond is not None  # it closes there again
    with pytest.raises(ClosureError, match="branch ends") as caught:
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
    start = on_branch(explicit(graph), [0.5], [1])
    end = np.arccos((1.5**2 + 4 - 4) / 6)
    for distance in (1e-2, 1e-4, 1e-6):
        expected = by_newton(graph).close([end - distance], start)
        assert np.abs(close_loops(graph, [end - distance], start) - expected).max() < 1e-9 / np.sqrt(distance)
    with pytest.raises(ClosureError):
        close_loops(graph, [end + 1e-4], start)
