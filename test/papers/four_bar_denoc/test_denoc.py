"""DeNOC as printed and put right, against the general solution."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.motions import rate
from helpers.paths import ROBOTS
from papers.four_bar_denoc.bars import Bar, Bars
from papers.four_bar_denoc.denoc import FourBar, Link

LINKS = Link.uniform(0.05, 1.5), Link.uniform(0.10, 3.0), Link.uniform(0.13, 5.0)
SPEED = 45 * 2 * np.pi / 60


@pytest.fixture(params=[9.81, 0.0], ids=["with gravity", "without gravity"])
def pair(request):
    graph = md.load_urdf(ROBOTS / "four_bar.urdf", gravity=(0.0, 0.0, -request.param))
    return FourBar(*LINKS, 0.15, request.param), graph


def test_closes_at_the_published_angle():
    assert np.degrees(FourBar(*LINKS, 0.15).close(0.0)[1]) == pytest.approx(130.5416, abs=5e-5)


def test_positions(pair):
    bar, graph = pair
    for angle in np.linspace(0, 2 * np.pi, 61):
        assert bar.close(angle) == pytest.approx(md.close_loops(graph, [angle]), abs=1e-9)


def test_inverse_dynamics(pair):
    bar, graph = pair
    for angle, speed, acceleration in np.random.default_rng(0).uniform(-9, 9, (50, 3)):
        expected = md.InverseDynamics(graph).solve([angle], [speed], [acceleration])
        tau, force, pushed = bar.inverse_dynamics(bar.close(angle), speed, acceleration)
        scale = 1.0 + np.abs(expected.accelerations).max()
        assert pushed == pytest.approx(expected.accelerations, abs=1e-8 * scale)
        assert [tau] == pytest.approx(expected.tau, abs=1e-9 * scale)
        # of the crank on the coupler, in the coupler's frame; lambda is the coupler's on the crank
        turn = expected.coordinates[1:].sum()
        x, y = expected.wrenches["J2"][:2]
        plane = np.array([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)])
        assert force == pytest.approx(-plane, abs=1e-8 * scale)


@pytest.mark.slow
def test_forward_dynamics(pair):
    bar, graph = pair
    for angle, speed, tau in np.random.default_rng(1).uniform(-5, 5, (50, 3)):
        theta = bar.close(angle)
        rates = bar.rates(theta, speed)
        accelerations, force = bar.forward_dynamics(theta, rates, tau)
        expected = md.constrained_dynamics(graph, theta, rates, [tau]).a
        assert accelerations == pytest.approx(expected, abs=1e-9 * (1.0 + np.abs(expected).max()))
        back, same, _ = bar.inverse_dynamics(theta, speed, accelerations[0])
        assert back == pytest.approx(tau, abs=1e-9)
        assert force == pytest.approx(same, abs=1e-9 * (1.0 + np.abs(same).max()))


def test_the_printed_jacobian_s_sign_is_wrong():
    """By differences of the point J2 on subsystem II; entry (1, 2) as printed would not pass."""
    bar = FourBar(*LINKS, 0.15)
    theta = bar.close(0.7)

    def point(t4, t3):
        return 0.13 * np.array([np.cos(t4), np.sin(t4)]) + 0.10 * np.array([np.cos(t3 + t4), np.sin(t3 + t4)])

    columns = [rate(lambda t, unit=unit: point(*(theta[1:] + t * unit)), 1e-2) for unit in np.eye(2)]
    assert bar.jacobians(theta)[1] == pytest.approx(np.transpose(columns), abs=1e-12)


def test_matrix_of_equation_22_is_a_saddle_point():
    bar = FourBar(*LINKS, 0.15)
    theta = bar.close(0.7)
    J = np.hstack([bar.jacobians(theta)[0], -bar.jacobians(theta)[1]])
    inertia = np.zeros((3, 3))
    inertia[:1, :1] = bar.subsystem([bar.crank], theta[:1], np.zeros(1))[0]
    inertia[1:, 1:] = bar.subsystem([bar.output, bar.coupler], theta[1:], np.zeros(2))[0]
    values = np.linalg.eigvalsh(np.block([[inertia, J.T], [J, np.zeros((2, 2))]]))
    assert (np.sign(values) == [-1, -1, 1, 1, 1]).all()


def test_equation_22_is_singular_only_where_all_links_are_in_line():
    """Where coupler and output alone are, J^II is singular, and so is the library's J_d."""
    tip = 0.1 * np.exp(1j * np.arccos(-0.25))  # 0.2 m from J4, as far as coupler and output reach
    bars = Bars(*(Bar(0.1, mass) for mass in (1.5, 3.0, 5.0)), 0.15)
    bar, theta = bars.denoc(), [np.angle(tip), np.angle(tip - 0.15), 0.0]
    with pytest.raises(md.SingularityError, match="coupler and output lie in one line") as error:
        bar.inverse_dynamics(theta, 0.0, 1.0)
    assert error.value.condition > 1e12
    accelerations, _ = bar.forward_dynamics(theta, [0.0, 1.0, -2.0], 0.4)  # the crank stands, J3 moves
    expected = md.constrained_dynamics(md.load_urdf(bars.urdf()), theta, [0.0, 1.0, -2.0], [0.4]).a
    assert accelerations == pytest.approx(expected, rel=1e-9)
    folded = replace(bars, coupler=Bar(0.15, 3.0)).denoc()  # a parallelogram
    with pytest.raises(md.SingularityError, match="all links lie in one line"):
        folded.forward_dynamics([0.0, 0.0, np.pi], np.zeros(3), 0.4)


def test_out_of_reach():
    with pytest.raises(md.ClosureError, match=r"close at theta2 = 3.14159: its crank's tip is 0.3 m from J4"):
        FourBar(Link.uniform(0.15, 1.0), *LINKS[1:], 0.15).close(np.pi)
