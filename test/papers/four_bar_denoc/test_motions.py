"""A turn of the four-bar over time, its columns, and its animation."""

import numpy as np
import pytest
from PIL import Image

import modular_dynamics as md
from papers.four_bar_denoc.animation import FRAMES, animate, points
from papers.four_bar_denoc.bars import Bars
from papers.four_bar_denoc.motions import turn

SPEED = 4.0
ANGLES = np.linspace(0.0, 2.0 * np.pi, 121)
BARS = Bars().with_lengths(0.06, 0.14, 0.12, 0.16).with_coupler(2.0)


@pytest.fixture(scope="module")
def motion():
    return turn(BARS, ANGLES, SPEED)


def test_a_turn_is_the_library_s(motion):
    """Coordinates, rates, accelerations, the crank's torque, and the force at J2 by the library's wrench."""
    dynamics = md.InverseDynamics(md.load_urdf(BARS.urdf()))
    for k, angle in enumerate(ANGLES):
        found = dynamics.solve([angle], [SPEED], [0.0])
        assert motion.q[k] == pytest.approx(found.coordinates, abs=1e-9)
        assert motion.v[k] == pytest.approx(found.velocities, abs=1e-9)
        assert motion.a[k] == pytest.approx(found.accelerations, abs=1e-8)
        assert motion.torque[k] == pytest.approx(found.tau[0], abs=1e-9)
        # of the crank on the coupler, along the coupler's axes
        turned = complex(*found.wrenches["J2"][:2]) * np.exp(1j * motion.q[k, 1:].sum())
        assert complex(*motion.multipliers[k]) == pytest.approx(-turned, abs=1e-7)


def test_rates_are_those_of_the_angles(motion):
    """Central differences over 3 degrees: errors of second order, below a percent of the largest."""
    for rows, slopes in ((motion.q, motion.v), (motion.v, motion.a)):
        slope = np.gradient(rows, motion.times, axis=0)[1:-1]
        assert slope == pytest.approx(slopes[1:-1], abs=0.01 * np.abs(slopes).max())


def test_columns_have_units_and_all_quantities(motion):
    columns = motion.columns()
    assert len(columns) == 13
    assert all(name.endswith("]") for name in columns)
    assert columns["J3 acceleration [rad/s^2]"].tolist() == motion.a[:, 2].tolist()
    assert columns["lambda y [N]"].tolist() == motion.multipliers[:, 1].tolist()


def test_animation_shows_a_closed_loop(motion, tmp_path):
    for theta in motion.q:
        _, J2, tip, J3, J4 = points(BARS, theta)
        assert abs(J2 - tip) < 1e-12
        assert abs(J3 - J4) == pytest.approx(0.12, abs=1e-12)
    path = animate(tmp_path / "turn.gif", BARS, motion)
    assert path.stat().st_size < 1e6
    with Image.open(path) as image:
        assert image.n_frames == FRAMES
