"""Records of a simulated robot, their accelerations, and the coefficient of multiple correlation."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from papers.modular_composition.measured import accelerations, multiple_correlation, simulate

STEP = 1e-3


def test_torques_of_the_record_give_its_motion():
    """The torque that acted over a step, less that of a constant acceleration over it, is of order h."""
    path = ROBOTS / "four_link.urdf"
    graph, record = md.load_urdf(path), simulate(path.read_text(), 0.5, STEP)
    columns = [record.names.index(name) for name in graph.joint_names]
    q, v, acted = (x[:, columns] for x in (record.q, record.v, record.acted))
    assert v == pytest.approx(np.sin(2.0 * np.pi * record.times)[:, None] * np.ones(graph.nv), abs=1e-9)
    tau = md.inverse_dynamics(graph, q[:-1], v[:-1], np.diff(v, axis=0) / STEP)
    assert tau == pytest.approx(acted[1:], abs=1e-9 * np.abs(tau).max())
    assert (record.applied[:-1] == record.acted[1:]).all()


def test_accelerations_of_a_slow_sine_are_its_derivative():
    times = STEP * np.arange(1, 4001)
    v = np.sin(2.0 * np.pi * times)[:, None]
    inner = slice(1000, -1000)
    expected = 2.0 * np.pi * np.cos(2.0 * np.pi * times[inner])
    assert accelerations(v, STEP)[inner, 0] == pytest.approx(expected, abs=1e-4)
    causal = accelerations(v, STEP, zero_phase=False)[inner, 0]
    assert np.abs(causal - expected).max() > 1.0  # delayed


def test_coefficients_of_multiple_correlation():
    random = np.random.default_rng(0)
    wave, other = random.standard_normal((2, 500, 3))
    assert multiple_correlation(wave, wave).tolist() == [1.0, 1.0, 1.0]
    assert multiple_correlation(wave, -wave).tolist() == [0.0, 0.0, 0.0]
    assert multiple_correlation(wave, other).max() < 0.3
    # two constant waves apart by 2: within 1 F / F, over all 2 F / (2 F - 1)
    apart = np.ones((50, 1))
    assert multiple_correlation(apart, -apart) == pytest.approx([0.0])
