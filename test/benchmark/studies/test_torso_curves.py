"""What body 2 exerts on body 3 along the 5 s motion, ours and MuJoCo's: the curves of `make torso-figure`."""

import numpy as np
import pytest

from benchmark.studies.torso_curves import curves, without_inertia
from helpers.robots.torso_motion import MOTION, RULES, SAME, TIMES, URDF


@pytest.fixture(scope="module")
def whole():
    return curves(URDF, RULES, MOTION, TIMES)


@pytest.fixture(scope="module")
def light():
    return curves(without_inertia(URDF, "body_3"), RULES, MOTION, TIMES)


@pytest.mark.parametrize("robot", ["whole", "light"])
def test_mujoco_has_the_same_reactions_and_actuator_forces(request, robot):
    found = request.getfixturevalue(robot)
    assert found.wrenches == pytest.approx(found.their_wrenches, abs=SAME)
    for name in ("act4", "act5"):
        assert found.torques[name] == pytest.approx(found.their_torques[name], abs=SAME)
        assert np.ptp(found.torques[name]) > 10.0
    assert len(found.torques) == 19
    for name, torque in found.torques.items():
        assert torque == pytest.approx(found.their_torques[name], abs=SAME), name


def test_curves_jump_at_half_time_and_nowhere_else(whole):
    steps = np.abs(np.diff(whole.wrenches, axis=0))
    half = len(TIMES) // 2
    assert (TIMES[half - 1], TIMES[half]) == (2.5, np.nextafter(2.5, 3.0))
    smooth = np.delete(steps, half - 1, axis=0).max(axis=0)
    assert (steps[half - 1] > 3.0 * smooth)[[0, 5]].all()  # Fx 3.6 N, Mz 3 N m
    assert whole.weight == pytest.approx(545.4, abs=0.05)


def test_the_inertia_of_body_3_tells_in_moments_alone(whole, light):
    """Body 3 turns about z only: I (0, 0, alpha) + omega x I (0, 0, omega), in closed form, Table 1."""
    times, unit = TIMES, 2.0 * np.pi / 9.0
    alpha = np.where(times <= 2.5, -unit, unit)
    omega = unit * np.where(times <= 2.5, -times, times - 5.0)
    xz, yz, zz = 0.003586, -0.05186, 1.61
    expected = np.stack([xz * alpha - yz * omega**2, yz * alpha + xz * omega**2, zz * alpha], axis=-1)
    assert whole.wrenches[:, 3:] - light.wrenches[:, 3:] == pytest.approx(expected, abs=SAME)
    assert whole.wrenches[:, :3] == pytest.approx(light.wrenches[:, :3], abs=SAME)
