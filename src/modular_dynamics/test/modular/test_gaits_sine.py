"""The rhythmic gait against its formula."""

import numpy as np
import pytest

from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import gaits


def test_one_joint_by_hand():
    """q = 0.1 + 0.5 sin(2 pi 0.25 t + pi/2): at t = 0 at its top, at t = 1 through the middle downwards."""
    gait = gaits.Sine(gaits.Rhythm(("hip",), 0.5, 0.25, 0.1, np.pi / 2.0))
    omega = np.pi / 2.0
    assert np.array(gait.at(0.0)).ravel() == pytest.approx([0.6, 0.0, -0.5 * omega**2], abs=1e-15)
    assert np.array(gait.at(1.0)).ravel() == pytest.approx([0.1, -0.5 * omega, 0.0], abs=1e-15)
    assert gait.at(4.0).q == pytest.approx(gait.at(0.0).q, abs=1e-15)


def test_a_body_wave_arrives_at_each_joint_later():
    """Joint k does what the first did k lag / (2 pi frequency) earlier."""
    names = [f"v{k}/bend" for k in range(5)]
    gait = gaits.Sine(gaits.body_wave(names, 0.4, 0.5, 0.9))
    delay = 0.9 / (2.0 * np.pi * 0.5)
    for k in range(5):
        assert gait.at(10.0).q[k] == pytest.approx(gait.at(10.0 - k * delay).q[0], abs=1e-13)


@pytest.mark.parametrize("ramp", [-1.0, float("nan"), float("inf"), "2", 1e-300, 1e300])
def test_an_impossible_ramp_is_refused(ramp):
    with pytest.raises(GaitError, match=r"^ramp is .*; (a finite number of|0 or) at least (0|1e-06)"):
        gaits.Sine(gaits.Rhythm(("hip",), 0.5, 0.25), ramp=ramp)
