"""A black box whose joints are not in the library, replaced by simulated sensors."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from papers.modular_composition.sensors import (
    Noise,
    Readings,
    SimulatedSensors,
    compose,
    without_joints,
)

URDF = (ROBOTS / "branched_38dof.urdf").read_text(encoding="utf-8")
GRAPH = md.load_urdf(URDF)
RANDOM = np.random.default_rng(0)
NOISE = Noise(0.3, 0.02, 0.01, 60.0)
STATE = RANDOM.normal(size=(3, GRAPH.nv))


@pytest.fixture(params=["subsystem_6", "subsystem_2", "subsystem_4"])  # 2 carries 6, which carries others
def box(request):
    """Name, robot without the box's joints, sensors, columns of the joints that are left."""
    name = request.param
    boxed = without_joints(URDF, GRAPH, name)
    own = [GRAPH.joint_names.index(joint) for joint in boxed.joint_names]
    return name, boxed, SimulatedSensors(URDF, GRAPH, name), own


def test_exact_sensors_give_the_torques_of_the_whole_robot(box):
    name, boxed, sensors, own = box
    assert boxed.nv == 34
    assert boxed.subsystem(name).joints == ()
    expected, readings, states = sensors.torques(*STATE), sensors.read(*STATE), STATE[:, own]
    found = compose(boxed, name, *states, readings).tau
    scale = np.abs(expected).max()
    assert found == pytest.approx(expected[own], abs=1e-12 * scale)
    beyond = [boxed.joint_names.index(joint) for joint in sensors.beyond]
    assert found[beyond] == pytest.approx(sensors.torques_beyond(*STATE, readings), abs=1e-12 * scale)
    still = Readings(readings.wrench, {one: np.zeros(9) for one in readings.imus})
    assert np.abs(compose(boxed, name, *states, still).tau - expected[own]).max() > 1.0


def test_noise_has_the_predicted_effect(box):
    """Each sensor's step by itself, against the prediction's squares summed."""
    name, boxed, sensors, own = box
    readings, small = sensors.read(*STATE), 1e-4
    exact = compose(boxed, name, *STATE[:, own], readings).tau
    total = np.zeros(boxed.nv)

    def error(changed):
        return (compose(boxed, name, *STATE[:, own], changed).tau - exact) / small

    for k, sigma in enumerate(NOISE.wrench):
        step = small * sigma * np.eye(6)[k]
        total += error(Readings(readings.wrench + step, readings.imus)) ** 2
    for one, imu in readings.imus.items():
        for k, sigma in enumerate(NOISE.imu):
            step = small * sigma * np.eye(9)[k]
            total += error(Readings(readings.wrench, {**readings.imus, one: imu + step})) ** 2
    predicted = sensors.deviations(*STATE, NOISE)[own]
    reached = predicted > 0.0
    assert np.sqrt(total)[reached] == pytest.approx(predicted[reached], rel=1e-4)
    assert np.sqrt(total)[~reached].max() < 1e-6


def test_noise_is_that_of_the_sensors():
    exact, random = Readings(np.zeros(6), {"arm": np.zeros(9)}), np.random.default_rng(1)
    drawn = [exact.with_noise(random, NOISE, 10.0) for _ in range(4000)]
    # a standard deviation of 4000 samples: 1.1 %
    wrenches, imus = [one.wrench for one in drawn], [one.imus["arm"] for one in drawn]
    assert np.std(wrenches, axis=0) == pytest.approx(10.0 * NOISE.wrench, rel=0.05)
    assert np.std(imus, axis=0) == pytest.approx(10.0 * NOISE.imu, rel=0.05)


def test_noise_is_white_over_its_band():
    """Densities of a usual IMU: 0.014 deg/s and 175 ug in a root of 1 Hz, over 100 Hz; a slope over 10 Hz."""
    assert Noise().wrench == pytest.approx([0.1] * 3 + [0.005] * 3)
    frequency = np.linspace(0.0, 10.0, 100_001)
    slope = np.trapezoid((2.0 * np.pi * frequency * np.radians(0.014)) ** 2, frequency) ** 0.5
    expected = [np.radians(0.14)] * 3 + [175e-5 * 9.81] * 3 + [slope] * 3
    assert Noise().imu == pytest.approx(expected, rel=1e-6)
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="all four numbers must be positive"):
            Noise(moment=bad)
